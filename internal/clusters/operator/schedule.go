// Package operator decides on a ClusterRequest as the scheduler of openmcp-operator v1.3.0 does, faults included (ADR 016).
//
//   - config.go: the operator's configuration with its defaults and checks; selector.go: its label selectors.
//   - landscape.go: the request and what the operator sees of the platform cluster.
//   - schedule.go: [Schedule] keeps a grant, else takes a Cluster that exists, else makes a new one.
//   - create.go: how a new Cluster is called, and what happens where the name is taken; names.go: the names themselves.
//   - decision.go: [Decision] and its reasons.
package operator

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Schedule decides on a request as the scheduler of openmcp-operator v1.3.0 does.
//
//   - A request that was granted keeps its Cluster; where that is gone, it is made again under its name.
//   - A request whose finalizer is on a Cluster gets that one again, whatever its tenancy and even while it is being deleted.
//   - A request for a shared Cluster gets one that exists: in the namespaces of the scope, chosen by the selectors, with the purpose,
//     not in deletion and, where the purpose has a limit, with fewer requests than that. The Cluster's own tenancy is not read: an
//     exclusive one that has the purpose is given as well.
//   - Of several, the first in the order of the server's list (Simple), the one with the fewest requests and of those the first
//     (Balanced), or any (Random).
//   - Else a new one is made, under a name that follows from configuration and request. Where the name is taken, see
//     [ReasonNameConflict], [ReasonProfileConflict], [ReasonInDeletion] and [ReasonTakenOver].
//
// Errors: [*ConfigError].
func Schedule(r Request, l Landscape) (Decision, error) {
	if err := l.Config.Check(); err != nil {
		return Decision{}, err
	}
	l.Config = l.Config.defaulted()
	s := &scheduling{request: r, landscape: &l, sorted: l.inServerOrder()}
	s.decide()
	return s.decision, nil
}

// scheduling is what is known while the operator's engine decides on one request.
type scheduling struct {
	request    Request
	landscape  *Landscape
	sorted     []*Cluster // in the server's order
	definition *Definition
	decision   Decision
}

func (s *scheduling) decide() {
	r, config := s.request, &s.landscape.Config
	if r.Cluster != nil {
		if c := s.landscape.clusterOf(*r.Cluster); c != nil {
			s.giveHeld(c, clusters.ReasonGranted, fmt.Sprintf("The request was granted Cluster %s and keeps it.", c.Ref))
			return
		}
	}
	if r.Ignored {
		s.deny(ReasonIgnored, "The request bears the annotation with which the operator leaves it alone.")
		return
	}
	if !config.Selectors.Requests.matches(r.Labels) {
		s.deny(ReasonNotSelected, "The operator's selectors.requests do not choose a request with these labels: it does not see it.")
		return
	}
	if s.definition = config.PurposeMappings[r.Purpose]; s.definition == nil {
		known := "They know none"
		if purposes := config.Purposes(); len(purposes) > 0 {
			known = "They know: " + words.List(purposes)
		}
		s.deny(clusters.ReasonUnknownPurpose,
			"The operator's purposeMappings do not know the purpose %q: the request stays pending for ever. %s.",
			r.Purpose, known)
		return
	}
	if r.Cluster != nil { // it is gone
		s.create(*r.Cluster, ReasonRecreated)
		return
	}
	fitting, held := s.survey()
	switch {
	case held != nil:
		s.giveHeld(held, ReasonRecovered, fmt.Sprintf("Cluster %s bears the finalizer of the request, and is given to it again.", held.Ref))
	case len(fitting) > 1 && config.Strategy == StrategyRandom:
		s.draw(fitting)
	case len(fitting) > 0:
		s.give(s.chosen(fitting))
	default:
		s.create(clusters.Ref{}, clusters.ReasonNew)
	}
}

func (s *scheduling) deny(reason clusters.Reason, format string, args ...any) {
	s.decision.Action, s.decision.Reason, s.decision.Message = clusters.Deny, reason, fmt.Sprintf(format, args...)
}

// survey goes through all Clusters as the operator does: which of them fit, and which is held already.
func (s *scheduling) survey() (fitting []*Cluster, held *Cluster) {
	for _, c := range s.sorted {
		reason := s.outOfSight(c)
		if reason == "" && c.holds(s.request.UID) && held == nil {
			held = c
		}
		if reason == "" {
			reason = s.unfit(c)
		}
		if reason == "" {
			fitting = append(fitting, c)
		}
		s.decision.Candidates = append(s.decision.Candidates, clusters.Candidate{Kind: clusters.CandidateCluster, Ref: c.Ref, Reason: reason})
	}
	return fitting, held
}

// outOfSight says why a Cluster is none that the operator considers for the request; empty = it is one.
func (s *scheduling) outOfSight(c *Cluster) string {
	if namespace := s.namespace(); s.landscape.Config.Scope == ScopeNamespaced && c.Ref.Namespace != namespace {
		return fmt.Sprintf("the scheduler looks in namespace %s alone (scope %s)", namespace, ScopeNamespaced)
	}
	switch {
	case !s.definition.Selector.combined(s.landscape.Config.Selectors.Clusters).matches(c.Labels):
		return "the selectors do not choose its labels"
	case !slices.Contains(c.Purposes, s.request.Purpose):
		return fmt.Sprintf("it does not have the purpose %s", s.request.Purpose)
	}
	return ""
}

// namespace is where a new Cluster is made, and which one is searched in the scope Namespaced.
func (s *scheduling) namespace() string {
	if namespace := s.definition.Template.Metadata.Namespace; namespace != "" {
		return namespace
	}
	return s.request.Ref.Namespace
}

// unfit says why a Cluster that is in sight is not given; empty = it may be.
func (s *scheduling) unfit(c *Cluster) string {
	limit := s.definition.TenancyCount
	switch {
	case s.definition.Template.Spec.Tenancy != Shared:
		return "each request of the purpose gets a Cluster of its own"
	case c.Deleting:
		return "it is being deleted"
	case limit > 0 && len(c.Tenants) >= limit:
		return fmt.Sprintf("it has %s, and the limit is %d", words.Count(len(c.Tenants), "request"), limit)
	}
	return ""
}

// chosen is which of the Clusters that fit the strategy takes.
func (s *scheduling) chosen(fitting []*Cluster) *Cluster {
	best := fitting[0]
	if s.landscape.Config.Strategy == StrategySimple {
		return best
	}
	for _, c := range fitting[1:] {
		if len(c.Tenants) < len(best.Tenants) {
			best = c
		}
	}
	return best
}

// give decides for a Cluster that exists and fits.
func (s *scheduling) give(c *Cluster) {
	s.decision.Message = fmt.Sprintf("Cluster %s has the purpose %s and %s.", c.Ref, s.request.Purpose, words.Count(len(c.Tenants), "request"))
	s.take(c, clusters.Reuse, clusters.ReasonShared)
	s.decision.Tenants = len(c.Tenants) + 1
	s.mark(c, "taken: "+s.byStrategy())
	if c.Tenancy == Exclusive {
		s.warn("Cluster %s is %s, and the operator gives it to a shared request all the same: the purposes of both meet on it.",
			c.Ref, Exclusive)
	}
}

// byStrategy says why one Cluster comes before the others.
func (s *scheduling) byStrategy() string {
	if s.landscape.Config.Strategy == StrategySimple {
		return "the first that fits"
	}
	return "the fewest requests of those that fit"
}

// giveHeld decides for the Cluster that the request holds already.
func (s *scheduling) giveHeld(c *Cluster, reason clusters.Reason, message string) {
	s.decision.Message = message
	s.take(c, clusters.Reuse, reason)
	s.decision.Tenants = len(c.Tenants)
	if !c.holds(s.request.UID) { // the operator adds the finalizer
		s.decision.Tenants++
	}
	if len(s.decision.Candidates) == 0 { // the operator reads no other
		s.decision.Candidates = []clusters.Candidate{{Kind: clusters.CandidateCluster, Ref: c.Ref}}
	}
	for i := range s.decision.Candidates {
		switch one := &s.decision.Candidates[i]; {
		case one.Ref == c.Ref:
			one.Chosen, one.Reason = true, "the request holds it"
		case one.Reason == "":
			one.Reason = "the request holds another one"
		}
	}
	if c.Deleting {
		s.warn("Cluster %s is being deleted.", c.Ref)
	}
}

// take fills in what is known of the Cluster that the request gets.
func (s *scheduling) take(c *Cluster, action clusters.Action, reason clusters.Reason) {
	d := &s.decision
	d.Action, d.Reason, d.Cluster = action, reason, c.Ref
	d.Profile, d.Version, d.Tenancy = c.Profile, c.Version, c.Tenancy
	d.Prefix, d.PrefixKnown = Prefix(s.request, c), true
}

// mark says of the candidates that fit which one was taken.
func (s *scheduling) mark(taken *Cluster, why string) {
	for i := range s.decision.Candidates {
		one := &s.decision.Candidates[i]
		switch {
		case one.Ref == taken.Ref:
			one.Chosen, one.Reason = true, why
		case one.Reason == "":
			one.Reason = fmt.Sprintf("it fits, and %s comes before it", taken.Ref)
		}
	}
}

// draw decides for one of several Clusters that are equal for the operator.
func (s *scheduling) draw(fitting []*Cluster) {
	d := &s.decision
	d.Action, d.Reason = clusters.Reuse, ReasonDrawn
	d.Message = fmt.Sprintf("The operator draws one of %d Clusters at random (strategy %s).", len(fitting), StrategyRandom)
	for i := range d.Candidates {
		if one := &d.Candidates[i]; one.Reason == "" {
			one.Reason = fmt.Sprintf("it fits, and is one of %d that the operator draws from", len(fitting))
		}
	}
	common := func(of func(*Cluster) string) string {
		first := of(fitting[0])
		if slices.ContainsFunc(fitting, func(c *Cluster) bool { return of(c) != first }) {
			return ""
		}
		return first
	}
	d.Profile = common(func(c *Cluster) string { return c.Profile })
	d.Version = common(func(c *Cluster) string { return c.Version })
	d.Tenancy = common(func(c *Cluster) string { return c.Tenancy })
	d.Prefix = common(func(c *Cluster) string { return Prefix(s.request, c) })
	d.PrefixKnown = d.Prefix != ""
	for _, c := range fitting {
		if c.Tenancy == Exclusive {
			s.warn("Cluster %s is %s, and the operator may give it to a shared request all the same.", c.Ref, Exclusive)
		}
	}
}

func (s *scheduling) warn(format string, args ...any) {
	s.decision.Warnings = append(s.decision.Warnings, fmt.Sprintf(format, args...))
}
