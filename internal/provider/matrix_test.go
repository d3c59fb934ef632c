package provider

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// oneIn is how many cases of a matrix there are to each that is tried.
const oneIn = 10

// someOf is a part of the cases of a matrix, by chance, and all of them where [wholeVariable] is set. Each of the traits of a case, such as
// its object and its cause, is in the part. HAP_SEED repeats a choice. They are tried [oneByOne].
func someOf[T any](t *testing.T, cases []T, traits func(T) []string) []T {
	t.Helper()
	acceptance.OneByOne(t)
	if os.Getenv(acceptance.WholeVariable) != "" {
		return cases
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
	some := sample(cases, (len(cases)+oneIn-1)/oneIn, traits)
	t.Logf("%d of %d cases, by the random seed %d: HAP_SEED=%d repeats them, %s=1 tries all", len(some), len(cases), seed, seed, acceptance.WholeVariable)
	return some
}

// sample takes the first cases that have a trait which none before them has, and then the first of the others.
func sample[T any](cases []T, least int, traits func(T) []string) (some []T) {
	seen := map[string]bool{}
	var others []T
	for _, c := range cases {
		isNew := false
		for _, trait := range traits(c) {
			isNew = isNew || !seen[trait]
			seen[trait] = true
		}
		if isNew {
			some = append(some, c)
		} else {
			others = append(others, c)
		}
	}
	return append(some, others[:min(len(others), max(0, least-len(some)))]...)
}

// Each trait is in a sample, however small, and a sample has no case twice.
func TestSample(t *testing.T) {
	t.Parallel()
	type pair struct{ a, b int }
	var cases []pair
	for a := range 7 {
		for b := range 5 {
			cases = append(cases, pair{a, b})
		}
	}
	rand.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	traits := func(p pair) []string { return []string{fmt.Sprint("a", p.a), fmt.Sprint("b", p.b)} }
	for _, least := range []int{0, 20, 100} {
		some := sample(cases, least, traits)
		if len(some) < min(least, len(cases)) {
			t.Errorf("%d cases of %d, want %d", len(some), len(cases), least)
		}
		seen := map[any]bool{}
		for _, c := range some {
			if seen[c] {
				t.Errorf("%v is there twice", c)
			}
			seen[c], seen[traits(c)[0]], seen[traits(c)[1]] = true, true, true
		}
		if len(seen) != len(some)+7+5 {
			t.Errorf("of %d cases, some trait is in none", len(some))
		}
	}
}
