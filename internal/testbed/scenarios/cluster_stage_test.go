package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// clusterAddress is the address of the cluster blue.
const clusterAddress = "hap_shoot.blue"

// clusterStage is a stage whose user may make clusters as well, with a gardenlet that brings them up.
type clusterStage struct {
	stage
	gardenlet *gardenlet.Gardenlet
}

// newClusterStage makes a pool of these accounts; course nil = every cluster comes up at once.
func newClusterStage(t *testing.T, course func(*gardencore.Shoot) gardenlet.Course, accounts ...testbed.AccountSpec) clusterStage {
	t.Helper()
	return newClusterStageBehind(t, fault.ProxyOptions{}, course, accounts...)
}

// newClusterStageBehind is newClusterStage with a proxy of its own kind.
func newClusterStageBehind(
	t *testing.T, options fault.ProxyOptions, course func(*gardencore.Shoot) gardenlet.Course, accounts ...testbed.AccountSpec,
) clusterStage {
	t.Helper()
	s := clusterStage{stage: newStageBehind(t, options, accounts...)}
	s.AllowClusters(isUs)
	roles := slices.Concat(testbed.DocumentedRole(t), []byte("\n---\n"), testbed.RoleExample(t, "role-clusters.yaml"))
	s.user = s.ServiceAccount(t, "clusters", roles)
	s.gardenlet = gardenlet.Of(s.Namespace)
	s.gardenlet.Course = course
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.gardenlet.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := s.gardenlet.Err(); err != nil && ctx.Err() == nil {
			t.Errorf("the gardenlet: %v", err)
		}
	})
	return s
}

// clusterConfiguration is a pipeline that makes the cluster blue on the account of the claim blue.
type clusterConfiguration struct {
	configuration
	stage clusterStage
}

// configureCluster begins a pipeline with the claim alone, applies it, and adds the cluster to the configuration.
func (s clusterStage) configureCluster(t *testing.T, attributes ...string) clusterConfiguration {
	t.Helper()
	c := clusterConfiguration{s.configure(t, claim("blue", "ga-1")), s}
	c.apply(t)
	c.want(t, attributes...)
	return c
}

// want writes the configuration anew, with these attributes of the cluster.
func (c clusterConfiguration) want(t *testing.T, attributes ...string) {
	t.Helper()
	c.write(t, "", claim("blue", "ga-1"), cluster(attributes...))
}

// cluster writes the cluster blue on the account of the claim blue, which is not protected. Attributes win over these; one that begins
// with "template:" replaces words in the template, as in "template:maximum: 2=>maximum: 3".
func cluster(attributes ...string) string {
	template := testbed.ShootTemplate
	lines := map[string]string{"name": `"blue"`, "credentials_binding_name": address("blue") + ".binding_name",
		"global_account": address("blue") + ".global_account", "deletion_protection": "false"}
	for _, a := range attributes {
		if words, ok := strings.CutPrefix(a, "template:"); ok {
			from, to, _ := strings.Cut(words, "=>")
			template = strings.ReplaceAll(template, from, to)
			continue
		}
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text := fmt.Sprintf("resource \"hap_shoot\" \"blue\" {\n  template = <<-EOT\n%sEOT\n", template)
	for name, value := range lines {
		text += fmt.Sprintf("  %s = %s\n", name, value)
	}
	return text + "}\n"
}

// more is a change of the template.
const more = "template:maximum: 2=>maximum: 3"

// clusterWrite picks the first write of a Shoot that is no dry run.
func clusterWrite() fault.Rule {
	return fault.Rule{Resource: "shoots", Nth: 1, When: isClusterWrite}
}

// clusterChecked picks the dry run of the POST of a cluster. An apply checks once more what it is going to do.
func clusterChecked(f fault.Fault) fault.Rule {
	return fault.Rule{Verb: "create", Resource: "shoots", Fault: f, When: func(x fault.Exchange) bool { return x.DryRun }}
}

func isClusterWrite(x fault.Exchange) bool {
	return x.Resource == "shoots" && x.Writes() && !x.DryRun && isUs(x.Client)
}

// clusterWrites are the verbs of our writes of Shoots that the Garden has done, in order.
func (s clusterStage) clusterWrites() (verbs []string) {
	for _, x := range s.proxy.Log() {
		if isClusterWrite(x) && x.Committed() {
			verbs = append(verbs, x.Verb)
		}
	}
	return verbs
}

// live returns all Shoots.
func (s clusterStage) live(t *testing.T) []gardencore.Shoot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all gardencore.ShootList
	if err := s.Garden().AdminClient().List(ctx, &all, client.InNamespace(s.Name)); err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// only returns the only Shoot that there is.
func (s clusterStage) only(t *testing.T) *gardencore.Shoot {
	t.Helper()
	all := s.live(t)
	if len(all) != 1 || all[0].Name != "blue" {
		t.Fatalf("%d Shoots, want blue alone", len(all))
	}
	return &all[0]
}

// wantNone checks that there is no Shoot.
func (s clusterStage) wantNone(t *testing.T, when string) {
	t.Helper()
	if all := s.live(t); len(all) > 0 {
		t.Errorf("%s: %d Shoots, the first is %s", when, len(all), all[0].Name)
	}
}

// await waits until the only Shoot is as it should be.
func (s clusterStage) await(t *testing.T, what string, is func(*gardencore.Shoot) bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if all := s.live(t); len(all) == 1 && is(&all[0]) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the cluster does not become %s", what)
		}
	}
}

// awaitWatches waits until so many watches of Shoots were begun: what waits for a cluster has one.
func (s clusterStage) awaitWatches(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); s.proxy.Count("watch", "shoots") < n; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nothing waits for a cluster: %d watches, want %d", s.proxy.Count("watch", "shoots"), n)
		}
	}
}

// wantCluster checks that the state has the only Shoot that there is, untainted and on the account of the claim, and that no other one
// ever was where it has a UID to compare; "" = any. It returns the UID.
func (c clusterConfiguration) wantCluster(t *testing.T, ready bool, uid string) string {
	t.Helper()
	live, inState := c.stage.only(t), c.State(t).Resource(clusterAddress)
	if inState == nil {
		t.Fatal("the cluster is in no state")
	}
	if inState.Tainted {
		t.Error("the cluster is tainted: the next apply destroys it")
	}
	if live.DeletionTimestamp != nil {
		t.Error("the cluster is being deleted")
	}
	if v := inState.Values; v["uid"] != string(live.UID) || v["ready"] != ready {
		t.Errorf("the state has uid %v, ready %v; want %s, %v", v["uid"], v["ready"], live.UID, ready)
	}
	if uid != "" && string(live.UID) != uid {
		t.Errorf("the cluster was made anew: %s, before %s", live.UID, uid)
	}
	if on, account := ptr.Deref(live.Spec.CredentialsBindingName, ""), c.account(t, "blue"); on != account {
		t.Errorf("the cluster is on account %q, the claim on %q", on, account)
	}
	return string(live.UID)
}

// wantGone checks that the cluster is in neither the Garden nor the state.
func (c clusterConfiguration) wantGone(t *testing.T, when string) {
	t.Helper()
	c.stage.wantNone(t, when)
	if c.State(t).Resource(clusterAddress) != nil {
		t.Errorf("%s: the state has a cluster that is not there", when)
	}
}

// settled checks that nothing is left to do, and takes all down: the cluster, then its account.
func (c clusterConfiguration) settled(t *testing.T) {
	t.Helper()
	c.succeeds(t, "plan", "-detailed-exitcode")
	c.takenDown(t)
}

// takenDown destroys all that there is.
func (c clusterConfiguration) takenDown(t *testing.T) {
	t.Helper()
	account := c.account(t, "blue")
	c.destroy(t)
	c.wantGone(t, "destroyed")
	c.stage.wantMarked(t, account)
}

// waiting starts an apply whose cluster does not come up, does something while it waits, and returns how it ended.
func (c clusterConfiguration) waiting(t *testing.T, do func(*cli.Running)) cli.Result {
	t.Helper()
	before := c.stage.proxy.Count("watch", "shoots")
	running := c.Start(t, applying...)
	c.stage.awaitWatches(t, before+1)
	do(running)
	result := running.Wait(t)
	c.tell(t)
	return result
}
