package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// snapshotOf is what one list makes of accounts.
func snapshotOf(accounts ...account.Account) *Snapshot {
	empty := &Snapshot{list: &index{}}
	return empty.WithList(accounts, empty)
}

// seen describes a snapshot by each of its indexes: the accounts by name, those of the type aws, and the bearers of two claims.
func (s *Snapshot) seen() string {
	names := func(accounts []*account.Account) []string {
		out := make([]string, len(accounts))
		for i, a := range accounts {
			out[i] = a.Name + "@" + a.Version
		}
		return slices.Sorted(slices.Values(out))
	}
	bearer := func(name string) string {
		if a := s.Claim(identity(name).Key()); a != nil {
			return a.Name
		}
		return "none"
	}
	return fmt.Sprintf("%s %s %s %s", names(s.Accounts()), names(s.ofType("aws")), bearer("first"), bearer("second"))
}

// A change makes a new snapshot, whose indexes agree, and leaves the old one as it was.
func TestSnapshotIsImmutable(t *testing.T) {
	t.Parallel()
	at := func(version int) func(*account.Account) {
		return func(a *account.Account) { a.UID, a.Version = a.Name, strconv.Itoa(version) }
	}
	gcp := func(a *account.Account) { a.HyperscalerType = "gcp" }
	s := snapshotOf(anAccount("a", at(1), heldBy("ga-1"), bearing("first")), anAccount("b", at(2)), anAccount("c", at(3), gcp))
	const before = "[a@1 b@2 c@3] [a@1 b@2] a none"
	equal(t, "list", s.seen(), before)
	written, moved := anAccount("b", at(4), heldBy("ga-1"), bearing("second")), anAccount("c", at(5))
	freed := anAccount("a", at(6), bearing("first"))
	for _, step := range []struct {
		what string
		next *Snapshot
		want string
	}{
		{"a claim", s.With("b", &written), "[a@1 b@4 c@3] [a@1 b@4] a b"},
		{"another type", s.With("c", &moved), "[a@1 b@2 c@5] [a@1 b@2 c@5] a none"},
		{"no tenant", s.With("a", &freed), "[a@6 b@2 c@3] [a@6 b@2] none none"},
		{"gone", s.With("a", nil), "[b@2 c@3] [b@2] none none"},
		{"a read", s.WithRead("b", &written, s), "[a@1 b@4 c@3] [a@1 b@4] a b"},
		{"a read that is older than a write", s.With("b", &written).WithRead("b", nil, s), "[a@1 b@4 c@3] [a@1 b@4] a b"},
		{"a read that is older than a list", s.WithList([]account.Account{written}, s).WithRead("b", nil, s), "[b@4] [b@4] none b"},
		{"a list", s.With("b", &written).WithList([]account.Account{moved}, s.With("b", &written)), "[c@5] [c@5] none none"},
		{"a list that is older than a write", s.With("b", nil).WithList([]account.Account{moved, written}, s), "[c@5] [c@5] none none"},
	} {
		equal(t, step.what, step.next.seen(), step.want)
		equal(t, "before "+step.what, s.seen(), before)
	}
}

// A pool of 10,000 accounts. What a claim of a run costs in memory and time besides its requests must not grow with the
// number of accounts times the number of claims.
func BenchmarkSnapshot(b *testing.B) {
	accounts := make([]account.Account, 10_000)
	for i := range accounts {
		name := fmt.Sprintf("account-%05d", i)
		accounts[i] = anAccount(name, heldBy("ga-1"), bearing(name))
	}
	b.Run("list", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			snapshotOf(accounts...)
		}
	})
	b.Run("500 claims", func(b *testing.B) {
		listed := snapshotOf(accounts...)
		b.ReportAllocs()
		for b.Loop() {
			s := listed
			for i := range 500 {
				s = s.With(accounts[i].Name, &accounts[i])
				if s.Claim(identity(accounts[i].Name).Key()) == nil {
					b.Fatal("a claim is not found")
				}
			}
		}
	})
}
