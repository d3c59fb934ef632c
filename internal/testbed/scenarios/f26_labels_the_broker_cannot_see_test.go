package scenarios

import (
	"errors"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// F26: labels that the broker never sees past, because it asks whether the key is there. A claim does not take such an
// account either: the broker would not find it for its tenant, and would claim a second one. It says so, also to a claim
// that is pinned to the account. Without the label the account is free for both. (The report is hap_pool_status's.)
func TestF26LabelsThatTheBrokerCannotSeePast(t *testing.T) {
	t.Parallel()
	for name, label := range map[string]struct{ key, value string }{
		"dirty false": {"dirty", "false"}, "euAccess false": {"euAccess", "false"}, "tenantName none": {"tenantName", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Labels: map[string]string{label.key: label.value}})
			broker := s.broker(t)
			if account, err := broker.Claim(t.Context(), "ga-1", "aws"); !errors.Is(err, rivals.ErrNoAccount) {
				t.Fatalf("the broker has found %q (%v)", account, err)
			}
			before := s.versions(t)
			request := protocol.ClaimRequest{Name: "blue", GlobalAccount: "ga-1", Target: awsPool}
			_, err := s.process(t, "claimer").Claim(t.Context(), request)
			var exhausted *account.ExhaustedError
			if !errors.As(err, &exhausted) || exhausted.Tally[account.ClassUnreachable] != 1 || exhausted.Tally[account.ClassFree] != 0 {
				t.Errorf("got %v, want one account that is unreachable and none that is free", err)
			}
			pinned := request
			pinned.Pin = "aws-1"
			_, err = s.process(t, "pinned").Claim(t.Context(), pinned)
			var pin *account.PinError
			if !errors.As(err, &pin) || !strings.Contains(pin.Why, label.key+"="+label.value) {
				t.Errorf("pinned: got %v, want the label named", err)
			}
			s.unwritten(t, before)
			s.PatchLabels(t, "aws-1", map[string]*string{label.key: nil})
			if got := s.held(t, s.process(t, "claimer"), request); got.Account.Name != "aws-1" || !got.Record.NewlyClaimed {
				t.Errorf("without the label the claim is on %s, newly claimed: %t", got.Account.Name, got.Record.NewlyClaimed)
			}
		})
	}
}
