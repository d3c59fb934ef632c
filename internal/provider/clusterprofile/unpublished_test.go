package clusterprofile_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A template that was written is in the state also where the wait for the profile fails: no later plan takes it for the change of another
// party. The next apply waits again, and writes nothing.
func TestAccProviderConfig_writtenAndUnpublished(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	ear := acceptance.NewEar(nil)
	base := l.On(l.PlatformUser)
	const short, waits = `timeouts = { update = "3s" }`, "wait_for_profile = true"
	var version string
	unpublished := acceptance.ErrorLike(diagnose.SummaryProfileUnpublished, "as test.gardener."+l.Config, "not as wrong.gardener."+l.Config)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: base + l.Workerless("wait_for_profile = false")},
			{
				PreConfig:   func() { l.Profile(t) },
				Config:      base + l.WorkerlessAt("1.34.1", `environment = "wrong"`, waits, short),
				ExpectError: unpublished,
			}, {
				PreConfig: func() {
					if got := l.At("spec", "shootTemplate", "spec", "kubernetes", "version"); got != "1.34.1" {
						t.Errorf("the template was not written: %s", got)
					}
					version = l.At("metadata", "resourceVersion")
				},
				Config:      base + l.WorkerlessAt("1.34.1", `environment = "wrong"`, waits, short),
				ExpectError: unpublished,
			}, {
				Config:           base + l.WorkerlessAt("1.34.1", waits, short),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					return errors.Join(acceptance.Equal("resourceVersion", l.At("metadata", "resourceVersion"), version), ear.Silent(diagnose.SummaryConfigDrift))
				},
			},
		},
	})
}
