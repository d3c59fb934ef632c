package overview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// pools takes in the pools of the accounts, and those that rules name and that have none.
func (s *survey) pools(all map[account.Target]*Pool) {
	s.lack(slices.Collect(maps.Keys(all)))
	for i := range s.Accounts {
		target := s.Accounts[i].Target()
		if p, ok := all[target]; ok {
			p.Unused = s.facts.Rules != nil && !s.facts.Rules.LeadsTo(target)
			s.Pools = append(s.Pools, *p)
			delete(all, target)
		}
	}
	for target := range s.missing {
		s.Pools = append(s.Pools, Pool{Target: target, Tally: account.Tally{}})
	}
	slices.SortFunc(s.Pools, func(a, b Pool) int {
		return cmp.Or(strings.Compare(a.HyperscalerType, b.HyperscalerType), strings.Compare(flags(a.Target), flags(b.Target)))
	})
}

// flags orders the pools of a type, those of tenants before shared ones: "false" comes before "true".
func flags(t account.Target) string { return fmt.Sprint(t.Shared, t.EUAccess) }

// lack notes which pools the rules need, and do not have among these. A part of the accounts is not to blame, and of one hyperscaler type
// it cannot be said whether a rule for many types has another one.
func (s *survey) lack(there []account.Target) {
	s.missing = map[account.Target][]string{}
	if s.facts.Rules == nil || s.Of.GlobalAccount != "" || s.Of.ExpiredClaims {
		return
	}
	for _, need := range s.facts.Rules.Needs() {
		of := s.Of.HyperscalerType
		switch {
		case of != "" && (need.Any || need.Pool.HyperscalerType != of), slices.ContainsFunc(there, need.Meets):
		case need.Any:
			s.nowhere = append(s.nowhere, need)
		default:
			if name := s.facts.Rules.NameOf(need.Entry); !slices.Contains(s.missing[need.Pool], name) {
				s.missing[need.Pool] = append(s.missing[need.Pool], name)
			}
		}
	}
}

// ofPools are the problems of pools that the rules do not fit.
func (s *survey) ofPools() (found []Problem) {
	add := func(kind ProblemKind, format string, args ...any) {
		found = append(found, Problem{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	for i := range s.Pools {
		switch p := &s.Pools[i]; {
		case p.Unused:
			add(ProblemUnusedPool, "No rule of the rule set leads to pool %s, which has %s, %d of them free.", p.Target,
				words.Count(p.Tally.Total(), "account"), p.Unclaimed())
		case p.Tally.Total() == 0:
			add(ProblemMissingPool, "No account is in pool %s, to which %s.", p.Target, leading(s.missing[p.Target]))
		case s.facts.Rules != nil && p.Shared && p.Tally[account.ClassShared] == 0:
			add(ProblemEmptyPool, "Pool %s has %s, and none can be used: %s.", p.Target, words.Count(p.Tally.Total(), "account"), s.byClass(p))
		case s.facts.Rules != nil && !p.Shared && p.Unclaimed() == 0:
			add(ProblemEmptyPool, "Pool %s has %s, and none is free: %s.", p.Target, words.Count(p.Tally.Total(), "account"), s.byClass(p))
		}
	}
	for _, need := range s.nowhere {
		add(ProblemMissingPool, "No account is in any pool %s, to which %s.", need.Pool, leading([]string{s.facts.Rules.NameOf(need.Entry)}))
	}
	return found
}

// leading says which rules lead to a pool.
func leading(names []string) string {
	verb := words.Verb(len(names), "lead")
	if more := len(names) - maxNamed; more > 0 {
		names = append(slices.Clip(names[:maxNamed]), fmt.Sprintf("%d more", more))
	}
	return words.List(names) + " " + verb
}

// byClass lists the classes of the accounts of a pool with their numbers, and names the accounts that labels hide or leave in doubt.
func (s *survey) byClass(p *Pool) string {
	var classes []string
	for _, class := range account.Classes() {
		n := p.Tally[class]
		switch {
		case n == 0:
		case class == account.ClassUnreachable:
			classes = append(classes, fmt.Sprintf("%s %d: %s", class, n, words.First(maxNamed, s.ofClass(p.Target, class, (*Account).Hidden))))
		case class == account.ClassUnclear:
			classes = append(classes, fmt.Sprintf("%s %d: %s", class, n, words.First(maxNamed, s.ofClass(p.Target, class, (*Account).InDoubt))))
		default:
			classes = append(classes, fmt.Sprintf("%s %d", class, n))
		}
	}
	return strings.Join(classes, ", ")
}

// ofClass names the accounts of a pool that are of a class.
func (s *survey) ofClass(target account.Target, class account.Class, name func(*Account) string) (names []string) {
	for i := range s.Accounts {
		if a := &s.Accounts[i]; a.Class == class && a.Target() == target {
			names = append(names, name(a))
		}
	}
	return names
}
