// Package race lets many claimers, the broker and the clean-up job work on the same accounts through a faulty network,
// round after round, and then has the history checked: no account handed out twice, no claim lost, nothing written that is
// not ours, nothing released under a cluster. Some claims lose their accounts while they exist and are destroyed late, and
// two processes and the broker make the first claims of the same Global Accounts.
//
// An orphan is a record that no claim owns any more, or an account that its tenant holds for no claim. A second account is
// one that was taken for a Global Account that held one of the pool: where one is allowed, it is a fault if the list behind
// it was older than it may be.
//
// HAP_RACE_ATTEMPTS says how many claims are attempted, HAP_RACE_SEED repeats the choices of a run. The same random seed gives the
// same rounds, faults and moves; how they interleave is up to the machine.
package race

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

const (
	// defaultAttempts is a short run, for every change; `make race` asks for more.
	defaultAttempts = 1000
	// attemptsPerRound bounds a round, and so the history that is kept of it.
	attemptsPerRound = 2500
	// lanes is how many rounds run side by side: most of a round's time its claimers wait.
	lanes = 3
)

// The race suite as a whole.
func TestRace(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs the local Garden: set TF_ACC=1 (make testacc does)")
	}
	attempts := number(t, "HAP_RACE_ATTEMPTS", defaultAttempts)
	seed := number(t, "HAP_RACE_SEED", uint64(time.Now().UnixNano()%1_000_000))
	fmt.Printf("race: %d attempts, random seed %d; to repeat it: make race SEED=%d ATTEMPTS=%d\n", attempts, seed, seed, attempts)

	var (
		total  tally
		mu     sync.Mutex
		began  = time.Now()
		each   = min(attempts/lanes+1, attemptsPerRound)
		rounds = (attempts + each - 1) / each
		next   atomic.Uint64
		racing sync.WaitGroup
	)
	for range lanes {
		racing.Go(func() {
			for n := next.Add(1) - 1; n < rounds && !t.Failed(); n = next.Add(1) - 1 {
				r := newRound(t, rand.New(rand.NewPCG(seed, n)), each) //nolint:gosec // to be repeated, not to be secret
				r.run(t)
				mu.Lock()
				total.add(r.tally)
				fmt.Printf("round %d of %d: %s:\n  %s\n", n+1, rounds, r.shape, &r.tally)
				mu.Unlock()
			}
		})
	}
	racing.Wait()
	fmt.Printf("race: %d rounds in %s, random seed %d\n%s", min(next.Load(), rounds), time.Since(began).Round(time.Second), seed, total.figures())
	if total.doubles+total.orphans > 0 || total.claims == 0 {
		t.Errorf("%d handed out twice, %d orphans, %d claims", total.doubles, total.orphans, total.claims)
	}
}

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv(variable), strconv.FormatUint(otherwise, 10)), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}
