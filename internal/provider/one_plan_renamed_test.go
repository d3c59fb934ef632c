package provider

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// renamed writes a configuration with the resource one under another address.
func renamed(config, kind string) string {
	return strings.Replace(config, fmt.Sprintf("%q \"one\"", kind), fmt.Sprintf("%q \"two\"", kind), 1)
}

// A resource that is renamed without a moved block is one error of the plan with the block to write: no claim is released, no account
// leaves the pool, no cluster is destroyed, none loses its protection for it, and nothing is to be imported a second time.
func TestAccOnePlan_renamed(t *testing.T) {
	t.Parallel()
	free := testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}
	cluster := func(t *testing.T) acceptance.Landscape {
		t.Helper()
		return acceptance.NewClusterLandscape(t, free).Landscape
	}
	for name, test := range map[string]struct {
		landscape          func(t *testing.T) acceptance.Landscape
		base, config, kind string
	}{
		"a claim":             {func(t *testing.T) acceptance.Landscape { t.Helper(); return acceptance.NewLandscape(t, free) }, acceptance.RulesAWS, acceptance.ClaimOf("one", "ga-1"), acceptance.ClaimType},
		"an account":          {func(t *testing.T) acceptance.Landscape { t.Helper(); return acceptance.NewSupply(t, "aws-1") }, "", acceptance.AccountOf(), "hap_account"},
		"a cluster":           {cluster, acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1"), acceptance.ShootOf(acceptance.TemplateWith()), "hap_shoot"},
		"a protected cluster": {cluster, acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1"), acceptance.ShootOf(acceptance.TemplateWith(), "deletion_protection = true"), "hap_shoot"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := test.landscape(t)
			folder := acceptance.NewFolder(t, l)
			write := func(config string) {
				acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+test.base+config)
			}
			write(test.config)
			acceptance.Run(t, folder, "apply", "-auto-approve")
			versions := l.Versions(t)
			state := acceptance.Run(t, folder, "show", "-json").Output
			write(renamed(test.config, test.kind))
			for range 3 { // in whatever order the two are planned
				result := folder.Run(t, "apply", "-auto-approve")
				if result.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryMadeAndEnded, "from = "+test.kind+".OLD").MatchString(result.Output) {
					t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
				}
				for _, wrong := range []string{diagnose.SummaryShootProtected, diagnose.SummaryShootExists, diagnose.SummaryAccountExists, "import"} {
					if strings.Contains(result.Output, wrong) {
						t.Errorf("%q is said:\n%s", wrong, result.Output)
					}
				}
			}
			if now := l.Versions(t); !maps.Equal(now, versions) {
				t.Errorf("accounts were written: versions are %v, were %v", now, versions)
			}
			if now := acceptance.Run(t, folder, "show", "-json").Output; now != state {
				t.Errorf("the state has changed: %s", now)
			}
			write(renamed(test.config, test.kind) + fmt.Sprintf("moved {\n  from = %s.one\n  to   = %[1]s.two\n}\n", test.kind))
			acceptance.Run(t, folder, "apply", "-auto-approve")
			acceptance.Run(t, folder, "plan", "-detailed-exitcode")
			write(strings.Replace(renamed(test.config, test.kind), "deletion_protection = true", "deletion_protection = false", 1))
			acceptance.Run(t, folder, "apply", "-auto-approve")
			acceptance.Run(t, folder, "destroy", "-auto-approve") // which is no clash
		})
	}
}

// What a plan cannot see yet an apply refuses: a name that turns out to be that of what the same run has destroyed is not made again.
func TestAccOnePlan_renamedUnknown(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	later := "resource \"terraform_data\" \"name\" { input = \"one\" }\n"
	unknown := strings.Replace(renamed(acceptance.ClaimOf("one", "ga-1"), acceptance.ClaimType), `name           = "one"`, "name           = terraform_data.name.output", 1)
	held := func() (n int) {
		for _, a := range l.ListAccounts(t) {
			n += l.Records(t, a.Name)
		}
		return n
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		ExternalProviders:        map[string]resource.ExternalProvider{},
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1"), Check: func(*terraform.State) error { return acceptance.Equal("claims", fmt.Sprint(held()), "1") }},
			{Config: l.Provider() + acceptance.RulesAWS + later + unknown, ExpectError: acceptance.ErrorLike(diagnose.SummaryMadeAndEnded, `claim "one"`, "apply again: then it is made here")},
			{
				PreConfig: func() {
					if n := held(); n != 0 {
						t.Errorf("there are %d claims after the refusal, want none", n)
					}
				},
				Config:           l.Provider() + acceptance.RulesAWS + later + unknown,
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
		},
	})
}

// One destroy takes a claim and its account: the account leaves the pool unwiped, and both plan and apply warn of it. A replacement of a
// dirty account is refused, as it would come back without its mark.
func TestAccAccount_destroyedWithItsClaim(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	claims := l.ServiceAccount(t, "claims", testbed.DocumentedRole(t))
	provider := l.Provider() + strings.Replace(strings.Replace(l.Provider(), l.Kubeconfig, claims.Kubeconfig(t), 1), "{", "{\n  alias = \"claims\"", 1)
	claim := acceptance.ClaimOf("one", "ga-1", "provider = hap.claims", "binding_name = hap_account.one.name")
	folder := acceptance.NewFolder(t, l)
	write := func(config string) {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+provider+acceptance.RulesAWS+config)
	}
	warned := func(out, says string) {
		t.Helper()
		if !strings.Contains(out, diagnose.SummaryUnwiped) || !acceptance.SaysInOrder(out, strings.Fields(says)) {
			t.Errorf("%q is not said:\n%s", says, out)
		}
	}
	write(acceptance.AccountOf() + claim)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	warned(acceptance.Run(t, folder, "destroy", "-auto-approve").Output, "aws-1 is marked dirty, and has left the pool before the clean-up job has wiped it")
	if l.There(t) {
		t.Error("the account is there")
	}

	write(acceptance.AccountOf() + claim)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	write(acceptance.AccountOf())
	acceptance.Run(t, folder, "apply", "-auto-approve") // the claim goes, and leaves it dirty
	uid := l.GetAccount(t, "aws-1").UID
	if result := folder.Run(t, "apply", "-auto-approve", "-replace="+acceptance.AccountOne); result.ExitCode == 0 ||
		!acceptance.ErrorLike(diagnose.SummaryAccountDirty, "aws-1 is marked dirty").MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	if now := l.GetAccount(t, "aws-1"); now.UID != uid || now.Labels["dirty"] != "true" {
		t.Errorf("the account was written: %v", now.ObjectMeta)
	}
	warned(acceptance.Run(t, folder, "plan", "-destroy").Output, "aws-1 is marked dirty, and leaves the pool before")
	warned(acceptance.Run(t, folder, "destroy", "-auto-approve").Output, "with all that Global Account ga-1 has in it")
	if l.There(t) {
		t.Error("the account is there")
	}
}
