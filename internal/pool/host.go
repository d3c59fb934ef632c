package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// MayHost judges whether a new cluster may come to an account: a dedicated one must be held, by the Global Account that the cluster
// is for, have a valid claim, be neither dirty nor on its way out, and have room. A place that a claim reserves for this very
// cluster is the cluster's own; so is one of a claim of this run that names no cluster.
//
// A count may take long. Before a write the account is read after it, so that a release that began meanwhile is seen.
//
// Errors: [account.HostError]; those of [Store] and [Counter].
func (p *Pool) MayHost(ctx context.Context, req account.HostRequest) (account.Room, error) {
	a, counts, err := p.host(ctx, req)
	if err != nil {
		return account.Room{}, err
	}
	refused, holder := req.Refusal(a)
	room := req.RoomOn(a, p.cache.places(counts), p.policy.Limit(holder, a.Target()))
	if refused == nil && room.Limit > 0 && room.Place > room.Limit {
		refused = &account.HostError{Account: a.Name, Tenant: holder, Wanted: req.Tenant, Reason: account.HostFull}
	}
	if refused != nil {
		refused.Room = room
		return room, refused
	}
	return room, nil
}

// host returns the account of a request and the count by which it is judged.
func (p *Pool) host(ctx context.Context, req account.HostRequest) (*account.Account, account.Counts, error) {
	var known *account.Account
	var counts account.Counts
	var err error
	if req.Fresh {
		// The list comes first: it says which bindings the count joins. The account itself is read after the count.
		if err = p.cache.relist(ctx, time.Now().Add(-protocol.MaxFreeAge)); err == nil {
			counts, err = p.hosting.after(ctx, p.hosting.moment(), p.joining(p.counter))
		}
	} else {
		var s *protocol.Snapshot
		if s, err = p.cache.recent(ctx); err == nil {
			known, counts = s.Account(req.Account), s.Counts
		}
		if known != nil {
			known = s.Whole(known)
		}
	}
	if err != nil || known != nil {
		return known, counts, err
	}
	if err := account.NoAccount(req.Account); err != nil {
		return nil, account.Counts{}, err
	}
	a, err := p.read(ctx, req.Account)
	return p.cache.snapshot().Whole(&a), counts, err
}

// Occupancy returns how many clusters are counted on an account, as a plan sees them, and the most that it may have; 0 = no limit
// applies.
//
// Errors: those of [Store] and [Counter].
func (p *Pool) Occupancy(ctx context.Context, accountName string) (clusters, limit int, err error) {
	a, counts, err := p.host(ctx, account.HostRequest{Account: accountName})
	if err != nil {
		return 0, 0, err
	}
	return counts.Clusters(a.Name), p.policy.Limit(a.Tenant, a.Target()), nil
}

// Takes reads an account and judges whether it takes new clusters of a tenant, whatever room it has: for a Cluster, and for a profile,
// whose clusters come later.
//
// Errors: [account.HostError]; those of [Store].
func (p *Pool) Takes(ctx context.Context, req account.HostRequest) error {
	if err := p.cache.relist(ctx, time.Now().Add(-protocol.MaxFreeAge)); err != nil {
		return err
	}
	read, err := p.read(ctx, req.Account)
	if err != nil {
		return err
	}
	if refused, _ := req.Refusal(p.cache.snapshot().Whole(&read)); refused != nil {
		return refused
	}
	return nil
}

// StillTakes is [Pool.Takes] once more, after a cluster was made: a release that began before may not have seen it. A label under another
// scheme's key may mean nothing, and takes no account from a cluster that is made.
//
// Errors: [account.HostError]; those of [Store].
func (p *Pool) StillTakes(ctx context.Context, req account.HostRequest) error {
	err := p.Takes(ctx, req)
	if refused, ok := errors.AsType[*account.HostError](err); ok && refused.Reason == account.HostUnclear {
		return nil
	}
	return err
}

// AccountOf returns the account of the pool into whose cloud account a binding of another kind leads, by the list that a plan shares, or
// by a fresh one before a write. Where the bindings of that kind are hidden, one that has the name of an account is taken for one of that
// account: that is guessed, and decides nothing in favor of a cluster.
//
// Errors: [account.NotFoundError] where it leads into none of the pool; those of [Store].
func (p *Pool) AccountOf(ctx context.Context, binding string, fresh bool) (name string, guessed bool, err error) {
	age := protocol.MaxAge
	if fresh {
		age = protocol.MaxFreeAge
	}
	if err := p.cache.relist(ctx, time.Now().Add(-age)); err != nil {
		return "", false, err
	}
	s := p.cache.snapshot()
	if a := s.CountedFor(binding); a != nil {
		return a.Name, false, nil
	}
	if _, plain := account.BindingName(binding); s.Hidden != nil && s.Account(plain) != nil {
		return plain, true, nil
	}
	return "", false, &account.NotFoundError{Account: binding}
}

// Holds judges whether an account is still that of its live clusters: held by the Global Account that they are for, and not about to be
// wiped. A claim is not asked for, a quarantine by the pool's owner wipes nothing, and a label under another key may mean nothing. Without
// Fresh it judges by the list that a plan shares.
//
// Errors: [account.HostError]; those of [Store].
func (p *Pool) Holds(ctx context.Context, req account.HostRequest) error {
	var known *account.Account
	if !req.Fresh {
		s, err := p.cache.recentList(ctx)
		if err != nil {
			return err
		}
		known = s.Account(req.Account)
	}
	if known == nil {
		a, err := p.read(ctx, req.Account)
		if err != nil {
			return err
		}
		known = &a
	}
	s := p.cache.snapshot()
	if named := s.CountedFor(known.Name); named != nil && !known.Terminating { // a binding of another kind has no labels: it is never shared
		known = named
	}
	refused, _ := req.Refusal(s.Whole(known).Circulating())
	if refused == nil || refused.Reason == account.HostUnclaimed || refused.Reason == account.HostUnclear {
		return nil
	}
	return refused
}

// MayRebind judges whether a live cluster may come to name an account in place of another binding: both have to be one cloud account, which
// is the Global Account's that the cluster is for, and not about to be wiped.
//
// Errors: [account.HostError]; those of [Store].
func (p *Pool) MayRebind(ctx context.Context, from string, req account.HostRequest) error {
	notBefore := time.Now().Add(-protocol.MaxAge)
	if req.Fresh {
		notBefore = time.Now().Add(-protocol.MaxFreeAge)
	}
	if err := p.cache.relist(ctx, notBefore); err != nil {
		return err
	}
	a, err := p.read(ctx, req.Account)
	if err != nil {
		return err
	}
	s := p.cache.snapshot()
	whole := s.Whole(&a)
	if !slices.ContainsFunc(whole.Twins(), func(t *account.Account) bool { return t.Name == from }) {
		if s.Hidden != nil && s.Account(from) == nil {
			return fmt.Errorf("whether %s leads into the cloud account of %s is not known: %w", from, req.Account, s.Hidden)
		}
		return &account.HostError{Account: req.Account, From: from, Reason: account.HostElsewhere}
	}
	return p.Holds(ctx, req)
}
