package clusters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
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
	switch {
	case len(q.Trait.Names) > 0 && q.Trait.Negated:
		return "the absence of the trait " + q.Trait.String()
	case len(q.Trait.Names) > 0:
		return "the trait " + q.Trait.String()
	}
	return demand{text: q.Version, any: q.Version == ""}.String()
}

// deny refuses a request that no profile can serve, and names what none meets: each requirement that is met by no profile by
// itself, else a set that no profile meets together and of which none can be left out.
func (s *scheduling) deny(d *Decision) {
	d.Action = Deny
	if len(s.profiles) == 0 {
		d.Reason, d.Message = ReasonNoProfile, "No profile is deployed, and no shared Cluster fits."
		return
	}
	all := []Requirement{}
	for _, t := range s.wanted.Traits {
		if !t.Optional {
			all = append(all, Requirement{Trait: t})
		}
	}
	all = append(all, Requirement{Version: s.request.KubernetesVersion})
	for _, q := range all {
		if !s.metTogether([]Requirement{q}) {
			d.Unmet = append(d.Unmet, q)
		}
	}
	together := ""
	switch {
	case len(d.Unmet) == 0:
		d.Reason, d.Unmet, together = ReasonNoProfileMeetsAll, s.least(all), " together"
	case len(d.Unmet[0].Trait.Names) > 0:
		d.Reason = ReasonUnsupportedTrait
	default:
		d.Reason = ReasonUnsupportedVersion
	}
	named := make([]string, len(d.Unmet))
	for i, q := range d.Unmet {
		named[i] = q.String() + s.aside(q)
	}
	d.Message = fmt.Sprintf("No deployed profile meets %s%s, and no shared Cluster fits.", words.List(named), together)
	if together == "" && len(named) > 1 {
		last := len(named) - 1
		d.Message = fmt.Sprintf("No deployed profile meets %s or %s, and no shared Cluster fits.", strings.Join(named[:last], ", "), named[last])
	}
}

// aside says in brackets what helps to understand a requirement: other names of the trait, or that the version is deprecated.
func (s *scheduling) aside(q Requirement) string {
	var others []string
	for _, name := range q.Trait.Names {
		others = append(others, s.same.others(name)...)
	}
	if len(others) > 0 {
		return fmt.Sprintf(" (also known as %s)", words.List(others))
	}
	if len(q.Trait.Names) > 0 {
		return ""
	}
	for _, p := range s.profiles {
		if nearest := s.demand.nearest(p); nearest != "" {
			return fmt.Sprintf(" (of %s, %s)", p.Name, nearest)
		}
	}
	return ""
}

// least leaves out of requirements that no profile meets together whatever they fail without.
func (s *scheduling) least(all []Requirement) []Requirement {
	for i := len(all) - 1; i >= 0; i-- {
		if rest := slices.Delete(slices.Clone(all), i, i+1); !s.metTogether(rest) {
			all = rest
		}
	}
	return all
}

// metTogether reports whether a profile meets all of these requirements.
func (s *scheduling) metTogether(requirements []Requirement) bool {
	return slices.ContainsFunc(s.profiles, func(p *profile) bool {
		return !slices.ContainsFunc(requirements, func(q Requirement) bool { return !s.meets(p, q) })
	})
}

func (s *scheduling) meets(p *profile, q Requirement) bool {
	if len(q.Trait.Names) > 0 {
		return q.Trait.met(p.traits)
	}
	_, refusal := s.version(p)
	return refusal == ""
}
