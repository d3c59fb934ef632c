package pool

import (
	"testing"
)

// Records outlive what they speak of: the broker and the clean-up job take the labels away and leave the annotations.

// A claim that lost its label is made again where no cluster lives, or where every one is known to be the tenant's: a record
// of the tenant alone does not say whose the clusters are.
func TestReclaimLooksAtTheClusters(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first")
	others := func(a *Account) { own(a); bearing("ga-2", "second")(a) } // a claim of ga-2 was made beside the void record
	for name, test := range map[string]struct {
		change  func(*Account)
		cluster bool
		row     string
		refused bool
	}{
		"nothing on it":                                {own, false, "", false},
		"clusters that no row names":                   {own, true, "", true},
		"its own row":                                  {own, false, "ga-1", false},
		"its own row, no record":                       {stripped, false, "ga-1", false},
		"its own row, and a cluster that no row names": {own, true, "ga-1", true},
		"its own row, and another tenant's record":     {others, false, "ga-1", true},
		"clusters, and another tenant's record":        {others, true, "", true},
		"another tenant's row":                         {own, false, "ga-2", true},
		"another tenant's row, no record":              {stripped, false, "ga-2", true},
		"clusters, and no record":                      {stripped, true, "", true},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", test.change))
			if test.cluster {
				w.counter.add("a", "blue")
			}
			if test.row != "" {
				w.counter.rows = map[string]string{"a": test.row}
			}
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
			if !test.refused {
				equal(t, "error", err, nil)
				w.wantWrites(t, "a tenant=ga-1 +first")
				return
			}
			equal(t, "verdict", as[*UnusableError](t, err).Verdict, Verdict(ClassOccupied))
			w.wantWrites(t)
		})
	}
}

// A run that replaced the claim was killed before it wrote its state: that names the old account, and the claim stands on
// the new one. It is not made to stand on both.
func TestUpdateDoesNotPutAClaimOnASecondAccount(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]func(*Account){"freed": stripped, "still the tenant's": heldBy("ga-1")} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", old), account("b", heldBy("ga-1"), bearing("ga-1", "first")))
			p := w.pool()
			_, err := p.Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
			elsewhere := as[*ElsewhereError](t, err)
			equal(t, "accounts", []string{elsewhere.Account, elsewhere.Other}, []string{"a", "b"})
			w.wantWrites(t)

			w.edit("b", func(a *Account) { clear(a.Records) }) // what the list said of it is not believed
			_, err = p.Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
			equal(t, "error", err, nil)
			equal(t, "accounts of the claim", w.bearers(identity("ga-1", "first").Key()), []string{"a"})
		})
	}
}

// A claim went from a to b when a was freed under it. Another claim of the tenant that takes a does not bring it back.
func TestClaimDoesNotReviveOneThatStandsElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", bearing("ga-1", "first", newly), bearing("ga-1", "nowhere")),
		account("b", heldBy("ga-1"), bearing("ga-1", "first")))
	w.policy = several(1)
	w.counter.add("b", "full")
	claim := w.claim(t, w.pool(), request("ga-1", "second"))
	equal(t, "account", claim.Account.Name, "a")
	equal(t, "accounts of the first", w.bearers(identity("ga-1", "first").Key()), []string{"b"})
	equal(t, "accounts of one that stands nowhere", w.bearers(identity("ga-1", "nowhere").Key()), []string{"a"}) // some state may have it
}

// A claim that takes a free account clears what other tenants have left there, and leaves what its own has: those claims may
// stand in some state, and count again now. A claim that comes to an account which its tenant holds clears nothing: a
// record goes by its own claim, or by a claim that takes the free account (I6).
func TestClaimClearsVoidRecordsOfOthers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tenant  func(*Account)
		records int
	}{"free": {stripped, 2}, "held": {heldBy("ga-1"), 4}} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", test.tenant, bearing("ga-1", "before"), bearing("ga-2", "first"), bearing("ga-3", "first", ofLaterFormat)))
			w.claim(t, w.pool(), request("ga-1", "first"))
			records := w.recordsOfA()
			equal(t, "records", len(records), test.records)
			equal(t, "the tenant's own", records["ga-1/before"], recordOf("ga-1", "before"))
			equal(t, "the new one", records["ga-1/first"].Name, "first")
		})
	}
}

// Nor does one that takes its own account back.
func TestReclaimDoesNotReviveOneThatStandsElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", bearing("ga-1", "first"), bearing("ga-1", "second", newly)),
		account("b", heldBy("ga-1"), bearing("ga-1", "second")))
	_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
	equal(t, "error", err, nil)
	equal(t, "accounts of the first", w.bearers(identity("ga-1", "first").Key()), []string{"a"})
	equal(t, "accounts of the second", w.bearers(identity("ga-1", "second").Key()), []string{"b"})
}

// A claim of this identity by another owner is left alone wherever it is: no error says how to get at it.
func TestUpdateMeetsAnOwnerOnAnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")), account("b", heldBy("ga-1"),
		bearing("ga-1", "first", func(r *Record) { r.Owner = "colleague" })))
	_, err := w.pool().Update(t.Context(), w.updateOf())
	owner := as[*OwnerError](t, err)
	equal(t, "account and owner", []string{owner.Account, owner.Recorded}, []string{"b", "colleague"})
	w.wantWrites(t)
}
