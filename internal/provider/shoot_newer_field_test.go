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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// newerTemplate is a template with a field that this provider does not know.
func newerTemplate() string { return templateWith("purpose:", "newerPurpose:") }

// behindNewer leads a landscape to a Gardener that knows that field.
func behindNewer(t *testing.T, l landscape) landscape {
	t.Helper()
	proxy := fault.NewProxy(t, l.Garden(), fault.ProxyOptions{Wrap: fault.NewerField("purpose", "newerPurpose")})
	l.kubeconfig = proxy.Kubeconfig(t, l.user)
	return l
}

// A field that is newer than this provider passes where Gardener knows it, and its drift is put right. Where Gardener does not know it the plan
// refuses it, also before the claim has its account.
func TestAccShoot_newerField(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	newer := behindNewer(t, l.landscape)
	of := func(provider string) string {
		return provider + rulesAWS + claimOf("one", "ga-1") + shootOf(newerTemplate())
	}
	purpose := func(want gardencore.ShootPurpose) resource.TestCheckFunc {
		return func(*terraform.State) error {
			shoot, err := l.live("blue")
			if err == nil && (shoot == nil || shoot.Spec.Purpose == nil) {
				err = errors.New("the field is not there")
			}
			if err != nil {
				return err
			}
			return equal("the field", string(*shoot.Spec.Purpose), string(want))
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noShoot,
		Steps: []resource.TestStep{
			{Config: of(l.provider()), PlanOnly: true, ExpectError: errorLike(diagnose.SummaryShootRefused, "spec.newerPurpose", "did you mean purpose")},
			{
				Config:            of(newer.provider()),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{shootValue("ready", knownvalue.Bool(true))}, Check: purpose("evaluation"),
			},
			{
				PreConfig: func() {
					shoot, err := l.live("blue")
					if err != nil {
						t.Fatal(err)
					}
					other := shoot.DeepCopy()
					*other.Spec.Purpose = gardencore.ShootPurposeDevelopment
					if err := l.Garden().AdminClient().Patch(t.Context(), other, client.MergeFrom(shoot)); err != nil {
						t.Fatal(err)
					}
				},
				Config: of(newer.provider()), Check: purpose("evaluation"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(shootOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			},
		},
	})
}

// A profile's template is judged by the same Gardener. Who may not ask it is warned, and the template is written.
func TestAccProviderConfig_newerField(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	asking := l
	asking.landscape = clusterUser(t, l.landscape)
	newer := asking
	newer.landscape = behindNewer(t, asking.landscape)
	of := func(l profileLandscape, template string) string {
		return l.on(l.user) + rulesAWS + claimOf("one", "ga-1") + l.configOf(template)
	}
	stands := func(*terraform.State) error {
		return equal("the field", l.at("spec", "shootTemplate", "spec", "newerPurpose"), "evaluation")
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: of(asking, newerTemplate()), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryShootRefused, "spec.newerPurpose", "did you mean purpose")},
			{Config: of(newer, newerTemplate()), Check: stands},
			{
				PreConfig: func() {
					object, err := l.live()
					if err != nil {
						t.Fatal(err)
					}
					if err := unstructured.SetNestedField(object.Object, "other", "spec", "shootTemplate", "spec", "newerPurpose"); err != nil {
						t.Fatal(err)
					}
					if err := l.platform.Client().Update(t.Context(), object); err != nil {
						t.Fatal(err)
					}
				},
				Config: of(newer, newerTemplate()), Check: stands,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("hap_gardener_provider_config.one", plancheck.ResourceActionUpdate)}},
			},
			{Config: of(l, strings.Replace(newerTemplate(), "maximum: 2", "maximum: 3", 1)), Check: stands}, // who may not ask
		},
	})
}
