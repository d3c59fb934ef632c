// Package account is the resource hap_account and its list: the supply side of the pool. An account is put into the pool,
// correctly labelled, and taken out of it again; what tenants, claims and the broker write on it is left to them.
package account

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
)

// Family registers the resource and its list.
var Family = family.Family{
	Resources: []func() resource.Resource{family.New(family.Resource[accountModel, holder, pool.Supplied]{
		Type: "account", Schema: accountSchema, Identity: identitySchema, Private: "holder",
		Timeouts: func(m accountModel) timeouts.Value { return m.Timeouts },
		IsGone:   func(err error) bool { return errors.As(err, new(*account.NotFoundError)) },
		Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout, ByNotes: true,
		Hooks: func(call *family.Call) family.Hooks[accountModel, holder, pool.Supplied] {
			return &accountResource{Call: call}
		},
	})},
	ListResources: []func() list.ListResource{family.NewList(listing)},
}

type kept = family.Kept[accountModel, holder]

// accountResource is an account of the pool.
type accountResource struct {
	*family.Call
	pool *pool.Pool // nil before the account is observed or made
}

// Object is the account for the ledger.
func (r *accountResource) Object(of kept) ledger.Object { return of.Model.object() }

// Report reports an error of an operation.
func (r *accountResource) Report(doing family.Doing, m accountModel, err error) {
	diagnose.ReportAt(r.Diags, namePath, r.Backend.Garden.Attempt("%s account %s", doing, m.Name.ValueString()), err)
}

// Create puts the account into the pool.
func (r *accountResource) Create(ctx context.Context, plan *accountModel, _ accountModel) (s pool.Supplied, err error) {
	if r.pool, err = r.Backend.Garden.Pool(); err == nil {
		*plan, err = r.settled(*plan, r.pool)
	}
	if err == nil {
		s, err = r.pool.Add(ctx, plan.supply())
		journal.LogSupply(ctx, "account put into the pool", plan.Name.ValueString(), err)
	}
	return s, err
}

// Made is the state of an account that was just put into the pool.
func (r *accountResource) Made(plan accountModel, s pool.Supplied) kept {
	return kept{Model: plan.supplied(s), Place: r.seen(r.pool, s.Account, plan)}
}

// Observe opens the pool that the account was put into, and for a read looks at the account. One whose quotas the state does not know is
// read anew: lists do not have them.
func (r *accountResource) Observe(ctx context.Context, of kept, doing family.Doing) (s pool.Supplied, err error) {
	state := of.Model
	r.pool, err = r.poolOf(of.Place)
	if err == nil && doing == family.Destroying {
		err = r.sameSources(of.Place)
	}
	if err != nil || doing != family.Reading {
		return s, err
	}
	name, uid := state.Name.ValueString(), state.UID.ValueString()
	if !state.Quotas.IsNull() {
		s, err = r.pool.Supplied(ctx, name, uid)
	} else if s, err = r.pool.Supplied(ctx, name, ""); err == nil && uid != "" && s.Account.UID != uid {
		err = &account.NotFoundError{Account: name, Anew: s.Account.UID}
	}
	if errors.As(err, new(*account.NotFoundError)) {
		err = cmp.Or(r.Backend.Garden.SameServer(theAccount, of.Place.Server), err)
	}
	if err == nil && uid == "" { // from an import: there is no earlier number
		err = s.Uncounted
	}
	return s, err
}

// Refresh is the state of an account; of one that is imported, with all of its labels.
func (r *accountResource) Refresh(_ context.Context, state kept, s pool.Supplied) (kept, error) {
	m, h := state.Model, r.completed(state.Place)
	warnQuarantine(r.Diags, s.Account, r.Backend.Settings.Keys)
	r.warnUncounted(r.Diags, s)
	now := m.refreshed(s)
	if m.UID.IsNull() {
		now = m.imported(s)
		h = r.seen(r.pool, s.Account, now)
	}
	if h.Written == nil {
		h.Written = m.written()
	}
	h.Server = r.Backend.Garden.Server()
	return kept{Model: now, Place: h}, nil
}

// Update writes the labels that differ.
func (r *accountResource) Update(ctx context.Context, plan accountModel, of kept, _ pool.Supplied) (*kept, error) {
	state := of.Model
	plan, err := r.settled(plan, r.pool)
	if err == nil && plan.opens(state) {
		err = r.sameSources(of.Place)
	}
	if err != nil {
		return nil, err
	}
	s, err := r.pool.Amend(ctx, plan.amendRequest(state))
	if alone, is := plan.quarantineAlone(state, of.Place); is && errors.As(err, new(*account.SupplyError)) {
		refusal := err
		if s, err = r.pool.Amend(ctx, alone); err == nil {
			r.warnAlone(plan, state, refusal)
		}
	}
	journal.LogSupply(ctx, "change of an account", plan.Name.ValueString(), err)
	if err != nil {
		attempt := r.Backend.Garden.Attempt("%s account %s", family.Changing, state.Name.ValueString())
		diagnose.ReportAt(r.Diags, namePath, plan.attempting(attempt, state, err), err)
		return nil, family.ErrReported
	}
	r.warnUncounted(r.Diags, s)
	counted := plan
	counted.Clusters, counted.Class = state.Clusters, state.Class
	now := r.seen(r.pool, s.Account, plan)
	now.Database, now.Platform = now.Database || of.Place.Database, now.Platform || of.Place.Platform
	return &kept{Model: counted.supplied(s).asPlanned(plan), Place: now}, nil
}

// Grace is how long a shared account is out of the pool before it is looked at for the last time.
func (r *accountResource) Grace(m accountModel) time.Duration {
	if m.Shared.ValueBool() {
		return r.Backend.Settings.Grace
	}
	return 0
}

// Delete takes the account out of the pool. One that is not found behind another API server than before may exist.
func (r *accountResource) Delete(ctx context.Context, of kept, _ pool.Supplied) error {
	unwiped := func(a account.Account) { warnUnwiped(r.Diags, a, "has left") }
	err := r.pool.Remove(ctx, of.Model.removeRequest(r.Backend.Settings.Grace, r.Alone, unwiped))
	journal.LogSupply(ctx, "account taken out of the pool", of.Model.Name.ValueString(), err)
	if errors.As(err, new(*account.NotFoundError)) {
		err = r.Backend.Garden.SameServer(theAccount, of.Place.Server)
	}
	return err
}
