package pool

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// coolsFor leaves accounts that came back alone for so long.
func coolsFor(d time.Duration) account.Policy { return account.Policy{MinFreeTime: d} }

// lastHeld is an account that was held last so long ago.
func lastHeld(ago time.Duration) func(*account.Account) {
	return func(a *account.Account) { a.LastHeld = time.Now().Add(-ago) }
}

// A release notes when it gave the account back, or marked it, whatever the settings of its own run are: those of the run that claims count.
func TestReleaseNotesWhenTheAccountWasHeldLast(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode  account.Mode
		state func(*account.Account)
		notes bool
	}{
		"marked":                {account.MarkDirty, func(*account.Account) {}, true},
		"given back":            {account.ReturnToPool, func(*account.Account) {}, true},
		"marked by the broker":  {account.MarkDirty, dirty(account.Dirtied), true},
		"kept":                  {account.Keep, func(*account.Account) {}, false},
		"kept for another":      {account.MarkDirty, bearing("ga-1", "second"), false},
		"internal":              {account.MarkDirty, func(a *account.Account) { a.Internal = true }, false},
		"free, and not its own": {account.MarkDirty, stripped, false},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly), test.state))
			req := w.releaseOf("ga-1", "first", "a", test.mode)
			req.Grace = time.Minute
			began := time.Now()
			_, err := w.pool().Release(t.Context(), req)
			equal(t, "error", err, nil)
			at := w.at("a").LastHeld
			if test.notes != !at.IsZero() || test.notes && (at.Before(began.Truncate(time.Second)) || at.After(time.Now())) {
				t.Errorf("noted: %s, the release began at %s", at, began)
			}
		})
	}
}

// A claim that waits goes on in the moment in which the first account has cooled down, and not before; one that does not wait says when that is.
func TestClaimWaitsUntilAnAccountHasCooledDown(t *testing.T) {
	t.Parallel()
	virtual(t, "waits", func(t *testing.T) {
		start := time.Now().Truncate(time.Second)
		w := newWorld(t, anAccount("a", func(a *account.Account) { a.LastHeld = start }), anAccount("b", func(a *account.Account) { a.LastHeld = start.Add(-time.Minute) }))
		w.policy = coolsFor(30 * time.Minute)
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
		exhausted := as[*account.ExhaustedError](t, err)
		equal(t, "cooling, first", []any{exhausted.Tally[account.ClassCooling], exhausted.CoolsUntil}, []any{2, start.Add(29 * time.Minute)})
		equal(t, "writes", len(w.wrote()), 0)

		var reported []protocol.Progress
		claim, err := w.pool().Claim(within(t, time.Hour), request("ga-1", "first", waitingFor(&reported)))
		equal(t, "error, account", []any{err, claim.Account.Name}, []any{nil, "b"})
		equal(t, "at", time.Now().Truncate(time.Second), start.Add(29*time.Minute))
	})
	virtual(t, "gives up", func(t *testing.T) {
		w := newWorld(t, anAccount("a", func(a *account.Account) { a.LastHeld = time.Now() }))
		w.policy = coolsFor(2 * time.Hour)
		var reported []protocol.Progress
		_, err := w.pool().Claim(within(t, time.Hour), request("ga-1", "first", waitingFor(&reported)))
		if exhausted := as[*account.ExhaustedError](t, err); exhausted.Waited == 0 {
			t.Errorf("it says nothing of the wait: %v", err)
		}
		equal(t, "writes", len(w.wrote()), 0)
	})
}

// An account whose Global Account has lost it is taken back at once: it cools down for others.
func TestTakeBackDoesNotCoolDown(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		w := newWorld(t, anAccount("a", bearing("ga-1", "first"), func(a *account.Account) { a.LastHeld = time.Now() }))
		w.policy = coolsFor(time.Hour)
		_, err := w.pool().Claim(t.Context(), request("ga-2", "first"))
		equal(t, "another tenant", as[*account.ExhaustedError](t, err).Tally[account.ClassCooling], 1)
		claim, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
		equal(t, "error, account", []any{err, claim.Account.Name}, []any{nil, "a"})
	})
}
