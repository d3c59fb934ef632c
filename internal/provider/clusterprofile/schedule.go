package clusterprofile

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var _ datasource.DataSourceWithConfigure = (*scheduleDataSource)(nil)

// engineOpenMCP is the engine of the released operator.
const engineOpenMCP = "openmcp"

// requestName is how a request may be called, requestRule says it.
var requestName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

const requestRule = "must be small letters, digits, - and ., with a letter or a digit at both ends of each part"

// scheduleDataSource says which Cluster a request would get. It never writes.
type scheduleDataSource struct{ backend *backend.Backend }

func (d *scheduleDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster_schedule"
}

func (d *scheduleDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Which `Cluster` a request would get, and why: what the scheduler of openmcp-operator v1.3.0 does with it, as the " +
			"platform cluster stands now. The operator itself leaves a request that it cannot serve pending without a word. It never writes.",
		Attributes: map[string]schema.Attribute{
			"engine": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Whose decision it is: `openmcp`, that of the released operator. Default `openmcp`.",
				Validators: []validator.String{stringvalidator.OneOf(engineOpenMCP)},
			},
			"scheduler_config": schema.StringAttribute{
				Required: true, MarkdownDescription: "The operator's configuration file, YAML or JSON, with its part `scheduler`: the operator " +
					"publishes it nowhere. It is read strictly: an unknown field is an error, where the operator drops it without a word.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"namespace": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The namespace of the request. Default: the provider's `platform.namespace`.",
				Validators:          []validator.String{stringvalidator.LengthBetween(1, 63), stringvalidator.RegexMatches(objectName, nameRule)},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the request. One that is there already, with the same purpose, is previewed as " +
					"it stands.", Validators: []validator.String{stringvalidator.LengthBetween(1, 253),
					stringvalidator.RegexMatches(requestName, requestRule)},
			},
			"purpose": schema.StringAttribute{Required: true, MarkdownDescription: "Its purpose.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)}},
			"labels": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Its labels: the operator may " +
				"serve only requests with certain labels."},
			"decision": tfvalue.ComputedText("`reuse` a `Cluster` that exists, `create` a new one, or `deny`: the operator leaves the request " +
				"pending."),
			"reason": tfvalue.ComputedText("The reason in one word, such as `SharedClusterFits`, `NewCluster`, `UnknownPurpose` or " +
				"`NameConflict`."),
			"message": tfvalue.ComputedText("The reason in one or two sentences."),
			"cluster": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "The `Cluster`, existing or as the new one will be called; null where the request is denied, " +
					"or where the operator draws one at random.",
				Attributes: map[string]schema.Attribute{
					"namespace": tfvalue.ComputedText("Its namespace."), "name": tfvalue.ComputedText("Its name."),
				},
			},
			"profile":            tfvalue.ComputedText("The profile of the `Cluster`."),
			"kubernetes_version": tfvalue.ComputedText("Its Kubernetes version; null where none is said yet."),
			"tenancy":            tfvalue.ComputedText("`Shared` or `Exclusive`."),
			"tenants":            tfvalue.ComputedNumber("How many requests hold it, with this one."),
			"prefix": tfvalue.ComputedText("The prefix that `hap_cluster_request` tells: empty where the operator makes an exclusive `Cluster` " +
				"for the request, else eight characters derived from namespace and name, and `-`. Null where the request is denied, or it " +
				"depends on what is drawn."),
			"candidates": tfvalue.ComputedList("All `Clusters`, in the order in which the operator sees them; of a request that is granted the one "+
				"that it holds; none where a request is denied before the operator looks at them.", map[string]schema.Attribute{
				"namespace": tfvalue.ComputedText("Its namespace."), "name": tfvalue.ComputedText("Its name."),
				"chosen": tfvalue.ComputedBool("Whether it is taken."), "reason": tfvalue.ComputedText("Why it is taken or not."),
			}),
			"account": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "The account behind the profile; null where the Shoot template of its `ProviderConfig` names " +
					"none, or cannot be read.",
				Attributes: map[string]schema.Attribute{
					"binding_name": tfvalue.ComputedText("The account."),
					"shoots": tfvalue.ComputedNumber("The clusters counted on it; null where the provider block leads to no Garden, or it does " +
						"not answer."),
					"limit": tfvalue.ComputedNumber("The most clusters that it may have; null where no limit applies, or it is not known."),
				},
			},
		},
	}
}

type scheduleModel struct {
	Engine            types.String     `tfsdk:"engine"`
	SchedulerConfig   types.String     `tfsdk:"scheduler_config"`
	Namespace         types.String     `tfsdk:"namespace"`
	Name              types.String     `tfsdk:"name"`
	Purpose           types.String     `tfsdk:"purpose"`
	Labels            types.Map        `tfsdk:"labels"`
	Decision          types.String     `tfsdk:"decision"`
	Reason            types.String     `tfsdk:"reason"`
	Message           types.String     `tfsdk:"message"`
	Cluster           *refModel        `tfsdk:"cluster"`
	Profile           types.String     `tfsdk:"profile"`
	KubernetesVersion types.String     `tfsdk:"kubernetes_version"`
	Tenancy           types.String     `tfsdk:"tenancy"`
	Tenants           types.Int64      `tfsdk:"tenants"`
	Prefix            types.String     `tfsdk:"prefix"`
	Candidates        []candidateModel `tfsdk:"candidates"`
	Account           *accountModel    `tfsdk:"account"`
}

type refModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

type candidateModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Chosen    types.Bool   `tfsdk:"chosen"`
	Reason    types.String `tfsdk:"reason"`
}

type accountModel struct {
	BindingName types.String `tfsdk:"binding_name"`
	Shoots      types.Int64  `tfsdk:"shoots"`
	Limit       types.Int64  `tfsdk:"limit"`
}

func (d *scheduleDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

func (d *scheduleDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model scheduleModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	decision, err := d.decide(ctx, &model)
	if err == nil {
		model.fill(decision)
		err = d.behind(ctx, &resp.Diagnostics, &model, &decision)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, d.backend.OpenMCP.Attempt("Scheduling request %s", model.Name.ValueString()), err)
		return
	}
	if len(decision.Warnings) > 0 {
		resp.Diagnostics.AddAttributeWarning(path.Root("purpose"), diagnose.SummaryScheduleSurprise, strings.Join(decision.Warnings, "\n\n"))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func (d *scheduleDataSource) decide(ctx context.Context, m *scheduleModel) (none clusters.OperatorDecision, err error) {
	config, err := openmcp.ReadSchedulerConfig(m.SchedulerConfig.ValueString())
	if err != nil {
		return none, err
	}
	api, err := d.backend.OpenMCP.API()
	if err != nil {
		return none, err
	}
	if m.Namespace.IsNull() {
		m.Namespace = types.StringValue(api.Namespace())
	}
	return api.Schedule(ctx, config, openmcp.WantedRequest{
		Ref:     openmcp.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()},
		Purpose: m.Purpose.ValueString(), Labels: tfvalue.Texts(m.Labels),
	})
}

// fill shows a decision.
func (m *scheduleModel) fill(d clusters.OperatorDecision) {
	m.Decision, m.Reason = types.StringValue(string(d.Action)), types.StringValue(string(d.Reason))
	m.Message = types.StringValue(d.Message)
	if d.Action != clusters.Deny && d.Cluster != (clusters.Ref{}) {
		m.Cluster = &refModel{types.StringValue(d.Cluster.Namespace), types.StringValue(d.Cluster.Name)}
	}
	m.Profile, m.KubernetesVersion, m.Tenancy = tfvalue.TextOrNull(d.Profile), tfvalue.TextOrNull(d.Version), tfvalue.TextOrNull(d.Tenancy)
	m.Tenants, m.Prefix = tfvalue.NumberOrNull(d.Tenants), types.StringNull()
	if d.PrefixKnown {
		m.Prefix = types.StringValue(d.Prefix)
	}
	m.Candidates = make([]candidateModel, len(d.Candidates))
	for i, c := range d.Candidates {
		m.Candidates[i] = candidateModel{
			types.StringValue(c.Ref.Namespace), types.StringValue(c.Ref.Name), types.BoolValue(c.Chosen), types.StringValue(c.Reason),
		}
	}
}

// behind looks for the account behind the profile. What of it cannot be seen stays null. A profile that no cluster provider has published
// is a warning: the operator takes any name for one.
func (d *scheduleDataSource) behind(
	ctx context.Context, diags *diag.Diagnostics, m *scheduleModel, decision *clusters.OperatorDecision,
) error {
	if m.Profile.IsNull() {
		return nil
	}
	api, err := d.backend.OpenMCP.API()
	if err != nil {
		return err
	}
	all, err := api.Profiles(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(p *openmcp.ClusterProfile) bool { return p.Name == m.Profile.ValueString() })
	if i < 0 && decision.Action == clusters.Create {
		decision.Warnings = append(decision.Warnings, fmt.Sprintf("There is no ClusterProfile %s. The operator makes the Cluster all the same, "+
			"and it does not get ready before a cluster provider publishes that profile.", m.Profile.ValueString()))
	}
	facts, err := factsOf(ctx, api)
	if err != nil {
		return err
	}
	var account string
	if i >= 0 {
		account = facts[openmcp.ConfigKeyOf(all[i])].Bindings.Account()
	} else {
		account = unpublished(facts, m.Profile.ValueString()).Bindings.Account()
	}
	if account == "" {
		return nil
	}
	m.Account = &accountModel{BindingName: types.StringValue(account)}
	p, err := d.backend.Selecting()
	if err == nil {
		var shoots, limit int
		if shoots, limit, err = p.Occupancy(ctx, account); err == nil {
			m.Account.Shoots, m.Account.Limit = types.Int64Value(int64(shoots)), tfvalue.NumberOrNull(limit)
		}
	}
	if err != nil && !errors.As(err, new(*kube.NotConfiguredError)) && !errors.As(err, new(*backend.UnknownSettingsError)) {
		f := diagnose.Explain(err)
		diags.AddWarning(diagnose.SummaryAccountUnlooked, fmt.Sprintf("Profile %s leads to account %s, whose clusters were not counted: "+
			"%s.\n\n%s", m.Profile.ValueString(), account, f.Brief, f.Remedy))
	}
	return nil
}

// unpublished are the facts of the configuration whose profile has this name, and is not published yet.
func unpublished(facts map[openmcp.ConfigKey]openmcp.ShootFacts, profile string) openmcp.ShootFacts {
	for key, of := range facts {
		if strings.HasSuffix(profile, openmcp.ProfileName("", key.Provider, key.Name)) {
			return of
		}
	}
	return openmcp.ShootFacts{}
}
