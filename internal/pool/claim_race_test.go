package pool

import "testing"

// What other parties do between our list and our write.

func TestAnotherPartyComesBetweenListAndWrite(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		between func(w *world, first string) // first is the account that the claim tries first
		same    bool                         // the claim ends on that account
		writes  int                          // write calls
	}{
		"a harmless edit does not cost the candidate (F5)": {
			func(w *world, first string) { w.edit(first, func(*Account) {}) }, true, 2,
		},
		"a record of another tenant, void, does not either": {
			func(w *world, first string) { w.edit(first, bearing("ga-2", "void")) }, true, 2,
		},
		"a rival claims it (F5)": {
			func(w *world, first string) { w.edit(first, heldBy("ga-2")) }, false, 2,
		},
		"it becomes dirty": {
			func(w *world, first string) { w.edit(first, dirty(Dirtied)) }, false, 2,
		},
		"it becomes internal": {
			func(w *world, first string) { w.edit(first, internal) }, false, 2,
		},
		"it becomes shared (F24)": {
			func(w *world, first string) { w.edit(first, shared) }, false, 2,
		},
		"it is being deleted (F8)": {
			func(w *world, first string) { w.edit(first, terminating) }, false, 2,
		},
		"it moves to another pool": {
			func(w *world, first string) { w.edit(first, func(a *Account) { a.HyperscalerType = "aws_cf-eu11" }) }, false, 2,
		},
		"it is deleted (F8)": {
			func(w *world, first string) { w.remove(first) }, false, 2,
		},
		"it is recreated, free": {
			func(w *world, first string) { w.create(account(first)) }, true, 2,
		},
		"it is recreated and a rival's": {
			func(w *world, first string) { w.create(account(first, heldBy("ga-2"))) }, false, 2,
		},
		"a rival claims it for the same Global Account": {
			func(w *world, first string) { w.edit(first, heldBy("ga-1")) }, true, 2,
		},
		"a colleague makes the same claim": {
			func(w *world, first string) {
				w.edit(first, heldBy("ga-1"))
				w.edit(first, bearing("ga-1", "first"))
			}, true, 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"), account("b"))
			first := w.firstChoice(t, "ga-1")
			second := map[string]string{"a": "b", "b": "a"}[first]
			var rival Account
			w.on("write", 1, fault{before: func() { test.between(w, first); rival = w.at(first) }})
			claim := w.claim(t, w.pool(), request("ga-1", "first"))
			want := first
			if !test.same {
				want = second
				equal(t, "the account that was lost", w.at(first), rival)
			}
			equal(t, "account", claim.Account, w.at(want))
			equal(t, "tenant", claim.Account.Tenant, "ga-1")
			if _, ok := claim.Account.Holds(identity("ga-1", "first").Key()); !ok {
				t.Error("the claim is not on its account")
			}
			equal(t, "write calls", w.called("write"), test.writes)
		})
	}
}

func TestLastAccountIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"), account("b", dirty(Dirtied)), account("c", heldBy("ga-3")), account("d", internal))
	w.on("write", 1, fault{before: func() { w.edit("a", heldBy("ga-2")) }})
	_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
	equal(t, "tally", as[*ExhaustedError](t, err).Tally, Tally{ClassTaken: 2, ClassDirty: 1, ClassInternal: 1})
	equal(t, "tenant", w.at("a").Tenant, "ga-2")
	w.wantWrites(t)
}

func TestPinnedAccountIsLost(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		between func(w *world)
		refused func(t *testing.T, err error)
	}{
		"to a rival": {func(w *world) { w.edit("a", heldBy("ga-2")) }, func(t *testing.T, err error) {
			equal(t, "tenant", as[*TakenError](t, err).Tenant, "ga-2")
		}},
		"deleted": {func(w *world) { w.remove("a") },
			func(t *testing.T, err error) { equal(t, "account", as[*NotFoundError](t, err).Account, "a") }},
		"dirty": {func(w *world) { w.edit("a", dirty(Dirtied)) }, func(t *testing.T, err error) { wantError[*PinError](t, err) }},
		"moved": {func(w *world) { w.edit("a", func(a *Account) { a.EUAccess = true }) },
			func(t *testing.T, err error) { wantError[*PinError](t, err) }},
		"kept internal": {func(w *world) { w.edit("a", internal) }, func(t *testing.T, err error) { wantError[*PinError](t, err) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"), account("b"))
			w.on("write", 1, fault{before: func() { test.between(w) }})
			_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
			test.refused(t, err)
			w.wantWrites(t)
		})
	}
	t.Run("not at all: a harmless edit", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a"), account("b"))
		w.on("write", 1, fault{before: func() { w.edit("a", func(*Account) {}) }})
		w.claim(t, w.pool(), request("ga-1", "first", pinnedTo("a")))
		w.wantWrites(t, "a tenant=ga-1 +first")
	})
}

// A list is old as soon as it is made: what it says of our own claim has to be looked up before it is believed.
func TestClaimThatStoodWhenTheListWasMade(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(w *world){
		"is another tenant's by now (F27)": func(w *world) {
			w.edit("a", stripped)
			w.edit("a", heldBy("ga-2"))
		},
		"was removed":             func(w *world) { w.edit("a", stripped); w.edit("a", dirty(Dirtied)) },
		"stood on a deleted one":  func(w *world) { w.remove("a") },
		"stood on one made again": func(w *world) { w.create(account("a", heldBy("ga-2"))) },
	} {
		for _, cluster := range []string{"", "blue"} { // adopted as it is, or with a write
			t.Run(name+" "+cluster, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b"))
				var rival Account
				w.on("list", 1, fault{after: func() { between(w); rival = w.at("a") }})
				claim := w.claim(t, w.pool(), request("ga-1", "first", reserving(cluster)))
				w.wantWrites(t, "b tenant=ga-1 +first")
				equal(t, "adopted", claim.Adopted, false)
				equal(t, "account", claim.Account, w.at("b"))
				equal(t, "the account that was lost", w.at("a"), rival)
			})
		}
	}
	t.Run("cannot be looked up: nothing is decided", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b"))
		w.on("get", 1, fault{answer: &ForbiddenError{Verb: "get", Err: errCut}})
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
		wantError[*ForbiddenError](t, err)
		w.wantWrites(t)
	})
	t.Run("the tenant comes to another between look and write", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b"))
		w.on("write", 1, fault{before: func() { w.edit("a", stripped); w.edit("a", heldBy("ga-2")) }})
		claim := w.claim(t, w.pool(), request("ga-1", "first", reserving("blue")))
		w.wantWrites(t, "b tenant=ga-1 +first")
		equal(t, "account", claim.Account, w.at("b"))
	})
}

func TestSharedAccountChangesAfterTheList(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(w *world){
		"deleted":                func(w *world) { w.remove("a") },
		"dirty":                  func(w *world) { w.edit("a", dirty(Dirtied)) },
		"deleting":               func(w *world) { w.edit("a", terminating) },
		"internal":               func(w *world) { w.edit("a", internal) },
		"not shared any more":    func(w *world) { w.edit("a", func(a *Account) { a.Shared = false }) },
		"in another pool by now": func(w *world) { w.edit("a", func(a *Account) { a.HyperscalerType = "gcp" }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", shared), account("b", shared))
			w.on("list", 1, fault{after: func() { between(w) }})
			req := request("ga-1", "first")
			req.Target.Shared = true
			claim := w.claim(t, w.pool(), req)
			equal(t, "account", claim.Account, w.at("b"))
			equal(t, "write calls", w.called("write"), 0)
		})
	}
}

// The same claim under way on two sides: the one that comes second finds the first one's record, whichever way it judges.
func TestReuseSeesAFenceThatCameAfterTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")), account("b"))
	w.on("write", 1, fault{before: func() { w.edit("a", dirty(Releasing)) }})
	claim := w.claim(t, w.pool(), request("ga-1", "first"))
	w.wantWrites(t, "b tenant=ga-1 +first")
	equal(t, "account", claim.Account.Name, "b")
}
