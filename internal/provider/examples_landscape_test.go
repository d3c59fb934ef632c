package provider

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fakes"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/namespaces"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// exampleLandscape has an account in each pool that an example leads to, and one that ga-acme holds already.
func exampleLandscape(t *testing.T) acceptance.Landscape {
	t.Helper()
	l := acceptance.NewLandscape(t)
	l.Secret(t, exampleAccount, map[string][]byte{"accessKeyID": []byte(fakeAWSKey), "secretAccessKey": []byte("secret of " + fakeAWSKey)})
	l.Accounts(t,
		testbed.AccountSpec{Name: exampleAccount, HyperscalerType: "aws", Tenant: "ga-acme"},
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-eu-1", HyperscalerType: "aws", EUAccess: true},
		testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure"},
		testbed.AccountSpec{Name: "azure-eu-1", HyperscalerType: "azure", EUAccess: true},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"},
		testbed.AccountSpec{Name: "gcp-sa-1", HyperscalerType: "gcp_cf-sa30"},
		testbed.AccountSpec{Name: "trial-aws-1", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "trial-azure-1", HyperscalerType: "azure", Shared: true},
		testbed.AccountSpec{Name: "cc-eu-de-1-a", HyperscalerType: "openstack_eu-de-1", Shared: true},
	)
	return l
}

// cli is a folder for an example, and the connection that it expects: in the environment where the example does not say.
func (e example) cli(t *testing.T, l acceptance.Landscape) *cli.CLI {
	t.Helper()
	kubeconfig, err := os.ReadFile(l.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cli := cli.New(t, "HOME="+home)
	cli.Setenv("TF_VAR_release_grace", "0s") // no broker runs here
	cli.Setenv("HAP_NAMESPACE", l.Name)
	cli.Setenv("TF_VAR_namespace", l.Name)
	cli.Setenv("TF_VAR_garden_kubeconfig", l.Kubeconfig)
	cli.Setenv("TF_VAR_platform", cmp.Or(l.Platform.Kubeconfig, l.Kubeconfig))
	switch e.name {
	case providerExample: // ~/.kube/garden.yaml
		text := strings.ReplaceAll(string(kubeconfig), "local-garden", l.Name)
		if err := os.Mkdir(filepath.Join(home, ".kube"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".kube", "garden.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	case "guides/permissions":
		cli.Setenv("TF_VAR_kubeconfig", string(kubeconfig))
	case clusterGuide, clusterGuide + "/pool": // as it says, in no variable of KUBE_
	default:
		config := l.User.Config()
		cli.Setenv("KUBE_HOST", config.Host)
		cli.Setenv("KUBE_TOKEN", config.BearerToken)
		cli.Setenv("KUBE_CLUSTER_CA_CERT_DATA", string(config.CAData))
	}
	if e.name == "guides/counting" {
		database := postgres.Shared(t).NewDatabase(t)
		row := postgres.InstanceRow{Account: exampleAccount, GlobalAccount: "ga-acme"}
		database.Insert(t, row, row)
		l.Shoot(t, "known-to-both", exampleAccount)
		cli.Setenv("HAP_DATABASE_URL", database.ReaderURL())
	}
	if e.supplies() {
		e.asSupplier(t, l, cli)
	}
	installFakes(t, cli)
	return cli
}

// supplies reports whether an example fills the pool, for which it needs another Role than who claims.
func (e example) supplies() bool {
	return strings.Contains(e.text(), "hap_account")
}

// secretsRole is what hashicorp/kubernetes needs to make the Secrets of accounts.
const secretsRole = `
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: secrets }
rules: [{ apiGroups: [""], resources: [secrets], verbs: [get, create, update, delete] }]
`

// asSupplier makes the connection that of a service account which may fill the pool. What an example imports is there.
func (e example) asSupplier(t *testing.T, l acceptance.Landscape, cli *cli.CLI) {
	t.Helper()
	role := string(testbed.RoleExample(t, "role-supply.yaml")) + secretsRole
	supplier := l.ServiceAccount(t, "supplier", []byte(role))
	cli.Setenv("KUBE_TOKEN", supplier.Token)
	cli.Setenv("TF_VAR_garden_kubeconfig", supplier.Kubeconfig(t))
	cli.Setenv("TF_VAR_keys", suppliedKeys)
	switch {
	case strings.Contains(e.name, "/import"):
		l.Accounts(t, testbed.AccountSpec{Name: exampleSpare, HyperscalerType: "aws", EUAccess: true,
			Labels: map[string]string{"cost-center": "4711"}})
	case strings.HasPrefix(e.name, "resources/"):
		l.Secret(t, exampleSpare, nil)
	}
}

// suppliedKeys are the keys of the accounts that the guides put into the pool.
const suppliedKeys = `{"aws-account-21":{"id":"k21","secret":"PLANTED"},"aws-account-22":{"id":"k22","secret":"PLANTED"},` +
	`"aws-account-31":{"id":"k31","secret":"PLANTED"},"aws-shared-41":{"id":"k41","secret":"PLANTED"},` +
	`"aws-account-51":{"id":"k51","secret":"PLANTED"}}`

// What the example of hashicorp/aws gets: the credentials of the account, and what they lead to.
const (
	fakeAWSKey     = "AKIA-OF-" + exampleAccount
	fakeAWSAccount = "account of " + fakeAWSKey
)

// installFakes makes the program under test take this very test binary for the providers that it plays. The namespaces that they delete go.
func installFakes(t *testing.T, cli *cli.CLI) {
	t.Helper()
	if err := fakes.Override(filepath.Join(cli.Folder, ".terraformrc"), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	namespaces.For(t, testbed.Shared(t).AdminConfig())
}
