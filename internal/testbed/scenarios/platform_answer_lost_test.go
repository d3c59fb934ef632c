package scenarios

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// The answers to the writes that make and delete requests, accesses and configurations are lost: the same run finds out what was written, and
// goes on. Nothing is made twice, and nothing is said of what was made before.
func TestPlatformAnswerLost(t *testing.T) {
	t.Parallel()
	for name, faults := range sampled(t, map[string][]fault.Fault{
		"cut before the commit": {fault.CutBefore()},
		"cut after the commit":  {fault.CutAfter()},
		"502":                   {fault.LoseAfter(http.StatusBadGateway)},
		// The first request comes behind the read and before the second one.
		"committed late": {fault.CommitLate(time.Second), fault.Delay(3 * time.Second)},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPlatformStage(t, fault.ProxyOptions{})
			c := s.configure(t, platformRequest("blue", "mcp"), platformAccess("in", "blue", "list"), s.providerConfig("blue", "region-1"))
			for _, verb := range []string{"create", "delete"} {
				for _, of := range []platformKind{requestKind, accessKind, configKind} {
					for i, f := range faults {
						s.proxy.Spoil(fault.Rule{Verb: verb, Resource: of.resource, Nth: i + 1, Fault: f})
					}
				}
			}
			if result := c.succeeds(t, applying...); strings.Contains(result.Output, "was made before") {
				t.Errorf("all is this run's own:\n%s", result.Output)
			}
			c.wantReady(t, "")
			c.takenDown(t)
		})
	}
}
