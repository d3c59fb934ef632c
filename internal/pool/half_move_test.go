package pool

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// What an interrupted move leaves: the record of the claim on two bindings of one cloud account, or still on the old one.

// A record that an interrupted move has left on another binding goes with the claim, or the release is refused: it would keep the account
// for a claim that is gone.
func TestReleaseAfterAHalfMove(t *testing.T) {
	t.Parallel()
	own, held := bearing("ga-1", "first", newly), heldBy("ga-1")
	parallel(t, "from a binding of another kind", func(t *testing.T) {
		w := newWorld(t, old(held, own), anAccount("a", held, own))
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
		equal(t, "outcome", outcome, protocol.OutcomeDirtied)
		equal(t, "error", err, nil)
		equal(t, "bearers", len(w.bearers(identity("ga-1", "first").Key())), 0)
		equal(t, "dirt", []account.Dirt{w.at("a").Dirty, w.at("SecretBinding a").Dirty}, []account.Dirt{account.Dirtied, account.Dirtied})
	})
	for name, test := range map[string]struct {
		with    func(*account.Account)
		mode    account.Mode
		outcome protocol.Outcome
	}{
		"the account is kept for another claim": {bearing("ga-1", "second"), account.MarkDirty, protocol.OutcomeKept},
		"the account is internal":               {func(a *account.Account) { a.Internal = true }, account.MarkDirty, protocol.OutcomeInternal},
		"the account is dirty already":          {dirty(account.Dirtied), account.MarkDirty, protocol.OutcomeAlreadyDirty},
		"the claim leaves it (keep)":            {func(*account.Account) {}, account.Keep, protocol.OutcomeKept},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, old(held, own), anAccount("a", held, own, test.with))
			outcome, err := w.release(w.pool(), "ga-1", "first", "a", test.mode)
			equal(t, "outcome", outcome, test.outcome)
			equal(t, "error", err, nil)
			equal(t, "bearers", len(w.bearers(identity("ga-1", "first").Key())), 0)
		})
	}
	parallel(t, "nothing is written before it is refused", func(t *testing.T) {
		w := newWorld(t, old(held, own), anAccount("a", held, own))
		_, err := w.release(w.pool(), "ga-1", "first", "a", account.ReturnToPool)
		equal(t, "is refused", isA[*protocol.ReturnRefusedError](err), true)
		w.wantWrites(t)
	})
	parallel(t, "the other binding has lost its label", func(t *testing.T) {
		untyped := anAccount("b", withSecret("secret-a"), held, own, func(a *account.Account) { a.HyperscalerType, a.Sibling = "", true })
		w := newWorld(t, anAccount("a", held, own), untyped)
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
		equal(t, "outcome", outcome, protocol.OutcomeDirtied)
		equal(t, "error", err, nil)
	})
	parallel(t, "the record there is another owner's", func(t *testing.T) {
		w := newWorld(t, old(held, bearing("ga-1", "first", ownedBy("colleague"))), anAccount("a", held, own))
		_, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
		equal(t, "is an OwnerError", isA[*protocol.OwnerError](err), true)
		w.wantWrites(t)
	})
	parallel(t, "between two accounts", func(t *testing.T) {
		w := newWorld(t, anAccount("a", held, own), anAccount("b", withSecret("secret-a"), held, own))
		_, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
		equal(t, "is an UnfinishedMoveError", isA[*protocol.UnfinishedMoveError](err), true)
		w.wantWrites(t)
	})
	parallel(t, "and a move to a third one", func(t *testing.T) {
		w := newWorld(t, old(held, own), anAccount("a", held, own), anAccount("b", withSecret("secret-a"), held)) // it was on its way to a
		r := w.moveOf(func(r *protocol.MoveRequest) { r.To = "b" })
		s, err := w.pool().Move(t.Context(), r)
		equal(t, "error", err, nil)
		equal(t, "on", s.Account.Name, "b")
		equal(t, "bearers", w.bearers(r.Identity.Key()), []string{"b"})
	})
}

// A release that waits for its turn takes the record along, too: the account is kept for the claims of others alone.
func TestReleaseAfterAHalfMove_thatWaits(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		own, held := bearing("ga-1", "first", newly), heldBy("ga-1")
		w := newWorld(t, old(held, own), anAccount("a", held, own, bearing("ga-1", "second")))
		p := w.pool()
		busyFrom(p, 0, time.Minute)
		time.Sleep(time.Second)
		outcome, err := p.Release(t.Context(), w.releaseOf("ga-1", "first", "a", account.MarkDirty))
		equal(t, "outcome, error", []any{outcome, err}, []any{protocol.OutcomeKept, nil})
		equal(t, "bearers", len(w.bearers(identity("ga-1", "first").Key())), 0)
		outcome, err = w.release(w.pool(), "ga-1", "second", "a", account.MarkDirty)
		equal(t, "outcome, error of the last", []any{outcome, err}, []any{protocol.OutcomeDirtied, nil})
	})
}

// Where the account is not given back a release takes the record off each binding that bears it, and leaves that of another owner.
func TestReleaseAfterAHalfMove_betweenAccounts(t *testing.T) {
	t.Parallel()
	own, held := bearing("ga-1", "first", newly), heldBy("ga-1")
	for name, test := range map[string]struct {
		with func(*account.Account)
		mode account.Mode
	}{
		"kept for another claim": {bearing("ga-1", "second"), account.MarkDirty},
		"internal":               {internal, account.MarkDirty},
		"dirty already":          {dirty(account.Dirtied), account.MarkDirty},
		"kept (keep)":            {func(*account.Account) {}, account.Keep},
	} {
		parallel(t, name, func(t *testing.T) {
			theirs := anAccount("d", withSecret("secret-a"), held, bearing("ga-1", "first", ownedBy("colleague")))
			w := newWorld(t, old(held, own), anAccount("a", held, own, test.with), anAccount("b", withSecret("secret-a"), held, own), theirs)
			_, err := w.release(w.pool(), "ga-1", "first", "a", test.mode)
			equal(t, "error", err, nil)
			equal(t, "bearers", w.bearers(identity("ga-1", "first").Key()), []string{"d"})
		})
	}
}

// A move that was interrupted before its first write has left the record on the old binding alone. The release does not end as if it were
// gone.
func TestReleaseBeforeAMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old(heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("a", heldBy("ga-1")))
	req := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
	req.Owner, req.ClaimedAt, req.Recorded, req.Lost = "pipeline", longAgo, true, true
	_, err := w.pool().Release(t.Context(), req)
	equal(t, "it is there", as[*protocol.UnfinishedMoveError](t, err).There, true)
	w.wantWrites(t)
}

// A release that is refused after such a write says so.
func TestReleaseAfterAHalfMove_refusedThen(t *testing.T) {
	t.Parallel()
	own, held := bearing("ga-1", "first", newly), heldBy("ga-1")
	w := newWorld(t, old(held, own), anAccount("a", held, own))
	w.refuses = map[string]error{"a": &account.ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: namespace, Err: errCut}}
	_, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
	equal(t, "taken from", as[*protocol.RecordTakenError](t, err).From, "SecretBinding a")
	equal(t, "is forbidden", isA[*account.ForbiddenError](err), true)
}

// A move that has labelled its new binding before another Global Account was seen in the cloud account says which one.
func TestMove_intruderAfterTheWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old(heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("a"))
	r := w.moveOf()
	w.on("write", 1, fault{after: func() { w.edit("SecretBinding a", lost) }})
	_, err := w.pool().Move(t.Context(), r)
	equal(t, "labelled", as[*protocol.MoveCutError](t, err).Labelled, "a")
}

// A claim whose new binding lacks the label of the Global Account is imported by that binding, as the error of a claim says.
func TestFind_bindingWithoutALabel(t *testing.T) {
	t.Parallel()
	record := bearing("ga-1", "first", newly)
	w := newWorld(t, old(heldBy("ga-1"), record), anAccount("a"), anAccount("b"))
	_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
	equal(t, "accounts", as[*protocol.OtherBindingError](t, err).Accounts, []string{"a"})
	s, _, err := w.pool().Find(t.Context(), "ga-1", "a", "first")
	equal(t, "error", err, nil)
	equal(t, "from", s.From.Name, "SecretBinding a")
	for name, find := range map[string]func() error{
		"another claim":          func() error { _, _, err := w.pool().Find(t.Context(), "ga-1", "a", "second"); return err },
		"another Global Account": func() error { _, _, err := w.pool().Find(t.Context(), "ga-2", "a", "first"); return err },
		"another account":        func() error { _, _, err := w.pool().Find(t.Context(), "ga-1", "b", "first"); return err },
	} {
		equal(t, name+" is refused", isA[*account.TakenError](find()), true)
	}
}

// That a cloud account has no binding any more is not believed of a list from before.
func TestDestination_bindingMadeSince(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		was := old(heldBy("ga-1"), bearing("ga-1", "first", newly))
		w := newWorld(t, was, anAccount("z"))
		p, r := w.pool(), w.moveOf()
		w.remove("SecretBinding a")
		w.claim(t, p, request("ga-9", "other", pinnedTo("z"))) // there is a list
		time.Sleep(10 * time.Second)
		w.create(anAccount("a", heldBy("ga-1")))
		at, err := p.Destination(t.Context(), r)
		equal(t, "account, error", []any{at.Name, err}, []any{"a", nil})
	})
}
