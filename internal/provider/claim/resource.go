package claim

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

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
	plan, config := decode(ctx, req.Plan.Raw, &resp.Diagnostics), decode(ctx, req.Config.Raw, &resp.Diagnostics)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Create, createTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	target, diags := plan.target(config.RuleSet)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	claim, err := r.claim(ctx, plan.claimRequest(target, journal.TellWait(ctx)))
	if err != nil {
		attempt := r.backend.Attempt("Claiming an account of pool %s for Global Account %s", target, plan.GlobalAccount.ValueString())
		diagnose.Report(&resp.Diagnostics, attempt, err)
		return
	}
	// From here on the claim stands: whatever else is to say is a warning, or the claim would be tainted and destroyed.
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, plan.claimed(claim), claimedBy(claim, r.backend))...)
	warnClaim(&resp.Diagnostics, claim)
}

func (r *claimResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := decode(ctx, req.State.Raw, &resp.Diagnostics)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Read, backend.ReadTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	if state.HyperscalerType.IsNull() { // fresh from an import
		r.readImported(ctx, state, resp)
		return
	}
	status, h, err := r.inspect(ctx, state, r.holderOf(ctx, req.Private, &resp.Diagnostics, state))
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Reading account %s of Global Account %s",
			state.BindingName.ValueString(), h.GlobalAccount), err)
		return
	}
	if r.backend.PolicyUnknown { // it may allow several accounts
		status.Held = nil
	}
	reportDrift(&resp.Diagnostics, status, state, h, r.backend.Keys)
	if gone(status) {
		encodeIdentity(ctx, state.identity(h), &resp.Identity.Raw, &resp.Diagnostics)
		resp.State.RemoveResource(ctx)
		return
	}
	r.warnSeveral(&resp.Diagnostics, status, h.GlobalAccount, state.stateTarget())
	now := state.refreshed(status, h.GlobalAccount)
	if r.backend.PolicyUnknown {
		now.Limit = state.Limit
	}
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, now, h.seen(status, r.backend.Server(), state.Shared.ValueBool()))...)
}

// Update rewrites the claim's record. What makes another claim never gets here: it is a replacement, or, where it was
// unknown at plan, stopped by Terraform.
func (r *claimResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, state := decode(ctx, req.Plan.Raw, &resp.Diagnostics), decode(ctx, req.State.Raw, &resp.Diagnostics)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Update, updateTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	p, h, err := r.poolFor(ctx, state, r.holderOf(ctx, req.Private, &resp.Diagnostics, state))
	var status pool.Status
	if err == nil {
		h = h.replanned(plan, state)
		status, err = p.Update(ctx, plan.updateRequest(p, state, h))
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Updating the claim on account %s", state.BindingName.ValueString()), err)
		return
	}
	h.Owner = plan.Owner.ValueString()
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, plan.updated(status, h.GlobalAccount),
		h.seen(status, r.backend.Server(), plan.Shared.ValueBool()))...)
	if state.GlobalAccount.IsNull() { // the account was taken back; else the refresh has told it
		r.warnSeveral(&resp.Diagnostics, status, h.GlobalAccount, state.stateTarget())
	}
}

func (r *claimResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	r.backend.Releases.Begin()
	defer r.backend.Releases.End(ctx, &resp.Diagnostics)
	state := decode(ctx, req.State.Raw, &resp.Diagnostics)
	// The grace time is a wait, not work.
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Delete, deleteTimeout, r.backend.Grace)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	p, h, err := r.poolFor(ctx, state, r.holderOf(ctx, req.Private, &resp.Diagnostics, state))
	var release pool.ReleaseRequest
	var outcome pool.Outcome
	if err == nil {
		release = state.releaseRequest(p, h, r.backend.Grace, journal.TellWait(ctx))
		outcome, err = r.release(ctx, p, release, h)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Releasing account %s of Global Account %s (on_destroy = %q)",
			state.BindingName.ValueString(), h.GlobalAccount, state.OnDestroy.ValueString()), err)
		return
	}
	r.warnRelease(outcome, release.Identity, state)
	r.warnElsewhere(ctx, p, release.Identity, outcome, release.Account)
}

// stored is where Terraform keeps a claim.
type stored struct {
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
}

// set keeps what the user sees, the identity, and what this side has last written.
func (s stored) set(ctx context.Context, m claimModel, h holder) (diags diag.Diagnostics) {
	encode(ctx, m, &s.state.Raw, &diags)
	encodeIdentity(ctx, m.identity(h), &s.identity.Raw, &diags)
	diags.Append(s.private.SetKey(ctx, holderKey, h.bytes())...)
	return diags
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

// inspect looks at the account of a claim. It returns the holder with what it lacks, see poolFor.
func (r *claimResource) inspect(ctx context.Context, m claimModel, h holder) (pool.Status, holder, error) {
	p, h, err := r.poolFor(ctx, m, h)
	if err != nil {
		return pool.Status{}, h, err
	}
	status, err := m.inspect(ctx, p, h)
	if err == nil && gone(status) {
		err = r.backend.SameServer(h.Server)
	}
	return status, h, err
}

// inspect looks at the account of a claim.
func (m claimModel) inspect(ctx context.Context, p *pool.Pool, h holder) (pool.Status, error) {
	return p.Inspect(ctx, h.GlobalAccount, m.stateTarget(), m.Name.ValueString(), m.BindingName.ValueString(), m.BindingUID.ValueString())
}

// gone reports whether the account that was claimed is not there any more, though another may have its name.
func gone(s pool.Status) bool { return s.Drift == pool.DriftGone || s.Drift == pool.DriftRecreated }

func (r *claimResource) release(ctx context.Context, p *pool.Pool, req pool.ReleaseRequest, h holder) (pool.Outcome, error) {
	outcome, err := p.Release(ctx, req)
	journal.LogRelease(ctx, req, outcome, err)
	if err == nil && outcome == pool.OutcomeNotHeld {
		err = r.backend.SameServer(h.Server)
	}
	return outcome, err
}

// poolFor is [claimResource.poolOf], and an error where the keys of the labels have changed and the account is not the claim's by the new
// ones. A landscape that has renamed its labels goes on.
func (r *claimResource) poolFor(ctx context.Context, m claimModel, h holder) (*pool.Pool, holder, error) {
	p, h, err := r.poolOf(h)
	if err != nil {
		return nil, h, err
	}
	was, now := cmp.Or(h.Keys, r.backend.Keys), r.backend.Keys
	h.Keys = now
	if was == now {
		return p, h, nil
	}
	status, err := m.inspect(ctx, p, h)
	if err != nil {
		return nil, h, err
	}
	if gone(status) { // its name and UID tell, whatever the keys are
		return p, h, nil
	}
	target := m.stateTarget()
	if a := status.Account; a.UID != m.BindingUID.ValueString() || a.Target() != target || !target.Shared && a.Tenant != h.GlobalAccount {
		return nil, h, &backend.OtherKeysError{Account: m.BindingName.ValueString(), Claim: was, Provider: now}
	}
	return p, h, nil
}

// poolOf returns the pool that the claim was made in, and an error where the provider leads elsewhere by now: there
// nothing is found, and "not found" would read as "gone". It returns the holder with the namespace, which a state from
// before it was kept lacks.
func (r *claimResource) poolOf(h holder) (*pool.Pool, holder, error) {
	p, err := r.backend.Pool()
	if err != nil {
		return nil, h, err
	}
	h.Namespace = cmp.Or(h.Namespace, p.Namespace())
	if h.Namespace != p.Namespace() {
		return nil, h, &backend.NamespaceError{Claim: h.Namespace, Provider: p.Namespace()}
	}
	if kind := cmp.Or(h.Kind, garden.CredentialsBinding); kind != r.backend.Kind {
		return nil, h, &backend.OtherKindError{Claim: kind, Provider: r.backend.Kind}
	}
	return p, h, nil
}
