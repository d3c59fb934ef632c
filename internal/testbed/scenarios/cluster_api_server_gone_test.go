package scenarios

import (
	"sync/atomic"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// The API server is gone while an apply waits for a cluster, and a destroy until it is gone: by turns it answers 503 and cuts the
// connection. Both go on when it is back, without a warning.
func TestClusterWaitOutlastsTheAPIServer(t *testing.T) {
	t.Parallel()
	const requests = 4
	var gone atomic.Bool
	s := newClusterStage(t, func(*gardencore.Shoot) gardenlet.Course { return gardenlet.Course{Stuck: gone.Load(), Steps: 2} }, awsAccounts(2)...)
	c := s.configureCluster(t)
	away := func(x fault.Exchange) bool { return gone.Load() && isUs(x.Client) }
	for _, verb := range []string{"create", "delete"} {
		s.proxy.Spoil(fault.Rule{Verb: verb, Resource: "shoots", Fault: fault.Do(nil, func() { gone.Store(true) }),
			When: func(x fault.Exchange) bool { return !x.DryRun }})
		for n := 1; n <= requests; n += 2 {
			s.proxy.Spoil(fault.Rule{Nth: n, Fault: fault.Unavailable(0), When: away})
			s.proxy.Spoil(fault.Rule{Nth: n + 1, Fault: fault.CutBefore(), When: away})
		}
		back := s.proxy.Spoil(fault.Rule{Nth: requests + 1, Fault: fault.Do(func() { gone.Store(false) }, nil), When: away})
		if verb == "create" {
			c.apply(t)
			c.wantCluster(t, true, "")
		} else {
			c.takenDown(t)
		}
		back()
		if gone.Load() {
			t.Errorf("%s: the API server was not asked again: the test tests nothing", verb)
		}
		s.proxy.Lift()
	}
}
