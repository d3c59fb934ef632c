package pool

import (
	"context"
	"testing"
	"time"
)

// updateOf changes what the claim first of ga-1 has recorded on a.
func (w *world) updateOf(changes ...func(*UpdateRequest)) UpdateRequest {
	r := UpdateRequest{
		Identity: identity("ga-1", "first"), Account: "a", UID: w.at("a").UID, WasOwner: "pipeline",
		Details: Details{Owner: "pipeline", ClusterName: "green", Request: Request{Plan: "aws"}},
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func TestUpdateWritesOnlyTheRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly, forCluster("blue"), fencedSince(longAgo)),
		bearing("ga-1", "second"), dirty(Releasing)))
	before := w.at("a")
	s, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Owner, r.ReleaseMode = "colleague", Keep }))
	if err != nil {
		t.Fatal(err)
	}
	w.wantWrites(t, "a +first")
	want := recordOf("ga-1", "first")
	want.Owner, want.ClusterName, want.Request, want.NewlyClaimed = "colleague", "green", Request{Plan: "aws"}, true
	want.ReleaseMode, want.ReleasingSince = Keep, longAgo // the fence stands as before
	want.FormerOwner = FormerOwner{Owner: "pipeline", Known: true}
	equal(t, "record", []any{s.Record, s.Recorded}, []any{want, true})
	after := w.at("a")
	equal(t, "account", s.Account, after)
	key := identity("ga-1", "first").Key()
	equal(t, "record on the server", after.Records[key], want)
	after.Records[key], after.Version = before.Records[key], before.Version
	equal(t, "all else", after, before)
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first", forCluster("blue"))
	tests := []struct {
		name    string
		account []func(*Account)
		change  func(*UpdateRequest)
		refused func(t *testing.T, err error)
		writes  []string
	}{
		{"nothing to change", []func(*Account){heldBy("ga-1"), own}, func(r *UpdateRequest) { r.ClusterName, r.Request = "blue", Request{} },
			nil, nil},
		{"another end", []func(*Account){heldBy("ga-1"), own},
			func(r *UpdateRequest) { r.ClusterName, r.Request, r.ReleaseMode = "blue", Request{}, ReturnToPool },
			nil, []string{"a +first"}},
		{"written by the new owner already", []func(*Account){heldBy("ga-1"), bearing("ga-1", "first", ownedBy("colleague"))},
			func(r *UpdateRequest) { r.Owner = "colleague" }, nil, []string{"a +first"}},
		{"another owner's", []func(*Account){heldBy("ga-1"), bearing("ga-1", "first", ownedBy("stranger"))},
			func(r *UpdateRequest) { r.Owner = "colleague" },
			func(t *testing.T, err error) {
				owner := as[*OwnerError](t, err)
				equal(t, "owners", []string{owner.Recorded, owner.Mine}, []string{"stranger", "pipeline"})
			}, nil},
		{"another tenant's", []func(*Account){heldBy("ga-2"), own}, func(*UpdateRequest) {},
			func(t *testing.T, err error) { equal(t, "tenant", as[*TakenError](t, err).Tenant, "ga-2") }, nil},
		{"without a tenant", []func(*Account){own}, func(*UpdateRequest) {},
			func(t *testing.T, err error) { equal(t, "tenant", as[*TakenError](t, err).Tenant, "") }, nil},
		{"recreated", []func(*Account){heldBy("ga-1"), own}, func(r *UpdateRequest) { r.UID = "uid-of-the-first-one" },
			func(t *testing.T, err error) { equal(t, "account", as[*NotFoundError](t, err).Account, "a") }, nil},
		{"gone", []func(*Account){heldBy("ga-1"), own}, func(r *UpdateRequest) { r.Account = "b" },
			func(t *testing.T, err error) { equal(t, "account", as[*NotFoundError](t, err).Account, "b") }, nil},
		{"shared (F24)", []func(*Account){shared}, func(r *UpdateRequest) { r.Identity.Pool = "aws,shared" }, nil, nil},
		{"shared, and a stray record", []func(*Account){shared, heldBy("ga-1"), own}, func(r *UpdateRequest) { r.Identity.Pool = "aws,shared" },
			nil, nil},
		{"shared by now", []func(*Account){shared, heldBy("ga-1"), own}, func(*UpdateRequest) {},
			func(t *testing.T, err error) { equal(t, "verdict", as[*UnusableError](t, err).Verdict, VerdictMoved) }, nil},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, account("a", test.account...))
			s, err := w.pool().Update(t.Context(), w.updateOf(test.change))
			if test.refused != nil {
				test.refused(t, err)
			} else {
				equal(t, "error", err, nil)
				equal(t, "account", s.Account, w.at("a"))
			}
			w.wantWrites(t, test.writes...)
		})
	}
}

// An account that was held before its claim was imported bears no record; the first change of the claim writes one.
func TestImportedClaimGetsItsRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-2", "void")))
	start := time.Now().UTC().Truncate(time.Second)
	s, err := w.pool().Update(t.Context(), w.updateOf())
	equal(t, "error", err, nil)
	w.wantWrites(t, "a +first")
	want := Record{Name: "first", GlobalAccount: "ga-1", Pool: "aws",
		Details: Details{ClusterName: "green", Owner: "pipeline", Request: Request{Plan: "aws"}}, ClaimedAt: s.Record.ClaimedAt,
		Version: 1}
	equal(t, "record", s.Record, want) // not newly claimed: the account does not come from the pool
	if s.Record.ClaimedAt.Before(start) {
		t.Errorf("claimed at %v, before the import", s.Record.ClaimedAt)
	}
	_, err = w.release(w.pool(), "ga-1", "first", "a", ReturnToPool)
	wantError[*ReturnRefusedError](t, err)
}

// A record that was lost is written with the time that the claim's state says, which its release compares.
func TestLostRecordComesBackAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")))
	s, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.ClaimedAt, r.NewlyClaimed = longAgo, true }))
	equal(t, "error", err, nil)
	equal(t, "time and origin", []any{s.Record.ClaimedAt, s.Record.NewlyClaimed}, []any{longAgo, true})
}

// What is taken back is the claim of before, with the time that its state says, whatever lies on the account. The account does not come
// from the pool.
func TestReclaimKeepsItsTime(t *testing.T) {
	t.Parallel()
	other := func(r *Record) { r.ClaimedAt = longAgo.Add(time.Hour) }
	for name, on := range map[string]Account{
		"without a record": account("a"), "with one of another time": account("a", bearing("ga-1", "first", other)),
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, on)
			req := w.updateOf(func(r *UpdateRequest) { r.Reclaim, r.ClaimedAt, r.NewlyClaimed = true, longAgo, true })
			s, err := w.pool().Update(t.Context(), req)
			equal(t, "error", err, nil)
			equal(t, "time and origin", []any{s.Record.ClaimedAt, s.Record.NewlyClaimed}, []any{longAgo, false})
		})
	}
}

// F31: a claim takes its account back and is killed before its state is written. The account goes to another tenant. The destroy, which
// has the old state, takes the record away: the time says that it is its own.
func TestReclaimThatWasKilledLeavesItsOwnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", bearing("ga-1", "first")))
	reclaim := w.updateOf(func(r *UpdateRequest) { r.Reclaim, r.ClaimedAt = true, longAgo })
	w.on("write", 1, fault{lost: crash})
	dying(t, func() { _, _ = w.pool().Update(context.Background(), reclaim) })
	w.edit("a", stripped)
	w.edit("a", heldBy("ga-2"))
	outcome, err := w.pool().Release(t.Context(), ofFirst(MarkDirty))
	equal(t, "outcome", []any{outcome, err}, []any{OutcomeNotHeld, nil})
	w.edit("a", heldBy("ga-1"))
	equal(t, "accounts of the claim, when the tenant has it again", len(w.bearers(identity("ga-1", "first").Key())), 0)
}

// F7: the tenant was removed by hand. The claim takes the same account again, if it may be taken at all.
func TestUpdateReclaims(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first", newly)
	taken := func(tenant string) func(*testing.T, error) {
		return func(t *testing.T, err error) { equal(t, "tenant", as[*TakenError](t, err).Tenant, tenant) }
	}
	unusable := func(verdict Verdict) func(*testing.T, error) {
		return func(t *testing.T, err error) { equal(t, "verdict", as[*UnusableError](t, err).Verdict, verdict) }
	}
	tests := []struct {
		name    string
		account []func(*Account)
		refused func(t *testing.T, err error)
		writes  []string
	}{
		{"a free account", []func(*Account){own}, nil, []string{"a tenant=ga-1 +first"}},
		{"a free account without a record", nil, nil, []string{"a tenant=ga-1 +first"}},
		{"an account that it holds", []func(*Account){heldBy("ga-1"), own}, nil, []string{"a +first"}},
		{"another tenant's", []func(*Account){heldBy("ga-2"), own}, taken("ga-2"), nil},
		{"a dirty one", []func(*Account){own, dirty(Dirtied)}, unusable(Verdict(ClassDirty)), nil},
		{"a fenced one", []func(*Account){own, dirty(Releasing)}, unusable(Verdict(ClassReleasing)), nil},
		{"an internal one", []func(*Account){own, internal}, unusable(Verdict(ClassInternal)), nil},
		{"one that is being deleted", []func(*Account){own, terminating}, unusable(Verdict(ClassDeleting)), nil},
		{"one of another pool", []func(*Account){own, func(a *Account) { a.EUAccess = true }}, unusable(VerdictMoved), nil},
		{"a shared one", []func(*Account){own, shared}, unusable(VerdictMoved), nil},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, account("a", test.account...))
			s, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
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
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
	req := w.updateOf(func(r *UpdateRequest) { r.Request = Request{} })
	w.on("write", 1, fault{lost: lostAfter, after: func() {
		w.create(account("a", heldBy("ga-1"), bearing("ga-1", "first", forCluster("green"))))
	}})
	_, err := w.pool().Update(t.Context(), req)
	wantError[*NotFoundError](t, err)
}
