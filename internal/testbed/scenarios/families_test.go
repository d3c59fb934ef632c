package scenarios

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// family are objects of one resource type, on which faults are played.
type family struct {
	of    string
	begin func(*testing.T, fault.ProxyOptions) life
	alone bool // the provider may die alone
}

func families() map[string]family {
	const claims, requests = "hap_credentials_binding_claim", "hap_cluster_request"
	return map[string]family{
		"a claim":                {claims, claimLife("mark_dirty"), true},
		"a claim to be returned": {claims, claimLife("return_to_pool"), false}, // without private state it is not
		"two claims":             {claims, twoClaims, false},
		"an account":             {"hap_account", supplyLife, true},
		"a cluster":              {"hap_shoot", clusterLife, true},
		"a request":              {requests, requestLife, false},
		"access":                 {"hap_access_request", accessLife, false},
		"a configuration":        {"hap_gardener_provider_config", configLife, false},
		"a Cluster":              {"hap_cluster", ownClusterLife, false},
		"a built-in grant":       {requests, builtinLife, false},
		"a handover":             {requests, handoverLife, false},
	}
}

// Faults are played on each resource type: a new one needs its life here. A rule set writes nothing.
func TestEachResourceHasALife(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadDir(filepath.Join(root, "examples", "resources"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("%d resources: %v", len(examples), err)
	}
	played := map[string]bool{"hap_rule_set": true}
	for _, f := range families() {
		played[f.of] = true
	}
	for _, example := range examples {
		if !played[example.Name()] {
			t.Errorf("no fault is played on %s", example.Name())
		}
	}
}

// The writes of a claim, and of its release.
var accountWrite = write{"patch", "credentialsbindings", ""}

// claimLife is a claim that is made, changed, taken back when its account has lost its tenant, and released. One that is to be returned is
// made undisturbed, and released: one that was adopted or taken back does not go back to the pool unwiped.
func claimLife(mode string) func(*testing.T, fault.ProxyOptions) life {
	return func(t *testing.T, options fault.ProxyOptions) life {
		t.Helper()
		s := newStageBehind(t, options, awsAccounts(2)...)
		c := s.configure(t)
		account, writes := "", 0
		want := func(cluster string) func(*testing.T) {
			return func(t *testing.T) {
				t.Helper()
				c.write(t, "", claim("blue", "ga-1", `cluster_name = "`+cluster+`"`, `on_destroy = "`+mode+`"`))
			}
		}
		stands := func(cluster string) func(*testing.T, bool) {
			return func(t *testing.T, adopted bool) {
				t.Helper()
				writes++
				if adopted && account == "" { // the state that adopts it leaves its mark
					writes++
				}
				s.wantWrites(t, "with cluster "+cluster, writes)
				now := c.wantClaimed(t, "blue", "ga-1")
				if account != "" && now != account {
					t.Errorf("the claim is on %s, before on %s", now, account)
				}
				account = now
				if record := s.GetAccount(t, now).Annotations[s.key("blue", "ga-1", nil)]; !strings.Contains(record, `"clusterName":"`+cluster+`"`) {
					t.Errorf("the record is not up to date: %s", record)
				}
			}
		}
		phases := []phase{{name: "made", prepare: want("first"), command: applying, check: stands("first"), found: "Claim existed already"}}
		if mode == "mark_dirty" {
			phases[0].writes = []write{accountWrite}
			phases = append(phases,
				phase{name: "changed", prepare: want("second"), command: applying, writes: []write{accountWrite}, check: stands("second")},
				phase{name: "taken back", command: applying, writes: []write{accountWrite}, check: stands("second"), prepare: func(t *testing.T) {
					t.Helper()
					s.PatchLabels(t, account, map[string]*string{"tenantName": nil})
				}})
		}
		return life{c, s.proxy, c.kubeconfig, c.Folder, append(phases,
			phase{name: "released", command: destroying, writes: []write{accountWrite, accountWrite}, check: func(t *testing.T, _ bool) {
				t.Helper()
				s.wantWrites(t, "released", writes+2) // fence, end
				if mode == "mark_dirty" {
					s.wantMarked(t, account)
				} else {
					s.wantFree(t, account)
				}
			}})}
	}
}

// twoClaims are two claims, made one after the other. A program that saves its state now and then may know of neither.
func twoClaims(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newStageBehind(t, options, awsAccounts(3)...)
	c := s.configure(t, claim("blue", "ga-1"), claim("green", "ga-2"))
	oneByOne := []string{"apply", "-auto-approve", "-parallelism=1"}
	return life{c, s.proxy, c.kubeconfig, c.Folder, []phase{{name: "made", command: oneByOne, writes: []write{accountWrite, accountWrite}, check: func(t *testing.T, _ bool) {
		t.Helper()
		c.wantClaimed(t, "blue", "ga-1")
		c.wantClaimed(t, "green", "ga-2")
	}}}}
}

// supplyLife is an account that its owner puts into the pool, changes and takes out.
func supplyLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newStageBehind(t, options)
	o := newOwner(t, s, `labels = { team = "a" }`, `quarantine = "not yet"`)
	at := func(verb string) []write { return []write{{verb, "credentialsbindings", "spare"}} }
	created := at("create")
	created[0].name = "" // the name is in the body
	stands := func(eu string) func(*testing.T, bool) {
		return func(t *testing.T, _ bool) {
			t.Helper()
			labels := s.GetAccount(t, "spare").Labels
			if n := s.creates(); n != 1 || labels["dirty"] != "quarantine" || labels["euAccess"] != eu || !o.has() {
				t.Errorf("%d accounts were made, with the labels %v", n, labels)
			}
		}
	}
	return life{o, s.proxy, o.kubeconfig, o.Folder, []phase{
		{name: "made", command: applying, writes: created, refuses: true, check: stands("")},
		{name: "changed", command: applying, writes: at("patch"), check: stands("true"),
			prepare: func(*testing.T) { o.says(`labels = { team = "b" }`, `quarantine = "audit"`, `eu_access = true`) }},
		{name: "taken out", command: destroying, writes: at("delete"), check: func(t *testing.T, _ bool) {
			t.Helper()
			if o.has() || s.find(t, "spare") != nil {
				t.Error("the account is there")
			}
		}},
	}}
}

// clusterLife is a cluster on the account of a claim.
func clusterLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newClusterStageBehind(t, options, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	uid, account := "", ""
	patched := write{"patch", "shoots", "blue"}
	return life{c, s.proxy, c.kubeconfig, c.Folder, []phase{
		{name: "made", command: applying, found: "Cluster was made before",
			writes: []write{{"create", "shoots", ""}, patched, patched}, // the fields, and that they have one owner
			check: func(t *testing.T, _ bool) {
				t.Helper()
				uid, account = c.wantCluster(t, true, ""), c.account(t, "blue")
			}},
		{name: "changed", command: applying, writes: []write{patched}, fails: true,
			prepare: func(t *testing.T) { t.Helper(); c.want(t, more) },
			check: func(t *testing.T, _ bool) {
				t.Helper()
				c.wantCluster(t, true, uid)
				if most := s.only(t).Spec.Provider.Workers[0].Maximum; most != 3 {
					t.Errorf("maximum is %d, want 3", most)
				}
			}},
		// A field that is named no longer goes, also where answers were lost: the fields have one owner.
		{name: "named no longer", command: applying,
			prepare: func(t *testing.T) {
				t.Helper()
				c.want(t, more, "template:  purpose: evaluation\n=>", `labels = { team = "a" }`)
			},
			check: func(t *testing.T, _ bool) {
				t.Helper()
				c.wantCluster(t, true, uid)
				posts := slices.DeleteFunc(s.clusterWrites(), func(verb string) bool { return verb != "create" })
				if labels := s.only(t).Labels; len(posts) != 1 || labels["team"] != "a" {
					t.Errorf("%d POSTs were done, and the labels are %v", len(posts), labels)
				}
			}},
		{name: "destroyed", command: destroying, writes: []write{patched, {"delete", "shoots", "blue"}}, // the confirmation, the deletion
			check: func(t *testing.T, _ bool) {
				t.Helper()
				c.wantGone(t, "destroyed")
				s.wantMarked(t, account)
			}},
	}}
}

// platformObject is how one object of the platform cluster is made, changed, lost and destroyed.
type platformObject struct {
	kind          platformKind
	first, second []string                               // the configurations
	seen          func(unstructured.Unstructured) string // what changes
	before, after string                                 // what is seen of it then
	lose          func(*testing.T)                       // what the next apply makes again; nil = nothing
	found, named  string
}

// life is the life of the object.
func (o platformObject) life(t *testing.T, s platformStage) life {
	t.Helper()
	c := s.configure(t, o.first...)
	uids, written := map[string]string{}, []write{{"", o.kind.resource, ""}}
	stands := func(want string) func(*testing.T, bool) {
		return func(t *testing.T, _ bool) {
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
		{name: "made", command: applying, writes: written, check: stands(o.before), found: o.found, named: o.named},
		{name: "changed", prepare: func(t *testing.T) { t.Helper(); c.write(t, o.second...) }, command: applying, writes: written,
			check: stands(o.after), fails: true},
	}
	if o.lose != nil {
		phases = append(phases, phase{name: "mended", prepare: o.lose, command: applying, writes: written, check: stands(o.after), fails: true})
	}
	return life{c, s.proxy, c.kubeconfig, c.Folder, append(phases, s.end(c, written...))}
}

// end is the phase in which all goes.
func (s platformStage) end(c platformConfiguration, writes ...write) phase {
	return phase{name: "destroyed", command: destroying, writes: writes, prepare: func(t *testing.T) { t.Helper(); s.mayLose(t, true) },
		check: func(t *testing.T, _ bool) {
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
	}.life(t, s)
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
	}.life(t, s)
}

// builtinNames are two requests of the built-in scheduler that share a Cluster.
var builtinNames = []string{"blue", "green"}

// builtinLife are two requests of the built-in scheduler: made, granted, told, and taken off their Cluster.
func builtinLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newBuiltinStageBehind(t, options)
	c := s.configure(t)
	end := s.end(c, withdrawn("green"), shared, released("green"), withdrawn("blue"), emptied, shared, released("blue"))
	end.check = func(t *testing.T, _ bool) { t.Helper(); s.destroyed(t, c) }
	return life{c, s.proxy, c.kubeconfig, c.Folder, []phase{
		{name: "made", prepare: func(t *testing.T) { t.Helper(); s.builtin(t, c, builtinNames...) }, command: applying,
			writes: []write{made("blue"), founded, told("blue"), made("green"), shared, told("green")},
			check:  func(t *testing.T, _ bool) { t.Helper(); s.wantShared(t, byBuiltin, builtinNames, c) }},
		end,
	}}
}

// handoverLife are the same requests, handed over to the real operator: it takes them with what they have, and takes them down.
func handoverLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newBuiltinStageBehind(t, options)
	c := s.configure(t)
	var before map[string]string
	end := s.end(c, withdrawn("green"), withdrawn("blue"))
	end.check = func(t *testing.T, _ bool) { t.Helper(); s.destroyed(t, c) }
	return life{c, s.proxy, c.kubeconfig, c.Folder, []phase{
		{name: "made", prepare: func(t *testing.T) { t.Helper(); s.builtin(t, c, builtinNames...) }, command: applying,
			check: func(t *testing.T, _ bool) { t.Helper(); before = s.wantShared(t, byBuiltin, builtinNames, c) }},
		{name: "handed over", prepare: func(t *testing.T) { t.Helper(); c.write(t, s.operatorsRequests(builtinNames...)...) }, command: applying,
			writes: []write{released("blue"), released("green")},
			check: func(t *testing.T, _ bool) {
				t.Helper()
				if after := s.wantShared(t, byOperator, builtinNames, c); !maps.Equal(before, after) {
					t.Errorf("the requests have %v, before %v", after, before)
				}
			}},
		end,
	}}
}
