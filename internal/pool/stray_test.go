package pool

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// The answer to a write on a held account is lost, and before the account is read again the tenant's time there has ended:
// the record is there still, and says nothing. It goes before the claim goes elsewhere: the broker, or a process that does not see
// the claim there yet, may give the account to the tenant once more.
func TestRecordOnAnAccountThatIsLostIsNoClaim(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record []func(*Account) // what stands before
		now    func(*Account)
	}{
		"reuse, freed":         {nil, stripped},
		"reuse, another's":     {nil, heldBy("ga-2")},
		"taken up, another's":  {[]func(*Account){bearing("ga-1", "first")}, heldBy("ga-2")},
		"taken up, and freed ": {[]func(*Account){bearing("ga-1", "first")}, stripped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", append(test.record, heldBy("ga-1"))...), account("b"))
			w.on("write", 1, fault{lost: lostAfter, after: func() { w.edit("a", test.now) }})
			claim := w.claim(t, w.pool(), request("ga-1", "first", reserving("blue")))
			equal(t, "name in the record", claim.Record.Name, "first")
			equal(t, "tenant", claim.Account.Tenant, "ga-1")
			equal(t, "accounts of the claim", w.bearers(identity("ga-1", "first").Key()), []string{claim.Account.Name})
			w.edit("a", heldBy("ga-1"))
			equal(t, "accounts of the claim, when the tenant has all", w.bearers(identity("ga-1", "first").Key()), []string{claim.Account.Name})
		})
	}
}

// What happens at the write that takes the record away: either the record is gone and the claim stands elsewhere, or the error
// says that a write may have taken effect, also for a claim that waits.
func TestRecordOnAnAccountThatIsLostMeetsTrouble(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		trouble fault
		fails   bool
		writes  int // calls
	}{
		"none":                      {fault{}, false, 3},
		"it is lost on the way":     {fault{lost: lostBefore}, false, 4},
		"its answer is lost":        {fault{lost: lostAfter}, false, 3},
		"the server is unreachable": {fault{answer: &UnreachableError{Verb: "patch", Err: errCut}}, true, 2},
		"it is forbidden":           {fault{answer: &ForbiddenError{Verb: "patch"}}, true, 2},
	} {
		for _, wait := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, waits: %t", name, wait), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, account("a", heldBy("ga-1")), account("b"))
				w.on("write", 1, fault{lost: lostAfter, after: func() { w.edit("a", heldBy("ga-2")) }})
				w.on("write", 2, test.trouble)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				claim, err := w.pool().Claim(ctx, request("ga-1", "first", func(r *ClaimRequest) { r.Wait = wait }))
				equal(t, "write calls", w.called("write"), test.writes)
				if test.fails {
					wantError[*UnknownOutcomeError](t, err)
					return
				}
				equal(t, "error, account", []any{err, claim.Account.Name}, []any{nil, "b"})
				w.edit("a", heldBy("ga-1"))
				equal(t, "accounts of the claim", w.bearers(identity("ga-1", "first").Key()), []string{"b"})
			})
		}
	}
}

// The pool's owner shares the account meanwhile: nothing is written there.
func TestRecordOnAnAccountThatIsSharedStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")), account("b"))
	w.on("write", 1, fault{lost: lostAfter, after: func() { w.edit("a", func(a *Account) { a.Tenant, a.Shared = "", true }) }})
	claim := w.claim(t, w.pool(), request("ga-1", "first"))
	equal(t, "account", claim.Account.Name, "b")
	equal(t, "write calls", w.called("write"), 2)
}

// A claim takes its account back, the answer is lost, and another tenant gets the account: the record that this has left goes.
func TestRecordOfAReclaimThatIsLostGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", bearing("ga-1", "first")))
	w.on("write", 1, fault{lost: lostAfter, after: func() { w.edit("a", heldBy("ga-2")) }})
	_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim, r.Owner = true, "pipeline" }))
	equal(t, "tenant", as[*TakenError](t, err).Tenant, "ga-2")
	w.edit("a", heldBy("ga-1"))
	equal(t, "accounts of the claim", len(w.bearers(identity("ga-1", "first").Key())), 0)
}

// The account comes back to the tenant before the record can be taken away: the claim has it again.
func TestRecordOfAReclaimThatIsLostComesAlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", bearing("ga-1", "first")))
	w.on("write", 1, fault{lost: lostAfter, after: func() { w.edit("a", heldBy("ga-2")) }})
	w.on("write", 2, fault{before: func() { w.edit("a", heldBy("ga-1")) }})
	_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
	equal(t, "error", err, nil)
	equal(t, "accounts of the claim", w.bearers(identity("ga-1", "first").Key()), []string{"a"})
	equal(t, "writes that took effect", len(w.wrote()), 1)
}

// The account comes back to the tenant before the record can be taken away: the claim stands there, and nowhere else.
func TestRecordOnAnAccountThatIsLostComesAliveBeforeItIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")), account("b"))
	w.on("write", 1, fault{lost: lostAfter, after: func() { w.edit("a", stripped) }})
	w.on("write", 2, fault{before: func() { w.edit("a", heldBy("ga-1")) }})
	claim := w.claim(t, w.pool(), request("ga-1", "first"))
	equal(t, "account", claim.Account.Name, "a")
	equal(t, "accounts of the claim", w.bearers(identity("ga-1", "first").Key()), []string{"a"})
	equal(t, "writes that took effect", len(w.wrote()), 1)
}
