package overview

import (
	"fmt"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func recordedAt(t time.Time) func(*account.Record) {
	return func(r *account.Record) { r.ClaimedAt = t }
}

// A record that cannot be read is a problem, and an account with one is not held for nothing.
func TestUnreadableRecordIsAProblem(t *testing.T) {
	t.Parallel()
	garbled := func(a *account.Account) {
		a.Unreadable = []string{account.AnnotationPrefix + "0001", account.AnnotationPrefix + "0002"}
	}
	equal(t, "problems", described(surveyed(account.Counts{}, account.Policy{}, Filter{}, anAccount("a", heldBy("ga-1"), garbled), anAccount("b", garbled))),
		[]string{
			"a unreadable_record: It bears 2 claim records that cannot be read: hap-project.io/claim-0001; hap-project.io/claim-0002.",
			"b unreadable_record: It bears 2 claim records that cannot be read: hap-project.io/claim-0001; hap-project.io/claim-0002.",
		})
}

func TestAccountThatCannotBeWrittenIsAProblem(t *testing.T) {
	t.Parallel()
	accounts := []account.Account{anAccount("a"), anAccount("b")}
	o := Survey(pool.Inventory{Namespace: namespace, Accounts: pointers(accounts)},
		Facts{Unwritable: map[string]string{"b": "its Secret is gone"}}, Filter{}, someDay)
	equal(t, "problems", described(o), []string{"b unwritable: It cannot be written: its Secret is gone."})
}

// A claim without a lease that has been for 30 days on an account without a cluster is a problem. One that waits for its Shoot reserves a
// place, and is none of these.
func TestOldClaims(t *testing.T) {
	t.Parallel()
	old, young := recordedAt(someDay.Add(-30*24*time.Hour)), recordedAt(someDay.Add(-30*24*time.Hour+time.Second))
	want := "a old_claim: No cluster is on it, and 1 claim of ga-1 has been on it for long: blue (owner team-a) since 2026-02-01 14:00 UTC (30 days)."
	for name, test := range map[string]struct {
		account  account.Account
		clusters int
		want     []string
	}{
		"old":                   {anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", old, ownedBy("team-a")), bearing("ga-1", "red", young)), 0, []string{want}},
		"with a cluster":        {anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", old)), 1, nil},
		"with a lease":          {anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", old, leased("8760h"))), 0, nil},
		"waiting for its Shoot": {anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", old, forCluster("shoot-1"))), 0, nil},
		"being released": {anAccount("a", heldBy("ga-1"), dirty(account.Releasing), bearing("ga-1", "blue", old)), 0,
			[]string{"a fence: Its fence (dirty=releasing) keeps new clusters away; its record does not say since when."}},
		"young":          {anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", young)), 0, nil},
		"of unknown age": {anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", recordedAt(time.Time{}))), 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "problems", described(surveyed(clustersOn(map[string]int{"a": test.clusters}), account.Policy{}, Filter{}, test.account)), test.want)
		})
	}
	// Its Shoot is on another account: nothing is reserved for it here.
	counts := clustersOn(map[string]int{"b": 1})
	o := surveyed(counts, several(9), Filter{}, anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", old, ownedBy("team-a"), forCluster("b-1"))),
		anAccount("b", heldBy("ga-1")))
	equal(t, "problems", described(o), []string{want})

	var many []func(*account.Account)
	for i := range 12 {
		many = append(many, bearing("ga-1", fmt.Sprintf("c%02d", i), old))
	}
	text := surveyed(account.Counts{}, several(9), Filter{}, anAccount("a", append(many, heldBy("ga-1"))...)).Problems[0].Text
	equal(t, "end of many", text[len(text)-11:], "and 2 more.")
}
