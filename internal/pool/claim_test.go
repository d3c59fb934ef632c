package pool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestClaimWritesTenantAndRecordInOneWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", internal), account("b", bearing("ga-9", "gone")), account("c", heldBy("ga-2")))
	req := request("ga-1", "first", reserving("blue"))
	req.Request, req.ReleaseMode = Request{Plan: "aws", PlatformRegion: "cf-eu10"}, Keep
	start := time.Now().UTC().Truncate(time.Second)
	claim := w.claim(t, w.pool(), req)

	w.wantWrites(t, "b tenant=ga-1 +first -gone") // what the tenant before left there is void
	b := w.at("b")
	record, ok := b.Holds(identity("ga-1", "first").Key())
	equal(t, "recorded", ok, true)
	if record.ClaimedAt.Before(start) || record.ClaimedAt.After(time.Now()) {
		t.Errorf("claimed at %v, want now", record.ClaimedAt)
	}
	want := Record{
		Name: "first", GlobalAccount: "ga-1", Pool: "aws",
		Details: Details{ClusterName: "blue", Owner: "pipeline", Request: req.Request, ReleaseMode: Keep}, ClaimedAt: record.ClaimedAt,
		Version: 1, NewlyClaimed: true,
	}
	equal(t, "record", record, want)
	equal(t, "records", len(b.Records), 1)
	equal(t, "answer", claim.Account, b)
	equal(t, "answered record", claim.Record, want)
	equal(t, "clusters and reserved", []int{claim.Clusters, claim.Reserved}, []int{0, 1})
	equal(t, "adopted", claim.Adopted, false)
	equal(t, "reason", claim.Reason, "Global Account ga-1 holds no account of pool aws yet: b is claimed, one of 1 unclaimed.")
}

func TestClaimThatStandsIsAdopted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		account Account
		request ClaimRequest
		writes  []string
		cluster string
	}{
		"as it is (F1)": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first", newly, forCluster("blue"))), request("ga-1", "first",
				reserving("blue")), nil, "blue",
		},
		"on an account that the tenant held before": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first")), request("ga-1", "first"), nil, "",
		},
		"on an account that the tenant held before, with another cluster name": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first")), request("ga-1", "first", reserving("green")), []string{"b +first"}, "green",
		},
		"with another cluster name": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first", newly, forCluster("blue"))), request("ga-1", "first",
				reserving("green")), []string{"b +first"}, "green",
		},
		"with another end": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first", newly)), request("ga-1", "first", ending(ReturnToPool)), []string{"b +first"}, "",
		},
		"with a note of a fence that is gone": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first", newly, fencedSince(longAgo))), request("ga-1", "first"), nil, "",
		},
		"with such a note, and with another cluster name": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first", fencedSince(longAgo))), request("ga-1", "first",
				reserving("green")), []string{"b +first"}, "green",
		},
		"recorded in a later format (F30)": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first", newly, ofLaterFormat)), request("ga-1", "first"), nil, "",
		},
		"pinned to where it stands": {
			account("b", heldBy("ga-1"), bearing("ga-1", "first", newly)), request("ga-1", "first", pinnedTo("b")), nil, "",
		},
		"on an internal account that its tenant holds": {
			account("b", heldBy("ga-1"), internal, bearing("ga-1", "first", newly)), request("ga-1", "first"), nil, "",
		},
	}
	for name, test := range tests {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1")), test.account, account("c"))
			w.counter.fill("b", 7)
			w.policy = several(5) // b is full: another claim would not get it
			was := w.at("b").Records[identity("ga-1", "first").Key()]
			claim := w.claim(t, w.pool(), test.request)
			w.wantWrites(t, test.writes...)
			equal(t, "adopted", claim.Adopted, true)
			equal(t, "may have been used", claim.Used, true) // what came and went before is not known
			equal(t, "account", claim.Account, w.at("b"))
			equal(t, "claimed at", claim.Record.ClaimedAt, longAgo)
			equal(t, "newly claimed", claim.Record.NewlyClaimed, was.NewlyClaimed)
			equal(t, "cluster name", claim.Record.ClusterName, test.cluster)
			equal(t, "its end", claim.Record.ReleaseMode, test.request.ReleaseMode)
			equal(t, "what it says of a fence", claim.Record.ReleasingSince, was.ReleasingSince) // means nothing without one
			equal(t, "clusters", claim.Clusters, 7)
			if !strings.Contains(claim.Reason, "since 2026-03-01T12:00:00Z") {
				t.Errorf("the reason does not say since when: %q", claim.Reason)
			}
		})
	}
}

func TestClaimThatStandsButCannotBeAdopted(t *testing.T) {
	t.Parallel()
	stands := func(changes ...func(*Account)) Account {
		return account("b", append([]func(*Account){heldBy("ga-1"), bearing("ga-1", "first")}, changes...)...)
	}
	unusable := func(verdict Verdict) func(*testing.T, error) {
		return func(t *testing.T, err error) { equal(t, "verdict", as[*UnusableError](t, err).Verdict, verdict) }
	}
	tests := map[string]struct {
		account Account
		request ClaimRequest
		refused func(t *testing.T, err error)
	}{
		"another owner's": {stands(bearing("ga-1", "first", ownedBy("colleague"))), request("ga-1", "first"), func(t *testing.T, err error) {
			owner := as[*OwnerError](t, err)
			equal(t, "owners", []string{owner.Recorded, owner.Mine, owner.Account}, []string{"colleague", "pipeline", "b"})
		}},
		"pinned elsewhere": {stands(), request("ga-1", "first", pinnedTo("c")), func(t *testing.T, err error) {
			equal(t, "pin", as[*PinError](t, err).Account, "c")
		}},
		"another cluster, recorded in a later format (F30)": {stands(bearing("ga-1", "first", ofLaterFormat)), request("ga-1", "first", reserving("x")),
			func(t *testing.T, err error) {
				equal(t, "version", as[*NewerRecordError](t, err).Version, RecordVersion+1)
			}},
		"dirty":               {stands(dirty(Dirtied)), request("ga-1", "first"), unusable(Verdict(ClassDirty))},
		"half released":       {stands(dirty(Releasing)), request("ga-1", "first"), unusable(Verdict(ClassReleasing))},
		"deleting":            {stands(terminating), request("ga-1", "first"), unusable(Verdict(ClassDeleting))},
		"shared by now (F24)": {stands(shared), request("ga-1", "first", reserving("x")), unusable(VerdictMoved)},
		"of another pool now": {stands(func(a *Account) { a.EUAccess = true }), request("ga-1", "first"), unusable(VerdictMoved)},
	}
	for name, test := range tests {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.account, account("c"))
			_, err := w.pool().Claim(t.Context(), test.request)
			test.refused(t, err)
			w.wantWrites(t)
			if !strings.Contains(err.Error(), "account b") {
				t.Errorf("the error does not name the account: %v", err)
			}
		})
	}
}

func TestVoidRecordIsNoClaim(t *testing.T) {
	t.Parallel()
	parallel(t, "labels stripped: taken anew, the same account first (F7)", func(t *testing.T) {
		for _, void := range []string{"a", "b", "c", "d"} {
			w := newWorld(t, account("a"), account("b"), account("c"), account("d"))
			w.edit(void, bearing("ga-1", "first", newly))
			claim := w.claim(t, w.pool(), request("ga-1", "first"))
			w.wantWrites(t, void+" tenant=ga-1 +first")
			equal(t, "adopted", claim.Adopted, false)
			if claim.Record.ClaimedAt.Equal(longAgo) {
				t.Error("a new claim bears the date of the void one")
			}
		}
	})
	parallel(t, "another tenant's by now: the own record goes, and nothing else (F27, F43)", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-2"), bearing("ga-1", "first"), bearing("ga-2", "theirs")), account("b"))
		before := w.at("a")
		w.claim(t, w.pool(), request("ga-1", "first"))
		w.wantWrites(t, "b tenant=ga-1 +first", "a -first")
		delete(before.Records, identity("ga-1", "first").Key())
		before.Version = w.at("a").Version
		equal(t, "account of the other tenant", w.at("a"), before)
	})
}

func TestTheSameClaimTwiceInOneRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"), account("b"))
	w.policy = several(1)
	p := w.pool()
	first := w.claim(t, p, request("ga-1", "first", reserving("blue")))
	_, err := p.Claim(t.Context(), request("ga-1", "first", reserving("green")))
	equal(t, "account of the first", as[*DuplicateError](t, err).Account, first.Account.Name)
	equal(t, "writes", len(w.wrote()), 1)
	w.claim(t, w.pool(), request("ga-1", "first", reserving("blue"))) // the next run adopts
	equal(t, "writes", len(w.wrote()), 1)
}

func TestNothingIsClaimedWithoutACountOrAList(t *testing.T) {
	t.Parallel()
	forbidden := &ForbiddenError{Verb: "list", Resource: "shoots", Namespace: namespace, Err: errors.New("no")}
	tests := map[string]func(w *world){
		"count failed (F11)": func(w *world) { w.counter.at("count", 1, fault{answer: forbidden}) },
		"list failed (F17)":  func(w *world) { w.on("list", 1, fault{answer: forbidden}) },
	}
	for name, arrange := range tests {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a"))
			arrange(w)
			p := w.pool()
			_, err := p.Claim(t.Context(), request("ga-1", "first"))
			equal(t, "error", as[*ForbiddenError](t, err), forbidden)
			equal(t, "write calls", w.called("write"), 0)
			w.claim(t, p, request("ga-1", "first")) // the failure does not stick
			w.wantWrites(t, "a tenant=ga-1 +first")
		})
	}
}

// A claim that is cancelled before its write says by what, whether it lists or the process has listed before.
func TestClaimCancelledBeforeTheWriteWritesNothing(t *testing.T) {
	t.Parallel()
	gaveUp := errors.New("the user pressed Ctrl-C")
	for _, listed := range []bool{false, true} {
		w := newWorld(t, account("a"))
		p := w.pool()
		ctx, cancel := context.WithCancelCause(t.Context())
		if listed {
			_, err := p.Preview(t.Context(), aws, "ga-1")
			equal(t, "error", err, nil)
			cancel(gaveUp)
		} else {
			w.counter.at("count", 1, fault{after: func() { cancel(gaveUp) }, deaf: true})
		}
		for range 20 { // where two ways are open, select takes either
			if _, err := p.Claim(ctx, request("ga-1", "first")); !errors.Is(err, gaveUp) {
				t.Fatalf("got error %v, want %v", err, gaveUp)
			}
		}
		equal(t, "write calls", w.called("write"), 0)
	}
}
