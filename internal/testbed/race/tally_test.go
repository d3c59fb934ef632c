package race

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// tally counts what claimers were told, and what the history says.
type tally struct {
	attempts, claims, adopted, released, refused uint64
	doubles, orphans, conflicts                  int
	failures                                     map[string]int // by kind of error
	latencies                                    []time.Duration
}

// counting is a tally that many may write to.
type counting struct {
	sync.Mutex
	tally
}

func (c *counting) attempt(took time.Duration, adopted bool, err error) {
	c.Lock()
	defer c.Unlock()
	c.attempts++
	if err != nil {
		c.fail(err)
		return
	}
	c.claims++
	if adopted {
		c.adopted++
	}
	c.latencies = append(c.latencies, took)
}

// succeeded is how many claims were made so far, by all.
func (c *counting) succeeded() uint64 {
	c.Lock()
	defer c.Unlock()
	return c.claims
}

func (c *counting) release(err error) {
	c.Lock()
	defer c.Unlock()
	var inUse *pool.InUseError
	switch {
	case err == nil:
		c.released++
	case errors.As(err, &inUse):
		c.refused++
	default:
		c.fail(err)
	}
}

func (t *tally) fail(err error) {
	if t.failures == nil {
		t.failures = map[string]int{}
	}
	t.failures[kind(err)]++
}

// kind names an error by what the user would be told.
func kind(err error) string {
	for name, is := range map[string]bool{
		"exhausted":   errors.As(err, new(*pool.ExhaustedError)),
		"unknown":     errors.As(err, new(*pool.UnknownOutcomeError)),
		"unreachable": errors.As(err, new(*pool.UnreachableError)),
		"conflict":    errors.As(err, new(*pool.ConflictError)),
		"unusable":    errors.As(err, new(*pool.UnusableError)),
	} {
		if is {
			return name
		}
	}
	return fmt.Sprintf("%T", err)
}

func (t *tally) add(other tally) {
	t.attempts, t.claims, t.adopted = t.attempts+other.attempts, t.claims+other.claims, t.adopted+other.adopted
	t.released, t.refused = t.released+other.released, t.refused+other.refused
	t.doubles, t.orphans, t.conflicts = t.doubles+other.doubles, t.orphans+other.orphans, t.conflicts+other.conflicts
	if t.failures == nil {
		t.failures = map[string]int{}
	}
	for name, n := range other.failures {
		t.failures[name] += n
	}
	t.latencies = append(t.latencies, other.latencies...)
}

// String is the tally in one line.
func (t tally) String() string {
	slices.Sort(t.latencies)
	at := func(share float64) time.Duration {
		if len(t.latencies) == 0 {
			return 0
		}
		return t.latencies[int(share*float64(len(t.latencies)-1))].Round(time.Millisecond)
	}
	var failures []string
	for _, name := range slices.Sorted(maps.Keys(t.failures)) {
		failures = append(failures, fmt.Sprintf("%s %d", name, t.failures[name]))
	}
	return fmt.Sprintf("%d attempts, %d claims (%d of them found again), %d released, %d releases refused, %d double hand-outs, %d orphans, "+
		"%.2f conflicts per claim, latency median %s, 99%% %s, worst %s, errors: %s", t.attempts, t.claims, t.adopted, t.released, t.refused,
		t.doubles, t.orphans, float64(t.conflicts)/float64(max(t.claims, 1)), at(0.5), at(0.99), at(1), strings.Join(failures, ", "))
}
