package scenarios

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// issuedParts are the secret parts of a kubeconfig.
var issuedParts = map[string]*regexp.Regexp{
	"key": regexp.MustCompile(`client-key-data: (\S+)`), "certificate": regexp.MustCompile(`client-certificate-data: (\S+)`),
}

// The kubeconfigs that Gardener issues configure another provider, and come out nowhere: neither in what is printed and logged, nor in
// plan and state. No key is in them either, above all that of the cluster's authority.
func TestSecretsOfClusterAccess(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	planted := secrets{
		"token of the user": s.user.Token, "key of the cluster's authority": string(s.gardenlet.ClientCA.Key), "a private key": "PRIVATE KEY-----",
	}
	var mu sync.Mutex
	issued := 0
	s.proxy.Spoil(fault.Rule{Verb: "create", Resource: "shoots/adminkubeconfig", Fault: fault.Overhear(func(body []byte) {
		mu.Lock()
		defer mu.Unlock()
		for kind, pattern := range issuedParts {
			found := pattern.FindSubmatch(body)
			if found == nil {
				t.Errorf("the answer with a kubeconfig has no %s", kind)
				continue
			}
			encoded := string(found[1])
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				t.Error(err)
			}
			planted[fmt.Sprintf("%s %d, encoded", kind, issued)] = encoded
			planted[fmt.Sprintf("%s %d, a line", kind, issued)] = strings.Split(string(decoded), "\n")[3] // the first ones are alike
		}
		issued++
	})})
	settings := s.connection(t) + "\n    token = var.token\n  }"
	p := s.secretly(t, planted, settings, map[string]string{"token": s.user.Token})
	p.write(t, settings, `
variable "token" {
  type      = string
  sensitive = true
  ephemeral = true
}
ephemeral "hap_shoot_access" "a" {
  shoot_name = hap_shoot.blue.access_name
}
# It leads into the cluster, behind which the testbed has its own kube-apiserver.
provider "hap" {
  alias     = "inside"
  namespace = "`+s.Name+`"
  kubernetes = {
    host                   = ephemeral.hap_shoot_access.a.host
    client_certificate     = ephemeral.hap_shoot_access.a.client_certificate
    client_key             = ephemeral.hap_shoot_access.a.client_key
    cluster_ca_certificate = ephemeral.hap_shoot_access.a.cluster_ca_certificate
  }
}
data "hap_pool_status" "inside" {
  provider   = hap.inside
  depends_on = [hap_shoot.blue]
}
# Not one of its values gets into a plan, not even as part of another.
locals {
  length = length("${ephemeral.hap_shoot_access.a.kubeconfig}${ephemeral.hap_shoot_access.a.expires_at}")
}
`, claim("blue", "ga-1"), cluster())
	p.works(t)
	mu.Lock()
	defer mu.Unlock()
	p.keepsQuiet(t)
	if issued == 0 {
		t.Error("no kubeconfig was issued: the test tests nothing")
	}
	s.wantNone(t, "destroyed")
}
