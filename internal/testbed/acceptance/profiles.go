package acceptance

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// ProfileLandscape is a pool of accounts beside a platform cluster, whose user has the documented rights on both and nothing else.
type ProfileLandscape struct {
	Landscape
	PlatformCluster *openmcp.Platform
	PlatformUser    openmcp.User
	Requests        string // the namespace of its requests
	Config          string // a name for a ProviderConfig: they lie in no namespace
}

// NewProfileLandscape is a platform cluster and a landscape of accounts, on which its ProviderConfigs make clusters.
func NewProfileLandscape(t *testing.T, accounts ...testbed.AccountSpec) ProfileLandscape {
	t.Helper()
	return NewProfileLandscapeOn(t, NewLandscape(t, accounts...))
}

// NewProfileLandscapeOn is a platform cluster beside a landscape of accounts.
func NewProfileLandscapeOn(t *testing.T, accounts Landscape) ProfileLandscape {
	t.Helper()
	l := ProfileLandscape{Landscape: accounts, PlatformCluster: openmcp.Shared(t)}
	l.Requests = l.PlatformCluster.NewNamespace(t)
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "hap", testbed.RoleExample(t, "platform-profiles.yaml"))
	l.Config = "blue-" + l.Requests
	return l
}

// Builtin is the provider block by which the provider grants requests itself.
func (l ProfileLandscape) Builtin() string {
	return l.Landscape.Provider(fmt.Sprintf("  platform = { config_path = %q, scheduler = \"builtin\" }", l.PlatformUser.Kubeconfig))
}

// Workerless writes the ProviderConfig one for clusters without workers, which need no account.
func (l ProfileLandscape) Workerless(attributes ...string) string {
	return l.WorkerlessAt("1.33.2", attributes...)
}

// WorkerlessAt is workerless with a Kubernetes version.
func (l ProfileLandscape) WorkerlessAt(version string, attributes ...string) string {
	template := "spec:\n  cloudProfile: { kind: CloudProfile, name: aws }\n  region: region-1\n" +
		"  kubernetes: { version: \"" + version + "\" }\n  provider: { type: aws }"
	return l.ConfigOf(template, append([]string{"credentials_binding_name=", "global_account=", "wait_for_profile=",
		fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-"))}, attributes...)...)
}

// On is the provider block that leads to the pool, and to the platform cluster as a user.
func (l ProfileLandscape) On(user openmcp.User, extra ...string) string {
	return l.Landscape.Provider(append(extra, fmt.Sprintf("  platform = { config_path = %q }", user.Kubeconfig))...)
}

// ConfigOf writes the ProviderConfig one on the account of the claim one; attributes win over these.
func (l ProfileLandscape) ConfigOf(template string, attributes ...string) string {
	lines := map[string]string{
		"name": fmt.Sprintf("%q", l.Config), "landscape_ref": `"canary"`, "project": `"my-project"`, "environment": `"test"`,
		"wait_for_profile":         "false",
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

// Live returns the ProviderConfig as the server has it; nil = there is none.
func (l ProfileLandscape) Live() (*unstructured.Unstructured, error) {
	object := openmcp.New("ProviderConfig", "", l.Config)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := l.PlatformCluster.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // as documented
	}
	return object, err
}

// At returns a value of the ProviderConfig; empty = there is none.
func (l ProfileLandscape) At(path ...string) string {
	object, err := l.Live()
	if err != nil || object == nil {
		return fmt.Sprintf("%v, %v", object, err)
	}
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// Has checks a value of the ProviderConfig.
func (l ProfileLandscape) Has(want string, path ...string) resource.TestCheckFunc {
	return func(*terraform.State) error { return Equal(strings.Join(path, "."), l.At(path...), want) }
}

// Edit changes the ProviderConfig as another party does.
func (l ProfileLandscape) Edit(t *testing.T, patch string) {
	t.Helper()
	object, err := l.Live()
	if err == nil {
		err = l.PlatformCluster.Client().Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Gone fails where the ProviderConfig of a test is there.
func (l ProfileLandscape) Gone(*terraform.State) error {
	object, err := l.Live()
	if err == nil && object != nil {
		return fmt.Errorf("ProviderConfig %s is there", l.Config)
	}
	return err
}

// AfterThePlan does something once the plan is made.
type AfterThePlan func()

// CheckPlan implements [plancheck.PlanCheck].
func (do AfterThePlan) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	do()
}

// Profile publishes the profile of the ProviderConfig, as its cluster provider does.
func (l ProfileLandscape) Profile(t *testing.T) {
	t.Helper()
	profile := openmcp.New("ClusterProfile", "", "test.gardener."+l.Config)
	profile.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": "gardener"}, "providerConfigRef": map[string]any{"name": l.Config},
		"supportedVersions": []any{map[string]any{"version": "1.9.1", "deprecated": true}, map[string]any{"version": "1.30.2"}},
	}
	if err := l.PlatformCluster.Client().Create(t.Context(), profile); err != nil {
		t.Fatal(err)
	}
}

// Make makes the ProviderConfig as another party does, with the spec of a Shoot.
func (l ProfileLandscape) Make(t *testing.T, shoot map[string]any) {
	t.Helper()
	object := openmcp.New("ProviderConfig", "", l.Config)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	object.Object["spec"] = map[string]any{"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": "x"},
		"project": "theirs", "shootTemplate": map[string]any{"spec": shoot}}
	if err := l.PlatformCluster.Client().Create(context.Background(), object); err != nil {
		t.Fatal(err)
	}
}

// ClusterOn writes the Cluster one on the profile of the ProviderConfig one.
func (l ProfileLandscape) ClusterOn(attributes ...string) string {
	return ClusterOf(append([]string{fmt.Sprintf("profile = \"test.gardener.%s\"", l.Config),
		"depends_on = [hap_gardener_provider_config.one]"}, attributes...)...)
}
