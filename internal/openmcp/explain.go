package openmcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// explainTime bounds the looks for why a request was not granted, whose time is over.
const explainTime = 10 * time.Second

// explain says what may keep a request from being granted, as far as it can be seen: the operator says it in its log alone. What
// cannot be looked at is left out.
func (p *Platform) explain(ctx context.Context, r *ClusterRequest) (seen []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), explainTime)
	defer cancel()
	if r.Annotations[OperationAnnotation] == OperationIgnore {
		seen = append(seen, fmt.Sprintf("the request bears the annotation %s: %s, with which the scheduler leaves it alone",
			OperationAnnotation, OperationIgnore))
	}
	clusters, _, err := p.clusters.list(ctx)
	if err != nil {
		return append(seen, fmt.Sprintf("the Clusters could not be listed: %v", err))
	}
	purposes := map[string]bool{}
	for _, c := range clusters {
		for _, purpose := range c.Spec.Purposes {
			purposes[purpose] = true
		}
		if holds := Tenants(c); c.Name == r.Spec.Purpose || isNamedFor(c, r) {
			if len(holds) > 0 && !slices.Contains(holds, string(r.UID)) {
				seen = append(seen, fmt.Sprintf("Cluster %s has the name that the request's own would get, and %d other requests hold it",
					c.Ref(), len(holds)))
			}
		}
	}
	if !purposes[r.Spec.Purpose] {
		known := make([]string, 0, len(purposes))
		for purpose := range purposes {
			known = append(known, purpose)
		}
		slices.Sort(known)
		text := fmt.Sprintf("no Cluster has the purpose %q, and the operator's scheduler.purposeMappings may not know it", r.Spec.Purpose)
		if len(known) > 0 {
			text += fmt.Sprintf(" (purposes of the Clusters: %s)", strings.Join(known, ", "))
		}
		seen = append(seen, text)
	}
	return seen
}

// isNamedFor reports whether a Cluster has the name that the operator derives for a request: the purpose, and a hash of the request.
func isNamedFor(c *Cluster, r *ClusterRequest) bool {
	return c.Name == r.Spec.Purpose+"-"+HashOf(r.Namespace, r.Name)
}
