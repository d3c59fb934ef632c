package clusters

import (
	"slices"
	"strings"
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

// String names the trait as it stands in results: "a", or "a or b".
func (t AggregatedTrait) String() string { return strings.Join(t.Names, " or ") }

// met reports whether something with these traits is as it is asked for. A trait that is not listed is absent, so a trait
// that no provider knows satisfies a negation (seed 004, Concept: Traits).
func (t AggregatedTrait) met(traits map[string]bool) bool {
	has := slices.ContainsFunc(t.Names, func(name string) bool { return traits[name] })
	return has != t.Negated
}

// failing returns the first required trait that is not met by something with these traits.
func (a Aggregated) failing(traits map[string]bool) (AggregatedTrait, bool) {
	for _, t := range a.Traits {
		if !t.Optional && !t.met(traits) {
			return t, true
		}
	}
	return AggregatedTrait{}, false
}

// preferences counts the optional traits, and those of them that are met by something with these traits.
func (a Aggregated) preferences(traits map[string]bool) (met, all int) {
	for _, t := range a.Traits {
		if t.Optional {
			all++
			if t.met(traits) {
				met++
			}
		}
	}
	return met, all
}

// refusal says of a Cluster or a profile why it does not meet a required trait.
func (t AggregatedTrait) refusal() string {
	if t.Negated {
		return "it has the trait " + t.String() + ", which must be absent"
	}
	return "it lacks the required trait " + t.String()
}
