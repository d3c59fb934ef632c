package scenarios

import (
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// platformToken is an access that may ask for access itself, and read it.
const platformToken = `{ permissions = [{ namespace = %q, rules = [
    { api_groups = ["clusters.openmcp.cloud"], resources = ["accessrequests"], verbs = ["*"] },
    { api_groups = [""], resources = ["secrets"], verbs = ["get"] },
  ] }] }`

// The access that openMCP grants configures another provider, and comes out nowhere: neither in what is printed and logged, nor in plan
// and state. The other provider is this one once more: behind each Cluster of the testbed is the platform cluster itself.
func TestSecretsOfPlatformAccess(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Accounts(t, awsAccounts(1)...)
	platform := openmcp.Shared(t)
	ns := platform.NewNamespace(t)
	user := platform.ServiceAccount(t, ns, "hap", testbed.RoleExample(t, "platform.yaml"))
	kubeconfig, err := os.ReadFile(user.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	request := openmcp.New("ClusterRequest", ns, "mcp1")
	request.Object["spec"] = map[string]any{"purpose": "mcp"}
	if err := platform.Client().Create(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	planted := secrets{"token of the user": s.user.Token, "token of the user of the platform cluster": user.Config.BearerToken}
	settings := s.connection(t) + "\n    token = var.token\n  }\n  platform = { config_raw = var.kubeconfig }"
	p := s.secretly(t, planted, settings, map[string]string{"token": s.user.Token, "kubeconfig": string(kubeconfig)})
	p.write(t, settings, `
variable "token" {
  type      = string
  sensitive = true
  ephemeral = true
}
variable "kubeconfig" {
  type      = string
  sensitive = true
  ephemeral = true
}
resource "hap_access_request" "outer" {
  name        = "outer"
  request_ref = { name = "mcp1" }
  token       = `+fmt.Sprintf(platformToken, ns)+`
  lifecycle {
    postcondition {
      condition     = self.granted
      error_message = "not granted"
    }
  }
}
ephemeral "hap_cluster_access" "outer" {
  access_request_id = hap_access_request.outer.access_request_id
}
provider "hap" {
  alias    = "inside"
  platform = {
    host                   = ephemeral.hap_cluster_access.outer.host
    token                  = ephemeral.hap_cluster_access.outer.token
    cluster_ca_certificate = ephemeral.hap_cluster_access.outer.cluster_ca_certificate
    namespace              = "`+ns+`"
  }
}
resource "hap_access_request" "inner" {
  provider    = hap.inside
  name        = "inner"
  request_ref = { name = "mcp1" }
  token       = { role_refs = [{ kind = "ClusterRole", name = "view" }] }
}
# Not one of its values gets into a plan, not even as part of another.
locals {
  length = length("${ephemeral.hap_cluster_access.outer.kubeconfig}${ephemeral.hap_cluster_access.outer.expires_at}")
}
`, claim("blue", "ga-1"))
	p.works(t)
	for _, name := range []string{"outer", "inner"} { // the testbed's cluster provider leaves the Secrets
		var secret corev1.Secret
		if err := platform.Client().Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name + ".kubeconfig"}, &secret); err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
		if err != nil || len(config.BearerToken) < 100 {
			t.Fatalf("a token of %d characters, %v: the test tests nothing", len(config.BearerToken), err)
		}
		planted["token of "+name] = config.BearerToken
		planted["kubeconfig of "+name] = string(secret.Data["kubeconfig"])
	}
	p.keepsQuiet(t)
}
