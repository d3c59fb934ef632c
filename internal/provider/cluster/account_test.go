package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"k8s.io/utils/ptr"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A Cluster is made behind a profile only where the account still is that of the Global Account which the profile is for: freed, cleaned and
// given away meanwhile, it takes none, at plan and right before the Cluster is made. So it is where Gardener has named the namespace of the
// project: it adds five characters to the name of the project then.
func TestAccCluster_accountOfTheProfileGivenAway(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	for name, suffix := range map[string]string{"a namespace of the project's name": "", "a namespace that Gardener has named": "-1a2b3"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprintf("p%03x", rand.IntN(1<<12)) //nolint:gosec // no secret depends on it
			ns, err := testbed.Shared(t).MakeNamespace(t.Context(), project+suffix)
			if err != nil {
				t.Fatal(err)
			}
			l := acceptance.NewProfileLandscapeOn(t, acceptance.NewLandscapeIn(t, ns, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}))
			givenAway(t, l, project)
		})
	}
}

func givenAway(t *testing.T, l acceptance.ProfileLandscape, project string) {
	t.Helper()
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "platform-clusters.yaml")))
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", project))
	cluster := acceptance.ClusterOf(fmt.Sprintf("namespace = %q", l.Requests), fmt.Sprintf("profile = \"test.gardener.%s\"", l.Config), `wait_for = "created"`,
		"depends_on = [hap_gardener_provider_config.one]")
	hold := func(tenant string) { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": ptr.To(tenant)}) }
	without := func(*terraform.State) error {
		return acceptance.PlatformLandscape{Platform: l.PlatformCluster, Namespace: l.Requests}.None("Cluster", "one")
	}
	refused := acceptance.ErrorLike(diagnose.SummaryNoHost, "account aws-1 is held by Global Account ga-2, and the cluster is for ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + cluster, ExpectError: refused,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.BehindThePlan(func() { hold("ga-2") })}},
			},
			{Config: base + cluster, PlanOnly: true, ExpectError: refused},
			{PreConfig: func() { hold("ga-1") }, Config: base, Check: without},
			{Config: base + cluster},
		},
	})
}

// An account that gets no answer right before the Cluster is made is no account that takes it: the Cluster is not made. A user who is not
// shown the account makes it.
func TestAccCluster_accountOfTheProfileUnread(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "platform-clusters.yaml")))
	proxy := fault.NewProxy(t, l.Garden(), fault.ProxyOptions{})
	l.Kubeconfig = proxy.Kubeconfig(t, l.User)
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")))
	cluster := l.ClusterOn(fmt.Sprintf("namespace = %q", l.Requests), `wait_for = "created"`)
	behindThePlan := func(with fault.Fault) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.BehindThePlan(func() {
			proxy.Spoil(fault.Rule{Resource: "credentialsbindings", Fault: with})
		})}}
	}
	on := acceptance.PlatformLandscape{Platform: l.PlatformCluster, Namespace: l.Requests}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + cluster, ConfigPlanChecks: behindThePlan(fault.InternalError()),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryUnreachable, "Making Cluster "+l.Requests+"/one"),
			},
			{PreConfig: proxy.Lift, Config: base, Check: func(*terraform.State) error { return on.None("Cluster", "one") }},
			{
				Config: base + cluster, ConfigPlanChecks: behindThePlan(fault.Forbidden()),
				Check: func(*terraform.State) error { proxy.Lift(); on.UID(t, "Cluster", "one"); return nil },
			},
		},
	})
}
