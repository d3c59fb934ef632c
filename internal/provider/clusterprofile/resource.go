// Package clusterprofile offers the profiles that clusters of openMCP are made by: the resource hap_gardener_provider_config, which ties a
// profile to a claimed account, and the data sources hap_cluster_profiles, hap_cluster_providers and hap_cluster_schedule.
package clusterprofile

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// Family registers the resource and the data sources.
var Family = family.Family{
	Resources: []func() resource.Resource{family.New(family.Resource[configModel, place, *api.ProviderConfig]{
		Type: "gardener_provider_config", Schema: configSchema, Identity: identitySchema, Private: "place",
		Timeouts: func(m configModel) timeouts.Value { return m.Timeouts },
		IsGone:   api.IsGone,
		Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout,
		Hooks: func(call *family.Call) family.Hooks[configModel, place, *api.ProviderConfig] {
			return &configResource{onPlatform{Call: call, Of: &kind}}
		},
	})},
	DataSources: []func() datasource.DataSource{
		family.NewDataSource(profiles), family.NewDataSource(providers), family.NewDataSource(schedule),
	},
}

var identitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
	"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the ProviderConfig."},
}}

// kind is what ProviderConfigs are called, and how they are read.
var kind = family.PlatformKind[*api.ProviderConfig]{
	Kind: "ProviderConfig", Type: "hap_gardener_provider_config", Form: "its name, for example aws-blue",
	Adopted: diagnose.SummaryConfigAdopted, Lost: diagnose.SummaryConfigGone, Twice: diagnose.SummaryConfigTwice,
	Reads: func(p *openmcp.Platform) (recent, now family.PlatformRead[*api.ProviderConfig]) {
		return p.Objects.Configs.Read, p.Objects.Configs.Read
	},
}

type (
	onPlatform = family.OnPlatform[configModel, place, *api.ProviderConfig]
	kept       = family.Kept[configModel, place]
)

// configResource is a ProviderConfig of the Gardener cluster provider.
type configResource struct{ onPlatform }

// Report reports an error at the attribute that caused it.
func (r *configResource) Report(doing family.Doing, m configModel, err error) {
	if diagnose.Explain(err).Attribute == "template" {
		reportText(r.Diags, templatePath, r.Attempt(doing, m), err)
		return
	}
	diagnose.ReportAt(r.Diags, accountPath, r.Attempt(doing, m), err)
}

// Check asks Gardener for the fields of a template that this provider does not know.
func (r *configResource) Check(ctx context.Context, doing family.Doing, plan configModel) {
	if doing == family.Making {
		r.newer(ctx, r.Diags, r.Attempt(doing, plan), writtenUnasked, plan)
	}
}

// Create looks once more at the account, and makes the ProviderConfig.
func (r *configResource) Create(ctx context.Context, plan *configModel, _ configModel) (*api.ProviderConfig, error) {
	w, err := plan.wanted(r.Backend.Settings.Kind)
	if err == nil && r.refused(ctx, r.Diags, r.Attempt(family.Making, *plan), *plan, nil, "") {
		err = family.ErrReported
	}
	if err != nil {
		return nil, err
	}
	var made *api.ProviderConfig
	found := false
	err = family.MakeJudged(ctx, func(ctx context.Context) error {
		if err := r.mayReturn(ctx, *plan, (*api.ClusterKind).All); err != nil {
			return err
		}
		return r.mayHost(ctx, *plan, nil)
	}, func(ctx context.Context) (err error) {
		made, found, err = r.API.Profiles.MakeConfig(ctx, w)
		r.Log(ctx, "provider configuration made", *plan, err)
		return err
	})
	r.Found(found, made, *plan)
	return made, err
}

// Made is the state of a ProviderConfig that was just made.
func (r *configResource) Made(plan configModel, made *api.ProviderConfig) kept {
	return kept{Model: plan.seen(made), Place: place{Place: r.Here()}.saw(made)}
}

// Settle waits until the profile is published.
func (r *configResource) Settle(ctx context.Context, plan configModel, made *api.ProviderConfig) (*kept, error) {
	now := r.Made(plan, made)
	if !plan.waits() {
		return &now, nil
	}
	live, err := r.API.Profiles.AwaitPublished(ctx, made, plan.ProfileName.ValueString())
	if api.IsGone(err) {
		return nil, err
	}
	if err == nil {
		live = r.API.Profiles.AwaitStatus(ctx, live)
	}
	now = r.Made(plan, live)
	now.Place.Unpublished = err != nil
	return &now, err
}

// Log notes what was done with a ProviderConfig. Of a refusal it says no more than that: the answer quotes the template, in which there
// may be secrets.
func (r *configResource) Log(ctx context.Context, what string, m configModel, err error) {
	if errors.As(err, new(*api.ServerError)) {
		err = errors.New("the platform cluster's API server has answered with an error")
	}
	r.onPlatform.Log(ctx, what, m, err)
}

// Refresh is the state of a ProviderConfig, and what of it has drifted.
func (r *configResource) Refresh(ctx context.Context, state kept, live *api.ProviderConfig) (_ kept, err error) {
	m := state.Model
	if m.UID.IsNull() {
		m, err = r.imported(ctx, m, live)
	}
	var drift []string
	if err == nil {
		m, drift, err = m.refreshed(live, r.Backend.Settings.Kind)
	}
	if err != nil {
		return state, err
	}
	m = m.seen(live)
	compared := m
	if !state.Model.UID.IsNull() { // whose the clusters are does not change with what another party has written
		compared.GlobalAccount = state.Model.GlobalAccount
	}
	r.compare(ctx, r.Diags, compared, false)
	at := state.Place // the bindings stay where the template cannot be read
	at.Place = r.Here()
	return kept{Model: m, Place: at.saw(live, drift...)}, nil
}

// imported is the state of a ProviderConfig that no state knew. Its environment is in the name of the profile that was published for it;
// null where none was.
func (r *configResource) imported(ctx context.Context, m configModel, live *api.ProviderConfig) (configModel, error) {
	m.Labels, m.Annotations = types.MapNull(types.StringType), types.MapNull(types.StringType)
	m.Traits = types.SetNull(types.StringType)
	profile, err := r.API.Profiles.ProfileOf(ctx, live.Spec.ProviderRef.Name, live.Name)
	if err != nil || profile == nil {
		return m, err
	}
	if environment, ok := strings.CutSuffix(profile.Name, configs.ProfileName("", live.Spec.ProviderRef.Name, live.Name)); ok {
		m.Environment = types.StringValue(environment)
	}
	return m, nil
}

// Update writes what differs.
func (r *configResource) Update(ctx context.Context, plan configModel, state kept, live *api.ProviderConfig) (*kept, error) {
	at, was := state.Place, state.Model
	rebound := at.rebound(plan, r.Backend.Settings.Kind)
	if plan.sendsAs(was) && !rebound && len(at.Drift) == 0 {
		if plan.waits() && (at.Unpublished || !plan.ProfileName.Equal(was.ProfileName)) {
			return r.awaited(ctx, plan, at, live)
		}
		plan.Phase, plan.Conditions = was.Phase, was.Conditions
		return &kept{Model: plan, Place: at}, nil
	}
	if !r.newer(ctx, r.Diags, r.Attempt(family.Changing, plan), writtenUnasked, plan) {
		return nil, family.ErrReported
	}
	w, err := plan.wanted(r.Backend.Settings.Kind)
	if err == nil {
		err = r.mayWrite(ctx, plan, rebound || !plan.CredentialsBindingName.Equal(was.CredentialsBindingName))
	}
	if err == nil && !plan.specifiesAs(was) && r.refused(ctx, r.Diags, r.Attempt(family.Changing, plan), plan, &was, "") {
		err = family.ErrReported
	}
	if err == nil {
		live, err = r.API.Profiles.ChangeConfig(ctx, was.UID.ValueString(), w, was.before(r.Backend.Settings.Kind, w))
		r.Log(ctx, "provider configuration changed", plan, err)
	}
	if err != nil {
		return nil, err
	}
	return r.awaited(ctx, plan, at.saw(live), live)
}

// awaited waits for the profile of a ProviderConfig as the plan says, and returns the state of the ProviderConfig. Where the wait fails
// that is what was written: the next apply waits again.
func (r *configResource) awaited(ctx context.Context, plan configModel, at place, live *api.ProviderConfig) (_ *kept, err error) {
	if plan.waits() {
		live, err = r.API.Profiles.AwaitPublished(ctx, live, plan.ProfileName.ValueString())
		at.Unpublished = err != nil
	}
	if api.IsGone(err) {
		return nil, err
	}
	if err == nil && plan.waits() && plan.Phase.IsUnknown() {
		live = r.API.Profiles.AwaitStatus(ctx, live)
	}
	now := plan.seen(live)
	if !plan.Phase.IsUnknown() { // what was planned stays until the next refresh
		now.Phase, now.Conditions = plan.Phase, plan.Conditions
	}
	return &kept{Model: now, Place: at}, err
}

// Delete deletes the ProviderConfig, where no Cluster uses its profile.
func (r *configResource) Delete(ctx context.Context, state kept, _ *api.ProviderConfig) error {
	m := state.Model
	err := r.API.Profiles.RemoveConfig(ctx, m.Name.ValueString(), m.UID.ValueString(), r.Tell(ctx, m))
	r.Log(ctx, "provider configuration deleted", m, err)
	return err
}
