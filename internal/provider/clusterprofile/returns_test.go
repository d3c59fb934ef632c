package clusterprofile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A ProviderConfig that was deleted under its Clusters is not made where the Shoots that have their labels could not be read: one of them
// may be on another account.
func TestAccProviderConfig_deletedUnderClusters_unread(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	proxy := fault.NewProxy(t, l.Garden(), fault.ProxyOptions{})
	l.Kubeconfig = proxy.Kubeconfig(t, l.User)
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`)
	config := base + l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")))
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(func() {
					release = use(t, l, "live")
					spec := testbed.ShootSpec{Name: "bound", Account: "aws-2", Cluster: [2]string{l.Requests, "live"}}
					if err := l.MakeShoots(t.Context(), spec); err != nil {
						t.Error(err)
					}
					proxy.Spoil(fault.Rule{Verb: "list", Resource: "shoots", Fault: fault.CutBefore()})
				})}},
				ExpectError: acceptance.ErrorLike(diagnose.SummaryUnreachable, "Making ProviderConfig"),
			},
			{PreConfig: proxy.Lift, Config: base, Check: l.Gone},
			{Config: config, ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, `bound on CredentialsBinding "aws-2"`)},
			{PreConfig: func() { release(); l.DeleteShoot(t, "bound") }, Config: base},
		},
	})
}
