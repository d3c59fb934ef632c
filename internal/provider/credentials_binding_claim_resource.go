package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

var (
	_ resource.Resource                = (*claimResource)(nil)
	_ resource.ResourceWithConfigure   = (*claimResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*claimResource)(nil)
	_ resource.ResourceWithImportState = (*claimResource)(nil)
)

func newClaimResource() resource.Resource { return &claimResource{} }

// claimResource is a claim on an account.
type claimResource struct{ backend *backend }

func (r *claimResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_credentials_binding_claim"
}

func (r *claimResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = claimSchema(ctx)
}

func (r *claimResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	backend, err := backendFrom(req.ProviderData)
	if err != nil {
		resp.Diagnostics.AddError(summaryUnexpected, err.Error())
	}
	r.backend = backend
}

func (r *claimResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config claimModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	timeout, diags := plan.Timeouts.Create(ctx, createTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	target, diags := plan.target(ctx, config.RuleSet)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	claim, err := r.claim(ctx, plan.claimRequest(target))
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Claiming an account of pool %s for Global Account %s%s", target, plan.GlobalAccount.ValueString(), r.backend.where()), err)
		return
	}
	// From here on the claim stands: whatever else is to say is a warning, or the claim would be tainted and destroyed.
	plan.standsAs(claim)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, holder{claim.Identity.GlobalAccount, claim.Record.Owner}.bytes())...)
	warnClaim(&resp.Diagnostics, claim)
}

func (r *claimResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if state.HyperscalerType.IsNull() { // fresh from an import
		r.readImported(ctx, &state, resp)
		return
	}
	h := holderOf(ctx, req.Private, &resp.Diagnostics, state)
	status, err := r.inspect(ctx, state, h.GlobalAccount)
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Reading account %s of Global Account %s%s", state.BindingName.ValueString(), h.GlobalAccount, r.backend.where()), err)
		return
	}
	reportDrift(&resp.Diagnostics, status, state, h)
	if status.Drift == pool.DriftGone || status.Drift == pool.DriftRecreated {
		resp.State.RemoveResource(ctx)
		return
	}
	limit := state.Limit
	state.readAs(status, h.GlobalAccount)
	if r.backend.policyUnknown {
		state.Limit = limit
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update rewrites the claim's record. What makes another claim never gets here: it is a replacement, or, where it was
// unknown at plan, stopped by Terraform.
func (r *claimResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state claimModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, updateTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	h := holderOf(ctx, req.Private, &resp.Diagnostics, state)
	status, err := r.update(ctx, plan, state, h)
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Updating the claim on account %s%s", state.BindingName.ValueString(), r.backend.where()), err)
		return
	}
	h.Owner = plan.Owner.ValueString()
	plan.updatedAs(status, h.GlobalAccount)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, h.bytes())...)
}

func (r *claimResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, deleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	h := holderOf(ctx, req.Private, &resp.Diagnostics, state)
	outcome, err := r.release(ctx, state, h)
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Releasing account %s of Global Account %s%s (on_destroy = %q)",
			state.BindingName.ValueString(), h.GlobalAccount, r.backend.where(), state.OnDestroy.ValueString()), err)
		return
	}
	warnRelease(&resp.Diagnostics, outcome, state, h)
}

// ImportState takes <global_account>/<binding_name>[/<name>]; Read does the rest.
func (r *claimResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	parts := strings.SplitN(req.ID, "/", 3)
	if len(parts) == 2 {
		parts = append(parts, defaultClaimName)
	}
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		resp.Diagnostics.AddError(summaryInvalidImport, fmt.Sprintf(
			"The import ID %q is not of the form <global_account>/<binding_name>[/<name>], for example ga-1/aws-account-7 or ga-1/aws-account-7/blue.", req.ID))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("global_account"), parts[0])...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("binding_name"), parts[1])...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), parts[2])...)
}

// readImported fills a state that has nothing but the claim's identity yet.
func (r *claimResource) readImported(ctx context.Context, state *claimModel, resp *resource.ReadResponse) {
	ga, account := state.GlobalAccount.ValueString(), state.BindingName.ValueString()
	p, err := r.backend.pool()
	var status pool.Status
	var target pool.Target
	if err == nil {
		status, target, err = p.Find(ctx, ga, account, state.Name.ValueString())
	}
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Importing account %s for Global Account %s%s", account, ga, r.backend.where()), err)
		return
	}
	if others := status.Account.Claims(); !status.Recorded && len(others) > 0 {
		names := make([]string, len(others))
		for i, key := range others {
			names[i] = fmt.Sprintf("%s/%s/%s", ga, account, status.Account.Records[key].Name)
		}
		resp.Diagnostics.AddError(summaryImportRefused, fmt.Sprintf("Account %s bears claims of Global Account %s, but none is named %q. Import one of these: %s.",
			account, ga, state.Name.ValueString(), strings.Join(names, ", ")))
		return
	}
	state.importedAs(status, target, ga)
	if !status.Recorded && !target.Shared {
		resp.Diagnostics.AddWarning(summaryClaimUnrecorded, fmt.Sprintf(
			"Global Account %s holds account %s without a record of this claim; one is written with the next change of the claim. Until then other configurations do not see it.", ga, account))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, holder{ga, status.Record.Owner}.bytes())...)
}

func (r *claimResource) claim(ctx context.Context, req pool.ClaimRequest) (pool.Claim, error) {
	p, err := r.backend.selecting()
	if err != nil {
		return pool.Claim{}, err
	}
	return p.Claim(ctx, req)
}

func (r *claimResource) inspect(ctx context.Context, m claimModel, ga string) (pool.Status, error) {
	p, err := r.backend.pool()
	if err != nil {
		return pool.Status{}, err
	}
	return p.Inspect(ctx, ga, m.stateTarget(), m.Name.ValueString(), m.BindingName.ValueString(), m.BindingUID.ValueString())
}

func (r *claimResource) update(ctx context.Context, plan, state claimModel, h holder) (pool.Status, error) {
	p, err := r.backend.pool()
	if err != nil {
		return pool.Status{}, err
	}
	return p.Update(ctx, pool.UpdateRequest{
		Identity: p.Identity(h.GlobalAccount, state.stateTarget(), state.Name.ValueString()),
		Account:  state.BindingName.ValueString(), UID: state.BindingUID.ValueString(), WasOwner: h.Owner,
		Owner: plan.Owner.ValueString(), ClusterName: plan.ClusterName.ValueString(), Request: plan.record(),
		Reclaim: state.GlobalAccount.IsNull(),
	})
}

func (r *claimResource) release(ctx context.Context, m claimModel, h holder) (pool.Outcome, error) {
	p, err := r.backend.pool()
	if err != nil {
		return "", err
	}
	return p.Release(ctx, pool.ReleaseRequest{
		Identity: p.Identity(h.GlobalAccount, m.stateTarget(), m.Name.ValueString()), Owner: h.Owner,
		Account: m.BindingName.ValueString(), UID: m.BindingUID.ValueString(), Mode: pool.Mode(m.OnDestroy.ValueString()),
	})
}

// target matches the request of a claim that is to be made; by then everything has to be known.
func (m claimModel) target(ctx context.Context, ruleSet types.Object) (pool.Target, diag.Diagnostics) {
	match, ok, diags := m.match(ctx, ruleSet)
	if !ok && !diags.HasError() {
		diags.AddAttributeError(ruleSetPath, summaryRulesUnknown, "The rule set or the request is still unknown while the claim is being made. Please report this issue to the provider developers.")
	}
	if !ok {
		return pool.Target{}, diags
	}
	return match.Target(), diags
}

// stateTarget is the pool that the claim was made on.
func (m claimModel) stateTarget() pool.Target {
	return pool.Target{HyperscalerType: m.HyperscalerType.ValueString(), Shared: m.Shared.ValueBool(), EUAccess: m.EUAccess.ValueBool()}
}

func (m claimModel) claimRequest(target pool.Target) pool.ClaimRequest {
	return pool.ClaimRequest{
		Name: m.Name.ValueString(), GlobalAccount: m.GlobalAccount.ValueString(), Target: target, Pin: m.BindingName.ValueString(),
		ClusterName: m.ClusterName.ValueString(), Owner: m.Owner.ValueString(), Request: m.record(),
	}
}

// standsAs fills in the outputs of a claim that was just made.
func (m *claimModel) standsAs(c pool.Claim) {
	m.setTarget(pool.Target{HyperscalerType: c.Account.HyperscalerType, Shared: c.Account.Shared, EUAccess: c.Account.EUAccess})
	m.setAccount(c.Account, c.Identity.GlobalAccount)
	m.NewlyClaimed = types.BoolValue(c.Record.NewlyClaimed)
	m.ClaimedAt = types.StringValue(c.Record.ClaimedAt.UTC().Format(time.RFC3339))
	m.setUse(c.Clusters, c.Reserved, c.Limit, c.Account.Dirty)
}

// readAs takes over what a refresh has found. The tenant's label is drift where it is not the claim's any more.
func (m *claimModel) readAs(s pool.Status, ga string) {
	m.GlobalAccount = types.StringValue(ga)
	if !m.Shared.ValueBool() && s.Account.Tenant != ga {
		m.GlobalAccount = textOrNull(s.Account.Tenant)
	}
	if s.Recorded {
		m.ClaimedAt = types.StringValue(s.Record.ClaimedAt.UTC().Format(time.RFC3339))
		m.Owner, m.ClusterName = textOrNull(s.Record.Owner), textOrNull(s.Record.ClusterName)
	} else if m.ClaimedAt.IsUnknown() {
		m.ClaimedAt = types.StringNull()
	}
	m.setUse(s.Clusters, s.Reserved, s.Limit, s.Account.Dirty)
}

// updatedAs takes over what an update has left. What was planned for the record is what stands there; for a shared
// account, where nothing is written, it stands in the state alone.
func (m *claimModel) updatedAs(s pool.Status, ga string) {
	owner, cluster := m.Owner, m.ClusterName
	m.readAs(s, ga)
	m.Owner, m.ClusterName = owner, cluster
	if m.NewlyClaimed.IsUnknown() {
		m.NewlyClaimed = types.BoolValue(s.Record.NewlyClaimed)
	}
}

// importedAs fills a state from the account and from what the claim's record remembers.
func (m *claimModel) importedAs(s pool.Status, target pool.Target, ga string) {
	m.requestModel = requestFrom(s.Record.Request)
	m.setTarget(target)
	m.setAccount(s.Account, ga)
	m.NewlyClaimed = types.BoolValue(s.Record.NewlyClaimed)
	m.OnDestroy = types.StringValue(string(pool.MarkDirty))
	m.readAs(s, ga)
}

func (m *claimModel) setTarget(t pool.Target) {
	m.HyperscalerType, m.Shared, m.EUAccess = types.StringValue(t.HyperscalerType), types.BoolValue(t.Shared), types.BoolValue(t.EUAccess)
}

func (m *claimModel) setAccount(a pool.Account, ga string) {
	m.BindingName, m.BindingUID = types.StringValue(a.Name), types.StringValue(a.UID)
	m.ID = types.StringValue(ga + "/" + a.Name + "/" + m.Name.ValueString())
	m.ProviderType, m.CredentialsRef = types.StringNull(), types.ObjectNull(credentialsRefTypes)
	if c := a.Credentials; c != nil {
		m.ProviderType = types.StringValue(c.ProviderType)
		m.CredentialsRef = types.ObjectValueMust(credentialsRefTypes, map[string]attr.Value{
			"api_version": types.StringValue(c.Ref.APIVersion), "kind": types.StringValue(c.Ref.Kind),
			"namespace": types.StringValue(c.Ref.Namespace), "name": types.StringValue(c.Ref.Name),
		})
	}
}

func (m *claimModel) setUse(clusters, reserved, limit int, dirt pool.Dirt) {
	m.ClusterCount, m.Reserved = types.Int64Value(int64(clusters)), types.Int64Value(int64(reserved))
	m.Limit, m.Dirty = numberOrNull(limit), types.BoolValue(dirt != pool.Clean)
}
