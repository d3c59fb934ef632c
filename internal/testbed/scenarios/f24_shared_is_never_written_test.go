package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// onTrial is a claim on a shared account of the pool aws.
func onTrial(extra ...string) string {
	return claim("blue", "ga-1", append(extra, `plan = "trial"`, `hyperscaler = "aws"`)...)
}

// F24: a claim on a shared account is a choice and no more: from the first apply to the destroy nothing is sent that writes.
func TestF24SharedAccountIsNeverWritten(t *testing.T) {
	t.Parallel()
	s := newStage(t,
		testbed.AccountSpec{Name: "shared-1", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "shared-2", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	s.Shoots(t, "shared-1", 2)
	s.Shoots(t, "shared-2", 1)
	before := s.versions(t)
	c := s.configure(t, onTrial())
	c.apply(t)
	if got := c.account(t, "blue"); got != "shared-2" {
		t.Errorf("the claim is on %q, want the shared account with the fewest clusters", got)
	}
	c.write(t, "", onTrial(`owner = "pipeline-7"`, `cluster_name = "c-1"`))
	c.apply(t)
	// Clusters on it do not hold up a destroy: nothing is released.
	c.destroy(t)
	s.unwritten(t, before)
	if n := s.requestsOf("patch") + s.requestsOf("update") + s.requestsOf("delete"); n != 0 {
		t.Errorf("%d requests ask for a write", n)
	}
	c.wantState(t)
}

// A dedicated account that turns into a shared one while it is held is not written any more, whatever is asked for.
func TestF24HeldAccountTurnsShared(t *testing.T) {
	t.Parallel()
	s, c, account := newClaimed(t)
	s.label(t, account, "shared", "true")
	before, patches := s.versions(t), s.requestsOf("patch")
	warns(t, c.apply(t), "Claimed account has changed", account, "all Global Accounts share it", "nothing is written on it")
	c.write(t, "", claim("blue", "ga-1", `owner = "pipeline-7"`))
	c.fails(t, applying, "Claimed account cannot be used", account, "belongs to another pool by now", "Nothing was written.")
	// F31: the record would count again without the label shared, so the destroy says what to take away before.
	warns(t, c.destroy(t), "Account was left as it is", account, "all tenants share it now", s.key("blue", "ga-1", nil))
	s.unwritten(t, before)
	if got := s.requestsOf("patch"); got != patches {
		t.Errorf("%d requests ask for a write of a shared account", got-patches)
	}
	s.wantLabels(t, account, "ga-1", "")
	c.wantState(t)
	s.Unknown(s.key("blue", "ga-1", nil)) // its record stays where nothing is to be written
}
