package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// F32: the Global Account of a claim holds several accounts of the pool and is allowed one. Each refresh says so and names
// them, on whichever of them the claim is.
func TestF32RefreshNamesSecondAccount(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"aws-0", "aws-2"} {
		t.Run(second, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			c := s.configure(t, claim("blue", "ga-1"))
			c.apply(t)
			s.Account(t, testbed.AccountSpec{Name: second, HyperscalerType: "aws", Tenant: "ga-1"})
			s.Account(t, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-1"})
			before := s.versions(t)
			wantWarning(t, c.succeeds(t, planning...).Output, "ga-1", "aws-1", second)
			wantWarning(t, c.succeeds(t, "apply", "-refresh-only", "-auto-approve").Output, "ga-1", "aws-1", second)
			s.unwritten(t, before)

			// With the feature that allows several there is nothing to warn of.
			c.write(t, "multi_account = { allowed_global_accounts = [\"ga-1\"], limits = { default = 10 } }", claim("blue", "ga-1"))
			if output := c.succeeds(t, planning...).Output; warnsOf(output, second) {
				t.Errorf("several accounts are allowed, and a warning names them:\n%s", output)
			}
		})
	}
}
