package family

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
)

// ErrReported is returned by a hook in place of an error that the hook has reported already.
var ErrReported = errors.New("it was reported")

// report reports an error that was not reported yet.
func report[M, P, L any](h Hooks[M, P, L], doing Doing, m M, err error) {
	if err != nil && !errors.Is(err, ErrReported) {
		h.Report(doing, m, err)
	}
}

// engine is a resource: what all families do alike.
type engine[M, P, L any] struct {
	of      Resource[M, P, L]
	codec   codec[M]
	direct  func() directSchema // what the schema says of it, read once
	backend *backend.Backend
}

func (e *engine[M, P, L]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + e.of.Type
	resp.ResourceBehavior.MutableIdentity = e.of.Moves
}

func (e *engine[M, P, L]) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = e.of.Schema(ctx)
}

func (e *engine[M, P, L]) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = e.of.Identity
}

func (e *engine[M, P, L]) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	e.backend = Backend(req.ProviderData, &resp.Diagnostics)
}

// hooks are those of a call.
func (e *engine[M, P, L]) hooks(diags *diag.Diagnostics) Hooks[M, P, L] {
	return e.of.Hooks(&Call{Backend: e.backend, Diags: diags})
}

func (e *engine[M, P, L]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if v, validates := e.hooks(&resp.Diagnostics).(Validator[M]); validates {
		if config := e.codec.decode(ctx, req.Config.Raw, &resp.Diagnostics); !resp.Diagnostics.HasError() {
			v.Validate(config)
		}
	}
}

// ImportState takes an ID, or an identity.
func (e *engine[M, P, L]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	by := Identity{}
	for name := range e.of.Identity.Attributes {
		var text types.String
		if req.ID == "" {
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &text)...)
		}
		by[name] = text
	}
	if resp.Diagnostics.HasError() {
		return
	}
	attributes := e.hooks(&resp.Diagnostics).Import(req.ID, by)
	if resp.Diagnostics.HasError() {
		return
	}
	for name, value := range attributes {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// kept is an object of the state; the zero value where there is none, with the place of the predecessor of a replacement.
func (e *engine[M, P, L]) kept(
	ctx context.Context, state tftypes.Value, private reader, h Hooks[M, P, L], diags *diag.Diagnostics,
) Kept[M, P] {
	k := Kept[M, P]{e.codec.decode(ctx, state, diags), placeOf[P](ctx, private, e.of.Private, diags)}
	if r, restores := h.(Restorer[M, P]); restores && !state.IsNull() && !diags.HasError() {
		r.Restore(&k)
	}
	return k
}

// ModifyPlan plans what an apply does.
func (e *engine[M, P, L]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if e.backend == nil {
		return
	}
	PlanAlone(ctx, req, resp)
	c := change{config: req.Config.Raw, state: req.State.Raw, private: req.Private}
	if resp.Private != nil {
		c.planned = resp.Private
	}
	resp.RequiresReplace = e.plan(ctx, c, &resp.Plan.Raw, &resp.Diagnostics)
}

// change is what a plan is made of, beside the planned object.
type change struct {
	config, state tftypes.Value
	private       reader
	planned       privateState // that of the apply; nil = it has none
}

// plan completes the plan of an object in place, and returns the attributes by which it is replaced. planned is as the framework leaves it
// before the plan modifiers of the resource.
func (e *engine[M, P, L]) plan(ctx context.Context, c change, planned *tftypes.Value, diags *diag.Diagnostics) (replaced path.Paths) {
	same := equal(*planned, c.state)
	anew := c.state.IsNull() && placed(ctx, c.private, e.of.Private)
	call := &Call{Backend: e.backend, Diags: diags, Same: same, Anew: anew}
	defer func() { call.Ends.note(ctx, c.planned, diags) }()
	h := e.of.Hooks(call)
	state := e.kept(ctx, c.state, c.private, h, diags)
	plan, config := e.codec.decode(ctx, *planned, diags), e.codec.decode(ctx, c.config, diags)
	switch {
	case diags.HasError():
		return nil
	case planned.IsNull():
		e.backend.Ledger.NoteChange("hap_" + e.of.Type)
		e.ends(h, state)
		if d, plans := h.(DestroyPlanner[M, P]); plans {
			d.PlanDestroy(ctx, state)
		}
		return nil
	case c.state.IsNull():
		e.backend.Ledger.NoteChange("hap_" + e.of.Type) // first: the plan of another object may wait for it
		plan = h.PlanCreate(ctx, plan, config, state.Place)
		if !anew {
			e.handOver(ctx, h, plan, c.planned, diags)
		}
	default:
		if !same { // first, here too
			e.backend.Ledger.NoteChange("hap_" + e.of.Type)
		}
		plan, replaced = h.PlanUpdate(ctx, plan, config, state)
	}
	if e.codec.encode(ctx, plan, planned, diags); !equal(*planned, c.state) {
		e.backend.Ledger.NoteChange("hap_" + e.of.Type)
	}
	return replaced
}

// handOver gives the apply the notes of an object that the refresh of this run has read, for the destroy of a tainted one: Terraform plans
// its successor as a new object, without its private state, and destroys it with the private state of that plan.
func (e *engine[M, P, L]) handOver(ctx context.Context, h Hooks[M, P, L], plan M, planned privateState, diags *diag.Diagnostics) {
	o := h.Object(Kept[M, P]{Model: plan})
	place, read := e.backend.Ledger.Place(o).(P)
	whose := e.backend.Ledger.PlaceOf(o)
	if !read || whose == "" || planned == nil { // of an account, which has no id, the plan refuses a tainted one
		return
	}
	text, _ := json.Marshal(place) // texts cannot fail
	diags.Append(planned.SetKey(ctx, e.of.Private, text)...)
	diags.Append(planned.SetKey(ctx, handedKey, quoted(whose))...)
}

// handedKey is where the private state of a plan keeps whose notes were handed over, by its attribute id.
const handedKey = "handed_over"

// takeOver removes notes that a plan has handed over, where they are not those of the object that is destroyed: the plan finds them by the
// name of the successor, which may be the name of another object.
func (e *engine[M, P, L]) takeOver(ctx context.Context, at stored) {
	whose, more := at.private.GetKey(ctx, handedKey)
	if at.diags.Append(more...); len(whose) == 0 {
		return
	}
	at.diags.Append(at.private.SetKey(ctx, handedKey, nil)...)
	if !bytes.Equal(quoted(idOf(*at.state)), whose) {
		at.diags.Append(at.private.SetKey(ctx, e.of.Private, nil)...)
	}
}

// ends notes that an object is destroyed without a successor at its address, and reports what else this run wants with it; false = nothing.
func (e *engine[M, P, L]) ends(h Hooks[M, P, L], state Kept[M, P]) (clashes bool) {
	o := h.Object(state)
	if e.backend.Ledger.Adopted(o.UID) {
		return h.Clash(ledger.ClashKept, state.Model)
	}
	return h.Clash(e.backend.Ledger.Destroy(o, false), state.Model)
}

// bounded bounds an operation by its attribute in timeouts.
func (e *engine[M, P, L]) bounded(
	ctx context.Context, diags *diag.Diagnostics, m M, doing Doing, grace time.Duration,
) (context.Context, context.CancelFunc) {
	of := e.of.Timeouts(m)
	switch doing {
	case Making:
		return boundedBy(ctx, diags, "create", of.Create, e.of.Create, 0)
	case Changing:
		return boundedBy(ctx, diags, "update", of.Update, e.of.Update, 0)
	case Destroying:
		return boundedBy(ctx, diags, "delete", of.Delete, e.of.Delete, grace)
	default:
		return boundedBy(ctx, diags, "read", of.Read, backend.ReadTimeout, 0)
	}
}

// check refuses an operation; false = nothing is done.
func check[M any](ctx context.Context, hooks any, doing Doing, m M, diags *diag.Diagnostics) bool {
	if c, checks := hooks.(Checker[M]); checks && !diags.HasError() {
		c.Check(ctx, doing, m)
	}
	return !diags.HasError()
}

// stored is an object as Terraform's state has it: an operation finds it there, and leaves there what the object is afterwards. In the
// answers of the framework it is what the request has, or null in that of a creation.
type stored struct {
	state, identity *tftypes.Value
	private         privateState
	diags           *diag.Diagnostics
}

// store keeps what the user sees, the identity, and the place.
func (e *engine[M, P, L]) store(ctx context.Context, at stored, h Hooks[M, P, L], kept Kept[M, P]) {
	e.codec.encode(ctx, kept.Model, at.state, at.diags)
	h.Identity(kept).encode(ctx, e.of.Identity, at.identity)
	text, _ := json.Marshal(kept.Place) // texts cannot fail
	at.diags.Append(at.private.SetKey(ctx, e.of.Private, text)...)
}

// remove takes the object out of the state.
func (s stored) remove() { *s.state = tftypes.NewValue(s.state.Type(), nil) }

// Create implements [resource.Resource].
func (e *engine[M, P, L]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	e.create(ctx, req.Plan.Raw, req.Config.Raw, stored{&resp.State.Raw, &resp.Identity.Raw, resp.Private, &resp.Diagnostics})
}

// create makes the object, and waits for it. As soon as it is there it is in the state.
func (e *engine[M, P, L]) create(ctx context.Context, planned, configured tftypes.Value, at stored) {
	h := e.hooks(at.diags)
	plan, config := e.codec.decode(ctx, planned, at.diags), e.codec.decode(ctx, configured, at.diags)
	ctx, cancel := e.bounded(ctx, at.diags, plan, Making, 0)
	defer cancel()
	if !check(ctx, h, Making, plan, at.diags) {
		return
	}
	made, err := h.Create(ctx, &plan, config)
	if err != nil {
		report(h, Making, plan, err)
		return
	}
	kept := h.Made(plan, made)
	e.backend.Ledger.Applied(h.Object(kept))
	e.store(ctx, at, h, kept)
	waiter, waits := h.(Settler[M, P, L])
	if !waits {
		return
	}
	settled, err := waiter.Settle(ctx, plan, made)
	if settled == nil {
		at.remove()
	} else {
		e.store(ctx, at, h, *settled)
	}
	report(h, Waiting, plan, err)
}

// Read implements [resource.Resource].
func (e *engine[M, P, L]) Read(ctx context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
	e.read(ctx, stored{&resp.State.Raw, &resp.Identity.Raw, resp.Private, &resp.Diagnostics})
}

// read reads the object.
func (e *engine[M, P, L]) read(ctx context.Context, at stored) {
	h := e.hooks(at.diags)
	state := e.kept(ctx, *at.state, at.private, h, at.diags)
	ctx, cancel := e.bounded(ctx, at.diags, state.Model, Reading, 0)
	defer cancel()
	if at.diags.HasError() {
		return
	}
	if l, may := h.(Later); may && l.Later() {
		h.Identity(state).encode(ctx, e.of.Identity, at.identity) // Terraform before 1.12 keeps none
		return
	}
	live, err := h.Observe(ctx, state, Reading)
	if e.of.IsGone(err) {
		if h.Gone(state, err); !at.diags.HasError() {
			h.Identity(state).encode(ctx, e.of.Identity, at.identity)
			at.remove()
			at.diags.Append(at.private.SetKey(ctx, e.of.Private, []byte(nowhere))...) // what comes next is no replacement
		}
		return
	}
	now := state
	if err == nil {
		now, err = h.Refresh(ctx, state, live)
	}
	if err != nil {
		report(h, Reading, state.Model, err)
		return
	}
	e.backend.Ledger.Refreshed(h.Object(now))
	e.store(ctx, at, h, now)
	e.backend.Ledger.KeepPlace(h.Object(now), idOf(*at.state), now.Place)
}

// Update implements [resource.Resource].
func (e *engine[M, P, L]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	e.update(ctx, req.Plan.Raw, stored{&resp.State.Raw, &resp.Identity.Raw, resp.Private, &resp.Diagnostics})
}

// update makes the object what the plan says. What makes another one never gets here: it is a replacement, or, where it was unknown at
// plan, stopped by Terraform.
func (e *engine[M, P, L]) update(ctx context.Context, planned tftypes.Value, at stored) {
	h := e.hooks(at.diags)
	plan, state := e.codec.decode(ctx, planned, at.diags), e.kept(ctx, *at.state, at.private, h, at.diags)
	ctx, cancel := e.bounded(ctx, at.diags, plan, Changing, 0)
	defer cancel()
	if !check(ctx, h, Changing, plan, at.diags) {
		return
	}
	live, err := h.Observe(ctx, state, Changing)
	var now *Kept[M, P]
	if err == nil {
		now, err = h.Update(ctx, plan, state, live)
	}
	if now != nil {
		e.store(ctx, at, h, *now)
	}
	report(h, Changing, state.Model, err)
}

// Delete implements [resource.Resource].
func (e *engine[M, P, L]) Delete(ctx context.Context, _ resource.DeleteRequest, resp *resource.DeleteResponse) {
	e.destroy(ctx, stored{&resp.State.Raw, &resp.Identity.Raw, resp.Private, &resp.Diagnostics})
}

// destroy ends the object, unless this run has made it its own at another address.
func (e *engine[M, P, L]) destroy(ctx context.Context, at stored) {
	alone := Alone(ctx, at.private, at.diags)
	h := e.of.Hooks(&Call{Backend: e.backend, Diags: at.diags, Alone: alone, Ends: endsOf(ctx, at.private, at.diags)})
	e.takeOver(ctx, at)
	if e.of.ByNotes && !placed(ctx, at.private, e.of.Private) {
		diagnose.ReportWithoutNotes(at.diags, "hap_"+e.of.Type)
		return
	}
	state := e.kept(ctx, *at.state, at.private, h, at.diags)
	grace := time.Duration(0)
	if g, waits := h.(Grace[M]); waits {
		grace = g.Grace(state.Model)
	}
	ctx, cancel := e.bounded(ctx, at.diags, state.Model, Destroying, grace)
	defer cancel()
	if !check(ctx, h, Destroying, state.Model, at.diags) {
		return
	}
	if (alone || e.backend.Ledger.Adopted(h.Object(state).UID)) && e.ends(h, state) {
		return
	}
	live, err := h.Observe(ctx, state, Destroying)
	if e.of.IsGone(err) {
		return
	}
	if err == nil {
		err = h.Delete(ctx, state, live)
	}
	report(h, Destroying, state.Model, err)
}
