package adr

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// AccessStatus is the answer to an AccessRequest.
type AccessStatus string

const (
	// AccessGranted grants the access.
	AccessGranted AccessStatus = "Granted"
	// AccessDenied denies it for good.
	AccessDenied AccessStatus = "Denied"
	// AccessPending waits for what it refers to.
	AccessPending AccessStatus = "Pending"
)

// The reasons of an [AccessDecision].
const (
	ReasonSameNamespace  clusters.Reason = "SameNamespace"
	ReasonOtherNamespace clusters.Reason = "OtherNamespace"
	ReasonNoCluster      clusters.Reason = "NoCluster"
	ReasonNoGrant        clusters.Reason = "NoGrant"
)

// AccessRequest asks for access to a Cluster (ADR 015). Exactly one of its two references is given;
// an empty namespace in it is that of the AccessRequest.
type AccessRequest struct {
	Ref clusters.Ref
	// Cluster is the Cluster, Request the ClusterRequest by whose grant it is found.
	Cluster, Request *clusters.Ref
}

// AccessDecision is the answer to an AccessRequest.
type AccessDecision struct {
	Status  AccessStatus
	Reason  clusters.Reason
	Message string
	// Cluster is the Cluster to which access is granted; zero unless it is.
	Cluster clusters.Ref
}

// DecideAccess grants an AccessRequest that lies in the namespace of the Cluster or ClusterRequest to which it refers (ADR 015).
// The proposal has this as an option and leaves the decision open [choice]. The namespace is judged first, so that no answer says what
// another namespace has [choice]. What does not exist yet leaves the AccessRequest pending [choice]. Where an openmcp-operator runs, that
// hands each AccessRequest to the cluster provider, whatever its namespace. Errors are an [*InputError].
func DecideAccess(a AccessRequest, l Landscape) (AccessDecision, error) {
	if err := checkRef("access_request", a.Ref); err != nil {
		return AccessDecision{}, err
	}
	if (a.Cluster == nil) == (a.Request == nil) {
		return AccessDecision{}, wrong("access_request", "exactly one of cluster_ref and request_ref is needed")
	}
	kind, field, to := "Cluster", "access_request.cluster_ref", a.Cluster
	if a.Request != nil {
		kind, field, to = "ClusterRequest", "access_request.request_ref", a.Request
	}
	ref := *to
	if ref.Namespace == "" {
		ref.Namespace = a.Ref.Namespace
	}
	if err := checkRef(field, ref); err != nil {
		return AccessDecision{}, err
	}
	if ref.Namespace != a.Ref.Namespace {
		return AccessDecision{Status: AccessDenied, Reason: ReasonOtherNamespace, Message: fmt.Sprintf(
			"The %s %v lies in another namespace than the AccessRequest %v.", kind, ref, a.Ref)}, nil
	}
	cluster, found, err := l.resolve(a.Request != nil, ref)
	switch {
	case err != nil:
		return AccessDecision{}, err
	case !found && a.Request != nil:
		return AccessDecision{Status: AccessPending, Reason: ReasonNoGrant, Message: fmt.Sprintf(
			"The ClusterRequest %v holds no grant.", ref)}, nil
	case !found:
		return AccessDecision{Status: AccessPending, Reason: ReasonNoCluster, Message: fmt.Sprintf("There is no Cluster %v.", ref)}, nil
	}
	return AccessDecision{Status: AccessGranted, Reason: ReasonSameNamespace, Cluster: cluster, Message: fmt.Sprintf(
		"The AccessRequest %v lies in the namespace of the %s %v.", a.Ref, kind, ref)}, nil
}

// resolve finds the Cluster to which a reference leads, through the grant of a request or by itself.
func (l Landscape) resolve(throughGrant bool, ref clusters.Ref) (cluster clusters.Ref, found bool, err error) {
	if throughGrant {
		c, _, err := grantOf(ref, l.sortedClusters())
		if c == nil || err != nil {
			return clusters.Ref{}, false, err
		}
		return c.Ref, true, nil
	}
	return ref, slices.ContainsFunc(l.Clusters, func(c Cluster) bool { return c.Ref == ref }), nil
}
