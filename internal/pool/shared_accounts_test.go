package pool

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

func TestSharedClaimWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", shared), anAccount("b", shared), anAccount("c"))
	w.counter.fill("a", 2)
	p := w.pool()
	for _, ga := range []string{"ga-1", "ga-2"} {
		req := request(ga, "first", reserving("blue"))
		req.Target.Shared = true
		claim := w.claim(t, p, req)
		equal(t, "account", claim.Account, w.at("b"))
		equal(t, "record", []any{claim.Record.Name, claim.Record.Pool, claim.Record.NewlyClaimed}, []any{"first", "aws,shared", false})
		equal(t, "clusters and reserved", []int{claim.Clusters, claim.Reserved}, []int{0, 0})
		_, err := p.Claim(t.Context(), req)
		wantError[*protocol.DuplicateError](t, err)
	}
	equal(t, "calls: list, get, write", []int{w.called("list"), w.called("get"), w.called("write")}, []int{1, 1, 0})
}

// What other parties do between the list and the read.
func TestSharedAccountChangesAfterTheList(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(w *world){
		"deleted":                func(w *world) { w.remove("a") },
		"dirty":                  func(w *world) { w.edit("a", dirty(account.Dirtied)) },
		"deleting":               func(w *world) { w.edit("a", terminating) },
		"internal":               func(w *world) { w.edit("a", internal) },
		"not shared any more":    func(w *world) { w.edit("a", func(a *account.Account) { a.Shared = false }) },
		"in another pool by now": func(w *world) { w.edit("a", func(a *account.Account) { a.HyperscalerType = "gcp" }) },
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", shared), anAccount("b", shared))
			w.on("list", 1, fault{after: func() { between(w) }})
			req := request("ga-1", "first")
			req.Target.Shared = true
			claim := w.claim(t, w.pool(), req)
			equal(t, "account", claim.Account, w.at("b"))
			equal(t, "write calls", w.called("write"), 0)
		})
	}
}
