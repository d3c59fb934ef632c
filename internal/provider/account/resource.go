package account

import (
	"context"
	"errors"
	"fmt"

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
	if errors.As(err, new(*pool.NotFoundError)) && !fresh {
		if err = r.sameServer(h); err == nil {
			resp.Diagnostics.AddWarning(diagnose.SummaryAccountLost, fmt.Sprintf("Account %s (UID %s) does not exist any more. It is removed from "+
				"the state; the next apply puts it into the pool again.", state.Name.ValueString(), state.UID.ValueString()))
			resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(h.Namespace, state.Name))...)
			resp.State.RemoveResource(ctx)
			return
		}
	}
	if err != nil {
		diagnose.ReportAt(&resp.Diagnostics, namePath, r.backend.Attempt("Reading account %s", state.Name.ValueString()), err)
		return
	}
	warnQuarantine(&resp.Diagnostics, s.Account, r.backend.Keys)
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
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, plan.supplied(s), r.seen(p, s.Account))...)
}

func (r *accountResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state accountModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Delete, deleteTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	p, h, err := r.poolOf(holderOf(ctx, req.Private, &resp.Diagnostics))
	if err == nil {
		err = p.Remove(ctx, state.removeRequest())
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
