package pool

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// memUpcoming has upcoming clusters by the names of bindings; calls of "upcoming" can be made to fail.
type memUpcoming struct {
	script
	changing sync.Mutex
	coming   map[string][]account.User
	hidden   error
}

func (u *memUpcoming) Upcoming(ctx context.Context) (map[string][]account.User, error, error) {
	f := u.enter("upcoming")
	if f.answer != nil || u.hidden != nil {
		return nil, u.hidden, f.answer
	}
	u.changing.Lock()
	defer u.changing.Unlock()
	return maps.Clone(u.coming), nil, f.leave(ctx)
}

func (u *memUpcoming) comes(binding string) {
	u.coming[binding] = []account.User{{Kind: "Cluster", Name: "team-a/live"}}
}

func (u *memUpcoming) gone(binding string) {
	u.changing.Lock()
	defer u.changing.Unlock()
	delete(u.coming, binding)
}

func (u *memUpcoming) goes(binding string) { u.coming[binding][0].Deleting = true }

// beside returns a pool that knows upcoming clusters beside those that are counted.
func (u *memUpcoming) beside(w *world) *Pool {
	return New(namespace, w.memStore, &Counting{Shoots: w.counter, Upcoming: u}, w.policy)
}

// An account to which a cluster is to come is neither marked nor freed, although the cluster is not counted yet.
func TestUpcomingClustersStopARelease(t *testing.T) {
	t.Parallel()
	const fence, opened, marked, freed = "a dirty=releasing +first", "a dirty=clean +first", "a dirty=true -first", "a tenant= dirty=clean -first"
	down := &account.UnreachableError{Verb: "list", Resource: "clusters", Tries: 8, Err: errCut}
	for name, test := range map[string]struct {
		arrange func(w *world, u *memUpcoming)
		inUse   []any // users and AfterFence; nil = it is not in use
		fails   bool
		writes  []string // that end with the mark, where it is neither in use nor unknown
		doubts  int
	}{
		"none is there":        {func(*world, *memUpcoming) {}, nil, false, []string{fence, marked}, 0},
		"one is there":         {func(_ *world, u *memUpcoming) { u.comes("a") }, []any{"Cluster team-a/live", false}, false, nil, 0},
		"it comes to another":  {func(_ *world, u *memUpcoming) { u.comes("b") }, nil, false, []string{fence, marked}, 0},
		"by a binding unknown": {func(_ *world, u *memUpcoming) { u.comes("SecretBinding a") }, []any{"Cluster team-a/live", false}, false, nil, 0},
		"by another binding of the credentials": {func(w *world, u *memUpcoming) {
			w.edit("a", withSecret("s"))
			w.create(sibling("other", "s"))
			u.comes("SecretBinding other")
		}, []any{"Cluster team-a/live", false}, false, nil, 0},
		"beside a Shoot": {func(w *world, u *memUpcoming) { u.comes("a"); w.counter.add("a", "blue") },
			[]any{"Shoot blue, Cluster team-a/live", false}, false, nil, 0},
		"one comes after the fence": {func(_ *world, u *memUpcoming) {
			u.at("upcoming", 2, fault{before: func() { u.comes("a") }})
		}, []any{"Cluster team-a/live", true}, false, []string{fence, opened}, 0},
		"not known before the fence": {func(_ *world, u *memUpcoming) { u.at("upcoming", 1, fault{answer: down}) }, nil, true, nil, 0},
		"not known after the fence":  {func(_ *world, u *memUpcoming) { u.at("upcoming", 2, fault{answer: down}) }, nil, true, []string{fence, opened}, 0},
		"they must not be read":      {func(_ *world, u *memUpcoming) { u.comes("a"); u.hidden = errCut }, nil, false, []string{fence, marked}, 1},
	} {
		for _, mode := range []account.Mode{account.MarkDirty, account.ReturnToPool} {
			parallel(t, name+"/"+string(mode), func(t *testing.T) {
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b", heldBy("ga-1")))
				u := &memUpcoming{coming: map[string][]account.User{}}
				test.arrange(w, u)
				p := u.beside(w)
				_, err := p.Release(t.Context(), ofFirst(mode))
				switch {
				case test.inUse != nil:
					inUse := as[*account.InUseError](t, err)
					equal(t, "users, after the fence", []any{inUse.List(), inUse.AfterFence}, test.inUse)
				case test.fails:
					equal(t, "error", errors.Is(err, down), true)
				default:
					equal(t, "error", err, nil)
				}
				writes := slices.Clone(test.writes)
				if mode == account.ReturnToPool && len(writes) > 0 && writes[len(writes)-1] == marked {
					writes[len(writes)-1] = freed
				}
				w.wantWrites(t, writes...)
				doubts := p.Doubts()
				equal(t, "doubts, and once more", []int{len(doubts), len(p.Doubts())}, []int{test.doubts, 0})
				equal(t, "doubts name Clusters", strings.Contains(strings.Join(doubts, ""), "Clusters that have no Shoot yet"), test.doubts > 0)
			})
		}
	}
}

// A release waits for upcoming clusters that are being deleted, and goes on when they are gone.
func TestReleaseWaitsForUpcomingClustersInDeletion(t *testing.T) {
	t.Parallel()
	virtual(t, "one", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
		u := &memUpcoming{coming: map[string][]account.User{}}
		u.comes("a")
		u.goes("a")
		began := time.Now()
		time.AfterFunc(10*time.Minute, func() {
			w.wantWrites(t)
			u.gone("a")
		})
		outcome, err := u.beside(w).Release(within(t, time.Hour), ofFirst(account.MarkDirty))
		equal(t, "outcome", []any{outcome, err}, []any{protocol.OutcomeDirtied, nil})
		if took := time.Since(began); took < 10*time.Minute || took > 20*time.Minute {
			t.Errorf("took %s", took)
		}
	})
}

// The owner of an account does not take it out of the pool under an upcoming cluster, and a claim does not ask for any.
func TestUpcomingClustersKeepAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"))
	u := &memUpcoming{coming: map[string][]account.User{}}
	u.comes("a")
	p := u.beside(w)
	err := p.Remove(within(t, time.Minute), protocol.RemoveRequest{Name: "a", UID: w.at("a").UID, Unwiped: func(account.Account) {}})
	refused := as[*account.SupplyError](t, err)
	equal(t, "refusal", []any{refused.Obstacle, len(refused.Users)}, []any{account.ObstacleClusters, 1})
	w.wantWrites(t)
	asked := u.called("upcoming")
	_, err = p.Claim(t.Context(), request("ga-1", "first"))
	equal(t, "error", err, nil)
	equal(t, "asked by a claim", u.called("upcoming")-asked, 0)
}

// A claim whose account may have been taken before counts as used where an upcoming cluster is there.
func TestEmptyByUpcomingClusters(t *testing.T) {
	t.Parallel()
	for binding, want := range map[string]bool{"a": false, "SecretBinding other": false, "b": true} {
		w := newWorld(t, anAccount("a", withSecret("s")), anAccount("b"), sibling("other", "s"))
		u := &memUpcoming{coming: map[string][]account.User{}}
		u.comes(binding)
		p := u.beside(w)
		op := newOperation(t.Context())
		equal(t, "error", p.recent(op), nil)
		equal(t, binding+": empty", p.empty(op, "a"), want)
		op.end()
	}
}

// Releases that run side by side share each read of the upcoming clusters, as they share the counts.
func TestReleasesShareUpcomingClusters(t *testing.T) {
	t.Parallel()
	virtual(t, "ten", func(t *testing.T) {
		const n = 10
		w := newWorld(t, held(n)...)
		w.inStep()
		u := &memUpcoming{coming: map[string][]account.User{}}
		w.releaseAll(t, u.beside(w), n, n, account.MarkDirty)
		equal(t, "dirty", w.at("a-009").Dirty, account.Dirtied)
		if asked := u.called("upcoming"); asked < 2 || asked > 4 {
			t.Errorf("%d releases read the upcoming clusters %d times", n, asked)
		}
	})
}
