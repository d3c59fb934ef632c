package scenarios

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F20: from the moment the claim is written, nothing can be read any more. The claim is made, so the apply succeeds: an
// error would taint it, and the next apply would release it.
func TestF20EveryReadAfterTheClaimFails(t *testing.T) {
	t.Parallel()
	for name, injected := range map[string]fault.Fault{"403": fault.Forbidden(), "500": fault.InternalError(), "cut": fault.CutBefore()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1", `cluster_name = "first"`))
			s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(nil, func() {
				s.proxy.Spoil(fault.Rule{When: func(x fault.Exchange) bool { return isUs(x.Client) && x.Verb != "patch" }, Fault: injected})
			})})
			if result := c.apply(t); strings.Contains(result.Output, "Error:") {
				t.Errorf("an error although the claim is made:\n%s", result.Output)
			}
			claimed := c.State(t).Resource(address("blue"))
			if claimed == nil || claimed.Tainted {
				t.Fatalf("in the state: %+v", claimed)
			}
			if claimed.Values["binding_uid"] == nil || claimed.Values["credentials_ref"] == nil || claimed.Values["claimed_at"] == nil {
				t.Errorf("the state lacks what the answer to the write says: %v", claimed.Values)
			}

			s.proxy.Lift()
			c.succeeds(t, "plan", "-detailed-exitcode")
			s.wantWrites(t, "planned", 1)
			c.wantClaimed(t, "blue", "ga-1")
		})
	}
}
