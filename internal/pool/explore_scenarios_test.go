//go:build !race

package pool

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// two is the bound of all scenarios: two faults and two preemptions.
var two = explore.Bound{Faults: 2, Preemptions: 2}

// scenarios are what the explorer visits.
func scenarios() []scenario {
	return slices.Concat(claimScenarios, releaseScenarios(), updateScenarios, supplyScenarios, twinScenarios, moveScenarios(), interruptScenarios,
		failingScenarios())
}

var claimScenarios = []scenario{
	{name: "two claims of one tenant", bound: two, accounts: free(2), check: oneAccount, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.wants("ga-1", "second")}
	}},
	{name: "two claims of one tenant, one cluster each account", bound: two, policy: several(1), accounts: free(3), check: fewClaims(1),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.wants("ga-1", "first", reserving("c1")), s.wants("ga-1", "second", reserving("c2"))}
		}},
	{name: "two claims of one tenant in one process", bound: two, accounts: free(2), check: oneAccount, parties: func(s *stage) []*explore.Actor {
		return s.together(s.wants("ga-1", "first"), s.wants("ga-1", "second"))
	}},
	{name: "two claims of two tenants", bound: two, accounts: free(2), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.wants("ga-2", "first")}
	}},
	{name: "two claims of two tenants in one process, one account", bound: two, accounts: free(1), check: noneIsFree, parties: func(s *stage) []*explore.Actor {
		return s.together(s.wants("ga-1", "first"), s.wants("ga-2", "first"))
	}},
	{name: "two claims of two tenants in one process that name one account", bound: two, accounts: one("a"), check: noneIsFree,
		parties: func(s *stage) []*explore.Actor {
			return s.together(s.wants("ga-1", "first", pinnedTo("a")), s.wants("ga-2", "first", pinnedTo("a")))
		}},
	{name: "two claims of one tenant, and one of another tenant in the process of the first", bound: two, accounts: free(3),
		check: oneAccount, parties: func(s *stage) []*explore.Actor {
			return append(s.together(s.wants("ga-2", "first"), s.wants("ga-1", "first")), s.wants("ga-1", "second"))
		}},
	{name: "two claims of two tenants, one account", bound: two, accounts: free(1), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.wants("ga-2", "first")}
	}},
	{name: "two runs of one claim", bound: two, accounts: free(2), check: oneAccount, parties: func(s *stage) []*explore.Actor {
		c := s.standing(request("ga-1", "first"))
		return []*explore.Actor{s.claim(c), s.claim(c)}
	}},
	{name: "a claim and the broker, one tenant", bound: two, accounts: free(2), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.broker("ga-1")}
	}},
	{name: "a claim and the broker, two tenants", bound: two, accounts: free(2), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.broker("ga-2")}
	}},
	{name: "a claim that names its account, and the broker, two tenants", bound: two, accounts: one("a"), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first", pinnedTo("a")), s.broker("ga-2")}
	}},
	{name: "two claims of one tenant, which has held its second choice before", bound: two, check: oneAccount, accounts: func() []account.Account {
		return []account.Account{anAccount("aws-account-001", bearing("ga-1", "first")), anAccount("aws-account-002")}
	}, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.wants("ga-1", "second")}
	}},
	{name: "a claim on an account of its tenant, and a person who frees it", bound: two, accounts: heldAnd("b"), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.person("frees a", stripped)}
	}},
	{name: "a claim on an account of its tenant, and a person who gives it to another", bound: two, accounts: heldAnd("b"),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.wants("ga-1", "first"), s.person("gives a to ga-2", heldBy("ga-2"))}
		}},
	{name: "the next run of a claim, and a person who gives its account to another", bound: two, accounts: heldAndFree,
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.wants("ga-1", "first", reserving("blue")), s.person("gives a to ga-2", heldBy("ga-2"))}
		}},
	{name: "a claim, and a person who makes its account anew", bound: two, accounts: one("a"), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.replaced()}
	}},
	{name: "a claim that waits, and the clean-up job", bound: two, accounts: one("a", heldBy("ga-2"), dirty(account.Dirtied)), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.waits("ga-1", "first"), s.cleanUp()}
	}},
	{name: "a claim that waits, and a release", bound: two, accounts: one("a", heldBy("ga-2"), bearing("ga-2", "first", newly)),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.waits("ga-1", "first"), s.ends("ga-2", "first", account.ReturnToPool)}
		}},
	{name: "a claim that waits for an account to cool down, and a release", bound: explore.Bound{Faults: 1, Preemptions: 1}, policy: coolsFor(time.Minute),
		accounts: one("a", heldBy("ga-2"), bearing("ga-2", "first", newly)), parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.waits("ga-1", "first"), s.ends("ga-2", "first", account.ReturnToPool)}
		}},
	{name: "a claim that waits for an account to cool down, a release and the clean-up job", bound: explore.Bound{Faults: 1, Preemptions: 1}, policy: coolsFor(3 * time.Minute),
		accounts: one("a", heldBy("ga-2"), bearing("ga-2", "first", newly)), parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.waits("ga-3", "second"), s.ends("ga-2", "first", account.MarkDirty), s.cleanUp()}
		}},
	{name: "two claims of one tenant, which prefer what is free for the longest time", bound: two, policy: account.Policy{Prefer: account.PreferLongestFree},
		check: oneAccount, accounts: func() []account.Account {
			return []account.Account{anAccount("a", lastHeld(time.Hour)), anAccount("b", lastHeld(2*time.Hour))}
		}, parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.wants("ga-1", "first"), s.wants("ga-1", "second")}
		}},
	{name: "a claim, the broker's free step and the clean-up job", bound: two, accounts: free(2), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.brokerFrees("aws-account-002"), s.cleanUp()} // its first choice
	}},
	{name: "a claim that has left a record, and the broker for another tenant", bound: two, check: noDeadRecord("ga-1", "first"),
		accounts: func() []account.Account {
			return []account.Account{anAccount("a", heldBy("ga-2"), bearing("ga-1", "first")), anAccount("b")}
		},
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.wants("ga-1", "first"), s.broker("ga-2")}
		}},
	{name: "a claim on an account with a dead record, and the broker", bound: two, check: ownRecords("ga-2"), accounts: one("a", bearing("ga-1", "dead")),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.wants("ga-2", "first"), s.broker("ga-1")}
		}},
	{name: "two claims of one tenant and the broker", bound: two, accounts: free(2), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.wants("ga-1", "second"), s.broker("ga-1")}
	}},
	{name: "a claim, and a person who takes the tenant away", bound: two, accounts: one("a"), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.person("takes the tenant of a away", func(a *account.Account) { a.Tenant = "" })}
	}},
	{name: "a claim, and a person who shares its account", bound: two, accounts: heldAnd("b"), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.person("shares a", func(a *account.Account) { a.Tenant, a.Shared = "", true })}
	}},
	{name: "a claim, and a person who gives the account to another", bound: two, accounts: one("a"), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.person("gives a to ga-2", heldBy("ga-2"))}
	}},
}

// releaseScenarios are a release of each kind beside each party that can be on its account.
func releaseScenarios() (all []scenario) {
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
		{"a person who marks it", func(s *stage) *explore.Actor { return s.person("marks a dirty", dirty(account.Dirtied)) }},
		{"a person who takes the tenant away", func(s *stage) *explore.Actor {
			return s.person("takes the tenant of a away", func(a *account.Account) { a.Tenant = "" })
		}},
		{"a person who gives it to another tenant", func(s *stage) *explore.Actor {
			return s.person("gives a to ga-2, and takes the records away", func(a *account.Account) { a.Tenant, a.Records = "ga-2", map[string]account.Record{} })
		}},
		{"a change of the pool's owner", func(s *stage) *explore.Actor {
			supply := supplyNamed("a")
			supply.Labels = map[string]string{"team": "x"}
			return s.amend(supply)
		}},
	}
	for _, mode := range []account.Mode{account.MarkDirty, account.ReturnToPool, account.Keep} {
		for _, b := range beside {
			all = append(all, scenario{name: fmt.Sprintf("a release (%s) and %s", mode, b.name), bound: two, accounts: heldAndFree,
				parties: func(s *stage) []*explore.Actor {
					return []*explore.Actor{s.ends("ga-1", "first", mode), b.party(s)}
				}})
		}
	}
	both := func() []account.Account {
		return []account.Account{anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly), bearing("ga-1", "second"))}
	}
	ofTwo := func() []account.Account {
		return []account.Account{
			anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b", heldBy("ga-2"), bearing("ga-2", "first", newly)),
		}
	}
	return append(all,
		scenario{name: "two releases on one account", bound: two, accounts: both, parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.ends("ga-1", "second", account.MarkDirty)}
		}},
		scenario{name: "two releases on one account, one of which keeps it", bound: two, accounts: both, parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.ends("ga-1", "second", account.Keep)}
		}},
		scenario{name: "two releases on one account in one process", bound: two, accounts: both, parties: func(s *stage) []*explore.Actor {
			return s.together(s.ends("ga-1", "first", account.MarkDirty), s.ends("ga-1", "second", account.MarkDirty))
		}},
		scenario{name: "two releases of two tenants in one process", bound: two, accounts: ofTwo, parties: func(s *stage) []*explore.Actor {
			return s.together(s.endsAfter(0, "ga-1", account.MarkDirty), s.endsAfter(0, "ga-2", account.ReturnToPool))
		}},
		scenario{name: "two releases of two tenants in one process, and the broker for one of them", bound: explore.Bound{Faults: 1, Preemptions: 2}, accounts: ofTwo,
			parties: func(s *stage) []*explore.Actor {
				return append(s.together(s.endsAfter(graceTime/3, "ga-1", account.MarkDirty), s.ends("ga-2", "first", account.MarkDirty)), s.broker("ga-2"))
			}},
		scenario{name: "two runs of one release", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
			c := s.held(request("ga-1", "first", ending(account.MarkDirty)))
			return []*explore.Actor{s.release(c), s.release(c)}
		}},
		scenario{name: "a release of an account that its tenant has lost, and the broker, its tenant", bound: two, accounts: one("a", bearing("ga-1", "first", newly)),
			parties: func(s *stage) []*explore.Actor {
				return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.broker("ga-1")}
			}},
		scenario{name: "a release, and a person who makes its account anew", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.replaced()}
		}},
		scenario{name: "a release, the broker for its tenant, and a person who takes the fence down", bound: two,
			accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
				return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.broker("ga-1"), s.person("takes the label dirty away", dirty(account.Clean))}
			}},
		scenario{name: "a release, the broker's free step and the clean-up job", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.brokerFrees("a"), s.cleanUp()}
		}},
		scenario{name: "a release, a claim and the broker, one tenant", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.wants("ga-1", "second"), s.broker("ga-1")}
		}},
		scenario{name: "a return to the pool, a claim of another tenant and the broker", bound: two, accounts: heldAndFree,
			parties: func(s *stage) []*explore.Actor {
				return []*explore.Actor{s.ends("ga-1", "first", account.ReturnToPool), s.wants("ga-2", "second"), s.broker("ga-1")}
			}},
	)
}

var updateScenarios = []scenario{
	{name: "an update and a release", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		c := s.held(request("ga-1", "first", ending(account.MarkDirty)))
		return []*explore.Actor{s.update(c, false), s.release(c)}
	}},
	{name: "an update and the broker's free step", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.update(s.held(request("ga-1", "first")), false), s.brokerFrees("a")}
	}},
	{name: "a take-back and a claim of another tenant", bound: two, accounts: one("a", bearing("ga-1", "first")), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.update(s.held(request("ga-1", "first")), true), s.wants("ga-2", "first")}
	}},
	{name: "a take-back and the broker for another tenant", bound: two, accounts: one("a", bearing("ga-1", "first")),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.update(s.held(request("ga-1", "first")), true), s.broker("ga-2")}
		}},
	{name: "a take-back, a claim of its tenant and the clean-up job", bound: two,
		accounts: one("a", heldBy("ga-1"), dirty(account.Dirtied), bearing("ga-1", "first")), parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.update(s.held(request("ga-1", "first")), true), s.wants("ga-1", "second"), s.cleanUp()}
		}},
}

var supplyScenarios = []scenario{
	{name: "an addition and a claim", bound: two, accounts: one("b", heldBy("ga-2")), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.add(supplyNamed("a")), s.waits("ga-1", "first")}
	}},
	{name: "two additions of one account", bound: two, accounts: one("b", heldBy("ga-2")), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.add(supplyNamed("a")), s.add(supplyNamed("a"))}
	}},
	{name: "two additions of one name that differ", bound: two, accounts: one("b", heldBy("ga-2")), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.add(supplyNamed("a")), s.add(european("a"))}
	}},
	{name: "a quarantine and a claim", bound: two, accounts: free(1), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.amend(putAside("aws-account-001")), s.wants("ga-1", "first")}
	}},
	{name: "a quarantine and a release", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.amend(putAside("a")), s.ends("ga-1", "first", account.MarkDirty)}
	}},
	{name: "the end of a quarantine, and the broker", bound: two, accounts: one("a", dirty(account.Quarantined), func(a *account.Account) { a.Quarantine = "why" }),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.amend(supplyNamed("a")), s.broker("ga-1")}
		}},
	{name: "a move to another pool, and a claim", bound: two, accounts: free(1), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.amend(european("aws-account-001")), s.wants("ga-1", "first")}
	}},
	{name: "a move to another pool, and the broker", bound: two, accounts: free(1), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.amend(european("aws-account-001")), s.broker("ga-1")}
	}},
	{name: "a removal and a claim", bound: two, accounts: free(2), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.takeOut("aws-account-001"), s.wants("ga-1", "first")}
	}},
	{name: "a removal and the broker", bound: two, accounts: free(1), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.takeOut("aws-account-001"), s.broker("ga-1")}
	}},
	{name: "a removal and a release", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.takeOut("a"), s.ends("ga-1", "first", account.MarkDirty)}
	}},
	{name: "a removal, a claim and a quarantine", bound: two, accounts: free(1), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.takeOut("aws-account-001"), s.wants("ga-1", "first"), s.amend(putAside("aws-account-001"))}
	}},
}

var twinScenarios = []scenario{
	{name: "one cloud account twice, two tenants", bound: two, accounts: twinned(anAccount("a"), anAccount("b")), parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.wants("ga-1", "first"), s.wants("ga-2", "first")}
	}},
	{name: "one cloud account twice, two tenants in one process", bound: two, accounts: twinned(anAccount("a"), anAccount("b")),
		parties: func(s *stage) []*explore.Actor {
			return s.together(s.wants("ga-1", "first"), s.wants("ga-2", "first"))
		}},
	{name: "one cloud account twice, a claim and the broker for its tenant", bound: two, accounts: twinned(anAccount("a"), anAccount("b")),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.wants("ga-1", "first"), s.broker("ga-1")}
		}},
	{name: "one cloud account twice, a release and the broker for its tenant", bound: two,
		accounts: twinned(anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b", heldBy("ga-1"))),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.broker("ga-1")}
		}},
	{name: "one cloud account twice, a release and a claim of its tenant", bound: two,
		accounts: twinned(anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b", heldBy("ga-1"))),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.wants("ga-1", "second")}
		}},
	{name: "one cloud account twice, a release and the broker's free step", bound: two,
		accounts: twinned(anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b", heldBy("ga-1"))),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.brokerFrees("b")}
		}},
	{name: "a release, and a person who makes another binding of its credentials for its tenant", bound: two, accounts: heldAndFree,
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.inTime("makes z for ga-1", func() {
				s.create(anAccount("z", heldBy("ga-1"), withSecret("secret-a")))
			})}
		}},
	{name: "one cloud account twice, a release and a person who gives the other binding to another tenant", bound: two,
		accounts: twinned(anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b")),
		parties: func(s *stage) []*explore.Actor {
			return []*explore.Actor{s.ends("ga-1", "first", account.MarkDirty), s.inTime("gives b to ga-2", func() { s.edit("b", heldBy("ga-2")) })}
		}},
}

// interruptScenarios are operations whose user presses Ctrl-C.
var interruptScenarios = []scenario{
	{name: "a claim that is interrupted", bound: two, accounts: free(2), parties: func(s *stage) []*explore.Actor {
		return s.interrupted(s.wants("ga-1", "first"))
	}},
	{name: "a release (mark_dirty) that is interrupted", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		return s.interrupted(s.ends("ga-1", "first", account.MarkDirty))
	}},
	{name: "a release (return_to_pool) that is interrupted", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		return s.interrupted(s.ends("ga-1", "first", account.ReturnToPool))
	}},
	{name: "an update that is interrupted", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		return s.interrupted(s.update(s.held(request("ga-1", "first")), false))
	}},
	{name: "a release that is interrupted, and the broker, its tenant", bound: two, accounts: heldAndFree, parties: func(s *stage) []*explore.Actor {
		return append(s.interrupted(s.ends("ga-1", "first", account.MarkDirty)), s.broker("ga-1"))
	}},
	{name: "a release that is interrupted, and a person who gives its account to another", bound: two, accounts: heldAndFree,
		parties: func(s *stage) []*explore.Actor {
			return append(s.interrupted(s.ends("ga-1", "first", account.MarkDirty)), s.person("gives a to ga-2", heldBy("ga-2")))
		}},
	{name: "one cloud account twice, a release that is interrupted", bound: two,
		accounts: twinned(anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b", heldBy("ga-1"))),
		parties: func(s *stage) []*explore.Actor {
			return s.interrupted(s.ends("ga-1", "first", account.MarkDirty))
		}},
}

// failingScenarios are some of the others, in which reads get no answer, and the server refuses writes.
func failingScenarios() (all []scenario) {
	releases := releaseScenarios()
	for _, sc := range slices.Concat(claimScenarios[:6], releases[:5], releases[10:15], updateScenarios, twinScenarios, interruptScenarios[:2]) {
		sc.name += ", and calls that fail"
		sc.callsFail = true
		all = append(all, sc)
	}
	return all
}

// wants makes a claim that no run has made yet.
func (s *stage) wants(ga, name string, changes ...func(*protocol.ClaimRequest)) *explore.Actor {
	return s.claim(s.standing(request(ga, name, changes...)))
}

// waits is wants for a claim that waits for an account.
func (s *stage) waits(ga, name string) *explore.Actor {
	return s.wants(ga, name, func(r *protocol.ClaimRequest) { r.Wait = true })
}

// ends ends a claim that an earlier run has made, on the account that bears it, or on a.
func (s *stage) ends(ga, name string, mode account.Mode) *explore.Actor {
	return s.release(s.held(request(ga, name, ending(mode))))
}

// endsAfter ends the first claim of a tenant, with a grace time of its own: two that end in one moment have no order within their process.
func (s *stage) endsAfter(grace time.Duration, ga string, mode account.Mode) *explore.Actor {
	c := s.held(request(ga, "first", ending(mode)))
	c.grace = grace
	return s.release(c)
}

func free(n int) func() []account.Account { return func() []account.Account { return freeAccounts(n) } }

func one(name string, changes ...func(*account.Account)) func() []account.Account {
	return func() []account.Account { return []account.Account{anAccount(name, changes...)} }
}

// heldAndFree is an account that ga-1 has by its claim first, and a free one.
func heldAndFree() []account.Account {
	return []account.Account{anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b")}
}

// heldAnd is an account that ga-1 has without a claim, and a free one.
func heldAnd(free string) func() []account.Account {
	return func() []account.Account { return []account.Account{anAccount("a", heldBy("ga-1")), anAccount(free)} }
}

// twinned gives accounts the same credentials, beside a free account with others.
func twinned(accounts ...account.Account) func() []account.Account {
	return twinnedWith("one", accounts...)
}

func putAside(name string) account.Supply {
	supply := supplyNamed(name)
	supply.Quarantine = "why"
	return supply
}

func european(name string) account.Supply {
	supply := supplyNamed(name)
	supply.EUAccess = true
	return supply
}

// oneAccount: without a fault the claims of a Global Account end on one account (F32).
func oneAccount(s *stage) {
	n := 0
	for _, a := range s.accounts {
		if a.Tenant == "ga-1" {
			n++
		}
	}
	if n > 1 && s.Faulted() == 0 {
		s.Break("ga-1 has %d accounts", n)
	}
}

// noneIsFree: no claim ends with "no account is free" while one is.
func noneIsFree(s *stage) {
	for by, err := range s.over {
		if findsNone(err) && slices.ContainsFunc(slices.Collect(maps.Values(s.accounts)), unclaimed) {
			s.Break("%s finds no account, and one is free: %v", by.by.Name, err)
		}
	}
}

// findsNone reports whether an error says that no account is free.
func findsNone(err error) bool {
	return err != nil && (isA[*account.ExhaustedError](err) || isA[*account.TakenError](err))
}

func unclaimed(a account.Account) bool { return a.Tenant == "" && a.Dirty == account.Clean }

// fewClaims: no account has more claims than its limit has places (F29).
func fewClaims(limit int) func(s *stage) {
	return func(s *stage) {
		for name, a := range s.accounts {
			if len(a.Claims()) > limit {
				s.Break("account %s has %d claims, and %d places", name, len(a.Claims()), limit)
			}
		}
	}
}

// noDeadRecord: without a fault a claim that exists has no record on an account that its Global Account has lost.
func noDeadRecord(ga, name string) func(s *stage) {
	return func(s *stage) {
		for account, a := range s.accounts {
			if _, there := a.Records[identity(ga, name).Key()]; there && a.Tenant != ga && s.Faulted() == 0 {
				s.Break("the claim has left its record on %s", s.accountNow(account))
			}
		}
	}
}

// ownRecords: an account that a claim of the Global Account has taken bears no record of others, which would count again with their tenant.
func ownRecords(ga string) func(s *stage) {
	return func(s *stage) {
		for account, a := range s.accounts {
			if a.Tenant == ga && len(a.Claims()) > 0 && len(a.Records) > len(a.Claims()) {
				s.Break("records of others are left on %s", s.accountNow(account))
			}
		}
	}
}

const patient = time.Hour // how long a claim waits
