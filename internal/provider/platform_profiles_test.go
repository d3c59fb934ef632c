package provider

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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const configOne = "hap_gardener_provider_config.one"

// profileLandscape is a pool of accounts beside a platform cluster, whose user has the documented rights on both and nothing else.
type profileLandscape struct {
	landscape
	platform  *openmcp.Platform
	user      openmcp.User
	namespace string // of the requests
	config    string // a name for a ProviderConfig: they lie in no namespace
}

func newProfileLandscape(t *testing.T, accounts ...testbed.AccountSpec) profileLandscape {
	t.Helper()
	l := profileLandscape{landscape: newLandscape(t, accounts...), platform: openmcp.Shared(t)}
	l.namespace = l.platform.NewNamespace(t)
	l.user = l.platform.ServiceAccount(t, l.namespace, "hap", testbed.RoleExample(t, "platform-profiles.yaml"))
	l.config = "blue-" + l.namespace
	return l
}

// on is the provider block that leads to the pool, and to the platform cluster as a user.
func (l profileLandscape) on(user openmcp.User, extra ...string) string {
	return l.landscape.provider(append(extra, fmt.Sprintf("  platform = { config_path = %q }", user.Kubeconfig))...)
}

// configOf writes the ProviderConfig one on the account of the claim one; attributes win over these.
func (l profileLandscape) configOf(template string, attributes ...string) string {
	lines := map[string]string{
		"name": fmt.Sprintf("%q", l.config), "landscape_ref": `"canary"`, "project": `"my-project"`, "environment": `"test"`, "wait_for_profile": "false",
		"credentials_binding_name": "hap_credentials_binding_claim.one.binding_name",
		"global_account":           "hap_credentials_binding_claim.one.global_account",
	}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text := fmt.Sprintf("resource \"hap_gardener_provider_config\" \"one\" {\n  shoot_template = <<-EOT\n%s\nEOT\n", template)
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
}

// live returns the ProviderConfig as the server has it; nil = there is none.
func (l profileLandscape) live() (*unstructured.Unstructured, error) {
	object := openmcp.New("ProviderConfig", "", l.config)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := l.platform.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // as documented
	}
	return object, err
}

// at returns a value of the ProviderConfig; empty = there is none.
func (l profileLandscape) at(path ...string) string {
	object, err := l.live()
	if err != nil || object == nil {
		return fmt.Sprintf("%v, %v", object, err)
	}
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// has checks a value of the ProviderConfig.
func (l profileLandscape) has(want string, path ...string) resource.TestCheckFunc {
	return func(*terraform.State) error { return equal(strings.Join(path, "."), l.at(path...), want) }
}

// edit changes the ProviderConfig as another party does.
func (l profileLandscape) edit(t *testing.T, patch string) {
	t.Helper()
	object, err := l.live()
	if err == nil {
		err = l.platform.Client().Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// use has a Cluster use the profile. The returned function takes it away again.
func (l profileLandscape) use(t *testing.T, name string) (release func()) {
	t.Helper()
	cluster := openmcp.New("Cluster", l.namespace, name)
	cluster.Object["spec"] = map[string]any{"profile": "test.gardener." + l.config, "tenancy": "Exclusive", "purposes": []any{"mcp"}}
	if err := l.platform.Client().Create(context.Background(), cluster); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := l.platform.Client().Delete(context.Background(), cluster); err != nil {
			t.Fatal(err)
		}
		for {
			err := l.platform.Client().Get(context.Background(), client.ObjectKeyFromObject(cluster), cluster)
			if apierrors.IsNotFound(err) || t.Context().Err() != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func (l profileLandscape) gone(*terraform.State) error {
	object, err := l.live()
	if err == nil && object != nil {
		return fmt.Errorf("ProviderConfig %s is there", l.config)
	}
	return err
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
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1")
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{
				Config: base + l.configOf(templateWith(), `labels = { stage = "dev", team = "a" }`,
					`enforced_shoot_extensions = yamlencode([{ type = "shoot-oidc-service" }])`),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate,
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("profile_name"), knownvalue.StringExact("test.gardener."+l.config)),
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("id"), knownvalue.StringExact(l.config))),
				ConfigStateChecks: []statecheck.StateCheck{
					configValue("credentials_binding_name", knownvalue.StringExact("aws-1")), configValue("phase", knownvalue.Null()),
					configValue("provider_ref", knownvalue.StringExact("gardener")),
				},
				Check: resource.ComposeTestCheckFunc(
					l.has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"), l.has("canary", "spec", "landscapeRef", "name"),
					l.has("gardener", "spec", "providerRef", "name"), l.has("my-project", "spec", "project"),
					l.has("evaluation", "spec", "shootTemplate", "spec", "purpose"), l.has("a", "metadata", "labels", "team"),
					l.has("[map[type:shoot-oidc-service]]", "spec", "enforcedShootExtensions"),
				),
			}, {
				PreConfig: func() {
					uid = l.at("metadata", "uid")
					object, err := l.live()
					if err == nil {
						err = l.platform.Client().Status().Patch(t.Context(), object, client.RawPatch("application/merge-patch+json",
							[]byte(`{"status":{"phase":"Ready","conditions":[{"type":"Reconciled","status":"True"}]}}`)))
					}
					if err != nil {
						t.Error(err)
					}
				},
				Config:           base + l.configOf(templateWith("  purpose: evaluation\n", "", "1.33.2", "1.34.1"), `labels = { stage = "dev" }`),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					configValue("phase", knownvalue.StringExact("Ready")),
					configValue("conditions", knownvalue.MapExact(map[string]knownvalue.Check{"Reconciled": knownvalue.StringExact("True")})),
				},
				Check: resource.ComposeTestCheckFunc(
					func(*terraform.State) error { return equal("uid", l.at("metadata", "uid"), uid) },
					l.has("", "spec", "shootTemplate", "spec", "purpose"), l.has("1.34.1", "spec", "shootTemplate", "spec", "kubernetes", "version"),
					l.has("", "metadata", "labels", "team"), l.has("", "spec", "enforcedShootExtensions"),
					l.has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
				),
			}, {
				PreConfig: func() { // another party's change is shown, and taken back in place
					l.edit(t, `{"spec":{"shootTemplate":{"spec":{"purpose":"production","region":"region-2"}}},"metadata":{"labels":{"stage":"live"}}}`)
				},
				Config:           base + l.configOf(templateWith("  purpose: evaluation\n", "", "1.33.2", "1.34.1"), `labels = { stage = "dev" }`),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.has("", "spec", "shootTemplate", "spec", "purpose"),
					l.has("region-1", "spec", "shootTemplate", "spec", "region"), l.has("dev", "metadata", "labels", "stage")),
			}, {
				Config: base + l.configOf(templateWith("  purpose: evaluation\n", "", "1.33.2", "1.34.1"), `labels = { stage = "dev" }`,
					`environment = "canary"`), // sends nothing
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate,
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("profile_name"), knownvalue.StringExact("canary.gardener."+l.config)),
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("phase"), knownvalue.StringExact("Ready"))),
			}, {
				ResourceName: configOne, ImportState: true, ImportStateId: l.config, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{
					"labels", "timeouts", "environment", "profile_name", "global_account", "shoot_template", "wait_for_profile",
				},
			},
		},
	})
}

// What another party changes of a template is told by its paths, and taken back in place; a template that says the same in other words
// plans nothing, also behind an import.
func TestAccProviderConfig_drift(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1")
	text, err := yaml.YAMLToJSON([]byte(templateWith()))
	if err != nil {
		t.Fatal(err)
	}
	inJSON := l.configOf(string(text), `enforced_shoot_extensions = "[{type: x}]"`)
	config := base + l.configOf(templateWith(), `enforced_shoot_extensions = jsonencode([{ type = "x" }])`)
	edit := func(change string) func() {
		return func() { l.edit(t, `{"spec":{"shootTemplate":{"spec":`+change+`}}}`) }
	}
	ear := newEar(nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: config},
			{Config: base + inJSON, ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop)},
			{
				PreConfig: edit(`{"purpose":"production","region":null}`),
				Config:    config, ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.has("evaluation", "spec", "shootTemplate", "spec", "purpose"),
					l.has("region-1", "spec", "shootTemplate", "spec", "region")),
			}, {
				PreConfig: edit(`{"secretBindingName":"theirs"}`),
				Config:    config, ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
					l.has("", "spec", "shootTemplate", "spec", "secretBindingName")),
			}, {
				ResourceName: configOne, ImportState: true, ImportStateId: l.config,
				ImportStateCheck: func(states []*terraform.InstanceState) error { // no profile is published
					_, there := states[0].Attributes["profile_name"]
					return equal("profile_name", fmt.Sprint(there), "false")
				},
			}, {
				Config: base + "removed {\n  from = " + configOne + "\n  lifecycle {\n    destroy = false\n  }\n}\n",
			}, { // what the configuration alone knows comes to the state, and nothing is sent
				Config: base + inJSON + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", configOne, l.config),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate,
					plancheck.ExpectKnownValue(configOne, tfjsonpath.New("phase"), knownvalue.Null())),
			},
		},
	})
	ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryConfigDrift, "", "- spec.purpose\n  - spec.region\n")
	ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryConfigProject, "project", "project my-project", "in namespace "+l.Name)
	ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryConfigDrift, "",
		`its account is CredentialsBinding "aws-1" and SecretBinding "theirs"`)
}

// The account of a profile that Clusters use does not change, and the profile does not go; without them it is made anew.
func TestAccProviderConfig_usedByClusters(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1", `binding_name = "aws-1"`) + claimOf("two", "ga-2", `binding_name = "aws-2"`)
	other := []string{"credentials_binding_name = hap_credentials_binding_claim.two.binding_name",
		"global_account = hap_credentials_binding_claim.two.global_account"}
	var uid string
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: base}, // a plan does not know that a claim is going to take the very account
			{Config: base + l.configOf(templateWith())},
			{
				PreConfig:   func() { uid = l.at("metadata", "uid"); release = l.use(t, "live") },
				Config:      base + l.configOf(templateWith(), other...),
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "its account cannot change from", l.namespace+"/live", "-refresh=false"),
			}, {
				Config:      base + l.configOf(templateWith(), `project = "another"`),
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "its project cannot change from", l.namespace+"/live"),
			}, {
				Config:      base + l.configOf(templateWith(), fmt.Sprintf("name = %q", l.config+"-2")),
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "it cannot be replaced by another", l.namespace+"/live"),
			}, {
				Config:      base + l.configOf(templateWith(), `provider_ref = "other"`),
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "it cannot be replaced by another"),
			}, { // the environment is no way around it
				Config:      base + l.configOf(templateWith(), append(other, `environment = "elsewhere"`)...),
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "its account cannot change"),
			}, {
				Config:      base,
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "it cannot be deleted", l.namespace+"/live"),
			}, {
				PreConfig:   func() { l.edit(t, `{"spec":{"shootTemplate":{"spec":{"credentialsBindingName":"aws-2"}}}}`) },
				Config:      base + l.configOf(templateWith()), // another party has moved it
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "its account cannot change from \"aws-2\" to \"aws-1\""),
			}, {
				PreConfig:        func() { l.edit(t, `{"spec":{"shootTemplate":{"spec":{"credentialsBindingName":"aws-1"}}}}`) },
				Config:           base + l.configOf(templateWith("1.33.2", "1.34.1")), // the rest changes in place
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check:            func(*terraform.State) error { return equal("uid", l.at("metadata", "uid"), uid) },
			}, {
				PreConfig:        func() { release() },
				Config:           base + l.configOf(templateWith(), other...),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionDestroyBeforeCreate),
				Check: func(*terraform.State) error {
					if l.at("metadata", "uid") == uid {
						return fmt.Errorf("it is the same object")
					}
					return equal("account", l.at("spec", "shootTemplate", "spec", "credentialsBindingName"), "aws-2")
				},
			},
		},
	})
}

// The same name under another kind of binding is another account: a profile that Clusters use stays where it is, and one that none uses
// goes only to an account that takes clusters.
func TestAccProviderConfig_anotherKind(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1")
	// The claim stays in the Garden, and is no business of a pool of SecretBindings.
	literal := "removed {\n  from = hap_credentials_binding_claim.one\n  lifecycle {\n    destroy = false\n  }\n}\n" +
		l.configOf(templateWith(), `credentials_binding_name = "aws-1"`, `global_account = "ga-1"`)
	secret := l.on(l.user, `  pool = { kind = "SecretBinding" }`) + literal
	var release func()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: base},
			{Config: base + l.configOf(templateWith())},
			{Config: l.on(l.user) + literal},
			{
				PreConfig: func() { release = l.use(t, "live") },
				Config:    secret, ExpectError: errorLike(diagnose.SummaryProfileUsed,
					`its account cannot change from CredentialsBinding "aws-1" to SecretBinding "aws-1"`, l.namespace+"/live"),
			}, {
				PreConfig: func() { release() }, // the account is looked at, where the user may see CredentialsBindings alone
				Config:    secret, ExpectError: errorLike(diagnose.SummaryForbidden, "secretbindings"),
			}, {
				Config: l.on(l.user) + literal, ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop),
				Check: resource.ComposeTestCheckFunc(l.has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
					l.has("", "spec", "shootTemplate", "spec", "secretBindingName")),
			},
		},
	})
}

// A Cluster that comes between plan and apply is seen: the account of a profile is looked at again just before the write.
func TestAccProviderConfig_usedMeanwhile(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1") + claimOf("two", "ga-2")
	var uid string
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: base + l.configOf(templateWith()), Check: func(*terraform.State) error { uid = l.at("metadata", "uid"); return nil }},
			{
				Config: base + l.configOf(templateWith(), "credentials_binding_name = hap_credentials_binding_claim.two.binding_name",
					"global_account = hap_credentials_binding_claim.two.global_account"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{behindThePlan(func() {
					release = l.use(t, "meanwhile")
				})}},
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "it cannot be deleted", l.namespace+"/meanwhile"),
			}, {
				PreConfig:        func() { release() },
				Config:           base + l.configOf(templateWith()),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop),
				Check:            func(*terraform.State) error { return equal("uid", l.at("metadata", "uid"), uid) },
			},
		},
	})
}

// An account that is known only at the apply is compared there: a profile that Clusters use stays where it is.
func TestAccProviderConfig_accountKnownLater(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1", `binding_name = "aws-1"`) + claimOf("two", "ga-2", `binding_name = "aws-2"`)
	on := func(account, purpose string) string {
		return base + fmt.Sprintf("resource \"terraform_data\" \"account\" {\n  input = %q\n  depends_on = [hap_credentials_binding_claim.one]\n}\n", account) +
			l.configOf(templateWith("evaluation", purpose), "credentials_binding_name = terraform_data.account.output",
				fmt.Sprintf("global_account = %q", strings.Replace(account, "aws", "ga", 1)))
	}
	var uid string
	var release func()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: on("aws-1", "evaluation"), Check: func(*terraform.State) error { uid = l.at("metadata", "uid"); return nil }},
			{
				PreConfig:   func() { release = l.use(t, "live") },
				Config:      on("aws-2", "production"),
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "its account cannot change from \"aws-1\" to \"aws-2\"", l.namespace+"/live"),
			}, {
				Config:           on("aws-1", "production"),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(l.has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName"),
					func(*terraform.State) error { release(); return equal("uid", l.at("metadata", "uid"), uid) }),
			}, { // no Cluster is in the way: it is made anew
				Config:           on("aws-2", "production"),
				ConfigPlanChecks: configPlan(plancheck.ResourceActionDestroyBeforeCreate),
				Check:            l.has("aws-2", "spec", "shootTemplate", "spec", "credentialsBindingName"),
			},
		},
	})
}

// An account that another party puts into the profile between plan and apply is not put back under its Clusters.
func TestAccProviderConfig_movedMeanwhile(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1", `binding_name = "aws-1"`) + claimOf("two", "ga-2", `binding_name = "aws-2"`)
	account := func(name string) {
		l.edit(t, fmt.Sprintf(`{"spec":{"shootTemplate":{"spec":{"credentialsBindingName":%q}}}}`, name))
	}
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: base},
			{Config: base + l.configOf(templateWith())},
			{
				Config: base + l.configOf(templateWith("evaluation", "production")),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{behindThePlan(func() {
					account("aws-2")
					release = l.use(t, "live")
				})}},
				ExpectError: errorLike(diagnose.SummaryProfileUsed, "its account cannot change from \"aws-2\" to \"aws-1\"", l.namespace+"/live"),
			}, {
				PreConfig: func() { release(); account("aws-1") },
				Config:    base + l.configOf(templateWith("evaluation", "production")), ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate),
			},
		},
	})
}

// A ProviderConfig that was deleted by hand under its Clusters comes back only with the account and the project of their Shoots, at plan and
// at apply, whether the Garden tells of these or the Cluster does. A Cluster that no provider has looked at is none that lives.
func TestAccProviderConfig_deletedUnderClusters(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	project := strings.TrimPrefix(l.Name, "garden-")
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1", `binding_name = "aws-1"`) + claimOf("two", "ga-2", `binding_name = "aws-2"`)
	of := func(attributes ...string) string {
		return base + l.configOf(templateWith(), append([]string{fmt.Sprintf("project = %q", project)}, attributes...)...)
	}
	other := of("credentials_binding_name = hap_credentials_binding_claim.two.binding_name",
		"global_account = hap_credentials_binding_claim.two.global_account")
	take := func() {
		object, err := l.live()
		if err == nil {
			err = l.platform.Client().Delete(t.Context(), object)
		}
		if err != nil {
			t.Error(err)
		}
	}
	elsewhere := func(shoot string) *regexp.Regexp {
		return errorLike(diagnose.SummaryProfileUsed, l.namespace+"/live", shoot, `on CredentialsBinding "aws-1"`, "Nothing was written")
	}
	var release func()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: base},
			{Config: of()},
			{
				PreConfig: func() {
					take()
					release = l.use(t, "live")
					l.told(t, "live", map[string]any{"phase": "Ready"})
				},
				Config: other, ExpectError: errorLike(diagnose.SummaryProfileUsed, l.namespace+"/live", "its Shoot cannot be seen"),
			}, {
				PreConfig: func() {
					spec := testbed.ShootSpec{Name: "bound", Account: "aws-1", Cluster: [2]string{l.namespace, "live"}}
					if err := l.MakeShoots(t.Context(), spec); err != nil {
						t.Error(err)
					}
				},
				Config: other, ExpectError: elsewhere(l.Name + "/bound"),
			}, {
				Config:      of(`project = "another"`),
				ExpectError: errorLike(diagnose.SummaryProfileUsed, `in project "another"`, l.namespace+"/live"),
			},
			{Config: of(), ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate), Check: l.has("aws-1", "spec", "shootTemplate", "spec",
				"credentialsBindingName")},
			{
				PreConfig: func() {
					take()
					l.told(t, "live", map[string]any{"providerStatus": map[string]any{"shoot": map[string]any{
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

// told has the cluster provider tell something of a Cluster.
func (l profileLandscape) told(t *testing.T, name string, status map[string]any) {
	t.Helper()
	cluster := openmcp.New("Cluster", l.namespace, name)
	err := l.platform.Client().Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster)
	if err == nil {
		base := cluster.DeepCopy()
		now, _, _ := unstructured.NestedMap(cluster.Object, "status")
		if now == nil {
			now = map[string]any{"observedGeneration": cluster.GetGeneration()}
		}
		maps.Copy(now, status)
		cluster.Object["status"] = now
		err = l.platform.Client().Status().Patch(t.Context(), cluster, client.MergeFrom(base))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A plan that knows nothing of a Cluster yet is no way around it, nor one that does not know the account: the apply looks again.
func TestAccProviderConfig_deletedUnderClusters_meanwhile(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("two", "ga-2", `binding_name = "aws-2"`)
	project := fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-"))
	later := "resource \"terraform_data\" \"later\" { input = hap_credentials_binding_claim.two.binding_name }\n"
	refused := errorLike(diagnose.SummaryProfileUsed, "Clusters live by the profile", `bound on CredentialsBinding "aws-1"`)
	live := func() {
		spec := testbed.ShootSpec{Name: "bound", Account: "aws-1", Cluster: [2]string{l.namespace, "live"}}
		if err := l.MakeShoots(t.Context(), spec); err != nil {
			t.Error(err)
		}
		t.Cleanup(l.use(t, "live"))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config: base + l.configOf(templateWith(), project, `credentials_binding_name = "aws-2"`, `global_account = "ga-2"`,
					"depends_on = [hap_credentials_binding_claim.two]"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{behindThePlan(live)}},
				ExpectError:      refused,
			}, {
				Config: base + later + l.configOf(templateWith(), project, "credentials_binding_name = terraform_data.later.output",
					`global_account = "ga-2"`),
				ExpectError: refused,
			},
			{Config: base, Check: l.gone},
		},
	})
}

// A Cluster adopts no Shoot that its profile would move: neither one that a plan sees, nor one that comes later. One on the account of the
// profile is adopted.
func TestAccCluster_adoptsOnItsAccount(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	roles := slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"), testbed.RoleExample(t, "platform-clusters.yaml"))
	user := l.platform.ServiceAccount(t, l.namespace, "both", roles)
	base := l.on(user) + rulesAWS + claimOf("one", "ga-1", `binding_name = "aws-1"`) +
		l.configOf(templateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")))
	config := base + clusterOf("profile = hap_gardener_provider_config.one.profile_name", `wait_for = "created"`)
	shoot := func(account string) func() {
		return func() {
			spec := testbed.ShootSpec{Name: "bound", Account: account, Cluster: [2]string{l.namespace, "one"}}
			if err := l.MakeShoots(t.Context(), spec); err != nil {
				t.Error(err)
			}
		}
	}
	refused := errorLike(diagnose.SummaryShootMoved, "Shoot "+l.Name+"/bound on CredentialsBinding \"aws-2\"", l.namespace+"/one",
		`brings its clusters to CredentialsBinding "aws-1"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{
				Config: config, ExpectError: refused, // the plan comes before the profile
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{behindThePlan(shoot("aws-2"))}},
			},
			{Config: config, ExpectError: refused},
			{PreConfig: func() { l.DeleteShoot(t, "bound"); shoot("aws-1")() }, Config: config, ConfigPlanChecks: emptyAfterwards},
			{PreConfig: func() { l.DeleteShoot(t, "bound") }, Config: base},
		},
	})
}

// A plan that ends a Cluster says that the Shoot goes along which a hap_shoot has made, whatever protects that.
func TestAccCluster_takesItsShootAlong(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t)
	user := l.platform.ServiceAccount(t, l.namespace, "clusters", testbed.RoleExample(t, "platform-clusters.yaml"))
	ear := newEar(nil)
	config := l.on(user) + clusterOf()
	told := func(annotations map[string]any) func() {
		return func() {
			l.told(t, "one", map[string]any{"providerStatus": map[string]any{"shoot": map[string]any{
				"metadata": map[string]any{"namespace": l.Name, "name": "first", "annotations": annotations},
			}}})
		}
	}
	mine := map[string]any{"hap-project.io/shoot-configuration": "0123"}
	warned := func(want bool) plancheck.PlanCheck {
		return behindThePlan(func() {
			if want {
				ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootAlong, "", "Cluster "+l.namespace+"/one", "Shoot "+l.Name+"/first",
					"deletion_protection")
			} else if slices.Contains(ear.summaries(tfprotov6.DiagnosticSeverityWarning), diagnose.SummaryShootAlong) {
				t.Error("a Shoot of the cluster provider's own is told")
			}
		})
	}
	checks := func(want bool) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{warned(want)}}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{PreConfig: told(map[string]any{}), Config: l.on(user), ConfigPlanChecks: checks(false)}, // one that the provider itself has made
			{Config: config},
			{PreConfig: told(mine), Config: l.on(user) + clusterOf(`name = "two"`), ConfigPlanChecks: checks(true)},
		},
	})
}

// An account that is lost between plan and apply takes no profile: it is looked at again just before the write.
func TestAccProviderConfig_accountLostMeanwhile(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1")
	dirty := "true"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + l.configOf(templateWith()),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{behindThePlan(func() {
					l.PatchLabels(t, "aws-1", map[string]*string{"dirty": &dirty})
				})}},
				ExpectError: errorLike(diagnose.SummaryNoHost, "aws-1"),
			},
			{Config: base, Check: l.gone, PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"dirty": nil}) }},
		},
	})
}

// behindThePlan does something when the plan is made.
type behindThePlan func()

func (do behindThePlan) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	do()
}

// An account takes a profile only where it is held, by the Global Account that the clusters are for, and bears a claim.
func TestAccProviderConfig_account(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-9"}, testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"})
	base := l.on(l.user) + rulesAWS + claimOf("one", "ga-1")
	wrong := func(summary, account, globalAccount string, words ...string) resource.TestStep {
		return resource.TestStep{PlanOnly: true, Config: base + l.configOf(templateWith(), "credentials_binding_name = "+account,
			"global_account = "+globalAccount), ExpectError: errorLike(summary, words...)}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: base},
			{ // a claim of this run names the account, which no Global Account holds yet
				PlanOnly: true, ExpectNonEmptyPlan: true,
				Config: base + claimOf("two", "ga-3", `binding_name = "aws-3"`) + l.configOf(templateWith(),
					"credentials_binding_name = hap_credentials_binding_claim.two.binding_name", `global_account = "ga-3"`),
			},
			wrong(diagnose.SummaryNoTenant, `"aws-2"`, "null", "account aws-2 is dedicated"),
			wrong(diagnose.SummaryNoHost, `"aws-2"`, `"ga-9"`, "held by Global Account ga-9, and no claim stands on it"),
			wrong(diagnose.SummaryNoHost, `"aws-3"`, "null", "no Global Account holds account aws-3"),
			wrong(diagnose.SummaryNoHost, "hap_credentials_binding_claim.one.binding_name", `"ga-2"`, "and the cluster is for ga-2"),
			wrong(diagnose.SummaryAccountNotFound, `"aws-7"`, "null", "aws-7"),
			{Config: base, Check: l.gone},
		},
	})
}

// What is wrong is told at the plan, at its attribute, and nothing is written.
func TestAccProviderConfig_wrongInputs(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.landscape = clusterUser(t, l.landscape) // who may ask Gardener
	base := l.on(l.user)
	of := func(template string, attributes ...string) string {
		return base + l.configOf(template, append([]string{"global_account =", `credentials_binding_name = "aws-1"`}, attributes...)...)
	}
	workerless, _, _ := strings.Cut(templateWith(), "    workers:")
	secretBindings := l.on(l.user, `  pool = { kind = "SecretBinding" }`)
	secrets := l.on(l.user, `  pool = { kind = "Secret" }`)
	steps := []resource.TestStep{}
	for _, test := range []struct {
		config, summary string
		words           []string
	}{
		{of(templateWith("region:", "regoin:")), diagnose.SummaryShootRefused, []string{"spec.regoin", "did you mean region"}},
		{of(templateWith("purpose: evaluation", "credentialsBindingName: aws-2")), diagnose.SummaryTemplateAccount,
			[]string{"credentialsBindingName: aws-2", "and credentials_binding_name account aws-1"}},
		{of(templateWith("purpose: evaluation", "secretBindingName: aws-1")), diagnose.SummaryTemplateAccount, []string{"secretBindingName: aws-1"}},
		{of(templateWith("purpose: evaluation", "credentialsBindingName: aws-1\n  secretBindingName: theirs")), diagnose.SummaryTemplateAccount,
			[]string{"credentialsBindingName: aws-1, secretBindingName: theirs"}},
		{of(templateWith(), "credentials_binding_name ="), diagnose.SummaryShootAccount, []string{"their machines need an account"}},
		{of(workerless), diagnose.SummaryShootAccount, []string{"gives a cluster without workers no account"}},
		{of("just a text"), diagnose.SummaryTemplate, []string{"it is no object"}},
		{of(templateWith(), `enforced_shoot_extensions = "type: x"`), diagnose.SummaryExtensions, []string{"extensions"}},
		{of(templateWith(), `enforced_shoot_extensions = yamlencode([{ typ = "x" }])`), diagnose.SummaryExtensions, []string{"did you mean type"}},
		{of(templateWith(), `name = "Blue_1"`), "Invalid Attribute Value Match", []string{"small letters"}},
		{of(templateWith(), `project = ""`), "Invalid Attribute Value", []string{"project"}},
		{of(templateWith(), `landscape_ref =`), "Missing required argument", []string{"landscape_ref"}},
		{of(templateWith(), `environment =`), "Missing required argument", []string{"environment"}},
		{secretBindings + strings.TrimPrefix(of(templateWith("1.33.2", "1.34.0")), base), diagnose.SummaryShootAccount,
			[]string{"from 1.34 on Gardener takes no secretBindingName"}},
		{secrets + strings.TrimPrefix(of(templateWith()), base), diagnose.SummaryNoHost, []string{"The accounts of this pool are Secrets"}},
		{l.landscape.provider() + strings.TrimPrefix(of(templateWith()), base), diagnose.SummaryNoPlatform, []string{"platform"}},
		{of(templateWith()) + strings.Replace(l.configOf(workerless, "credentials_binding_name =", "global_account ="), `"one"`, `"two"`, 1),
			diagnose.SummaryConfigTwice, []string{"stands twice"}},
	} {
		steps = append(steps, resource.TestStep{Config: test.config, PlanOnly: true, ExpectError: errorLike(test.summary, test.words...)})
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: steps, CheckDestroy: l.gone})
}

// One that stands already is never seized, and one that is gone is made again.
func TestAccProviderConfig_existsAndGoes(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t)
	workerless, _, _ := strings.Cut(templateWith(), "    workers:")
	config := l.on(l.user) + l.configOf(workerless, "credentials_binding_name =", "global_account =")
	take := func() {
		object, err := l.live()
		if err == nil {
			err = l.platform.Client().Delete(t.Context(), object)
		}
		if err != nil {
			t.Error(err)
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{
				PreConfig: func() { l.make(t, map[string]any{}) },
				Config:    config, ExpectError: errorLike(diagnose.SummaryConfigExists, "an import block with the id", l.config),
			},
			{PreConfig: take, Config: config, ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate), Check: l.has("", "spec", "shootTemplate",
				"spec", "credentialsBindingName")},
			{PreConfig: take, Config: config, ConfigPlanChecks: configPlan(plancheck.ResourceActionCreate)},
		},
	})
}

// profile publishes the profile of the ProviderConfig, as its cluster provider does.
func (l profileLandscape) profile(t *testing.T) {
	t.Helper()
	profile := openmcp.New("ClusterProfile", "", "test.gardener."+l.config)
	profile.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": "gardener"}, "providerConfigRef": map[string]any{"name": l.config},
		"supportedVersions": []any{map[string]any{"version": "1.9.1", "deprecated": true}, map[string]any{"version": "1.30.2"}},
	}
	if err := l.platform.Client().Create(t.Context(), profile); err != nil {
		t.Fatal(err)
	}
}

// The profiles are listed with what can be told of them.
func TestAccClusterProfiles(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t)
	l.profile(t)
	l.make(t, map[string]any{"provider": map[string]any{"type": "aws"}})
	blind := l.platform.ServiceAccount(t, l.namespace, "blind", testbed.RoleExample(t, "platform.yaml"))
	read := fmt.Sprintf(`
data "hap_cluster_profiles" "all" {}
output "one" {
  value = one([for p in data.hap_cluster_profiles.all.profiles : p if p.provider_config == %q])
}
output "sorted" {
  value = join(" ", data.hap_cluster_profiles.all.profiles[*].name) == join(" ", sort(data.hap_cluster_profiles.all.profiles[*].name))
}
`, l.config)
	seen := func(traits knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("one", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"name": knownvalue.StringExact("test.gardener." + l.config), "provider": knownvalue.StringExact("gardener"),
				"provider_config": knownvalue.StringExact(l.config), "traits": traits, "credentials_binding_name": knownvalue.Null(),
				"versions": knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectExact(map[string]knownvalue.Check{"version": knownvalue.StringExact("1.30.2"), "deprecated": knownvalue.Bool(false)}),
					knownvalue.ObjectExact(map[string]knownvalue.Check{"version": knownvalue.StringExact("1.9.1"), "deprecated": knownvalue.Bool(true)}),
				}),
			})),
			statecheck.ExpectKnownOutputValue("sorted", knownvalue.Bool(true)),
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.on(l.user) + read, ConfigStateChecks: seen(knownvalue.ListExact([]knownvalue.Check{
				knownvalue.StringExact("cluster.openmcp.cloud/workerless"), knownvalue.StringExact("infrastructure/vendor/aws"),
			}))},
			{Config: l.on(blind) + read, ConfigStateChecks: seen(knownvalue.Null())}, // without the right to read ProviderConfigs
		},
	})
}

// make makes the ProviderConfig as another party does, with the spec of a Shoot.
func (l profileLandscape) make(t *testing.T, shoot map[string]any) {
	t.Helper()
	object := openmcp.New("ProviderConfig", "", l.config)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	object.Object["spec"] = map[string]any{"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": "x"},
		"project": "theirs", "shootTemplate": map[string]any{"spec": shoot}}
	if err := l.platform.Client().Create(context.Background(), object); err != nil {
		t.Fatal(err)
	}
}

// What would become of a request is told before it is made, with the account behind its profile; nothing is written.
func TestAccClusterSchedule(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.Shoots(t, "aws-1", 2)
	l.profile(t)
	l.make(t, map[string]any{"credentialsBindingName": "aws-1", "provider": map[string]any{"type": "aws", "workers": []any{map[string]any{}}}})
	both := slices.Concat(testbed.RoleExample(t, "platform.yaml"), []byte("\n---\n"), testbed.RoleExample(t, "platform-profiles.yaml"))
	user := l.platform.ServiceAccount(t, l.namespace, "both", both)
	blind := l.platform.ServiceAccount(t, l.namespace, "blind", testbed.RoleExample(t, "platform.yaml"))
	limited := "  multi_account = {\n    allowed_global_accounts = [\"ga-1\"]\n    limits = { default = 5 }\n  }"
	usual, err := openmcp.Usual().Config()
	if err != nil {
		t.Fatal(err)
	}
	own := openmcp.Usual()
	own.Purposes["mcp"] = openmcp.Purpose{Template: openmcp.Template{
		Spec: openmcp.TemplateSpec{Profile: "test.gardener." + l.config, Tenancy: "Exclusive"},
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
			object := openmcp.New("ClusterRequest", l.namespace, name)
			object.Object["spec"] = map[string]any{"purpose": purpose}
			if err := l.platform.Client().Create(t.Context(), object); err != nil {
				t.Error(err)
			}
			for t.Context().Err() == nil {
				if err := l.platform.Client().Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
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
	first := "workload-" + operator.NameHash(l.namespace, "one")
	ear := newEar(nil)
	defer func() {
		ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryNoProfile, "purpose",
			"There is no ClusterProfile other.gardener."+l.config)
	}()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		Steps: []resource.TestStep{
			{
				Config: l.on(user) + preview("one", "workload", usual),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("create")), is("reason", text("NewCluster")), is("namespace", text(l.namespace)),
					is("cluster.namespace", text(l.namespace)), is("cluster.name", text(first)), is("profile", text(openmcp.WorkerProfile)),
					is("tenancy", text("Shared")), is("tenants", number(1)), is("prefix", text(operator.NameHash(l.namespace, "one")+"-")),
					is("account", knownvalue.Null()),
				},
			}, {
				PreConfig: request("one", "workload"),
				Config:    l.on(user) + preview("two", "workload", usual),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("reuse")), is("reason", text("SharedClusterFits")), is("cluster.name", text(first)), is("tenants", number(2)),
				},
			}, {
				Config: l.on(user) + preview("one", "workload", usual), // it is granted
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("reuse")), is("reason", text("AlreadyGranted")), is("cluster.name", text(first)), is("tenants", number(1)),
				},
			}, {
				Config: l.on(user, limited) + preview("mine", "mcp", ownText),
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
				Config:            l.on(blind) + preview("mine", "mcp", ownText),
				ConfigStateChecks: []statecheck.StateCheck{is("decision", text("create")), is("account", knownvalue.Null())},
			}, {
				Config: l.on(user) + preview("two", "unheard-of", usual),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("deny")), is("reason", text("UnknownPurpose")), is("cluster", knownvalue.Null()),
					is("prefix", knownvalue.Null()), is("tenants", knownvalue.Null()), is("candidates", knownvalue.ListSizeExact(0)),
				},
			},
			{Config: l.on(user) + preview("Foo_Bar", "workload", usual), PlanOnly: true,
				ExpectError: errorLike("Invalid Attribute Value Match", "small letters")},
			{ // the account of a profile that is not published yet
				Config:            l.on(user) + preview("mine", "mcp", bytes.ReplaceAll(ownText, []byte("test.gardener."), []byte("other.gardener."))),
				ConfigStateChecks: []statecheck.StateCheck{is("decision", text("create")), is("account.binding_name", text("aws-1"))},
			},
			{Config: l.on(user) + preview("two", "workload", []byte("scheduler: {scop: Cluster}")), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummarySchedulerConfig, "scheduler.scop", "did you mean scope")},
			{Config: l.on(user) + preview("two", "workload", []byte("purposeMappings: {}")), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummarySchedulerConfig, "purposeMappings", "scheduler: it is missing")},
			{Config: l.on(user) + preview("two", "workload", []byte(
				"scheduler: {purposeMappings: {a: {tenancyCount: 2, template: {spec: {profile: p, tenancy: Exclusive}}}}}")), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummarySchedulerConfig, "scheduler.purposeMappings[a].tenancyCount")},
			{Config: l.on(user) + preview("two", "workload", []byte(
				"scheduler: {purposeMappings: {a: {template: {spec: {profile: p, tenancy: Shared, tenency: x}}}}}")), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummarySchedulerConfig, "scheduler.purposeMappings.a.template.spec.tenency", "did you mean tenancy")},
		},
	})
}
