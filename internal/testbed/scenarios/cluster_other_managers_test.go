package scenarios

import (
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// changed changes the cluster as another field manager.
func (s clusterStage) changed(t *testing.T, change func(*gardencore.Shoot)) {
	t.Helper()
	shoot := s.only(t)
	base := shoot.DeepCopy()
	change(shoot)
	if err := s.Garden().AdminClient().Patch(t.Context(), shoot, client.MergeFrom(base), client.FieldOwner("dashboard")); err != nil {
		t.Error(err)
	}
}

// Another field manager takes a field that the template names, between two runs and in the moment of a change: it is named, and
// put right in place. What that manager has added stays.
func TestClusterAnotherManagerTakesAField(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	c.apply(t)
	uid := c.wantCluster(t, true, "")
	take := func() {
		s.changed(t, func(shoot *gardencore.Shoot) {
			shoot.Spec.Provider.Workers[0].Maximum = 7
			shoot.Spec.Provider.Workers[0].Labels = map[string]string{"theirs": "stays"}
		})
	}
	want := func(most int32) {
		t.Helper()
		c.wantCluster(t, true, uid)
		if w := s.only(t).Spec.Provider.Workers[0]; w.Maximum != most || w.Labels["theirs"] != "stays" {
			t.Errorf("maximum is %d, labels are %v; want %d, and theirs", w.Maximum, w.Labels, most)
		}
	}
	take()
	if plan := c.Run(t, "plan", "-detailed-exitcode"); plan.ExitCode != 2 {
		t.Errorf("exit code %d of a plan with drift, want 2:\n%s", plan.ExitCode, plan.Output)
	}
	warns(t, c.apply(t), "Cluster has changed", "spec.provider.workers[a].maximum is 7, the template says 2", "The apply makes it what the configuration says")
	want(2)

	rule := clusterWrite()
	rule.Fault = fault.Do(take, nil)
	s.proxy.Spoil(rule)
	c.want(t, more)
	c.apply(t)
	want(3)
	c.settled(t)
}

// Maintenance raises the versions of Kubernetes and of the machine image: that is no difference, and a change of something else sends no
// version of before.
func TestClusterMaintenanceRaisesTheVersion(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	c.apply(t)
	uid := c.wantCluster(t, true, "")
	s.changed(t, func(shoot *gardencore.Shoot) {
		shoot.Spec.Kubernetes.Version = "1.33.5"
		shoot.Spec.Provider.Workers[0].Machine.Image.Version = ptr.To("1877.4.0")
	})
	s.await(t, "reconciled", func(shoot *gardencore.Shoot) bool { return shoot.Status.ObservedGeneration == shoot.Generation })
	c.succeeds(t, "plan", "-detailed-exitcode")
	c.want(t, more)
	c.apply(t)
	c.wantCluster(t, true, uid)
	worker := s.only(t).Spec.Provider.Workers[0]
	if v, image := s.only(t).Spec.Kubernetes.Version, ptr.Deref(worker.Machine.Image.Version, ""); v != "1.33.5" || image != "1877.4.0" || worker.Maximum != 3 {
		t.Errorf("Kubernetes %s, image %s, maximum %d", v, image, worker.Maximum)
	}
	if v := c.State(t).Attribute(clusterAddress, "kubernetes_version"); v != "1.33.5" {
		t.Errorf("the state has version %v", v)
	}
	c.settled(t)
}
