package pool

import (
	"fmt"
	"testing"
)

// What a refresh asks for a claim that exists does not grow with the pool: else a plan of ten times as many claims takes a hundred times as
// long.
func TestInspectDoesNotGrowWithThePool(t *testing.T) { //nolint:paralleltest // what other tests allocate would count
	cost := map[int]float64{}
	for _, n := range []int{50, 1000} {
		w := newWorld(t, held(n)...)
		p := w.pool()
		cost[n] = testing.AllocsPerRun(20, func() {
			s, err := p.Inspect(t.Context(), "ga-7", aws, "first", "a-007", "")
			equal(t, "held, error", fmt.Sprint(s.Held, err), "[a-007] <nil>")
		})
	}
	if cost[1000] > cost[50]+5 {
		t.Errorf("%.0f allocations in a pool of 1000 accounts, %.0f in one of 50", cost[1000], cost[50])
	}
}
