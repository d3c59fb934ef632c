package operator

import "github.com/hap-project/terraform-provider-hap/internal/clusters"

// The reasons of the operator's engine alone. The operator itself gives none: what it denies stays pending without a word.
const (
	// ReasonRecovered says that a Cluster has the finalizer of the request, whose status does not say so.
	ReasonRecovered clusters.Reason = "RecoveredByFinalizer"
	// ReasonDrawn says that the operator draws one of several Clusters at random.
	ReasonDrawn clusters.Reason = "DrawnAtRandom"
	// ReasonRecreated says that the Cluster that the request was granted is gone and made again, under its name.
	ReasonRecreated clusters.Reason = "ClusterRecreated"
	// ReasonTakenOver says that a Cluster with the name of the new one exists and that no request holds it: the operator takes it,
	// and overwrites its spec.
	ReasonTakenOver clusters.Reason = "ClusterTakenOver"
	// ReasonNameConflict denies because a Cluster with the name of the new one is held by another request.
	ReasonNameConflict clusters.Reason = "NameConflict"
	// ReasonProfileConflict denies because a Cluster with the name of the new one has another profile, which is immutable.
	ReasonProfileConflict clusters.Reason = "ProfileConflict"
	// ReasonInDeletion denies because a Cluster with the name of the new one is being deleted. When it is gone, the new one is made.
	ReasonInDeletion clusters.Reason = "ClusterInDeletion"
	// ReasonInvalidName denies because the new Cluster would have a name that the operator or the API server refuses.
	ReasonInvalidName clusters.Reason = "InvalidName"
	// ReasonRandomName denies because of [RandomNameLabel].
	ReasonRandomName clusters.Reason = "RandomNameFails"
	// ReasonNotSelected denies because the operator does not see requests with these labels.
	ReasonNotSelected clusters.Reason = "RequestNotSelected"
	// ReasonIgnored denies because the request has the annotation with which the operator leaves it alone.
	ReasonIgnored clusters.Reason = "RequestIgnored"
)

// Decision is what the operator does with a request. A denied request stays pending.
type Decision struct {
	Action  clusters.Action
	Reason  clusters.Reason
	Message string // why, in one or two sentences
	// Cluster is the Cluster that exists, or the name of the new one; the name that is taken where the request is denied for it; zero
	// where it is drawn, or not known.
	Cluster clusters.Ref
	// Profile, Version and Tenancy are those of the Cluster. Empty where the request is denied; where the Cluster is drawn, what all of
	// them have in common.
	Profile, Version, Tenancy string
	// Tenants is how many requests hold the Cluster, with this one; 0 = denied or drawn.
	Tenants int
	// Prefix is that of [Prefix]; empty also where the request is denied, or where it depends on what is drawn.
	Prefix string
	// PrefixKnown is false where the request is denied, or where the prefix depends on what is drawn.
	PrefixKnown bool
	// Candidates are all Clusters in the order in which the operator sees them, each with why it was taken or not; of a granted request
	// the one that it holds.
	Candidates []clusters.Candidate
	// Uncertain says of a request that is denied for [ReasonNameConflict] that the holder cannot be seen: if it is gone, the operator
	// takes the Cluster over instead, see [ReasonTakenOver].
	Uncertain bool
	// Warnings are what a person should know beside the decision.
	Warnings []string
}
