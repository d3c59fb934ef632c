package pool

import (
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
			parallel(t, name+"/"+string(mode), func(t *testing.T) {
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
