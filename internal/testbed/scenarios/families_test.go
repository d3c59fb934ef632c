package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// family are objects of one resource type, on which faults are played.
type family struct {
	of    string
	begin func(*testing.T, fault.ProxyOptions) life
	alone bool // the provider may die alone
	found bool // what a killed run has made is found by the next one, which says so
}

func families() map[string]family {
	const claims, requests = "hap_credentials_binding_claim", "hap_cluster_request"
	return map[string]family{
		"a claim":                {claims, claimLife("mark_dirty"), true, true},
		"a claim to be returned": {claims, claimLife("return_to_pool"), false, false}, // without private state it is not
		"two claims":             {claims, twoClaims, false, false},
		"an account":             {"hap_account", supplyLife, true, false},
		"a cluster":              {"hap_shoot", clusterLife, true, true},
		"a request":              {requests, requestLife, false, true},
		"access":                 {"hap_access_request", accessLife, false, true},
		"a configuration":        {"hap_gardener_provider_config", configLife, false, true},
		"a Cluster":              {"hap_cluster", ownClusterLife, false, true},
		"a built-in grant":       {requests, builtinLife, false, false},
		"a handover":             {requests, handoverLife, false, false},
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
		t.Cleanup(func() { s.oncePerJudgement(t) })
		c := s.configure(t)
		account, writes := "", 0
		want := func(cluster string) func(*testing.T) {
			return func(t *testing.T) {
				t.Helper()
				c.write(t, "", claim("blue", "ga-1", `cluster_name = "`+cluster+`"`, `on_destroy = "`+mode+`"`))
			}
		}
		expect := func(cluster string) func(*testing.T, past) {
			return func(t *testing.T, before past) {
				t.Helper()
				writes++
				if before.adopted && account == "" { // the state that adopts it leaves its mark
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
		phases := []phase{{name: "made", prepare: want("first"), command: applying, check: expect("first"), found: "Claim existed already"}}
		end := phase{name: "released", command: destroying, writes: []write{accountWrite, accountWrite}, undoes: true, // fence, end
			check: func(t *testing.T, before past) {
				t.Helper()
				if !before.interrupted {
					s.wantWrites(t, "released", writes+2)
				}
				if mode == "mark_dirty" {
					s.wantMarked(t, account)
				} else {
					s.wantFree(t, account)
				}
			}}
		if mode == "mark_dirty" {
			phases[0].writes = []write{accountWrite}
			phases[0].waits = []wait{s.forAnAccount(c, want("first"))}
			end.waits = []wait{s.forACluster(c), s.forTheGraceTime(c, want("second"))}
			phases = append(phases,
				phase{name: "changed", prepare: want("second"), command: applying, writes: []write{accountWrite}, check: expect("second")},
				phase{name: "taken back", command: applying, writes: []write{accountWrite}, check: expect("second"), prepare: func(t *testing.T) {
					t.Helper()
					s.PatchLabels(t, account, map[string]*string{"tenantName": nil})
				}})
		}
		return life{runner: c, proxy: s.proxy, kubeconfig: c.kubeconfig, folder: c.Folder, phases: append(phases, end),
			agrees: c.agreesOn(map[string]string{"blue": "ga-1"})}
	}
}

// forAnAccount is the wait of a claim while no account is free.
func (s stage) forAnAccount(c configuration, usual func(*testing.T)) wait {
	every := func(t *testing.T, dirty *string) {
		t.Helper()
		for _, a := range s.ListAccounts(t) {
			s.PatchLabels(t, a.Name, map[string]*string{"dirty": dirty})
		}
	}
	return wait{
		begin: func(t *testing.T) {
			t.Helper()
			every(t, ptr.To("true"))
			c.write(t, "", waiting("blue", "ga-1", "1h"))
		},
		until: sent(s.proxy, "list", "credentialsbindings", 4), // one for each of two plans, the first of the wait, and one after the first pause
		says: func() []string {
			return []string{"Error: Interrupted", "interrupted while waiting for an account of pool aws"}
		},
		end: func(t *testing.T) {
			t.Helper()
			s.wantWrites(t, "while it waited for an account", 0)
			every(t, nil)
			usual(t)
		},
	}
}

// forACluster is the wait of a release while a cluster is being deleted on its account.
func (s stage) forACluster(c configuration) wait {
	account, written := "", 0
	return wait{
		command: destroyingBlind,
		begin: func(t *testing.T) {
			t.Helper()
			account, written = c.account(t, "blue"), len(s.committed())
			s.Shoot(t, "going", account)
			s.DeleteShootHeld(t, "going")
		},
		until: sent(s.proxy, "list", "shoots", 5), // one that begins, and two for each count that finds clusters
		says: func() []string {
			return []string{"Error: Interrupted", "interrupted while waiting for the end of 1 cluster on account " + account, "Shoot going"}
		},
		end: func(t *testing.T) {
			t.Helper()
			s.wantWrites(t, "while it waited for a cluster", written)
			s.DeleteShoot(t, "going")
		},
	}
}

// forTheGraceTime is the wait of a release after its fence.
func (s stage) forTheGraceTime(c configuration, usual func(*testing.T)) wait {
	account, written := "", 0
	return wait{
		begin: func(t *testing.T) {
			t.Helper()
			account, written = c.account(t, "blue"), len(s.committed())
			c.write(t, `release_grace = "10m"`, claim("blue", "ga-1"))
		},
		until: func(t *testing.T, _ int) { t.Helper(); s.awaitDirt(t, account, "releasing") },
		says: func() []string {
			return []string{"Error: ", "interrupted in the grace time of the fence on account " + account}
		},
		end: func(t *testing.T) {
			t.Helper()
			s.wantWrites(t, "the fence is put up and taken down", written+2)
			usual(t)
		},
	}
}

// agreesOn checks that the state has each claim, by label and Global Account, exactly on the account that bears its record, and that no fence
// is left.
func (c configuration) agreesOn(claims map[string]string) func(*testing.T, bool) {
	return func(t *testing.T, _ bool) {
		t.Helper()
		c.stage.settle()
		on := map[string]string{}
		for _, a := range c.stage.ListAccounts(t) {
			for _, key := range c.stage.records(t, a.Name) {
				on[key] = strings.Join([]string{on[key], a.Name}, "")
			}
			if dirt := a.Labels["dirty"]; dirt == "releasing" {
				t.Errorf("the fence on %s stays", a.Name)
			}
		}
		state := c.State(t)
		for label, ga := range claims {
			key := c.stage.key(label, ga, nil)
			if in := c.account(t, label); in != on[key] {
				t.Errorf("claim %s is on %q, and in the state on %q", label, on[key], in)
			}
			if r := state.Resource(address(label)); r != nil && r.Tainted {
				t.Errorf("claim %s is tainted", label)
			}
			delete(on, key)
		}
		if len(on) > 0 {
			t.Errorf("records of no claim: %v", on)
		}
	}
}

// twoClaims are two claims, made one after the other. A program that saves its state now and then may know of neither.
func twoClaims(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newStageBehind(t, options, awsAccounts(3)...)
	t.Cleanup(func() { s.oncePerJudgement(t) })
	c := s.configure(t, claim("blue", "ga-1"), claim("green", "ga-2"))
	oneByOne := []string{"apply", "-auto-approve", "-parallelism=1"}
	claims := map[string]string{"blue": "ga-1", "green": "ga-2"}
	made := phase{name: "made", command: oneByOne, writes: []write{accountWrite, accountWrite}, check: func(t *testing.T, before past) {
		t.Helper()
		if before.interrupted {
			s.wantWrites(t, "made", 2)
		}
		for label, ga := range claims {
			c.wantClaimed(t, label, ga)
		}
	}}
	return life{runner: c, proxy: s.proxy, kubeconfig: c.kubeconfig, folder: c.Folder, phases: []phase{made}, agrees: c.agreesOn(claims)}
}

// supplyLife is an account that its owner puts into the pool, changes and takes out.
func supplyLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newStageBehind(t, options)
	o := newOwner(t, s, `labels = { team = "a" }`, `quarantine = "not yet"`)
	at := func(verb string) []write { return []write{{verb, "credentialsbindings", "spare"}} }
	created := at("create")
	created[0].name = "" // the name is in the body
	expect := func(eu string) func(*testing.T, past) {
		return func(t *testing.T, _ past) {
			t.Helper()
			labels := s.GetAccount(t, "spare").Labels
			if n := s.creates(); n != 1 || labels["dirty"] != "quarantine" || labels["euAccess"] != eu || !o.has() {
				t.Errorf("%d accounts were made, with the labels %v", n, labels)
			}
		}
	}
	agrees := func(t *testing.T, destroyed bool) {
		t.Helper()
		there := s.find(t, "spare") != nil
		if r := o.State(t).Resource("hap_account.spare"); r == nil && there || r != nil && (r.Tainted || !there && !destroyed) {
			t.Errorf("the account is there: %t, and the state has %v", there, r)
		}
	}
	return life{runner: o, proxy: s.proxy, kubeconfig: o.kubeconfig, folder: o.Folder, agrees: agrees, phases: []phase{
		{name: "made", command: applying, writes: created, refuses: true, check: expect("")},
		{name: "changed", command: applying, writes: at("patch"), check: expect("true"),
			prepare: func(*testing.T) { o.says(`labels = { team = "b" }`, `quarantine = "audit"`, `eu_access = true`) }},
		{name: "taken out", command: destroying, writes: at("delete"), check: func(t *testing.T, _ past) {
			t.Helper()
			if o.has() || s.find(t, "spare") != nil {
				t.Error("the account is there")
			}
		}},
	}}
}

// stuckWhile is the course of clusters of which nothing becomes as long as this holds.
func stuckWhile(is *atomic.Bool) func(*gardencore.Shoot) gardenlet.Course {
	return func(*gardencore.Shoot) gardenlet.Course { return gardenlet.Course{Stuck: is.Load(), Steps: 3} }
}

// clusterLife is a cluster on the account of a claim.
func clusterLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	var stuck atomic.Bool
	s := newClusterStageBehind(t, options, stuckWhile(&stuck), awsAccounts(2)...)
	c := s.configureCluster(t)
	uid, account := "", ""
	slow := []wait{{
		kept:  true,
		begin: func(*testing.T) { stuck.Store(true) },
		until: sent(s.proxy, "watch", "shoots", 1),
		says: func() []string {
			return []string{"Warning: Cluster is not ready", "The cluster is kept", "the next apply waits on", "self.ready"}
		},
		check: func(t *testing.T) { t.Helper(); uid = c.wantCluster(t, false, uid) },
		end:   func(*testing.T) { stuck.Store(false) },
	}}
	hangs := []wait{slow[0]}
	hangs[0].says = func() []string { return []string{"Error: Cluster is still being deleted"} }
	hangs[0].check = nil
	patched := write{"patch", "shoots", "blue"}
	agrees := func(t *testing.T, destroyed bool) {
		t.Helper()
		c.agreesOn(map[string]string{"blue": "ga-1"})(t, destroyed)
		in, live := c.State(t).Resource(clusterAddress), s.live(t)
		if in == nil && len(live) > 0 || in != nil && (in.Tainted || len(live) == 0 && !destroyed || len(live) > 0 && in.Values["uid"] != string(live[0].UID)) {
			t.Errorf("there are %d Shoots, and the state has %v", len(live), in)
		}
	}
	return life{runner: c, proxy: s.proxy, kubeconfig: c.kubeconfig, folder: c.Folder, agrees: agrees, phases: []phase{
		{name: "made", command: applying, found: "Cluster was made before", waits: slow,
			writes: []write{{"create", "shoots", ""}, patched, patched}, // the fields, and that they have one owner
			check: func(t *testing.T, _ past) {
				t.Helper()
				uid, account = c.wantCluster(t, true, uid), c.account(t, "blue")
			}},
		{name: "changed", command: applying, writes: []write{patched}, fails: true, waits: slow,
			prepare: func(t *testing.T) { t.Helper(); c.want(t, more) },
			check: func(t *testing.T, _ past) {
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
			check: func(t *testing.T, _ past) {
				t.Helper()
				c.wantCluster(t, true, uid)
				posts := slices.DeleteFunc(s.clusterWrites(), func(verb string) bool { return verb != "create" })
				if labels := s.only(t).Labels; len(posts) != 1 || labels["team"] != "a" {
					t.Errorf("%d POSTs were done, and the labels are %v", len(posts), labels)
				}
			}},
		{name: "destroyed", command: destroying, waits: hangs,
			writes: []write{patched, {"delete", "shoots", "blue"}}, // the confirmation, the deletion
			check: func(t *testing.T, _ past) {
				t.Helper()
				c.wantGone(t, "destroyed")
				s.wantMarked(t, account)
			}},
	}}
}
