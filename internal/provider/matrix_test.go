package provider

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// wholeVariable has the matrices tried whole.
const wholeVariable = "HAP_WHOLE"

// oneIn is how many cases of a matrix there are to each that is tried.
const oneIn = 6

// someOf is a part of the cases of a matrix, by chance, and all of them where [wholeVariable] is set. HAP_SEED repeats a choice. The race
// detector has no part in them: they try very many inputs on the same code, each with a provider of its own.
func someOf[T any](t *testing.T, cases []T) []T {
	t.Helper()
	if os.Getenv(wholeVariable) != "" {
		return cases
	}
	if raceDetector {
		t.Skip("without the race detector, which would take minutes")
	}
	seed := rand.Uint64() //nolint:gosec // chance, not a secret
	if wanted := os.Getenv("HAP_SEED"); wanted != "" {
		var err error
		if seed, err = strconv.ParseUint(wanted, 10, 64); err != nil {
			t.Fatalf("HAP_SEED: %v", err)
		}
	}
	dice := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // chance, not a secret
	dice.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	some := cases[:(len(cases)+oneIn-1)/oneIn]
	t.Logf("%d of %d cases, by the random seed %d: HAP_SEED=%d repeats them, %s=1 tries all", len(some), len(cases), seed, seed, wholeVariable)
	return some
}
