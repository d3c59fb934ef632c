package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"k8s.io/utils/ptr"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A Cluster is made behind a profile only where the account still is that of the Global Account which the profile is for: freed, cleaned and
// given away meanwhile, it takes none, at plan and right before the Cluster is made.
func TestAccCluster_accountOfTheProfileGivenAway(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.user = l.platform.ServiceAccount(t, l.namespace, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "platform-clusters.yaml")))
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1") +
		l.configOf(templateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")))
	cluster := clusterOf(fmt.Sprintf("namespace = %q", l.namespace), fmt.Sprintf("profile = \"test.gardener.%s\"", l.config), `wait_for = "created"`,
		"depends_on = [hap_gardener_provider_config.one]")
	hold := func(tenant string) { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": ptr.To(tenant)}) }
	without := func(*terraform.State) error {
		return platformLandscape{Platform: l.platform, namespace: l.namespace}.none("Cluster", "one")
	}
	refused := errorLike(diagnose.SummaryNoHost, "account aws-1 is held by Global Account ga-2, and the cluster is for ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + cluster, ExpectError: refused,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{behindThePlan(func() { hold("ga-2") })}},
			},
			{Config: base + cluster, PlanOnly: true, ExpectError: refused},
			{PreConfig: func() { hold("ga-1") }, Config: base, Check: without},
			{Config: base + cluster},
		},
	})
}
