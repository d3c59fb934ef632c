package operator_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
)

// The names that the operator derives (recorded from openmcp-operator v1.3.0).
func TestNameHash(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"wl1": "c4k2qrka", "mcp1": "3gn3e4xr"} {
		if got := operator.NameHash("team-a", name); got != want {
			t.Errorf("team-a/%s: %s, not %s", name, got, want)
		}
	}
}

func definition(tenancy string, count int, change ...func(*operator.Definition)) *operator.Definition {
	d := &operator.Definition{TenancyCount: count, Template: operator.Template{
		Spec: operator.ClusterSpec{Profile: "p", Tenancy: tenancy},
	}}
	for _, c := range change {
		c(d)
	}
	return d
}

func config(change ...func(*operator.Config)) operator.Config {
	c := operator.Config{Scope: operator.ScopeNamespaced, PurposeMappings: map[string]*operator.Definition{
		"platform": definition(operator.Shared, 0), "workload": definition(operator.Shared, 2), "mcp": definition(operator.Exclusive, 0),
	}}
	for _, f := range change {
		f(&c)
	}
	return c
}

func operatorCluster(name, purpose string, tenants ...string) operator.Cluster {
	return operator.Cluster{Ref: clusters.Ref{Namespace: "team-a", Name: name}, Profile: "p", Tenancy: operator.Shared,
		Purposes: []string{purpose}, Tenants: tenants}
}

// Each rule of the operator's scheduler, as it was met on the real one (internal/openmcp/requests replays them).
func TestSchedule(t *testing.T) {
	t.Parallel()
	type cs = []operator.Cluster
	with := func(c operator.Cluster, change func(*operator.Cluster)) operator.Cluster {
		change(&c)
		return c
	}
	strategy := func(s string) func(*operator.Config) {
		return func(c *operator.Config) { c.Strategy = s }
	}
	workload := func(change func(*operator.Definition)) func(*operator.Config) {
		return func(c *operator.Config) { change(c.PurposeMappings["workload"]) }
	}
	gold := map[string]string{"tier": "gold"}
	holders := []operator.Holder{{Ref: clusters.Ref{Namespace: "team-a", Name: "other"}, UID: "u1"}}
	own := clusters.Ref{Namespace: "team-a", Name: "workload-c4k2qrka"}
	for name, test := range map[string]struct {
		purpose  string
		change   func(*operator.Request)
		config   func(*operator.Config)
		clusters cs
		action   clusters.Action
		reason   clusters.Reason
		cluster  string
		tenants  int
		says     string // in the message or a warning
	}{
		"new for several": {purpose: "workload", action: clusters.Create, reason: clusters.ReasonNew, cluster: "team-a/workload-c4k2qrka",
			tenants: 1},
		"new for all": {purpose: "platform", action: clusters.Create, reason: clusters.ReasonNew, cluster: "team-a/platform", tenants: 1},
		"new for one": {purpose: "mcp", action: clusters.Create, reason: clusters.ReasonNew, cluster: "team-a/mcp-c4k2qrka", tenants: 1},
		"no purpose at all": {purpose: "x", config: func(c *operator.Config) { c.PurposeMappings = nil }, action: clusters.Deny,
			reason: clusters.ReasonUnknownPurpose, says: "They know none."},
		"unknown purpose": {purpose: "x", action: clusters.Deny, reason: clusters.ReasonUnknownPurpose, says: "mcp, platform and workload"},
		"room": {purpose: "workload", clusters: cs{operatorCluster("w", "workload", "u1")}, action: clusters.Reuse,
			reason: clusters.ReasonShared, cluster: "team-a/w", tenants: 2},
		"full": {purpose: "workload", clusters: cs{operatorCluster("w", "workload", "u1", "u2")}, action: clusters.Create,
			reason: clusters.ReasonNew, cluster: own.String(), tenants: 1},
		"without limit": {purpose: "platform", clusters: cs{operatorCluster("w", "platform", "1", "2", "3", "4")}, action: clusters.Reuse,
			reason: clusters.ReasonShared, cluster: "team-a/w", tenants: 5},
		"exclusive never fits": {purpose: "mcp", clusters: cs{operatorCluster("m", "mcp")}, action: clusters.Create, reason: clusters.ReasonNew,
			cluster: "team-a/mcp-c4k2qrka", tenants: 1},
		"in deletion": {purpose: "workload", clusters: cs{with(operatorCluster("w", "workload"),
			func(c *operator.Cluster) { c.Deleting = true })},
			action: clusters.Create, reason: clusters.ReasonNew, cluster: own.String(), tenants: 1},
		"another namespace": {purpose: "workload", clusters: cs{with(operatorCluster("w", "workload"),
			func(c *operator.Cluster) { c.Ref.Namespace = "b" })},
			action: clusters.Create, reason: clusters.ReasonNew, cluster: own.String(), tenants: 1},
		"another namespace in scope Cluster, which is the default": {purpose: "workload",
			config:   func(c *operator.Config) { c.Scope = "" },
			clusters: cs{with(operatorCluster("w", "workload"), func(c *operator.Cluster) { c.Ref.Namespace = "b" })},
			action:   clusters.Reuse, reason: clusters.ReasonShared, cluster: "b/w", tenants: 1},
		"the template's namespace": {purpose: "workload",
			config:   workload(func(d *operator.Definition) { d.Template.Metadata.Namespace = "b" }),
			clusters: cs{operatorCluster("w", "workload")}, action: clusters.Create, reason: clusters.ReasonNew, cluster: "b/workload-c4k2qrka", tenants: 1,
			says: "Namespace b, in which the new Cluster is to lie"},
		"both selectors": {purpose: "workload", config: func(c *operator.Config) {
			c.Selectors.Clusters = &operator.Selector{MatchLabels: gold}
			c.PurposeMappings = map[string]*operator.Definition{"workload": definition(operator.Shared, 2, func(d *operator.Definition) {
				d.Template.Metadata.Labels = map[string]string{"tier": "gold", "stage": "dev"}
				d.Selector = &operator.Selector{MatchExpressions: []operator.Expression{{Key: "stage", Operator: "Exists"}}}
			})}
		}, clusters: cs{with(operatorCluster("a", "workload"), func(c *operator.Cluster) { c.Labels = gold }),
			with(operatorCluster("b", "workload"), func(c *operator.Cluster) { c.Labels = map[string]string{"stage": "dev"} }),
			with(operatorCluster("c", "workload"), func(c *operator.Cluster) { c.Labels = map[string]string{"stage": "x", "tier": "gold"} })},
			action: clusters.Reuse, reason: clusters.ReasonShared, cluster: "team-a/c", tenants: 1},
		"balanced": {purpose: "platform", clusters: cs{operatorCluster("a", "platform", "1", "2"), operatorCluster("b", "platform", "3"),
			operatorCluster("c", "platform", "4")},
			action: clusters.Reuse, reason: clusters.ReasonShared, cluster: "team-a/b", tenants: 2},
		"simple": {purpose: "platform", config: strategy(operator.StrategySimple), clusters: cs{operatorCluster("b", "platform"),
			operatorCluster("a", "platform", "1")},
			action: clusters.Reuse, reason: clusters.ReasonShared, cluster: "team-a/a", tenants: 2},
		"random": {purpose: "platform", config: strategy(operator.StrategyRandom), clusters: cs{operatorCluster("b", "platform"),
			operatorCluster("a", "platform")},
			action: clusters.Reuse, reason: operator.ReasonDrawn, cluster: "/"},
		"random of one": {purpose: "platform", config: strategy(operator.StrategyRandom), clusters: cs{operatorCluster("b", "platform")},
			action: clusters.Reuse, reason: clusters.ReasonShared, cluster: "team-a/b", tenants: 1},
		"an exclusive Cluster for a shared request": {purpose: "platform",
			clusters: cs{with(operatorCluster("m", "platform", "1"), func(c *operator.Cluster) { c.Tenancy = operator.Exclusive })},
			action:   clusters.Reuse, reason: clusters.ReasonShared, cluster: "team-a/m", tenants: 2, says: "is Exclusive, and the operator gives it"},
		"granted": {purpose: "workload", change: func(r *operator.Request) {
			r.UID, r.Cluster = "me", &clusters.Ref{Namespace: "team-a", Name: "w"}
		},
			clusters: cs{operatorCluster("w", "workload", "u1", "me")}, action: clusters.Reuse, reason: clusters.ReasonGranted, cluster: "team-a/w", tenants: 2},
		"granted, and the finalizer is gone": {purpose: "workload", change: func(r *operator.Request) {
			r.UID, r.Cluster = "me", &clusters.Ref{Namespace: "team-a", Name: "w"}
		},
			clusters: cs{operatorCluster("w", "workload", "u1")}, action: clusters.Reuse, reason: clusters.ReasonGranted, cluster: "team-a/w", tenants: 2},
		"granted, and the Cluster is gone": {purpose: "workload", change: func(r *operator.Request) {
			r.UID, r.Cluster = "me",
				&clusters.Ref{Namespace: "b", Name: "w"}
		},
			clusters: cs{operatorCluster("w", "workload")}, action: clusters.Create, reason: operator.ReasonRecreated, cluster: "b/w", tenants: 1},
		"recovered, full and in deletion as it is": {purpose: "workload", change: func(r *operator.Request) { r.UID = "me" },
			clusters: cs{operatorCluster("a", "workload"), with(operatorCluster("w", "workload", "u1", "u2", "me"), func(c *operator.Cluster) { c.Deleting = true })},
			action:   clusters.Reuse, reason: operator.ReasonRecovered, cluster: "team-a/w", tenants: 3, says: "is being deleted"},
		"the name is taken": {purpose: "platform", clusters: cs{operatorCluster("platform", "x", "u1")},
			action: clusters.Deny, reason: operator.ReasonNameConflict, cluster: "team-a/platform", says: "team-a/other holds it: the request stays pending for ever"},
		"the name is taken by a request that cannot be seen": {purpose: "platform", clusters: cs{operatorCluster("platform", "x", "u7")},
			action: clusters.Deny, reason: operator.ReasonNameConflict, cluster: "team-a/platform", says: "a request that cannot be seen, or one that is gone, holds it (UID u7)"},
		"the name is taken, and another profile counts whoever holds it": {purpose: "platform",
			clusters: cs{with(operatorCluster("platform", "x", "u7"), func(c *operator.Cluster) { c.Profile = "q" })},
			action:   clusters.Deny, reason: operator.ReasonProfileConflict, cluster: "team-a/platform"},
		"its own finalizer after that of a request that lives": {purpose: "platform", change: func(r *operator.Request) { r.UID = "me" },
			clusters: cs{operatorCluster("platform", "x", "u1", "me")}, action: clusters.Reuse, reason: operator.ReasonTakenOver,
			cluster: "team-a/platform", tenants: 1,
			says: "team-a/other lives and holds Cluster team-a/platform, and the operator takes its finalizer away all the same. Nothing keeps"},
		"its own finalizer after that of a request that cannot be seen": {purpose: "platform",
			change:   func(r *operator.Request) { r.UID = "me" },
			clusters: cs{operatorCluster("platform", "x", "u7", "me")}, action: clusters.Reuse, reason: operator.ReasonTakenOver,
			cluster: "team-a/platform", tenants: 1,
			says: "If that request lives, nothing keeps the Cluster for it until the operator looks at the request again"},
		"its own finalizer after that of a request that is gone": {purpose: "platform", change: func(r *operator.Request) {
			r.UID, r.Labels = "me", map[string]string{"all": ""}
		}, clusters: cs{operatorCluster("platform", "x", "u7", "me", "u1")}, action: clusters.Reuse, reason: operator.ReasonTakenOver,
			cluster: "team-a/platform", tenants: 2, says: "team-a/other holds Cluster team-a/platform as well, and the operator overlooks it"},
		"its own finalizer first": {purpose: "platform", change: func(r *operator.Request) { r.UID = "me" },
			clusters: cs{operatorCluster("platform", "x", "me", "u1")}, action: clusters.Reuse, reason: operator.ReasonTakenOver,
			cluster: "team-a/platform", tenants: 2, says: "overlooks it"},
		"the name is held by requests that are gone": {purpose: "platform",
			change:   func(r *operator.Request) { r.Labels = map[string]string{"all": ""} },
			clusters: cs{operatorCluster("platform", "x", "u7", "u1")}, action: clusters.Reuse, reason: operator.ReasonTakenOver, cluster: "team-a/platform",
			tenants: 2, says: "team-a/other holds Cluster team-a/platform as well, and the operator overlooks it"},
		"the name of a Cluster that no request holds": {purpose: "platform", clusters: cs{operatorCluster("platform", "x")},
			action: clusters.Reuse, reason: operator.ReasonTakenOver, cluster: "team-a/platform", tenants: 1, says: "overwrites the spec"},
		"another profile": {purpose: "platform", clusters: cs{with(operatorCluster("platform", "x"),
			func(c *operator.Cluster) { c.Profile = "q" })},
			action: clusters.Deny, reason: operator.ReasonProfileConflict, cluster: "team-a/platform", says: "profile q instead of p"},
		"the name in deletion": {purpose: "platform", clusters: cs{with(operatorCluster("platform", "platform"),
			func(c *operator.Cluster) { c.Deleting = true })},
			action: clusters.Deny, reason: operator.ReasonInDeletion, cluster: "team-a/platform", says: "until it is gone"},
		"the template's name": {purpose: "platform",
			config: func(c *operator.Config) { c.PurposeMappings["platform"].Template.Metadata.Name = "one" },
			action: clusters.Create, reason: clusters.ReasonNew, cluster: "team-a/one", tenants: 1},
		"the template's prefix, before its name": {purpose: "platform", config: func(c *operator.Config) {
			c.PurposeMappings["platform"].Template.Metadata = operator.Metadata{Name: "one", GenerateName: "gen-"}
		}, action: clusters.Create, reason: clusters.ReasonNew, cluster: "team-a/gen-c4k2qrka", tenants: 1},
		"the template's name counts for one Cluster alone": {purpose: "workload",
			config: workload(func(d *operator.Definition) { d.Template.Metadata.Name = "one" }),
			action: clusters.Create, reason: clusters.ReasonNew, cluster: own.String(), tenants: 1},
		"55 characters and a hash": {purpose: "workload",
			config: workload(func(d *operator.Definition) { d.Template.Metadata.GenerateName = strings.Repeat("x", 55) }),
			action: clusters.Create, reason: clusters.ReasonNew, cluster: "team-a/" + strings.Repeat("x", 55) + "c4k2qrka", tenants: 1},
		"56 characters and a hash": {purpose: "workload",
			config: workload(func(d *operator.Definition) { d.Template.Metadata.GenerateName = strings.Repeat("x", 56) }),
			action: clusters.Deny, reason: operator.ReasonInvalidName, cluster: "/", says: "longer than 63"},
		"no name": {purpose: "workload", config: workload(func(d *operator.Definition) { d.Template.Metadata.GenerateName = "No_" }),
			action: clusters.Deny, reason: operator.ReasonInvalidName, cluster: "/", says: "the API server refuses"},
		"a random name": {purpose: "workload",
			change: func(r *operator.Request) { r.Labels = map[string]string{operator.RandomNameLabel: "true"} },
			action: clusters.Deny, reason: operator.ReasonRandomName, cluster: "/"},
		"a random name that is not needed": {purpose: "platform",
			change: func(r *operator.Request) { r.Labels = map[string]string{operator.RandomNameLabel: "true"} },
			action: clusters.Create, reason: clusters.ReasonNew, cluster: "team-a/platform", tenants: 1},
		"not selected": {purpose: "mcp",
			config: func(c *operator.Config) { c.Selectors.Requests = &operator.Selector{MatchLabels: gold} },
			action: clusters.Deny, reason: operator.ReasonNotSelected, cluster: "/"},
		"ignored": {purpose: "mcp", change: func(r *operator.Request) { r.Ignored = true }, action: clusters.Deny,
			reason: operator.ReasonIgnored, cluster: "/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := operator.Request{Ref: clusters.Ref{Namespace: "team-a", Name: "wl1"}, Purpose: test.purpose}
			l := operator.Landscape{Config: config(), Clusters: test.clusters, Requests: holders}
			if test.change != nil {
				test.change(&r)
			}
			if test.config != nil {
				test.config(&l.Config)
			}
			_, l.AllRequests = r.Labels["all"]
			d, err := operator.Schedule(r, l)
			if err != nil {
				t.Fatal(err)
			}
			cluster := test.cluster
			if cluster == "" {
				cluster = "/"
			}
			if d.Action != test.action || d.Reason != test.reason || d.Cluster.String() != cluster || d.Tenants != test.tenants ||
				!strings.Contains(fmt.Sprint(d.Message, d.Warnings), test.says) {
				t.Errorf("decided %+v", d)
			}
			checkDecision(t, d, r, len(test.clusters))
		})
	}
}

// checkDecision checks what holds of every decision.
func checkDecision(t *testing.T, d operator.Decision, r operator.Request, all int) {
	t.Helper()
	chosen := 0
	for _, c := range d.Candidates {
		if c.Chosen {
			chosen++
		}
		if c.Reason == "" {
			t.Errorf("candidate %s has no reason", c.Ref)
		}
	}
	if !slices.IsSortedFunc(d.Candidates, func(a, b clusters.Candidate) int { return strings.Compare(a.Ref.String(), b.Ref.String()) }) {
		t.Errorf("not in the operator's order: %+v", d.Candidates)
	}
	if d.Uncertain != strings.Contains(d.Message, "cannot be seen") {
		t.Errorf("uncertain: %t: %s", d.Uncertain, d.Message)
	}
	if len(d.Candidates) > all || chosen > 1 || d.Message == "" {
		t.Errorf("%d candidates, %d chosen: %+v", len(d.Candidates), chosen, d)
	}
	derived, alone := operator.NameHash(r.Ref.Namespace, r.Ref.Name)+"-", d.Action == clusters.Create && d.Tenancy == operator.Exclusive
	if d.PrefixKnown && d.Prefix != derived && !(d.Prefix == "" && alone) || d.PrefixKnown != (d.Action != clusters.Deny) {
		t.Errorf("prefix %q, known: %t", d.Prefix, d.PrefixKnown)
	}
}

// A request has the empty prefix on a Cluster alone that was made for it, and that no other request can come to.
func TestPrefix(t *testing.T) {
	t.Parallel()
	r := operator.Request{Ref: clusters.Ref{Namespace: "team-a", Name: "wl1"}, UID: "me", Purpose: "mcp"}
	for name, test := range map[string]struct {
		change func(*operator.Cluster)
		want   string
	}{
		"made for it":                        {func(*operator.Cluster) {}, ""},
		"kept when its last request goes":    {func(c *operator.Cluster) { c.Labels[operator.DeletedWithoutRequests] = "false" }, ""},
		"a prefix of the operator's own":     {func(c *operator.Cluster) { c.Ref.Name = "gen-c4k2qrka" }, ""},
		"shared":                             {func(c *operator.Cluster) { c.Tenancy = operator.Shared }, "c4k2qrka-"},
		"made by hand":                       {func(c *operator.Cluster) { c.Ref.Name = "mine" }, "c4k2qrka-"},
		"made by hand under the same name":   {func(c *operator.Cluster) { c.Labels = nil }, "c4k2qrka-"},
		"made for another request":           {func(c *operator.Cluster) { c.Ref.Name = "mcp-3gn3e4xr" }, "c4k2qrka-"},
		"with a purpose that others may ask": {func(c *operator.Cluster) { c.Purposes = []string{"mcp", "workload"} }, "c4k2qrka-"},
		"held by another as well":            {func(c *operator.Cluster) { c.Tenants = []string{"me", "u1"} }, "c4k2qrka-"},
	} {
		c := operator.Cluster{Ref: clusters.Ref{Namespace: "team-a", Name: "mcp-c4k2qrka"}, Tenancy: operator.Exclusive,
			Labels: map[string]string{operator.DeletedWithoutRequests: "true"}, Purposes: []string{"mcp"}, Tenants: []string{"me"}}
		test.change(&c)
		if got := operator.Prefix(r, &c); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Shared requests that come to one exclusive Cluster have prefixes of which none begins another.
func TestSchedule_prefixes(t *testing.T) {
	t.Parallel()
	mine := operatorCluster("mine", "platform")
	mine.Tenancy = operator.Exclusive
	l := operator.Landscape{Config: config(), Clusters: []operator.Cluster{mine}}
	var prefixes []string
	for _, name := range []string{"wl1", "mcp1", "x"} {
		d, err := operator.Schedule(operator.Request{Ref: clusters.Ref{Namespace: "team-a", Name: name}, Purpose: "platform"}, l)
		if err != nil || d.Cluster != mine.Ref || !d.PrefixKnown {
			t.Fatalf("%+v, %v", d, err)
		}
		for _, other := range prefixes {
			if strings.HasPrefix(other, d.Prefix) || strings.HasPrefix(d.Prefix, other) {
				t.Errorf("prefixes %q and %q on one Cluster", d.Prefix, other)
			}
		}
		prefixes = append(prefixes, d.Prefix)
		l.Clusters[0].Tenants = append(l.Clusters[0].Tenants, name)
	}
}

// The order of the input decides nothing, and the server's order is that of the keys.
func TestSchedule_order(t *testing.T) {
	t.Parallel()
	l := operator.Landscape{Config: config(func(c *operator.Config) { c.Scope = ""; c.Strategy = operator.StrategySimple })}
	for _, namespace := range []string{"a", "a-b", "b"} {
		for _, name := range []string{"x", "y"} {
			c := operatorCluster(name, "platform")
			c.Ref.Namespace = namespace
			l.Clusters = append(l.Clusters, c)
		}
	}
	var first *operator.Decision
	for range 20 {
		rand.Shuffle(len(l.Clusters), func(i, j int) { l.Clusters[i], l.Clusters[j] = l.Clusters[j], l.Clusters[i] })
		before := slices.Clone(l.Clusters)
		d, err := operator.Schedule(operator.Request{Ref: clusters.Ref{Namespace: "b", Name: "r"}, Purpose: "platform"}, l)
		if err != nil || d.Cluster.String() != "a-b/x" || !reflect.DeepEqual(before, l.Clusters) {
			t.Fatalf("%+v, %v", d, err)
		}
		if first != nil && !reflect.DeepEqual(*first, d) {
			t.Fatalf("%+v, and before %+v", d, *first)
		}
		first = &d
	}
}

// A configuration with which the operator does not start is refused, at its field.
func TestConfig_check(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*operator.Config){
		"scheduler.scope":    func(c *operator.Config) { c.Scope = "Everything" },
		"scheduler.strategy": func(c *operator.Config) { c.Strategy = "Fair" },
		"scheduler.selectors.clusters.matchExpressions[0].operator": func(c *operator.Config) {
			c.Selectors.Clusters = &operator.Selector{MatchExpressions: []operator.Expression{{Key: "a", Operator: "Is"}}}
		},
		"scheduler.selectors.requests.matchExpressions[0].values": func(c *operator.Config) {
			c.Selectors.Requests = &operator.Selector{MatchExpressions: []operator.Expression{{Key: "a", Operator: "In"}}}
		},
		"scheduler.purposeMappings[mcp]":                       func(c *operator.Config) { c.PurposeMappings["mcp"] = nil },
		"scheduler.purposeMappings[mcp].tenancyCount":          func(c *operator.Config) { c.PurposeMappings["mcp"].TenancyCount = 2 },
		"scheduler.purposeMappings[workload].tenancyCount":     func(c *operator.Config) { c.PurposeMappings["workload"].TenancyCount = -1 },
		"scheduler.purposeMappings[mcp].template.spec.profile": func(c *operator.Config) { c.PurposeMappings["mcp"].Template.Spec.Profile = "" },
		"scheduler.purposeMappings[mcp].template.spec.tenancy": func(c *operator.Config) { c.PurposeMappings["mcp"].Template.Spec.Tenancy = "" },
		"scheduler.purposeMappings[mcp].template.metadata.labels": func(c *operator.Config) {
			c.PurposeMappings["mcp"].Selector = &operator.Selector{MatchLabels: map[string]string{"a": "b"}}
		},
		"scheduler.selectors.clusters.matchLabels[a b]": func(c *operator.Config) {
			c.Selectors.Clusters = &operator.Selector{MatchLabels: map[string]string{"a b": "x"}}
		},
		"scheduler.selectors.requests.matchExpressions[0]": func(c *operator.Config) {
			c.Selectors.Requests = &operator.Selector{MatchExpressions: []operator.Expression{
				{Key: "example.com/a", Operator: "In", Values: []string{"", "x y"}}}}
		},
		"scheduler.purposeMappings[workload].template.metadata.labels[_a/b]": func(c *operator.Config) {
			c.PurposeMappings["workload"].Template.Metadata.Labels = map[string]string{"_a/b": "x"}
		},
		"scheduler.purposeMappings[workload].template.metadata.labels[a]": func(c *operator.Config) {
			c.PurposeMappings["workload"].Template.Metadata.Labels = map[string]string{"a": strings.Repeat("x", 64)}
		},
		"scheduler.purposeMappings": func(c *operator.Config) { c.PurposeMappings[""] = definition(operator.Shared, 0) },
	} {
		_, err := operator.Schedule(operator.Request{}, operator.Landscape{Config: config(change)})
		if wrong := new(operator.ConfigError); !errors.As(err, &wrong) || wrong.Field != field || wrong.Message == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// What is wrong in two ways is reported in the same words each time.
func TestConfig_checkIsStable(t *testing.T) {
	t.Parallel()
	other := &operator.Selector{MatchLabels: map[string]string{"a": "b"}}
	c := config(func(c *operator.Config) {
		c.Selectors.Clusters, c.PurposeMappings["mcp"].Selector = other, other
	})
	for range 20 {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "not chosen by selectors.clusters") {
			t.Fatal(err)
		}
	}
}
