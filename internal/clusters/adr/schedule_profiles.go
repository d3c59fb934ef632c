package adr

import (
	"cmp"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// fittingProfile is a profile that can make a Cluster for the request, with the version it would have.
type fittingProfile struct {
	profile  *profile
	version  offeredVersion // zero where the profile says no versions and none is asked for
	optional optionalTraits
}

// chooseProfile returns the profile for a new Cluster, or nil, and what is to be said of each profile. Where a Cluster exists that
// fits, none is chosen. It notes the profiles that fit.
func (s *scheduling) chooseProfile(
	existing *fittingCluster, d *Decision,
) (best *fittingProfile, candidates []clusters.Candidate) {
	candidates = make([]clusters.Candidate, len(s.profiles))
	fitting := make([]*fittingProfile, len(s.profiles))
	for i, p := range s.profiles {
		candidates[i] = clusters.Candidate{Kind: clusters.CandidateProfile, Ref: clusters.Ref{Name: p.Name}}
		if fitting[i], candidates[i].Reason = s.fittingProfile(p); fitting[i] != nil && (best == nil || fitting[i].compare(best) < 0) {
			best = fitting[i]
		}
	}
	for i, o := range fitting {
		switch {
		case o == nil:
			continue
		case existing != nil:
			candidates[i].Reason = fmt.Sprintf("fits, but the Cluster %v exists and goes before a new one", existing.Ref)
		default:
			candidates[i].Chosen, candidates[i].Reason = o == best, o.place(best, s.demand)
		}
		d.Fitting = append(d.Fitting, o.profile.Name)
	}
	if existing != nil {
		best = nil
	}
	return best, candidates
}

// fittingProfile returns what a profile can make, or why it can make nothing.
func (s *scheduling) fittingProfile(p *profile) (o *fittingProfile, refusal string) {
	if t, unmet := s.wanted.firstUnmet(p.traits); unmet {
		return nil, s.refusal(t)
	}
	version, refusal := s.version(p)
	if refusal != "" {
		return nil, refusal
	}
	if refusal := p.Account.Closed(); refusal != "" {
		s.closed = append(s.closed, fmt.Sprintf("%s (%s)", p.Name, refusal))
		return nil, refusal
	}
	return &fittingProfile{p, version, s.wanted.optionalMet(p.traits)}, ""
}

// version returns the version that a profile would take, or why it has none. A profile that names no versions is taken where
// none is asked for, and its provider chooses [choice].
func (s *scheduling) version(p *profile) (v offeredVersion, refusal string) {
	if best, ok := s.demand.best(p.versions); ok || s.demand.any && len(p.Versions) == 0 {
		return best, ""
	}
	refusal = "it does not offer " + s.demand.String()
	if nearest := s.demand.nearest(p); nearest != "" {
		refusal += ": " + nearest
	}
	return v, refusal
}

// compare orders profiles: the most optional traits, not deprecated, the newest version, the account, name.
func (o *fittingProfile) compare(other *fittingProfile) int {
	c := cmp.Compare(other.optional.met, o.optional.met)
	if c == 0 && o.version.deprecated != other.version.deprecated {
		return o.version.compareUse(other.version)
	}
	return cmp.Or(c, other.version.compare(o.version.version), o.profile.Account.compare(other.profile.Account),
		cmp.Compare(o.profile.Name, other.profile.Name))
}

// place says why a profile that fits was chosen, or what the chosen one has before it.
func (o *fittingProfile) place(best *fittingProfile, d demand) string {
	name, version := best.profile.Name, best.version.text
	switch {
	case o == best:
		return "chosen: it " + o.optional.String() + o.profile.Account.use()
	case o.optional.met < best.optional.met:
		return fmt.Sprintf("fits, but %v, and %s meets %d", o.optional, name, best.optional.met)
	case o.version.deprecated && !best.version.deprecated:
		return fmt.Sprintf("fits, but Kubernetes %s is deprecated, and %s of %s is not", o.version.text, version, name)
	case o.version.compare(best.version.version) < 0 && o.version.text == "":
		return fmt.Sprintf("fits, but does not say which versions it offers, and %s offers %s", name, version)
	case o.version.compare(best.version.version) < 0 && !d.any:
		return fmt.Sprintf("fits, but the newest that it offers for %s is %s, and %s offers %s", d.text, o.version.text, name, version)
	case o.version.compare(best.version.version) < 0:
		return fmt.Sprintf("fits, but its newest version is %s, and %s offers %s", o.version.text, name, version)
	case o.profile.Account.compare(best.profile.Account) != 0:
		return fmt.Sprintf("fits, but %s", o.profile.Account.comesAfter(best.profile.Account, name))
	}
	return fmt.Sprintf("fits as well as %s, which comes first by its name", name)
}
