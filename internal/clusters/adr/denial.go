package adr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// Requirement is one thing that a profile has to meet: a required trait, or the version.
type Requirement struct {
	// Trait is the trait; without names it is the version that is required.
	Trait AggregatedTrait
	// Version is the version asked for; empty: any released one that is not deprecated.
	Version string
}

// String names the requirement for a message.
func (q Requirement) String() string {
	if len(q.Trait.Names) > 0 {
		return q.Trait.requirement(q.Trait.Names)
	}
	return demand{text: q.Version, any: q.Version == ""}.String()
}

// deny refuses a request that no profile can serve, and names what none meets: each requirement that is met by no profile by
// itself, else a set that no profile meets together and of which none can be left out.
func (s *scheduling) deny(d *Decision) {
	d.Action = clusters.Deny
	shared := ", and no shared Cluster fits"
	if d.Dedicated {
		shared = "" // such a request gets no shared Cluster
	}
	if len(s.profiles) == 0 {
		d.Reason, d.Message = ReasonNoProfile, "No profile is deployed"+shared+"."
		return
	}
	all := s.requirements()
	unmet := s.unmet(all)
	for i, q := range all {
		if !slices.ContainsFunc(unmet, func(of []bool) bool { return !of[i] }) {
			d.Unmet = append(d.Unmet, q)
		}
	}
	switch {
	case len(s.closed) > 0: // these meet all requirements
		d.Reason, d.Unmet = ReasonNoAccount, nil
		d.Message = fmt.Sprintf("No profile that meets what is asked for leads to an account that takes a new Cluster%s: %s.", shared,
			listed(s.closed))
		return
	case len(d.Unmet) == 0:
		d.Reason, d.Unmet = ReasonNoProfileMeetsAll, unmetTogether(all, unmet)
	case len(d.Unmet[0].Trait.Names) > 0:
		d.Reason = ReasonUnsupportedTrait
	default:
		d.Reason = ReasonUnsupportedVersion
	}
	named := make([]string, len(d.Unmet))
	for i, q := range d.Unmet {
		named[i] = s.describe(q)
	}
	switch last := len(named) - 1; {
	case d.Reason == ReasonNoProfileMeetsAll:
		d.Message = fmt.Sprintf("No deployed profile meets %s together%s.", listed(named), shared)
	case last >= maxListed:
		d.Message = fmt.Sprintf("No deployed profile meets any of %s%s.", listed(named), shared)
	case last > 0:
		d.Message = fmt.Sprintf("No deployed profile meets %s or %s%s.", strings.Join(named[:last], ", "), named[last], shared)
	default:
		d.Message = fmt.Sprintf("No deployed profile meets %s%s.", named[0], shared)
	}
}

// requirements returns what each profile has to meet: the required traits, then the version.
func (s *scheduling) requirements() (all []Requirement) {
	for _, t := range s.wanted.Traits {
		if !t.Optional {
			all = append(all, Requirement{Trait: t})
		}
	}
	return append(all, Requirement{Version: s.request.KubernetesVersion})
}

// unmet returns for each profile which of the requirements it does not meet.
func (s *scheduling) unmet(all []Requirement) [][]bool {
	unmet := make([][]bool, len(s.profiles))
	for i, p := range s.profiles {
		unmet[i] = make([]bool, len(all))
		for j, q := range all {
			unmet[i][j] = !s.meets(p, q)
		}
	}
	return unmet
}

// unmetTogether returns a part of the requirements that no profile meets together, and of which none can be left out.
func unmetTogether(all []Requirement, unmet [][]bool) (needed []Requirement) {
	left := make([]int, len(unmet)) // how many a profile does not meet of those that are not left out
	for p, of := range unmet {
		for _, is := range of {
			if is {
				left[p]++
			}
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		only := false // a profile does not meet this one, and meets the others that are left
		for p, of := range unmet {
			only = only || of[i] && left[p] == 1
		}
		if only {
			needed = append(needed, all[i])
			continue
		}
		for p, of := range unmet {
			if of[i] {
				left[p]--
			}
		}
	}
	slices.Reverse(needed)
	return needed
}

func (s *scheduling) meets(p *profile, q Requirement) bool {
	if len(q.Trait.Names) > 0 {
		return q.Trait.met(p.traits)
	}
	_, refusal := s.version(p)
	return refusal == ""
}

// describe names a requirement, with what helps to understand it: the other names of a trait, or why a version that is offered
// does not count.
func (s *scheduling) describe(q Requirement) string {
	if len(q.Trait.Names) > 0 {
		return q.Trait.requirement(s.same.describe(q.Trait.Names))
	}
	for _, p := range s.profiles {
		if nearest := s.demand.nearest(p); nearest != "" {
			return fmt.Sprintf("%v (of %s, %s)", q, p.Name, nearest)
		}
	}
	return q.String()
}

// InputError says that a request or a landscape contradicts itself or lacks something, so that nothing can be decided. It is
// no denial: a denial answers a request that is well formed.
type InputError struct {
	// Field is the part at fault: "request.traits[1]", "purposes.mcp.traits[0]", "landscape.clusters[2]".
	Field string
	// Message says what is wrong and what to write instead.
	Message string
}

func (e *InputError) Error() string { return e.Field + ": " + e.Message }

func wrong(field, format string, args ...any) *InputError {
	return &InputError{Field: field, Message: fmt.Sprintf(format, args...)}
}
