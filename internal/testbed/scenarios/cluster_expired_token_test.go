package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// Tokens end while an apply and a destroy wait for a cluster: a program that prints tokens is run again,
// also where the token ends between the list and its watch. Both succeed without a warning.
func TestClusterTokenExpiresWhileWaiting(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	s := newClusterStage(t, func(*gardencore.Shoot) gardenlet.Course { return gardenlet.Course{Stuck: stuck.Load(), Steps: 2} }, awsAccounts(2)...)
	runs := filepath.Join(t.TempDir(), "runs")
	program := writeProgram(t, "echo run >> "+runs+"\necho '"+execCredential("v1", s.user.Token)+"'")
	c := clusterConfiguration{s.configure(t), s}
	settings := s.connection(t) + fmt.Sprintf("\n    exec = { command = %q }\n  }", program)
	c.write(t, settings, claim("blue", "ga-1"))
	c.apply(t)
	c.write(t, settings, claim("blue", "ga-1"), cluster())

	ran := func() int {
		content, _ := os.ReadFile(runs)
		return strings.Count(string(content), "run")
	}
	// At the watch of a wait the token of now has ended. The cluster comes up, or goes, once there is a new one.
	waits := func(command func()) {
		t.Helper()
		stuck.Store(true)
		ended := -1
		s.proxy.Spoil(fault.Rule{Resource: "shoots", Fault: fault.Unauthorized(), When: func(x fault.Exchange) bool {
			if x.Verb == "watch" && ended < 0 {
				ended = ran()
			}
			refused := ended >= 0 && ran() <= ended
			stuck.Store(ended < 0 || refused)
			return refused
		}})
		command()
		s.proxy.Lift()
		if ended < 0 {
			t.Error("nothing was watched: the test tests nothing")
		}
	}
	waits(func() {
		if result := c.apply(t); strings.Contains(result.Output, "Warning: Cluster is not ready") {
			t.Errorf("the cluster was not waited for:\n%s", result.Output)
		}
	})
	c.wantCluster(t, true, "")
	waits(func() { c.takenDown(t) })
}
