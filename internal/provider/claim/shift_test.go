package claim_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// listOfClaims is a list of claims of one Global Account by these names, each of them a resource with an index.
func listOfClaims(l acceptance.Landscape, extra string, names ...string) string {
	return l.Provider("multi_account = {\n allowed_global_accounts = [\"*\"]\n limits = { default = 1 }\n}") + acceptance.RulesAWS + fmt.Sprintf(`
locals { names = ["%s"] }
resource "hap_credentials_binding_claim" "list" {
  count          = length(local.names)
  rule_set       = hap_rule_set.r
  global_account = "ga-1"
  name           = local.names[count.index]
  plan           = "aws"
  %s
}
`, strings.Join(names, `", "`), extra)
}

// claimsByKey is [listOfClaims], with the names as keys.
func claimsByKey(l acceptance.Landscape, extra string, names ...string) string {
	return strings.NewReplacer("count          = length(local.names)", "for_each       = toset(local.names)", "local.names[count.index]", "each.key").
		Replace(listOfClaims(l, extra, names...))
}

// movedToKeys moves the elements of a list to the keys of their names.
func movedToKeys(names ...string) (blocks string) {
	for i, name := range names {
		blocks += fmt.Sprintf("moved {\n  from = hap_credentials_binding_claim.list[%d]\n  to = hap_credentials_binding_claim.list[%q]\n}\n", i, name)
	}
	return blocks
}

// A list of claims that shifts would make each claim at one place, and release it at another: its account would be marked dirty, and
// another one claimed. It is refused at plan, and nothing is written. With keys and moved blocks each claim stays on its account.
func TestAccClaim_listShifts(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]string{"destroys first": "", "creates first": "lifecycle { create_before_destroy = true }"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var accounts []testbed.AccountSpec
			for i := range 16 {
				accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("aws-%d", i), HyperscalerType: "aws"})
			}
			l := acceptance.NewLandscape(t, accounts...)
			var versions map[string]string
			untouched := func() {
				if now := l.Versions(t); !maps.Equal(now, versions) {
					t.Errorf("accounts were written: versions are %v, were %v", now, versions)
				}
			}
			ended := acceptance.ErrorLike(diagnose.SummaryMadeAndEnded, "give them keys that stay, with for_each")
			stand := func(names ...string) resource.TestCheckFunc {
				return func(*terraform.State) error {
					var got []string
					for _, a := range accounts {
						for _, name := range names {
							if l.Recorded(t, a.Name, name) != nil {
								got = append(got, name)
							}
						}
						if l.Records(t, a.Name) > 0 && l.GetAccount(t, a.Name).Labels["dirty"] != "" {
							return fmt.Errorf("account %s has a claim and is dirty", a.Name)
						}
					}
					if slices.Sort(got); !slices.Equal(got, names) {
						return fmt.Errorf("the claims %q exist, want %q", got, names)
					}
					return nil
				}
			}
			twice := func(name string) string {
				return fmt.Sprintf("claim %q of Global Account ga-1 on pool aws is declared twice in this configuration", name)
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: listOfClaims(l, extra, "a", "b", "c"), Check: func(s *terraform.State) error { versions = l.Versions(t); return stand("a", "b", "c")(s) }},
					{Config: listOfClaims(l, extra, "b", "c"), ExpectError: ended},
					{Config: listOfClaims(l, extra, "c", "a", "b"), ExpectError: ended},
					{Config: listOfClaims(l, extra, "b", "c", "c"), PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryDuplicate, twice("c"))},
					{Config: listOfClaims(l, extra, "b", "b"), PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryDuplicate, twice("b"))},
					{Config: listOfClaims(l, extra, "c", "b", "b", "d"), PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryDuplicate, twice("b"))},
					{PreConfig: untouched, Config: claimsByKey(l, extra, "b", "c") + movedToKeys("a", "b", "c")},
					{
						PreConfig: func() { // the library that runs the steps cannot show a state with keys to a check
							if err := stand("b", "c")(nil); err != nil {
								t.Error(err)
							}
						},
						Config: l.Provider(),
					},
				},
			})
		})
	}
}
