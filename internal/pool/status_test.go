package pool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// What a claim could take now is one number: the unclaimed ones of each selection, and as many claims succeed.
func TestUnclaimedIsOneNumber(t *testing.T) {
	t.Parallel()
	accounts := []account.Account{
		anAccount("free-1"), anAccount("free-2", bearing("ga-1", "before")), anAccount("occupied-1"), anAccount("occupied-2", bearing("ga-1", "before")),
		anAccount("hidden", unseen("tenantName=")), anAccount("internal", internal), anAccount("dirty", dirty(account.Dirtied)),
		anAccount("held", heldBy("ga-1")), anAccount("shared", shared), anAccount("deleting", terminating), anAccount("fenced", dirty(account.Releasing)),
	}
	w := newWorld(t, accounts...)
	w.counter.add("occupied-1", "blue")
	w.counter.add("occupied-2", "green")
	w.counter.add("held", "red")
	w.policy = several(1)
	for _, ga := range []string{"ga-1", "ga-2"} {
		d, err := w.pool().Preview(t.Context(), aws, ga)
		equal(t, "error", err, nil)
		equal(t, "unclaimed for "+ga, d.Unclaimed, 2)
	}
	p := w.pool()
	for i := range 3 {
		_, err := p.Claim(t.Context(), request("ga-new-"+fmt.Sprint(i), "first"))
		equal(t, fmt.Sprintf("claim %d exists", i), err == nil, i < 2)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first", forCluster("blue"))
	sharedPool := account.Target{HyperscalerType: "aws", Shared: true}
	tests := []struct {
		name     string
		target   account.Target
		changes  []func(*account.Account)
		want     account.Drift
		recorded bool
	}{
		{"exists", aws, []func(*account.Account){heldBy("ga-1"), own}, account.DriftNone, true},
		{"exists, without a record", aws, []func(*account.Account){heldBy("ga-1")}, account.DriftNone, false},
		{"internal is no drift: it is held already", aws, []func(*account.Account){heldBy("ga-1"), own, internal}, account.DriftNone, true},
		{"another tenant's (F27)", aws, []func(*account.Account){heldBy("ga-2"), own}, account.DriftForeign, false},
		{"without a tenant (F7)", aws, []func(*account.Account){own}, account.DriftFree, false},
		{"shared (F24)", aws, []func(*account.Account){heldBy("ga-1"), own, shared}, account.DriftShared, true},
		{"shared, and without a tenant", aws, []func(*account.Account){own, shared}, account.DriftShared, false},
		{"being deleted (F8)", aws, []func(*account.Account){heldBy("ga-1"), own, terminating}, account.DriftTerminating, true},
		{"fenced (F22b)", aws, []func(*account.Account){heldBy("ga-1"), own, dirty(account.Releasing)}, account.DriftReleasing, true},
		{"dirty (F9)", aws, []func(*account.Account){heldBy("ga-1"), own, dirty(account.Dirtied)}, account.DriftDirty, true},
		{"in the pool for EU access", aws, []func(*account.Account){heldBy("ga-1"), own, func(a *account.Account) { a.EUAccess = true }}, account.DriftMoved, true},
		{"in another pool", aws, []func(*account.Account){heldBy("ga-1"), own, func(a *account.Account) { a.HyperscalerType = "gcp" }}, account.DriftMoved, true},
		{"the worst counts: foreign before all", aws, []func(*account.Account){heldBy("ga-2"), own, shared, terminating, dirty(account.Dirtied)}, account.DriftForeign,
			false},
		{"the worst counts: terminating before dirty", aws, []func(*account.Account){heldBy("ga-1"), own, terminating, dirty(account.Dirtied)}, account.DriftTerminating,
			true},
		{"shared claim", sharedPool, []func(*account.Account){shared}, account.DriftNone, false},
		{"shared claim, a stray tenant label", sharedPool, []func(*account.Account){shared, heldBy("ga-2")}, account.DriftNone, false},
		{"shared claim, not shared any more", sharedPool, []func(*account.Account){heldBy("ga-2")}, account.DriftMoved, false},
		{"shared claim, dirty", sharedPool, []func(*account.Account){shared, dirty(account.Dirtied)}, account.DriftDirty, false},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.changes...))
			w.counter.fill("a", 2)
			w.policy = several(5)
			s, err := w.pool().Inspect(t.Context(), "ga-1", test.target, "first", "a", w.at("a").UID)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "drift", s.Drift, test.want)
			equal(t, "recorded", s.Recorded, test.recorded)
			if test.recorded {
				equal(t, "record", s.Record.ClusterName, "blue")
				equal(t, "reserved", s.Reserved, 1)
			}
			equal(t, "account and clusters", []any{s.Account.Name, s.Clusters}, []any{"a", 2})
			equal(t, "limit", s.Limit, map[bool]int{false: 5, true: 0}[test.target.Shared])
			w.wantWrites(t)
		})
	}
}

// An account is gone only where the server says so; what cannot be read, or listed, is not known.
func TestInspectOfAnAccountThatIsGone(t *testing.T) {
	t.Parallel()
	existing := anAccount("a", heldBy("ga-1"), bearing("ga-1", "first"))
	for name, test := range map[string]struct {
		account account.Account
		uid     string
		arrange func(w *world)
		drift   account.Drift
		fails   error
	}{
		"deleted":   {anAccount("b"), "uid-1", nil, account.DriftGone, nil},
		"recreated": {existing, "uid-of-the-first-one", nil, account.DriftRecreated, nil},
		"without a hyperscaler type, so no list shows it": {existing, "", func(w *world) {
			w.on("list", 1, fault{before: func() { w.remove("a") }})
			w.on("get", 1, fault{before: func() { w.create(existing); w.edit("a", func(a *account.Account) { a.HyperscalerType = "" }) }})
		}, account.DriftMoved, nil},
		"not read":   {anAccount("b"), "uid-1", func(w *world) { w.on("get", 1, fault{answer: errCut}) }, account.DriftNone, errCut},
		"not listed": {existing, "uid-1", func(w *world) { w.on("list", 1, fault{answer: errCut}) }, account.DriftNone, errCut},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.account)
			if test.arrange != nil {
				test.arrange(w)
			}
			s, err := w.pool().Inspect(t.Context(), "ga-1", aws, "first", "a", test.uid)
			equal(t, "drift, error, recorded", []any{s.Drift, errors.Is(err, test.fails), s.Recorded}, []any{test.drift, true, test.drift == account.DriftMoved})
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	eu := account.Target{HyperscalerType: "aws", EUAccess: true}
	moved := func(a *account.Account) { a.EUAccess = true }
	tests := []struct {
		name     string
		changes  []func(*account.Account)
		target   account.Target
		drift    account.Drift
		recorded bool
	}{
		{"with its record", []func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first"), bearing("ga-1", "second")}, aws, account.DriftNone, true},
		{"without one", []func(*account.Account){heldBy("ga-1"), bearing("ga-1", "second")}, aws, account.DriftNone, false},
		{"dirty", []func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first"), dirty(account.Dirtied)}, aws, account.DriftDirty, true},
		{"moved to another pool since: the record's pool", []func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first"), moved}, aws, account.DriftMoved,
			true},
		{"moved, without a record: the labels' pool", []func(*account.Account){heldBy("ga-1"), bearing("ga-1", "second"), moved}, eu, account.DriftNone, false},
		{"recorded for both: the labels' pool", []func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first"),
			bearing("ga-1", "first", func(r *account.Record) { r.Pool = eu.String() }), moved}, eu, account.DriftNone, true},
		{"a void record does not count", []func(*account.Account){heldBy("ga-1"), bearing("ga-2", "first"), moved}, eu, account.DriftNone, false},
		{"shared", []func(*account.Account){shared, moved}, account.Target{HyperscalerType: "aws", Shared: true, EUAccess: true}, account.DriftNone, false},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.changes...))
			w.counter.fill("a", 3)
			w.policy = several(7)
			s, target, err := w.pool().Find(t.Context(), "ga-1", "a", "first")
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "target", target, test.target)
			equal(t, "drift", s.Drift, test.drift)
			equal(t, "recorded", s.Recorded, test.recorded)
			if test.recorded {
				equal(t, "record", s.Record.Identity(namespace), account.Identity{Namespace: namespace, GlobalAccount: "ga-1", Pool: target.String(), Name: "first"})
			}
			equal(t, "account, with its credentials", s.Account, w.at("a"))
			equal(t, "clusters and limit", []int{s.Clusters, s.Limit}, []int{3, map[bool]int{false: 7, true: 0}[target.Shared]})
			w.wantWrites(t)
		})
	}
	parallel(t, "another tenant's", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-2")), anAccount("b", bearing("ga-1", "first")))
		_, _, err := w.pool().Find(t.Context(), "ga-1", "a", "first")
		equal(t, "error", err.Error(), "account a is held by Global Account ga-2, not by ga-1")
		_, _, err = w.pool().Find(t.Context(), "ga-1", "b", "first")
		equal(t, "error", err.Error(), "account b is held by no Global Account, and not by ga-1")
		wantError[*account.TakenError](t, err)
		_, _, err = w.pool().Find(t.Context(), "ga-1", "c", "first")
		equal(t, "account", as[*account.NotFoundError](t, err).Account, "c")
	})
}

// wanted is one wanted pool for each target.
func wanted(targets ...account.Target) []func(account.Target) bool {
	all := make([]func(account.Target) bool, len(targets))
	for i, target := range targets {
		all[i] = func(t account.Target) bool { return t == target }
	}
	return all
}

func TestMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-9")), anAccount("b", dirty(account.Dirtied), func(a *account.Account) { a.HyperscalerType = "gcp_cf-eu30" }),
		anAccount("c", shared, internal))
	gcp, sharedAWS, azure := account.Target{HyperscalerType: "gcp_cf-eu30"}, account.Target{HyperscalerType: "aws",
		Shared: true}, account.Target{HyperscalerType: "azure"}
	eu := account.Target{HyperscalerType: "aws", EUAccess: true}
	missing, err := w.pool().Missing(t.Context(), wanted(azure, aws, gcp, eu, sharedAWS))
	equal(t, "missing", []any{missing, err}, []any{[]int{0, 3}, nil})
	missing, err = w.pool().Missing(t.Context(), wanted(aws))
	equal(t, "none missing", []any{missing, err}, []any{[]int(nil), nil})
	inRegion := func(prefix string) func(account.Target) bool {
		return func(t account.Target) bool { return strings.HasPrefix(t.HyperscalerType, prefix) }
	}
	missing, err = w.pool().Missing(t.Context(), []func(account.Target) bool{inRegion("gcp_"), inRegion("azure_")})
	equal(t, "missing in any region", []any{missing, err}, []any{[]int{1}, nil})
	w.wantWrites(t)
}

// A claim is looked for where it is recorded now, and one that this run has made is not reported as one on another account.
func TestLocate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first"), bearing("ga-1", "second")))
	p := w.pool()
	locate := func(name string) string {
		at, err := p.Locate(t.Context(), identity("ga-1", name))
		equal(t, "error", err, nil)
		return at
	}
	equal(t, "of another run", locate("first"), "a")
	equal(t, "of none", locate("third"), "")
	w.claim(t, p, request("ga-1", "third"))
	equal(t, "of this run", locate("third"), "")
	w.edit("a", func(a *account.Account) { delete(a.Records, identity("ga-1", "second").Key()) })
	equal(t, "ended since the list", locate("second"), "")
	w.edit("a", func(a *account.Account) { a.Tenant = "ga-2" })
	equal(t, "lost since the list", locate("first"), "")
}

// An account that another provider has made in this run is found, although the list of this process is older. A pool that is there costs
// no further list.
func TestMissingListsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"))
	p := w.pool()
	gcp := account.Target{HyperscalerType: "gcp"}
	missing, err := p.Missing(t.Context(), wanted(aws, gcp))
	equal(t, "missing", []any{missing, err}, []any{[]int{1}, nil})
	w.create(anAccount("b", func(a *account.Account) { a.HyperscalerType = "gcp" }))
	missing, err = p.Missing(t.Context(), wanted(aws, gcp))
	equal(t, "missing after it was made", []any{missing, err}, []any{[]int(nil), nil})
	_, err = p.Missing(t.Context(), wanted(aws, gcp))
	equal(t, "lists, error", []any{w.memStore.calls["list"], err}, []any{2, nil})
}

// Nor does one that waits for the list of a claim fail with the count of that claim.
func TestListIsKeptWithoutItsCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, anAccount("a"))
		w.counter.storm = func(string) fault {
			time.Sleep(time.Second)
			return fault{answer: errors.New("no answer from the broker's database")}
		}
		p := w.pool()
		errs := together(2, func(i int) (err error) {
			if i == 0 {
				_, err = p.Claim(t.Context(), request("ga-1", "first"))
				return err
			}
			time.Sleep(time.Second / 2)
			_, err = p.Missing(t.Context(), wanted(aws))
			return err
		})
		equal(t, "claim fails, check does not", []bool{errs[0] != nil, errs[1] == nil}, []bool{true, true})
		equal(t, "lists", w.memStore.calls["list"], 1)
	})
}

// Whether a pool has an account, and which claims are recorded, is known without a count: the broker's database may be down. The inventory
// is not. All of a process go by one list, and none writes.
func TestWhatNeedsACount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")), anAccount("b", heldBy("ga-2"), dirty(account.Releasing)))
	w.counter.add("b", "blue")
	w.policy = several(7)
	down := errors.New("no answer from the broker's database")
	w.counter.storm = func(string) fault { return fault{answer: down} }
	p := w.pool()
	missing, err := p.Missing(t.Context(), wanted(aws))
	equal(t, "missing", []any{missing, err}, []any{[]int(nil), nil})
	claims, err := p.Claims(t.Context(), ClaimFilter{})
	equal(t, "claims", []any{len(claims), err}, []any{1, nil})
	at, err := p.Locate(t.Context(), identity("ga-1", "first"))
	equal(t, "account", []any{at, err}, []any{"a", nil})
	equal(t, "lists and counts", []int{w.memStore.calls["list"], w.counter.called("count")}, []int{1, 0})
	all, err := p.Inventory(t.Context())
	equal(t, "accounts, error", []any{len(all.Accounts), errors.Is(err, down)}, []any{0, true})

	w.counter.storm = nil
	lists, counts := w.called("list"), w.counter.called("count")
	for range 2 {
		all, err = p.Inventory(t.Context())
		equal(t, "error", err, nil)
		slices.SortFunc(all.Accounts, func(a, b *account.Account) int { return strings.Compare(a.Name, b.Name) })
		equal(t, "holders", []string{all.Accounts[0].Tenant, all.Accounts[1].Tenant}, []string{"ga-1", "ga-2"})
		equal(t, "clusters, namespace, policy", []any{all.Counts.Clusters("b"), all.Namespace, all.Policy}, []any{1, namespace, w.policy})
		_, err = p.Inspect(t.Context(), "ga-1", aws, "first", "a", "")
		equal(t, "error", err, nil)
	}
	equal(t, "lists, counts, reads", []int{w.called("list") - lists, w.counter.called("count") - counts, w.called("get")}, []int{0, 1, 1}) // Locate reads
	w.wantWrites(t)
}

// A count by a list that was there before is as old as that list: neither is used for longer than a minute from then on.
func TestCountIsAsOldAsItsList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
		p := w.pool()
		inspect := func() []int {
			_, err := p.Inspect(t.Context(), "ga-1", aws, "first", "a", "")
			equal(t, "error", err, nil)
			return []int{w.called("list"), w.counter.called("count")}
		}
		_, err := p.Missing(t.Context(), wanted(aws))
		equal(t, "error", err, nil)
		time.Sleep(protocol.MaxAge - time.Second)
		equal(t, "lists and counts by the list that is there", inspect(), []int{1, 1})
		time.Sleep(2 * time.Second)
		equal(t, "lists and counts when it is old", inspect(), []int{2, 2})
	})
}

// Preview names the account that the next claim gets, whatever its name is, and leaves no trace.
func TestPreview(t *testing.T) {
	t.Parallel()
	accounts := map[string][]account.Account{
		"claim": freeAccounts(40),
		"reuse": append(freeAccounts(5), anAccount("a", heldBy("ga-1")), anAccount("b", heldBy("ga-1"))),
		"full":  append(freeAccounts(40), anAccount("b", heldBy("ga-1"))),
	}
	for name, list := range accounts {
		parallel(t, name, func(t *testing.T) {
			for i := range 10 {
				w := newWorld(t, list...)
				w.counter.fill("b", 3)
				w.policy = several(map[string]int{"claim": 9, "reuse": 9, "full": 3}[name])
				p := w.pool()
				claimName := fmt.Sprintf("claim-%d", i)
				d, err := p.Preview(t.Context(), aws, "ga-1")
				if err != nil {
					t.Fatal(err)
				}
				w.wantWrites(t)
				equal(t, "write calls", w.called("write"), 0)
				claim := w.claim(t, p, request("ga-1", claimName))
				equal(t, "account", claim.Account.Name, d.Account.Name)
				equal(t, "reason", claim.Reason, d.Reason)
			}
		})
	}
	parallel(t, "of an exhausted pool", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-2")))
		_, err := w.pool().Preview(t.Context(), aws, "ga-1")
		equal(t, "tally", as[*account.ExhaustedError](t, err).Tally, account.Tally{account.ClassTaken: 1})
	})
}
