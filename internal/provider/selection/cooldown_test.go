package selection_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// heldLast is a free account that was held last so long ago, by its annotation.
func heldLast(name string, ago time.Duration) testbed.AccountSpec {
	return testbed.AccountSpec{Name: name, HyperscalerType: "aws",
		Annotations: map[string]string{account.LastHeldAnnotation: time.Now().Add(-ago).UTC().Format(time.RFC3339)}}
}

// An account that a claim has given back is left alone by the next one, which says until when; selection, status and metrics show it. Of the
// others the one is taken that is free for the longest time.
func TestAccClaim_cooldown(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, heldLast("young", 30*time.Hour), heldLast("old", 90*time.Hour))
	pool := `pool = { prefer = "longest_free", min_free_time = "24h" }`
	returned := acceptance.ClaimOf("blue", "ga-1", `on_destroy = "return_to_pool"`)
	claimed := func(name string) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact(name))}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider(pool) + acceptance.RulesAWS + returned, ConfigStateChecks: claimed("old")},
			{Config: l.Provider(pool) + acceptance.RulesAWS}, // it goes back to the pool
			{
				Config: l.Provider(pool) + acceptance.RulesAWS + acceptance.SelectionBlock() + acceptance.StatusBlock(""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("binding_name"), knownvalue.StringExact("young")),
					statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("unclaimed"), knownvalue.Int64Exact(1)),
					statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("cooling"), knownvalue.Int64Exact(1)),
					statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("candidates"), knownvalue.ListExact([]knownvalue.Check{
						candidate("young", 0, "chosen"), candidate("old", 0, "cooling"),
					})),
					acceptance.StatusOf("accounts", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(map[string]knownvalue.Check{"name": knownvalue.StringExact("old"), "class": knownvalue.StringExact("cooling"),
							"free_since": knownvalue.NotNull(), "cools_until": knownvalue.NotNull()}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{"name": knownvalue.StringExact("young"), "class": knownvalue.StringExact("free"),
							"free_since": knownvalue.NotNull(), "cools_until": knownvalue.Null()}),
					})),
					acceptance.StatusOf("pools", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"unclaimed": 1, "cooling": 1, "total": 2})),
					})),
					acceptance.StatusOf("prometheus", knownvalue.StringRegexp(regexp.MustCompile(`hap_accounts\{class="cooling",.*\} 1`))),
					acceptance.StatusOf("report", knownvalue.StringRegexp(regexp.MustCompile("1 free to claim and 1 that cool down"))),
				},
			},
			{Config: l.Provider(pool) + acceptance.RulesAWS + returned, ConfigStateChecks: claimed("young")},
			{
				Config: l.Provider(pool) + acceptance.RulesAWS + returned + acceptance.ClaimOf("red", "ga-2"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryExhausted, "1 account is free, and cools down after the last claim, the first one until",
					"wait_for_account"),
			},
			{ // without the cooldown it is to be had
				Config: l.Provider("") + acceptance.RulesAWS + returned + acceptance.ClaimOf("red", "ga-2"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("hap_credentials_binding_claim.red", tfjsonpath.New("binding_name"), knownvalue.StringExact("old")),
				},
			},
		},
	})
}

func TestAccProvider_cooldownIsChecked(t *testing.T) {
	t.Parallel()
	for pool, says := range map[string]string{
		`pool = { prefer = "oldest" }`:         `value must be one of: ["order" "longest_free"]`,
		`pool = { min_free_time = "a day" }`:   `"a day" is not usable: the time that an account is left alone`,
		`pool = { min_free_time = "-1h" }`:     `"-1h" is not usable`,
		`pool = { min_free_time = "1000000h"}`: `"1000000h" is not usable`,
	} {
		resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
			Config: "provider \"hap\" {\n" + pool + "\n}\n" + acceptance.RulesAWS + acceptance.SelectionBlock(), ExpectError: regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(says), " ", `[\s│]+`)),
		}}})
	}
}
