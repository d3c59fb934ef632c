package shoot_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// A claim that comes to another pool takes its cluster along only where the configuration allows that: the plan refuses it, or shows that
// the cluster is made anew. It showed an update in place, and the apply stopped between the two.
func TestAccShoot_claimMoves(t *testing.T) {
	t.Parallel()
	for name, lifecycle := range map[string]string{"": "", "create before destroy": "lifecycle {\n create_before_destroy = true\n}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
				testbed.AccountSpec{Name: "eu-1", HyperscalerType: "aws_cf-eu10"})
			rules := strings.Replace(acceptance.RulesOf(`"aws", "aws(PR=cf-eu10)"`), "rules =", "syntax = \"attribute\"\n rules =", 1)
			config := func(region string, attributes ...string) string {
				return l.Provider() + rules + acceptance.ClaimOf("one", "ga-1", `platform_region = "`+region+`"`, lifecycle) +
					acceptance.ShootOf(acceptance.TemplateWith(), attributes...)
			}
			var uid string
			lives := func(account string, same bool) resource.TestCheckFunc {
				return func(*terraform.State) error {
					s, err := l.Live("blue")
					if err != nil {
						return err
					}
					was := uid
					uid = string(s.UID)
					if was != "" && (was == uid) != same {
						return errors.New("the cluster has been made anew, or should have been")
					}
					return acceptance.Equal("account", *s.Spec.CredentialsBindingName, account)
				}
			}
			moves := `credentials_binding_name (known after apply: this plan moves the claim to another account, and the cluster lives on "aws-1")`
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
				{Config: config("cf-us10"), Check: lives("aws-1", true)},
				{Config: config("cf-eu10"), ExpectError: acceptance.ErrorLike(diagnose.SummaryShootImmutable, moves)},
				{Config: config("cf-us10", `deletion_protection = true`), Check: lives("aws-1", true)},
				{Config: config("cf-eu10", `deletion_protection = true`, `on_immutable_change = "replace"`), ExpectError: acceptance.ErrorLike(
					diagnose.SummaryShootProtected, "because it cannot change in "+moves)},
				{Config: config("cf-us10", `on_immutable_change = "replace"`), Check: lives("aws-1", true),
					ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
				{Config: config("cf-eu10", `on_immutable_change = "replace"`), Check: lives("eu-1", false), ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionReplace)}}},
			}})
		})
	}
}

// A cluster stays as it is where its account is known only after an apply, and may be the one that it has: its claim is renamed, or it gets
// another claim, while the claim of another leaves the account.
func TestAccShoot_claimStaysBesideAMove(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	const first = "lifecycle {\n create_before_destroy = true\n}"
	named := func(claim, name string) string {
		return strings.Replace(claim, `name           = "two"`, `name           = "`+name+`"`, 1)
	}
	dedicated := []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws"}, {Name: "eu-1", HyperscalerType: "aws_cf-eu10"}}
	shared := []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws", Shared: true}, {Name: "aws-2", HyperscalerType: "aws"}}
	trial := []string{`plan = "trial"`, `hyperscaler = "aws"`, first}
	in := func(region string) []string { return []string{`platform_region = "` + region + `"`, first} }
	for name, test := range map[string]struct {
		accounts      []testbed.AccountSpec
		before, after string // the claims
		of            [2]string
	}{
		"its claim is renamed": {dedicated,
			acceptance.ClaimOf("one", "ga-1", in("cf-us10")...) + acceptance.ClaimOf("two", "ga-1", in("cf-us10")...),
			acceptance.ClaimOf("one", "ga-1", in("cf-eu10")...) + named(acceptance.ClaimOf("two", "ga-1", in("cf-us10")...), "renamed"), [2]string{"two", "two"}},
		"it gets another claim": {dedicated,
			acceptance.ClaimOf("one", "ga-1", in("cf-us10")...),
			acceptance.ClaimOf("one", "ga-1", in("cf-eu10")...) + acceptance.ClaimOf("two", "ga-1", in("cf-us10")...), [2]string{"one", "two"}},
		"another tenant leaves a shared account": {shared,
			acceptance.ClaimOf("one", "ga-1", trial...) + acceptance.ClaimOf("two", "ga-2", trial...),
			acceptance.ClaimOf("one", "ga-1", first) + named(acceptance.ClaimOf("two", "ga-2", trial...), "renamed"), [2]string{"two", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewClusterLandscape(t, test.accounts...)
			rules := strings.Replace(acceptance.RulesOf(`"aws", "aws(PR=cf-eu10)", "trial(shared)"`), "rules =", "syntax = \"attribute\"\n rules =", 1)
			config := func(claims, of string) string {
				return l.Provider() + rules + claims + acceptance.ShootOf(acceptance.TemplateWith(), `on_immutable_change = "replace"`,
					"credentials_binding_name = hap_credentials_binding_claim."+of+".binding_name")
			}
			var uid string
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
				{Config: config(test.before, test.of[0]), Check: func(*terraform.State) error {
					s, err := l.Live("blue")
					uid = string(s.UID)
					return err
				}},
				{Config: config(test.after, test.of[1]), Check: func(*terraform.State) error {
					s, err := l.Live("blue")
					if err != nil {
						return err
					}
					return errors.Join(acceptance.Equal("uid", string(s.UID), uid), acceptance.Equal("account", *s.Spec.CredentialsBindingName, "aws-1"))
				}},
			}})
		})
	}
}
