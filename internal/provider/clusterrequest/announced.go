package clusterrequest

import (
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// announced begins the note of a Cluster that this run may take along.
const announced = "announced"

// announce notes the Cluster that the plan of this request allows this run to take along, before another request of the run sees that this
// one is withdrawn: of several that are withdrawn together the last one that is planned announces the Cluster, and any of them may be the
// last one that leaves it. Where the plan has seen no Cluster, or is of a release that noted none, it allows what the request has.
func (r *requestResource) announce(live *api.ClusterRequest) {
	switch {
	case r.Ends.Goes:
		r.Backend.Ledger.First(announced, r.Ends.Cluster)
	case r.Ends.Cluster == "" && live.Status.Cluster != nil:
		r.Backend.Ledger.First(announced, live.Status.Cluster.String())
	}
}

// stays reports whether the plan has seen the Cluster of this request, and not announced that it goes.
func (r *requestResource) stays() bool { return r.Ends.Cluster != "" && !r.Ends.Goes }

// unannounced reports whether a Cluster goes with its last request of which the plan has seen a Cluster, and not announced this one. What
// is being deleted already goes anyway.
func (r *requestResource) unannounced(c *api.Cluster) bool {
	if r.Ends.Cluster == "" || !api.GoesAlong(c) || c.DeletionTimestamp != nil {
		return false
	}
	return !r.Backend.Ledger.Noted(announced, string(c.UID)) && !r.Backend.Ledger.Noted(announced, c.Ref().String())
}
