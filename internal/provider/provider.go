package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

var (
	_ provider.Provider                   = (*hapProvider)(nil)
	_ provider.ProviderWithFunctions      = (*hapProvider)(nil)
	_ provider.ProviderWithValidateConfig = (*hapProvider)(nil)

	_ provider.ProviderWithEphemeralResources = (*hapProvider)(nil)
	_ provider.ProviderWithListResources      = (*hapProvider)(nil)
)

// New returns the provider. The version goes into the user agent of its requests.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &hapProvider{version: version, getenv: os.Getenv} }
}

type hapProvider struct {
	version string
	getenv  func(string) string
}

type providerModel struct {
	Kubernetes   types.Object `tfsdk:"kubernetes"`
	Namespace    types.String `tfsdk:"namespace"`
	MultiAccount types.Object `tfsdk:"multi_account"`
	Pool         types.Object `tfsdk:"pool"`
	ReleaseGrace types.String `tfsdk:"release_grace"`
	Database     types.Object `tfsdk:"database"`
	ClusterCount types.Object `tfsdk:"cluster_count"`
}

func (p *hapProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "hap"
	resp.Version = p.version
}

func (p *hapProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The provider for the Hyperscaler Account Pool (HAP): a pool of cloud accounts, each one a Gardener `CredentialsBinding` with labels, " +
			"from which a Global Account is given accounts. It checks the rules that map a cluster request to a pool, previews which account the next cluster " +
			"goes to, and claims and tracks accounts beside a running Kyma Environment Broker.",
		Attributes: map[string]schema.Attribute{
			"kubernetes": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "How to reach the Gardener API, with the names and environment variables of `hashicorp/kubernetes`. `KUBECONFIG` is not read.",
				Attributes:          kubernetesAttributes(),
			},
			"namespace": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The namespace of the Gardener project. Environment variable `HAP_NAMESPACE`; else the namespace of the kubeconfig's context.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"pool": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "What the accounts are and how they are labelled, for older landscapes.", Attributes: poolSettingsAttributes(),
			},
			"multi_account": schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "Lets Global Accounts hold several accounts of one pool (`hap.multiHyperscalerAccount` of KEB). " +
					"Without it each Global Account has one account per pool, without a limit.",
				Attributes: multiAccountAttributes(),
			},
			"database": schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "The database of the Kyma Environment Broker (PostgreSQL), read-only: a role that may `SELECT` a few columns of `instances` is enough (`examples/rbac/database.sql`). " +
					"Its rows count as clusters (see `cluster_count`), and no account is released while one names it.",
				Attributes: databaseAttributes(),
			},
			"cluster_count": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Who counts the clusters on the accounts.", Attributes: clusterCountAttributes(),
			},
			"release_grace": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long an account stays fenced (label `dirty=releasing`: no new cluster may come) before a destroy looks for clusters a last time and marks or frees it, " +
					"as a duration such as `90s` or `5m`, at most `1h`. A broker that chose the account a moment before may still be on its way to create the cluster. " +
					"Default `1m`; `0s` where nobody else puts clusters on the accounts.",
				Validators: []validator.String{graceTime},
			},
		},
	}
}

func kubernetesAttributes() map[string]schema.Attribute {
	text := func(variable, description string) schema.StringAttribute {
		if variable != "" {
			description += " Environment variable `" + variable + "`."
		}
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	secret := func(variable, description string) schema.StringAttribute {
		a := text(variable, description)
		a.Sensitive = true
		return a
	}
	return map[string]schema.Attribute{
		"host":                     text("KUBE_HOST", "The URL of the API server."),
		"token":                    secret("KUBE_TOKEN", "A bearer token."),
		"username":                 text("KUBE_USER", "The user of basic authentication."),
		"password":                 secret("KUBE_PASSWORD", "The password of basic authentication."),
		"insecure":                 schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to take any server certificate. Environment variable `KUBE_INSECURE`."},
		"tls_server_name":          text("KUBE_TLS_SERVER_NAME", "The name to check the server certificate against, where it is not the host's."),
		"client_certificate":       text("KUBE_CLIENT_CERT_DATA", "A client certificate as PEM text."),
		"client_key":               secret("KUBE_CLIENT_KEY_DATA", "The key of the client certificate as PEM text."),
		"cluster_ca_certificate":   text("KUBE_CLUSTER_CA_CERT_DATA", "The CA certificates of the server as PEM text."),
		"config_path":              text("KUBE_CONFIG_PATH", "The path of a kubeconfig. `~` is the home folder. Excludes `config_paths` and `config_raw`."),
		"config_paths":             schema.ListAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.NoNullValues()}, MarkdownDescription: "Paths of kubeconfigs to merge as kubectl does. Environment variable `KUBE_CONFIG_PATHS`, joined by the system's list separator."},
		"config_raw":               secret("", "A kubeconfig as text. Excludes `config_path` and `config_paths`."),
		"config_context":           text("KUBE_CTX", "The context to take from the kubeconfig."),
		"config_context_auth_info": text("KUBE_CTX_AUTH_INFO", "The user to take instead of the context's."),
		"config_context_cluster":   text("KUBE_CTX_CLUSTER", "The cluster to take instead of the context's."),
		"proxy_url":                text("KUBE_PROXY_URL", "The proxy to use: http, https or socks5."),
		"exec": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "A program that prints credentials, as in a kubeconfig.",
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{Optional: true, MarkdownDescription: "The version of `ExecCredential` that the program prints. Default `client.authentication.k8s.io/v1`."},
				"command":     schema.StringAttribute{Required: true, MarkdownDescription: "The program."},
				"args":        schema.ListAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.NoNullValues()}, MarkdownDescription: "Its arguments."},
				"env":         schema.MapAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Map{mapvalidator.NoNullValues()}, MarkdownDescription: "Variables that it gets in addition.", Sensitive: true},
			},
		},
	}
}

// ValidateConfig checks what can be checked before anything is known of the world; unknown values pass.
func (p *hapProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	_, _, diags := policyFrom(ctx, model.MultiAccount)
	resp.Diagnostics.Append(diags...)
	_, _, diags = accountsFrom(ctx, model.Pool)
	resp.Diagnostics.Append(diags...)
	count, _, diags := countingFrom(ctx, model)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(count.check(p.getenv)...)
	settings, unknown, diags := settingsFrom(ctx, model)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || len(unknown) > 0 {
		return
	}
	var wrong *kube.SettingError
	if err := settings.Check(); errors.As(err, &wrong) {
		at := path.Root(wrong.Path()[0])
		for _, step := range wrong.Path()[1:] {
			at = at.AtName(step)
		}
		resp.Diagnostics.AddAttributeError(at, summaryBadConnection, wrong.Error())
	}
}

// Configure keeps the settings for the first use. It never dials.
func (p *hapProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	policy, unknown, diags := policyFrom(ctx, model.MultiAccount)
	resp.Diagnostics.Append(diags.Errors()...) // the warnings were told when the configuration was validated
	settings, unknownSettings, diags := settingsFrom(ctx, model)
	resp.Diagnostics.Append(diags...)
	count, unknownCounting, diags := countingFrom(ctx, model)
	resp.Diagnostics.Append(diags...)
	accounts, unknownPool, diags := accountsFrom(ctx, model.Pool)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	agent := fmt.Sprintf("Terraform/%s terraform-provider-hap/%s", req.TerraformVersion, p.version)
	backend := &backend{
		settings: settings, getenv: p.getenv, policy: policy, agent: agent, accountSettings: accounts,
		unknown: slices.Concat(unknownSettings, unknownCounting, unknownPool), policyUnknown: unknown, grace: graceFrom(model.ReleaseGrace),
		counting: count, releases: newReleaseWarnings(),
	}
	resp.ResourceData = backend
	resp.DataSourceData = backend
	resp.EphemeralResourceData = backend
	resp.ListResourceData = backend
}

// backendFrom takes the backend that Configure has handed on; nil before Configure has run.
func backendFrom(data any) (*backend, error) {
	if data == nil {
		return nil, nil //nolint:nilnil // the framework configures twice, the first time with nothing
	}
	b, ok := data.(*backend)
	if !ok {
		return nil, fmt.Errorf("expected *backend, got %T. Please report this issue to the provider developers", data)
	}
	return b, nil
}

func (p *hapProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newRuleSetResource, newClaimResource}
}

func (p *hapProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newSelectionDataSource, newStatusDataSource}
}

// EphemeralResources returns what is read for one run and kept nowhere.
func (p *hapProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{newCredentialsResource}
}

// ListResources returns what `terraform query` can list.
func (p *hapProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{newClaimList}
}

// Functions returns the functions; all are pure and need no configuration.
func (p *hapProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newConvertRulesFunction, newMatchRulesFunction, newSelectBindingFunction, newValidateRulesFunction}
}

func quoted(words []string) string {
	return "`" + strings.Join(words, "`, `") + "`"
}
