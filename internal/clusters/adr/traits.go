package adr

import (
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// AggregatedTrait is what request and purposes together say about a trait.
type AggregatedTrait struct {
	// Names is the trait; several where Op says how they are put together. They are canonical and sorted.
	Names []string
	Op    Operator
	// Optional makes it a preference, Negated asks that it is absent.
	Optional, Negated bool
	// Sources say who asks: [SourceRequest] first, then the purposes by name.
	Sources []string
}

// String names the trait as results have it: "a", "a or b", "a and b", "a xor b".
func (t AggregatedTrait) String() string { return strings.Join(t.Names, " "+string(t.joint())+" ") }

// met reports whether something with these traits is as it is asked for. A trait that is not listed is absent, so a trait
// that no provider knows satisfies a negation (ADR 015).
func (t AggregatedTrait) met(traits map[string]bool) bool {
	present := 0
	for _, name := range t.Names {
		if traits[name] {
			present++
		}
	}
	return t.joint().met(present, len(t.Names)) != t.Negated
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
	phrase := t.phrase(s.same.describe(t.Names))
	switch {
	case t.Negated && t.Op == "":
		return "it has " + phrase + ", which must be absent"
	case t.Negated:
		return "it has " + phrase + ", which must not be so"
	case t.joint() == Or:
		return "it lacks the required trait " + strings.TrimPrefix(phrase, "the trait ")
	}
	return "it does not have " + phrase + ", as required"
}
