package pool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// updateOf changes what the claim first of ga-1 has recorded on a.
func (w *world) updateOf(changes ...func(*protocol.UpdateRequest)) protocol.UpdateRequest {
	r := protocol.UpdateRequest{
		Identity: identity("ga-1", "first"), Account: "a", UID: w.at("a").UID, WasOwner: "pipeline",
		Details: account.Details{Owner: "pipeline", ClusterName: "green", Request: account.Request{Plan: "aws"}},
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func TestUpdateWritesOnlyTheRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly, forCluster("blue"), fencedSince(longAgo)),
		bearing("ga-1", "second"), dirty(account.Releasing)))
	before := w.at("a")
	s, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Owner, r.ReleaseMode = "colleague", account.Keep }))
	if err != nil {
		t.Fatal(err)
	}
	w.wantWrites(t, "a +first")
	want := recordOf("ga-1", "first")
	want.Owner, want.ClusterName, want.Request, want.NewlyClaimed = "colleague", "green", account.Request{Plan: "aws"}, true
	want.ReleaseMode, want.ReleasingSince = account.Keep, longAgo // the fence is as before
	want.FormerOwner = account.FormerOwner{Owner: "pipeline", Known: true}
	equal(t, "record", []any{s.Record, s.Recorded}, []any{want, true})
	after := w.at("a")
	equal(t, "account", s.Account, after)
	key := identity("ga-1", "first").Key()
	equal(t, "record on the server", after.Records[key], want)
	after.Records[key], after.Version = before.Records[key], before.Version
	equal(t, "all else", after, before)
}

// TestUpdate goes through what can have become of the account of a claim, and of what its record says.
func TestUpdate(t *testing.T) {
	t.Parallel()
	type ofAccount = []func(*account.Account)
	own, held, foreign, moved := bearing("ga-1", "first", forCluster("blue")), heldBy("ga-1"), heldBy("ga-2"), func(a *account.Account) { a.EUAccess = true }
	same := func(r *protocol.UpdateRequest) { r.ClusterName, r.Request = "blue", account.Request{} }
	toColleague := func(r *protocol.UpdateRequest) { r.Owner = "colleague" }
	back := func(r *protocol.UpdateRequest) { r.Reclaim = true }
	ofShared := func(r *protocol.UpdateRequest) { r.Identity.Pool = "aws,shared" }
	const unusable = `claim "first" of Global Account ga-1 on pool aws belongs on account a, which cannot be used: `
	const written, taken = "a +first", "a tenant=ga-1 +first"
	for _, test := range []struct {
		name    string
		account ofAccount
		change  func(*protocol.UpdateRequest)
		says    string // the error
		writes  string
	}{
		{"nothing to change", ofAccount{held, own}, same, "", ""},
		{"another end", ofAccount{held, own}, func(r *protocol.UpdateRequest) { same(r); r.ReleaseMode = account.ReturnToPool }, "", written},
		{"written by the new owner already", ofAccount{held, bearing("ga-1", "first", ownedBy("colleague"))}, toColleague, "", written},
		{"another owner's", ofAccount{held, bearing("ga-1", "first", ownedBy("stranger"))}, toColleague,
			`claim "first" of Global Account ga-1 on pool aws is on account a since 2026-03-01T12:00:00Z, recorded by owner "stranger", not by owner "pipeline"`, ""},
		{"another tenant's", ofAccount{foreign, own}, nil, "account a is held by Global Account ga-2, not by ga-1", ""},
		{"without a tenant", ofAccount{own}, nil, "account a is held by no Global Account, and not by ga-1", ""},
		{"recreated", ofAccount{held, own}, func(r *protocol.UpdateRequest) { r.UID = "uid-of-the-first-one" }, "there is no account a", ""},
		{"gone", ofAccount{held, own}, func(r *protocol.UpdateRequest) { r.Account = "b" }, "there is no account b", ""},
		{"shared (F24)", ofAccount{shared}, ofShared, "", ""},
		{"shared, and a stray record", ofAccount{shared, held, own}, ofShared, "", ""},
		{"shared by now", ofAccount{shared, held, own}, nil, unusable + "it belongs to another pool by now", ""},
		{"shared no more", ofAccount{held}, ofShared, `claim "first" of Global Account ga-1 on pool aws,shared belongs on account a, which cannot be used: ` +
			"it belongs to another pool by now", ""},
		{"of a later format (F30)", ofAccount{held, bearing("ga-1", "first", ofLaterFormat)}, nil,
			`claim "first" of Global Account ga-1 on pool aws is recorded on account a in format 2; this version writes format 1`, ""},
		{"of a later format, and nothing to change", ofAccount{held, bearing("ga-1", "first", ofLaterFormat, forCluster("blue"))}, same, "", ""},

		// F7: the tenant was removed by hand. The claim takes the same account again, if it may be taken at all.
		{"back, free", ofAccount{own}, back, "", taken},
		{"back, free, without a record", nil, back, "", taken},
		{"back, held", ofAccount{held, own}, back, "", written},
		{"back, another tenant's", ofAccount{foreign, own}, back, "account a is held by Global Account ga-2, not by ga-1", ""},
		{"back, dirty", ofAccount{own, dirty(account.Dirtied)}, back, unusable + "it is dirty and waits for the clean-up job", ""},
		{"back, fenced", ofAccount{own, dirty(account.Releasing)}, back, unusable + "it is being released", ""},
		{"back, internal", ofAccount{own, internal}, back, unusable + "it is kept for internal use", ""},
		{"back, being deleted", ofAccount{own, terminating}, back, unusable + "it is being deleted", ""},
		{"back, of another pool", ofAccount{own, moved}, back, unusable + "it belongs to another pool by now", ""},
		{"back, shared", ofAccount{own, shared}, back, unusable + "it belongs to another pool by now", ""},
	} {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.account...))
			req := w.updateOf()
			if test.change != nil {
				test.change(&req)
			}
			s, err := w.pool().Update(t.Context(), req)
			if test.writes == "" {
				w.wantWrites(t)
			} else {
				w.wantWrites(t, test.writes)
			}
			if err != nil || test.says != "" {
				equal(t, "error", fmt.Sprint(err), test.says)
				return
			}
			equal(t, "account", s.Account, w.at("a"))
			if test.writes == taken { // the account was the tenant's before: it does not come from the pool
				equal(t, "newly claimed", s.Record.NewlyClaimed, false)
			}
		})
	}
}

// An account that was held before its claim was imported bears no record; the first change of the claim writes one. One that was lost, or
// is written anew as its account is taken back, gets the time that the claim's state says, which its release compares.
func TestRecordThatIsWrittenAnew(t *testing.T) {
	t.Parallel()
	known := func(r *protocol.UpdateRequest) { r.ClaimedAt, r.NewlyClaimed = longAgo, true }
	back := func(r *protocol.UpdateRequest) { known(r); r.Reclaim = true }
	other := func(r *account.Record) { r.ClaimedAt = longAgo.Add(time.Hour) }
	for name, test := range map[string]struct {
		account []func(*account.Account)
		change  func(*protocol.UpdateRequest)
		at      time.Time // zero = now
		newly   bool
	}{
		"imported":                     {[]func(*account.Account){heldBy("ga-1"), bearing("ga-2", "void")}, func(*protocol.UpdateRequest) {}, time.Time{}, false},
		"lost":                         {[]func(*account.Account){heldBy("ga-1")}, known, longAgo, true},
		"taken back":                   {nil, back, longAgo, false},
		"taken back, and another time": {[]func(*account.Account){bearing("ga-1", "first", newly, other)}, back, longAgo, false},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.account...))
			s, err := w.pool().Update(t.Context(), w.updateOf(test.change))
			equal(t, "error", err, nil)
			if test.at.IsZero() {
				test.at = time.Now().UTC()
			}
			equal(t, "record", s.Record, account.Record{Name: "first", GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: test.at, Version: 1, NewlyClaimed: test.newly,
				Details: account.Details{ClusterName: "green", Owner: "pipeline", Request: account.Request{Plan: "aws"}}})
		})
	}
}

// F31: a claim takes its account back and is killed before its state is written. The account goes to another tenant. The destroy, which
// has the old state, takes the record away: the time says that it is its own.
func TestReclaimThatWasKilledLeavesItsOwnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", bearing("ga-1", "first")))
	reclaim := w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim, r.ClaimedAt = true, longAgo })
	w.on("write", 1, fault{lost: crash})
	dying(t, func() { _, _ = w.pool().Update(context.Background(), reclaim) })
	w.edit("a", stripped)
	w.edit("a", heldBy("ga-2"))
	outcome, err := w.pool().Release(t.Context(), ofFirst(account.MarkDirty))
	equal(t, "outcome", []any{outcome, err}, []any{protocol.OutcomeLeftBehind, nil})
	w.edit("a", heldBy("ga-1"))
	equal(t, "accounts of the claim, when the tenant has it again", len(w.bearers(identity("ga-1", "first").Key())), 0)
}

// F7: the tenant was removed by hand. The claim takes the same account again, if it may be taken at all.
func TestUpdateReclaims(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first", newly)
	taken := func(tenant string) func(*testing.T, error) {
		return func(t *testing.T, err error) { equal(t, "tenant", as[*account.TakenError](t, err).Tenant, tenant) }
	}
	unusable := func(verdict account.Verdict) func(*testing.T, error) {
		return func(t *testing.T, err error) {
			equal(t, "verdict", as[*protocol.UnusableError](t, err).Verdict, verdict)
		}
	}
	tests := []struct {
		name    string
		account []func(*account.Account)
		refused func(t *testing.T, err error)
		writes  []string
	}{
		{"a free account", []func(*account.Account){own}, nil, []string{"a tenant=ga-1 +first"}},
		{"a free account without a record", nil, nil, []string{"a tenant=ga-1 +first"}},
		{"an account that it holds", []func(*account.Account){heldBy("ga-1"), own}, nil, []string{"a +first"}},
		{"another tenant's", []func(*account.Account){heldBy("ga-2"), own}, taken("ga-2"), nil},
		{"a dirty one", []func(*account.Account){own, dirty(account.Dirtied)}, unusable(account.Verdict(account.ClassDirty)), nil},
		{"a fenced one", []func(*account.Account){own, dirty(account.Releasing)}, unusable(account.Verdict(account.ClassReleasing)), nil},
		{"an internal one", []func(*account.Account){own, internal}, unusable(account.Verdict(account.ClassInternal)), nil},
		{"one that is being deleted", []func(*account.Account){own, terminating}, unusable(account.Verdict(account.ClassDeleting)), nil},
		{"one of another pool", []func(*account.Account){own, func(a *account.Account) { a.EUAccess = true }}, unusable(account.VerdictMoved), nil},
		{"a shared one", []func(*account.Account){own, shared}, unusable(account.VerdictMoved), nil},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.account...))
			s, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
			w.wantWrites(t, test.writes...)
			if test.refused != nil {
				test.refused(t, err)
				return
			}
			equal(t, "error", err, nil)
			equal(t, "account", s.Account, w.at("a"))
			equal(t, "newly claimed", s.Record.NewlyClaimed, test.name == "an account that it holds") // else it was the tenant's before
		})
	}
}

// The answer to an update is lost, and the account is another one by now, restored with what was to be written.
func TestAnswerToAnUpdateIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
	req := w.updateOf(func(r *protocol.UpdateRequest) { r.Request = account.Request{} })
	w.on("write", 1, fault{lost: lostAfter, after: func() {
		w.create(anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", forCluster("green"))))
	}})
	_, err := w.pool().Update(t.Context(), req)
	wantError[*account.NotFoundError](t, err)
}

// Records outlive what they speak of: the broker and the clean-up job take the labels away and leave the annotations.

// A claim that lost its label is made again where no cluster lives, or where every one is known to be the tenant's: a record
// of the tenant alone does not say whose the clusters are.
func TestReclaimCountsTheClusters(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first")
	others := func(a *account.Account) { own(a); bearing("ga-2", "second")(a) } // a claim of ga-2 was made beside the void record
	for name, test := range map[string]struct {
		change  func(*account.Account)
		cluster bool
		row     string
		refused bool
	}{
		"nothing on it":                                {own, false, "", false},
		"clusters that no row names":                   {own, true, "", true},
		"its own row":                                  {own, false, "ga-1", false},
		"its own row, no record":                       {stripped, false, "ga-1", false},
		"its own row, and a cluster that no row names": {own, true, "ga-1", true},
		"its own row, and another tenant's record":     {others, false, "ga-1", true},
		"clusters, and another tenant's record":        {others, true, "", true},
		"another tenant's row":                         {own, false, "ga-2", true},
		"another tenant's row, no record":              {stripped, false, "ga-2", true},
		"clusters, and no record":                      {stripped, true, "", true},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.change))
			if test.cluster {
				w.counter.add("a", "blue")
			}
			if test.row != "" {
				w.counter.rows = map[string]string{"a": test.row}
			}
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
			if !test.refused {
				equal(t, "error", err, nil)
				w.wantWrites(t, "a tenant=ga-1 +first")
				return
			}
			equal(t, "verdict", as[*protocol.UnusableError](t, err).Verdict, account.Verdict(account.ClassOccupied))
			w.wantWrites(t)
		})
	}
}

// A run that replaced the claim was killed before it wrote its state: that names the old account, and the claim is on
// the new one. It does not end up on both.
func TestUpdateDoesNotPutAClaimOnASecondAccount(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]func(*account.Account){"freed": stripped, "still the tenant's": heldBy("ga-1")} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", old), anAccount("b", heldBy("ga-1"), bearing("ga-1", "first")))
			p := w.pool()
			_, err := p.Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
			elsewhere := as[*protocol.ElsewhereError](t, err)
			equal(t, "accounts", []string{elsewhere.Account, elsewhere.Other}, []string{"a", "b"})
			w.wantWrites(t)

			w.edit("b", func(a *account.Account) { clear(a.Records) }) // what the list said of it is not believed
			_, err = p.Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
			equal(t, "error", err, nil)
			equal(t, "accounts of the claim", w.bearers(identity("ga-1", "first").Key()), []string{"a"})
		})
	}
}

// A claim of this identity by another owner is left alone wherever it is: no error says how to get at it.
func TestUpdateMeetsAnOwnerOnAnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1")), anAccount("b", heldBy("ga-1"),
		bearing("ga-1", "first", func(r *account.Record) { r.Owner = "colleague" })))
	_, err := w.pool().Update(t.Context(), w.updateOf())
	owner := as[*protocol.OwnerError](t, err)
	equal(t, "account and owner", []string{owner.Account, owner.Recorded}, []string{"b", "colleague"})
	w.wantWrites(t)
}

// A claim that takes a free account, or takes its own back, clears what other tenants have left there, and what its own tenant has of a
// claim that is on another account by now. The tenant's other records stay: those claims may be in some state, and count again now. A claim
// that comes to an account which its tenant holds clears nothing: a record goes by its claim, or by one that takes the free account (I6).
func TestVoidRecordsAreCleared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tenant func(*account.Account)
		call   func(t *testing.T, w *world) error
		stay   []string
	}{
		"a free account": {stripped, takesA, []string{"ga-1/first", "ga-1/before"}},
		"a held account": {heldBy("ga-1"), takesA, []string{"ga-1/first", "ga-1/before", "ga-1/elsewhere", "ga-2/first", "ga-3/first"}},
		"an account that is taken back": {stripped, func(t *testing.T, w *world) error {
			t.Helper()
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
			return err
		}, []string{"ga-1/first", "ga-1/before"}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.tenant, bearing("ga-1", "before"), bearing("ga-1", "elsewhere", newly), bearing("ga-2", "first"),
				bearing("ga-3", "first", ofLaterFormat)), anAccount("b", heldBy("ga-1"), bearing("ga-1", "elsewhere")))
			w.policy = several(1)
			w.counter.add("b", "full")
			equal(t, "error", test.call(t, w), nil)
			equal(t, "records", slices.Sorted(maps.Keys(w.recordsOfA())), slices.Sorted(slices.Values(test.stay)))
			equal(t, "the tenant's own", w.recordsOfA()["ga-1/before"], recordOf("ga-1", "before"))
		})
	}
}

func takesA(t *testing.T, w *world) error {
	t.Helper()
	_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
	return err
}
