package adr

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// fittingCluster is a Cluster that can take the request, with how many of the optional traits it meets.
type fittingCluster struct {
	*Cluster
	optional optionalTraits
}

// chooseCluster returns the shared Cluster for the request, or nil, and what is to be said of each.
func (s *scheduling) chooseCluster() (best *fittingCluster, candidates []clusters.Candidate) {
	candidates = make([]clusters.Candidate, len(s.clusters))
	fitting := make(map[int]*fittingCluster)
	for i, c := range s.clusters {
		candidates[i] = clusters.Candidate{Kind: clusters.CandidateCluster, Ref: c.Ref}
		if candidates[i].Reason = s.refusedCluster(c); candidates[i].Reason != "" {
			continue
		}
		f := &fittingCluster{c, s.wanted.optionalMet(s.byName[c.Profile].traits)}
		fitting[i] = f
		if best == nil || f.compare(best) < 0 {
			best = f
		}
	}
	for i, f := range fitting {
		candidates[i].Chosen = f == best
		candidates[i].Reason = f.place(best)
	}
	return best, candidates
}

// compare orders Clusters: the most optional traits, the fewest grants, namespace and name.
func (f *fittingCluster) compare(o *fittingCluster) int {
	return cmp.Or(cmp.Compare(o.optional.met, f.optional.met), cmp.Compare(len(f.Grants), len(o.Grants)), f.Ref.Compare(o.Ref))
}

// place says why a Cluster that fits was chosen, or what the chosen one has before it.
func (f *fittingCluster) place(best *fittingCluster) string {
	switch {
	case f == best:
		return "chosen: it " + f.optional.String() + " and has " + words.Count(len(f.Grants), "grant")
	case f.optional.met < best.optional.met:
		return fmt.Sprintf("fits, but %v, and %v meets %d", f.optional, best.Ref, best.optional.met)
	case len(f.Grants) > len(best.Grants):
		return fmt.Sprintf("fits, but has %s, and %v has %d", words.Count(len(f.Grants), "grant"), best.Ref, len(best.Grants))
	}
	return fmt.Sprintf("fits as well as %v, which comes first by its name", best.Ref)
}

// refusedCluster says why a Cluster cannot take the request; nothing if it can.
func (s *scheduling) refusedCluster(c *Cluster) string {
	switch {
	case c.Dedicated:
		return "it is dedicated" // also without a grant: it may hold what an earlier request left [choice]
	case s.wanted.Dedicated:
		return "the request is dedicated and gets a new Cluster"
	}
	if refusal := s.unmetBy(c); refusal != "" {
		return refusal
	}
	if border := s.border(c); border != "" {
		s.borders = append(s.borders, fmt.Sprintf("%v (%s)", c.Ref, border))
		return border
	}
	for _, g := range c.Grants {
		if g.Prefix == "" { // that request may give any name [choice]
			return fmt.Sprintf("%v holds a grant on it without a prefix, so no prefix is safe on it", g.Request)
		}
	}
	if n := c.tenants(); s.wanted.TenancyCount > 0 && n >= s.wanted.TenancyCount {
		return fmt.Sprintf("it has %s, and %s %s %d at most", words.Count(n, "request"), words.List(s.wanted.TenancyCountBy),
			words.Verb(len(s.wanted.TenancyCountBy), "allow"), s.wanted.TenancyCount)
	}
	return ""
}

// border says why a Cluster that serves the request is not this scheduler's to give; nothing if it is.
func (s *scheduling) border(c *Cluster) string {
	if of := s.request.Ref.Namespace; s.scope == ScopeNamespaced && c.Ref.Namespace != of {
		return fmt.Sprintf("the scheduler looks in namespace %s alone (scope %s)", of, s.scope)
	}
	for _, g := range c.Grants {
		switch {
		case g.Server == ServedByOperator && g.Request.Namespace == "":
			return "the openmcp-operator serves it: it has granted it to a request"
		case g.Server == ServedByOperator:
			return fmt.Sprintf("the openmcp-operator serves it: %v holds a grant on it", g.Request)
		case g.Server == ServedUnknown:
			return fmt.Sprintf("%v holds a grant on it and cannot be read, so it is not known whether the openmcp-operator serves it", g.Request)
		}
	}
	return ""
}

// unmetBy says what a Cluster lacks of what is asked for; nothing if it has all. A dedicated one needs no purposes.
func (s *scheduling) unmetBy(c *Cluster) string {
	p := s.byName[c.Profile]
	if p == nil { // its traits are not known, so a requirement might be violated [choice]
		return fmt.Sprintf("its profile %q is not deployed, so its traits are not known", c.Profile)
	}
	purposes := make(map[string]bool, len(c.Purposes))
	for _, purpose := range c.Purposes {
		purposes[purpose] = true
	}
	for _, purpose := range s.request.Purposes {
		if !purposes[purpose] && !c.Dedicated {
			return "it lacks the purpose " + purpose
		}
	}
	if t, unmet := s.wanted.firstUnmet(p.traits); unmet {
		return s.refusal(t)
	}
	if p.Account != nil && p.Account.Foreign { // it has room or not: the Cluster is there already
		return p.Account.Refusal
	}
	return s.refusedVersion(c)
}

// refusedVersion says why the version of a Cluster keeps it from taking the request; nothing if it does not. A version that is not
// known, or cannot be read, is taken only where none is asked for [choice].
func (s *scheduling) refusedVersion(c *Cluster) string {
	v, readable := parseVersion(c.Version)
	switch {
	case s.demand.any && v.prerelease():
		return "it runs Kubernetes " + c.Version + ", a pre-release, and the request does not ask for it"
	case s.demand.any:
		return ""
	case c.Version == "":
		return "its Kubernetes version is not known, and " + s.demand.text + " is asked for"
	case !readable || !s.demand.covers(v):
		return "it runs Kubernetes " + c.Version + ", and " + s.demand.text + " is asked for"
	}
	return ""
}

// deprecates reports whether a profile lists a version, or one that covers it, as deprecated.
func (p *profile) deprecates(v version) bool {
	return slices.ContainsFunc(p.versions, func(o offeredVersion) bool { return o.deprecated && o.covers(v) })
}
