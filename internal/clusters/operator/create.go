package operator

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// create decides for a new Cluster; again is the name that it had before, zero = it is new altogether.
func (s *scheduling) create(again clusters.Ref, reason clusters.Reason) {
	for i := range s.decision.Candidates {
		if one := &s.decision.Candidates[i]; one.Reason == "" {
			one.Reason = "each request of the purpose gets a Cluster of its own"
		}
	}
	ref := again
	if ref == (clusters.Ref{}) {
		name, denied := s.newName()
		if denied {
			return
		}
		ref = clusters.Ref{Namespace: s.namespace(), Name: name}
	}
	wanted := s.template(ref)
	there := s.landscape.clusterOf(ref)
	if there != nil && s.taken(there, wanted) {
		return
	}
	s.take(wanted, clusters.Create, reason)
	s.decision.Tenants = 1
	s.decision.Message = fmt.Sprintf("No Cluster fits: the operator makes %s with the profile %s.", ref, wanted.Profile)
	if s.definition.Template.Spec.Tenancy == Exclusive {
		s.decision.Message = fmt.Sprintf("Each request of the purpose %s gets a Cluster of its own: the operator makes %s with the profile %s.",
			s.request.Purpose, ref, wanted.Profile)
	}
	if reason == ReasonRecreated {
		s.decision.Message = fmt.Sprintf("Cluster %s, which the request was granted, is gone. The operator makes it again at its next read of "+
			"the request (annotation openmcp.cloud/operation: reconcile).", ref)
	}
	if there != nil {
		s.takeOver(there, wanted)
		return
	}
	seen := func(c Cluster) bool { return c.Ref.Namespace == ref.Namespace }
	if ref.Namespace != s.request.Ref.Namespace && !slices.ContainsFunc(s.landscape.Clusters, seen) {
		s.warn("Namespace %s, in which the new Cluster is to lie, has no Cluster yet, and the operator does not make it: if it does not exist, "+
			"the request stays pending.", ref.Namespace)
	}
}

// template is the new Cluster that a purpose makes.
func (s *scheduling) template(ref clusters.Ref) *Cluster {
	t := s.definition.Template
	labels := map[string]string{DeletedWithoutRequests: "true"}
	maps.Copy(labels, t.Metadata.Labels)
	purposes := slices.Clone(t.Spec.Purposes)
	if !slices.Contains(purposes, s.request.Purpose) {
		purposes = append(purposes, s.request.Purpose)
	}
	return &Cluster{Ref: ref, Labels: labels, Profile: t.Spec.Profile, Version: t.Spec.Kubernetes.Version, Tenancy: t.Spec.Tenancy,
		Purposes: purposes}
}

// newName is what the operator calls the new Cluster; denied where that comes to nothing.
func (s *scheduling) newName() (name string, denied bool) {
	d := s.definition
	prefix := d.Template.Metadata.GenerateName
	if d.Template.Spec.Tenancy == Shared && d.TenancyCount == 0 { // one Cluster for all
		if prefix == "" {
			name = d.Template.Metadata.Name
			if name == "" {
				name = s.request.Purpose
			}
			return name, s.refused(name)
		}
	} else if prefix == "" {
		prefix = s.request.Purpose + "-"
	}
	if s.request.Labels[RandomNameLabel] == "true" {
		s.deny(ReasonRandomName, "The label %s never works on a real API server: the operator asks for the new Cluster before it has a name. "+
			"The request stays pending; leave the label out.", RandomNameLabel)
		return "", true
	}
	name, err := derivedName(prefix, s.request.Ref)
	if err != nil {
		s.deny(ReasonInvalidName, "The operator finds no name for the new Cluster: %v.", err)
		return "", true
	}
	return name, s.refused(name)
}

// refused denies for a name that the API server does not take.
func (s *scheduling) refused(name string) bool {
	if isObjectName(name) {
		return false
	}
	s.deny(ReasonInvalidName, "The new Cluster would be called %q, and the API server refuses that: it takes small letters, digits, dashes "+
		"and dots.", name)
	return true
}

// taken denies where a Cluster of the name prevents the new one; otherwise it notes in wanted who holds it beside the request.
func (s *scheduling) taken(there, wanted *Cluster) bool {
	s.decision.Cluster = there.Ref
	first, own := s.firstHolder(there)
	holder, exists := s.landscape.holder(first)
	unseen := first != "" && !exists && !s.landscape.AllRequests
	switch {
	case exists && !own:
		s.deny(ReasonNameConflict, "The operator would call the new Cluster %s. There is one already, and %s holds it: the request stays "+
			"pending for ever. Take another name for the request, or withdraw the other one.", there.Ref, holder)
	case there.Deleting && !own:
		s.deny(ReasonInDeletion, "The operator would call the new Cluster %s, and the one of that name is being deleted: the request stays "+
			"pending until it is gone.", there.Ref)
	case there.Profile != wanted.Profile:
		s.deny(ReasonProfileConflict, "The operator would call the new Cluster %s. There is one already, with the profile %s instead of %s, "+
			"which cannot change: the request stays pending for ever.", there.Ref, there.Profile, wanted.Profile)
	case unseen && !own:
		s.decision.Uncertain = true
		s.deny(ReasonNameConflict, "The operator would call the new Cluster %s. There is one already, and a request that cannot be seen, or "+
			"one that is gone, holds it (UID %s). If it lives, in another namespace, the request stays pending until it is withdrawn. If it is "+
			"gone, the operator takes that Cluster, and overwrites its spec.", there.Ref, first)
	default:
		wanted.Tenants = slices.DeleteFunc(slices.Clone(there.Tenants), func(uid string) bool { return uid == first || uid == s.request.UID })
		s.warnHolders(there, wanted.Tenants)
		switch { // its own finalizer follows, and the operator reads no further
		case exists:
			s.warn("%s lives and holds Cluster %s, and the operator takes its finalizer away all the same. Nothing keeps the Cluster for "+
				"that request until the operator looks at the request again, which it does when the operator starts anew, unless it leaves the "+
				"request alone. Until then the Cluster is deleted with the last request whose finalizer it has.", holder, there.Ref)
		case unseen:
			s.warn("A request that cannot be seen, or one that is gone, holds Cluster %s (UID %s), and the operator takes its finalizer away. If "+
				"that request lives, nothing keeps the Cluster for it until the operator looks at the request again, which it does when the "+
				"operator starts anew, unless it leaves the request alone.", there.Ref, first)
		}
		return false
	}
	return true
}

// firstHolder returns the first request in the order of the finalizers that holds a Cluster, and whether the request itself does; empty =
// none comes before the request itself. The operator asks whether that one exists, and for no other: it takes its finalizer away where
// it is gone, and also where the request's own follows, at which the operator stops.
func (s *scheduling) firstHolder(c *Cluster) (uid string, own bool) {
	if !c.holds(s.request.UID) {
		return append(slices.Clone(c.Tenants), "")[0], false
	}
	if c.Tenants[0] == s.request.UID {
		return "", true
	}
	return c.Tenants[0], true
}

// warnHolders warns of the others who hold a Cluster that is taken over, and live.
func (s *scheduling) warnHolders(c *Cluster, others []string) {
	for _, uid := range others {
		if holder, exists := s.landscape.holder(uid); exists {
			s.warn("%s holds Cluster %s as well, and the operator overlooks it.", holder, c.Ref)
		}
	}
}

// takeOver decides that the new Cluster is none: one of its name exists.
func (s *scheduling) takeOver(there, wanted *Cluster) {
	d := &s.decision
	d.Action, d.Reason = clusters.Reuse, ReasonTakenOver
	d.Tenants = len(wanted.Tenants) + 1
	d.Message = fmt.Sprintf("The operator would call the new Cluster %s. There is one already that no other request holds, and it takes that.",
		there.Ref)
	s.warn("The operator overwrites the spec of Cluster %s with its template: purposes, tenancy, version and configurations.", there.Ref)
	for i := range d.Candidates {
		if one := &d.Candidates[i]; one.Ref == there.Ref {
			one.Chosen, one.Reason = true, "taken over: it has the name of the new one"
		}
	}
}
