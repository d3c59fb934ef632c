package clusterrequest

import (
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// announced begins the note of a Cluster that this run may take along.
const announced = "announced"

// allow lets this run take along the Cluster of a request of which the plan has seen no Cluster, or which a release planned that noted
// none. What a plan has announced [requestResource.Check] notes, before another request of the run sees that this one is withdrawn: of
// several that are withdrawn together the last one that is planned announces the Cluster, and any of them may be the last one that leaves
// it.
func (r *requestResource) allow(live *api.ClusterRequest) {
	if r.Ends.Cluster == "" && live.Status.Cluster != nil {
		r.Backend.Ledger.First(announced, live.Status.Cluster.String())
	}
}

// unannounced reports whether a Cluster goes with its last request of which the plan has seen a Cluster, and not announced this one. What
// is being deleted already goes anyway.
func (r *requestResource) unannounced(c *api.Cluster) bool {
	if r.Ends.Cluster == "" || !api.GoesAlong(c) || c.DeletionTimestamp != nil {
		return false
	}
	return !r.Backend.Ledger.Noted(announced, string(c.UID)) && !r.Backend.Ledger.Noted(announced, c.Ref().String())
}
