package scenarios

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// wholeVariable has all rows played.
const wholeVariable = "HAP_WHOLE"

// oneIn is how many rows there are to each that is played.
const oneIn = 3

// sampled is a part of the rows of a table, by chance, and all of them where [wholeVariable] is set, as in make test-all. The rows of such
// a table show one promise at several moments or by several faults. HAP_SEED repeats a choice.
func sampled[T any](t *testing.T, rows map[string]T) map[string]T {
	t.Helper()
	if os.Getenv(wholeVariable) != "" || os.Getenv("TF_ACC") == "" {
		return rows
	}
	names := slices.Sorted(maps.Keys(rows))         // in one order, so that a random seed repeats a choice
	dice := rand.New(rand.NewPCG(randomSeed(t), 0)) //nolint:gosec // no secret depends on it
	dice.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	some := map[string]T{}
	for _, name := range names[:(len(names)+oneIn-1)/oneIn] {
		some[name] = rows[name]
	}
	return some
}

// randomSeed is HAP_SEED, or a new one; the log says which.
func randomSeed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(os.Getenv("HAP_SEED"), 10, 64)
	if err != nil {
		n = rand.Uint64()
	}
	t.Logf("HAP_SEED=%d", n)
	return n
}
