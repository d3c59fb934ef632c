//go:build !race

package pool

import (
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// moveScenarios are a move beside each party that can be on one of its two bindings, and moves that are killed or interrupted.
func moveScenarios() (all []scenario) {
	own := bearing("ga-1", "first", newly)
	bindings := func(to account.Account) func() []account.Account {
		return twinnedWith("secret-a", old(heldBy("ga-1"), own), to)
	}
	beside := []struct {
		name  string
		party func(s *stage) *explore.Actor
	}{
		{"a claim of its tenant", func(s *stage) *explore.Actor { return s.wants("ga-1", "second") }},
		{"a claim of another tenant", func(s *stage) *explore.Actor { return s.wants("ga-2", "second") }},
		{"the broker, its tenant", func(s *stage) *explore.Actor { return s.broker("ga-1") }},
		{"the broker, another tenant", func(s *stage) *explore.Actor { return s.broker("ga-2") }},
		{"the broker's free step", func(s *stage) *explore.Actor { return s.brokerFrees("a") }},
		{"the clean-up job", func(s *stage) *explore.Actor { return s.cleanUp() }},
		{"a person who gives the new binding to another tenant", func(s *stage) *explore.Actor { return s.person("gives a to ga-2", heldBy("ga-2")) }},
		{"a person who marks the new binding", func(s *stage) *explore.Actor { return s.person("marks a dirty", dirty(account.Dirtied)) }},
	}
	for _, b := range beside {
		all = append(all, scenario{name: "a move and " + b.name, bound: two, accounts: bindings(anAccount("a", heldBy("ga-1"))),
			parties: func(s *stage) []*explore.Actor {
				return []*explore.Actor{s.move(s.leaving(request("ga-1", "first"))), b.party(s)}
			}})
	}
	both := twinnedWith("secret-a", old(heldBy("ga-1"), own, bearing("ga-1", "second")), anAccount("a", heldBy("ga-1")))
	return append(all,
		scenario{name: "a move to a binding without a label, and a claim of another tenant", bound: two, accounts: bindings(anAccount("a")),
			parties: func(s *stage) []*explore.Actor {
				return []*explore.Actor{s.move(s.leaving(request("ga-1", "first"))), s.wants("ga-2", "second")}
			}},
		scenario{name: "two runs of one move", bound: two, accounts: bindings(anAccount("a")), parties: func(s *stage) []*explore.Actor {
			c := s.leaving(request("ga-1", "first"))
			return []*explore.Actor{s.move(c), s.move(c)}
		}},
		scenario{name: "two moves of one tenant", bound: two, accounts: both, parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.move(s.leaving(request("ga-1", "first"))), s.move(s.leaving(request("ga-1", "second")))}
		}},
		scenario{name: "a move, and the release of another claim on the old binding", bound: two, accounts: both,
			parties: func(s *stage) []*explore.Actor {
				second := s.leaving(request("ga-1", "second", ending(account.MarkDirty)))
				second.from = ""
				return []*explore.Actor{s.move(s.leaving(request("ga-1", "first"))), s.release(second)}
			}},
		scenario{name: "a move, and the release of another claim on the new binding", bound: two,
			accounts: bindings(anAccount("a", heldBy("ga-1"), bearing("ga-1", "second"))), parties: func(s *stage) []*explore.Actor {
				return []*explore.Actor{s.move(s.leaving(request("ga-1", "first"))), s.release(s.held(request("ga-1", "second", ending(account.MarkDirty))))}
			}},
		scenario{name: "a move and the release of the same claim", bound: two, accounts: bindings(anAccount("a", heldBy("ga-1"))),
			parties: func(s *stage) []*explore.Actor {
				c, other := s.leaving(request("ga-1", "first")), s.leaving(request("ga-1", "first", ending(account.MarkDirty)))
				other.from = "" // a copy of the state of before
				return []*explore.Actor{s.move(c), s.release(other)}
			}},
		scenario{name: "a move that is interrupted", bound: two, accounts: bindings(anAccount("a")), parties: func(s *stage) []*explore.Actor {
			return s.interrupted(s.move(s.leaving(request("ga-1", "first"))))
		}},
		scenario{name: "a move and a claim of its tenant, and calls that fail", bound: two, callsFail: true, accounts: bindings(anAccount("a")),
			parties: func(s *stage) []*explore.Actor {
				return []*explore.Actor{s.move(s.leaving(request("ga-1", "first"))), s.wants("ga-1", "second")}
			}},
	)
}

// twinnedWith gives accounts the credentials of a Secret, beside a free account with others.
func twinnedWith(secret string, accounts ...account.Account) func() []account.Account {
	return func() []account.Account {
		all := []account.Account{anAccount("c")}
		for _, a := range accounts {
			a = clone(a)
			withSecret(secret)(&a)
			all = append(all, a)
		}
		return all
	}
}
