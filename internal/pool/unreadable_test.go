package pool

import (
	"context"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

func TestUnreadableRecordKeepsTheAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call  func(ctx context.Context, w *world, p *Pool) error
		wrote []string
	}{
		"the account does not leave the pool": {func(ctx context.Context, w *world, p *Pool) error {
			w.edit("a", func(a *account.Account) { a.Tenant, a.Records = "", map[string]account.Record{} })
			err := p.Remove(ctx, protocol.RemoveRequest{Name: "a", UID: w.at("a").UID})
			equal(t, "obstacle", as[*account.SupplyError](t, err).Obstacle, account.ObstacleUnreadable)
			return nil
		}, nil},
		"a dirty account does not leave the pool": {func(ctx context.Context, w *world, p *Pool) error {
			w.edit("a", func(a *account.Account) { a.Dirty, a.Records = account.Dirtied, map[string]account.Record{} })
			err := p.Remove(ctx, protocol.RemoveRequest{Name: "a", UID: w.at("a").UID, Alone: true})
			equal(t, "obstacle", as[*account.SupplyError](t, err).Obstacle, account.ObstacleUnreadable)
			return nil
		}, nil},
		"the account does not become shared": {func(ctx context.Context, w *world, p *Pool) error {
			w.edit("a", func(a *account.Account) { a.Tenant, a.Records = "", map[string]account.Record{} })
			_, err := p.Amend(ctx, protocol.AmendRequest{UID: w.at("a").UID, Supply: account.Supply{Name: "a", Target: account.Target{HyperscalerType: "aws", Shared: true}}})
			equal(t, "obstacle", as[*account.SupplyError](t, err).Obstacle, account.ObstacleRecords)
			return nil
		}, nil},
		"a claim that lost the account does not take it back under clusters": {func(ctx context.Context, w *world, p *Pool) error {
			w.edit("a", func(a *account.Account) { a.Tenant = "" })
			w.counter.rows = map[string]string{"a": "ga-1"}
			_, err := p.Update(ctx, w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
			equal(t, "verdict", as[*protocol.UnusableError](t, err).Verdict, account.Verdict(account.ClassOccupied))
			return nil
		}, nil},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly), garbled("ga-1", "second")))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			equal(t, "error", test.call(ctx, w, w.pool()), nil)
			w.wantWrites(t, test.wrote...)
			equal(t, "unreadable", len(w.at("a").Unreadable), 1)
		})
	}
}

// A claim whose own record cannot be read is not made a second time, changed, imported or ended.
func TestOwnRecordThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(ctx context.Context, w *world, p *Pool) error{
		"claim": func(ctx context.Context, _ *world, p *Pool) error {
			_, err := p.Claim(ctx, request("ga-1", "first"))
			return err
		},
		"update": func(ctx context.Context, w *world, p *Pool) error { _, err := p.Update(ctx, w.updateOf()); return err },
		"import": func(ctx context.Context, _ *world, p *Pool) error {
			_, _, err := p.Find(ctx, "ga-1", "a", "first")
			return err
		},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), garbled("ga-1", "first")), anAccount("b"))
			err := as[*account.UnreadableRecordError](t, call(t.Context(), w, w.pool()))
			equal(t, "account", err.Account, "a")
			equal(t, "keys", err.Keys, []string{identity("ga-1", "first").Key()})
			w.wantWrites(t)
		})
	}
}

// What the list said of the record is not believed: it may have been mended since.
func TestUnreadableRecordIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), garbled("ga-1", "first")))
	p := w.pool()
	_, err := p.Inventory(t.Context())
	equal(t, "error", err, nil)
	w.edit("a", func(a *account.Account) { a.Unreadable = nil; bearing("ga-1", "first")(a) })
	equal(t, "adopted", w.claim(t, p, request("ga-1", "first")).Adopted, true)
	w.wantWrites(t)
}

// On an account that no tenant holds such a record is void, whatever it says: the account can be claimed. It stays, and counts from then on,
// because it may be of the same Global Account.
func TestUnreadableRecordOnAFreeAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", garbled("ga-2", "second"), bearing("ga-2", "third")))
	p := w.pool()
	equal(t, "account", w.claim(t, p, request("ga-1", "first")).Account.Name, "a")
	outcome, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
	equal(t, "outcome", []any{outcome, err}, []any{protocol.OutcomeKept, nil})
	w.wantWrites(t, "a tenant=ga-1 +first -third", "a -first")
}

// A cluster may come to an account that bears such a record alone: it protects the account as a claim does.
func TestUnreadableRecordHosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), garbled("ga-1", "first")))
	_, err := w.pool().MayHost(t.Context(), account.HostRequest{Account: "a", Cluster: "blue", Tenant: "ga-1"})
	equal(t, "error", err, nil)
}
