package protocol

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Accounts that another Global Account holds change nothing of what is chosen, and a refusal counts them all the same: Choose answers as a
// selection among all accounts does, in any pool.
func TestChoose_answersAsAmongAll(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret depends on it
	chance := func(n int) bool { return random.IntN(n) == 0 }
	some := func(i int) account.Account {
		a := anAccount(fmt.Sprintf("a-%d", i), func(a *account.Account) {
			a.UID = a.Name
			a.Shared, a.Internal, a.EUAccess, a.Terminating = chance(8), chance(10), chance(6), chance(15)
			if chance(8) {
				a.HyperscalerType = "gcp"
			}
			if !chance(3) {
				a.Tenant = fmt.Sprintf("ga-%d", random.IntN(4))
			}
			if chance(6) {
				a.Dirty = []account.Dirt{account.Dirtied, account.Releasing, account.Quarantined}[random.IntN(3)]
			}
			if chance(10) {
				a.Unseen = []string{"label"}
			}
		})
		if chance(4) { // of the same cloud account as others
			withSecret(fmt.Sprintf("s-%d", random.IntN(3)))(&a)
		}
		if chance(4) {
			bearing("first")(&a)
		}
		return a
	}
	seen := map[string]int{}
	for range 4000 {
		accounts := make([]account.Account, 1+random.IntN(8))
		var counts account.Counts
		for i := range accounts {
			accounts[i] = some(i)
			counts.Set(accounts[i].Name, random.IntN(3))
		}
		s := snapshotOf(accounts...)
		for i := range accounts {
			if now := some(i); chance(4) {
				s = s.With(now.Name, &now)
			}
		}
		s, err := s.WithCounts(counts, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		f := Facts{Snapshot: s, Now: time.Now()}
		q := account.Query{Target: account.Target{HyperscalerType: "aws", Shared: chance(6), EUAccess: chance(6)}}
		if !chance(6) {
			q.GlobalAccount = fmt.Sprintf("ga-%d", random.IntN(4))
		}
		p := account.Policy{Limits: map[string]int{account.DefaultLimit: 2}, MinBindingsForGuard: random.IntN(3)}
		if chance(2) {
			p.AllowedGlobalAccounts = []string{"*"}
		}
		refused := Refusals{}
		if chance(4) {
			refused.Note(s.Account("a-0"), errors.New("forbidden"))
		}
		got, gotErr := f.Choose(q, p, "", refused)
		want, wantErr := account.Select(refused.without(f.ofType("aws")), f.Places(f.Counts, ""), q, p)
		equal(t, fmt.Sprintf("%v of %v", q, accounts), []any{got, gotErr}, []any{want, wantErr})
		seen[fmt.Sprintf("%s %T", got.Action, gotErr)]++
	}
	if len(seen) < 5 {
		t.Errorf("only these answers came: %v", seen)
	}
}
