package scenarios

import (
	"fmt"
	"testing"
)

// selecting writes a selection for the next cluster of a Global Account.
func selecting(label, ga string) string {
	return fmt.Sprintf(`data "hap_binding_selection" %q {
  rule_set       = local.rules
  global_account = %q
  plan           = "aws"
}
`, label, ga)
}

// F9: the account is marked dirty while it is held. That is shown and never undone; new clusters go elsewhere, and only
// an explicit replacement moves the claim.
func TestF09DirtyWhileHeld(t *testing.T) {
	t.Parallel()
	s, c, account := newClaimed(t)
	s.label(t, account, "dirty", "true")
	before := s.versions(t)

	c.write(t, "", claim("blue", "ga-1"), selecting("next", "ga-1"))
	result := c.apply(t)
	warns(t, result, "Claimed account has changed", account,
		"it is dirty and waits for the clean-up job, which may wipe it: it takes no new clusters", "Use -replace for another account.")
	s.unwritten(t, before)
	state := c.State(t)
	if got := state.Attribute(address("blue"), "dirty"); got != true {
		t.Errorf("dirty: %v, want true", got)
	}
	next := "data.hap_binding_selection.next"
	if action, name := state.Attribute(next, "action"), state.Attribute(next, "binding_name"); action != "claim" || name != other(account) {
		t.Errorf("the next cluster: %v %v, want to claim %s", action, name, other(account))
	}
	if verdict := verdictOn(state.Attribute(next, "candidates"), account); verdict != "dirty" {
		t.Errorf("verdict on %s: %q", account, verdict)
	}

	warns(t, c.succeeds(t, "apply", "-auto-approve", "-replace="+address("blue")), "Account was left as it is", account, "was marked dirty already")
	if got := c.account(t, "blue"); got != other(account) {
		t.Errorf("replaced, the claim is on %q, want %s", got, other(account))
	}
	s.wantLabels(t, account, "ga-1", "true")
	s.wantLabels(t, other(account), "ga-1", "")
	if records := s.records(t, account); len(records) > 0 {
		t.Errorf("the dirty account bears %v", records)
	}
}

// verdictOn finds an account among the candidates of a selection.
func verdictOn(candidates any, account string) string {
	all, _ := candidates.([]any)
	for _, candidate := range all {
		if c, ok := candidate.(map[string]any); ok && c["name"] == account {
			return fmt.Sprint(c["verdict"])
		}
	}
	return ""
}
