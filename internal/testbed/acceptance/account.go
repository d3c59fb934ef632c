package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// Put puts labels on the account aws-1 and takes tenant and dirt away that are not named.
func (l Landscape) Put(t *testing.T, labels map[string]string) func() {
	t.Helper()
	return func() {
		all := map[string]*string{"tenantName": nil, "dirty": nil}
		for key, value := range labels {
			all[key] = &value
		}
		l.PatchLabels(t, "aws-1", all)
	}
}

// AccountOne is the address of the account that [AccountOf] writes.
const AccountOne = "hap_account.one"

// NewSupply is a landscape whose user may fill the pool, and nothing else. The Secrets of the names are there.
func NewSupply(t *testing.T, secrets ...string) Landscape {
	t.Helper()
	l := NewLandscape(t)
	l.User = l.ServiceAccount(t, "supply", testbed.RoleExample(t, "role-supply.yaml"))
	l.Kubeconfig = l.User.Kubeconfig(t)
	for _, name := range secrets {
		l.Secret(t, name, map[string][]byte{"credential": []byte(testbed.Credential)})
	}
	return l
}

// AccountOf writes the account one: aws-1 of pool aws, whose credentials are the Secret aws-1; attributes win over these.
func AccountOf(attributes ...string) string {
	lines := map[string]string{
		"name": `"aws-1"`, "provider_type": `"aws"`, "hyperscaler_type": `"aws"`, "credentials_ref": `{ name = "aws-1" }`,
	}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text := "resource \"hap_account\" \"one\" {\n"
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
}

// There reports whether the account aws-1 exists.
func (l Landscape) There(t *testing.T) bool {
	t.Helper()
	for _, a := range l.ListAccounts(t) {
		if a.Name == "aws-1" {
			return true
		}
	}
	return false
}

// Requiring is what a configuration of its own begins with.
const Requiring = "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"

// NewFolder is a folder with a state of its own, for the program under test and the real provider.
func NewFolder(t *testing.T, l Landscape) *cli.CLI {
	t.Helper()
	return cli.New(t, "KUBE_CONFIG_PATH="+l.Kubeconfig)
}
