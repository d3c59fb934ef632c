package operator

import (
	"cmp"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// RandomNameLabel is the label of a request by which the operator is to draw the name of a new Cluster, where it is "true". It never
// works on a real API server: the operator asks for the Cluster by its name before it has one.
const RandomNameLabel = "clusters.openmcp.cloud/randomize-cluster-name"

// DeletedWithoutRequests is the label of a Cluster that the operator deletes with its last request, where it is "true". Each Cluster that
// the operator makes has it, with the template's value where that says one.
const DeletedWithoutRequests = "clusters.openmcp.cloud/delete-without-requests"

// Request is a ClusterRequest as the operator sees it.
type Request struct {
	Ref     clusters.Ref
	UID     string // empty = it is not made yet
	Purpose string
	Labels  map[string]string
	Ignored bool          // it has the annotation with which the operator leaves it alone
	Cluster *clusters.Ref // which it was granted, by its status; nil = none
}

// Landscape is what the operator knows when a request comes.
type Landscape struct {
	Config   Config
	Clusters []Cluster // all there are
	// Requests are the requests that exist, as far as they can be seen; their uids say who holds a Cluster.
	Requests []Holder
	// AllRequests says that Requests has those of all namespaces. Otherwise a holder that is not among them may exist elsewhere, or be
	// gone: what hangs on it is [Decision.Uncertain].
	AllRequests bool
}

// Holder is a request that may hold a Cluster.
type Holder struct {
	Ref clusters.Ref
	UID string
}

// Cluster is a Cluster as the operator sees it.
type Cluster struct {
	Ref      clusters.Ref
	Labels   map[string]string
	Profile  string
	Version  string // of Kubernetes; empty = not known
	Tenancy  string
	Purposes []string
	Tenants  []string // uids of the requests that hold it, in the order of their finalizers
	Deleting bool
}

// holds reports whether a request holds the Cluster.
func (c *Cluster) holds(uid string) bool { return uid != "" && slices.Contains(c.Tenants, uid) }

// inServerOrder returns the Clusters in the order in which the API server lists them: that of their keys, where a-b/x comes before a/x.
func (l *Landscape) inServerOrder() []*Cluster {
	sorted := make([]*Cluster, len(l.Clusters))
	for i := range l.Clusters {
		sorted[i] = &l.Clusters[i]
	}
	slices.SortFunc(sorted, func(a, b *Cluster) int { return cmp.Compare(a.Ref.String(), b.Ref.String()) })
	return sorted
}

// clusterOf returns the Cluster of a name; nil = there is none.
func (l *Landscape) clusterOf(ref clusters.Ref) *Cluster {
	for i := range l.Clusters {
		if l.Clusters[i].Ref == ref {
			return &l.Clusters[i]
		}
	}
	return nil
}

// holder returns the request of a uid, for a message, and whether it is seen to exist.
func (l *Landscape) holder(uid string) (name string, exists bool) {
	for _, r := range l.Requests {
		if r.UID == uid {
			return r.Ref.String(), true
		}
	}
	return "", false
}
