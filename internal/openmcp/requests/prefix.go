package requests

import (
	"context"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// Prefix returns the prefix for the names of a request's cluster-scoped objects on its Cluster: what the built-in scheduler has granted;
// else empty where it has the Cluster to itself,
// else derived from the namespace and the name of the request; see [operator.Prefix]. The operator knows no prefixes and enforces
// none. Those of one namespace are compared with each other; requests of other namespaces on the same Cluster cannot be seen. Where
// they cannot be listed, the prefix comes back beside the error.
//
// Errors: [*PrefixError]; those of [kube.Group.List].
func (o *Operator) Prefix(ctx context.Context, r *api.ClusterRequest, c *api.Cluster) (string, error) {
	if g, held := api.GrantOf(c, string(r.UID)); held && g.Recorded {
		return g.Prefix, nil
	}
	on, tenants := SeenCluster(c), api.Tenants(c)
	prefix := operator.Prefix(operator.Request{Ref: clusters.Ref(r.Ref()), UID: string(r.UID), Purpose: r.Spec.Purpose}, &on)
	if prefix == "" || len(tenants) < 2 { //nolint:mnd // itself
		return prefix, nil
	}
	for _, other := range api.Grants(c) { // those of the built-in scheduler are on record, whatever their namespace
		if other.Recorded && other.Prefix != "" && adr.PrefixesCollide(prefix, other.Prefix) {
			return "", &PrefixError{r.Ref(), other.Request, c.Ref(), prefix, other.Prefix}
		}
	}
	requests, err := o.objects.Requests.In(r.Namespace)
	if err != nil {
		return prefix, err
	}
	all, err := requests.Recent(ctx)
	if err != nil {
		return prefix, err
	}
	for _, other := range all {
		if other.UID != r.UID && slices.Contains(tenants, string(other.UID)) && operator.NameHash(other.Namespace, other.Name)+"-" == prefix {
			return "", &PrefixError{r.Ref(), other.Ref(), c.Ref(), prefix, prefix}
		}
	}
	return prefix, nil
}
