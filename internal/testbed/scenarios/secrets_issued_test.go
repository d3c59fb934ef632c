package scenarios

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// issuing are families whose credentials configure another provider.
func issuing() map[string]family {
	return map[string]family{
		"the credentials of an account": {"hap_credentials", credentialsLife, false, false},
		"the kubeconfig of a cluster":   {"hap_shoot_access", kubeconfigLife, false, false},
		"the access to a Cluster":       {"hap_cluster_access", clusterAccessLife, false, false},
	}
}

// credentialsLife is a claim of a provider that works with the token in the credentials of an account.
func credentialsLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newStageBehind(t, options)
	inside := s.ServiceAccount(t, "inside", testbed.DocumentedRole(t))
	planted := secrets{"token of the account": inside.Token, "key": plant("key"), "binary key": plant("binary")}
	s.Secret(t, "aws-1", map[string][]byte{
		"token": []byte(inside.Token), "key": []byte(planted["key"]), "binary": append([]byte{0xff, 0xfe}, planted["binary key"]...),
	})
	s.Accounts(t, awsAccounts(1)...)
	s.user = s.ServiceAccount(t, "outside", testbed.RoleExample(t, "role-credentials.yaml")) // it cannot claim
	c := s.configure(t)
	with := func(key string) {
		c.write(t, "", fmt.Sprintf(`
ephemeral "hap_credentials" "c" {
  binding_name = "aws-1"
}
provider "hap" {
  alias         = "inside"
  release_grace = "0s"
  %s
    token = ephemeral.hap_credentials.c.data[%q]
  }
}
# Not one of its values gets into a plan, not even as part of another.
locals {
  lengths = length(join("", values(ephemeral.hap_credentials.c.data_base64)))
}
`, s.connection(t), key), claim("blue", "ga-1", "provider = hap.inside"))
	}
	return life{runner: c, proxy: s.proxy, kubeconfig: c.kubeconfig, folder: c.Folder, issued: func(*testing.T) secrets { return planted }, phases: []phase{
		{name: "claimed", command: applying, check: func(t *testing.T, _ past) { t.Helper(); c.wantClaimed(t, "blue", "ga-1") },
			prepare: func(t *testing.T) {
				t.Helper()
				with("no such key")
				result := c.Run(t, applying...)
				if result.ExitCode == 0 {
					t.Errorf("there is no such key in the Secret, and yet:\n%s", result.Output)
				}
				planted.keptQuiet(t, "the error", result.Output)
				with("token")
			}},
		{name: "released", command: destroying, check: func(t *testing.T, _ past) { t.Helper(); s.wantWrites(t, "a claim and its release", fencedWrites) }},
	}}
}

// issuedParts are the secret parts of a kubeconfig.
var issuedParts = map[string]*regexp.Regexp{
	"key": regexp.MustCompile(`client-key-data: (\S+)`), "certificate": regexp.MustCompile(`client-certificate-data: (\S+)`),
}

// kubeconfigLife is a cluster, and a provider that leads into it by a kubeconfig that Gardener issues: behind it is the testbed's own
// kube-apiserver.
func kubeconfigLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newClusterStageBehind(t, options, nil, awsAccounts(1)...)
	c := s.configure(t)
	planted := secrets{"key of the cluster's authority": string(s.gardenlet.ClientCA.Key), "a private key": "PRIVATE KEY-----"}
	var mu sync.Mutex
	issued := 0
	s.proxy.Spoil(fault.Rule{Verb: "create", Resource: "shoots/adminkubeconfig", Fault: fault.Overhear(func(body []byte) {
		mu.Lock()
		defer mu.Unlock()
		issued++
		for kind, pattern := range issuedParts {
			found := pattern.FindSubmatch(body)
			if found == nil {
				t.Errorf("the answer with a kubeconfig has no %s", kind)
				continue
			}
			decoded, err := base64.StdEncoding.DecodeString(string(found[1]))
			if err != nil {
				t.Error(err)
			}
			planted[fmt.Sprintf("%s %d, encoded", kind, issued)] = string(found[1])
			planted[fmt.Sprintf("%s %d, a line", kind, issued)] = strings.Split(string(decoded), "\n")[3] // the first ones are alike
		}
	})})
	all := func(t *testing.T) secrets {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if issued == 0 {
			t.Error("no kubeconfig was issued: the test tests nothing")
		}
		return planted
	}
	c.write(t, "", `
ephemeral "hap_shoot_access" "a" {
  shoot_name = hap_shoot.blue.access_name
}
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
	return life{runner: c, proxy: s.proxy, kubeconfig: c.kubeconfig, folder: c.Folder, issued: all, phases: []phase{
		{name: "made", command: applying, check: func(t *testing.T, _ past) { t.Helper(); s.only(t) }},
		{name: "destroyed", command: destroying, check: func(t *testing.T, _ past) { t.Helper(); s.wantNone(t, "destroyed") }},
	}}
}

// platformToken is an access that may ask for access itself, and read it.
const platformToken = `{ permissions = [{ namespace = %q, rules = [
    { api_groups = ["clusters.openmcp.cloud"], resources = ["accessrequests"], verbs = ["*"] },
    { api_groups = [""], resources = ["secrets"], verbs = ["get"] },
  ] }] }`

// clusterAccessLife is the access to a Cluster, and a provider that asks for access by it: behind each Cluster of the testbed is the platform
// cluster itself.
func clusterAccessLife(t *testing.T, options fault.ProxyOptions) life {
	t.Helper()
	s := newPlatformStage(t, options)
	c := s.configure(t, platformRequest("blue", "mcp"), platformResource(accessKind, "outer", `name = "outer"`,
		"request_ref = { name = hap_cluster_request.blue.name }", "token = "+fmt.Sprintf(platformToken, s.namespace)), `
ephemeral "hap_cluster_access" "outer" {
  access_request_id = hap_access_request.outer.access_request_id
}
provider "hap" {
  alias    = "inside"
  platform = {
    host                   = ephemeral.hap_cluster_access.outer.host
    token                  = ephemeral.hap_cluster_access.outer.token
    cluster_ca_certificate = ephemeral.hap_cluster_access.outer.cluster_ca_certificate
    namespace              = "`+s.namespace+`"
  }
}
# Not one of its values gets into a plan, not even as part of another.
locals {
  length = length("${ephemeral.hap_cluster_access.outer.kubeconfig}${ephemeral.hap_cluster_access.outer.expires_at}")
}
`, platformResource(accessKind, "inner", "provider = hap.inside", `name = "inner"`, "request_ref = { name = hap_cluster_request.blue.name }",
		`token = { role_refs = [{ kind = "ClusterRole", name = "view" }] }`))
	l := c.life(
		phase{name: "made", command: applying, check: func(t *testing.T, _ past) { t.Helper(); c.wantStanding(t) }},
		s.end(c))
	l.issued = func(t *testing.T) secrets {
		t.Helper()
		all := s.secrets(t)
		for _, name := range []string{"outer.kubeconfig", "inner.kubeconfig"} {
			if all[name] == "" {
				t.Errorf("%s was not issued: the test tests nothing", name)
			}
		}
		return all
	}
	return l
}
