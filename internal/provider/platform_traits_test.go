package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// twoProfiles writes two profiles of one vendor without workers: one, and red with attributes of its own.
func (l profileLandscape) twoProfiles(red ...string) string {
	second := l.workerless(append([]string{fmt.Sprintf("name = %q", "red-"+l.namespace)}, red...)...)
	return l.workerless() + strings.Replace(second, `"hap_gardener_provider_config" "one"`, `"hap_gardener_provider_config" "red"`, 1)
}

// traitRequest writes the request one with these traits, behind both profiles.
func traitRequest(traits string, extra ...string) string {
	return "resource \"hap_cluster_request\" \"one\" {\n  name = \"one\"\n  purposes = [\"work\"]\n  purpose_definitions = { work = {} }\n" +
		"  traits = " + traits + "\n  depends_on = [hap_gardener_provider_config.one, hap_gardener_provider_config.red]\n" +
		"  deletion_protection = false\n  " + strings.Join(extra, "\n  ") + "\n}\n"
}

// listedProfile expects a profile with these traits among those that are listed.
type listedProfile struct{ name, traits string }

func (p listedProfile) CheckValue(value any) error {
	all, _ := value.([]any)
	for _, one := range all {
		if of, _ := one.(map[string]any); of["name"] == p.name {
			return equal("traits of "+p.name, fmt.Sprint(of["traits"]), p.traits)
		}
	}
	return fmt.Errorf("%s is not listed: %v", p.name, value)
}

func (p listedProfile) String() string { return p.name + " with " + p.traits }

// Traits of one's own distinguish two profiles that are alike otherwise: the trait of the proposal's example is met by the one that says
// so, and is in what is listed. They change in place, and what another party changes of them is taken back.
func TestAccBuiltin_ownTraits(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	const (
		config  = "hap_gardener_provider_config.red"
		listing = "data \"hap_cluster_profiles\" \"all\" {\n  depends_on = [hap_gardener_provider_config.one, hap_gardener_provider_config.red]\n}\n"
	)
	profile := func(name string, has ...string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.hap_cluster_profiles.all", tfjsonpath.New("profiles"),
			listedProfile{"test.gardener." + name + "-" + l.namespace, fmt.Sprint(has)})
	}
	own := l.twoProfiles(`traits = ["foo/bar/baz", "infrastructure/vendor/aws"]`)
	changed := resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(config, plancheck.ResourceActionUpdate),
			plancheck.ExpectResourceAction("hap_cluster_request.one", plancheck.ResourceActionNoop),
		},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
	request := traitRequest(`[{ trait = "foo/bar/baz", optional = true }]`)
	red := l
	red.config = "red-" + l.namespace
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config:      l.builtin() + l.twoProfiles(`traits = ["infrastructure/vendor/gcp"]`),
				PlanOnly:    true,
				ExpectError: errorLike(diagnose.SummaryConfigTraits, "have the trait infrastructure/vendor/aws, which follows from shoot_template"),
			}, {
				Config:      l.builtin() + l.twoProfiles(`traits = ["kubernetes.io/apis/compute"]`),
				PlanOnly:    true,
				ExpectError: errorLike(diagnose.SummaryConfigTraits, "have the trait cluster.openmcp.cloud/workerless"),
			}, {
				Config: l.builtin() + l.twoProfiles(`traits = [""]`), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryConfigTraits, "cannot name a trait"),
			}, {
				Config: l.builtin() + own + request + listing, ConfigPlanChecks: emptyAfterwards,
				Check: red.has(`["foo/bar/baz","infrastructure/vendor/aws"]`, "metadata", "annotations", "hap-project.io/traits"),
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("profile", knownvalue.StringExact("test.gardener.red-"+l.namespace)),
					profile("blue", "cluster.openmcp.cloud/workerless", "infrastructure/vendor/aws"),
					profile("red", "cluster.openmcp.cloud/workerless", "foo/bar/baz", "infrastructure/vendor/aws"),
				},
			}, { // the grant stays
				Config: l.builtin() + l.twoProfiles(`traits = ["foo/bar"]`) + request, ConfigPlanChecks: changed,
				Check: red.has(`["foo/bar"]`, "metadata", "annotations", "hap-project.io/traits"),
			}, {
				PreConfig: func() { red.edit(t, `{"metadata":{"annotations":{"hap-project.io/traits":"[\"theirs\"]"}}}`) },
				Config:    l.builtin() + l.twoProfiles(`traits = ["foo/bar"]`) + request, ConfigPlanChecks: changed,
				Check: red.has(`["foo/bar"]`, "metadata", "annotations", "hap-project.io/traits"),
			}, {
				ResourceName: config, ImportState: true, ImportStateId: red.config, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"timeouts", "shoot_template", "wait_for_profile"},
			}, {
				Config: l.builtin() + l.twoProfiles() + request, ConfigPlanChecks: changed,
				Check: red.has("", "metadata", "annotations", "hap-project.io/traits"),
			},
		},
	})
}
