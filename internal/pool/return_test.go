package pool

import (
	"fmt"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// return_to_pool: an account goes back unwiped only where the claim took it from the pool and has not seen it used (F23).

// recordsOfA returns the records on the account a by the names of their claims.
func (w *world) recordsOfA() map[string]account.Record {
	records := map[string]account.Record{}
	for _, r := range w.at("a").Records {
		records[r.GlobalAccount+"/"+r.Name] = r
	}
	return records
}

// An account that is to go back as it is gets its clusters counted once it is taken: the count by which it was chosen is older.
func TestTakenAccountIsCounted(t *testing.T) {
	t.Parallel()
	returning := func(r *protocol.ClaimRequest) { r.ReleaseMode = account.ReturnToPool }
	down := fault{answer: &account.UnreachableError{Verb: "list", Tries: 1, Err: errCut}}
	for name, test := range map[string]struct {
		arrange func(w *world)
		ending  func(*protocol.ClaimRequest)
		used    bool // as the caller gets it
		counts  int
	}{
		"nothing on it":              {func(*world) {}, returning, false, 2},
		"old suspended rows":         {func(w *world) { w.counter.suspended = map[string]int{"a": 2} }, returning, false, 2},
		"a cluster, since the count": {late, returning, true, 2},
		"the read fails":             {func(w *world) { w.counter.at("count", 2, down) }, returning, true, 2},
		"it will be wiped anyway":    {late, func(r *protocol.ClaimRequest) { r.ReleaseMode = account.MarkDirty }, false, 1},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"))
			test.arrange(w)
			claim := w.claim(t, w.pool(), request("ga-1", "first", test.ending))
			equal(t, "used", claim.Used, test.used)
			w.wantWrites(t, "a tenant=ga-1 +first")
			equal(t, "counts", w.counter.called("count"), test.counts)
		})
	}
	virtual(t, "once for all claims that wait", func(t *testing.T) {
		const n = 20
		w := newWorld(t, freeAccounts(n)...)
		slow := func(string) fault { return fault{before: func() { time.Sleep(time.Second) }} }
		w.storm, w.counter.storm = slow, slow
		p := w.pool()
		errs := together(n, func(i int) error {
			claim, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%02d", i), "first", returning))
			equal(t, "used", claim.Used, false)
			return err
		})
		equal(t, "errors", errs, make([]error, n))
		if counts := w.counter.called("count"); counts > n/2 {
			t.Errorf("%d counts for %d claims", counts, n)
		}
	})
	parallel(t, "by every source there is, whichever counts", func(t *testing.T) {
		w := newWorld(t, anAccount("a"))
		rows := newCounter()
		rows.rows["a"] = "ga-2"
		p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: account.SourceGardener}, account.Policy{})
		equal(t, "used", w.claim(t, p, request("ga-1", "first", returning)).Used, true)
	})
	parallel(t, "not one that was held", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-1")))
		w.claim(t, w.pool(), request("ga-1", "first", returning))
		equal(t, "counts", w.counter.called("count"), 1)
	})
}

// late puts a cluster on the account after the count, before the claim is written.
func late(w *world) { w.on("write", 1, fault{before: func() { w.counter.add("a", "theirs") }}) }
