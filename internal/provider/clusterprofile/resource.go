package clusterprofile

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

var (
	_ resource.ResourceWithConfigure      = (*configResource)(nil)
	_ resource.ResourceWithValidateConfig = (*configResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*configResource)(nil)
	_ resource.ResourceWithImportState    = (*configResource)(nil)
	_ resource.ResourceWithIdentity       = (*configResource)(nil)
)

// Family registers the resource and the data sources.
var Family = family.Family{
	Resources: []func() resource.Resource{func() resource.Resource { return &configResource{} }},
	DataSources: []func() datasource.DataSource{
		func() datasource.DataSource { return &profilesDataSource{} }, func() datasource.DataSource { return &scheduleDataSource{} },
	},
}

// configResource is a ProviderConfig of the Gardener cluster provider.
type configResource struct{ backend *backend.Backend }

func (r *configResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_gardener_provider_config"
}

func (r *configResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = configSchema(ctx)
}

func (r *configResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// attempt says what was tried, for a message.
func (r *configResource) attempt(what string, m configModel) string {
	return r.backend.OpenMCP.Attempt("%s ProviderConfig %s", what, m.Name.ValueString())
}

// Create looks once more at the account, and makes the ProviderConfig. Once it is made there is no error any more.
func (r *configResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan configModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Create, createTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.make(ctx, &resp.Diagnostics, plan)
	if err != nil {
		report(&resp.Diagnostics, r.attempt("Making", plan), err)
		return
	}
	at := place{Server: r.backend.OpenMCP.Server()}.saw(made)
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, plan.seen(made), at)...)
}

// make looks whether the account takes clusters, and makes the ProviderConfig.
func (r *configResource) make(ctx context.Context, diags *diag.Diagnostics, plan configModel) (*openmcp.ProviderConfig, error) {
	w, err := plan.wanted(r.backend.Kind)
	if err == nil {
		err = r.mayHost(ctx, plan, nil)
	}
	if err == nil {
		err = r.mayReturn(ctx, plan, (*openmcp.Platform).Clusters)
	}
	if err != nil {
		return nil, err
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return nil, err
	}
	made, found, err := api.MakeConfig(ctx, w)
	logConfig(ctx, "provider configuration made", plan, err)
	if found {
		r.backend.AdoptObject(string(made.UID))
		warnAdopted(diags, made)
	}
	return made, err
}

// mayHost judges whether clusters may come to the account, as for one of hap_shoot; how many there are is not counted. A plan knows of a
// claim that the run is going to make before; nil = none.
func (r *configResource) mayHost(ctx context.Context, m configModel, coming *pool.ComingClaim) error {
	if m.CredentialsBindingName.IsNull() {
		return nil
	}
	p, err := r.backend.Pool()
	if err == nil {
		err = p.StillHosts(ctx, pool.HostRequest{
			Account: m.CredentialsBindingName.ValueString(), Tenant: m.GlobalAccount.ValueString(), Coming: coming,
		})
	}
	return err
}

// mayReturn judges by a list of the Clusters whether a ProviderConfig may be made as it is planned: one that was deleted under its Clusters
// must not come back with another account.
func (r *configResource) mayReturn(
	ctx context.Context, m configModel, list func(*openmcp.Platform, context.Context) ([]*openmcp.Cluster, error),
) error {
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return err
	}
	all, err := list(api, ctx)
	if err != nil {
		return err
	}
	home := m.home(openmcp.Home{}, r.backend.Kind)
	return api.MayReturn(ctx, m.ProviderRef.ValueString(), m.Name.ValueString(), home, all,
		func(ctx context.Context, c *openmcp.Cluster) []openmcp.BoundShoot {
			all, err := r.backend.Behind(ctx, c)
			if err != nil { // what the Cluster itself tells has to do
				journal.LogRequest(ctx, "look for the Shoot of a cluster", c.Ref().String(), err)
			}
			return all
		})
}

// logConfig notes what was done with a ProviderConfig. Of a refusal it tells no more than that: the answer quotes the template, in which
// there may be secrets.
func logConfig(ctx context.Context, what string, m configModel, err error) {
	if errors.As(err, new(*openmcp.ServerError)) {
		err = errors.New("the platform cluster's API server has answered with an error")
	}
	journal.LogRequest(ctx, what, m.Name.ValueString(), err)
}

// Read reads the ProviderConfig. Where the provider leads to no platform cluster yet, what the state has stays.
func (r *configResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state configModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Read, backend.ReadTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.OpenMCP.Later() {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, configIdentity{state.Name})...) // Terraform before 1.12 keeps none
		return
	}
	fresh := state.UID.IsNull() // from an import
	live, err := r.find(ctx, at, state)
	if openmcp.IsGone(err) && !fresh {
		warnGone(&resp.Diagnostics, err)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, configIdentity{state.Name})...)
		resp.State.RemoveResource(ctx)
		return
	}
	if err == nil && fresh {
		state, err = r.imported(ctx, state, live)
	}
	var drift []string
	if err == nil {
		state, drift, err = state.refreshed(live, r.backend.Kind)
	}
	if err != nil {
		report(&resp.Diagnostics, r.attempt("Reading", state), err)
		return
	}
	at.Server = r.backend.OpenMCP.Server()
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, state.seen(live), at.saw(live, drift...))...)
}

// imported is the state of a ProviderConfig that no state knew. Its environment stands in the name of the profile that was published for
// it; null where none was.
func (r *configResource) imported(ctx context.Context, m configModel, live *openmcp.ProviderConfig) (configModel, error) {
	m.Labels, m.Annotations = types.MapNull(types.StringType), types.MapNull(types.StringType)
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return m, err
	}
	profile, err := api.ProfileOf(ctx, live.Spec.ProviderRef.Name, live.Name)
	if err != nil || profile == nil {
		return m, err
	}
	if environment, ok := strings.CutSuffix(profile.Name, openmcp.ProfileName("", live.Spec.ProviderRef.Name, live.Name)); ok {
		m.Environment = types.StringValue(environment)
	}
	return m, nil
}

// find reads the very ProviderConfig of a state; one from an import has no uid yet.
//
// Errors: those of [backend.Find].
func (r *configResource) find(ctx context.Context, at place, state configModel) (*openmcp.ProviderConfig, error) {
	of := backend.Standing{
		Kind: "ProviderConfig", Ref: openmcp.Ref{Name: state.Name.ValueString()}, UID: state.UID.ValueString(), Server: at.Server,
	}
	_, live, err := backend.Find(r.backend.OpenMCP, of, func(api *openmcp.Platform, ref openmcp.Ref) (*openmcp.ProviderConfig, error) {
		return api.Config(ctx, ref.Name)
	})
	return live, err
}

// Update writes what differs.
func (r *configResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state configModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Update, updateTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.sendsAs(state) && !at.rebound(plan, r.backend.Kind) && len(at.Drift) == 0 {
		plan.Phase, plan.Conditions = state.Phase, state.Conditions
		resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, plan, at)...)
		return
	}
	live, err := r.find(ctx, at, state)
	if err == nil {
		live, err = r.change(ctx, at, plan, state)
	}
	if err != nil {
		report(&resp.Diagnostics, r.attempt("Changing", plan), err)
		return
	}
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, plan.seen(live), at.saw(live))...)
}

// change writes what the plan wants.
func (r *configResource) change(ctx context.Context, at place, plan, state configModel) (*openmcp.ProviderConfig, error) {
	w, err := plan.wanted(r.backend.Kind)
	if err == nil && (!plan.CredentialsBindingName.Equal(state.CredentialsBindingName) || at.rebound(plan, r.backend.Kind)) {
		err = r.mayHost(ctx, plan, nil)
	}
	if err != nil {
		return nil, err
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return nil, err
	}
	live, err := api.ChangeConfig(ctx, state.UID.ValueString(), w, state.before(r.backend.Kind, w))
	logConfig(ctx, "provider configuration changed", plan, err)
	return live, err
}

// Delete deletes the ProviderConfig, where no Cluster uses its profile.
func (r *configResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state configModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Delete, deleteTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.AdoptedObject(state.UID.ValueString()) {
		diagnose.ReportKept(&resp.Diagnostics, "ProviderConfig", state.Name.ValueString(), state.UID.ValueString())
		return
	}
	_, err := r.find(ctx, at, state)
	if openmcp.IsGone(err) {
		return
	}
	if err == nil {
		err = r.remove(ctx, state)
	}
	if err != nil {
		report(&resp.Diagnostics, r.attempt("Destroying", state), err)
	}
}

func (r *configResource) remove(ctx context.Context, state configModel) error {
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return err
	}
	err = api.RemoveConfig(ctx, state.Name.ValueString(), state.UID.ValueString())
	logConfig(ctx, "provider configuration deleted", state, err)
	return err
}

// report adds an error at the attribute that caused it.
func report(diags *diag.Diagnostics, attempt string, err error) {
	if text := diagnose.Explain(err); text.Attribute == "template" {
		reportText(diags, templatePath, attempt, err)
		return
	}
	diagnose.ReportAt(diags, accountPath, attempt, err)
}
