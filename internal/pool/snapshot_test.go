package pool

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// snapshotOf is what one list makes of accounts.
func snapshotOf(accounts ...Account) *snapshot {
	empty := &snapshot{list: &index{}}
	return empty.withList(accounts, empty)
}

// seen describes a snapshot by each of its indexes: the accounts by name, those of the type aws, and the bearers of two claims.
func (s *snapshot) seen() string {
	names := func(accounts []*Account) []string {
		out := make([]string, len(accounts))
		for i, a := range accounts {
			out[i] = a.Name + "@" + a.Version
		}
		return slices.Sorted(slices.Values(out))
	}
	bearer := func(name string) string {
		if a := s.claim(identity("ga-1", name).Key()); a != nil {
			return a.Name
		}
		return "none"
	}
	return fmt.Sprintf("%s %s %s %s", names(s.accounts()), names(s.ofType("aws")), bearer("first"), bearer("second"))
}

// A change makes a new snapshot, whose indexes agree, and leaves the old one as it was.
func TestSnapshotIsImmutable(t *testing.T) {
	t.Parallel()
	at := func(version int) func(*Account) {
		return func(a *Account) { a.UID, a.Version = a.Name, strconv.Itoa(version) }
	}
	gcp := func(a *Account) { a.HyperscalerType = "gcp" }
	s := snapshotOf(account("a", at(1), heldBy("ga-1"), bearing("ga-1", "first")), account("b", at(2)), account("c", at(3), gcp))
	const before = "[a@1 b@2 c@3] [a@1 b@2] a none"
	equal(t, "list", s.seen(), before)
	written, moved := account("b", at(4), heldBy("ga-1"), bearing("ga-1", "second")), account("c", at(5))
	freed := account("a", at(6), bearing("ga-1", "first"))
	for _, step := range []struct {
		what string
		next *snapshot
		want string
	}{
		{"a claim", s.with("b", &written), "[a@1 b@4 c@3] [a@1 b@4] a b"},
		{"another type", s.with("c", &moved), "[a@1 b@2 c@5] [a@1 b@2 c@5] a none"},
		{"no tenant", s.with("a", &freed), "[a@6 b@2 c@3] [a@6 b@2] none none"},
		{"gone", s.with("a", nil), "[b@2 c@3] [b@2] none none"},
		{"a read", s.withRead("b", &written, s), "[a@1 b@4 c@3] [a@1 b@4] a b"},
		{"a read that is older than a write", s.with("b", &written).withRead("b", nil, s), "[a@1 b@4 c@3] [a@1 b@4] a b"},
		{"a read that is older than a list", s.withList([]Account{written}, s).withRead("b", nil, s), "[b@4] [b@4] none b"},
		{"a list", s.with("b", &written).withList([]Account{moved}, s.with("b", &written)), "[c@5] [c@5] none none"},
		{"a list that is older than a write", s.with("b", nil).withList([]Account{moved, written}, s), "[c@5] [c@5] none none"},
	} {
		equal(t, step.what, step.next.seen(), step.want)
		equal(t, "before "+step.what, s.seen(), before)
	}
}

// The order of the free accounts is a protocol between processes of all versions: these numbers never change.
func TestRankStaysTheSame(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		globalAccount, account string
		want                   uint64
	}{
		{"ga-1", "aws-7", 0x714ce3246eb86d37}, {"ga-1", "aws-8", 0xe23234803cda969f},
		{"ga-11", "aws-7", 0x9f02c9982fbcfb8d}, {"ga-1", "", 0xe1348f21b7ac46d1},
	} {
		equal(t, test.globalAccount+"/"+test.account, fmt.Sprintf("%016x", rank(test.globalAccount, test.account)),
			fmt.Sprintf("%016x", test.want))
	}
}

// A pool of 10,000 accounts. What a claim of a run costs in memory and time besides its requests must not grow with the
// number of accounts times the number of claims.
func BenchmarkSnapshot(b *testing.B) {
	accounts := make([]Account, 10_000)
	for i := range accounts {
		name := fmt.Sprintf("account-%05d", i)
		accounts[i] = account(name, heldBy("ga-1"), bearing("ga-1", name))
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
				s = s.with(accounts[i].Name, &accounts[i])
				if s.claim(identity("ga-1", accounts[i].Name).Key()) == nil {
					b.Fatal("a claim is not found")
				}
			}
		}
	})
}
