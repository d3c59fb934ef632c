package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// storm makes calls go wrong at random, and lets other parties work on the same accounts meanwhile.
type storm struct {
	w     *world
	mu    sync.Mutex
	rng   *rand.Rand
	crash bool // processes may die
}

// dice returns a number in [0, n).
func (s *storm) dice(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(n)
}

func (s *storm) strike(call string) fault {
	var f fault
	switch s.dice(4) {
	case 0:
		f.before = s.others
	case 1:
		f.after = s.others
	}
	switch n := s.dice(30); {
	case n == 0:
		f.answer = &UnreachableError{Verb: call, Tries: 1, Err: errCut}
	case call != "write":
	case n == 1:
		f.answer = &ForbiddenError{Verb: call, Err: errCut}
	case n == 2 && s.crash:
		f.lost = []loss{crash, crashBefore}[s.dice(2)]
	case n < 10:
		f.lost = []loss{lostBefore, lostAfter, lostOnTheWay}[n%3]
	}
	return f
}

// others is one move of another party: an edit without meaning, the broker that claims an account or puts a cluster on
// one without a dirty label, the clean-up job, a write of ours that arrives late.
func (s *storm) others() {
	name := fmt.Sprintf("aws-account-%03d", 1+s.dice(8))
	switch move := s.dice(12); {
	case move < 6:
		s.w.edit(name, func(*Account) {})
	case move < 7:
		s.w.edit(name, func(a *Account) {
			if a.Tenant == "" && a.Dirty == Clean {
				a.Tenant = "ga-of-the-broker"
			}
		})
	case move < 8: // the clean-up job, as it is: it strips the labels and forgets the rest
		s.w.edit(name, func(a *Account) {
			if a.Dirty == Dirtied {
				stripped(a)
			}
		})
	case move < 9:
		s.w.edit(name, func(a *Account) { // under the store's lock, so that it cannot pass a mark that is being set
			if a.Tenant != "" && a.Dirty == Clean {
				s.w.counter.add(name, fmt.Sprintf("cluster-%d", s.dice(1000)))
			}
		})
	default:
		s.w.deliver()
	}
}

// surviving runs one call of a process that may die in it; the error is errCrashed then.
func surviving(call func() error) (err error) {
	defer func() {
		if died := recover(); died != nil {
			err = errCrashed
		}
	}()
	return call()
}

// bearers returns the accounts on which a claim stands.
func (s *memStore) bearers(key string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name, a := range s.accounts {
		if _, ok := a.Holds(key); ok {
			names = append(names, name)
		}
	}
	return names
}

// TestStorm lets a dozen tenants claim and release eight accounts while everything goes wrong that can. The promises
// are checked on the whole history of each round (history_test.go), and here on what came back to the callers. The
// seed is the name of the failing subtest; goroutines make a round differ from its repetition all the same.
func TestStorm(t *testing.T) {
	t.Parallel()
	base := uint64(time.Now().UnixNano())
	for round := range uint64(300) {
		seed := base + round
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			foreign := []Account{account("f1", heldBy("ga-99")), account("f2", internal), account("f3", shared), account("f4", terminating)}
			w := newWorld(t, append(freeAccounts(8), foreign...)...)
			s := &storm{w: w, rng: rand.New(rand.NewPCG(seed, 0)), crash: round%2 == 0} //nolint:gosec // a test's dice
			if round%3 == 0 {
				w.policy = several(2)
			}
			s.claimAndRelease(t)
			for _, a := range foreign {
				now := w.at(a.Name)
				a.UID, a.Version, a.Credentials = now.UID, now.Version, now.Credentials
				equal(t, "foreign account", now, a)
			}
		})
	}
}

func (s *storm) claimAndRelease(t *testing.T) {
	const n = 12
	w := s.w
	one := w.pool()
	process := func() *Pool {
		if s.crash {
			return w.pool()
		}
		return one
	}
	tenant := func(i int) string { return fmt.Sprintf("ga-%d", i*2/3) } // some have two claims
	name := func(i int) string { return fmt.Sprintf("claim-%d", i) }

	w.storm, w.counter.storm = s.strike, s.strike
	claims := make([]Claim, n)
	errs := together(n, func(i int) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(20+s.dice(200))*time.Millisecond)
		defer cancel()
		return surviving(func() (err error) {
			claims[i], err = process().Claim(ctx, request(tenant(i), name(i), reserving(fmt.Sprintf("mine-%d", i))))
			return err
		})
	})
	w.deliver()
	w.storm, w.counter.storm = nil, nil
	for i, err := range errs {
		stands := w.bearers(identity(tenant(i), name(i)).Key())
		var unknown *UnknownOutcomeError
		switch {
		case err == nil:
			equal(t, "accounts of an acknowledged claim", stands, []string{claims[i].Account.Name})
		case errors.As(err, &unknown) || errors.Is(err, errCrashed):
			if len(stands) > 1 {
				t.Errorf("after %v the claim stands on %v", err, stands)
			}
		default:
			equal(t, fmt.Sprintf("accounts of a claim that failed with %v", err), stands, []string(nil))
		}
	}

	// Each claim is made again in calm weather: it is what it was, or is made now, or there is no account left.
	one = w.pool()
	for i := range claims {
		before := w.bearers(identity(tenant(i), name(i)).Key())
		claim, err := one.Claim(t.Context(), request(tenant(i), name(i), reserving(fmt.Sprintf("mine-%d", i))))
		if err != nil {
			wantError[*ExhaustedError](t, err)
			equal(t, "accounts of a refused claim", before, []string(nil))
			continue
		}
		equal(t, "adopted", claim.Adopted, len(before) == 1)
		if claim.Adopted {
			equal(t, "account", claim.Account.Name, before[0])
		}
		claims[i] = claim
	}

	one = w.pool()
	w.storm, w.counter.storm = s.strike, s.strike
	release := func(ctx context.Context, p *Pool, i int) error {
		if claims[i].Account.Name == "" {
			return nil
		}
		_, err := p.Release(ctx, ReleaseRequest{
			Identity: identity(tenant(i), name(i)), Account: claims[i].Account.Name, UID: claims[i].Account.UID,
			Mode: []Mode{MarkDirty, MarkDirty, Keep}[i%3], Owner: "pipeline",
		})
		return err
	}
	together(n, func(i int) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(20+s.dice(200))*time.Millisecond)
		defer cancel()
		return surviving(func() error { return release(ctx, process(), i) })
	})
	w.deliver()
	w.storm, w.counter.storm = nil, nil

	// And in calm weather again, without clusters, each release comes to its end.
	for _, a := range freeAccounts(8) {
		w.counter.clear(a.Name)
	}
	one = w.pool()
	for i := range claims {
		equal(t, "release", release(t.Context(), one, i), nil)
		equal(t, "accounts of a released claim", w.bearers(identity(tenant(i), name(i)).Key()), []string(nil))
	}
	for _, a := range freeAccounts(8) {
		if now := w.at(a.Name); now.Dirty == Releasing {
			t.Errorf("a fence is left on %+v", now)
		}
	}
}
