package pool

import "testing"

// What other parties do between our list and our write.

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

// The pool's owner shares the account meanwhile: nothing is written there.
func TestRecordOnAnAccountThatIsSharedStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")), account("b"))
	w.on("write", 1, fault{lost: lostAfter, after: func() { w.edit("a", func(a *Account) { a.Tenant, a.Shared = "", true }) }})
	claim := w.claim(t, w.pool(), request("ga-1", "first"))
	equal(t, "account", claim.Account.Name, "b")
	equal(t, "write calls", w.called("write"), 2)
}
