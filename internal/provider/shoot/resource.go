package shoot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var (
	_ resource.Resource                   = (*shootResource)(nil)
	_ resource.ResourceWithConfigure      = (*shootResource)(nil)
	_ resource.ResourceWithValidateConfig = (*shootResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*shootResource)(nil)
	_ resource.ResourceWithImportState    = (*shootResource)(nil)
	_ resource.ResourceWithIdentity       = (*shootResource)(nil)
)

// Family registers the resource, its list, and the access to a cluster.
var Family = family.Family{
	Resources:          []func() resource.Resource{func() resource.Resource { return &shootResource{} }},
	ListResources:      []func() list.ListResource{func() list.ListResource { return &shootList{} }},
	EphemeralResources: []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &shootAccess{} }},
}

// shootResource is a cluster on a claimed account.
type shootResource struct{ backend *backend.Backend }

func (r *shootResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_shoot"
}

func (r *shootResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = shootSchema(ctx)
}

func (r *shootResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// Create makes the cluster and waits for it. As soon as it is there it is in the state, and no error is told any more: Terraform
// would taint it, and the next apply would destroy it.
func (r *shootResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan shootModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Create, createTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	all, made, err := r.make(ctx, &resp.Diagnostics, plan)
	if err != nil {
		diagnose.ReportAt(&resp.Diagnostics, accountPath, r.backend.Attempt("Making cluster %s", plan.Name.ValueString()), err)
		return
	}
	stored, at := stored{&resp.State, resp.Identity, resp.Private}, r.placed(plan, made)
	resp.Diagnostics.Append(stored.set(ctx, plan.seen(made), at)...)
	if plan, at, err = r.await(ctx, &resp.Diagnostics, all, plan, made, at); err != nil {
		resp.State.RemoveResource(ctx) // it is gone
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Waiting for cluster %s", plan.Name.ValueString()), err)
		return
	}
	resp.Diagnostics.Append(stored.set(ctx, plan, at)...)
}

// make looks once more whether the account takes the cluster, and makes it.
func (r *shootResource) make(
	ctx context.Context, diags *diag.Diagnostics, plan shootModel,
) (all *shoots.Shoots, made shoots.Shoot, err error) {
	found, room := false, pool.Room{}
	w, err := plan.wanted(r.backend.Kind)
	if err == nil {
		all, err = r.backend.Shoots()
	}
	if err == nil {
		room, err = r.mayHost(ctx, w, plan.GlobalAccount, true)
	}
	if err == nil {
		made, found, err = all.Make(ctx, w)
		journal.LogShoot(ctx, "cluster made", w.Name, err)
	}
	if found {
		r.backend.AdoptObject(made.UID)
		diags.AddAttributeWarning(namePath, diagnose.SummaryShootAdopted, fmt.Sprintf("Cluster %s (UID %s) was there, and bears the mark of "+
			"this very configuration: a run that was cut short has left it. It was taken into the state as it is. If another state has it too, "+
			"take it out of one of them with `state rm`: a destroy there would destroy it here.", made.Name, made.UID))
	}
	if err == nil {
		r.warnTaken(ctx, diags, made, room.Account.Tenant)
	}
	return all, made, err
}

// lookTime bounds the looks that follow what was done, whose time may be over.
const lookTime = 10 * time.Second

// mayHost looks whether the account of a cluster takes it; fresh = a write follows.
func (r *shootResource) mayHost(ctx context.Context, w shoots.Wanted, tenant types.String, fresh bool) (room pool.Room, err error) {
	if w.Account == "" {
		return room, nil
	}
	p, err := r.backend.Selecting()
	if err == nil {
		req := pool.HostRequest{
			Account: w.Account, Cluster: w.Name, Tenant: tenant.ValueString(), Planned: r.backend.Host(w.Account, w.Name), Fresh: fresh,
		}
		if !fresh { // before a write the claim stands
			req.Coming = r.backend.Coming(w.Account)
		}
		room, err = p.MayHost(ctx, req)
	}
	if err == nil {
		journal.LogShoot(ctx, room.String(), w.Name, nil)
	}
	return room, err
}

// await waits for a cluster as the configuration says, and returns its state. What keeps it from being ready is a warning. The only
// error is that it is gone.
func (r *shootResource) await(
	ctx context.Context, diags *diag.Diagnostics, all *shoots.Shoots, m shootModel, from shoots.Shoot, at place,
) (shootModel, place, error) {
	last, err := from, error(nil)
	if m.WaitFor.ValueString() == waitReady {
		last, err = all.AwaitReady(ctx, from, journal.TellShoot(ctx, from.Name))
		journal.LogShoot(ctx, "wait for a cluster", from.Name, err)
	}
	if errors.As(err, new(*shoots.GoneError)) {
		return m, at, err
	}
	m = m.seen(last)
	if err != nil {
		warnNotReady(diags, last, err)
	}
	m, at = r.withAuthority(ctx, all, m, last, at)
	return m, at, nil
}

// withAuthority reads the certificate authority of a cluster that is ready, where the state has none, or one of before a rotation.
// A look that fails leaves what was there: the next refresh looks again.
func (r *shootResource) withAuthority(
	ctx context.Context, all *shoots.Shoots, m shootModel, s shoots.Shoot, at place,
) (shootModel, place) {
	if !s.Status.Ready || !m.CACertificate.IsNull() && at.Authority == s.Authority {
		return m, at
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	pem, err := all.CA(ctx, s.Name)
	if err != nil {
		journal.LogShoot(ctx, "reading the certificate authority of a cluster", s.Name, err)
		return m, at
	}
	m.CACertificate, at.Authority = tfvalue.TextOrNull(pem), s.Authority
	return m, at
}

func (r *shootResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state shootModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Read, backend.ReadTimeout)
	defer cancel()
	at, _ := placeOf(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var now shoots.Shoot
	all, err := r.shootsOf(at)
	if err == nil {
		now, err = r.find(ctx, all.Read, at, state.Name.ValueString(), state.UID.ValueString())
	}
	fresh := state.UID.IsNull() // from an import
	if errors.As(err, new(*shoots.GoneError)) && !fresh {
		resp.Diagnostics.AddWarning(diagnose.SummaryShootGone, fmt.Sprintf("Cluster %s (UID %s) does not exist any more. It is removed from the "+
			"state; the next apply makes another one.", state.Name.ValueString(), state.UID.ValueString()))
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(at.Namespace, state.Name))...)
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Reading cluster %s", state.Name.ValueString()), err)
		return
	}
	if fresh {
		state = state.imported(now)
	}
	state, at = r.refreshed(state, now, at)
	state, at = r.withAuthority(ctx, all, state, now, at)
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, state, at)...)
}

// refreshed is the state of a cluster as it is now, and what of it has drifted.
func (r *shootResource) refreshed(state shootModel, now shoots.Shoot, at place) (shootModel, place) {
	authority, put := at.Authority, at.Account
	at = r.placed(state, now)
	at.Authority = authority
	if put != nil {
		at.Account = put
	}
	state.CredentialsBindingName = tfvalue.TextOrNull(now.Account)
	if w, err := state.wanted(r.backend.Kind); err == nil {
		for _, change := range w.Drift(now) {
			at.Drift = append(at.Drift, change.String())
		}
	}
	return state.seen(now), at
}

// Update writes what differs, and waits.
func (r *shootResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state shootModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, plan.Timeouts.Update, updateTimeout)
	defer cancel()
	at, _ := placeOf(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	all, now, err := r.change(ctx, plan, state, at)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Changing cluster %s", state.Name.ValueString()), err)
		return
	}
	authority, kept, access := at.Authority, !plan.Ready.IsUnknown(), plan.AccessName
	at = r.placed(plan, now)
	at.Authority = authority
	if kept { // nothing was sent, and nothing is waited for: what was planned stands until the next refresh
		resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, plan, at)...)
		return
	}
	plan.CACertificate = state.CACertificate
	if plan, at, err = r.await(ctx, &resp.Diagnostics, all, plan, now, at); err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Waiting for cluster %s", plan.Name.ValueString()), err)
		return
	}
	if !access.IsUnknown() { // it was ready before, and is reached all the while
		plan.AccessName = access
	}
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, plan, at)...)
}

// change makes the very cluster what the plan says, where it is to be sent at all.
func (r *shootResource) change(ctx context.Context, plan, state shootModel, at place) (all *shoots.Shoots, now shoots.Shoot, err error) {
	var w shoots.Wanted
	if all, err = r.shootsOf(at); err == nil {
		now, err = r.find(ctx, all.Get, at, state.Name.ValueString(), state.UID.ValueString())
	}
	if err != nil || plan.sendsAs(state) && len(at.Drift) == 0 && plan.CredentialsBindingName.Equal(state.CredentialsBindingName) {
		return all, now, err
	}
	if w, err = plan.wanted(r.backend.Kind); err != nil {
		return all, now, err
	}
	changed, err := all.Change(ctx, w, state.before(r.backend.Kind, w), now)
	journal.LogShoot(ctx, "cluster changed", now.Name, err)
	return all, changed, err
}

// Delete deletes the cluster and waits until it is gone.
func (r *shootResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state shootModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.Bounded(ctx, &resp.Diagnostics, state.Timeouts.Delete, deleteTimeout)
	defer cancel()
	at, _ := placeOf(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.DeletionProtection.ValueBool() {
		reportProtected(&resp.Diagnostics, state.Name)
		return
	}
	name, uid := state.Name.ValueString(), state.UID.ValueString()
	if r.backend.AdoptedObject(uid) {
		reportKept(&resp.Diagnostics, state)
		return
	}
	all, err := r.shootsOf(at)
	if err == nil && r.otherServer(at) { // gone there is not gone
		_, err = r.find(ctx, all.Get, at, name, uid)
	}
	if err == nil {
		err = all.Remove(ctx, name, uid, journal.TellShoot(ctx, name))
		journal.LogShoot(ctx, "cluster deleted", name, err)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Destroying cluster %s", state.Name.ValueString()), err)
	}
}
