package pool

import (
	"errors"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// TestRelease goes through what can have become of the account of a claim, with each mode. The claim is "first" of
// ga-1 on a; what is written stands beside the outcome.
func TestRelease(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first")
	ownNew := bearing("ga-1", "first", newly)
	other := bearing("ga-1", "second")
	type want struct {
		outcome string // or the error's
		writes  []string
	}
	const refused = "account a was not taken from the pool by this claim, so it may not be clean"
	dirtied := want{"dirtied", []string{"a dirty=releasing +first", "a dirty=true -first"}}
	returned := want{"returned", []string{"a dirty=releasing +first", "a tenant= dirty=clean -first"}}
	kept := want{"kept", []string{"a -first"}}
	gone := want{"not held", []string{"a -first"}}
	internalOne := want{"internal", []string{"a -first"}}
	untouched := func(outcome string) want { return want{outcome, []string{}} }
	tests := []struct {
		name                string
		account             []func(*Account)
		mark, giveBack, end want // mark_dirty, return_to_pool, keep
	}{
		{"the only claim", []func(*Account){heldBy("ga-1"), own}, dirtied, untouched(refused), kept},
		{"the only claim, newly claimed", []func(*Account){heldBy("ga-1"), ownNew}, dirtied, returned, kept},
		{"one of two claims", []func(*Account){heldBy("ga-1"), own, other}, kept, kept, kept},
		{"one of two claims, newly claimed", []func(*Account){heldBy("ga-1"), ownNew, other}, kept, kept, kept},
		{"void records of others do not count as claims",
			[]func(*Account){heldBy("ga-1"), ownNew, bearing("ga-2", "second"), bearing("ga-3", "third")}, dirtied, returned, kept},
		{"imported, without a record", []func(*Account){heldBy("ga-1")},
			want{"dirtied", []string{"a dirty=releasing", "a dirty=true -"}}, untouched(refused), untouched("kept")},
		{"without a record, beside another claim", []func(*Account){heldBy("ga-1"), other}, untouched("kept"), untouched("kept"),
			untouched("kept")},
		{"internal (F33)", []func(*Account){heldBy("ga-1"), ownNew, internal}, internalOne, internalOne, internalOne},
		{"internal, under another claim", []func(*Account){heldBy("ga-1"), own, other, internal}, internalOne, internalOne, internalOne},
		{"internal, and dirty already", []func(*Account){heldBy("ga-1"), own, internal, dirty(Dirtied)}, internalOne, internalOne, internalOne},
		{"internal, without a record", []func(*Account){heldBy("ga-1"), internal}, untouched("internal"), untouched("internal"),
			untouched("internal")},
		{"being deleted", []func(*Account){heldBy("ga-1"), ownNew, terminating}, dirtied, returned, kept},
		{"moved to another pool", []func(*Account){heldBy("ga-1"), ownNew, func(a *Account) { a.EUAccess = true }}, dirtied, returned, kept},

		{"dirty already", []func(*Account){heldBy("ga-1"), ownNew, dirty(Dirtied)},
			want{"already dirty", []string{"a -first"}}, want{"already dirty", []string{"a -first"}}, kept},
		{"dirty already, by an odd value", []func(*Account){heldBy("ga-1"), ownNew, dirty("maybe")},
			want{"already dirty", []string{"a -first"}}, want{"already dirty", []string{"a -first"}}, kept},
		{"dirty already, and the record is gone (F22b)", []func(*Account){heldBy("ga-1"), dirty(Dirtied)},
			untouched("already dirty"), untouched("already dirty"), untouched("kept")},
		{"dirty already, under another claim", []func(*Account){heldBy("ga-1"), own, other, dirty(Dirtied)}, kept, kept, kept},

		{"fenced by an earlier try (F22b)", []func(*Account){heldBy("ga-1"), ownNew, dirty(Releasing)},
			want{"dirtied", []string{"a dirty=true -first"}}, want{"returned", []string{"a tenant= dirty=clean -first"}}, want{"kept",
				[]string{"a dirty=clean -first"}}},
		{"fenced, but may not go back", []func(*Account){heldBy("ga-1"), own, dirty(Releasing)},
			want{"dirtied", []string{"a dirty=true -first"}}, want{refused, []string{"a dirty=clean +first"}}, want{"kept",
				[]string{"a dirty=clean -first"}}},
		{"fenced under another claim, which needs it open", []func(*Account){heldBy("ga-1"), own, other, dirty(Releasing)},
			want{"kept", []string{"a dirty=clean -first"}}, want{"kept", []string{"a dirty=clean -first"}}, want{"kept",
				[]string{"a dirty=clean -first"}}},
		{"fenced under another claim, without a record", []func(*Account){heldBy("ga-1"), other, dirty(Releasing)},
			want{"kept", []string{"a dirty=clean -"}}, want{"kept", []string{"a dirty=clean -"}}, want{"kept", []string{"a dirty=clean -"}}},

		{"shared by now (F24)", []func(*Account){heldBy("ga-1"), ownNew, shared}, untouched("shared"), untouched("shared"), untouched("shared")},
		{"always was shared", []func(*Account){shared}, untouched("shared"), untouched("shared"), untouched("shared")},
		{"another tenant's by now (F27)", []func(*Account){heldBy("ga-2"), ownNew, bearing("ga-2", "theirs")}, gone, gone, gone},
		{"another tenant's, and the record is gone", []func(*Account){heldBy("ga-2")}, untouched("not held"), untouched("not held"),
			untouched("not held")},
		{"another tenant's, with the void record of another claim", []func(*Account){heldBy("ga-2"), bearing("ga-1", "second")},
			untouched("not held"), untouched("not held"), untouched("not held")},
		{"free by now", []func(*Account){ownNew}, gone, gone, gone},
		{"free by now, and another claim's void record is there, too", []func(*Account){ownNew, other}, gone, gone, gone},
		{"free by now, and the record is gone (F22b)", nil, untouched("not held"), untouched("not held"), untouched("not held")},
		{"another claim's void record alone", []func(*Account){other}, untouched("not held"), untouched("not held"), untouched("not held")},
		{"free, and marked dirty", []func(*Account){ownNew, dirty(Dirtied)}, gone, gone, gone},
		{"free, and fenced", []func(*Account){ownNew, dirty(Releasing)}, gone, gone, gone},
		{"free, internal by now", []func(*Account){ownNew, internal}, gone, gone, gone},
		{"shared by now, and without a tenant", []func(*Account){ownNew, shared}, untouched("shared"), untouched("shared"), untouched("shared")},
		{"another tenant's, fenced", []func(*Account){heldBy("ga-2"), ownNew, dirty(Releasing)}, gone, gone, gone},
	}
	for _, test := range tests {
		for mode, want := range map[Mode]want{MarkDirty: test.mark, ReturnToPool: test.giveBack, Keep: test.end} {
			parallel(t, test.name+"/"+string(mode), func(t *testing.T) {
				w := newWorld(t, account("a", test.account...), account("b"))
				before := w.at("a")
				outcome, err := w.release(w.pool(), "ga-1", "first", "a", mode)
				got := string(outcome)
				if err != nil {
					got = err.Error()
				}
				equal(t, "outcome", got, want.outcome)
				w.wantWrites(t, want.writes...)
				after := w.at("a")
				delete(before.Records, identity("ga-1", "first").Key())
				delete(after.Records, identity("ga-1", "first").Key())
				equal(t, "the other records", after.Records, before.Records)
			})
		}
	}
}

func TestReleaseOfAnAccountThatIsGone(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{MarkDirty, ReturnToPool, Keep} {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		req := w.releaseOf("ga-1", "first", "a", mode)
		w.remove("a")
		outcome, err := w.pool().Release(t.Context(), req)
		equal(t, "deleted", []any{outcome, err}, []any{OutcomeNotHeld, nil})

		w.create(account("a", heldBy("ga-1"), bearing("ga-1", "first"))) // the name is the same, the account is not
		outcome, err = w.pool().Release(t.Context(), req)
		equal(t, "recreated", []any{outcome, err}, []any{OutcomeNotHeld, nil})
		w.wantWrites(t)
	}
}

// Only the typed answer that there is no such account means that it is gone.
func TestReleaseOfAnAccountThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"forbidden":   &ForbiddenError{Verb: "get", Resource: "credentialsbindings", Err: errors.New("no")},
		"unreachable": &UnreachableError{Verb: "get", Tries: 8, Err: errCut},
		"else":        errors.New("not found, says a gateway"),
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.on("get", 1, fault{answer: refusal})
			outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			equal(t, "outcome", outcome, Outcome(""))
			if !errors.Is(err, refusal) {
				t.Errorf("got error %v, want %v", err, refusal)
			}
			w.wantWrites(t)
		})
	}
}

// create_before_destroy: the claim is made again before the old one is destroyed, in one process.
func TestClaimMadeAgainSurvivesTheDestroyOfTheOldOne(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{MarkDirty, ReturnToPool, Keep} {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
		p := w.pool()
		w.claim(t, p, request("ga-1", "first"))
		outcome, err := w.release(p, "ga-1", "first", "a", mode)
		equal(t, "release", []any{outcome, err}, []any{OutcomeReplaced, nil})
		w.wantWrites(t)
		equal(t, "calls for users", w.counter.called("users"), 0)
		outcome, err = w.release(w.pool(), "ga-1", "first", "a", mode) // the next run may end it
		equal(t, "error", err, nil)
		equal(t, "still there", outcome == OutcomeReplaced, false)
	}
	parallel(t, "made again on another account: the old one is released", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1")), account("b", heldBy("ga-1"))) // a was imported, without a record
		w.counter.fill("b", 1)
		w.policy = several(5)
		p := w.pool()
		w.claim(t, p, request("ga-1", "first"))
		outcome, err := w.release(p, "ga-1", "first", "a", MarkDirty)
		equal(t, "release", []any{outcome, err}, []any{OutcomeDirtied, nil})
		w.wantWrites(t, "b +first", "a dirty=releasing", "a dirty=true -")
		outcome, err = w.release(p, "ga-1", "first", "b", MarkDirty)
		equal(t, "release of the new one", []any{outcome, err}, []any{OutcomeReplaced, nil})
	})
}

func TestInUseErrorListsTwentyAndTheTotal(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		1:  "account a is used by 1 cluster: Shoot a-001",
		20: "a-019, Shoot a-020",
		21: "a-019, Shoot a-020 and 1 more",
		57: "a-019, Shoot a-020 and 37 more",
	} {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.fill("a", n)
		_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		inUse := as[*InUseError](t, err)
		equal(t, "users", len(inUse.Users), n)
		equal(t, "after the fence", inUse.AfterFence, false)
		if !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), words.Count(n, "cluster")) {
			t.Errorf("with %d clusters: got %q, want it to end in %q", n, err, want)
		}
		equal(t, "listed", strings.Count(err.Error(), "Shoot "), min(n, maxListed))
		w.wantWrites(t)
	}
}

// A claim that another owner has recorded is that owner's, whatever an old state says.
func TestReleaseOfAnotherOwnersClaim(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{MarkDirty, ReturnToPool, Keep} {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", ownedBy("colleague"))))
		req := w.releaseOf("ga-1", "first", "a", mode)
		req.Owner = "pipeline"
		_, err := w.pool().Release(t.Context(), req)
		owner := as[*OwnerError](t, err)
		equal(t, "owners", []string{owner.Recorded, owner.Mine}, []string{"colleague", "pipeline"})
		w.wantWrites(t)
	}
}

// F22b: a release that died behind its fences is run again, and the account is to be kept by now: all fences go.
func TestNextRunKeepsTheAccount(t *testing.T) {
	t.Parallel()
	for n := range 3 { // fences that are up
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", heldBy("ga-1"), withSecret("secret-a")))
		req := w.releaseOf("ga-1", "first", "a", MarkDirty)
		w.on("write", n+1, fault{lost: crashBefore})
		dying(t, func() { _, _ = w.pool().Release(t.Context(), req) })
		req.Mode = Keep
		outcome, err := w.pool().Release(t.Context(), req)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
		equal(t, "dirt", []Dirt{w.at("a").Dirty, w.at("b").Dirty}, []Dirt{Clean, Clean})
	}
}
