package scenarios

import (
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// F26: labels that the broker never sees past, because it asks whether the key is there. For us an account with
// dirty=false, euAccess=false or an empty tenantName is free, and a claim on it stands. What other labels it has stay.
// (The report of such accounts is hap_pool_status's.)
func TestF26LabelsThatTheBrokerCannotSeePast(t *testing.T) {
	t.Parallel()
	for name, label := range map[string]struct{ key, value, after string }{
		"dirty false":     {"dirty", "false", "false"},
		"euAccess false":  {"euAccess", "false", "false"},
		"tenantName none": {"tenantName", "", "ga-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Labels: map[string]string{label.key: label.value}})
			broker := s.broker(t)
			if account, err := broker.Claim(t.Context(), "ga-1", "aws"); !errors.Is(err, testbed.ErrNoAccount) {
				t.Fatalf("the broker has found %q (%v)", account, err)
			}
			got := s.held(t, s.process(t, "claimer", pool.Policy{}), pool.ClaimRequest{Name: "blue", GlobalAccount: "ga-1", Target: awsPool})
			if got.Account.Name != "aws-1" || !got.Record.NewlyClaimed {
				t.Errorf("the claim stands on %s, newly claimed: %t", got.Account.Name, got.Record.NewlyClaimed)
			}
			if after := s.GetAccount(t, "aws-1").Labels[label.key]; after != label.after || s.tenant(t, "aws-1") != "ga-1" {
				t.Errorf("%s=%q, tenant %q; want %q and ga-1", label.key, after, s.tenant(t, "aws-1"), label.after)
			}
			// An empty tenant is cured by a claim. The other two stay out of the broker's sight.
			account, err := broker.Claim(t.Context(), "ga-1", "aws")
			if cured := err == nil && account == "aws-1"; cured != (label.key == "tenantName") {
				t.Errorf("after the claim the broker finds %q (%v)", account, err)
			}
		})
	}
}
