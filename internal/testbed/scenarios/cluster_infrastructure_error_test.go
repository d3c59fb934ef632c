package scenarios

import (
	"strings"
	"sync/atomic"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// overQuota is a course that fails at the quota of the cloud account until it is mended.
func overQuota(mended *atomic.Bool) func(*gardencore.Shoot) gardenlet.Course {
	return func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Steps: 3, Mended: mended.Load, Fails: []gardencore.LastError{{
			Description: "vCPU quota of region-1 exceeded", Codes: []gardencore.ErrorCode{gardencore.ErrorInfraQuotaExceeded},
		}}}
	}
}

func hasFailed(shoot *gardencore.Shoot) bool { return len(shoot.Status.LastErrors) > 0 }

// Gardener meets an error of the infrastructure and recovers: the apply waits on and succeeds, without a warning.
func TestClusterInfrastructureErrorIsMended(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	s := newClusterStage(t, overQuota(&mended), awsAccounts(2)...)
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
	s := newClusterStage(t, overQuota(&mended), awsAccounts(2)...)
	c := s.configureCluster(t, `timeouts = { create = "10s" }`)
	warns(t, c.apply(t), "Cluster is not ready", "ERR_INFRA_QUOTA_EXCEEDED", "vCPU quota of region-1 exceeded",
		"have it raised", "The cluster is kept", "the next apply waits on")
	uid := c.wantCluster(t, false, "")
	mended.Store(true)
	c.apply(t)
	c.wantCluster(t, true, uid)
	c.settled(t)
}
