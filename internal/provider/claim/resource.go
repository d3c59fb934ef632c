// Package claim is the resource hap_credentials_binding_claim and its list: an account of the pool, claimed for a Global
// Account and tracked for as long as the claim lives.
package claim

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// Family registers the resource and its list.
var Family = family.Family{
	Resources: []func() resource.Resource{family.New(family.Resource[claimModel, holder, live]{
		Type: "credentials_binding_claim", Schema: claimSchema, Identity: identitySchema, Private: "holder",
		Timeouts: func(m claimModel) timeouts.Value { return m.Timeouts },
		IsGone:   func(err error) bool { return errors.As(err, new(*account.NotFoundError)) },
		Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout, Moves: true, ByNotes: true,
		Hooks: func(call *family.Call) family.Hooks[claimModel, holder, live] { return &claimResource{Call: call} },
	})},
	ListResources: []func() list.ListResource{family.NewList(listing)},
}

// resourceType is how configurations call the resource.
const resourceType = "hap_credentials_binding_claim"

type kept = family.Kept[claimModel, holder]

// live is a claim that was just made, or one as its account has it.
type live struct {
	claim  protocol.Claim
	status pool.Status
	kind   garden.Kind // of the binding of a claim whose notes were lost, where it is another one than the pool's; empty = it is the pool's
}

// claimResource is a claim on an account.
type claimResource struct {
	*family.Call
	pool   *pool.Pool     // nil before the claim is observed
	target account.Target // where a claim is to be made
}

// Create claims an account. Once the claim is made all that is left to say is a warning, or the claim would be tainted and destroyed.
func (r *claimResource) Create(ctx context.Context, plan *claimModel, config claimModel) (live, error) {
	target, diags := plan.target(config.RuleSet)
	if r.Diags.Append(diags...); r.Diags.HasError() {
		return live{}, family.ErrReported
	}
	r.target = target
	p, err := r.Backend.Garden.Selecting()
	if err != nil {
		return live{}, err
	}
	req := plan.claimRequest(target, &r.Backend.Settings, journal.TellWait(ctx))
	claim, err := p.Claim(ctx, req)
	journal.LogClaim(ctx, req, claim, err)
	if err != nil {
		return live{}, r.Backend.Garden.LookAround(ctx, err)
	}
	warnClaim(r.Diags, r.Backend.Ledger, claim)
	return live{claim: claim}, nil
}

// Made is the state of a claim that was just made.
func (r *claimResource) Made(plan claimModel, made live) kept {
	return kept{Model: plan.claimed(made.claim), Place: claimedBy(made.claim, r.Backend)}
}

// Observe opens the pool that the claim was made in, and for a read looks at the account.
func (r *claimResource) Observe(ctx context.Context, of kept, doing family.Doing) (found live, err error) {
	m, h := of.Model, of.Place
	if r.pool, err = r.poolFor(ctx, m, h, doing); err != nil || doing != family.Reading || m.fresh() {
		return found, err
	}
	if r.older(h) || h.From != nil {
		found.status, err = r.observeOther(ctx, m, h)
	} else {
		found.status, err = r.inspect(ctx, r.pool, m, h)
	}
	if err == nil && gone(found.status) && h.Lost {
		recreated := found.status
		if found.status, found.kind, err = r.observeLost(ctx, m, h); found.kind == "" && err == nil {
			found.status = recreated
		}
	}
	if err == nil && gone(found.status) {
		lost := &account.NotFoundError{Account: m.BindingName.ValueString()}
		if found.status.Drift == account.DriftRecreated {
			lost.Anew = found.status.Account.UID
		}
		err = cmp.Or[error](r.Backend.Garden.SameServer("the claim", h.Server), lost)
	}
	return found, err
}

// Refresh is the state of a claim, and says what has happened to its account.
func (r *claimResource) Refresh(ctx context.Context, of kept, found live) (kept, error) {
	state, h := of.Model, r.completed(of)
	if state.fresh() {
		return r.imported(ctx, state)
	}
	status := found.status
	h.Kind = cmp.Or(found.kind, h.Kind)
	h = h.remembered(status)
	if r.Backend.Settings.PolicyUnknown { // it may allow several accounts
		status.Held = nil
	}
	reportDrift(r.Diags, status, state, h, r.Backend.Settings.Keys)
	r.warnSeveral(r.Diags, status, h.GlobalAccount, state.stateTarget())
	h = r.noteUse(ctx, state, h, status)
	now := state.refreshed(status, h.GlobalAccount)
	if r.Backend.Settings.PolicyUnknown {
		now.Limit = state.Limit
	}
	return kept{Model: now, Place: h.seen(status, r.Backend.Garden.Server(), state.Shared.ValueBool())}, nil
}

// Update rewrites the claim's record.
func (r *claimResource) Update(ctx context.Context, plan claimModel, of kept, _ live) (*kept, error) {
	if ofAnother(plan, of.Place) {
		reportOfAnother(r.Diags, of.Model, of.Place, false)
		return nil, family.ErrReported
	}
	if r.moves(plan, of) {
		return r.move(ctx, plan, of, false)
	}
	state, h := of.Model, r.completed(of).replanned(plan, of.Model)
	update := plan.updateRequest(r.pool, state, h, &r.Backend.Settings)
	status, err := r.pool.Update(ctx, update)
	if err != nil {
		return nil, err
	}
	if state.GlobalAccount.IsNull() { // the account was taken back; else the refresh has said it
		r.warnSeveral(r.Diags, status, h.GlobalAccount, state.stateTarget())
	}
	h = h.updated(status, update).seen(status, r.Backend.Garden.Server(), plan.Shared.ValueBool())
	return &kept{Model: plan.updated(status, h.GlobalAccount), Place: h}, nil
}

// Grace is the grace time of a release: it is a wait, not work.
func (r *claimResource) Grace(claimModel) time.Duration { return r.Backend.Settings.Grace }

// Delete releases the account.
func (r *claimResource) Delete(ctx context.Context, of kept, _ live) error {
	r.Backend.Releases.Begin()
	defer r.Backend.Releases.End(ctx, r.Diags)
	state, h := of.Model, r.completed(of)
	if h.From != nil { // it was imported, and not applied since
		moved, err := r.move(ctx, state, of, true)
		if err != nil {
			return err
		}
		state, h = moved.Model, moved.Place
		return movedBefore(r.release(ctx, state, h), state)
	}
	return r.release(ctx, state, h)
}

// movedBefore is the error of a release after a move that it needed.
func movedBefore(err error, state claimModel) error {
	if err == nil {
		return nil
	}
	return &protocol.MovedBeforeError{To: state.BindingName.ValueString(), Err: err}
}

// release releases the account, and says what has become of it.
func (r *claimResource) release(ctx context.Context, state claimModel, h holder) error {
	h.Used = h.Used || r.usedByRun(ctx, state, h)
	req := state.releaseRequest(r.pool, h, r.Backend.Settings.Grace, journal.TellWait(ctx))
	req.Kept = func(others []account.OtherClaim) { r.keep(req.Account, others, time.Now()) }
	outcome, err := r.pool.Release(ctx, req)
	journal.LogRelease(ctx, req, outcome, err)
	if err == nil {
		r.Backend.Releases.Ended(req.Identity.Key())
	}
	if err == nil && outcome == protocol.OutcomeNotHeld {
		err = r.Backend.Garden.SameServer("the claim", h.Server)
	}
	diagnose.WarnDoubts(r.Diags, r.pool.Doubts())
	if err != nil {
		return err
	}
	r.warnRelease(outcome, req.Identity, state)
	r.warnElsewhere(ctx, r.pool, req.Identity, outcome, req.Account)
	return nil
}
