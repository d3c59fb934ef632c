package provider

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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
	poolaccount "github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/claim"
	"github.com/hap-project/terraform-provider-hap/internal/provider/cluster"
	"github.com/hap-project/terraform-provider-hap/internal/provider/clusteraccess"
	"github.com/hap-project/terraform-provider-hap/internal/provider/clusterprofile"
	"github.com/hap-project/terraform-provider-hap/internal/provider/clusterrequest"
	"github.com/hap-project/terraform-provider-hap/internal/provider/credentials"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/functions"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ruleset"
	"github.com/hap-project/terraform-provider-hap/internal/provider/selection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/shoot"
	"github.com/hap-project/terraform-provider-hap/internal/provider/status"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var (
	_ provider.ProviderWithFunctions      = (*hapProvider)(nil)
	_ provider.ProviderWithValidateConfig = (*hapProvider)(nil)

	_ provider.ProviderWithEphemeralResources = (*hapProvider)(nil)
	_ provider.ProviderWithListResources      = (*hapProvider)(nil)
)

// hapProvider is the provider. The version goes into the user agent of its requests. The zero run is that of a process which serves
// several.
type hapProvider struct {
	version string
	run     poolaccount.Run
	getenv  func(string) string
	backend atomic.Pointer[backend.Backend] // nil = it is not configured
}

// typeName is what the types of all resources begin with.
const typeName = "hap"

type providerModel struct {
	Kubernetes   types.Object `tfsdk:"kubernetes"`
	Namespace    types.String `tfsdk:"namespace"`
	MultiAccount types.Object `tfsdk:"multi_account"`
	Pool         types.Object `tfsdk:"pool"`
	ReleaseGrace types.String `tfsdk:"release_grace"`
	CleanUpTypes types.Set    `tfsdk:"clean_up_types"`
	Database     types.Object `tfsdk:"database"`
	ClusterCount types.Object `tfsdk:"cluster_count"`
	Platform     types.Object `tfsdk:"platform"`
}

func (p *hapProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = typeName
	resp.Version = p.version
}

func (p *hapProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The provider for the Hyperscaler Account Pool (HAP): a pool of cloud accounts, each one a Gardener " +
			"`CredentialsBinding` with labels, from which a Global Account is given accounts. It checks the rules that map a cluster request to a " +
			"pool, previews which account the next cluster goes to, claims and tracks accounts beside a running Kyma Environment Broker, and " +
			"makes clusters on them.",
		Attributes: map[string]schema.Attribute{
			"kubernetes": schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "How to reach the Gardener API, with the names and environment variables of `hashicorp/kubernetes`. " +
					"`KUBECONFIG` is not read.",
				Attributes: connectionAttributes(gardenPlace.Prefix),
			},
			"namespace": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The namespace of the Gardener project. Environment variable `HAP_NAMESPACE`; else the namespace of the " +
					"kubeconfig's context.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"pool": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "What the accounts are and how they are labelled, for older " +
					"landscapes; and which free one a claim takes.", Attributes: poolSettingsAttributes(),
			},
			"multi_account": schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "Lets Global Accounts hold several accounts of one pool (`hap.multiHyperscalerAccount` of KEB). Without it each " +
					"Global Account has one account per pool, without a limit.",
				Attributes: multiAccountAttributes(),
			},
			"database": schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "The database of the Kyma Environment Broker (PostgreSQL), read-only: a role that may read the view " +
					"`hap.clusters` is enough (`examples/rbac/database.sql` makes both). Where it may not, the table `instances` is read. The rows " +
					"count as clusters (see `cluster_count`), and no account is released while one names it.",
				Attributes: databaseAttributes(),
			},
			"cluster_count": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Who counts the clusters on the accounts.", Attributes: clusterCountAttributes(),
			},
			"release_grace": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long an account stays fenced (label `dirty=releasing`: no new cluster may come) before a destroy looks for " +
					"clusters a last time and marks or frees it, as a duration such as `90s` or `5m`, at most `1h`. A broker that chose the account a " +
					"moment before, or another run with a `hap_shoot` that looked at it, may still be on its way to create the cluster. Default `1m`; " +
					"`0s` only where neither a broker nor another configuration makes clusters on the accounts.",
				Validators: []validator.String{tfvalue.Duration{
					What: "grace time of a release", Most: maxGrace, Summary: diagnose.SummaryInvalidGrace, ForExample: "90s or 5m",
				}},
			},
			"clean_up_types": cleanUpAttribute(),
			"platform": schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "How to reach the platform cluster of openMCP, for clusters that are requested there. It is a second " +
					"connection, apart from the one to the Garden, and may be known only after an apply: what works on the platform cluster is " +
					"planned without it then. It has no environment variables.",
				Attributes: platformAttributes(),
			},
		},
	}
}

// settings reads the provider block. connected says that all settings of the connection are known.
func (p *hapProvider) settings(ctx context.Context, model providerModel) (s settings.Settings, connected bool, diags diag.Diagnostics) {
	s = settings.Settings{Getenv: p.getenv, Run: p.run, Grace: tfvalue.DurationOf(model.ReleaseGrace, defaultGrace)}
	var more diag.Diagnostics
	s.Policy, s.PolicyUnknown, more = policyFrom(ctx, model.MultiAccount)
	diags.Append(more...)
	diags.Append(readPool(ctx, model.Pool, &s)...)
	diags.Append(readCleanUp(model.CleanUpTypes, &s)...)
	var unknown []string
	s.Counting, unknown, more = countingFrom(ctx, model)
	s.Unknown = append(s.Unknown, unknown...)
	diags.Append(more...)
	s.Kubernetes, unknown, more = kubernetesFrom(ctx, model)
	s.Unknown = append(unknown, s.Unknown...)
	diags.Append(more...)
	s.Platform, more = platformFrom(ctx, model.Platform)
	diags.Append(more...)
	return s, len(unknown) == 0, diags
}

// ValidateConfig checks what can be checked before anything is known of the world; unknown values pass.
func (p *hapProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings, connected, diags := p.settings(ctx, model)
	resp.Diagnostics.Append(diags...)
	if tfvalue.Known(model.Database, model.ClusterCount) {
		resp.Diagnostics.Append(checkCounting(settings.Counting, p.getenv)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if connected {
		reportSetting(&resp.Diagnostics, settings.Kubernetes.Check())
	}
	if settings.Platform.Given && len(settings.Platform.Unknown) == 0 {
		reportSetting(&resp.Diagnostics, settings.Platform.Kubernetes.Check())
	}
}

// reportSetting adds an error at the setting of a connection that is wrong.
func reportSetting(diags *diag.Diagnostics, err error) {
	wrong, ok := errors.AsType[*kube.SettingError](err)
	if !ok {
		return
	}
	at := path.Root(wrong.Path()[0])
	for _, step := range wrong.Path()[1:] {
		at = at.AtName(step)
	}
	diags.AddAttributeError(at, diagnose.SummaryBadConnection, wrong.Error())
}

// Configure keeps the settings for the first use. It never dials.
func (p *hapProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	p.backend.Store(nil)
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings, _, diags := p.settings(ctx, model)
	resp.Diagnostics.Append(diags.Errors()...) // the warnings were reported when the configuration was validated
	if resp.Diagnostics.HasError() {
		return
	}
	settings.Agent = fmt.Sprintf("Terraform/%s terraform-provider-hap/%s", req.TerraformVersion, p.version)
	b := backend.New(settings)
	p.backend.Store(b)
	resp.ResourceData, resp.DataSourceData, resp.EphemeralResourceData, resp.ListResourceData = b, b, b, b
}

// families are all objects of the provider.
var families = []family.Family{
	account.Family,
	claim.Family,
	cluster.Family,
	clusteraccess.Family,
	clusterprofile.Family,
	clusterrequest.Family,
	credentials.Family,
	functions.Family,
	ruleset.Family,
	selection.Family,
	shoot.Family,
	status.Family,
}

// of collects one kind of object from all families.
func of[T any](objects func(family.Family) []T) []T {
	var all []T
	for _, f := range families {
		all = append(all, objects(f)...)
	}
	return all
}

func (p *hapProvider) Resources(context.Context) []func() resource.Resource {
	return of(func(f family.Family) []func() resource.Resource { return f.Resources })
}

func (p *hapProvider) DataSources(context.Context) []func() datasource.DataSource {
	return of(func(f family.Family) []func() datasource.DataSource { return f.DataSources })
}

// EphemeralResources returns what is read for one run and kept nowhere.
func (p *hapProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return of(func(f family.Family) []func() ephemeral.EphemeralResource { return f.EphemeralResources })
}

// ListResources returns what `terraform query` can list.
func (p *hapProvider) ListResources(context.Context) []func() list.ListResource {
	return of(func(f family.Family) []func() list.ListResource { return f.ListResources })
}

// Functions returns the functions; all are pure and need no configuration.
func (p *hapProvider) Functions(context.Context) []func() function.Function {
	return of(func(f family.Family) []func() function.Function { return f.Functions })
}

const (
	// defaultGrace bridges the time between a broker's choice of an account and the Shoot that it creates there.
	defaultGrace = time.Minute
	maxGrace     = time.Hour
)
