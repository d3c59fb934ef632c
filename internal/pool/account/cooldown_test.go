package account

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const hour = time.Hour

// now is when the accounts of these tests are judged.
var now = longAgo.Add(1000 * hour)

// back is an account that a release has given back, or marked, so long ago.
func back(ago time.Duration) func(*Account) { return func(a *Account) { a.LastHeld = now.Add(-ago) } }

// made is an account that was made so long ago.
func made(ago time.Duration) func(*Account) { return func(a *Account) { a.Made = now.Add(-ago) } }

// claimed is the time of a record.
func claimed(ago time.Duration) func(*Record) { return func(r *Record) { r.ClaimedAt = now.Add(-ago) } }

// cooling leaves accounts alone for three hours.
var cooling = Policy{MinFreeTime: 3 * hour}

// An account is left alone from the last time at which it is known to have been held. No clock keeps it for ever.
func TestCooldown(t *testing.T) {
	t.Parallel()
	bare, other := anAccount("a"), anAccount("SecretBinding aws-1", back(hour), func(a *Account) { a.Sibling = true })
	withTwin := *bare.WithTwins([]*Account{&other})
	for name, test := range map[string]struct {
		account Account
		policy  Policy
		left    time.Duration // for which a claim of ga-1 leaves it alone; 0 = it takes it
	}{
		"it came back an hour ago":            {anAccount("a", back(hour)), cooling, 2 * hour},
		"a moment before the end":             {anAccount("a", back(3*hour-1)), cooling, 1},
		"at the end":                          {anAccount("a", back(3*hour)), cooling, 0},
		"long ago":                            {anAccount("a", back(900*hour)), cooling, 0},
		"no cooldown":                         {anAccount("a", back(0)), Policy{}, 0},
		"no cooldown, a time of the future":   {anAccount("a", back(-hour)), Policy{}, 0},
		"nothing is known":                    {anAccount("a"), cooling, 0},
		"just made, never claimed":            {anAccount("a", made(0)), cooling, 0},
		"a dead record of another tenant":     {anAccount("a", bearing("ga-2", "x", claimed(hour))), cooling, 2 * hour},
		"the later of the two":                {anAccount("a", bearing("ga-2", "x", claimed(2*hour)), back(hour)), cooling, 2 * hour},
		"its own record":                      {anAccount("a", bearing("ga-1", "x", claimed(hour)), back(hour)), cooling, 0},
		"by another binding":                  {withTwin, cooling, 2 * hour},
		"a clock that is fast":                {anAccount("a", back(-hour)), cooling, 4 * hour},
		"a clock that is a day fast":          {anAccount("a", back(-24*hour)), cooling, 0},
		"a clock at the end of time":          {anAccount("a", func(a *Account) { a.LastHeld = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }), cooling, 0},
		"a clock that is slow":                {anAccount("a", back(48*hour)), cooling, 0},
		"the same, beside a time of the past": {anAccount("a", bearing("ga-2", "x", claimed(-9*365*24*hour)), back(hour)), cooling, 2 * hour},
	} {
		want := ClassFree
		if test.left > 0 {
			want = ClassCooling
		}
		equal(t, name+": class", test.policy.Classify(&test.account, Usage{}, "ga-1", now), want)
		if want == ClassCooling {
			equal(t, name+": until", test.policy.CoolsUntil(&test.account, now).Sub(now), test.left)
		}
		for later := now; !later.After(now.Add(6 * hour)); later = later.Add(hour) { // it is left alone twice as long at most
			if class := test.policy.Classify(&test.account, Usage{}, "ga-1", later); later.Equal(now.Add(6*hour)) && class != ClassFree {
				t.Errorf("%s: still %s after %s", name, class, later.Sub(now))
			}
		}
	}
}

// What keeps an account from a claim for another reason is said first.
func TestCooldownIsOfFreeAccountsAlone(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*Account){heldBy("ga-1"), heldBy("ga-2"), shared, internal, dirty(Dirtied), dirty(Quarantined), dirty(Releasing), terminating,
		unseen("dirty=false")} {
		a := anAccount("a", back(hour), change)
		equal(t, "class", cooling.Classify(&a, Usage{}, "ga-1", now), Classify(&a, Usage{}, "ga-1"))
	}
	a := anAccount("a", back(hour))
	equal(t, "occupied", cooling.Classify(&a, Usage{Clusters: 1}, "ga-1", now), ClassOccupied)
}

// A claim passes over accounts that cool down, and says how many there are; it takes none of them although no other is left.
func TestSelectionLeavesCoolingAccountsAlone(t *testing.T) {
	t.Parallel()
	accounts := []Account{anAccount("a", back(hour)), anAccount("b", back(2*hour)), anAccount("c", back(9*hour))}
	places, policy := Places{Now: now}, cooling
	d, err := Select(pointers(accounts), places, queryOf(), policy)
	equal(t, "outcome", []any{outcome(d), err, d.Unclaimed, d.Cooling}, []any{"claim c", nil, 1, 2})
	equal(t, "candidates", verdicts(d.Candidates), []string{"c chosen 0+0/0", "b cooling 0+0/0", "a cooling 0+0/0"})
	equal(t, "why", d.Candidates[1].Why, "no Global Account holds it, and it cools down after its last claim, until "+stamp(now.Add(hour)))
	equal(t, "reason", d.Reason, "Global Account ga-1 holds no account of pool aws yet: c is claimed, one of 1 unclaimed; 2 more cool down.")

	_, err = Select(pointers(accounts[:2]), places, queryOf(), policy)
	exhausted := as[*ExhaustedError](t, err)
	equal(t, "first", exhausted.CoolsUntil, now.Add(hour))
	equal(t, "held", len(exhausted.Held), 0)
	equal(t, "error", err.Error(), "pool aws has no account left to claim for Global Account ga-1 (2 in all: free 0, held 0, dirty 0, internal 0, "+
		"cooling 2); 2 accounts are free, and cool down after the last claim, the first one until "+stamp(now.Add(hour)))

	_, err = Select(pointers(accounts), places, queryOf(func(q *Query) { q.Pin = "a" }), policy)
	equal(t, "pin", as[*PinError](t, err).Why, "no Global Account holds it, and it cools down after its last claim, until "+stamp(now.Add(2*hour)))
	accounts[0].Tenant = "ga-1"
	d, err = Select(pointers(accounts), places, queryOf(), policy)
	equal(t, "one that it holds", []any{outcome(d), err}, []any{"reuse a", nil})
}

// Not more candidates are listed for those that cool down.
func TestCoolingCandidatesAreBounded(t *testing.T) {
	t.Parallel()
	for free := range 12 {
		accounts := freeAccounts(free + 30)
		for i := range accounts[free:] {
			back(hour)(&accounts[free+i])
		}
		d, err := Select(pointers(accounts), Places{Now: now}, queryOf(), cooling)
		if free == 0 {
			equal(t, "cooling", as[*ExhaustedError](t, err).Tally[ClassCooling], 30)
			continue
		}
		equal(t, "candidates, unclaimed, cooling", []any{len(d.Candidates), d.Unclaimed, d.Cooling}, []any{MaxFreeCandidates, free, 30})
	}
}

// With longest_free the account comes first that is free for the longest time; of equals, the order decides in which the tenant always tries
// them. What it held before comes before all.
func TestLongestFree(t *testing.T) {
	t.Parallel()
	accounts := freeAccounts(8)
	for i, change := range []func(*Account){
		back(hour), back(5 * hour), made(9 * hour), func(a *Account) { made(900 * hour)(a); back(2 * hour)(a) }, back(-hour),
		bearing("ga-2", "x", claimed(3*hour)), back(5 * hour), func(*Account) {},
	} {
		change(&accounts[i])
	}
	longest := Policy{Prefer: PreferLongestFree}
	want := []string{"008", "003"}
	if rank("ga-1", "aws-account-002") < rank("ga-1", "aws-account-007") {
		want = append(want, "002", "007")
	} else {
		want = append(want, "007", "002")
	}
	want = append(want, "006", "004", "001", "005")
	for range 10 {
		in := pointers(accounts)
		rand.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		d, err := Select(in, Places{Now: now}, queryOf(), longest)
		var order []string
		for _, c := range d.Candidates {
			order = append(order, strings.TrimPrefix(c.Name, "aws-account-"))
		}
		equal(t, "order, error", []any{order, err}, []any{want, nil})
		equal(t, "reason", d.Reason, "Global Account ga-1 holds no account of pool aws yet: aws-account-008 is claimed, free for the longest time of 8 unclaimed.")
	}
	bearing("ga-1", "x", claimed(0))(&accounts[4])
	d, _ := Select(pointers(accounts), Places{Now: now}, queryOf(), longest)
	equal(t, "the one it held before", d.Account.Name, "aws-account-005")
}

// Without a preference the time says nothing: two processes meet on one account, whatever each of them knows of it.
func TestTheOrderIsTheDefault(t *testing.T) {
	t.Parallel()
	accounts := freeAccounts(60)
	plain := orderOf(accounts...)
	for i := range accounts {
		back(time.Duration(rand.IntN(1000)) * hour)(&accounts[i])
		made(time.Duration(rand.IntN(1000)) * hour)(&accounts[i])
	}
	equal(t, "order", orderOf(accounts...), plain)
	d, err := Select(pointers(accounts), Places{Now: now}, queryOf(), Policy{Prefer: PreferOrder})
	equal(t, "chosen", []any{d.Account.Name, err}, []any{plain[0], nil})
	equal(t, "preferences", fmt.Sprint(Preferences()), "[order longest_free]")
}
