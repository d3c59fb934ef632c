package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

// F36: the broker frees the accounts of forty claims and gives them to others, then the claims are destroyed at once. What
// has become of them is reported once, with each of them by name.
func TestF36FortyClaimsMeetTheSameFate(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, program := range sampled(t, programs(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 40
			s := newStage(t, awsAccounts(n)...)
			c := s.configureFor(t, program)
			c.write(t, "", fmt.Sprintf(`resource "hap_credentials_binding_claim" "lost" {
  for_each       = toset([for i in range(%d) : format("%%02d", i)])
  rule_set       = local.rules
  plan           = "aws"
  name           = "lost-${each.key}"
  global_account = "ga-${each.key}"
}
`, n))
			c.apply(t)
			broker := s.broker(t)
			for account := range s.holders(t) {
				if err := broker.Free(t.Context(), account); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.cleanupJob(t).Round(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if _, err := broker.Claim(t.Context(), fmt.Sprintf("ga-other-%02d", i), "aws"); err != nil {
					t.Fatal(err)
				}
			}

			state, result := c.State(t), c.destroy(t)
			const summary = "Account was left as it is"
			warns(t, result, summary, fmt.Sprintf("%d accounts were neither marked nor freed", n))
			if times := strings.Count(result.Output, summary); times != 1 || strings.Contains(result.Output, "similar warning") {
				t.Errorf("reported %d times, want once and nothing left out:\n%s", times, result.Output)
			}
			for i := range n {
				account := state.Attribute(fmt.Sprintf(`hap_credentials_binding_claim.lost["%02d"]`, i), "binding_name")
				line := fmt.Sprintf(`  %s: claim "lost-%02d" of Global Account ga-%02d`, account, i, i)
				if !strings.Contains(result.Output, line+"\n") {
					t.Errorf("the warning does not list %q:\n%s", line, result.Output)
				}
			}
			c.wantState(t)
		})
	}
}
