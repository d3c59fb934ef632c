package openmcp

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
)

// PrefixError says that the derived prefix of a request collides with that of another one on its Cluster.
type PrefixError struct {
	Ref         // the request
	Other   Ref // the one that has the prefix too
	Cluster Ref
	Prefix  string
	Others  string // the prefix of the other
}

func (e *PrefixError) Error() string {
	if e.Others != e.Prefix {
		return fmt.Sprintf("the derived prefix %s of request %s on Cluster %s collides with %s, which is granted to %s", e.Prefix, e.Ref,
			e.Cluster, e.Others, e.Other)
	}
	return fmt.Sprintf("requests %s and %s on Cluster %s have the same derived prefix %s", e.Ref, e.Other, e.Cluster, e.Prefix)
}

// Prefix returns the prefix for the names of a request's cluster-scoped objects on its Cluster: what the built-in scheduler has granted;
// else empty where it has the Cluster to itself,
// else derived from the namespace and the name of the request; see [operator.Prefix]. The operator knows no prefixes and enforces
// none. Those of one namespace are compared with each other; requests of other namespaces on the same Cluster cannot be seen. Where
// they cannot be listed, the prefix comes back beside the error.
//
// Errors: [*PrefixError]; those of [kube.Group.List].
func (p *Platform) Prefix(ctx context.Context, r *ClusterRequest, c *Cluster) (string, error) {
	if g, held := GrantOf(c, string(r.UID)); held && g.Recorded {
		return g.Prefix, nil
	}
	on, tenants := seenCluster(c), Tenants(c)
	prefix := operator.Prefix(operator.Request{Ref: clusters.Ref(r.Ref()), UID: string(r.UID), Purpose: r.Spec.Purpose}, &on)
	if prefix == "" || len(tenants) < 2 { //nolint:mnd // itself
		return prefix, nil
	}
	for _, other := range Grants(c) { // those of the built-in scheduler are on record, whatever their namespace
		if other.Recorded && other.Prefix != "" && adr.PrefixesCollide(prefix, other.Prefix) {
			return "", &PrefixError{r.Ref(), other.Request, c.Ref(), prefix, other.Prefix}
		}
	}
	requests, err := p.requests.of(r.Namespace)
	if err != nil {
		return prefix, err
	}
	all, err := requests.recent.All(ctx, requests.named)
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

// named reads all objects by their names.
func (k *kind[S, T]) named(ctx context.Context) (map[types.NamespacedName]*object[S, T], error) {
	all, _, err := k.list(ctx)
	named := make(map[types.NamespacedName]*object[S, T], len(all))
	for _, o := range all {
		named[types.NamespacedName(o.Ref())] = o
	}
	return named, err
}
