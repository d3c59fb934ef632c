package pool

import (
	"fmt"
	"testing"
)

// BenchmarkManyAccounts measures what a plan asks of a pool for each of its claims: which account a new one would get, and how one that
// stands is. A pool has an account for each claim, so what goes through all accounts makes a plan grow by the square.
func BenchmarkManyAccounts(b *testing.B) {
	for _, n := range []int{500, 2000} {
		w := &world{memStore: newStore(append(freeAccounts(20), held(n)...)...), counter: newCounter()}
		p := w.pool()
		b.Run(fmt.Sprintf("preview/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := p.Preview(b.Context(), aws, fmt.Sprintf("new-%d", i)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("inspect/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ga, name := fmt.Sprintf("ga-%d", i%n), fmt.Sprintf("a-%03d", i%n)
				if s, err := p.Inspect(b.Context(), ga, aws, "first", name, ""); err != nil || !s.Recorded {
					b.Fatal(s, err)
				}
			}
		})
	}
}

// BenchmarkManyClaims measures a run that makes as many claims as there are accounts: what each of them costs must not grow with their
// number by much. The accounts are free at first, and each claim goes through those that still are.
func BenchmarkManyClaims(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := &world{memStore: newStore(freeAccounts(n)...), counter: newCounter()}
				p := w.pool()
				for i := range n {
					if _, err := p.Claim(b.Context(), request(fmt.Sprintf("ga-%d", i), "first")); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/claim")
		})
	}
}
