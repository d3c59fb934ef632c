package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A shared account is gone for its grace time when its removal returns: no label keeps the broker from it, and under its name a
// tenant's account may be made at once.
func TestRemovalOfASharedAccountTakesItsGraceTime(t *testing.T) {
	t.Parallel()
	const grace = time.Minute
	for name, test := range map[string]struct {
		account []func(*Account)
		kept    time.Duration // something keeps the object for so long
		lost    loss
		secret  bool // the account is an object of the user's
		want    time.Duration
	}{
		"shared":                   {account: []func(*Account){shared}, want: grace},
		"shared, kept":             {account: []func(*Account){shared}, kept: 3 * time.Second, want: grace + 3*time.Second},
		"shared, its answer lost":  {account: []func(*Account){shared}, lost: lostAfter, want: grace},
		"shared, a Secret":         {account: []func(*Account){shared}, secret: true, want: grace},
		"shared, being deleted":    {account: []func(*Account){shared, terminating}, kept: time.Second, want: grace + time.Second},
		"of no tenant":             {},
		"of no tenant, quarantine": {account: []func(*Account){quarantined(Quarantined)}},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", test.account...))
			w.labelled = test.secret
			if test.kept > 0 {
				w.kept = map[string]bool{"a": true}
				time.AfterFunc(test.kept, func() { w.remove("a") })
			}
			w.on("delete", 1, fault{lost: test.lost})
			began := time.Now()
			err := w.pool().Remove(t.Context(), RemoveRequest{Name: "a", UID: w.at("a").UID, Grace: grace})
			equal(t, "error", err, nil)
			took := time.Since(began)
			if took < test.want || took > test.want+maxGonePoll {
				t.Errorf("it took %s, want %s", took, test.want)
			}
		})
	}
}

// The wait can be interrupted, and holds no lock: the account is gone then, and the error says so.
func TestGraceTimeOfASharedAccountIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", shared), account("b"))
		p := w.pool()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, func() {
			w.claim(t, p, request("ga-1", "first"))
			cancel()
		})
		err := p.Remove(ctx, RemoveRequest{Name: "a", UID: w.at("a").UID, Grace: time.Minute})
		wantError[*TimeoutError](t, err)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		equal(t, "there", w.at("a").Name, "")
	})
}

// What stands against a removal is said of the last list and count alone.
func TestMayRemove(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account  []func(*Account)
		clusters int
		alone    bool
		refusal  Obstacle
		unwiped  bool
	}{
		"free":            {},
		"held":            {account: []func(*Account){heldBy("ga-1")}, refusal: ObstacleTenant},
		"claimed":         {account: []func(*Account){heldBy("ga-1"), bearing("ga-1", "first")}, refusal: ObstacleClaims},
		"releasing":       {account: []func(*Account){heldBy("ga-1"), dirty(Releasing)}, refusal: ObstacleReleasing},
		"used":            {clusters: 2, refusal: ObstacleClusters},
		"dirty, replaced": {account: []func(*Account){dirty(Dirtied)}, refusal: ObstacleDirty},
		"dirty":           {account: []func(*Account){dirty(Dirtied)}, alone: true, unwiped: true},
		"dirty, held":     {account: []func(*Account){dirty(Dirtied), heldBy("ga-1")}, alone: true, unwiped: true},
		"quarantined":     {account: []func(*Account){quarantined(Quarantined)}, alone: true},
		"being deleted":   {account: []func(*Account){heldBy("ga-1"), terminating}},
		"shared, used":    {account: []func(*Account){shared}, clusters: 1, refusal: ObstacleClusters},
		"shared, no more": {account: []func(*Account){shared}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", test.account...))
			w.counter.fill("a", test.clusters)
			p := w.pool()
			unwiped := false
			req := RemoveRequest{Name: "a", UID: w.at("a").UID, Alone: test.alone, Unwiped: func(Account) { unwiped = true }}
			err := p.MayRemove(t.Context(), req)
			equal(t, "leaves unwiped", unwiped, test.unwiped)
			if test.refusal == "" {
				equal(t, "error", err, nil)
			} else {
				refused := as[*SupplyError](t, err)
				equal(t, "refused", []any{refused.Obstacle, refused.Counted}, []any{test.refusal, test.clusters})
			}
			equal(t, "of another object", p.MayRemove(t.Context(), RemoveRequest{Name: "a", UID: "uid-0"}), nil)
			equal(t, "requests", []int{w.called("list"), w.called("get"), w.counter.called("count"), w.counter.called("users")}, []int{1, 0, 1, 0})
			w.wantWrites(t)
		})
	}
}

// A quarantine only hides the account. It is set while clusters cannot be counted, and given up when they are.
func TestQuarantineNeedsNoCount(t *testing.T) {
	t.Parallel()
	down := &UnreachableError{Verb: "list", Resource: "shoots", Err: errCut}
	w := newWorld(t, account("a"))
	w.counter.storm = func(string) fault { return fault{answer: down} }
	p, req := w.pool(), AmendRequest{Supply: supplyOf(aside), UID: w.at("a").UID}
	s, err := p.Supplied(t.Context(), "a", req.UID)
	equal(t, "refresh", []any{s.Class, s.Uncounted, err}, []any{ClassFree, error(down), nil})
	equal(t, "plan", p.MayAmend(t.Context(), req), nil)
	s, err = p.Amend(t.Context(), req)
	equal(t, "apply", []any{s.Class, s.Uncounted, err}, []any{ClassQuarantined, error(down), nil})
	w.wantWrites(t, "a dirty=quarantine quarantine=why")

	req.Supply = supplyOf()
	_, err = p.Amend(t.Context(), req)
	equal(t, "given up", as[*UnreachableError](t, err), down)
	req.Supply = supplyOf(aside, asEU)
	_, err = p.Amend(t.Context(), req)
	equal(t, "moved too", as[*UnreachableError](t, err), down)
	w.wantWrites(t, "a dirty=quarantine quarantine=why")
	w.counter.storm = nil
	req.Supply = supplyOf()
	equal(t, "counted", errorOf(p.Amend(t.Context(), req)), nil)
}

// An object that is being deleted is not told to be imported, and one that was made anew is not told to be gone.
func TestObjectsThatGoAndComeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", terminating))
	for what, err := range map[string]error{
		"plan": w.pool().MayAdd(t.Context(), supplyOf(), ""), "apply": errorOf(w.pool().Add(t.Context(), supplyOf())),
	} {
		equal(t, what, as[*ExistsError](t, err).Deleting, true)
	}
	old := w.at("a").UID
	w.remove("a")
	w.create(account("a"))
	anew := &NotFoundError{Account: "a", Anew: w.at("a").UID}
	_, err := w.pool().Supplied(t.Context(), "a", old)
	equal(t, "refresh", as[*NotFoundError](t, err), anew)
	equal(t, "change", as[*NotFoundError](t, errorOf(w.pool().Amend(t.Context(), AmendRequest{Supply: supplyOf(asEU), UID: old}))), anew)
	equal(t, "removal", as[*NotFoundError](t, w.pool().Remove(t.Context(), RemoveRequest{Name: "a", UID: old})), anew)
	w.wantWrites(t)
}
