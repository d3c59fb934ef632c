package race

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// tally counts what claimers heard, and what the history says.
type tally struct {
	attempts, claims, adopted, released, refused uint64
	doubles, orphans, conflicts, seconds         int
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
	var inUse *account.InUseError
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

// kind names an error by the message for the user.
func kind(err error) string {
	for name, is := range map[string]bool{
		"exhausted":   errors.As(err, new(*account.ExhaustedError)),
		"unknown":     errors.As(err, new(*account.UnknownOutcomeError)),
		"unreachable": errors.As(err, new(*account.UnreachableError)),
		"conflict":    errors.As(err, new(*account.ConflictError)),
		"unusable":    errors.As(err, new(*protocol.UnusableError)),
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
	t.doubles, t.orphans = t.doubles+other.doubles, t.orphans+other.orphans
	t.conflicts, t.seconds = t.conflicts+other.conflicts, t.seconds+other.seconds
	if t.failures == nil {
		t.failures = map[string]int{}
	}
	for name, n := range other.failures {
		t.failures[name] += n
	}
	t.latencies = append(t.latencies, other.latencies...)
}

// latency is how long the given share of the claims took at most.
func (t *tally) latency(share float64) time.Duration {
	if len(t.latencies) == 0 {
		return 0
	}
	slices.Sort(t.latencies)
	return t.latencies[int(share*float64(len(t.latencies)-1))].Round(time.Millisecond)
}

func (t *tally) conflictsPerClaim() float64 { return float64(t.conflicts) / float64(max(t.claims, 1)) }

// errors lists the kinds of errors.
func (t *tally) errors() string {
	var failures []string
	for _, name := range slices.Sorted(maps.Keys(t.failures)) {
		failures = append(failures, fmt.Sprintf("%s %d", name, t.failures[name]))
	}
	return strings.Join(failures, ", ")
}

// String is the tally in one line.
func (t *tally) String() string {
	return fmt.Sprintf("%d attempts, %d claims, %d handed out twice, %d orphans, %d second accounts, %.2f conflicts per claim, "+
		"latency median %s, 99%% %s, worst %s", t.attempts, t.claims, t.doubles, t.orphans, t.seconds, t.conflictsPerClaim(),
		t.latency(0.5), t.latency(0.99), t.latency(1))
}

// figures is the tally as a table.
func (t *tally) figures() string {
	var b strings.Builder
	for _, row := range []struct {
		name  string
		value any
	}{
		{"attempts", t.attempts},
		{"claims", fmt.Sprintf("%d, %d of them found again", t.claims, t.adopted)},
		{"releases", fmt.Sprintf("%d, and %d refused", t.released, t.refused)},
		{"handed out twice", t.doubles},
		{"orphans", t.orphans},
		{"second accounts", t.seconds},
		{"conflicts per claim", fmt.Sprintf("%.2f", t.conflictsPerClaim())},
		{"latency", fmt.Sprintf("median %s, 99%% %s, worst %s", t.latency(0.5), t.latency(0.99), t.latency(1))},
		{"errors", t.errors()},
	} {
		fmt.Fprintf(&b, "  %-20s %v\n", row.name, row.value)
	}
	return b.String()
}
