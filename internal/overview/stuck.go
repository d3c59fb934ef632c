package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// named is a claim with its owner.
func named(r account.Record) string {
	if r.Owner == "" {
		return r.Name + " (no owner is recorded)"
	}
	return fmt.Sprintf("%s (owner %s)", r.Name, r.Owner)
}

// waitingForCluster leaves out shared accounts, on which no record counts.
func waitingForCluster(s *survey, a *Account) string {
	if a.Shared || s.facts.Overdue == 0 {
		return ""
	}
	late := slices.DeleteFunc(slices.Clone(a.ValidRecords), func(r account.Record) bool {
		return !s.counts.Awaits(r) || s.now.Sub(r.ClaimedAt) < s.facts.Overdue
	})
	slices.SortStableFunc(late, func(a, b account.Record) int { return a.ClaimedAt.Compare(b.ClaimedAt) })
	return when(len(late) > 0, "%s of %s %s for a Shoot that has not come or is gone: %s.", words.Count(len(late), "claim"), a.Tenant,
		words.Verb(len(late), "wait"), firstClaims(late, func(r account.Record) string {
			return fmt.Sprintf("%s for %s since %s", named(r), r.ClusterName, s.since(r.ClaimedAt))
		}))
}

// firstClaims lists claims, up to maxClaims of them.
func firstClaims(all []account.Record, text func(account.Record) string) string {
	var claims []string
	for _, r := range all[:min(len(all), maxClaims)] {
		claims = append(claims, text(r))
	}
	if n := len(all) - maxClaims; n > 0 {
		claims = append(claims, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(claims, "; ")
}

// maxClaims is how many claims the text of one problem names.
const maxClaims = 10

// strands reports whether the account is dirty for ever.
func (s *survey) strands(a *Account) bool {
	marked := markedFor(a)
	return marked != nil && s.facts.Strands != nil && s.facts.Strands(marked)
}

// markedFor returns the binding that is marked for the clean-up job; nil = none is. The job goes by what that one refers to, and not by
// another binding of the credentials. Where it does not say its provider type, it has that of the account: the cloud account is the same.
func markedFor(a *Account) *account.Account {
	by := a.bears(account.Dirtied)
	if by == nil || a.is(by) || providerTypeOf(by) != "" {
		return by
	}
	marked := *by
	marked.HyperscalerType = cmp.Or(by.HyperscalerType, a.HyperscalerType)
	if providerType := providerTypeOf(&a.Account); providerType != "" {
		credentials := account.Credentials{ProviderType: providerType}
		if by.Credentials != nil {
			credentials = *by.Credentials
			credentials.ProviderType = providerType
		}
		marked.Credentials = &credentials
	}
	return &marked
}

func stranded(s *survey, a *Account) string {
	if !s.strands(a) {
		return ""
	}
	of, marked := "", markedFor(a)
	switch providerType := providerTypeOf(marked); {
	case marked.Credentials != nil && !marked.Credentials.Ref.IsSecret():
		of = fmt.Sprintf(" whose credentials are of kind %s", marked.Credentials.Ref.Kind)
	case providerType != "":
		of = fmt.Sprintf(" of provider type %s", providerType)
	}
	return fmt.Sprintf("No clean-up job wipes accounts%s: it stays dirty. %s", of, s.dirtySince(a, a.bears(account.Dirtied)))
}

// misplaced says that the account takes no cluster of its pool: Gardener refuses one of another provider type.
func misplaced(_ *survey, a *Account) string {
	want := a.Misplaced()
	return when(want != "", "It is of provider type %s, and the clusters of pool %s are of %s.", providerTypeOf(&a.Account), a.Target(), want)
}

// providerTypeOf is the provider type of a binding; "" = it is not known.
func providerTypeOf(a *account.Account) string {
	if a.Credentials == nil {
		return ""
	}
	return a.Credentials.ProviderType
}

func quarantineLost(_ *survey, a *Account) string {
	return when(a.Quarantine != "" && a.Dirty == account.Dirtied, "It was quarantined (%s), and is marked for the clean-up job now.",
		a.Quarantine)
}

func expired(s *survey, a *Account) string {
	sorted := slices.SortedStableFunc(slices.Values(a.Expired), func(a, b account.Record) int { return a.ExpiresAt().Compare(b.ExpiresAt()) })
	return when(len(sorted) > 0, "%s of %s %s beyond the lease: %s.", words.Count(len(sorted), "claim"), a.Tenant,
		words.Verb(len(sorted), "are"), firstClaims(sorted, func(r account.Record) string {
			return fmt.Sprintf("%s since %s", named(r), s.since(r.ExpiresAt()))
		}))
}

// stray checks the further labels of an account: one that looks like a label of the pool was probably meant as one. Where one says whose
// the account is, no claim takes it.
func stray(s *survey, a *Account) string {
	text := s.lookalikes(a.Labels)
	if doubts := a.LabelDoubts(); len(doubts) > 0 {
		what := "no claim takes it while no Global Account holds it"
		switch {
		case a.Class == account.ClassUnclear && a.HeldBy() != "":
			what = "no new cluster comes to it, and a release may be refused"
		case a.HeldBy() != "":
			what = "a release may be refused"
		}
		text += fmt.Sprintf(" Whose the account is, is in doubt by %s: %s.", strings.Join(doubts, " and "), what)
	}
	if ref := a.SameAs; dangles(&a.Account) {
		text += fmt.Sprintf(" By its annotation %s it leads into the cloud account of %s %s in namespace %q, and no other binding refers to "+
			"that.", account.SameAnnotation, ref.Kind, ref.Name, ref.Namespace)
	}
	return strings.TrimSpace(text)
}

// dangles reports whether the annotation of an account names a Secret that nothing else refers to: a wrong name joins no accounts. It is
// right where the last binding of the Secret has gone.
func dangles(a *account.Account) bool {
	if a.SameAs.Name == "" || a.Credentials != nil && a.Credentials.Ref.Key() == a.SameAs.Key() {
		return false
	}
	return !slices.ContainsFunc(a.Twins(), func(twin *account.Account) bool {
		return twin.RefersTo(a.SameAs.Key())
	})
}

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

// lookalikes says which labels have keys that resemble those of the pool.
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
		mine, theirs := account.PlainKey(key), account.PlainKey(our)
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
