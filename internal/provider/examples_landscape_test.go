package provider

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// exampleLandscape has an account in each pool that an example leads to, and one that ga-acme holds already.
func exampleLandscape(t *testing.T) landscape {
	t.Helper()
	l := newLandscape(t)
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
func (e example) cli(t *testing.T, l landscape) *cli.CLI {
	t.Helper()
	kubeconfig, err := os.ReadFile(l.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cli := cli.New(t, "HOME="+home)
	cli.Setenv("TF_VAR_release_grace", "0s") // no broker runs here
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
	case clusterGuide: // as it says, in no variable of KUBE_
		cli.Setenv("TF_VAR_garden_kubeconfig", l.kubeconfig)
	default:
		config := l.user.Config()
		cli.Setenv("KUBE_HOST", config.Host)
		cli.Setenv("KUBE_TOKEN", config.BearerToken)
		cli.Setenv("KUBE_CLUSTER_CA_CERT_DATA", string(config.CAData))
		cli.Setenv("HAP_NAMESPACE", l.Name)
	}
	if l.platform.kubeconfig != "" {
		cli.Setenv("TF_VAR_platform", l.platform.kubeconfig)
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
func (e example) asSupplier(t *testing.T, l landscape, cli *cli.CLI) {
	t.Helper()
	role := string(testbed.RoleExample(t, "role-supply.yaml")) + secretsRole
	cli.Setenv("KUBE_TOKEN", l.ServiceAccount(t, "supplier", []byte(role)).Token)
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

// What an example uses of other providers is faked, here hashicorp/aws, which has to get the credentials of the account.
const (
	fakeAWSProgram = "terraform-provider-aws"
	fakeAWSKey     = "AKIA-OF-" + exampleAccount
	fakeAWSAccount = "account of " + fakeAWSKey
)

// fakes are the providers that this test binary plays, by the name of their program.
var fakes = map[string]func() frameworkprovider.Provider{
	fakeHelmProgram:       func() frameworkprovider.Provider { return &fakeHelm{} },
	fakeAWSProgram:        func() frameworkprovider.Provider { return &fakeAWS{} },
	fakeKubernetesProgram: func() frameworkprovider.Provider { return &fakeKubernetes{} },
}

// installFakes makes the program under test take this very test binary for the providers that it plays.
func installFakes(t *testing.T, cli *cli.CLI) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	overrides := ""
	for program := range fakes {
		if err := os.Symlink(self, filepath.Join(folder, program)); err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
			overrides += "    \"" + host + "/hashicorp/" + strings.TrimPrefix(program, "terraform-provider-") + "\" = \"" + folder + "\"\n"
		}
	}
	file := filepath.Join(cli.Folder, ".terraformrc")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(content), "dev_overrides {\n", "dev_overrides {\n"+overrides, 1)
	writeExample(t, cli, ".terraformrc", text)
}

// serveFake is the test binary as one of those providers; false = it was not started as one.
func serveFake() bool {
	program := filepath.Base(os.Args[0])
	fake, known := fakes[program]
	if !known {
		return false
	}
	err := providerserver.Serve(context.Background(), fake, providerserver.ServeOpts{
		Address: "registry.terraform.io/hashicorp/" + strings.TrimPrefix(program, "terraform-provider-"), ProtocolVersion: 6,
	})
	if err != nil {
		os.Exit(1)
	}
	return true
}

// fakeAWS knows one data source. As the real one it has to know its credentials at plan.
type fakeAWS struct{}

func (*fakeAWS) Metadata(_ context.Context, _ frameworkprovider.MetadataRequest, resp *frameworkprovider.MetadataResponse) {
	resp.TypeName = "aws"
}

func (*fakeAWS) Schema(_ context.Context, _ frameworkprovider.SchemaRequest, resp *frameworkprovider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"region": schema.StringAttribute{Optional: true}, "access_key": schema.StringAttribute{Optional: true},
		"secret_key": schema.StringAttribute{Optional: true},
	}}
}

func (*fakeAWS) Configure(ctx context.Context, req frameworkprovider.ConfigureRequest, resp *frameworkprovider.ConfigureResponse) {
	var model struct {
		Region    types.String `tfsdk:"region"`
		AccessKey types.String `tfsdk:"access_key"`
		SecretKey types.String `tfsdk:"secret_key"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	key := model.AccessKey.ValueString()
	if key == "" || model.SecretKey.ValueString() != "secret of "+key {
		resp.Diagnostics.AddError("No valid credential sources found", "The fake of hashicorp/aws has to be given both keys of one Secret.")
	}
	resp.DataSourceData = key
}

func (*fakeAWS) Resources(context.Context) []func() resource.Resource { return nil }

func (*fakeAWS) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &fakeCaller{} }}
}

// fakeCaller is aws_caller_identity.
type fakeCaller struct{ key string }

func (*fakeCaller) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "aws_caller_identity"
}

func (*fakeCaller) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = datasourceschema.Schema{Attributes: map[string]datasourceschema.Attribute{
		"account_id": datasourceschema.StringAttribute{Computed: true},
	}}
}

func (d *fakeCaller) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.key, _ = req.ProviderData.(string)
}

func (d *fakeCaller) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(resp.State.Set(ctx, &struct {
		AccountID string `tfsdk:"account_id"`
	}{"account of " + d.key})...)
}
