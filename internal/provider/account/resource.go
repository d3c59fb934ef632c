package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

var (
	_ resource.Resource                   = (*accountResource)(nil)
	_ resource.ResourceWithConfigure      = (*accountResource)(nil)
	_ resource.ResourceWithValidateConfig = (*accountResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*accountResource)(nil)
	_ resource.ResourceWithImportState    = (*accountResource)(nil)
	_ resource.ResourceWithIdentity       = (*accountResource)(nil)
)

// Family registers the resource and its list.
var Family = family.Family{
	Resources:     []func() resource.Resource{func() resource.Resource { return &accountResource{} }},
	ListResources: []func() list.ListResource{func() list.ListResource { return &accountList{} }},
}

// accountResource is an account of the pool.
type accountResource struct{ backend *backend.Backend }

func (r *accountResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_account"
}

func (r *accountResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = accountSchema(ctx)
}

func (r *accountResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

func (r *accountResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan accountModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Create, createTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	var s pool.Supplied
	p, err := r.backend.Pool()
	if err == nil {
		plan, err = r.settled(plan, p)
	}
	if err == nil {
		s, err = p.Add(ctx, plan.supply())
		journal.LogSupply(ctx, "account put into the pool", plan.Name.ValueString(), err)
	}
	if err != nil {
		attempt := r.backend.Attempt("Putting account %s into pool %s", plan.Name.ValueString(), plan.supply().Target)
		diagnose.Report(&resp.Diagnostics, attempt, err)
		return
	}
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, plan.supplied(s), r.seen(p, s.Account))...)
}

func (r *accountResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state accountModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Read, backend.ReadTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	p, h, err := r.poolOf(holderOf(ctx, req.Private, &resp.Diagnostics))
	fresh := state.UID.IsNull() // from an import
	var s pool.Supplied
	if err == nil {
		s, err = p.Supplied(ctx, state.Name.ValueString(), state.UID.ValueString())
	}
	if lost, ok := errors.AsType[*pool.NotFoundError](err); ok && !fresh {
		if err = r.sameServer(h); err == nil {
			warnLost(&resp.Diagnostics, state, lost)
			resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(h.Namespace, state.Name))...)
			resp.State.RemoveResource(ctx)
			return
		}
	}
	if fresh && err == nil {
		err = s.Uncounted // there is no earlier number
	}
	if err != nil {
		diagnose.ReportAt(&resp.Diagnostics, namePath, r.backend.Attempt("Reading account %s", state.Name.ValueString()), err)
		return
	}
	warnQuarantine(&resp.Diagnostics, s.Account, r.backend.Keys)
	r.warnUncounted(&resp.Diagnostics, s)
	now := state.refreshed(s)
	if fresh {
		now, h = state.imported(s), r.seen(p, s.Account)
	}
	h.Server = r.backend.Server()
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, now, h)...)
}

// Update writes the labels that differ. What makes another account never gets here: it is a replacement.
func (r *accountResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state accountModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Update, updateTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	p, _, err := r.poolOf(holderOf(ctx, req.Private, &resp.Diagnostics))
	var s pool.Supplied
	if err == nil {
		plan, err = r.settled(plan, p)
	}
	if err == nil {
		s, err = p.Amend(ctx, plan.amendRequest(state))
		journal.LogSupply(ctx, "change of an account", plan.Name.ValueString(), err)
	}
	if err != nil {
		diagnose.ReportAt(&resp.Diagnostics, namePath, r.backend.Attempt("Changing account %s", state.Name.ValueString()), err)
		return
	}
	r.warnUncounted(&resp.Diagnostics, s)
	plan.Clusters, plan.Class = state.Clusters, state.Class
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, plan.supplied(s), r.seen(p, s.Account))...)
}

// warnLost says why an account leaves the state.
func warnLost(diags *diag.Diagnostics, state accountModel, lost *pool.NotFoundError) {
	name, uid := state.Name.ValueString(), state.UID.ValueString()
	if lost.Anew != "" {
		diags.AddWarning(diagnose.SummaryAccountAnew, fmt.Sprintf("Account %s (UID %s) was deleted, and another party has made an object of "+
			"this name anew (UID %s). The old one is removed from the state, and the new one is left alone: an apply that asks for the account "+
			"stops. If the new one is meant to be this account, import it: its import ID is its name, %s.", name, uid, lost.Anew, name))
		return
	}
	diags.AddWarning(diagnose.SummaryAccountLost, fmt.Sprintf("Account %s (UID %s) does not exist any more. It is removed from "+
		"the state; the next apply puts it into the pool again.", name, uid))
}

// warnUncounted says, once in a run, that the clusters on the accounts could not be counted.
func (r *accountResource) warnUncounted(diags *diag.Diagnostics, s pool.Supplied) {
	if s.Uncounted != nil && r.backend.TellOnce("uncounted accounts") {
		f := diagnose.Explain(s.Uncounted)
		diags.AddWarning(diagnose.SummaryCountDoubt, fmt.Sprintf("The clusters on account %s, and on all others, could not be counted: %s. The "+
			"state keeps the numbers of before.\n\n%s", s.Account.Name, f.Brief, f.Remedy))
	}
}

func (r *accountResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state accountModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	grace := time.Duration(0)
	if state.Shared.ValueBool() {
		grace = r.backend.Grace
	}
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Delete, deleteTimeout, grace)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	p, h, err := r.poolOf(holderOf(ctx, req.Private, &resp.Diagnostics))
	if err == nil {
		err = p.Remove(ctx, state.removeRequest(r.backend.Grace))
		journal.LogSupply(ctx, "account taken out of the pool", state.Name.ValueString(), err)
	}
	if errors.As(err, new(*pool.NotFoundError)) {
		err = r.sameServer(h) // that it is not found elsewhere says nothing
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Taking account %s out of the pool", state.Name.ValueString()), err)
	}
}

// stored is where Terraform keeps an account.
type stored struct {
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
}

// set keeps what the user sees, the identity, and where the account was put.
func (s stored) set(ctx context.Context, m accountModel, h holder) diag.Diagnostics {
	diags := s.state.Set(ctx, &m)
	diags.Append(s.identity.Set(ctx, identityOf(h.Namespace, m.Name))...)
	diags.Append(s.private.SetKey(ctx, holderKey, h.bytes())...)
	return diags
}
