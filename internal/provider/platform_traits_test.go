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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// twoProfiles writes two profiles of one vendor without workers: one, and red with attributes of its own.
func twoProfiles(l acceptance.ProfileLandscape, red ...string) string {
	second := l.Workerless(append([]string{fmt.Sprintf("name = %q", "red-"+l.Requests)}, red...)...)
	return l.Workerless() + strings.Replace(second, `"hap_gardener_provider_config" "one"`, `"hap_gardener_provider_config" "red"`, 1)
}

// traitRequest writes the request one with these traits, after both profiles.
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
			return acceptance.Equal("traits of "+p.name, fmt.Sprint(of["traits"]), p.traits)
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
			listedProfile{"test.gardener." + name + "-" + l.Requests, fmt.Sprint(has)})
	}
	own := twoProfiles(l, `traits = ["foo/bar/baz", "infrastructure/vendor/aws"]`)
	changed := resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(config, plancheck.ResourceActionUpdate),
			plancheck.ExpectResourceAction("hap_cluster_request.one", plancheck.ResourceActionNoop),
		},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
	request := traitRequest(`[{ trait = "foo/bar/baz", optional = true }]`)
	red := l
	red.Config = "red-" + l.Requests
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config:      l.Builtin() + twoProfiles(l, `traits = ["infrastructure/vendor/gcp"]`),
				PlanOnly:    true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryConfigTraits, "have the trait infrastructure/vendor/aws, which follows from shoot_template"),
			}, {
				Config:      l.Builtin() + twoProfiles(l, `traits = ["kubernetes.io/apis/compute"]`),
				PlanOnly:    true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryConfigTraits, "have the trait cluster.openmcp.cloud/workerless"),
			}, {
				Config: l.Builtin() + twoProfiles(l, `traits = [""]`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryConfigTraits, "cannot name a trait"),
			}, {
				Config: l.Builtin() + own + request + listing, ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: red.Has(`["foo/bar/baz","infrastructure/vendor/aws"]`, "metadata", "annotations", "hap-project.io/traits"),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("profile", knownvalue.StringExact("test.gardener.red-"+l.Requests)),
					profile("blue", "cluster.openmcp.cloud/workerless", "infrastructure/vendor/aws"),
					profile("red", "cluster.openmcp.cloud/workerless", "foo/bar/baz", "infrastructure/vendor/aws"),
				},
			}, { // the grant stays
				Config: l.Builtin() + twoProfiles(l, `traits = ["foo/bar"]`) + request, ConfigPlanChecks: changed,
				Check: red.Has(`["foo/bar"]`, "metadata", "annotations", "hap-project.io/traits"),
			}, {
				PreConfig: func() { red.Edit(t, `{"metadata":{"annotations":{"hap-project.io/traits":"[\"theirs\"]"}}}`) },
				Config:    l.Builtin() + twoProfiles(l, `traits = ["foo/bar"]`) + request, ConfigPlanChecks: changed,
				Check: red.Has(`["foo/bar"]`, "metadata", "annotations", "hap-project.io/traits"),
			}, {
				ResourceName: config, ImportState: true, ImportStateId: red.Config, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"timeouts", "shoot_template", "wait_for_profile"},
			}, {
				Config: l.Builtin() + twoProfiles(l) + request, ConfigPlanChecks: changed,
				Check: red.Has("", "metadata", "annotations", "hap-project.io/traits"),
			},
		},
	})
}

// Operators and equivalences decide alike in the preview and in the grant, and are kept with the request: another plan changes nothing, and
// other equivalences are an update in place.
func TestAccBuiltin_operators(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	base := l.Builtin() + twoProfiles(l, `traits = ["foo/bar/baz"]`)
	profile := func(name string) knownvalue.Check {
		return knownvalue.StringExact("test.gardener." + name + "-" + l.Requests)
	}
	preview := func(traits string, extra ...string) string {
		return strings.NewReplacer(`resource "hap_cluster_request" "one"`, `data "hap_cluster_schedule" "one"`, `name = "one"`, `name = "other"`,
			"  deletion_protection = false\n", "").Replace(traitRequest(traits, extra...))
	}
	steps := []resource.TestStep{{Config: base}, refreshed(t, l, base, l.Config, "red-"+l.Requests), {
		Config:      base + traitRequest(`[{ one_of = ["foo/bar/baz", "infrastructure/vendor/aws"] }, { trait = "foo/bar/baz" }]`),
		PlanOnly:    true,
		ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "(NoProfileMeetsAll)", "exactly one of the traits foo/bar/baz xor infrastructure/vendor/aws"),
	}}
	for _, c := range []struct{ traits, extra, profile string }{
		{`[{ all_of = ["foo/bar/baz", "cluster.openmcp.cloud/workerless"] }]`, "", "red"},
		{`[{ trait = "infrastructure/vendor/aws" }, { one_of = ["foo/bar/baz", "cluster.openmcp.cloud/workerless"] }]`, "", "blue"},
		{`[{ any_of = ["foo/bar/baz", "no/such"] }]`, "", "red"},
		{`[{ trait = "theirs" }]`, `trait_equivalences = [["foo/bar/baz", "ours"], ["theirs", "ours"]]`, "red"},
		{`[{ trait = "infrastructure/vendor/aws" }, { trait = "theirs", negated = true }]`, `trait_equivalences = [["foo/bar/baz", "theirs"]]`, "blue"},
	} {
		steps = append(steps, resource.TestStep{
			Config: base + traitRequest(c.traits, c.extra) + preview(c.traits, c.extra), ConfigPlanChecks: acceptance.EmptyAfterwards,
			ConfigStateChecks: []statecheck.StateCheck{
				acceptance.RequestValue("profile", profile(c.profile)),
				statecheck.ExpectKnownValue("data.hap_cluster_schedule.one", tfjsonpath.New("profile"), profile(c.profile)),
			},
		})
	}
	negated := `[{ trait = "infrastructure/vendor/aws" }, { trait = "theirs", negated = true }]`
	steps = append(steps, resource.TestStep{
		Config: base + traitRequest(negated),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction("hap_cluster_request.one", plancheck.ResourceActionUpdate)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
		ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("profile", profile("blue"))},
	})
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: steps})
}
