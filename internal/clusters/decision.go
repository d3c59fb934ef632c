// Package clusters has the words that the two schedulers of ClusterRequests share: what a decision is called, why it came out so, and
// which candidates it had. The schedulers are pure: no client, no clock, no environment; the same input gives the same decision, whatever
// the order of the Clusters, profiles and grants in it.
//
//   - adr decides by purposes, traits and prefixes, as proposed for the Cluster API (ADR 015).
//   - operator decides as openmcp-operator v1.3.0 does, faults included (ADR 016).
package clusters

import (
	"cmp"
)

// Ref names an object by namespace and name.
type Ref struct {
	Namespace, Name string
}

func (r Ref) String() string { return r.Namespace + "/" + r.Name }

// Compare orders references by namespace, then by name.
func (r Ref) Compare(other Ref) int {
	return cmp.Or(cmp.Compare(r.Namespace, other.Namespace), cmp.Compare(r.Name, other.Name))
}

// Action is what a scheduler does with a request. The values are part of the provider's interface.
type Action string

const (
	// Reuse gives a Cluster that exists.
	Reuse Action = "reuse"
	// Create makes a new Cluster.
	Create Action = "create"
	// Deny refuses the request; Reason and Message say why.
	Deny Action = "deny"
)

// Reason says in one word why a decision came out as it did, for the status of a request. The values are part of the
// provider's interface. Each scheduler has further ones.
type Reason string

const (
	// ReasonGranted says that the request holds a grant already and keeps it.
	ReasonGranted Reason = "AlreadyGranted"
	// ReasonShared says that a shared Cluster that exists fits.
	ReasonShared Reason = "SharedClusterFits"
	// ReasonNew says that a new Cluster is made, dedicated or for sharing.
	ReasonNew Reason = "NewCluster"
	// ReasonUnknownPurpose denies a request with a purpose that is not defined.
	ReasonUnknownPurpose Reason = "UnknownPurpose"
)

// CandidateKind says what a candidate is. The values are part of the provider's interface.
type CandidateKind string

const (
	// CandidateCluster is a Cluster that exists.
	CandidateCluster CandidateKind = "cluster"
	// CandidateProfile is a profile from which a new Cluster could be made.
	CandidateProfile CandidateKind = "profile"
)

// Candidate is a Cluster or a profile that a scheduler compared with the request.
type Candidate struct {
	Kind CandidateKind
	// Ref names it; a profile has no namespace.
	Ref Ref
	// Chosen is true for one candidate at most.
	Chosen bool
	// Reason says why it was taken or not, in a few words.
	Reason string
}
