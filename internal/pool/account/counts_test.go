package account

import (
	"fmt"
	"testing"
	"time"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	var counts Counts
	equal(t, "of nothing", counts.Usage("a"), Usage{})
	counts.Add("a", "blue")
	equal(t, "of a Shoot", counts.Usage("a"), Usage{Clusters: 1, Shoots: 1})
	counts.AddInstances("b", "ga-1", false, 3)
	counts.AddInstances("b", "ga-1", true, 2)
	counts.AddInstances("b", "ga-2", true, 1)
	counts.AddInstances("", "", false, 4)
	usage := counts.Usage("b")
	equal(t, "of rows", usage, Usage{Clusters: 6, Tenants: map[string]int{"ga-1": 5, "ga-2": 1}, Suspended: 3, Instances: 6})
	own, others := usage.Of("ga-1")
	equal(t, "own and others", []int{own, others}, []int{5, 1})
	equal(t, "rows without an account", counts.Unassigned(), 4)
	equal(t, "total", counts.Total(), 7)

	usage.Tenants["ga-1"] = 0
	equal(t, "after a change of the copy", counts.Usage("b").Tenants["ga-1"], 5)
}

func TestSetOverrides(t *testing.T) {
	t.Parallel()
	var counts Counts
	counts.Set("a", 5)
	counts.Set("a", 3)
	counts.Set("b", 0)
	equal(t, "clusters", []int{counts.Clusters("a"), counts.Clusters("b"), counts.Total()}, []int{3, 0, 3})
}

// The broker's database does not know the names of Shoots: no row settles a reservation. Where the database alone counts, a
// reservation ends an hour after the claim. With both sources it ends when its Shoot is counted.
func TestRowsSettleNoReservation(t *testing.T) {
	t.Parallel()
	a := anAccount("a", heldBy("ga-1"), bearing("ga-1", "1", forCluster("blue")))
	rows := Counts{source: SourceDatabase}
	rows.AddInstances("a", "ga-1", false, 1)
	for after, want := range map[time.Duration]int{0: 1, time.Hour - time.Second: 1, time.Hour: 0, 24 * time.Hour: 0} {
		equal(t, after.String()+": reserved beside a row", rows.Reservations(&a, longAgo.Add(after)), want)
	}
	both := Combine(Counts{}, rows, TakeHighest)
	equal(t, "reserved beside a row, with both", both.Reservations(&a, longAgo.Add(24*time.Hour)), 1)
	var shoots Counts
	shoots.Add("a", "blue")
	both = Combine(shoots, rows, TakeHighest)
	equal(t, "reserved beside its Shoot", both.Reservations(&a, longAgo), 0)
}

// A Shoot by another binding of the same credentials is the cluster of a row, where there is one: an account is its tenant's as long as
// each such cluster has a row of the tenant. It counts against the limit as every cluster of the cloud account does.
func TestShootsOfAnotherBindingAreTheClustersOfRows(t *testing.T) {
	t.Parallel()
	var shoots, rows Counts
	by := func() Counts {
		counts, err := Combine(shoots, rows, TakeHighest).Joined(map[string]string{"SecretBinding b": "a"})
		equal(t, "error", err, nil)
		return counts
	}
	shoots.Add("SecretBinding b", "one")
	rows.AddInstances("a", "ga-1", false, 1)
	equal(t, "with its row", by().AllOf("a", "ga-1"), true)
	equal(t, "for another tenant", by().AllOf("a", "ga-2"), false)
	equal(t, "counted", []int{by().Clusters("a"), by().Total(), len(by().Differences())}, []int{1, 1, 0})
	shoots.Add("SecretBinding b", "two")
	equal(t, "one without a row", by().AllOf("a", "ga-1"), false)
	equal(t, "counted", []int{by().Clusters("a"), by().Total(), len(by().Differences())}, []int{2, 2, 1})
	shoots.Add("a", "two") // the Shoot names both bindings
	equal(t, "counted once", []int{by().Clusters("a"), by().Usage("a").Shoots}, []int{2, 2})
}

// A hundred claims of yesterday and the hundred rows of their clusters are a hundred places, by every source.
func TestNoClusterIsCountedTwice(t *testing.T) {
	t.Parallel()
	const n = 100
	a := anAccount("a", heldBy("ga-1"))
	var shoots, rows Counts
	for i := range n {
		name := fmt.Sprintf("cluster-%d", i)
		bearing("ga-1", name, forCluster(name))(&a)
		shoots.Add("a", name)
		rows.AddInstances("a", "ga-1", false, 1)
	}
	rows.source = SourceDatabase
	for name, counts := range map[string]Counts{"gardener": shoots, "database": rows, "both": Combine(shoots, rows, TakeHighest)} {
		taken := Places{Counts: counts, Now: longAgo.Add(24 * time.Hour)}.taken(&a)
		equal(t, name, taken, n)
	}
}

// Rows of others on the account that is chosen are reported, however it is chosen and whether or not it is held by then.
func TestRowsOfOthersOnTheChosenAccountAreReported(t *testing.T) {
	t.Parallel()
	var counts Counts
	counts.AddInstances("a", "ga-2", true, 2)
	counts.AddInstances("a", "ga-1", true, 1)
	const rows = "Global Account ga-1, and 2 rows of the broker's database on it belong to others: ga-2 (2). " +
		"They count against its limit. Find out whether two tenants share it, or a subaccount was moved."
	for name, test := range map[string]struct {
		account Account
		pin     string
		doubts  []string
	}{
		"held":             {anAccount("a", heldBy("ga-1")), "", []string{"Account a is held by " + rows}},
		"held, pinned":     {anAccount("a", heldBy("ga-1")), "a", []string{"Account a is held by " + rows}},
		"free":             {anAccount("a"), "", []string{"Account a goes to " + rows}},
		"free, pinned":     {anAccount("a"), "a", []string{"Account a goes to " + rows}},
		"without any rows": {anAccount("b"), "", nil},
	} {
		parallel(t, name, func(t *testing.T) {
			d, err := Select([]*Account{&test.account}, Places{Counts: counts}, Query{Target: aws, GlobalAccount: "ga-1", Pin: test.pin}, Policy{})
			equal(t, "error", err, nil)
			equal(t, "doubts", d.Doubts, test.doubts)
		})
	}
}

// With both sources, rows that are suspended do not hide Shoots.
func TestSuspendedRowsDoNotHideShoots(t *testing.T) {
	t.Parallel()
	var shoots, rows Counts
	shoots.Add("a", "one")
	shoots.Add("a", "two")
	rows.AddInstances("a", "ga-2", true, 3)
	_, err := Select(pointers([]Account{anAccount("a")}), Places{Counts: Combine(shoots, rows, TakeHighest)}, queryOf(func(*Query) {}), Policy{})
	equal(t, "tally", as[*ExhaustedError](t, err).Tally[ClassOccupied], 1)
}

// F35: shared accounts are least used by Shoots wherever Gardener is asked, as the broker counts them, and by rows where
// the database alone is.
func TestLeastUsedSharedAccountByShoots(t *testing.T) {
	t.Parallel()
	a, b := anAccount("a", shared), anAccount("b", shared)
	var shoots, rows Counts
	shoots.Add("a", "one")
	shoots.Add("b", "two")
	shoots.Add("b", "three")
	rows.AddInstances("a", "ga-2", true, 5) // suspended trials: rows without a Shoot
	rows.AddInstances("b", "ga-1", false, 2)
	for name, test := range map[string]struct {
		counts Counts
		want   string
	}{"gardener": {shoots, "a"}, "both": {Combine(shoots, rows, TakeHighest), "a"}, "database": {rows.ByDatabase(), "b"}} {
		d, err := Select([]*Account{&a, &b}, Places{Counts: test.counts}, Query{Target: Target{HyperscalerType: "aws", Shared: true}, GlobalAccount: "ga-1"}, Policy{})
		equal(t, name+": error", err, nil)
		equal(t, name+": account", d.Account.Name, test.want)
	}
}
