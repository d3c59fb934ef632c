package shoot_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// A plan that moves the claim of a live cluster to another pool warns that the cluster cannot follow. The apply leaves the cluster as it is,
// whatever on_immutable_change says: no plan has shown that it goes. With -replace it is made anew on the other account.
func TestAccShoot_claimMoves(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	for name, attributes := range map[string][]string{
		"refused": nil, "replaced": {`on_immutable_change = "replace"`},
		"refused, created first":  {"", "lifecycle {\n create_before_destroy = true\n}"},
		"replaced, created first": {`on_immutable_change = "replace"`, "lifecycle {\n create_before_destroy = true\n}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
				testbed.AccountSpec{Name: "eu-1", HyperscalerType: "aws_cf-eu10"})
			rules := strings.Replace(acceptance.RulesOf(`"aws", "aws(PR=cf-eu10)"`), "rules =", "syntax = \"attribute\"\n rules =", 1)
			folder := acceptance.NewFolder(t, l.Landscape)
			of := slices.Concat(attributes, []string{"", ""})
			write := func(region string) {
				folder.Write(t, acceptance.Requiring+l.Provider()+rules+acceptance.ClaimOf("one", "ga-1", `platform_region = "`+region+`"`, of[1])+
					acceptance.ShootOf(acceptance.TemplateWith(), of[0]))
			}
			lives := func(account string) string {
				s, err := l.Live("blue")
				if err != nil {
					t.Fatal(err)
				}
				if *s.Spec.CredentialsBindingName != account {
					t.Errorf("the cluster is on %s, want %s", *s.Spec.CredentialsBindingName, account)
				}
				return string(s.UID)
			}
			write("cf-us10")
			acceptance.Run(t, folder, "apply", "-auto-approve")
			uid := lives("aws-1")
			write("cf-eu10")
			out := acceptance.Run(t, folder, "plan").Output
			for _, want := range []string{diagnose.SummaryShootLeaves, "Cluster blue lives on account aws-1", "apply with -replace for the cluster"} {
				if !acceptance.SaysInOrder(out, strings.Fields(want)) {
					t.Errorf("the plan does not say %q:\n%s", want, out)
				}
			}
			if of[1] == "" {
				if refused := folder.Run(t, "apply", "-auto-approve"); refused.ExitCode == 0 || lives("aws-1") != uid {
					t.Errorf("the cluster was to stay:\n%s", refused.Output)
				}
			}
			acceptance.Run(t, folder, "apply", "-auto-approve", "-replace="+acceptance.ShootOne)
			if lives("eu-1") == uid {
				t.Error("the cluster was moved")
			}
			acceptance.Run(t, folder, "plan", "-detailed-exitcode")
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
