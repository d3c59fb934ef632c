package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

func TestClaimWritesTenantAndRecordInOneWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", internal), anAccount("b", bearing("ga-9", "gone")), anAccount("c", heldBy("ga-2")))
	req := request("ga-1", "first", reserving("blue"))
	req.Request, req.ReleaseMode = account.Request{Plan: "aws", PlatformRegion: "cf-eu10"}, account.Keep
	start := time.Now().UTC().Truncate(time.Second)
	claim := w.claim(t, w.pool(), req)

	w.wantWrites(t, "b tenant=ga-1 +first -gone") // what the tenant before left there is void
	b := w.at("b")
	record, ok := b.Holds(identity("ga-1", "first").Key())
	equal(t, "recorded", ok, true)
	if record.ClaimedAt.Before(start) || record.ClaimedAt.After(time.Now()) {
		t.Errorf("claimed at %v, want now", record.ClaimedAt)
	}
	want := account.Record{
		Name: "first", GlobalAccount: "ga-1", Pool: "aws",
		Details: account.Details{ClusterName: "blue", Owner: "pipeline", Request: req.Request, ReleaseMode: account.Keep}, ClaimedAt: record.ClaimedAt,
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

func TestExistingClaimIsAdopted(t *testing.T) {
	t.Parallel()
	green := reserving("green")
	for name, test := range map[string]struct {
		record  []func(*account.Record)
		request func(*protocol.ClaimRequest)
		written bool
		account func(*account.Account)
	}{
		"as it is (F1)": {[]func(*account.Record){newly, forCluster("green")}, green, false, nil},
		"on an account that the tenant held before": {nil, nil, false, nil},
		"the same, with another cluster name":       {nil, green, true, nil},
		"with another cluster name":                 {[]func(*account.Record){newly, forCluster("blue")}, green, true, nil},
		"with another end":                          {[]func(*account.Record){newly}, ending(account.ReturnToPool), true, nil},
		"with a note of a fence that is gone":       {[]func(*account.Record){newly, fencedSince(longAgo)}, nil, false, nil},
		"with such a note, and another cluster":     {[]func(*account.Record){fencedSince(longAgo)}, green, true, nil},
		"recorded in a later format (F30)":          {[]func(*account.Record){newly, ofLaterFormat}, nil, false, nil},
		"pinned to where it is":                     {[]func(*account.Record){newly}, pinnedTo("b"), false, nil},
		"on an internal account":                    {[]func(*account.Record){newly}, nil, false, internal},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1")), anAccount("b", heldBy("ga-1"), bearing("ga-1", "first", test.record...)), anAccount("c"))
			if test.account != nil {
				w.edit("b", test.account)
			}
			w.counter.fill("b", 7)
			w.policy = several(5) // b is full: another claim would not get it
			req := request("ga-1", "first")
			if test.request != nil {
				test.request(&req)
			}
			was := w.at("b").Records[identity("ga-1", "first").Key()]
			claim := w.claim(t, w.pool(), req)
			w.wantWrites(t, map[bool][]string{true: {"b +first"}}[test.written]...)
			was.ClusterName, was.ReleaseMode = req.ClusterName, req.ReleaseMode // a note of a fence means nothing without one
			equal(t, "record", claim.Record, was)
			// What came and went before is not known: it may have been used.
			equal(t, "account, adopted, used, clusters", []any{claim.Account, claim.Adopted, claim.Used, claim.Clusters}, []any{w.at("b"), true, true, 7})
			equal(t, "reason", claim.Reason, "The claim was on b already, since 2026-03-01T12:00:00Z.")
		})
	}
}

func TestExistingClaimThatCannotBeAdopted(t *testing.T) {
	t.Parallel()
	const first, unusable = `claim "first" of Global Account ga-1 on pool aws `, "belongs on account b, which cannot be used: "
	for name, test := range map[string]struct {
		account func(*account.Account)
		request func(*protocol.ClaimRequest)
		says    string
	}{
		"another owner's": {bearing("ga-1", "first", ownedBy("colleague")), nil,
			first + `is on account b since 2026-03-01T12:00:00Z, recorded by owner "colleague", not by owner "pipeline"`},
		"pinned elsewhere": {heldBy("ga-1"), pinnedTo("c"),
			"account c cannot be used: " + first + "is on account b since 2026-03-01T12:00:00Z and has to be released first"},
		"another cluster, recorded in a later format (F30)": {bearing("ga-1", "first", ofLaterFormat), reserving("x"),
			first + "is recorded on account b in format 2; this version writes format 1"},
		"dirty":               {dirty(account.Dirtied), nil, first + unusable + "it is dirty and waits for the clean-up job"},
		"half released":       {dirty(account.Releasing), nil, first + unusable + "it is being released"},
		"deleting":            {terminating, nil, first + unusable + "it is being deleted"},
		"shared by now (F24)": {shared, reserving("x"), first + unusable + "it belongs to another pool by now"},
		"of another pool now": {func(a *account.Account) { a.EUAccess = true }, nil, first + unusable + "it belongs to another pool by now"},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("b", heldBy("ga-1"), bearing("ga-1", "first"), test.account), anAccount("c"))
			req := request("ga-1", "first")
			if test.request != nil {
				test.request(&req)
			}
			_, err := w.pool().Claim(t.Context(), req)
			equal(t, "error", fmt.Sprint(err), test.says)
			w.wantWrites(t)
		})
	}
}

func TestVoidRecordIsNoClaim(t *testing.T) {
	t.Parallel()
	parallel(t, "labels stripped: taken anew, the same account first (F7)", func(t *testing.T) {
		for _, void := range []string{"a", "b", "c", "d"} {
			w := newWorld(t, anAccount("a"), anAccount("b"), anAccount("c"), anAccount("d"))
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
		w := newWorld(t, anAccount("a", heldBy("ga-2"), bearing("ga-1", "first"), bearing("ga-2", "theirs")), anAccount("b"))
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
	w := newWorld(t, anAccount("a"), anAccount("b"))
	w.policy = several(1)
	p := w.pool()
	first := w.claim(t, p, request("ga-1", "first", reserving("blue")))
	_, err := p.Claim(t.Context(), request("ga-1", "first", reserving("green")))
	equal(t, "account of the first", as[*protocol.DuplicateError](t, err).Account, first.Account.Name)
	equal(t, "writes", len(w.wrote()), 1)
	w.claim(t, w.pool(), request("ga-1", "first", reserving("blue"))) // the next run adopts
	equal(t, "writes", len(w.wrote()), 1)
}

func TestNothingIsClaimedWithoutACountOrAList(t *testing.T) {
	t.Parallel()
	forbidden := &account.ForbiddenError{Verb: "list", Resource: "shoots", Namespace: namespace, Err: errors.New("no")}
	tests := map[string]func(w *world){
		"count failed (F11)": func(w *world) { w.counter.at("count", 1, fault{answer: forbidden}) },
		"list failed (F17)":  func(w *world) { w.on("list", 1, fault{answer: forbidden}) },
	}
	for name, arrange := range tests {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"))
			arrange(w)
			p := w.pool()
			_, err := p.Claim(t.Context(), request("ga-1", "first"))
			equal(t, "error", as[*account.ForbiddenError](t, err), forbidden)
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
		w := newWorld(t, anAccount("a"))
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
