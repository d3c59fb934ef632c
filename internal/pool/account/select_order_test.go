package account

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Tenants must not fight over the first account: each tries them in an order of its own.
func TestTenantsSpreadOverTheFreeAccounts(t *testing.T) {
	t.Parallel()
	const tenants, free = 1000, 32
	accounts := freeAccounts(free)
	first, second := map[string]int{}, map[string]int{}
	for i := range tenants {
		d, err := Select(pointers(accounts), Places{}, queryOf(ofTenant(i)), Policy{})
		if err != nil {
			t.Fatal(err)
		}
		first[d.Account.Name]++
		second[d.Candidates[1].Name]++
	}
	for _, a := range accounts {
		// The mean is 31. A fair order leaves this range once in some ten thousand accounts; this one is fixed.
		for place, n := range map[string]int{"first": first[a.Name], "second": second[a.Name]} {
			if n < 11 || n > 54 {
				t.Errorf("%s comes %s for %d of %d tenants, a fair share is %d", a.Name, place, n, tenants, tenants/free)
			}
		}
	}
}

// The order is the same each time, whatever the order of the list is; ten are listed, and all are counted.
func TestOrderOfTheFreeAccounts(t *testing.T) {
	t.Parallel()
	accounts := freeAccounts(200)
	first, same := map[int]string{}, 0
	for range 10 {
		for tenant := range 20 {
			in := pointers(accounts)
			rand.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
			d, err := Select(in, Places{}, queryOf(ofTenant(tenant)), Policy{})
			equal(t, "error, candidates, unclaimed", []any{err, len(d.Candidates), d.Unclaimed}, []any{nil, MaxFreeCandidates, 200})
			order := fmt.Sprint(verdicts(d.Candidates))
			if first[tenant] == "" {
				first[tenant] = order
			}
			equal(t, "order", order, first[tenant])
			equal(t, "chosen", []any{d.Candidates[0].Name, d.Candidates[0].Verdict, d.Candidates[1].Verdict}, []any{d.Account.Name, VerdictChosen, VerdictAvailable})
		}
	}
	for tenant := range 19 {
		if strings.Fields(first[tenant])[0] == strings.Fields(first[tenant+1])[0] {
			same++
		}
	}
	if same > 2 {
		t.Errorf("%d of 19 pairs of Global Accounts begin with the same account", same)
	}
	order := orderOf(accounts...) // the next one comes when the first is taken, to the last
	equal(t, "different accounts", len(slices.Compact(slices.Sorted(slices.Values(order)))), len(accounts))
	d, _ := Select(pointers(accounts), Places{}, queryOf(), Policy{})
	for i, c := range d.Candidates {
		equal(t, fmt.Sprintf("account %d", i+1), order[i], c.Name)
	}
}

// An account that the tenant has held before, and that no tenant holds now, comes first: a process that finds void records of its
// own there takes the same account again (F7), and two processes meet whichever of its claims they make. How many records lie there, and whose claim
// it was, does not count; the others come after them as always.
func TestAccountsThatTheTenantHeldBeforeComeFirst(t *testing.T) {
	t.Parallel()
	plain := orderOf(freeAccounts(60)...)
	for name, test := range map[string]struct {
		changes map[int]func(*Account)
		first   []int // in any order; nil = the order is as always
	}{
		"one":                         {map[int]func(*Account){31: bearing("ga-1", "first")}, []int{31}},
		"another claim":               {map[int]func(*Account){9: bearing("ga-1", "another", newly, ownedBy("colleague"), ofLaterFormat)}, []int{9}},
		"several":                     {map[int]func(*Account){3: bearing("ga-1", "x"), 20: bearing("ga-1", "y"), 59: bearing("ga-1", "z")}, []int{3, 20, 59}},
		"not those of another tenant": {map[int]func(*Account){0: bearing("ga-2", "first"), 31: bearing("ga-3", "first")}, nil},
	} {
		parallel(t, name, func(t *testing.T) {
			accounts := freeAccounts(60)
			var before []string
			for i, change := range test.changes {
				change(&accounts[i])
			}
			for _, i := range test.first {
				before = append(before, accounts[i].Name)
			}
			order := orderOf(accounts...)
			equal(t, "first", slices.Sorted(slices.Values(order[:len(before)])), slices.Sorted(slices.Values(before)))
			equal(t, "the others", order[len(before):], slices.DeleteFunc(slices.Clone(plain), func(name string) bool { return slices.Contains(before, name) }))
			for _, i := range test.first {
				bearing("ga-1", "more")(&accounts[i])
				bearing("ga-2", "x")(&accounts[i])
			}
			equal(t, "with more records", orderOf(accounts...), order)
		})
	}
	for _, why := range []func(*Account){dirty(Dirtied), dirty(Releasing), internal, terminating, heldBy("ga-2"), shared} { // it cannot be used
		accounts := freeAccounts(60)
		accounts[9] = anAccount(accounts[9].Name, bearing("ga-1", "first"), why)
		equal(t, "chosen at all", slices.Contains(orderOf(accounts...), accounts[9].Name), false)
	}
	accounts := freeAccounts(60)
	accounts[9], accounts[50] = anAccount(accounts[9].Name, bearing("ga-1", "first")), anAccount(accounts[50].Name, heldBy("ga-1"))
	d, err := Select(pointers(accounts), Places{}, queryOf(), Policy{})
	equal(t, "not before one that the tenant holds", []any{outcome(d), err}, []any{"reuse " + accounts[50].Name, nil})
}

// One selection in a large pool, in the worst case: all accounts of one pool, most of them free.
func BenchmarkSelect(b *testing.B) {
	accounts := freeAccounts(10_000)
	for i := range accounts[:100] {
		accounts[i] = anAccount(accounts[i].Name, heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue")))
	}
	numbers := map[string]int{}
	for i := range accounts[:100] {
		numbers[accounts[i].Name] = 200
	}
	counts, in, q := clustersOn(numbers), pointers(accounts), queryOf()
	for b.Loop() {
		if d, err := Select(in, Places{Counts: counts}, q, several(200)); err != nil || d.Action != ActionClaim {
			b.Fatal(d.Action, err)
		}
	}
}

// The order of the free accounts is a protocol between processes of all versions: these numbers never change.
func TestRankStaysTheSame(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		globalAccount, account string
		want                   uint64
	}{
		{"ga-1", "aws-7", 0x714ce3246eb86d37}, {"ga-1", "aws-8", 0xe23234803cda969f},
		{"ga-11", "aws-7", 0x9f02c9982fbcfb8d}, {"ga-1", "", 0xe1348f21b7ac46d1},
	} {
		equal(t, test.globalAccount+"/"+test.account, fmt.Sprintf("%016x", rank(test.globalAccount, test.account)),
			fmt.Sprintf("%016x", test.want))
	}
}
