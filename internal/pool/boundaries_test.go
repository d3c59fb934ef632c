package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// One case per write boundary: whatever happens at each single write of each call, the same call made once more by
// another process ends as if nothing had happened, and nothing is written twice.

// boundary is one call that writes, with what it does when nothing goes wrong.
type boundary struct {
	name     string
	accounts []Account
	call     func(ctx context.Context, w *world, p *Pool) error
	writes   []string
	bearers  []string // the accounts that bear the claim in the end
	ends     Account  // tenant and dirt of a in the end
	// lost is what becomes of the call when a is another tenant's or gone before the write.
	lost lostAccount
}

// lostAccount says how a call ends whose account is lost: it goes elsewhere, it is refused, or there is nothing to do.
type lostAccount struct {
	elsewhere string // the write
	refused   func(err error) bool
}

func isA[E error](err error) bool {
	var wanted E
	return errors.As(err, &wanted)
}

// spare is a name that ga-1 tries after a.
func spare() string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("spare-%d", i)
		if orderOf("ga-1", account("a"), account(name))[0] == "a" {
			return name
		}
	}
}

func boundaries() []boundary {
	a := func(changes ...func(*Account)) []Account {
		return []Account{account("a", changes...), account(spare())}
	}
	claim := func(changes ...func(*ClaimRequest)) func(context.Context, *world, *Pool) error {
		return func(ctx context.Context, w *world, p *Pool) error {
			c, err := p.Claim(ctx, request("ga-1", "first", changes...))
			if err == nil && c.Account.Version != w.at(c.Account.Name).Version {
				err = fmt.Errorf("the claim is reported as %+v", c.Account)
			}
			return err
		}
	}
	update := func(changes ...func(*UpdateRequest)) func(context.Context, *world, *Pool) error {
		return func(ctx context.Context, w *world, p *Pool) error {
			_, err := p.Update(ctx, w.updateOf(append(changes, func(r *UpdateRequest) { r.UID = uidOfA })...))
			return err
		}
	}
	own := bearing("ga-1", "first", newly, forCluster("blue"))
	elsewhere := lostAccount{elsewhere: spare() + " tenant=ga-1 +first"}
	refused := lostAccount{refused: func(err error) bool { return isA[*TakenError](err) || isA[*NotFoundError](err) }}
	held := Account{Tenant: "ga-1"}
	calls := []boundary{
		{"claim", a(), claim(), []string{"a tenant=ga-1 +first"}, []string{"a"}, held, elsewhere},
		{"claim that reuses", a(heldBy("ga-1")), claim(), []string{"a +first"}, []string{"a"}, held, elsewhere},
		{"claim that adopts", a(heldBy("ga-1"), own), claim(reserving("green")), []string{"a +first"}, []string{"a"}, held, elsewhere},
		{"update", a(heldBy("ga-1"), own), update(), []string{"a +first"}, []string{"a"}, held, refused},
		{"update of an import", a(heldBy("ga-1")), update(), []string{"a +first"}, []string{"a"}, held, refused},
		{"reclaim", a(own), update(func(r *UpdateRequest) { r.Reclaim = true }), []string{"a tenant=ga-1 +first"}, []string{"a"}, held, refused},
	}
	for _, y := range ways() {
		changes := []func(*Account){heldBy("ga-1"), own, dirty(y.dirt)}
		for _, name := range y.others {
			changes = append(changes, bearing("ga-1", name))
		}
		calls = append(calls, boundary{"release: " + y.name, a(changes...), func(ctx context.Context, _ *world, p *Pool) error {
			_, err := p.Release(ctx, ReleaseRequest{Identity: identity("ga-1", "first"), Account: "a", UID: uidOfA, Mode: y.mode, Owner: "pipeline",
				ClaimedAt: longAgo})
			return err
		}, y.writes, nil, y.ends, lostAccount{}})
	}
	return calls
}

// uidOfA is the UID of the first account of a world.
const uidOfA = "uid-1"

// trouble is what happens at one write.
type trouble struct {
	name  string
	fault func(w *world) fault
	dies  bool // the process does
	late  bool // what was sent arrives after the call
	lost  bool // the account is another's, or gone
}

func troubles() []trouble {
	just := func(f fault) func(*world) fault { return func(*world) fault { return f } }
	before := func(do func(w *world)) func(*world) fault {
		return func(w *world) fault { return fault{before: func() { do(w) }} }
	}
	after := func(l loss, do func(w *world)) func(*world) fault {
		return func(w *world) fault { return fault{lost: l, after: func() { do(w) }} }
	}
	edit := func(w *world) { w.edit("a", func(*Account) {}) }
	return []trouble{
		{name: "nothing", fault: just(fault{})},
		{name: "crash before", fault: just(fault{lost: crashBefore}), dies: true},
		{name: "crash after", fault: just(fault{lost: crash}), dies: true},
		{name: "lost before", fault: just(fault{lost: lostBefore})},
		{name: "lost before, then an edit", fault: after(lostBefore, edit)},
		{name: "lost after", fault: just(fault{lost: lostAfter})},
		{name: "lost after, then an edit", fault: after(lostAfter, edit)},
		{name: "lost on the way, arrives before the look", fault: after(lostOnTheWay, func(w *world) { w.deliver() })},
		{name: "lost on the way, arrives in the end", fault: just(fault{lost: lostOnTheWay}), late: true},
		{name: "conflict by an edit", fault: before(edit)},
		{name: byVoidRecord, fault: before(func(w *world) { w.edit("a", bearing("ga-3", "void")) })},
		{name: "conflict by a rival", fault: before(func(w *world) { w.edit("a", stripped); w.edit("a", heldBy("ga-2")) }), lost: true},
		{name: "gone", fault: before(func(w *world) { w.remove("a") }), lost: true},
		{name: "lost before, then a rival", fault: after(lostBefore, func(w *world) { w.edit("a", stripped); w.edit("a", heldBy("ga-2")) }),
			lost: true},
		{name: "lost before, then gone", fault: after(lostBefore, func(w *world) { w.remove("a") }), lost: true},
	}
}

func TestEachWriteBoundary(t *testing.T) {
	t.Parallel()
	for _, b := range boundaries() {
		for _, trouble := range troubles() {
			for n := range b.writes {
				t.Run(fmt.Sprintf("%s/%s at write %d", b.name, trouble.name, n+1), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, b.accounts...)
					equal(t, "uid of a", w.at("a").UID, uidOfA)
					w.on("write", n+1, trouble.fault(w))
					if trouble.dies {
						dying(t, func() { _ = b.call(context.Background(), w, w.pool()) })
					} else {
						b.wantEnd(t, b.call(t.Context(), w, w.pool()), trouble)
					}
					if trouble.late {
						w.deliver()
					}
					written, sent := w.wrote(), w.called("write")
					b.wantEnd(t, b.call(t.Context(), w, w.pool()), trouble)
					if !trouble.dies {
						equal(t, "write calls of the second process", w.called("write"), sent)
						equal(t, "writes of the second process", w.wrote(), written)
					}
					b.wantState(t, w, trouble, n)
				})
			}
		}
	}
}

// wantEnd checks how a call came back.
func (b boundary) wantEnd(t *testing.T, err error, trouble trouble) {
	t.Helper()
	if trouble.lost && b.lost.refused != nil {
		equal(t, fmt.Sprintf("refused with %v", err), b.lost.refused(err), true)
		return
	}
	equal(t, "error", err, nil)
}

// wantState checks what stands in the end, and everything that was written on the way there.
func (b boundary) wantState(t *testing.T, w *world, trouble trouble, n int) {
	t.Helper()
	bearers := w.bearers(identity("ga-1", "first").Key())
	if !trouble.lost {
		equal(t, "accounts that bear the claim", bearers, b.bearers)
		w.wantWrites(t, b.written(trouble, n)...)
		a := w.at("a")
		equal(t, "tenant and dirt", []any{a.Tenant, a.Dirty}, []any{b.ends.Tenant, b.ends.Dirty})
		return
	}
	writes := slices.Clone(b.writes[:n])
	if b.lost.elsewhere != "" {
		writes = append(writes, b.lost.elsewhere)
		equal(t, "accounts that bear the claim", bearers, []string{spare()})
	} else {
		equal(t, "accounts that bear the claim", bearers, []string(nil))
	}
	if strings.HasPrefix(b.name, "release") && w.at("a").UID != "" { // its own record goes, also from the account of another tenant (F31)
		writes = append(writes, "a -first")
	}
	w.wantWrites(t, writes...)
	if a := w.at("a"); a.UID != "" {
		equal(t, "tenant and dirt of the account that was lost", []any{a.Tenant, a.Dirty}, []any{"ga-2", Clean})
	}
}

// written is what the call writes in spite of the trouble at write n. A claim that takes a free account clears what another
// tenant has left there in the meantime.
func (b boundary) written(trouble trouble, n int) []string {
	writes := slices.Clone(b.writes)
	if trouble.name == byVoidRecord && slices.Contains([]string{"claim", "reclaim"}, b.name) {
		writes[n] = strings.Replace(writes[n], "+first", "-void +first", 1)
	}
	return writes
}

// byVoidRecord is the trouble that another tenant's void record appears just before the write.
const byVoidRecord = "conflict by a void record"

// F1: a claim that stands is taken up by the next process without a write, and without sending one.
func TestNextProcessWritesNothing(t *testing.T) {
	t.Parallel()
	for _, b := range boundaries() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, b.accounts...)
			for run := range 5 {
				equal(t, fmt.Sprintf("error of run %d", run+1), b.call(t.Context(), w, w.pool()), nil)
			}
			w.wantWrites(t, b.writes...)
			equal(t, "write calls", w.called("write"), len(b.writes))
		})
	}
}
