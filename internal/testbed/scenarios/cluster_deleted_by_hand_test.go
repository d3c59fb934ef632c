package scenarios

import (
	"sync/atomic"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// deleted has Gardener delete the cluster, and does not wait for it.
func (s clusterStage) deleted(t *testing.T) {
	t.Helper()
	shoot, admin := s.only(t), s.Garden().AdminClient()
	base := shoot.DeepCopy()
	metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, "confirmation.gardener.cloud/deletion", "true")
	err := admin.Patch(t.Context(), shoot, client.MergeFrom(base))
	if err == nil {
		err = admin.Delete(t.Context(), shoot)
	}
	if err != nil {
		t.Error(err)
	}
}

// removed has Gardener delete the cluster, and waits until it is gone.
func (s clusterStage) removed(t *testing.T) {
	t.Helper()
	s.deleted(t)
	for deadline := time.Now().Add(time.Minute); len(s.live(t)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the cluster does not go")
			return
		}
	}
}

// A cluster is deleted by hand while an apply waits for it: the apply fails when it is gone, the state does not have it, and the next
// apply makes it anew.
func TestClusterDeletedByHandWhileWaiting(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	stuck.Store(true)
	s := newClusterStage(t, func(shoot *gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Stuck: stuck.Load() && shoot.DeletionTimestamp == nil, Steps: 3}
	}, awsAccounts(2)...)
	c := s.configureCluster(t)
	uid := ""
	result := c.waiting(t, func(*cli.Running) {
		s.await(t, "worked on", func(shoot *gardencore.Shoot) bool { uid = string(shoot.UID); return shoot.Status.LastOperation != nil })
		s.deleted(t)
	})
	if result.ExitCode == 0 {
		t.Errorf("the apply succeeds:\n%s", result.Output)
	}
	wantMessage(t, result.Output, "Error: Cluster is gone", "Waiting for cluster blue", uid)
	c.wantGone(t, "deleted")

	stuck.Store(false)
	c.apply(t)
	if again := c.wantCluster(t, true, ""); again == uid {
		t.Error("the cluster was not made anew")
	}
	c.settled(t)
}

// A deletion by hand lasts longer than the apply may wait: the cluster stays in the state until it is gone, is not tainted, and the
// warning does not promise that the next apply brings it up.
func TestClusterDeletionByHandOutlastsTheWait(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	stuck.Store(true)
	s := newClusterStage(t, stuckWhile(&stuck), awsAccounts(2)...)
	c := s.configureCluster(t)
	result := c.waiting(t, func(running *cli.Running) {
		s.await(t, "worked on", func(shoot *gardencore.Shoot) bool { return shoot.Status.LastOperation != nil })
		s.deleted(t)
		s.await(t, "taken down", func(shoot *gardencore.Shoot) bool {
			return shoot.Status.LastOperation.Type == gardencore.LastOperationTypeDelete
		})
		running.Interrupt() // as good as the end of its time
	})
	wantMessage(t, result.Output, "Warning: Cluster is not ready", "is being deleted", "Another party has deleted the cluster", "until it is gone")
	if r := c.State(t).Resource(clusterAddress); r == nil || r.Tainted || r.Values["ready"] != false {
		t.Errorf("the state has %+v", r)
	}
	result = c.waiting(t, func(*cli.Running) { stuck.Store(false) })
	if result.ExitCode == 0 {
		t.Errorf("the apply succeeds:\n%s", result.Output)
	}
	wantMessage(t, result.Output, "Error: Cluster is gone", "Changing cluster blue")
	warns(t, c.apply(t), "Cluster is gone", "removed from the state")
	c.wantCluster(t, true, "")
	c.settled(t)
}

// A cluster is deleted between the plan of a change and its write: it is not made again by it. The next apply makes it.
func TestClusterDeletedBeforeAChange(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]fault.Rule{
		"before the apply looks": {Verb: "get", Resource: "shoots", Nth: 1}, "after its read": clusterWrite(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newClusterStage(t, nil, awsAccounts(2)...)
			c := s.configureCluster(t)
			c.apply(t)
			uid := c.wantCluster(t, true, "")
			c.want(t, more)
			c.succeeds(t, "plan", "-out=saved")
			at.Fault = fault.Do(func() { s.removed(t) }, nil)
			s.proxy.Spoil(at)
			c.fails(t, []string{"apply", "saved"}, "Cluster is gone", "blue", "Nothing was written")
			s.wantNone(t, "deleted")

			s.proxy.Lift()
			warns(t, c.apply(t), "Cluster is gone", "removed from the state")
			if again := c.wantCluster(t, true, ""); again == uid {
				t.Error("the cluster was not made anew")
			}
			c.settled(t)
		})
	}
}
