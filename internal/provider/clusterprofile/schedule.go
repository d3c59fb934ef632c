package clusterprofile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/provider/adrrequest"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Whose decision is shown.
const (
	engineOpenMCP = "openmcp" // that of the released operator
	engineADR     = "adr"     // by purposes, traits and prefixes (ADR 015), as the built-in scheduler decides
)

// schedule says which Cluster a request would get.
var schedule = family.DataSource[scheduleModel]{
	Type: "cluster_schedule", Schema: scheduleSchema, Check: checkSchedule, Read: readSchedule,
}

// checkSchedule refuses the inputs of the other engine, as far as it is known which one it is.
func checkSchedule(m scheduleModel, diags *diag.Diagnostics) {
	if tfvalue.Known(m.Engine) && !m.Engine.IsNull() {
		m.check(diags, m.Engine.ValueString())
	}
}

func readSchedule(ctx context.Context, call *family.Call, m *scheduleModel) {
	report := func(err error) {
		adrrequest.Report(call.Diags, call.Backend.Platform.Attempt("Scheduling request %s", m.Name.ValueString()), err)
	}
	platform, err := call.Backend.Platform.API()
	if err != nil { // first: without the provider block it is not known whose decision it is
		report(err)
		return
	}
	engine := m.engine(call.Backend.Platform)
	if m.check(call.Diags, engine); call.Diags.HasError() {
		return
	}
	if m.Namespace.IsNull() {
		m.Namespace = types.StringValue(platform.Objects.Namespace)
	}
	decide, input := m.byOperator, path.Root("purpose")
	if engine == engineADR {
		decide, input = m.byADR, path.Root("purposes")
	}
	said, err := decide(ctx, platform)
	if err == nil {
		err = m.behind(ctx, call, platform, &said)
	}
	if err != nil {
		report(err)
		return
	}
	if engine == engineOpenMCP {
		said.other = append(said.other, m.closed(ctx, platform)...)
	}
	said.warn(call.Diags, input)
}

// caveats are what a user should know beside a decision, by what they are about.
type caveats struct {
	traits  []string // on which the purposes disagree
	profile []string // that is not there
	version []string // that is not delivered
	other   []string
}

// warn reports the caveats, at the attribute that they come from.
func (c caveats) warn(diags *diag.Diagnostics, at path.Path) {
	for _, about := range []struct {
		summary string
		texts   []string
	}{
		{diagnose.SummaryTraitsDisagree, c.traits}, {diagnose.SummaryNoProfile, c.profile},
		{diagnose.SummaryVersionUndelivered, c.version}, {diagnose.SummaryScheduleCaveat, c.other},
	} {
		if len(about.texts) > 0 {
			diags.AddAttributeWarning(at, about.summary, strings.Join(about.texts, "\n\n"))
		}
	}
}

// engine is the one that the configuration names, else that of the scheduler which the provider block names.
func (m *scheduleModel) engine(of *connection.Platform) string {
	switch {
	case !m.Engine.IsNull():
		return m.Engine.ValueString()
	case of.Builtin():
		return engineADR
	}
	return engineOpenMCP
}

// check refuses the inputs of the other engine, and misses those of this one.
func (m *scheduleModel) check(diags *diag.Diagnostics, engine string) {
	inputs := map[string]attr.Value{"purpose": m.Purpose, "scheduler_config": m.SchedulerConfig, "labels": m.Labels}
	if engine == engineADR {
		for _, name := range []string{"purpose", "scheduler_config", "labels"} {
			if !inputs[name].IsNull() && !inputs[name].IsUnknown() {
				diags.AddAttributeError(path.Root(name), diagnose.SummaryOtherScheduler, fmt.Sprintf("The attribute %s is not heard here: it "+
					"belongs to the engine openmcp, and this is adr, that of the built-in scheduler. Take it out, or set engine = %q.", name,
					engineOpenMCP))
			}
		}
		m.Validate(diags)
		return
	}
	m.Refuse(diags, fmt.Sprintf("it belongs to the engine adr, and this is openmcp, that of the released operator. Take it out, or set "+
		"engine = %q.", engineADR))
	for _, name := range []string{"purpose", "scheduler_config"} {
		if inputs[name].IsNull() {
			diags.AddAttributeError(path.Root(name), diagnose.SummaryMissingForScheduler, fmt.Sprintf("The engine openmcp decides by the "+
				"attribute %s. Set it, or set engine = %q for the decision of the built-in scheduler.", name, engineADR))
		}
	}
	if !m.SchedulerConfig.IsNull() && !m.SchedulerConfig.IsUnknown() {
		if _, err := requests.ReadSchedulerConfig(m.SchedulerConfig.ValueString()); err != nil {
			diagnose.Report(diags, "Reading the configuration of the operator", err)
		}
	}
}

// byOperator shows what the operator does.
func (m *scheduleModel) byOperator(ctx context.Context, platform *openmcp.Platform) (said caveats, err error) {
	config, err := requests.ReadSchedulerConfig(m.SchedulerConfig.ValueString())
	if err != nil {
		return said, err
	}
	decision, err := platform.Requests.Schedule(ctx, config, requests.Wanted{
		Ref: m.ref(), Purpose: m.Purpose.ValueString(), Labels: tfvalue.Texts(m.Labels),
	})
	if err != nil {
		return said, err
	}
	m.fill(decision)
	return caveats{other: decision.Warnings}, nil
}

func (m *scheduleModel) ref() api.Ref {
	return api.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// fill shows a decision of the operator.
func (m *scheduleModel) fill(d operator.Decision) {
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
	m.DedicatedBy = types.ListNull(types.StringType)
	m.Candidates = make([]candidateModel, len(d.Candidates))
	for i, c := range d.Candidates {
		m.Candidates[i] = candidateModel{
			types.StringValue(string(clusters.CandidateCluster)), types.StringValue(c.Ref.Namespace), types.StringValue(c.Ref.Name),
			types.BoolValue(c.Chosen), types.StringValue(c.Reason),
		}
	}
}

// behind looks for the account and the version behind the profile. What of them cannot be seen stays null. A profile that no cluster
// provider has published is a warning: the operator takes any name for one. So is a version that a new Cluster does not get.
func (m *scheduleModel) behind(ctx context.Context, call *family.Call, platform *openmcp.Platform, said *caveats) error {
	if m.Profile.IsNull() {
		return nil
	}
	profile, creates := m.Profile.ValueString(), m.Decision.ValueString() == string(clusters.Create)
	facts, err := factsOf(ctx, platform)
	if err != nil {
		return err
	}
	soon, configured := configuredFor(facts, profile)
	if configured && creates {
		if other := soon.OtherVersion(m.KubernetesVersion.ValueString()); other != "" {
			said.version = append(said.version, family.Undelivered(profile, m.KubernetesVersion.ValueString(), other))
		}
		m.KubernetesVersion = tfvalue.TextOrNull(soon.Version)
	}
	read := platform.Objects.Profiles.All
	if configured && creates {
		read = func(ctx context.Context) ([]*api.ClusterProfile, error) {
			return platform.Profiles.Await(ctx, profile)
		}
	}
	all, err := read(ctx)
	if err != nil {
		return err
	}
	account := soon.Bindings.Account()
	if i := slices.IndexFunc(all, func(p *api.ClusterProfile) bool { return p.Name == profile }); i >= 0 {
		account = facts[configs.ConfigKeyOf(all[i])].Bindings.Account()
	} else if creates {
		said.profile = append(said.profile, fmt.Sprintf("There is no ClusterProfile %s. The operator makes the Cluster all the same, "+
			"and it does not get ready before a cluster provider publishes that profile: the data source hap_cluster_providers says which "+
			"run.", profile))
	}
	if account == "" {
		return nil
	}
	m.Account = &accountModel{BindingName: types.StringValue(account)}
	p, err := call.Backend.Garden.Selecting()
	if err == nil {
		var shoots, limit int
		if shoots, limit, err = p.Occupancy(ctx, account); err == nil {
			m.Account.Shoots, m.Account.Limit = types.Int64Value(int64(shoots)), tfvalue.NumberOrNull(limit)
		}
	}
	if err != nil && !errors.As(err, new(*kube.NotConfiguredError)) && !errors.As(err, new(*settings.UnknownError)) {
		f := diagnose.Explain(err)
		call.Diags.AddWarning(diagnose.SummaryAccountUnlooked, fmt.Sprintf("Profile %s leads to account %s, whose clusters were not counted: "+
			"%s.\n\n%s", profile, account, f.Brief, f.Remedy))
	}
	return nil
}

// closed says why the account behind the profile takes no new Cluster, where the operator makes one all the same. What cannot be seen is
// reported with the numbers of the account.
func (m *scheduleModel) closed(ctx context.Context, platform *openmcp.Platform) []string {
	if m.Decision.ValueString() != string(clusters.Create) {
		return nil
	}
	account, err := platform.Requests.AccountOf(ctx, m.Profile.ValueString())
	if err != nil || account.Closed() == "" {
		return nil
	}
	return []string{fmt.Sprintf("The operator knows no accounts, and makes the Cluster all the same: %s. Give the purpose another profile, "+
		"or make room in the account.", account.Closed())}
}

// configuredFor returns the facts of the configuration whose profile has this name, published or not yet; false = there is none.
func configuredFor(facts map[configs.ConfigKey]configs.ShootFacts, profile string) (configs.ShootFacts, bool) {
	for key, of := range facts {
		if strings.HasSuffix(profile, configs.ProfileName("", key.Provider, key.Name)) {
			return of, true
		}
	}
	return configs.ShootFacts{}, false
}
