package scenarios

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// platformObject is how one object of the platform cluster is made, changed, lost and destroyed.
type platformObject struct {
	kind          platformKind
	first, second []string                               // the configurations
	seen          func(unstructured.Unstructured) string // what changes
	before, after string                                 // what is seen of it then
	lose          func(*testing.T)                       // what the next apply makes again; nil = nothing
	found, named  string
	waits         func(platformConfiguration) []wait // what the apply that makes it waits for; nil = nothing
}

// life is the life of the object.
func (o platformObject) life(t *testing.T, s platformStage) life {
	t.Helper()
	c := s.configure(t, o.first...)
	uids, written := map[string]string{}, []write{{"", o.kind.resource, ""}}
	expect := func(want string) func(*testing.T, past) {
		return func(t *testing.T, _ past) {
			t.Helper()
			if got := o.seen(*s.only(t, o.kind)); !strings.Contains(got, want) {
				t.Errorf("there is %s, want %s", got, want)
			}
			for address, uid := range c.wantStanding(t) {
				if uids[address] != "" && uids[address] != uid {
					t.Errorf("%s was made anew", address)
				}
				uids[address] = uid
			}
		}
	}
	phases := []phase{
		{name: "made", command: applying, writes: written, check: expect(o.before), found: o.found, named: o.named,
			undoes: o.kind == requestKind || o.kind == accessKind}, // a request that is not granted is withdrawn
		{name: "changed", prepare: func(t *testing.T) { t.Helper(); c.write(t, o.second...) }, command: applying, writes: written,
			check: expect(o.after), fails: true},
	}
	if o.waits != nil {
		phases[0].waits = o.waits(c)
	}
	if o.lose != nil {
		phases = append(phases, phase{name: "mended", prepare: o.lose, command: applying, writes: written, check: expect(o.after), fails: true})
	}
	return c.life(append(phases, s.end(c, written...))...)
}

// life is a life of these phases.
func (c platformConfiguration) life(phases ...phase) life {
	return life{runner: c, proxy: c.stage.proxy, kubeconfig: c.kubeconfig, folder: c.Folder, phases: phases,
		agrees: func(t *testing.T, destroyed bool) {
			t.Helper()
			if !destroyed {
				c.stage.awaitWithdrawn(t)
			}
			c.standing(t, destroyed)
		}}
}

// never is the wait for a Cluster that does not become ready.
func (c platformConfiguration) never(summary string, check func(*testing.T)) wait {
	s := c.stage
	return wait{
		kept: true,
		begin: func(*testing.T) {
			s.provider.Set(s.namespace, "", openmcp.Course{Never: true, Says: "the quota is used up"})
		},
		until: func(t *testing.T, _ int) { t.Helper(); c.awaitLog(t, "now Not Ready") },
		says: func() []string {
			return []string{"Warning: " + summary, "the quota is used up", "the next apply waits on"}
		},
		check: check,
		end:   func(*testing.T) { s.provider.Set(s.namespace, "", openmcp.Course{}) },
	}
}

// end is the phase in which all goes.
func (s platformStage) end(c platformConfiguration, writes ...write) phase {
	return phase{name: "destroyed", command: destroying, writes: writes, prepare: func(t *testing.T) { t.Helper(); s.mayLose(t, true) },
		check: func(t *testing.T, _ past) {
			t.Helper()
			s.wantNothing(t, "destroyed")
			if left := c.State(t).Addresses(); len(left) > 0 {
				t.Errorf("destroyed: the state has %v", left)
			}
		}}
}

func requestLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newPlatformStage(t, options)
	return platformObject{
		kind: requestKind, first: []string{platformRequest("blue", "mcp", `labels = { stage = "one" }`)},
		second: []string{platformRequest("blue", "mcp", `labels = { stage = "two" }`)},
		seen:   func(o unstructured.Unstructured) string { return o.GetLabels()["stage"] }, before: "one", after: "two",
		lose: func(t *testing.T) {
			t.Helper()
			s.mayLose(t, true) // by another party
			s.lose(t, s.only(t, ownKind))
			s.mayLose(t, false)
		},
		found: "Request was made before",
		waits: func(c platformConfiguration) []wait {
			return []wait{
				c.notGranted(platformRequest("blue", "mcp", `labels = { stage = "one" }`)),
				c.never("Requested cluster is not ready", func(t *testing.T) {
					t.Helper()
					if ready := c.State(t).Attribute(platformBlue, "ready"); ready != false {
						t.Errorf("ready is %v", ready)
					}
				}),
			}
		},
	}.life(t, s)
}

// notGranted is the wait of a request that the operator cannot grant: it is withdrawn. Then the configuration has these resources.
func (c platformConfiguration) notGranted(then ...string) wait {
	return wait{
		begin: func(t *testing.T) { t.Helper(); c.write(t, platformRequest("blue", "nonsense")) },
		until: func(t *testing.T, _ int) { t.Helper(); c.awaitLog(t, "now Pending") },
		says: func() []string {
			return []string{"Error: Request is not granted", `no Cluster has the purpose "nonsense"`, "The request was withdrawn"}
		},
		check: func(t *testing.T) { t.Helper(); c.stage.wantNothing(t, "interrupted") },
		end:   func(t *testing.T) { t.Helper(); c.write(t, then...) },
	}
}

func accessLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newPlatformStage(t, options)
	return platformObject{
		kind: accessKind, first: []string{platformRequest("blue", "mcp"), platformAccess("in", "blue", "list")},
		second: []string{platformRequest("blue", "mcp"), platformAccess("in", "blue", "get")},
		seen:   func(o unstructured.Unstructured) string { return fmt.Sprint(o.Object["spec"]) }, before: "verbs:[list]", after: "verbs:[get]",
		lose: func(t *testing.T) {
			t.Helper()
			s.lose(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "in.kubeconfig"}})
		},
		found: "Request was made before", named: "/in (UID",
		waits: func(platformConfiguration) []wait {
			return []wait{{
				kept:  true,
				begin: func(*testing.T) { s.provider.GrantNothing(s.namespace, true) },
				until: sent(s.proxy, "watch", accessKind.resource, 1),
				says:  func() []string { return []string{"Warning: Access is not granted"} },
				end:   func(*testing.T) { s.provider.GrantNothing(s.namespace, false) },
			}}
		},
	}.life(t, s)
}

func configLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newPlatformStage(t, options)
	return platformObject{
		kind: configKind, first: []string{s.providerConfig("blue", "region-1")}, second: []string{s.providerConfig("blue", "region-2")},
		seen: func(o unstructured.Unstructured) string { return fmt.Sprint(o.Object["spec"]) }, before: "region:region-1", after: "region:region-2",
		found: "Provider configuration was made before",
	}.life(t, s)
}

func ownClusterLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newPlatformStage(t, options)
	s.user = s.ServiceAccount(t, s.namespace, "own", testbed.RoleExample(t, "platform-clusters.yaml"))
	labelled := func(stage string) []string {
		return []string{platformResource(ownKind, "one", `name = "one"`, fmt.Sprintf("profile = %q", openmcp.WorkerlessProfile),
			"deletion_protection = false", fmt.Sprintf("labels = { stage = %q }", stage))}
	}
	return platformObject{
		kind: ownKind, first: labelled("one"), second: labelled("two"),
		seen: func(o unstructured.Unstructured) string { return o.GetLabels()["stage"] }, before: "one", after: "two",
		found: "Cluster was made before",
		waits: func(c platformConfiguration) []wait { return []wait{c.never("Cluster is not ready", nil)} },
	}.life(t, s)
}

// builtinNames are two requests of the built-in scheduler that share a Cluster.
var builtinNames = []string{"blue", "green"}

// builtinLife are two requests of the built-in scheduler: made, granted, shown the grant in their status, and taken off their Cluster.
func builtinLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newBuiltinStageBehind(t, options)
	c := s.configure(t)
	end := s.end(c, withdrawn("green"), shared, released("green"), withdrawn("blue"), emptied, shared, released("blue"))
	end.check = func(t *testing.T, _ past) { t.Helper(); s.destroyed(t, c) }
	return c.life(
		phase{name: "made", prepare: func(t *testing.T) { t.Helper(); s.builtin(t, c, builtinNames...) }, command: applying,
			writes: []write{made("blue"), founded, answered("blue"), made("green"), shared, answered("green")}, undoes: true,
			check: func(t *testing.T, _ past) { t.Helper(); s.wantShared(t, byBuiltin, builtinNames, c) }},
		end)
}

// handoverLife are the same requests, handed over to the real operator: it takes them with what they have, and takes them down.
func handoverLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newBuiltinStageBehind(t, options)
	c := s.configure(t)
	var before map[string]string
	end := s.end(c, withdrawn("green"), withdrawn("blue"))
	end.check = func(t *testing.T, _ past) { t.Helper(); s.destroyed(t, c) }
	return c.life(
		phase{name: "made", prepare: func(t *testing.T) { t.Helper(); s.builtin(t, c, builtinNames...) }, command: applying,
			check: func(t *testing.T, _ past) { t.Helper(); before = s.wantShared(t, byBuiltin, builtinNames, c) }},
		phase{name: "handed over", prepare: func(t *testing.T) { t.Helper(); c.write(t, s.operatorsRequests(builtinNames...)...) }, command: applying,
			writes: []write{released("blue"), released("green")},
			check: func(t *testing.T, _ past) {
				t.Helper()
				if after := s.wantShared(t, byOperator, builtinNames, c); !maps.Equal(before, after) {
					t.Errorf("the requests have %v, before %v", after, before)
				}
			}},
		end)
}
