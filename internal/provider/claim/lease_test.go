package claim_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// leased checks the lease of the claim blue: in the state with its end, and in the record on the account. Empty = none.
func leased(t *testing.T, l acceptance.Landscape, account, lease string) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		attributes := s.RootModule().Resources[acceptance.ClaimBlue].Primary.Attributes
		claimed, err := time.Parse(time.RFC3339, attributes["claimed_at"])
		if err != nil {
			return err
		}
		want := ""
		if d := tfvalue.DurationOf(types.StringValue(lease), 0); d > 0 {
			want = claimed.Add(d).Format(time.RFC3339)
		}
		if attributes["lease"] != lease || attributes["expires_at"] != want {
			return fmt.Errorf("lease %q ends at %q, want %q at %q", attributes["lease"], attributes["expires_at"], lease, want)
		}
		if account == "" {
			return nil
		}
		if record := l.Recorded(t, account, "blue"); record == nil || string(record.Lease) != lease {
			return fmt.Errorf("recorded is %+v, want the lease %q", record, lease)
		}
		return nil
	}
}

// A lease is recorded, read back by an import, changed in place, and shown as drift where another client has changed it. Its
// end is known at plan as soon as the time of the claim is.
func TestAccClaimLease_livesOnTheAccount(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	with := func(lease string) string {
		attribute := ""
		if lease != "" {
			attribute = fmt.Sprintf("lease = %q", lease)
		}
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", attribute)
	}
	expires := tfjsonpath.New("expires_at")
	update := []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionUpdate),
		plancheck.ExpectKnownValue(acceptance.ClaimBlue, expires, knownvalue.StringRegexp(regexp.MustCompile(`^20..-..-..T..:..:..Z$`))),
		plancheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("cluster_count"), knownvalue.Int64Exact(0)),
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config:           with("720h"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownValue(acceptance.ClaimBlue, expires)}},
				Check:            leased(t, l, "aws-1", "720h"),
			},
			{
				Config: with("720h"), ResourceName: acceptance.ClaimBlue, ImportState: true, ImportStateId: "ga-1/aws-1/blue",
				ImportStateKind: resource.ImportBlockWithID, // fails unless the plan is empty
			},
			{Config: with("36h"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: update}, Check: leased(t, l, "aws-1", "36h")},
			{
				PreConfig:        func() { rerecord(t, l, "aws-1", `"lease":"36h"`, `"lease":"1h"`) },
				Config:           with("36h"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: update},
				Check:            leased(t, l, "aws-1", "36h"),
			},
			{
				Config: with(""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(acceptance.ClaimBlue, expires, knownvalue.Null()),
				}},
				Check: leased(t, l, "aws-1", ""),
			},
		},
	})
}

// rerecord rewrites the record of the only claim on an account as another client would.
func rerecord(t *testing.T, l acceptance.Landscape, accountName, from, to string) {
	t.Helper()
	for key, record := range l.GetAccount(t, accountName).Annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			l.PatchAnnotations(t, accountName, map[string]*string{key: acceptance.Text(strings.Replace(record, from, to, 1))})
		}
	}
}

// The lease of a claim on a shared account is in the state alone: nothing is ever written there.
func TestAccClaimLease_sharedIsNeverWritten(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "trial-1", HyperscalerType: "aws", Shared: true})
	before := l.Versions(t)
	with := func(lease string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `plan = "trial"`, `hyperscaler = "aws"`, fmt.Sprintf("lease = %q", lease))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: with("720h"), Check: leased(t, l, "", "720h")},
			{Config: with("36h"), Check: leased(t, l, "", "36h")},
		},
	})
	if after := l.Versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("shared accounts were written: versions were %v, are %v", before, after)
	}
}

// An account that the broker claimed has no record: a lease is recorded with the claim when it is first set.
func TestAccClaimLease_setAfterAnImportWithoutARecord(t *testing.T) {
	t.Parallel()
	l := brokerHeld(t)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RulesAWS},
			{
				Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1") + importing(`id = "ga-1/aws-1/blue"`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("expires_at"),
					knownvalue.Null())},
			},
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `lease = "720h"`), Check: leased(t, l, "aws-1", "720h")},
		},
	})
}

func TestAccClaimLease_invalid(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	before := l.Versions(t)
	for _, lease := range []string{"", "0s", "-1h", "30d", "720", "87600h1s", "999ms", "a month"} {
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acceptance.Factories,
			Steps: []resource.TestStep{{
				Config:      l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", fmt.Sprintf("lease = %q", lease)),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidLease, fmt.Sprintf("%q is not usable", lease), "from 1s to 87600h0m0s"),
			}},
		})
	}
	if after := l.Versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("accounts were written: versions were %v, are %v", before, after)
	}
}
