package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// What exists on a platform cluster is planned also where the way to it changes, and is known only after the apply.
func TestAccPlatform_changesKnownLater(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	rights := slices.Concat(testbed.RoleExample(t, "platform.yaml"), []byte("\n---\n"), testbed.RoleExample(t, "platform-profiles.yaml"))
	user := l.PlatformCluster.ServiceAccount(t, l.Requests, "both", rights)
	text, err := os.ReadFile(user.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(moved, text, 0o600); err != nil {
		t.Fatal(err)
	}
	workerless, _, _ := strings.Cut(acceptance.TemplateWith(), "    workers:")
	config := func(path string) string {
		return fmt.Sprintf(`
resource "terraform_data" "kubeconfig" { input = %q }
provider "hap" { platform = { config_path = terraform_data.kubeconfig.output } }
resource "hap_access_request" "one" {
  name        = "one"
  request_ref = { name = hap_cluster_request.one.name }
  token       = { role_refs = [{ kind = "ClusterRole", name = "view" }] }
}
`, path) + acceptance.RequestOf("one", "onboarding") + l.ConfigOf(workerless, "credentials_binding_name =", "global_account =")
	}
	step := func(path string) resource.TestStep {
		return resource.TestStep{Config: config(path), ConfigPlanChecks: resource.ConfigPlanChecks{
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps:                    []resource.TestStep{step(user.Kubeconfig), step(moved)},
	})
}
