package overview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// maxClaims is how many claims the text of one problem names.
const maxClaims = 10

// strands reports whether the account is dirty for ever.
func (s *survey) strands(a *Account) bool {
	return a.Dirty == pool.Dirtied && s.facts.Strands != nil && s.facts.Strands(&a.Account)
}

func stranded(s *survey, a *Account) string {
	if !s.strands(a) {
		return ""
	}
	of := ""
	if a.Credentials != nil && a.Credentials.ProviderType != "" {
		of = fmt.Sprintf(" of provider type %s", a.Credentials.ProviderType)
	}
	return fmt.Sprintf("No clean-up job wipes accounts%s: it stays dirty. %s", of, s.dirtySince(a))
}

func quarantineLost(_ *survey, a *Account) string {
	return when(a.Quarantine != "" && a.Dirty == pool.Dirtied, "It was quarantined (%s), and is marked for the clean-up job now.",
		a.Quarantine)
}

func expired(s *survey, a *Account) string {
	if len(a.Expired) == 0 {
		return ""
	}
	sorted := slices.SortedStableFunc(slices.Values(a.Expired), func(a, b pool.Record) int { return a.ExpiresAt().Compare(b.ExpiresAt()) })
	var claims []string
	for _, r := range sorted[:min(len(sorted), maxClaims)] {
		owner := "no owner is recorded"
		if r.Owner != "" {
			owner = "owner " + r.Owner
		}
		claims = append(claims, fmt.Sprintf("%s (%s) since %s", r.Name, owner, s.since(r.ExpiresAt())))
	}
	more := ""
	if n := len(sorted) - maxClaims; n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	return fmt.Sprintf("%s of %s %s beyond the lease: %s%s.", words.Count(len(sorted), "claim"), a.Tenant, words.Verb(len(sorted), "are"),
		strings.Join(claims, "; "), more)
}

// stray looks at the further labels of an account: one that looks like a label of the pool was probably meant as one.
func stray(s *survey, a *Account) string { return s.lookalikes(a.Labels) }

// strays are the objects that are no accounts for want of the label that makes one. A part of the pool is not to blame for them.
func (s *survey) strays() (found []Problem) {
	if s.Of != (Filter{}) || len(s.facts.Keys) == 0 {
		return nil
	}
	for i := range s.facts.Objects {
		object := &s.facts.Objects[i]
		text := s.lookalikes(object.Labels)
		if object.Typed || s.facts.Secrets && text == "" {
			continue
		}
		found = append(found, Problem{Account: object.Name, Kind: ProblemStray, Text: strings.TrimSpace(fmt.Sprintf(
			"It lacks the label %s: neither the broker nor a claim ever sees it. %s", s.facts.Keys[0], text))})
	}
	slices.SortFunc(found, func(a, b Problem) int { return strings.Compare(a.Account, b.Account) })
	return found
}

// lookalikes says which labels have keys that look like those of the pool.
func (s *survey) lookalikes(labels map[string]string) string {
	var found []string
	for key := range labels {
		if meant := nearMiss(key, s.facts.Keys); meant != "" {
			found = append(found, fmt.Sprintf("Its label %s looks like %s, and says nothing under that key.", key, meant))
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

// nearMiss returns the key that another one was probably meant to be: the same but for case and separators, as in the other
// label scheme, or with a typing error, in long keys with two. Empty = none.
func nearMiss(key string, ours []string) string {
	const long = 10
	for _, our := range ours {
		mine, theirs := plain(key), plain(our)
		allowed := 1
		if len(theirs) >= long {
			allowed = 2
		}
		if key != our && words.Distance(mine, theirs) <= allowed {
			return our
		}
	}
	return ""
}

// plain is a key without what tells the label schemes apart.
func plain(key string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(key))
}

// unused are the pools that no rule leads to.
func (s *survey) unused() (found []Problem) {
	for i := range s.Pools {
		if p := &s.Pools[i]; p.Unused {
			found = append(found, Problem{Kind: ProblemUnusedPool, Text: fmt.Sprintf("No rule of the rule set leads to pool %s, which has %s, %d "+
				"of them free.", p.Target, words.Count(p.Tally.Total(), "account"), p.Unclaimed())})
		}
	}
	return found
}
