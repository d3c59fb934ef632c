package provider

import (
	"errors"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// newerTemplate is a template with a field that this provider does not know.
func newerTemplate() string { return acceptance.TemplateWith("purpose:", "newerPurpose:") }

// behindNewer leads a landscape to a Gardener that knows that field.
func behindNewer(t *testing.T, l acceptance.Landscape) acceptance.Landscape {
	t.Helper()
	proxy := fault.NewProxy(t, l.Garden(), fault.ProxyOptions{Wrap: fault.NewerField("purpose", "newerPurpose")})
	l.Kubeconfig = proxy.Kubeconfig(t, l.User)
	return l
}

// A field that is newer than this provider passes where Gardener knows it, and its drift is put right. Where Gardener does not know it the plan
// refuses it, also before the claim has its account.
func TestAccShoot_newerField(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	newer := behindNewer(t, l.Landscape)
	of := func(provider string) string {
		return provider + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ShootOf(newerTemplate())
	}
	purpose := func(want gardencore.ShootPurpose) resource.TestCheckFunc {
		return func(*terraform.State) error {
			shoot, err := l.Live("blue")
			if err == nil && (shoot == nil || shoot.Spec.Purpose == nil) {
				err = errors.New("the field is not there")
			}
			if err != nil {
				return err
			}
			return acceptance.Equal("the field", string(*shoot.Spec.Purpose), string(want))
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{Config: of(l.Provider()), PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryShootRefused, "spec.newerPurpose", "did you mean purpose")},
			{
				Config:            of(newer.Provider()),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ShootValue("ready", knownvalue.Bool(true))},
				Check:             purpose("evaluation"),
			},
			{
				PreConfig: func() {
					shoot, err := l.Live("blue")
					if err != nil {
						t.Fatal(err)
					}
					other := shoot.DeepCopy()
					*other.Spec.Purpose = gardencore.ShootPurposeDevelopment
					if err := l.Garden().AdminClient().Patch(t.Context(), other, client.MergeFrom(shoot)); err != nil {
						t.Fatal(err)
					}
				},
				Config: of(newer.Provider()), Check: purpose("evaluation"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			},
		},
	})
}

// A profile's template is judged by the same Gardener. Who may not ask it is warned, and the template is written.
func TestAccProviderConfig_newerField(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	asking := l
	asking.Landscape = acceptance.ClusterUser(t, l.Landscape)
	newer := asking
	newer.Landscape = behindNewer(t, asking.Landscape)
	of := func(l acceptance.ProfileLandscape, template string) string {
		return l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + l.ConfigOf(template)
	}
	stands := func(*terraform.State) error {
		return acceptance.Equal("the field", l.At("spec", "shootTemplate", "spec", "newerPurpose"), "evaluation")
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: of(asking, newerTemplate()), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootRefused, "spec.newerPurpose", "did you mean purpose")},
			{Config: of(newer, newerTemplate()), Check: stands},
			{
				PreConfig: func() {
					object, err := l.Live()
					if err != nil {
						t.Fatal(err)
					}
					edit.Object(t, l.PlatformCluster.Client(), object, func(object *unstructured.Unstructured) {
						if err := unstructured.SetNestedField(object.Object, "other", "spec", "shootTemplate", "spec", "newerPurpose"); err != nil {
							t.Fatal(err)
						}
					})
				},
				Config: of(newer, newerTemplate()), Check: stands,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("hap_gardener_provider_config.one", plancheck.ResourceActionUpdate)}},
			},
			{Config: of(l, strings.Replace(newerTemplate(), "maximum: 2", "maximum: 3", 1)), Check: stands}, // who may not ask
		},
	})
}
