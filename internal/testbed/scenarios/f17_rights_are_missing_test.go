package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// roleOf is a Role with these verbs on accounts and on Shoots, which may be none, and on nothing else.
func roleOf(accounts, shoots string) []byte {
	role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: part}\nrules:\n" +
		"- {apiGroups: [\"\"], resources: [secrets], verbs: [get]}\n"
	if accounts != "" {
		role += fmt.Sprintf("- {apiGroups: [security.gardener.cloud], resources: [credentialsbindings], verbs: [%s]}\n", accounts)
	}
	if shoots != "" {
		role += fmt.Sprintf("- {apiGroups: [core.gardener.cloud], resources: [shoots], verbs: [%s]}\n", shoots)
	}
	return []byte(role)
}

// missing is a right that is not there, as the message names it.
type missing struct{ verb, resource string }

// F17: a user who may not do all of it learns at once which verb on what is missing where, and nothing is written: neither by
// an apply nor by a destroy.
func TestF17Forbidden(t *testing.T) {
	t.Parallel()
	const accounts, shoots = "credentialsbindings", "shoots"
	// A claim asks for its rights to get and patch first. A release finds out about get by doing it.
	matrix := []struct {
		name             string
		accounts, shoots string // the verbs that are granted
		apply, destroy   missing
	}{
		{"all but list", "get, patch", "list", missing{"list", accounts}, missing{}},
		{"all but patch", "get, list", "list", missing{"patch", accounts}, missing{"patch", accounts}},
		{"all but get", "list, patch", "list", missing{"get", accounts}, missing{"get", accounts}},
		{"all but list of Shoots", "get, list, patch", "", missing{"list", shoots}, missing{"list", shoots}},
		{"nothing", "", "", missing{"get", accounts}, missing{"get", accounts}},
		{"list alone", "list", "", missing{"get", accounts}, missing{"get", accounts}},
		{"list and get", "list, get", "", missing{"patch", accounts}, missing{"patch", accounts}},
		{"Shoots alone", "", "list", missing{"get", accounts}, missing{"get", accounts}},
	}
	s := newStage(t, awsAccounts(2)...)
	made := s.configure(t, claim("blue", "ga-1"))
	made.apply(t)
	wanted := s.configure(t, claim("green", "ga-2"))
	since := s.versions(t)
	for i, row := range matrix {
		user := s.ServiceAccount(t, fmt.Sprintf("part-%d", i), roleOf(row.accounts, row.shoots))
		kubeconfig := s.proxy.Kubeconfig(t, user)
		fails := func(c configuration, arguments []string, lacks missing) {
			t.Helper()
			c.Setenv("KUBE_CONFIG_PATH", kubeconfig)
			t.Logf("%s: %s", row.name, arguments[0])
			c.fails(t, arguments, "Not allowed in the Garden",
				fmt.Sprintf("not allowed to %s %s in namespace %q", lacks.verb, lacks.resource, s.Name), "Grant the verb")
		}
		fails(wanted, applying, row.apply)
		if row.destroy != (missing{}) {
			fails(made, []string{"destroy", "-auto-approve", "-refresh=false"}, row.destroy)
		}
		s.unwritten(t, since)
	}
	s.wantWrites(t, "with half of the rights", 1)
	if patches := s.requestsOf("patch"); patches != 1 { // the claim's
		t.Errorf("%d patches were tried", patches)
	}
}

// F17: Gardener demands that a user who writes an account may read its Secret. The message says so.
func TestF17ForbiddenToReadTheSecret(t *testing.T) {
	t.Parallel()
	acceptance(t)
	s := newStageIn(t, testbed.SharedStrict(t), fault.ProxyOptions{}, awsAccounts(1)...)
	role := strings.ReplaceAll(string(roleOf("get, list, patch", "list")), "resources: [secrets]", "resources: [configmaps]")
	c := s.configure(t, claim("blue", "ga-1"))
	c.Setenv("KUBE_CONFIG_PATH", s.proxy.Kubeconfig(t, s.ServiceAccount(t, "part", []byte(role))))
	since := s.versions(t)
	c.fails(t, applying, "Not allowed in the Garden", "not allowed to patch credentialsbindings in namespace", s.Name,
		"cannot reference a Secret you are not allowed to read", "Gardener demands get on the Secret")
	s.unwritten(t, since)
	c.Setenv("KUBE_CONFIG_PATH", s.proxy.Kubeconfig(t, s.user))
	c.apply(t)
	since = s.versions(t)
	c.Setenv("KUBE_CONFIG_PATH", s.proxy.Kubeconfig(t, s.ServiceAccount(t, "part-2", []byte(role))))
	c.fails(t, destroying, "Not allowed in the Garden", "not allowed to patch credentialsbindings in namespace", s.Name)
	s.unwritten(t, since)
}
