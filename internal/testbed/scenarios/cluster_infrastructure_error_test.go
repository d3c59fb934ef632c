package scenarios

import (
	"strings"
	"sync/atomic"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// withoutMachines is a course that lacks machines until it is mended. Gardener tries that again by itself.
func withoutMachines(mended *atomic.Bool) func(*gardencore.Shoot) gardenlet.Course {
	return func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Steps: 3, Mended: mended.Load, Fails: []gardencore.LastError{{
			Description: "no medium machines in region-1a", Codes: []gardencore.ErrorCode{gardencore.ErrorInfraResourcesDepleted},
		}}}
	}
}

func hasFailed(shoot *gardencore.Shoot) bool { return len(shoot.Status.LastErrors) > 0 }

// Gardener meets an error of the infrastructure and recovers: the apply waits on and succeeds, without a warning.
func TestClusterInfrastructureErrorIsMended(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	s := newClusterStage(t, withoutMachines(&mended), awsAccounts(2)...)
	c := s.configureCluster(t)
	result := c.waiting(t, func(*cli.Running) {
		s.await(t, "failed", hasFailed)
		mended.Store(true)
	})
	if result.ExitCode != 0 || strings.Contains(result.Output, "Warning: Cluster is not ready") {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	c.wantCluster(t, true, "")
	c.settled(t)
}

// An error of the infrastructure stays until the time is over: the warning names its code and what to do, and the cluster is kept, for
// the next apply to wait on.
func TestClusterInfrastructureErrorStays(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	s := newClusterStage(t, withoutMachines(&mended), awsAccounts(2)...)
	c := s.configureCluster(t, `timeouts = { create = "40s" }`)
	warns(t, c.apply(t), "Cluster is not ready", "ERR_INFRA_RESOURCES_DEPLETED", "no medium machines in region-1a",
		"take another zone", "The cluster is kept", "the next apply waits on")
	uid := c.wantCluster(t, false, "")
	mended.Store(true)
	c.apply(t)
	c.wantCluster(t, true, uid)
	c.settled(t)
}
