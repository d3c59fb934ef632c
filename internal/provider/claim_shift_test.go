package provider

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
)

// listed is a list of claims of one Global Account by these names, each of them a resource with an index.
func (l landscape) listed(extra string, names ...string) string {
	return l.provider("multi_account = {\n allowed_global_accounts = [\"*\"]\n limits = { default = 1 }\n}") + rulesAWS + fmt.Sprintf(`
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

// keyed is listed, with the names as keys.
func (l landscape) keyed(extra string, names ...string) string {
	return strings.NewReplacer("count          = length(local.names)", "for_each       = toset(local.names)", "local.names[count.index]", "each.key").
		Replace(l.listed(extra, names...))
}

// movedToKeys moves the elements of a list to the keys of their names.
func movedToKeys(names ...string) (blocks string) {
	for i, name := range names {
		blocks += fmt.Sprintf("moved {\n  from = hap_credentials_binding_claim.list[%d]\n  to = hap_credentials_binding_claim.list[%q]\n}\n", i, name)
	}
	return blocks
}

// A list of claims that shifts would make each claim at one place, and release it at another: its account would be marked dirty, and another
// one claimed. It is refused at plan, and nothing is written. With keys and moved blocks each claim stays on its account.
func TestAccClaim_listShifts(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]string{"destroys first": "", "creates first": "lifecycle { create_before_destroy = true }"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var accounts []testbed.AccountSpec
			for i := range 16 {
				accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("aws-%d", i), HyperscalerType: "aws"})
			}
			l := newLandscape(t, accounts...)
			var versions map[string]string
			untouched := func() {
				if now := l.versions(t); !maps.Equal(now, versions) {
					t.Errorf("accounts were written: versions are %v, were %v", now, versions)
				}
			}
			ended := errorLike(diagnose.SummaryMadeAndEnded, "give them keys that stay, with for_each")
			stand := func(names ...string) resource.TestCheckFunc {
				return func(*terraform.State) error {
					var got []string
					for _, a := range accounts {
						for _, name := range names {
							if l.recorded(t, a.Name, name) != nil {
								got = append(got, name)
							}
						}
						if l.records(t, a.Name) > 0 && l.GetAccount(t, a.Name).Labels["dirty"] != "" {
							return fmt.Errorf("account %s has a claim and is dirty", a.Name)
						}
					}
					if slices.Sort(got); !slices.Equal(got, names) {
						return fmt.Errorf("the claims %q stand, want %q", got, names)
					}
					return nil
				}
			}
			twice := func(name string) string {
				return fmt.Sprintf("claim %q of Global Account ga-1 on pool aws stands twice in this configuration", name)
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{
					{Config: l.listed(extra, "a", "b", "c"), Check: func(s *terraform.State) error { versions = l.versions(t); return stand("a", "b", "c")(s) }},
					{Config: l.listed(extra, "b", "c"), ExpectError: ended},
					{Config: l.listed(extra, "c", "a", "b"), ExpectError: ended},
					{Config: l.listed(extra, "b", "c", "c"), PlanOnly: true, ExpectError: errorLike(diagnose.SummaryDuplicate, twice("c"))},
					{Config: l.listed(extra, "b", "b"), PlanOnly: true, ExpectError: errorLike(diagnose.SummaryDuplicate, twice("b"))},
					{Config: l.listed(extra, "c", "b", "b", "d"), PlanOnly: true, ExpectError: errorLike(diagnose.SummaryDuplicate, twice("b"))},
					{PreConfig: untouched, Config: l.keyed(extra, "b", "c") + movedToKeys("a", "b", "c")},
					{
						PreConfig: func() { // the library that runs the steps cannot show a state with keys to a check
							if err := stand("b", "c")(nil); err != nil {
								t.Error(err)
							}
						},
						Config: l.provider(),
					},
				},
			})
		})
	}
}
