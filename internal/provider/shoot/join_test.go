package shoot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A Shoot gets the labels of a Cluster that is there only on the account of the Cluster's profile: neither at its making nor later, neither
// at plan nor where the Cluster is known at apply alone. Else the cluster provider would move it, away from all that it has.
func TestAccShoot_joinsOnTheAccountOfTheProfile(t *testing.T) {
	t.Parallel()
	on := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	l := acceptance.ProfileLandscape{Landscape: on.Landscape, PlatformCluster: openmcp.Shared(t)}
	l.Requests = l.PlatformCluster.NewNamespace(t)
	l.Config = "blue-" + l.Requests
	roles := slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"), testbed.RoleExample(t, "platform-clusters.yaml"))
	base := l.On(l.PlatformCluster.ServiceAccount(t, l.Requests, "both", roles)) + acceptance.RulesAWS +
		acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) +
		acceptance.ClaimOf("two", "ga-2", `binding_name = "aws-2"`, "depends_on = [hap_credentials_binding_claim.one]") +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-"))) +
		acceptance.ClusterOf("profile = hap_gardener_provider_config.one.profile_name", `wait_for = "created"`)
	shoot := func(claim, ref string) string {
		return acceptance.ShootOf(acceptance.TemplateWith(), "credentials_binding_name = hap_credentials_binding_claim."+claim+".binding_name",
			`wait_for = "created"`, "cluster_ref = "+ref, "depends_on = [hap_cluster.one]")
	}
	ref := func(name string) string { return fmt.Sprintf("{ namespace = %q, name = %s }", l.Requests, name) }
	later := func(label string) string {
		return fmt.Sprintf("resource \"terraform_data\" %q { input = hap_cluster.one.name }\n", label)
	}
	labels := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			live, err := on.Live("blue")
			if err != nil || live == nil {
				return fmt.Errorf("the Shoot is %v, %w", live, err)
			}
			return acceptance.Equal("the Cluster in the labels", live.Labels["gardener.clusters.openmcp.cloud/cluster-name"], want)
		}
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootMoved, "Cluster "+l.Requests+"/one is there",
		"Shoot "+l.Name+"/blue on CredentialsBinding \"aws-2\"", `brings its clusters to CredentialsBinding "aws-1"`, "cluster_ref")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             on.NoShoot,
		Steps: []resource.TestStep{
			{Config: base},
			{Config: base + shoot("two", ref(`"one"`)), PlanOnly: true, ExpectError: refused},
			{Config: base + later("a") + shoot("two", ref("terraform_data.a.output")), ExpectError: refused},
			{Config: base, Check: on.NoShoot},
			{Config: base + shoot("two", ""), Check: labels("")},
			{Config: base + shoot("two", ref(`"one"`)), PlanOnly: true, ExpectError: refused},
			{Config: base + later("b") + shoot("two", ref("terraform_data.b.output")), ExpectError: refused},
			{Config: base + shoot("two", ref(`"other"`)), Check: labels("other")},
			{Config: base},
			{Config: base + shoot("one", ref(`"one"`)), Check: labels("one"), ConfigPlanChecks: acceptance.EmptyAfterwards},
		},
	})
}
