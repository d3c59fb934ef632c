package provider

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

var (
	_ resource.Resource                = (*claimResource)(nil)
	_ resource.ResourceWithConfigure   = (*claimResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*claimResource)(nil)
	_ resource.ResourceWithImportState = (*claimResource)(nil)
	_ resource.ResourceWithIdentity    = (*claimResource)(nil)
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
	h := newHolder(r.backend.kind, claim.Identity.Namespace, claim.Identity.GlobalAccount, claim.Record).seen(
		pool.Status{Clusters: claim.Clusters, Recorded: true}, r.backend.server(), claim.Account.Shared)
	h.Used = h.Used || claim.Used
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity(h))...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, h.bytes())...)
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
	was := holderOf(ctx, req.Private, &resp.Diagnostics, state)
	h := was
	status, err := r.inspect(ctx, state, &h)
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Reading account %s of Global Account %s%s", state.BindingName.ValueString(), h.GlobalAccount, r.backend.where()), err)
		return
	}
	reportDrift(&resp.Diagnostics, status, state, h, r.backend.keys)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity(h))...)
	if status.Drift == pool.DriftGone || status.Drift == pool.DriftRecreated {
		resp.State.RemoveResource(ctx)
		return
	}
	r.warnSeveral(&resp.Diagnostics, status, h.GlobalAccount, state.stateTarget())
	if now := h.seen(status, r.backend.server(), state.Shared.ValueBool()); now != was {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, now.bytes())...)
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
	status, err := r.update(ctx, plan, state, &h)
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Updating the claim on account %s%s", state.BindingName.ValueString(), r.backend.where()), err)
		return
	}
	h.Owner = plan.Owner.ValueString()
	h = h.seen(status, r.backend.server(), plan.Shared.ValueBool())
	plan.updatedAs(status, h.GlobalAccount)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity(h))...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, holderKey, h.bytes())...)
}

func (r *claimResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	r.backend.releases.begin()
	defer r.backend.releases.end(ctx, &resp.Diagnostics)
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, deleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+r.backend.grace) // the grace time is a wait, not work
	defer cancel()
	h := holderOf(ctx, req.Private, &resp.Diagnostics, state)
	outcome, err := r.release(ctx, state, &h)
	if err != nil {
		report(&resp.Diagnostics, fmt.Sprintf("Releasing account %s of Global Account %s%s (on_destroy = %q)",
			state.BindingName.ValueString(), h.GlobalAccount, r.backend.where(), state.OnDestroy.ValueString()), err)
		return
	}
	r.warnRelease(outcome, state, h)
	r.warnElsewhere(ctx, outcome, state, h)
}

func (r *claimResource) claim(ctx context.Context, req pool.ClaimRequest) (pool.Claim, error) {
	p, err := r.backend.selecting()
	if err != nil {
		return pool.Claim{}, err
	}
	claim, err := p.Claim(ctx, req)
	logClaim(ctx, req, claim, err)
	return claim, r.backend.lookAround(ctx, err)
}

func (r *claimResource) inspect(ctx context.Context, m claimModel, h *holder) (pool.Status, error) {
	p, err := r.poolOf(h)
	if err != nil {
		return pool.Status{}, err
	}
	status, err := p.Inspect(ctx, h.GlobalAccount, m.stateTarget(), m.Name.ValueString(), m.BindingName.ValueString(), m.BindingUID.ValueString())
	if err == nil && (status.Drift == pool.DriftGone || status.Drift == pool.DriftRecreated) {
		err = r.backend.sameServer(*h)
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
		Owner: plan.Owner.ValueString(), ClusterName: plan.ClusterName.ValueString(), Request: plan.record(),
		ReleaseMode: pool.Mode(plan.OnDestroy.ValueString()), Reclaim: state.GlobalAccount.IsNull(),
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
		Account: m.BindingName.ValueString(), UID: m.BindingUID.ValueString(), Mode: pool.Mode(m.OnDestroy.ValueString()), Grace: r.backend.grace,
	}
	outcome, err := p.Release(ctx, req)
	logRelease(ctx, req, outcome, err)
	if err == nil && outcome == pool.OutcomeNotHeld {
		err = r.backend.sameServer(*h)
	}
	return outcome, err
}

// server is the API server that the provider talks to, as far as it is known.
func (b *backend) server() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.host
}

// sameServer is an error where the account was last seen behind another API server: that it is not here says nothing.
func (b *backend) sameServer(h holder) error {
	if now := b.server(); h.Server != "" && now != "" && h.Server != now {
		return &otherServerError{claim: h.Server, provider: now}
	}
	return nil
}

// otherServerError says that an account was not found, and was last seen behind another API server.
type otherServerError struct{ claim, provider string }

func (e *otherServerError) Error() string {
	return fmt.Sprintf("there is no such account behind %s, and the claim was last seen behind %s", e.provider, e.claim)
}

// poolOf returns the pool that the claim was made in, and an error where the provider leads elsewhere by now: there
// nothing is found, and "not found" would read as "gone".
func (r *claimResource) poolOf(h *holder) (*pool.Pool, error) {
	p, err := r.backend.pool()
	if err != nil {
		return nil, err
	}
	if h.Namespace == "" { // a state from before it was kept
		h.Namespace = p.Namespace()
	}
	if h.Namespace != p.Namespace() {
		return nil, &elsewhereError{claim: h.Namespace, provider: p.Namespace()}
	}
	if kind := cmp.Or(h.Kind, garden.CredentialsBinding); kind != r.backend.kind {
		return nil, &otherKindError{claim: kind, provider: r.backend.kind}
	}
	return p, nil
}

// otherKindError says that a claim was made on an object of another kind than the provider's accounts are.
type otherKindError struct{ claim, provider garden.Kind }

func (e *otherKindError) Error() string {
	return fmt.Sprintf("the claim was made on a %s, and the provider's pool.kind is %s", e.claim, e.provider)
}

// elsewhereError says that a claim was made in another namespace than the provider's.
type elsewhereError struct{ claim, provider string }

func (e *elsewhereError) Error() string {
	return fmt.Sprintf("the claim was made in namespace %s, and the provider's namespace is %s", e.claim, e.provider)
}
