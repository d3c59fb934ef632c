package pool

import (
	"errors"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// TestRelease goes through what can have become of the account of a claim, with each mode. The claim is "first" of
// ga-1 on a, which an owner has made; each row has what is written beside the outcome.
func TestRelease(t *testing.T) {
	t.Parallel()
	type ofAccount = []func(*account.Account)
	type want struct {
		outcome string // or the error's
		writes  []string
	}
	type row struct {
		name                string
		account             ofAccount
		change              func(*protocol.ReleaseRequest)
		mark, giveBack, end want // mark_dirty, return_to_pool, keep
	}
	held, foreign, fenced, marked := heldBy("ga-1"), heldBy("ga-2"), dirty(account.Releasing), dirty(account.Dirtied)
	own, ownNew, other := bearing("ga-1", "first"), bearing("ga-1", "first", newly), bearing("ga-1", "second")
	moved := func(a *account.Account) { a.EUAccess = true }
	dirtied := want{"dirtied", []string{"a dirty=releasing +first", "a dirty=true -first"}}
	returned := want{"returned", []string{"a dirty=releasing +first", "a tenant= dirty=clean -first"}}
	finished, freed := want{"dirtied", []string{"a dirty=true -first"}}, want{"returned", []string{"a tenant= dirty=clean -first"}}
	untouched := func(outcome string) want { return want{outcome, []string{}} }
	const leftBehind = string(protocol.OutcomeLeftBehind)
	dropped := func(outcome string) want { return want{outcome, []string{"a -first"}} }
	lowered := want{"kept", []string{"a dirty=clean -first"}}
	const notOurs = "account a was not taken from the pool by this claim, so it may not be clean"
	const used = "clusters have been on account a since this claim took it from the pool, or may have been, so it may not be clean"
	const colleagues = `claim "first" of Global Account ga-1 on pool aws is on account a since 2026-03-01T12:00:00Z, recorded by owner "colleague", not by owner "pipeline"`
	const others = `claim "first" of Global Account ga-1 on pool aws on account a was taken up by another state at 2026-03-01T12:00:00Z`
	const garbage = `the record of claim "first" of Global Account ga-1 on pool aws on account a cannot be read (annotation hap-project.io/` +
		`claim-68eb0a93551df6bbd663bd7650535ae0a7d18102)`
	var rows []row
	differ := func(name string, account ofAccount, mark, giveBack, end want, change ...func(*protocol.ReleaseRequest)) {
		rows = append(rows, row{name, account, append(change, func(*protocol.ReleaseRequest) {})[0], mark, giveBack, end})
	}
	same := func(name string, account ofAccount, want want, change ...func(*protocol.ReleaseRequest)) {
		differ(name, account, want, want, want, change...)
	}
	differ("the only claim", ofAccount{held, own}, dirtied, untouched(notOurs), dropped("kept"))
	differ("the only claim, newly claimed", ofAccount{held, ownNew}, dirtied, returned, dropped("kept"))
	differ("the same, and it was used", ofAccount{held, ownNew}, dirtied, untouched(used), dropped("kept"), func(r *protocol.ReleaseRequest) { r.Used = true })
	differ("held before, and used", ofAccount{held, own}, dirtied, untouched(notOurs), dropped("kept"), func(r *protocol.ReleaseRequest) { r.Used = true })
	same("one of two claims", ofAccount{held, own, other}, dropped("kept"))
	same("one of two claims, newly claimed", ofAccount{held, ownNew, other}, dropped("kept"))
	differ("void records of others do not count as claims", ofAccount{held, ownNew, bearing("ga-2", "second"), bearing("ga-3", "third")},
		dirtied, returned, dropped("kept"))
	differ("imported, without a record", ofAccount{held}, want{"dirtied", []string{"a dirty=releasing", "a dirty=true -"}}, untouched(notOurs), untouched("kept"))
	differ("in a later format", ofAccount{held, bearing("ga-1", "first", newly, ofLaterFormat)}, want{"dirtied", []string{"a dirty=releasing", "a dirty=true -first"}},
		want{"returned", []string{"a dirty=releasing", "a tenant= dirty=clean -first"}}, dropped("kept"))
	same("without a record, beside another claim", ofAccount{held, other}, untouched("kept"))
	differ("its record is gone (F22b)", ofAccount{held}, untouched("unrecorded"), untouched("unrecorded"), untouched("kept"), recorded)
	differ("its record is gone, and it is fenced", ofAccount{held, fenced}, untouched("unrecorded"), untouched("unrecorded"),
		want{"kept", []string{"a dirty=clean -"}}, recorded)
	same("internal (F33)", ofAccount{held, ownNew, internal}, dropped("internal"))
	same("internal, under another claim", ofAccount{held, own, other, internal}, dropped("internal"))
	same("internal, and dirty already", ofAccount{held, own, internal, marked}, dropped("internal"))
	same("internal, without a record", ofAccount{held, internal}, untouched("internal"))
	differ("being deleted", ofAccount{held, ownNew, terminating}, dirtied, returned, dropped("kept"))
	differ("moved to another pool", ofAccount{held, ownNew, moved}, dirtied, returned, dropped("kept"))

	differ("dirty already", ofAccount{held, ownNew, marked}, dropped("already dirty"), dropped("already dirty"), dropped("kept"))
	differ("dirty already, by an odd value", ofAccount{held, ownNew, dirty("maybe")}, dropped("already dirty"), dropped("already dirty"), dropped("kept"))
	differ("dirty already, and the record is gone (F22b)", ofAccount{held, marked}, untouched("already dirty"), untouched("already dirty"), untouched("kept"))
	same("dirty already, under another claim", ofAccount{held, own, other, marked}, dropped("kept"))

	differ("fenced by an earlier try (F22b)", ofAccount{held, ownNew, fenced}, finished, freed, lowered)
	differ("fenced, but may not go back", ofAccount{held, own, fenced}, finished, want{notOurs, []string{"a dirty=clean +first"}}, lowered)
	same("fenced under another claim, which needs it open", ofAccount{held, own, other, fenced}, lowered)
	same("fenced under another claim, without a record", ofAccount{held, other, fenced}, want{"kept", []string{"a dirty=clean -"}})

	same("shared by now (F24)", ofAccount{held, ownNew, shared}, untouched("shared"))
	same("always was shared", ofAccount{shared}, untouched("shared"))
	same("shared by now, and without a tenant", ofAccount{ownNew, shared}, untouched("shared"))
	same("claimed when it was shared", ofAccount{held}, untouched("shared"), func(r *protocol.ReleaseRequest) { r.Identity.Pool = "aws,shared" })
	same("another owner's (F6)", ofAccount{held, bearing("ga-1", "first", ownedBy("colleague"))}, untouched(colleagues))
	same("another state's", ofAccount{held, bearing("ga-1", "first", newly, markedBy("i-2"))}, untouched(others), instance("i-1"))
	differ("marked by the same state", ofAccount{held, bearing("ga-1", "first", newly, markedBy("i-1"))}, dirtied, returned, dropped("kept"), instance("i-1"))
	differ("marked, and the state is of an older version", ofAccount{held, bearing("ga-1", "first", newly, markedBy("i-1"))}, dirtied, returned, dropped("kept"))
	differ("not marked, and the state is newer", ofAccount{held, ownNew}, dirtied, returned, dropped("kept"), instance("i-1"))
	same("its record cannot be read", ofAccount{held, garbled("ga-1", "first")}, untouched(garbage))
	same("the record of another cannot be read", ofAccount{held, ownNew, garbled("ga-1", "second")}, dropped("kept"))

	// F31: the tenant has lost the account, and the claim's record lies there, void. It goes, so that it does not count again if the tenant
	// regains the account: no state would be left to end that claim.
	same("another tenant's by now (F27)", ofAccount{foreign, ownNew, bearing("ga-2", "theirs")}, dropped(leftBehind))
	same("another tenant's, and the record is gone", ofAccount{foreign}, untouched("not held"))
	same("another tenant's, with the void record of another claim", ofAccount{foreign, other}, untouched("not held"))
	same("another tenant's, fenced", ofAccount{foreign, ownNew, fenced}, dropped(leftBehind))
	same("another tenant's, internal", ofAccount{foreign, ownNew, internal}, dropped(leftBehind))
	same("free by now", ofAccount{ownNew}, dropped(leftBehind))
	same("free by now, and another claim's void record is there, too", ofAccount{ownNew, other}, dropped(leftBehind))
	same("free by now, and the record is gone (F22b)", nil, untouched("not held"))
	same("another claim's void record alone", ofAccount{other}, untouched("not held"))
	same("free, and marked dirty", ofAccount{ownNew, marked}, dropped(leftBehind))
	same("free, and fenced", ofAccount{ownNew, fenced}, dropped(leftBehind))
	same("free, internal by now", ofAccount{ownNew, internal}, dropped(leftBehind))
	same("free, in a later format", ofAccount{bearing("ga-1", "first", ofLaterFormat)}, dropped(leftBehind))
	same("free, with the note of a fence", ofAccount{bearing("ga-1", "first", fencedSince(longAgo))}, dropped(leftBehind))
	same("free, being deleted", ofAccount{ownNew, terminating}, dropped(leftBehind))
	same("free, in another pool", ofAccount{ownNew, moved}, dropped(leftBehind))
	for name, change := range map[string]func(*protocol.ReleaseRequest){
		"of another owner":                 func(r *protocol.ReleaseRequest) { r.Owner = "colleague" },
		"of no owner any more":             func(r *protocol.ReleaseRequest) { r.Owner = "" },
		"of another state":                 func(r *protocol.ReleaseRequest) { r.Instance = "i-1" },
		"of an account of the same name":   func(r *protocol.ReleaseRequest) { r.UID = "uid-0" },
		"of the tenant's other claim":      func(r *protocol.ReleaseRequest) { r.Identity.Name = "second" },
		"of a claim on another pool":       func(r *protocol.ReleaseRequest) { r.Identity.Pool = "aws,euAccess" },
		"of another tenant's claim":        func(r *protocol.ReleaseRequest) { r.Identity.GlobalAccount = "ga-2" },
		"of a claim that was made earlier": func(r *protocol.ReleaseRequest) { r.ClaimedAt = longAgo.Add(-time.Second) },
		"of a state without its time":      func(r *protocol.ReleaseRequest) { r.ClaimedAt = time.Time{} },
	} {
		same("void, "+name, ofAccount{bearing("ga-1", "first", newly, markedBy("i-2"))}, untouched("not held"), change)
	}
	for _, test := range rows {
		for mode, want := range map[account.Mode]want{account.MarkDirty: test.mark, account.ReturnToPool: test.giveBack, account.Keep: test.end} {
			parallel(t, test.name+"/"+string(mode), func(t *testing.T) {
				w := newWorld(t, anAccount("a", test.account...), anAccount("b"))
				before := w.at("a")
				req := ofFirst(mode)
				test.change(&req)
				outcome, err := w.pool().Release(t.Context(), req)
				got := string(outcome)
				if err != nil {
					got = err.Error()
				}
				equal(t, "outcome", got, want.outcome)
				w.wantWrites(t, want.writes...)
				equal(t, "write calls", w.called("write"), len(want.writes))
				if got == "not held" || got == leftBehind {
					equal(t, "reads of users", w.counter.called("users"), 0)
				}
				if err != nil && len(want.writes) > 0 {
					wantError[*protocol.FenceLoweredError](t, err) // something was written, and the error says so
				}
				after := w.at("a")
				delete(before.Records, identity("ga-1", "first").Key())
				delete(after.Records, identity("ga-1", "first").Key())
				equal(t, "the other records", after.Records, before.Records)
			})
		}
	}
}

func instance(id string) func(*protocol.ReleaseRequest) {
	return func(r *protocol.ReleaseRequest) { r.Instance = id }
}

func recorded(r *protocol.ReleaseRequest) { r.Recorded = true }

// ofFirst is the release of the claim first of ga-1 on a, the first account of its world.
func ofFirst(mode account.Mode) protocol.ReleaseRequest {
	return protocol.ReleaseRequest{Identity: identity("ga-1", "first"), Account: "a", UID: uidOfA, Mode: mode, Owner: "pipeline", ClaimedAt: longAgo}
}

func modes() []account.Mode {
	return []account.Mode{account.MarkDirty, account.ReturnToPool, account.Keep}
}

func TestReleaseOfAnAccountThatIsGone(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.remove("a")
		outcome, err := w.pool().Release(t.Context(), ofFirst(mode))
		equal(t, "deleted", []any{outcome, err}, []any{protocol.OutcomeNotHeld, nil})
		w.create(anAccount("a", heldBy("ga-1"), bearing("ga-1", "first"))) // the name is the same, the account is not
		outcome, err = w.pool().Release(t.Context(), ofFirst(mode))
		equal(t, "recreated", []any{outcome, err}, []any{protocol.OutcomeNotHeld, nil})
		w.wantWrites(t)
	}
	refusal := errors.New("not found, says a gateway") // only the typed answer means that it is gone
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
	w.on("get", 1, fault{answer: refusal})
	w.on("list", 1, fault{answer: refusal})
	outcome, err := w.pool().Release(t.Context(), ofFirst(account.MarkDirty))
	equal(t, "not read", []any{outcome, errors.Is(err, refusal)}, []any{protocol.Outcome(""), true})
	w.wantWrites(t)
}

// create_before_destroy: the claim is made again before the old one is destroyed, in one process.
func TestClaimMadeAgainSurvivesTheDestroyOfTheOldOne(t *testing.T) {
	t.Parallel()
	for _, mode := range []account.Mode{account.MarkDirty, account.ReturnToPool, account.Keep} {
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
		p := w.pool()
		w.claim(t, p, request("ga-1", "first"))
		outcome, err := w.release(p, "ga-1", "first", "a", mode)
		equal(t, "release", []any{outcome, err}, []any{protocol.OutcomeReplaced, nil})
		w.wantWrites(t)
		equal(t, "counts, with that of the claim", w.counter.called("count"), 1)
		outcome, err = w.release(w.pool(), "ga-1", "first", "a", mode) // the next run may end it
		equal(t, "error", err, nil)
		equal(t, "still there", outcome == protocol.OutcomeReplaced, false)
	}
	parallel(t, "made again on another account: the old one is released", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-1")), anAccount("b", heldBy("ga-1"))) // a was imported, without a record
		w.counter.fill("b", 1)
		w.policy = several(5)
		p := w.pool()
		w.claim(t, p, request("ga-1", "first"))
		outcome, err := w.release(p, "ga-1", "first", "a", account.MarkDirty)
		equal(t, "release", []any{outcome, err}, []any{protocol.OutcomeDirtied, nil})
		w.wantWrites(t, "b +first", "a dirty=releasing", "a dirty=true -")
		outcome, err = w.release(p, "ga-1", "first", "b", account.MarkDirty)
		equal(t, "release of the new one", []any{outcome, err}, []any{protocol.OutcomeReplaced, nil})
	})
}

// F22b: a release that died after its fences is run again, and the account is to be kept by now: all fences go.
func TestNextRunKeepsTheAccount(t *testing.T) {
	t.Parallel()
	for n := range 3 { // fences that are up
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")), anAccount("b", heldBy("ga-1"), withSecret("secret-a")))
		req := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
		w.on("write", n+1, fault{lost: crashBefore})
		dying(t, func() { _, _ = w.pool().Release(t.Context(), req) })
		req.Mode = account.Keep
		outcome, err := w.pool().Release(t.Context(), req)
		equal(t, "outcome", []any{outcome, err}, []any{protocol.OutcomeKept, nil})
		equal(t, "dirt", []account.Dirt{w.at("a").Dirty, w.at("b").Dirty}, []account.Dirt{account.Clean, account.Clean})
	}
}

// A label under another key keeps an account from a release that may lead it to another Global Account, or wipe what is not to be wiped.
func TestReleaseOfAnAccountInDoubt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		says    account.Class
		mode    account.Mode
		refused bool
	}{
		"held, to be wiped":       {account.ClassHeld, account.MarkDirty, true},
		"shared, to go back":      {account.ClassShared, account.ReturnToPool, true},
		"internal, to be wiped":   {account.ClassInternal, account.MarkDirty, true},
		"dirty, to go back":       {account.ClassDirty, account.ReturnToPool, true},
		"dirty, to be wiped":      {account.ClassDirty, account.MarkDirty, false},
		"held, to stay":           {account.ClassHeld, account.Keep, false},
		"nothing new, to go back": {"", account.ReturnToPool, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly), func(a *account.Account) {
				a.Misread = []account.Misread{{Key: "other", Value: "x", Says: test.says, Others: true}}
			}))
			_, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", test.mode))
			if !test.refused {
				equal(t, "error", err, nil)
				return
			}
			equal(t, "labels", as[*protocol.ContestedError](t, err).Labels, []string{"other=x"})
			w.wantWrites(t)
		})
	}
}

// A cluster that lives on an account in doubt goes on: a label under another key may mean nothing. A new one does not come.
func TestClustersOnAnAccountInDoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first"), unclear(account.ClassHeld)))
	p := w.pool()
	equal(t, "one that lives", p.Holds(t.Context(), account.HostRequest{Account: "a", Tenant: "ga-1", Fresh: true}), nil)
	foreign := as[*account.HostError](t, p.Holds(t.Context(), account.HostRequest{Account: "a", Tenant: "ga-2", Fresh: true}))
	equal(t, "one that lives, of another", foreign.Reason, account.HostForeign)
	_, err := p.MayHost(t.Context(), account.HostRequest{Account: "a", Cluster: "blue", Tenant: "ga-1", Fresh: true})
	equal(t, "a new one", as[*account.HostError](t, err).Reason, account.HostUnclear)
}
