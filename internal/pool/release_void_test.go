package pool

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// F31: the tenant of a claim has lost the account, and the claim's record lies there, void. Its release takes the record
// away, also from the account of another tenant, so that it does not come alive should the same tenant be given the account once more:
// no state would be left to end that claim.

// void is a world with an account that no tenant holds, on which the claim first of ga-1 has left its record.
func void(t *testing.T, changes ...func(*Account)) *world {
	t.Helper()
	return newWorld(t, account("a", append([]func(*Account){bearing("ga-1", "first", newly)}, changes...)...))
}

// ofFirst is the release of that claim.
func ofFirst(mode Mode) ReleaseRequest {
	return ReleaseRequest{Identity: identity("ga-1", "first"), Account: "a", UID: uidOfA, Mode: mode, Owner: "pipeline", ClaimedAt: longAgo,
		Grace: grace}
}

func modes() []Mode { return []Mode{MarkDirty, ReturnToPool, Keep} }

func TestReleaseTakesItsVoidRecordAway(t *testing.T) {
	t.Parallel()
	const gone = "a -first"
	for name, test := range map[string]struct {
		changes []func(*Account)
		change  func(r *ReleaseRequest)
		outcome Outcome
		writes  []string
	}{
		"alone": {nil, nil, OutcomeNotHeld, []string{gone}},
		"beside void records of others": {[]func(*Account){bearing("ga-1", "second"), bearing("ga-2", "first")}, nil, OutcomeNotHeld,
			[]string{gone}},
		"in a later format": {[]func(*Account){bearing("ga-1", "first", ofLaterFormat)}, nil, OutcomeNotHeld, []string{gone}},
		"with the note of a fence": {[]func(*Account){bearing("ga-1", "first", fencedSince(longAgo))}, nil, OutcomeNotHeld,
			[]string{gone}},
		"by another owner":                {[]func(*Account){bearing("ga-1", "first", ownedBy("colleague"))}, nil, OutcomeNotHeld, nil},
		"by an owner, not named any more": {nil, func(r *ReleaseRequest) { r.Owner = "" }, OutcomeNotHeld, nil},
		"made anew under the same name":   {nil, func(r *ReleaseRequest) { r.UID = "uid-0" }, OutcomeNotHeld, nil},
		"of the tenant's other claim":     {nil, func(r *ReleaseRequest) { r.Identity.Name = "second" }, OutcomeNotHeld, nil},
		"of a claim on another pool":      {nil, func(r *ReleaseRequest) { r.Identity.Pool = "aws,euAccess" }, OutcomeNotHeld, nil},
		"of another tenant's claim":       {nil, func(r *ReleaseRequest) { r.Identity.GlobalAccount = "ga-2" }, OutcomeNotHeld, nil},
		"made anew since":                 {nil, func(r *ReleaseRequest) { r.ClaimedAt = longAgo.Add(time.Second) }, OutcomeNotHeld, nil},
		"of a state without its time":     {nil, func(r *ReleaseRequest) { r.ClaimedAt = time.Time{} }, OutcomeNotHeld, nil},
		"on a foreign account":            {[]func(*Account){heldBy("ga-2")}, nil, OutcomeNotHeld, []string{gone}},
		"beside a claim of its tenant":    {[]func(*Account){heldBy("ga-2"), bearing("ga-2", "first")}, nil, OutcomeNotHeld, []string{gone}},
		"on a foreign account, fenced":    {[]func(*Account){heldBy("ga-2"), dirty(Releasing)}, nil, OutcomeNotHeld, []string{gone}},
		"on a foreign internal account":   {[]func(*Account){heldBy("ga-2"), internal}, nil, OutcomeNotHeld, []string{gone}},
		"on a dirty account":              {[]func(*Account){dirty(Dirtied)}, nil, OutcomeNotHeld, []string{gone}},
		"on one that is dirty in words":   {[]func(*Account){dirty("maybe")}, nil, OutcomeNotHeld, []string{gone}},
		"on a fenced account":             {[]func(*Account){dirty(Releasing)}, nil, OutcomeNotHeld, []string{gone}},
		"on an account that is deleted":   {[]func(*Account){terminating}, nil, OutcomeNotHeld, []string{gone}},
		"on a shared account":             {[]func(*Account){shared}, nil, OutcomeShared, nil},
		"on an account in another pool":   {[]func(*Account){func(a *Account) { a.EUAccess = true }}, nil, OutcomeNotHeld, []string{gone}},
	} {
		for _, mode := range modes() {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				w := void(t, test.changes...)
				before := w.at("a")
				req := ofFirst(mode)
				if test.change != nil {
					test.change(&req)
				}
				outcome, err := w.pool().Release(t.Context(), req)
				equal(t, "outcome", []any{outcome, err}, []any{test.outcome, nil})
				w.wantWrites(t, test.writes...)
				equal(t, "write calls", w.called("write"), len(test.writes))
				equal(t, "looks for users", w.counter.called("users"), 0)
				after := w.at("a")
				if test.writes != nil {
					delete(before.Records, identity("ga-1", "first").Key())
					before.Version = after.Version
				}
				equal(t, "account", after, before)
			})
		}
	}
}

// A free account that has a cluster left on it is written all the same: the record says nothing about it.
func TestVoidRecordGoesAlthoughClustersAreThere(t *testing.T) {
	t.Parallel()
	w := void(t)
	w.counter.fill("a", 2)
	outcome, err := w.pool().Release(t.Context(), ofFirst(MarkDirty))
	equal(t, "outcome", []any{outcome, err}, []any{OutcomeNotHeld, nil})
	w.wantWrites(t, "a -first")
}

// The record that is gone does not come alive: the tenant's next claim on the account is the only one there, and ends it.
func TestVoidRecordDoesNotComeAlive(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]func(t *testing.T, w *world){
		"the broker gives it to the tenant": func(_ *testing.T, w *world) { w.edit("a", heldBy("ga-1")); w.edit("a", bearing("ga-1", "second")) },
		"the tenant claims it anew": func(t *testing.T, w *world) {
			t.Helper()
			w.claim(t, w.pool(), request("ga-1", "second"))
		},
	} {
		for _, mode := range modes() {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, account("a"))
				w.claim(t, w.pool(), request("ga-1", "first"))
				w.edit("a", stripped)
				req := ofFirst(mode)
				req.ClaimedAt = w.recordsOfA()["ga-1/first"].ClaimedAt
				outcome, err := w.pool().Release(t.Context(), req)
				equal(t, "release", []any{outcome, err}, []any{OutcomeNotHeld, nil})
				given(t, w)
				equal(t, "claims", ptr(w.at("a")).Claims(), []string{identity("ga-1", "second").Key()})
				s, err := w.pool().Inspect(t.Context(), "ga-1", aws, "first", "a", uidOfA)
				equal(t, "first is recorded", []any{s.Recorded, err}, []any{false, nil})
				outcome, err = w.release(w.pool(), "ga-1", "second", "a", MarkDirty)
				equal(t, "release of the second", []any{outcome, err}, []any{OutcomeDirtied, nil})
			})
		}
	}
}

// What happens at the one write: whatever it is, the same release made once more writes nothing twice, and no record is
// left that could come alive.
func TestVoidRecordMeetsTrouble(t *testing.T) {
	t.Parallel()
	const gone = "a -first"
	for _, trouble := range troubles() {
		for _, mode := range modes() {
			t.Run(trouble.name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				w := void(t)
				w.on("write", 1, trouble.fault(w))
				if trouble.dies {
					dying(t, func() { _, _ = w.pool().Release(context.Background(), ofFirst(mode)) })
				} else {
					outcome, err := w.pool().Release(t.Context(), ofFirst(mode))
					equal(t, "outcome", []any{outcome, err}, []any{OutcomeNotHeld, nil})
				}
				if trouble.late {
					w.deliver()
				}
				sent := w.called("write")
				outcome, err := w.pool().Release(t.Context(), ofFirst(mode))
				equal(t, "the next process", []any{outcome, err}, []any{OutcomeNotHeld, nil})
				if w.at("a").Name == "" { // it is gone, and its records with it
					w.wantWrites(t)
					return
				}
				w.wantWrites(t, gone)
				_, left := w.at("a").Records[identity("ga-1", "first").Key()]
				equal(t, "record left", left, false)
				if !trouble.dies {
					equal(t, "write calls of the next process", w.called("write"), sent)
				}
			})
		}
	}
}

// The tenant gets the account again between the look and the write: the record has come alive, and is released as any.
func TestVoidRecordComesAliveBeforeItIsTaken(t *testing.T) {
	t.Parallel()
	for mode, want := range map[Mode]struct {
		outcome Outcome
		writes  []string
	}{
		MarkDirty:    {OutcomeDirtied, []string{"a dirty=releasing +first", "a dirty=true -first"}},
		ReturnToPool: {OutcomeReturned, []string{"a dirty=releasing +first", "a tenant= dirty=clean -first"}},
		Keep:         {OutcomeKept, []string{"a -first"}},
	} {
		for _, lost := range []loss{delivered, lostBefore} {
			t.Run(fmt.Sprintf("%s, lost %d", mode, lost), func(t *testing.T) {
				t.Parallel()
				w := void(t)
				again := func() { w.edit("a", heldBy("ga-1")) }
				f := fault{lost: lost, before: again}
				if lost == lostBefore {
					f = fault{lost: lost, after: again}
				}
				w.on("write", 1, f)
				req := ofFirst(mode)
				req.Grace = 0
				outcome, err := w.pool().Release(t.Context(), req)
				equal(t, "outcome", []any{outcome, err}, []any{want.outcome, nil})
				w.wantWrites(t, want.writes...)
			})
		}
	}
}

// A user who may not write learns it, and the claim is not reported as ended.
func TestVoidRecordThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	w := void(t)
	refusal := &ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Err: errCut}
	w.on("write", 1, fault{answer: refusal})
	_, err := w.pool().Release(t.Context(), ofFirst(MarkDirty))
	equal(t, "error", as[*ForbiddenError](t, err), refusal)
	outcome, err := w.pool().Release(t.Context(), ofFirst(MarkDirty))
	equal(t, "the next try", []any{outcome, err}, []any{OutcomeNotHeld, nil})
}
