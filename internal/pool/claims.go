package pool

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// Claim finds an account for the request and records the claim on it. A claim of the same identity that is recorded already
// is adopted. When it returns an error nothing is left behind, except after an [account.UnknownOutcomeError], when the next call with
// the same identity finds what is there.
//
// Errors: those of [account.Select] and of [Store]; [protocol.OwnerError], [protocol.DuplicateError], [protocol.UnusableError],
// [protocol.NewerRecordError], [account.ConflictError], [account.BusyError], [TimeoutError], [WaitError].
func (p *Pool) Claim(ctx context.Context, req protocol.ClaimRequest) (protocol.Claim, error) {
	op := newOperation(ctx)
	defer op.end()
	id := p.Identity(req.GlobalAccount, req.Target, req.Name)
	if req.ReleaseMode == account.ReturnToPool {
		defer p.crowd.enters()()
	}
	c := protocol.NewClaiming(id, req, p.policy)
	if err := p.engine(op, req.GlobalAccount, 0, req.Tell).run(c); err != nil {
		return protocol.Claim{}, op.result(err)
	}
	claim := c.Made()
	claim.Clusters, claim.Reserved = p.cache.use(&claim.Account)
	claim.Doubts = slices.Concat(claim.Doubts, p.cache.doubts(), p.reservationEnds(req), p.shootsUncounted())
	return claim, nil
}

// reservationEnds warns, once for all claims of a run, that a place is reserved for an hour only.
func (p *Pool) reservationEnds(req protocol.ClaimRequest) (warning []string) {
	counting, ok := p.counter.(*Counting)
	if !ok || counting.source() != account.SourceDatabase || req.ClusterName == "" || p.policy.Limit(req.GlobalAccount, req.Target) == 0 {
		return nil
	}
	p.reservationsEnd.Do(func() {
		warning = []string{"The broker's database alone counts, and it does not know the names of Shoots: " +
			"the place of a claim with a cluster name is reserved for an hour from the claim on. " +
			"A cluster that comes later can carry its account over the limit."}
	})
	return warning
}

// Release ends a claim: nothing is marked or freed while a cluster uses the account, and a fence keeps new clusters away
// between the last count and the mark. Whatever a crash leaves behind, the same call finishes.
//
// Where every user of the account is a Shoot that is being deleted, Release waits for that, until shortly before the deadline
// of the context; without a deadline it does not wait. There is no fence meanwhile: one that an earlier call has left is taken down.
// A read that gets no answer ends the release before the first pause, and none of the wait.
//
// Errors: [account.InUseError], [protocol.ReturnRefusedError], [protocol.OwnerError], [protocol.OtherStateError],
// [account.UnreadableRecordError], [TimeoutError], [WaitError], those of [Store] and [Counter]; after an error the claim is recorded as
// before, at worst with the fence still up ([protocol.FenceLeftError]), which the next call takes on.
func (p *Pool) Release(ctx context.Context, req protocol.ReleaseRequest) (protocol.Outcome, error) {
	op := newOperation(ctx)
	defer op.end()
	defer p.cache.releasing()()
	if req.Mode != account.Keep {
		defer p.crowd.enters()()
	}
	r := protocol.NewReleasing(req)
	if err := p.engine(op, req.Identity.GlobalAccount, req.Grace, req.Tell).run(r); err != nil {
		return "", op.result(err)
	}
	outcome, others := r.Ended()
	if len(others) > 0 && req.Kept != nil {
		req.Kept(others)
	}
	return outcome, nil
}

// Update rewrites the claim's record. A claim that has none yet (the account was held before it was imported) gets
// one. A shared account is never written. An account that no tenant holds any more is taken back by a list as fresh as one
// by which a claim takes a free account, and the [Status] names what else the tenant holds by then: the same account comes
// first (F7), also where another claim, or the broker, has got the tenant a second one meanwhile.
//
// Errors: those of [Store]; [protocol.OwnerError], [account.TakenError], [protocol.UnusableError], [protocol.ElsewhereError],
// [protocol.NewerRecordError], [account.NotFoundError], [account.ConflictError], [account.BusyError], [TimeoutError].
func (p *Pool) Update(ctx context.Context, req protocol.UpdateRequest) (Status, error) {
	op := newOperation(ctx)
	defer op.end()
	u := protocol.NewUpdating(req)
	if err := p.engine(op, req.Identity.GlobalAccount, 0, nil).run(u); err != nil {
		return Status{}, op.result(err)
	}
	return p.status(u.Written(), req.Identity.GlobalAccount, account.ParseTarget(req.Identity.Pool), req.Identity.Name), nil
}

// Move takes a claim to another binding of its cloud account: one of the pool's kind where the pool was of another kind when the claim was
// made, or one that the claim names. Nothing is marked, and the old binding keeps the label of the Global Account. Whatever a crash leaves
// behind, the same call finishes.
//
// Errors: [protocol.MoveError], [protocol.HalfMovedError]; those of [Pool.Update], [protocol.ElsewhereError] left aside.
func (p *Pool) Move(ctx context.Context, req protocol.MoveRequest) (Status, error) {
	op := newOperation(ctx)
	defer op.end()
	m := protocol.NewMoving(req)
	if err := p.engine(op, req.Identity.GlobalAccount, 0, nil).run(m); err != nil {
		return Status{}, op.result(err)
	}
	return p.status(m.Moved(), req.Identity.GlobalAccount, account.ParseTarget(req.Identity.Pool), req.Identity.Name), nil
}

// Exists reads whether there is an account of a name.
func (p *Pool) Exists(ctx context.Context, accountName string) (bool, error) {
	err := account.NoAccount(accountName)
	if err == nil {
		_, err = p.read(ctx, accountName)
	}
	if errors.As(err, new(*account.NotFoundError)) {
		return false, nil
	}
	return err == nil, err
}

// Destination says which account a move would take a claim to. It never writes.
//
// Errors: as [Pool.Move].
func (p *Pool) Destination(ctx context.Context, req protocol.MoveRequest) (account.Account, error) {
	notBefore := time.Now().Add(-protocol.MaxFreeAge)
	s, err := p.cache.recentList(ctx)
	if err != nil {
		return account.Account{}, err
	}
	to, err := p.destination(ctx, s, req)
	if refused, is := errors.AsType[*protocol.MoveError](err); !is || refused.Known > 0 || !s.Listed.Before(notBefore) {
		return to, err
	}
	if err := p.cache.relist(ctx, notBefore); err != nil { // that a cloud account has no binding is not believed of an older list
		return account.Account{}, err
	}
	return p.destination(ctx, p.cache.snapshot(), req)
}

func (p *Pool) destination(ctx context.Context, s *protocol.Snapshot, req protocol.MoveRequest) (account.Account, error) {
	from := s.Account(req.Account)
	if from == nil { // a Secret is in no list
		read, err := p.read(ctx, req.Account)
		switch {
		case err == nil:
			from = &read
		case !errors.As(err, new(*account.NotFoundError)):
			return account.Account{}, err
		}
	}
	to, err := protocol.NewMoving(req).Destination(s, from)
	if err != nil {
		return account.Account{}, err
	}
	return *to, nil
}
