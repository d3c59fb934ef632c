package claim

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

var (
	_ resource.Resource                = (*claimResource)(nil)
	_ resource.ResourceWithConfigure   = (*claimResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*claimResource)(nil)
	_ resource.ResourceWithImportState = (*claimResource)(nil)
	_ resource.ResourceWithIdentity    = (*claimResource)(nil)
)

// Family registers the resource and its list.
var Family = family.Family{
	Resources:     []func() resource.Resource{func() resource.Resource { return &claimResource{} }},
	ListResources: []func() list.ListResource{func() list.ListResource { return &claimList{} }},
}

// claimResource is a claim on an account.
type claimResource struct{ backend *backend.Backend }

func (r *claimResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_credentials_binding_claim"
}

func (r *claimResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = claimSchema(ctx)
}

func (r *claimResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
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
		diagnose.Report(&resp.Diagnostics, fmt.Sprintf("Claiming an account of pool %s for Global Account %s%s", target, plan.GlobalAccount.ValueString(), r.backend.Where()), err)
		return
	}
	// From here on the claim stands: whatever else is to say is a warning, or the claim would be tainted and destroyed.
	plan.standsAs(claim)
	h := newHolder(r.backend.Kind, claim.Identity.Namespace, claim.Identity.GlobalAccount, claim.Record).seen(
		pool.Status{Clusters: claim.Clusters, Recorded: true}, r.backend.Server(), claim.Account.Shared)
	h.Used = h.Used || claim.Used
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity(h))...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, h.bytes())...)
	warnClaim(&resp.Diagnostics, claim)
}

func (r *claimResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Read(ctx, backend.ReadTimeout)
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
	was := holderOf(ctx, req.Private, &resp.Diagnostics, state)
	h := was
	status, err := r.inspect(ctx, state, &h)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, fmt.Sprintf("Reading account %s of Global Account %s%s", state.BindingName.ValueString(), h.GlobalAccount, r.backend.Where()), err)
		return
	}
	reportDrift(&resp.Diagnostics, status, state, h, r.backend.Keys)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity(h))...)
	if status.Drift == pool.DriftGone || status.Drift == pool.DriftRecreated {
		resp.State.RemoveResource(ctx)
		return
	}
	r.warnSeveral(&resp.Diagnostics, status, h.GlobalAccount, state.stateTarget())
	if now := h.seen(status, r.backend.Server(), state.Shared.ValueBool()); now != was {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, now.bytes())...)
	}
	limit := state.Limit
	state.readAs(status, h.GlobalAccount)
	if r.backend.PolicyUnknown {
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
	status, err := r.update(ctx, plan, state, &h)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, fmt.Sprintf("Updating the claim on account %s%s", state.BindingName.ValueString(), r.backend.Where()), err)
		return
	}
	h.Owner = plan.Owner.ValueString()
	h = h.seen(status, r.backend.Server(), plan.Shared.ValueBool())
	plan.updatedAs(status, h.GlobalAccount)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity(h))...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, h.bytes())...)
}

func (r *claimResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	r.backend.Releases.Begin()
	defer r.backend.Releases.End(ctx, &resp.Diagnostics)
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, deleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+r.backend.Grace) // the grace time is a wait, not work
	defer cancel()
	h := holderOf(ctx, req.Private, &resp.Diagnostics, state)
	outcome, err := r.release(ctx, state, &h)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, fmt.Sprintf("Releasing account %s of Global Account %s%s (on_destroy = %q)",
			state.BindingName.ValueString(), h.GlobalAccount, r.backend.Where(), state.OnDestroy.ValueString()), err)
		return
	}
	r.warnRelease(outcome, state, h)
	r.warnElsewhere(ctx, outcome, state, h)
}

func (r *claimResource) claim(ctx context.Context, req pool.ClaimRequest) (pool.Claim, error) {
	p, err := r.backend.Selecting()
	if err != nil {
		return pool.Claim{}, err
	}
	claim, err := p.Claim(ctx, req)
	journal.LogClaim(ctx, req, claim, err)
	return claim, r.backend.LookAround(ctx, err)
}

func (r *claimResource) inspect(ctx context.Context, m claimModel, h *holder) (pool.Status, error) {
	p, err := r.poolOf(h)
	if err != nil {
		return pool.Status{}, err
	}
	status, err := p.Inspect(ctx, h.GlobalAccount, m.stateTarget(), m.Name.ValueString(), m.BindingName.ValueString(), m.BindingUID.ValueString())
	if err == nil && (status.Drift == pool.DriftGone || status.Drift == pool.DriftRecreated) {
		err = r.backend.SameServer(h.Server)
	}
	return status, err
}

func (r *claimResource) update(ctx context.Context, plan, state claimModel, h *holder) (pool.Status, error) {
	p, err := r.poolOf(h)
	if err != nil {
		return pool.Status{}, err
	}
	h.Used = h.Used || plan.returns() && !state.returns() // until now the account was not watched for it
	return p.Update(ctx, pool.UpdateRequest{
		Identity: p.Identity(h.GlobalAccount, state.stateTarget(), state.Name.ValueString()),
		Account:  state.BindingName.ValueString(), UID: state.BindingUID.ValueString(), WasOwner: h.Owner,
		Owner: plan.Owner.ValueString(), ClusterName: plan.ClusterName.ValueString(), Request: plan.Record(),
		OnDestroy: pool.Mode(plan.OnDestroy.ValueString()), Reclaim: state.GlobalAccount.IsNull(),
	})
}

func (r *claimResource) release(ctx context.Context, m claimModel, h *holder) (pool.Outcome, error) {
	p, err := r.poolOf(h)
	if err != nil {
		return "", err
	}
	req := pool.ReleaseRequest{
		Identity: p.Identity(h.GlobalAccount, m.stateTarget(), m.Name.ValueString()), Owner: h.Owner, ClaimedAt: m.claimedAt(),
		Used: h.Used, Recorded: h.Recorded,
		Account: m.BindingName.ValueString(), UID: m.BindingUID.ValueString(), Mode: pool.Mode(m.OnDestroy.ValueString()), Grace: r.backend.Grace,
	}
	outcome, err := p.Release(ctx, req)
	journal.LogRelease(ctx, req, outcome, err)
	if err == nil && outcome == pool.OutcomeNotHeld {
		err = r.backend.SameServer(h.Server)
	}
	return outcome, err
}

// poolOf returns the pool that the claim was made in, and an error where the provider leads elsewhere by now: there
// nothing is found, and "not found" would read as "gone".
func (r *claimResource) poolOf(h *holder) (*pool.Pool, error) {
	p, err := r.backend.Pool()
	if err != nil {
		return nil, err
	}
	if h.Namespace == "" { // a state from before it was kept
		h.Namespace = p.Namespace()
	}
	if h.Namespace != p.Namespace() {
		return nil, &backend.ElsewhereError{Claim: h.Namespace, Provider: p.Namespace()}
	}
	if kind := cmp.Or(h.Kind, garden.CredentialsBinding); kind != r.backend.Kind {
		return nil, &backend.OtherKindError{Claim: kind, Provider: r.backend.Kind}
	}
	return p, nil
}
