package shoot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A Cluster has one Shoot: a second one gets its labels neither at its making nor later, neither where the plan sees the first one nor where
// both come in one plan, nor where the Cluster is known at apply alone. One in the place of the first gets them.
func TestAccShoot_secondOfACluster(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	shoot := func(label, name, ref string, more ...string) string {
		attributes := append([]string{fmt.Sprintf("name = %q", name), "cluster_ref = " + ref}, more...)
		return strings.Replace(acceptance.ShootOf(acceptance.TemplateWith(), attributes...), `"hap_shoot" "one"`, fmt.Sprintf(`"hap_shoot" %q`, label), 1)
	}
	const a, b, later = `{ namespace = "ns", name = "a" }`, `{ namespace = "ns", name = "b" }`, `{ namespace = "ns", name = terraform_data.a.output }`
	are := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			for _, name := range []string{"blue", "green", "teal"} {
				live, err := l.Live(name)
				is := "gone"
				if live != nil {
					is = live.Labels["gardener.clusters.openmcp.cloud/cluster-name"]
				}
				of, there := want[name]
				if !there {
					of = "gone"
				}
				if err != nil || is != of {
					return fmt.Errorf("Shoot %s is of the Cluster %q instead of %q, %w", name, is, of, err)
				}
			}
			return nil
		}
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootSecond, "Shoot blue has the labels of Cluster ns/a", "cluster_ref")
	replaced := []string{`on_immutable_change = "replace"`}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             are(nil),
		Steps: []resource.TestStep{
			{Config: base + shoot("one", "blue", a) + shoot("two", "green", a), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootSecond, "is to get the labels of Cluster ns/a")},
			{Config: base + shoot("one", "blue", a), Check: are(map[string]string{"blue": "a"})},
			{Config: base + shoot("one", "blue", a) + shoot("two", "green", a), PlanOnly: true, ExpectError: refused},
			{Config: base + shoot("one", "blue", a) + shoot("two", "green", b), Check: are(map[string]string{"blue": "a", "green": "b"})},
			{Config: base + shoot("one", "blue", a) + shoot("two", "green", a), PlanOnly: true, ExpectError: refused},
			{Config: base + shoot("one", "blue", a), Check: are(map[string]string{"blue": "a"})},
			{Config: base + "resource \"terraform_data\" \"a\" { input = \"a\" }\n" + shoot("one", "blue", a) + shoot("two", "green", later),
				ExpectError: refused},
			{Config: base + shoot("one", "blue", a), Check: are(map[string]string{"blue": "a"})},
			{Config: base + shoot("one", "teal", a, replaced...), Check: are(map[string]string{"teal": "a"}), ConfigPlanChecks: acceptance.EmptyAfterwards},
			{Config: base + shoot("three", "blue", a, "depends_on = [hap_shoot.one]") + shoot("one", "teal", b, replaced...), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootSecond, "Shoot teal has the labels of Cluster ns/a")},
		},
	})
}

// A destroy of the Shoot of a Cluster warns also where the provider block has no platform, and so does a plan that takes cluster_ref away.
func TestAccShoot_ofAClusterThatIsNotSeen(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	folder := acceptance.NewFolder(t, l.Landscape)
	base := acceptance.Requiring + l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	folder.Write(t, base+acceptance.ShootOf(acceptance.TemplateWith(), `cluster_ref = { namespace = "ns", name = "a" }`))
	acceptance.Run(t, folder, "apply", "-auto-approve")
	for _, plan := range [][]string{{"plan", "-destroy"}, {"plan"}} {
		said := acceptance.Run(t, folder, plan...).Output
		for _, words := range []string{"Warning: " + diagnose.SummaryShootOfCluster, "Shoot blue is that of Cluster ns/a", "Whether the Cluster is there is not known"} {
			if !acceptance.SaysInOrder(said, []string{words}) {
				t.Errorf("%s: no %q in\n%s", plan, words, said)
			}
		}
		folder.Write(t, base+acceptance.ShootOf(acceptance.TemplateWith()))
	}
}

// One Shoot that is imported at two addresses is an error: the destroy of one would take it from the other.
func TestAccShoot_importedAtTwoAddresses(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := acceptance.Requiring + l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	shoot := acceptance.ShootOf(acceptance.TemplateWith())
	first, heir := acceptance.NewFolder(t, l.Landscape), acceptance.NewFolder(t, l.Landscape)
	first.Write(t, base+shoot)
	acceptance.Run(t, first, "apply", "-auto-approve")
	literal := strings.NewReplacer("hap_credentials_binding_claim.one.binding_name", `"aws-1"`,
		"hap_credentials_binding_claim.one.global_account", `"ga-1"`).Replace(shoot)
	config := acceptance.Requiring + l.Provider() + literal + strings.Replace(literal, `"hap_shoot" "one"`, `"hap_shoot" "two"`, 1)
	heir.Write(t, config)
	for _, label := range []string{"one", "two"} {
		acceptance.Run(t, heir, "import", "hap_shoot."+label, "blue")
	}
	refused := heir.Run(t, "plan")
	if refused.ExitCode == 0 || !acceptance.SaysInOrder(refused.Output, []string{"Error: " + diagnose.SummaryShootTwice}) ||
		!acceptance.SaysInOrder(refused.Output, []string{"is in the state at two addresses"}) {
		t.Errorf("exit code %d:\n%s", refused.ExitCode, refused.Output)
	}
	acceptance.Run(t, heir, "state", "rm", "hap_shoot.two")
	heir.Write(t, acceptance.Requiring+l.Provider()+literal)
	acceptance.Run(t, heir, "apply", "-auto-approve")
	acceptance.Run(t, heir, "plan", "-detailed-exitcode")
}
