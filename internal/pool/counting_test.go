package pool

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// source is one side of a count: what it counts, who it says uses an account, or what goes wrong with it.
type source struct {
	counts account.Counts
	users  []account.User
	err    error
	hangs  bool // until its caller gives up
	calls  int
}

func (s *source) answer(ctx context.Context) error {
	s.calls++
	if s.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.err
}

func (s *source) Count(ctx context.Context) (account.Counts, error) { return s.counts, s.answer(ctx) }

func (s *source) Users(ctx context.Context, _ ...string) ([]account.User, error) {
	return s.users, s.answer(ctx)
}

// shoots and rows count so many clusters, by account; "" means rows without one.
func shoots(on map[string]int) *source {
	s := &source{}
	for account, n := range on {
		for i := range n {
			s.counts.Add(account, fmt.Sprintf("%s-%d", account, i))
		}
	}
	return s
}

func rows(on map[string]int) *source {
	s := &source{}
	for account, n := range on {
		s.counts.AddInstances(account, "ga-1", false, n)
	}
	return s
}

func TestF13CountingTakesTheHigherNumberAndTellsEveryDifference(t *testing.T) {
	t.Parallel()
	gardener := shoots(map[string]int{"a": 200, "b": 0, "c": 7, "d": 3, "f": 1})
	database := rows(map[string]int{"a": 150, "b": 5, "c": 7, "": 4})
	database.counts.AddInstances("d", "ga-1", true, 2) // suspended: these have no Shoot
	database.counts.AddInstances("d", "ga-2", false, 3)
	database.counts.AddInstances("g", "ga-2", true, 1)

	differences := []account.Difference{
		{Account: "", Instances: 4},
		{Account: "a", Shoots: 200, Instances: 150},
		{Account: "b", Instances: 5},
		{Account: "d", Shoots: 3, Instances: 5, Suspended: 2},
		{Account: "f", Shoots: 1},
		{Account: "g", Instances: 1, Suspended: 1},
	}
	for _, policy := range []account.Disagreement{"", account.TakeHighest} {
		counts, err := (&Counting{Shoots: gardener, Instances: database, Source: account.SourceBoth, OnDisagreement: policy}).Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for account, want := range map[string]int{"a": 200, "b": 5, "c": 7, "d": 5, "e": 0, "f": 1, "g": 1, "": 0} {
			equal(t, "clusters on "+account, counts.Clusters(account), want)
		}
		equal(t, "total", counts.Total(), 219)
		equal(t, "differences", counts.Differences(), differences)
		equal(t, "rows without an account", counts.Unassigned(), 4)
		equal(t, "usage of d", counts.Usage("d"), account.Usage{Clusters: 5, Shoots: 3, Instances: 5, Suspended: 2,
			Tenants: map[string]int{"ga-1": 2, "ga-2": 3}})
	}

	same := map[string]int{"a": 2, "b": 1}
	counts, err := (&Counting{Shoots: shoots(same), Instances: rows(same), Source: account.SourceBoth, OnDisagreement: account.RefuseToCount}).Count(t.Context())
	equal(t, "they agree: error, differences, total", []any{err, len(counts.Differences()), counts.Total()}, []any{nil, 0, 3})

	counts, err = (&Counting{Shoots: gardener, Instances: database, Source: account.SourceBoth, OnDisagreement: account.RefuseToCount}).Count(t.Context())
	equal(t, "error before the bindings of an account are counted together", err, nil)
	_, err = counts.Joined(nil)
	disagreement := as[*account.DisagreementError](t, err)
	equal(t, "differences of the error", disagreement.Differences, differences)
	for _, want := range []string{"a: 200 Shoots, 150 rows", "b: 0 Shoots, 5 rows", "d: 3 Shoots, 5 rows (2 suspended)",
		"no account is named by 4 rows"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

// Only the chosen sources are asked: with Gardener alone, the database may be down.
func TestF11CountingAsksTheChosenSourcesAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		source            account.Source
		withoutDatabase   bool
		clusters          int
		gardener, brokers int // calls
		fails             bool
	}{
		{source: "", clusters: 5, gardener: 1, brokers: 1},
		{source: "", withoutDatabase: true, clusters: 2, gardener: 1},
		{source: account.SourceGardener, clusters: 2, gardener: 1},
		{source: account.SourceGardener, withoutDatabase: true, clusters: 2, gardener: 1},
		{source: account.SourceDatabase, clusters: 5, brokers: 1},
		{source: account.SourceBoth, clusters: 5, gardener: 1, brokers: 1},
		{source: account.SourceDatabase, withoutDatabase: true, fails: true},
		{source: account.SourceBoth, withoutDatabase: true, fails: true},
		{source: "shoots", withoutDatabase: true, fails: true},
	} {
		gardener, database := shoots(map[string]int{"a": 2}), rows(map[string]int{"a": 5})
		c := &Counting{Shoots: gardener, Source: test.source}
		if !test.withoutDatabase {
			c.Instances = database
		}
		counts, err := c.Count(t.Context())
		equal(t, fmt.Sprintf("%+v: fails", test), err != nil, test.fails)
		equal(t, fmt.Sprintf("%+v: clusters", test), counts.Clusters("a"), test.clusters)
		equal(t, fmt.Sprintf("%+v: calls", test), []int{gardener.calls, database.calls}, []int{test.gardener, test.brokers})
	}
}

// Half a count is none: an error of either source is an error of the count, and it does not wait for the other one.
func TestCountingFailsWithEitherSource(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	broken := &account.UnreachableError{Verb: "list", Resource: "shoots", Tries: 3, Err: errCut}
	for _, test := range []struct{ gardener, database *source }{
		{&source{err: broken}, rows(map[string]int{"a": 1})},
		{shoots(map[string]int{"a": 1}), &source{err: broken}},
		{&source{err: broken}, &source{hangs: true}},
		{&source{hangs: true}, &source{err: broken}},
		{&source{err: broken}, &source{err: broken}},
	} {
		c := &Counting{Shoots: test.gardener, Instances: test.database, Source: account.SourceBoth}
		counts, err := c.Count(ctx)
		equal(t, "error of Count", err, error(broken))
		equal(t, "counts", counts, account.Counts{})
		users, err := c.Users(ctx, "a")
		equal(t, "error of Users", err, error(broken))
		equal(t, "users", users, []account.User(nil))
		if ctx.Err() != nil {
			t.Error("it waited for the other source")
		}
	}
}

// An account is free when neither Gardener nor the broker knows a cluster on it, whichever source counts for the limit.
func TestF21CountingAsksEveryoneWhoMayKnowAUser(t *testing.T) {
	t.Parallel()
	for _, s := range []account.Source{"", account.SourceGardener, account.SourceDatabase, account.SourceBoth} {
		gardener := &source{users: []account.User{{Kind: "Shoot", Name: "blue"}}}
		database := &source{users: []account.User{{Kind: "instance", Name: "1"}, {Kind: "instance", Name: "2"}}}
		users, err := (&Counting{Shoots: gardener, Instances: database, Source: s}).Users(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, string(s)+": users", users, []account.User{{Kind: "Shoot", Name: "blue"}, {Kind: "instance", Name: "1"}, {Kind: "instance", Name: "2"}})
		users, err = (&Counting{Shoots: gardener, Source: s}).Users(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, string(s)+": users without a database", users, []account.User{{Kind: "Shoot", Name: "blue"}})
	}
}
