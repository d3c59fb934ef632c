package shoot_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// An import whose ID names an empty namespace, or another one than the provider's, is an error that names both.
func TestAccShoot_importElsewhere(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.Provider() + "resource \"hap_shoot\" \"blue\" {\n  name     = \"blue\"\n  template = \"spec: {}\"\n}\n"
	var steps []resource.TestStep
	for _, id := range []string{"/blue", "garden-other/blue"} {
		steps = append(steps, resource.TestStep{
			Config: config, ResourceName: "hap_shoot.blue", ImportState: true, ImportStateId: id,
			ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "and the provider's is "+l.Name),
		})
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: steps})
}
