package adr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// AggregatedTrait is what request and purposes together say about a trait.
type AggregatedTrait struct {
	// Names is the trait; several where one of them is enough. They are canonical and sorted.
	Names []string
	// Optional makes it a preference, Negated asks that it is absent.
	Optional, Negated bool
	// Sources say who asks: [SourceRequest] first, then the purposes by name.
	Sources []string
}

// String names the trait as results have it: "a", or "a or b".
func (t AggregatedTrait) String() string { return strings.Join(t.Names, " or ") }

// met reports whether something with these traits is as it is asked for. A trait that is not listed is absent, so a trait
// that no provider knows satisfies a negation (ADR 015).
func (t AggregatedTrait) met(traits map[string]bool) bool {
	has := slices.ContainsFunc(t.Names, func(name string) bool { return traits[name] })
	return has != t.Negated
}

// firstUnmet returns the first required trait that is not met by something with these traits.
func (a Aggregated) firstUnmet(traits map[string]bool) (AggregatedTrait, bool) {
	for _, t := range a.Traits {
		if !t.Optional && !t.met(traits) {
			return t, true
		}
	}
	return AggregatedTrait{}, false
}

// optionalMet counts the optional traits that are met by something with these traits, and all of them.
func (a Aggregated) optionalMet(traits map[string]bool) optionalTraits {
	var n optionalTraits
	for _, t := range a.Traits {
		if t.Optional {
			n.all++
			if t.met(traits) {
				n.met++
			}
		}
	}
	return n
}

// optionalTraits counts the optional traits of a request that are met, and all of them.
type optionalTraits struct{ met, all int }

// String says how many are met: "meets 1 of 2 optional traits".
func (n optionalTraits) String() string {
	if n.all == 0 {
		return "meets what is asked for"
	}
	return fmt.Sprintf("meets %d of %s", n.met, words.Count(n.all, "optional trait"))
}

// refusal says of a Cluster or a profile why it does not meet a required trait.
func (s *scheduling) refusal(t AggregatedTrait) string {
	if t.Negated {
		return "it has the trait " + s.same.describe(t.Names) + ", which must be absent"
	}
	return "it lacks the required trait " + s.same.describe(t.Names)
}
