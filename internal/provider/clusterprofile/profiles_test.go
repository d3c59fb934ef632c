package clusterprofile_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const configOne = "hap_gardener_provider_config.one"

// use has a Cluster use the profile. The returned function takes it away again.
func use(t *testing.T, l acceptance.ProfileLandscape, name string) (release func()) {
	t.Helper()
	cluster := openmcp.New("Cluster", l.Requests, name)
	cluster.Object["spec"] = map[string]any{"profile": "test.gardener." + l.Config, "tenancy": "Exclusive", "purposes": []any{"mcp"}}
	if err := l.PlatformCluster.Client().Create(context.Background(), cluster); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := l.PlatformCluster.Client().Delete(context.Background(), cluster); err != nil {
			t.Fatal(err)
		}
		for {
			err := l.PlatformCluster.Client().Get(context.Background(), client.ObjectKeyFromObject(cluster), cluster)
			if apierrors.IsNotFound(err) || t.Context().Err() != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func configValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(configOne, tfjsonpath.New(attribute), check)
}

// configPlan expects an action, and an empty plan afterwards.
func configPlan(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             append(more, plancheck.ExpectResourceAction(configOne, action)),
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// A profile is tied to a claimed account, changes in place, loses what its template names no longer, is imported, and goes.
func TestAccProviderConfig_life(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{
				Config: base + l.ConfigOf(acceptance.TemplateWith(), `labels = { stage = "dev", team = "a" }`,
					`enforced_shoot_extensions = yamlencode([{ type = "shoot-oidc-service" }])`),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate,
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("profile_name"), knownvalue.StringExact("test.gardener."+l.Config)),
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("id"), knownvalue.StringExact(l.Config))),
				ConfigStateChecks: []statecheck.StateCheck{
					configValue("credentials_binding_name", knownvalue.StringExact("aws-1")), configValue("phase", knownvalue.Null()),
					configValue("provider_ref", knownvalue.StringExact("gardener")),
				},
				Check: resource.ComposeTestCheckFunc(
					l.Has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"), l.Has("canary", "spec", "landscapeRef", "name"),
					l.Has("gardener", "spec", "providerRef", "name"), l.Has("my-project", "spec", "project"),
					l.Has("evaluation", "spec", "shootTemplate", "spec", "purpose"), l.Has("a", "metadata", "labels", "team"),
					l.Has("[map[type:shoot-oidc-service]]", "spec", "enforcedShootExtensions"),
				),
			}, {
				PreConfig: func() {
					uid = l.At("metadata", "uid")
					object, err := l.Live()
					if err == nil {
						err = l.PlatformCluster.Client().Status().Patch(t.Context(), object, client.RawPatch("application/merge-patch+json",
							[]byte(`{"status":{"phase":"Ready","conditions":[{"type":"Reconciled","status":"True"}]}}`)))
					}
					if err != nil {
						t.Error(err)
					}
				},
				Config:           base + l.ConfigOf(acceptance.TemplateWith("  purpose: evaluation\n", "", "1.33.2", "1.34.1"), `labels = { stage = "dev" }`),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					configValue("phase", knownvalue.StringExact("Ready")),
					configValue("conditions", knownvalue.MapExact(map[string]knownvalue.Check{"Reconciled": knownvalue.StringExact("True")})),
				},
				Check: resource.ComposeTestCheckFunc(
					func(*terraform.State) error { return acceptance.Equal("uid", l.At("metadata", "uid"), uid) },
					l.Has("", "spec", "shootTemplate", "spec", "purpose"), l.Has("1.34.1", "spec", "shootTemplate", "spec", "kubernetes", "version"),
					l.Has("", "metadata", "labels", "team"), l.Has("", "spec", "enforcedShootExtensions"),
					l.Has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
				),
			}, {
				PreConfig: func() { // another party's change is shown, and taken back in place
					l.Edit(t, `{"spec":{"shootTemplate":{"spec":{"purpose":"production","region":"region-2"}}},"metadata":{"labels":{"stage":"live"}}}`)
				},
				Config:           base + l.ConfigOf(acceptance.TemplateWith("  purpose: evaluation\n", "", "1.33.2", "1.34.1"), `labels = { stage = "dev" }`),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.Has("", "spec", "shootTemplate", "spec", "purpose"),
					l.Has("region-1", "spec", "shootTemplate", "spec", "region"), l.Has("dev", "metadata", "labels", "stage")),
			}, {
				Config: base + l.ConfigOf(acceptance.TemplateWith("  purpose: evaluation\n", "", "1.33.2", "1.34.1"), `labels = { stage = "dev" }`,
					`environment = "canary"`), // sends nothing
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate,
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("profile_name"), knownvalue.StringExact("canary.gardener."+l.Config)),
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("phase"), knownvalue.StringExact("Ready"))),
			}, {
				ResourceName: configOne, ImportState: true, ImportStateId: l.Config, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{
					"labels", "timeouts", "environment", "profile_name", "global_account", "shoot_template", "wait_for_profile",
				},
			},
		},
	})
}

// What another party changes of a template is reported by its paths, and taken back in place; a template that says the same in other words
// plans nothing, also after an import.
func TestAccProviderConfig_drift(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	text, err := yaml.YAMLToJSON([]byte(acceptance.TemplateWith()))
	if err != nil {
		t.Fatal(err)
	}
	inJSON := l.ConfigOf(string(text), `enforced_shoot_extensions = "[{type: x}]"`)
	config := base + l.ConfigOf(acceptance.TemplateWith(), `enforced_shoot_extensions = jsonencode([{ type = "x" }])`)
	edit := func(change string) func() {
		return func() { l.Edit(t, `{"spec":{"shootTemplate":{"spec":`+change+`}}}`) }
	}
	ear := acceptance.NewEar(nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: config},
			{Config: base + inJSON, ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop)},
			{
				PreConfig: edit(`{"purpose":"production","region":null}`),
				Config:    config, ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.Has("evaluation", "spec", "shootTemplate", "spec", "purpose"),
					l.Has("region-1", "spec", "shootTemplate", "spec", "region")),
			}, {
				PreConfig: edit(`{"secretBindingName":"theirs"}`),
				Config:    config, ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.Has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
					l.Has("", "spec", "shootTemplate", "spec", "secretBindingName")),
			}, {
				ResourceName: configOne, ImportState: true, ImportStateId: l.Config,
				ImportStateCheck: func(states []*terraform.InstanceState) error { // no profile is published
					_, there := states[0].Attributes["profile_name"]
					return acceptance.Equal("profile_name", fmt.Sprint(there), "false")
				},
			}, {
				Config: base + "removed {\n  from = " + configOne + "\n  lifecycle {\n    destroy = false\n  }\n}\n",
			}, { // what the configuration alone knows comes to the state, and nothing is sent
				Config: base + inJSON + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", configOne, l.Config),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate,
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("phase"), knownvalue.Null())),
			},
		},
	})
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryConfigDrift, "", "- spec.purpose\n  - spec.region\n")
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryConfigProject, "project", "project my-project", "in namespace "+l.Name)
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryConfigDrift, "",
		`its account is CredentialsBinding "aws-1" and SecretBinding "theirs"`)
}

// The account of a profile that Clusters use does not change, and the profile does not go; without them it is made anew.
func TestAccProviderConfig_usedByClusters(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) + acceptance.ClaimOf("two", "ga-2", `binding_name = "aws-2"`)
	other := []string{"credentials_binding_name = hap_credentials_binding_claim.two.binding_name",
		"global_account = hap_credentials_binding_claim.two.global_account"}
	var uid string
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: base}, // a plan does not know that a claim is going to take this account
			{Config: base + l.ConfigOf(acceptance.TemplateWith())},
			{
				PreConfig:   func() { uid = l.At("metadata", "uid"); release = use(t, l, "live") },
				Config:      base + l.ConfigOf(acceptance.TemplateWith(), other...),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "its account cannot change from", l.Requests+"/live", "-refresh=false"),
			}, {
				Config:      base + l.ConfigOf(acceptance.TemplateWith(), `project = "another"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "its project cannot change from", l.Requests+"/live"),
			}, {
				Config:      base + l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("name = %q", l.Config+"-2")),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "it cannot be replaced by another", l.Requests+"/live"),
			}, {
				Config:      base + l.ConfigOf(acceptance.TemplateWith(), `provider_ref = "other"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "it cannot be replaced by another"),
			}, { // the environment is no way around it
				Config:      base + l.ConfigOf(acceptance.TemplateWith(), append(other, `environment = "elsewhere"`)...),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "its account cannot change"),
			}, {
				Config:      base,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "it cannot be deleted", l.Requests+"/live"),
			}, {
				PreConfig:   func() { l.Edit(t, `{"spec":{"shootTemplate":{"spec":{"credentialsBindingName":"aws-2"}}}}`) },
				Config:      base + l.ConfigOf(acceptance.TemplateWith()), // another party has moved it
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "its account cannot change from \"aws-2\" to \"aws-1\""),
			}, {
				PreConfig:        func() { l.Edit(t, `{"spec":{"shootTemplate":{"spec":{"credentialsBindingName":"aws-1"}}}}`) },
				Config:           base + l.ConfigOf(acceptance.TemplateWith("1.33.2", "1.34.1")), // the rest changes in place
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check:            func(*terraform.State) error { return acceptance.Equal("uid", l.At("metadata", "uid"), uid) },
			}, {
				PreConfig:        func() { release() },
				Config:           base + l.ConfigOf(acceptance.TemplateWith(), other...),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionDestroyBeforeCreate),
				Check: func(*terraform.State) error {
					if l.At("metadata", "uid") == uid {
						return fmt.Errorf("it is the same object")
					}
					return acceptance.Equal("account", l.At("spec", "shootTemplate", "spec", "credentialsBindingName"), "aws-2")
				},
			},
		},
	})
}

// The same name under another kind of binding is another account: a profile that Clusters use stays where it is, and one that none uses
// goes only to an account that takes clusters.
func TestAccProviderConfig_anotherKind(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	// The claim stays in the Garden, and is no business of a pool of SecretBindings.
	literal := "removed {\n  from = hap_credentials_binding_claim.one\n  lifecycle {\n    destroy = false\n  }\n}\n" +
		l.ConfigOf(acceptance.TemplateWith(), `credentials_binding_name = "aws-1"`, `global_account = "ga-1"`)
	secret := l.On(l.PlatformUser, `  pool = { kind = "SecretBinding" }`) + literal
	var release func()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: base},
			{Config: base + l.ConfigOf(acceptance.TemplateWith())},
			{Config: l.On(l.PlatformUser) + literal},
			{
				PreConfig: func() { release = use(t, l, "live") },
				Config:    secret, ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed,
					`its account cannot change from CredentialsBinding "aws-1" to SecretBinding "aws-1"`, l.Requests+"/live"),
			}, {
				PreConfig: func() { release() }, // the account is looked at, where the user may see CredentialsBindings alone
				Config:    secret, ExpectError: acceptance.ErrorLike(diagnose.SummaryForbidden, "secretbindings"),
			}, {
				Config: l.On(l.PlatformUser) + literal, ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop),
				Check: resource.ComposeTestCheckFunc(l.Has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
					l.Has("", "spec", "shootTemplate", "spec", "secretBindingName")),
			},
		},
	})
}

// A Cluster that comes between plan and apply is seen: the account of a profile is looked at again just before the write.
func TestAccProviderConfig_usedMeanwhile(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ClaimOf("two", "ga-2")
	var uid string
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: base + l.ConfigOf(acceptance.TemplateWith()), Check: func(*terraform.State) error { uid = l.At("metadata", "uid"); return nil }},
			{
				Config: base + l.ConfigOf(acceptance.TemplateWith(), "credentials_binding_name = hap_credentials_binding_claim.two.binding_name",
					"global_account = hap_credentials_binding_claim.two.global_account"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(func() {
					release = use(t, l, "meanwhile")
				})}},
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "it cannot be deleted", l.Requests+"/meanwhile"),
			}, {
				PreConfig:        func() { release() },
				Config:           base + l.ConfigOf(acceptance.TemplateWith()),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop),
				Check:            func(*terraform.State) error { return acceptance.Equal("uid", l.At("metadata", "uid"), uid) },
			},
		},
	})
}

// An account that is known only at the apply is compared there: a profile that Clusters use stays where it is.
func TestAccProviderConfig_accountKnownLater(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) + acceptance.ClaimOf("two", "ga-2", `binding_name = "aws-2"`)
	on := func(account, purpose string) string {
		return base + fmt.Sprintf("resource \"terraform_data\" \"account\" {\n  input = %q\n  depends_on = [hap_credentials_binding_claim.one]\n}\n", account) +
			l.ConfigOf(acceptance.TemplateWith("evaluation", purpose), "credentials_binding_name = terraform_data.account.output",
				fmt.Sprintf("global_account = %q", strings.Replace(account, "aws", "ga", 1)))
	}
	var uid string
	var release func()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: on("aws-1", "evaluation"), Check: func(*terraform.State) error { uid = l.At("metadata", "uid"); return nil }},
			{
				PreConfig:   func() { release = use(t, l, "live") },
				Config:      on("aws-2", "production"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "its account cannot change from \"aws-1\" to \"aws-2\"", l.Requests+"/live"),
			}, {
				Config:           on("aws-1", "production"),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.Has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
					func(*terraform.State) error { release(); return acceptance.Equal("uid", l.At("metadata", "uid"), uid) }),
			}, { // no Cluster is in the way: it is made anew
				Config:           on("aws-2", "production"),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionDestroyBeforeCreate),
				Check:            l.Has("aws-2", "spec", "shootTemplate", "spec", "credentialsBindingName"),
			},
		},
	})
}

// An account that another party puts into the profile between plan and apply is not put back under its Clusters.
func TestAccProviderConfig_movedMeanwhile(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) + acceptance.ClaimOf("two", "ga-2", `binding_name = "aws-2"`)
	account := func(name string) {
		l.Edit(t, fmt.Sprintf(`{"spec":{"shootTemplate":{"spec":{"credentialsBindingName":%q}}}}`, name))
	}
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: base},
			{Config: base + l.ConfigOf(acceptance.TemplateWith())},
			{
				Config: base + l.ConfigOf(acceptance.TemplateWith("evaluation", "production")),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(func() {
					account("aws-2")
					release = use(t, l, "live")
				})}},
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, "its account cannot change from \"aws-2\" to \"aws-1\"", l.Requests+"/live"),
			}, {
				PreConfig: func() { release(); account("aws-1") },
				Config:    base + l.ConfigOf(acceptance.TemplateWith("evaluation", "production")), ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
			},
		},
	})
}

// A ProviderConfig that was deleted by hand under its Clusters comes back only with the account and the project of their Shoots, at plan
// and at apply, whether the Garden shows these or the Cluster names them. A Cluster that no provider has served yet does not count as live.
func TestAccProviderConfig_deletedUnderClusters(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	project := strings.TrimPrefix(l.Name, "garden-")
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) + acceptance.ClaimOf("two", "ga-2", `binding_name = "aws-2"`)
	of := func(attributes ...string) string {
		return base + l.ConfigOf(acceptance.TemplateWith(), append([]string{fmt.Sprintf("project = %q", project)}, attributes...)...)
	}
	other := of("credentials_binding_name = hap_credentials_binding_claim.two.binding_name",
		"global_account = hap_credentials_binding_claim.two.global_account")
	take := func() {
		object, err := l.Live()
		if err == nil {
			err = l.PlatformCluster.Client().Delete(t.Context(), object)
		}
		if err != nil {
			t.Error(err)
		}
	}
	elsewhere := func(shoot string) *regexp.Regexp {
		return acceptance.ErrorLike(diagnose.SummaryProfileUsed, l.Requests+"/live", shoot, `on CredentialsBinding "aws-1"`, "Nothing was written")
	}
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: base},
			{Config: of()},
			{
				PreConfig: func() {
					take()
					release = use(t, l, "live")
					toldOf(t, l, "live", map[string]any{"phase": "Ready"})
				},
				Config: other, ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, l.Requests+"/live", "its Shoot cannot be seen"),
			}, {
				PreConfig: func() {
					spec := testbed.ShootSpec{Name: "bound", Account: "aws-1", Cluster: [2]string{l.Requests, "live"}}
					if err := l.MakeShoots(t.Context(), spec); err != nil {
						t.Error(err)
					}
				},
				Config: other, ExpectError: elsewhere(l.Name + "/bound"),
			}, {
				Config:      of(`project = "another"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUsed, `in project "another"`, l.Requests+"/live"),
			},
			{Config: of(), ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate), Check: l.Has("aws-1", "spec", "shootTemplate", "spec",
				"credentialsBindingName")},
			{
				PreConfig: func() {
					take()
					toldOf(t, l, "live", map[string]any{"providerStatus": map[string]any{"shoot": map[string]any{
						"metadata": map[string]any{"namespace": l.Name, "name": "told"},
						"spec":     map[string]any{"credentialsBindingName": "aws-1"},
					}}})
					l.DeleteShoot(t, "bound")
				},
				Config: other, ExpectError: elsewhere(l.Name + "/told"),
			},
			{Config: of(), ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate)},
			{PreConfig: func() { release() }, Config: of(), ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop)},
		},
	})
}

// toldOf has the cluster provider tell something of a Cluster.
func toldOf(t *testing.T, l acceptance.ProfileLandscape, name string, status map[string]any) {
	t.Helper()
	cluster := openmcp.New("Cluster", l.Requests, name)
	err := l.PlatformCluster.Client().Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster)
	if err == nil {
		base := cluster.DeepCopy()
		now, _, _ := unstructured.NestedMap(cluster.Object, "status")
		if now == nil {
			now = map[string]any{"observedGeneration": cluster.GetGeneration()}
		}
		maps.Copy(now, status)
		cluster.Object["status"] = now
		err = l.PlatformCluster.Client().Status().Patch(t.Context(), cluster, client.MergeFrom(base))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A plan that knows nothing of a Cluster yet is no way around it, nor one that does not know the account: the apply looks again.
func TestAccProviderConfig_deletedUnderClusters_meanwhile(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("two", "ga-2", `binding_name = "aws-2"`)
	project := fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-"))
	later := "resource \"terraform_data\" \"later\" { input = hap_credentials_binding_claim.two.binding_name }\n"
	refused := acceptance.ErrorLike(diagnose.SummaryProfileUsed, "Clusters live by the profile", `bound on CredentialsBinding "aws-1"`)
	live := func() {
		spec := testbed.ShootSpec{Name: "bound", Account: "aws-1", Cluster: [2]string{l.Requests, "live"}}
		if err := l.MakeShoots(t.Context(), spec); err != nil {
			t.Error(err)
		}
		t.Cleanup(use(t, l, "live"))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: base + l.ConfigOf(acceptance.TemplateWith(), project, `credentials_binding_name = "aws-2"`, `global_account = "ga-2"`,
					"depends_on = [hap_credentials_binding_claim.two]"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(live)}},
				ExpectError:      refused,
			}, {
				Config: base + later + l.ConfigOf(acceptance.TemplateWith(), project, "credentials_binding_name = terraform_data.later.output",
					`global_account = "ga-2"`),
				ExpectError: refused,
			},
			{Config: base, Check: l.Gone},
		},
	})
}

// A Cluster adopts no Shoot that its profile would move: neither one that a plan sees, nor one that comes later. One on the account of the
// profile is adopted.
func TestAccCluster_adoptsOnItsAccount(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	roles := slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"), testbed.RoleExample(t, "platform-clusters.yaml"))
	user := l.PlatformCluster.ServiceAccount(t, l.Requests, "both", roles)
	base := l.On(user) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")))
	config := base + acceptance.ClusterOf("profile = hap_gardener_provider_config.one.profile_name", `wait_for = "created"`)
	shoot := func(account string) func() {
		return func() {
			spec := testbed.ShootSpec{Name: "bound", Account: account, Cluster: [2]string{l.Requests, "one"}}
			if err := l.MakeShoots(t.Context(), spec); err != nil {
				t.Error(err)
			}
		}
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootMoved, "Shoot "+l.Name+"/bound on CredentialsBinding \"aws-2\"", l.Requests+"/one",
		`brings its clusters to CredentialsBinding "aws-1"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{
				Config: config, ExpectError: refused, // the plan comes before the profile
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(shoot("aws-2"))}},
			},
			{Config: config, ExpectError: refused},
			{PreConfig: func() { l.DeleteShoot(t, "bound"); shoot("aws-1")() }, Config: config, ConfigPlanChecks: acceptance.EmptyAfterwards},
			{PreConfig: func() { l.DeleteShoot(t, "bound") }, Config: base},
		},
	})
}

// A plan that ends a Cluster says that the Shoot goes along which a hap_shoot has made, whatever protects that.
func TestAccCluster_takesItsShootAlong(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	user := l.PlatformCluster.ServiceAccount(t, l.Requests, "clusters", testbed.RoleExample(t, "platform-clusters.yaml"))
	ear := acceptance.NewEar(nil)
	config := l.On(user) + acceptance.ClusterOf()
	told := func(annotations map[string]any) func() {
		return func() {
			toldOf(t, l, "one", map[string]any{"providerStatus": map[string]any{"shoot": map[string]any{
				"metadata": map[string]any{"namespace": l.Name, "name": "first", "annotations": annotations},
			}}})
		}
	}
	mine := map[string]any{"hap-project.io/shoot-configuration": "0123"}
	warned := func(want bool) plancheck.PlanCheck {
		return acceptance.AfterThePlan(func() {
			if want {
				ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootAlong, "", "Cluster "+l.Requests+"/one", "Shoot "+l.Name+"/first",
					"deletion_protection")
			} else if slices.Contains(ear.Summaries(tfprotov6.DiagnosticSeverityWarning), diagnose.SummaryShootAlong) {
				t.Error("a Shoot of the cluster provider's own is reported")
			}
		})
	}
	checks := func(want bool) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{warned(want)}}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{PreConfig: told(map[string]any{}), Config: l.On(user), ConfigPlanChecks: checks(false)}, // one that the provider itself has made
			{Config: config},
			{PreConfig: told(mine), Config: l.On(user) + acceptance.ClusterOf(`name = "two"`), ConfigPlanChecks: checks(true)},
		},
	})
}

// An account that is lost between plan and apply takes no profile: it is looked at again just before the write.
func TestAccProviderConfig_accountLostMeanwhile(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	dirty := "true"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + l.ConfigOf(acceptance.TemplateWith()),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(func() {
					l.PatchLabels(t, "aws-1", map[string]*string{"dirty": &dirty})
				})}},
				ExpectError: acceptance.ErrorLike(diagnose.SummaryNoHost, "aws-1"),
			},
			{Config: base, Check: l.Gone, PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"dirty": nil}) }},
		},
	})
}

// An account takes a profile only where it is held, by the Global Account that the clusters are for, and bears a claim.
func TestAccProviderConfig_account(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-9"}, testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	wrong := func(summary, account, globalAccount string, words ...string) resource.TestStep {
		return resource.TestStep{PlanOnly: true, Config: base + l.ConfigOf(acceptance.TemplateWith(), "credentials_binding_name = "+account,
			"global_account = "+globalAccount), ExpectError: acceptance.ErrorLike(summary, words...)}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: base},
			{ // a claim of this run names the account, which no Global Account holds yet
				PlanOnly: true, ExpectNonEmptyPlan: true,
				Config: base + acceptance.ClaimOf("two", "ga-3", `binding_name = "aws-3"`) + l.ConfigOf(acceptance.TemplateWith(),
					"credentials_binding_name = hap_credentials_binding_claim.two.binding_name", `global_account = "ga-3"`),
			},
			wrong(diagnose.SummaryNoTenant, `"aws-2"`, "null", "account aws-2 is dedicated"),
			wrong(diagnose.SummaryNoHost, `"aws-2"`, `"ga-9"`, "held by Global Account ga-9, and no claim is on it"),
			wrong(diagnose.SummaryNoHost, `"aws-3"`, "null", "no Global Account holds account aws-3"),
			wrong(diagnose.SummaryNoHost, "hap_credentials_binding_claim.one.binding_name", `"ga-2"`, "and the cluster is for ga-2"),
			wrong(diagnose.SummaryAccountNotFound, `"aws-7"`, "null", "aws-7"),
			{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"tenant-name": new("ga-2")}) }, Config: base},
			wrong(diagnose.SummaryNoHost, `"aws-1"`, `"ga-1"`, "in doubt whose account aws-1 is (tenant-name=ga-2)"),
			{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"tenant-name": nil}) }, Config: base, Check: l.Gone},
		},
	})
}

// What is wrong is reported at the plan, at its attribute, and nothing is written.
func TestAccProviderConfig_wrongInputs(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.Landscape = acceptance.ClusterUser(t, l.Landscape) // who may ask Gardener
	base := l.On(l.PlatformUser)
	of := func(template string, attributes ...string) string {
		return base + l.ConfigOf(template, append([]string{"global_account =", `credentials_binding_name = "aws-1"`}, attributes...)...)
	}
	workerless, _, _ := strings.Cut(acceptance.TemplateWith(), "    workers:")
	secretBindings := l.On(l.PlatformUser, `  pool = { kind = "SecretBinding" }`)
	secrets := l.On(l.PlatformUser, `  pool = { kind = "Secret" }`)
	steps := []resource.TestStep{}
	for _, test := range []struct {
		config, summary string
		words           []string
	}{
		{of(acceptance.TemplateWith("region:", "regoin:")), diagnose.SummaryShootRefused, []string{"spec.regoin", "did you mean region"}},
		{of(acceptance.TemplateWith("purpose: evaluation", "credentialsBindingName: aws-2")), diagnose.SummaryTemplateAccount,
			[]string{"credentialsBindingName: aws-2", "and credentials_binding_name account aws-1"}},
		{of(acceptance.TemplateWith("purpose: evaluation", "secretBindingName: aws-1")), diagnose.SummaryTemplateAccount, []string{"secretBindingName: aws-1"}},
		{of(acceptance.TemplateWith("purpose: evaluation", "credentialsBindingName: aws-1\n  secretBindingName: theirs")), diagnose.SummaryTemplateAccount,
			[]string{"credentialsBindingName: aws-1, secretBindingName: theirs"}},
		{of(acceptance.TemplateWith(), "credentials_binding_name ="), diagnose.SummaryShootAccount, []string{"their machines need an account"}},
		{of(workerless), diagnose.SummaryShootAccount, []string{"gives a cluster without workers no account"}},
		{of("just a text"), diagnose.SummaryTemplate, []string{"it is no object"}},
		{of(acceptance.TemplateWith(), `enforced_shoot_extensions = "type: x"`), diagnose.SummaryExtensions, []string{"extensions"}},
		{of(acceptance.TemplateWith(), `enforced_shoot_extensions = yamlencode([{ typ = "x" }])`), diagnose.SummaryExtensions, []string{"did you mean type"}},
		{of(acceptance.TemplateWith(), `name = "Blue_1"`), "Invalid Attribute Value Match", []string{"small letters"}},
		{of(acceptance.TemplateWith(), `project = ""`), "Invalid Attribute Value", []string{"project"}},
		{of(acceptance.TemplateWith(), `landscape_ref =`), "Missing required argument", []string{"landscape_ref"}},
		{of(acceptance.TemplateWith(), `environment =`), "Missing required argument", []string{"environment"}},
		{secretBindings + strings.TrimPrefix(of(acceptance.TemplateWith("1.33.2", "1.34.0")), base), diagnose.SummaryShootAccount,
			[]string{"from 1.34 on Gardener takes no secretBindingName"}},
		{secrets + strings.TrimPrefix(of(acceptance.TemplateWith()), base), diagnose.SummaryNoHost, []string{"The accounts of this pool are Secrets"}},
		{l.Landscape.Provider() + strings.TrimPrefix(of(acceptance.TemplateWith()), base), diagnose.SummaryNoPlatform, []string{"platform"}},
		{of(acceptance.TemplateWith()) + strings.Replace(l.ConfigOf(workerless, "credentials_binding_name =", "global_account ="), `"one"`, `"two"`, 1),
			diagnose.SummaryConfigTwice, []string{"is declared twice"}},
	} {
		steps = append(steps, resource.TestStep{Config: test.config, PlanOnly: true, ExpectError: acceptance.ErrorLike(test.summary, test.words...)})
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: steps, CheckDestroy: l.Gone})
}

// One that exists already is never seized, and one that is gone is made again.
func TestAccProviderConfig_existsAndGoes(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	workerless, _, _ := strings.Cut(acceptance.TemplateWith(), "    workers:")
	config := l.On(l.PlatformUser) + l.ConfigOf(workerless, "credentials_binding_name =", "global_account =")
	take := func() {
		object, err := l.Live()
		if err == nil {
			err = l.PlatformCluster.Client().Delete(t.Context(), object)
		}
		if err != nil {
			t.Error(err)
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{
				PreConfig: func() { l.Make(t, map[string]any{}) },
				Config:    config, ExpectError: acceptance.ErrorLike(diagnose.SummaryConfigExists, "an import block with the id", l.Config),
			},
			{PreConfig: take, Config: config, ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate), Check: l.Has("", "spec", "shootTemplate",
				"spec", "credentialsBindingName")},
			{PreConfig: take, Config: config, ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate)},
		},
	})
}

// readers are a user with the rights of examples/rbac/platform.yaml, and one who lacks that to list ProviderConfigs.
func readers(t *testing.T, l acceptance.ProfileLandscape) (documented, blind openmcp.User) {
	t.Helper()
	role := string(testbed.RoleExample(t, "platform.yaml"))
	less := strings.Replace(role, "resources: [providerconfigs]", "resources: [configmaps]", 1)
	if less == role {
		t.Fatal("the rights say nothing of ProviderConfigs")
	}
	return l.PlatformCluster.ServiceAccount(t, l.Requests, "documented", []byte(role)),
		l.PlatformCluster.ServiceAccount(t, l.Requests, "blind", []byte(less))
}

// The profiles are listed with what is known of them.
func TestAccClusterProfiles(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	l.Profile(t)
	l.Make(t, map[string]any{"provider": map[string]any{"type": "aws"}})
	documented, blind := readers(t, l)
	read := fmt.Sprintf(`
data "hap_cluster_profiles" "all" {}
output "one" {
  value = one([for p in data.hap_cluster_profiles.all.profiles : p if p.provider_config == %q])
}
output "sorted" {
  value = join(" ", data.hap_cluster_profiles.all.profiles[*].name) == join(" ", sort(data.hap_cluster_profiles.all.profiles[*].name))
}
`, l.Config)
	seen := func(traits knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("one", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"name": knownvalue.StringExact("test.gardener." + l.Config), "provider": knownvalue.StringExact("gardener"),
				"provider_config": knownvalue.StringExact(l.Config), "traits": traits, "credentials_binding_name": knownvalue.Null(),
				"versions": knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectExact(map[string]knownvalue.Check{"version": knownvalue.StringExact("1.30.2"), "deprecated": knownvalue.Bool(false)}),
					knownvalue.ObjectExact(map[string]knownvalue.Check{"version": knownvalue.StringExact("1.9.1"), "deprecated": knownvalue.Bool(true)}),
				}),
			})),
			statecheck.ExpectKnownOutputValue("sorted", knownvalue.Bool(true)),
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.On(documented) + read, ConfigStateChecks: seen(knownvalue.ListExact([]knownvalue.Check{
				knownvalue.StringExact("cluster.openmcp.cloud/workerless"), knownvalue.StringExact("infrastructure/vendor/aws"),
			}))},
			{Config: l.On(blind) + read, ConfigStateChecks: seen(knownvalue.Null())}, // without the right to read ProviderConfigs
		},
	})
}

// What would become of a request is said before it is made, with the account behind its profile; nothing is written.
func TestAccClusterSchedule(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.Shoots(t, "aws-1", 2)
	l.Profile(t)
	l.Make(t, map[string]any{"credentialsBindingName": "aws-1", "provider": map[string]any{"type": "aws", "workers": []any{map[string]any{}}}})
	user, blind := readers(t, l)
	limited := "  multi_account = {\n    allowed_global_accounts = [\"ga-1\"]\n    limits = { default = 5 }\n  }"
	usual, err := openmcp.Usual().Config()
	if err != nil {
		t.Fatal(err)
	}
	own := openmcp.Usual()
	own.Purposes["mcp"] = openmcp.Purpose{Template: openmcp.Template{
		Spec: openmcp.TemplateSpec{Profile: "test.gardener." + l.Config, Tenancy: "Exclusive"},
	}}
	ownText, err := own.Config()
	if err != nil {
		t.Fatal(err)
	}
	preview := func(name, purpose string, config []byte) string {
		return fmt.Sprintf("data \"hap_cluster_schedule\" \"one\" {\n  name = %q\n  purpose = %q\n  scheduler_config = %q\n}\n", name, purpose,
			config)
	}
	is := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		path := tfjsonpath.New(attribute)
		if parent, child, nested := strings.Cut(attribute, "."); nested {
			path = tfjsonpath.New(parent).AtMapKey(child)
		}
		return statecheck.ExpectKnownValue("data.hap_cluster_schedule.one", path, check)
	}
	text, number := knownvalue.StringExact, knownvalue.Int64Exact
	request := func(name, purpose string) func() {
		return func() {
			object := openmcp.New("ClusterRequest", l.Requests, name)
			object.Object["spec"] = map[string]any{"purpose": purpose}
			if err := l.PlatformCluster.Client().Create(t.Context(), object); err != nil {
				t.Error(err)
			}
			for t.Context().Err() == nil {
				if err := l.PlatformCluster.Client().Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
					t.Error(err)
					return
				}
				if phase, _, _ := unstructured.NestedString(object.Object, "status", "phase"); phase == "Granted" {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}
	}
	first := "workload-" + operator.NameHash(l.Requests, "one")
	ear := acceptance.NewEar(nil)
	defer func() {
		ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryNoProfile, "purpose",
			"There is no ClusterProfile other.gardener."+l.Config)
	}()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{
				Config: l.On(user) + preview("one", "workload", usual),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("create")), is("reason", text("NewCluster")), is("namespace", text(l.Requests)),
					is("cluster.namespace", text(l.Requests)), is("cluster.name", text(first)), is("profile", text(openmcp.WorkerProfile)),
					is("tenancy", text("Shared")), is("tenants", number(1)), is("prefix", text(operator.NameHash(l.Requests, "one")+"-")),
					is("account", knownvalue.Null()),
				},
			}, {
				PreConfig: request("one", "workload"),
				Config:    l.On(user) + preview("two", "workload", usual),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("reuse")), is("reason", text("SharedClusterFits")), is("cluster.name", text(first)), is("tenants", number(2)),
				},
			}, {
				Config: l.On(user) + preview("one", "workload", usual), // it is granted
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("reuse")), is("reason", text("AlreadyGranted")), is("cluster.name", text(first)), is("tenants", number(1)),
				},
			}, {
				Config: l.On(user, limited) + preview("mine", "mcp", ownText),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("create")), is("prefix", text("")), is("tenancy", text("Exclusive")),
					is("account.binding_name", text("aws-1")), is("account.shoots", number(2)), is("account.limit", number(5)),
				},
			}, { // without a Garden
				Config: fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q }\n}\n", user.Kubeconfig) + preview("mine", "mcp", ownText),
				ConfigStateChecks: []statecheck.StateCheck{
					is("account.binding_name", text("aws-1")), is("account.shoots", knownvalue.Null()), is("account.limit", knownvalue.Null()),
				},
			}, { // without the right to read ProviderConfigs
				Config:            l.On(blind) + preview("mine", "mcp", ownText),
				ConfigStateChecks: []statecheck.StateCheck{is("decision", text("create")), is("account", knownvalue.Null())},
			}, {
				Config: l.On(user) + preview("two", "unheard-of", usual),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("deny")), is("reason", text("UnknownPurpose")), is("cluster", knownvalue.Null()),
					is("prefix", knownvalue.Null()), is("tenants", knownvalue.Null()), is("candidates", knownvalue.ListSizeExact(0)),
				},
			},
			{Config: l.On(user) + preview("Foo_Bar", "workload", usual), PlanOnly: true,
				ExpectError: acceptance.ErrorLike("Invalid Attribute Value Match", "small letters")},
			{ // the account of a profile that is not published yet
				Config:            l.On(user) + preview("mine", "mcp", bytes.ReplaceAll(ownText, []byte("test.gardener."), []byte("other.gardener."))),
				ConfigStateChecks: []statecheck.StateCheck{is("decision", text("create")), is("account.binding_name", text("aws-1"))},
			},
			{Config: l.On(user) + preview("two", "workload", []byte("scheduler: {scop: Cluster}")), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummarySchedulerConfig, "scheduler.scop", "did you mean scope")},
			{Config: l.On(user) + preview("two", "workload", []byte("purposeMappings: {}")), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummarySchedulerConfig, "purposeMappings", "scheduler: it is missing")},
			{Config: l.On(user) + preview("two", "workload", []byte(
				"scheduler: {purposeMappings: {a: {tenancyCount: 2, template: {spec: {profile: p, tenancy: Exclusive}}}}}")), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummarySchedulerConfig, "scheduler.purposeMappings[a].tenancyCount")},
			{Config: l.On(user) + preview("two", "workload", []byte(
				"scheduler: {purposeMappings: {a: {template: {spec: {profile: p, tenancy: Shared, tenency: x}}}}}")), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummarySchedulerConfig, "scheduler.purposeMappings.a.template.spec.tenency", "did you mean tenancy")},
		},
	})
}
