package scenarios

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// givenUpWithin is longer than any run takes that waits for nothing, and far shorter than the time that a wait has.
const givenUpWithin = 5 * time.Minute

// overQuota is a course that Gardener gives up at the quota of the cloud account, until it is mended.
func overQuota(mended *atomic.Bool) func(*gardencore.Shoot) gardenlet.Course {
	return func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Steps: 3, Mended: mended.Load, Fails: []gardencore.LastError{{
			Description: "vCPU quota of region-1 exceeded", Codes: []gardencore.ErrorCode{gardencore.ErrorInfraQuotaExceeded},
		}}}
	}
}

// quick runs a command and fails where it has waited.
func (c clusterConfiguration) quick(t *testing.T, run func() cli.Result) cli.Result {
	t.Helper()
	begun := time.Now()
	result := run()
	if took := time.Since(begun); took > givenUpWithin {
		t.Errorf("it took %s", took)
	}
	return result
}

// Gardener gives up: the apply ends at once with the code and the remedy, and the cluster is kept. Each further apply says in its plan that
// it asks for the retry, and asks once; the one after the mend brings the cluster up. So it is with a deletion.
func TestClusterGivenUp(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	s := newClusterStage(t, overQuota(&mended), awsAccounts(2)...)
	c := s.configureCluster(t)
	first := c.quick(t, func() cli.Result { return c.apply(t) })
	warns(t, first, "Gardener has given up", "ERR_INFRA_QUOTA_EXCEEDED", "vCPU quota of region-1 exceeded", "have it raised",
		"The cluster is kept", "the next apply asks Gardener to go on (annotation gardener.cloud/operation: retry)")
	uid := c.wantCluster(t, false, "")
	generation := s.only(t).Generation

	again := c.quick(t, func() cli.Result { return c.apply(t) }) // nothing is mended
	warns(t, again, "Gardener has given up", "given up cluster blue (Create 66 %, ERR_INFRA_QUOTA_EXCEEDED)", "This apply asks Gardener to go on",
		"Mend the cause first")
	c.wantCluster(t, false, uid)
	if now := s.only(t).Generation; now != generation+1 {
		t.Errorf("generation %d, was %d: each apply asks for one retry", now, generation)
	}
	mended.Store(true)
	if result := c.apply(t); strings.Contains(result.Output, "it does nothing more") == false || strings.Contains(result.Output, "is kept") {
		t.Errorf("the apply after the mend:\n%s", result.Output)
	}
	c.wantCluster(t, true, uid)
	written := len(s.clusterWrites())
	c.succeeds(t, "plan", "-detailed-exitcode")

	mended.Store(false)
	c.quick(t, func() cli.Result {
		return c.fails(t, destroying, "Gardener has given up", "the deletion of Shoot blue", "held by the finalizer gardener (Gardener's",
			"ERR_INFRA_QUOTA_EXCEEDED", "Then run the same command again", "retry")
	})
	if c.State(t).Resource(clusterAddress) == nil || c.account(t, "blue") == "" {
		t.Errorf("the state has %q", c.State(t).Addresses())
	}
	mended.Store(true)
	warns(t, c.destroy(t), "Gardener has given up", "the deletion of cluster blue", "this destroy asks Gardener to go on")
	c.wantGone(t, "destroyed")
	if verbs := s.clusterWrites()[written:]; strings.Join(verbs, " ") != "patch delete patch" { // the confirmation, the deletion, the retry
		t.Errorf("the destroys have written %q", verbs)
	}
}

// A change of the template has Gardener act again by itself: nothing is asked for beside it.
func TestClusterGivenUpAndChanged(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	s := newClusterStage(t, overQuota(&mended), awsAccounts(2)...)
	c := s.configureCluster(t)
	c.apply(t)
	uid := c.wantCluster(t, false, "")
	generation, before := s.only(t).Generation, len(s.proxy.Log())
	mended.Store(true)
	c.want(t, more)
	c.apply(t)
	c.wantCluster(t, true, uid)
	if now := s.only(t).Generation; now != generation+1 {
		t.Errorf("generation %d, was %d", now, generation)
	}
	for _, x := range s.proxy.Log()[before:] { // the owners of the fields may be written, too, where the first apply could not
		if isClusterWrite(x) && (x.Verb != "patch" || x.Annotations["gardener.cloud/operation"] != nil) {
			t.Errorf("beside the change there is %v with %v", x, x.Annotations)
		}
	}
	c.settled(t)
}
