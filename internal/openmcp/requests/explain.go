package requests

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// explain says what may keep a request from being granted, as far as it can be seen: the operator says it in its log alone. What
// cannot be read is left out.
func (o *Operator) explain(ctx context.Context, r *api.ClusterRequest) (seen []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	if api.LeftAlone(r) {
		seen = append(seen, fmt.Sprintf("the request bears the annotation %s: %s, with which the scheduler leaves it alone",
			api.OperationAnnotation, api.OperationIgnore))
	}
	if r.Labels[operator.RandomNameLabel] == "true" {
		seen = append(seen, fmt.Sprintf("the request bears the label %s, with which released operators make no Cluster",
			operator.RandomNameLabel))
	}
	all, _, err := o.objects.Clusters.List(ctx)
	if err != nil {
		return append(seen, fmt.Sprintf("the Clusters could not be listed: %v", err))
	}
	for _, c := range all {
		if text := conflict(c, r); text != "" {
			seen = append(seen, text)
		}
	}
	return append(seen, unknownPurpose(all, r.Spec.Purpose)...)
}

// conflict says what is wrong with a Cluster that has the name which the operator derives for a request's own; empty = nothing, or the
// name is another one. A name with the hash of the request can only be meant for it, wherever its purpose puts Clusters; the purpose alone
// is the name of a Cluster that any number of requests share, which a request of the same purpose joins.
func conflict(c *api.Cluster, r *api.ClusterRequest) string {
	hashed := strings.HasSuffix(c.Name, operator.NameHash(r.Namespace, r.Name))
	if !hashed && (c.Name != r.Spec.Purpose || c.Namespace != r.Namespace) {
		return ""
	}
	holds := api.Tenants(c)
	switch {
	case slices.Contains(holds, string(r.UID)):
		return ""
	case c.DeletionTimestamp != nil:
		return fmt.Sprintf("Cluster %s has the name that the request's own would get, and is being deleted: the request waits until it is gone",
			c.Ref())
	case !hashed && slices.Contains(c.Spec.Purposes, r.Spec.Purpose):
		return ""
	case len(holds) == 0:
		return fmt.Sprintf("Cluster %s has the name that the request's own would get, and no request holds it: the operator takes it over only "+
			"where it has the profile that the purpose asks for, which cannot change (it has %s)", c.Ref(), c.Spec.Profile)
	}
	return fmt.Sprintf("Cluster %s has the name that the request's own would get, and %s %s it", c.Ref(),
		words.Count(len(holds), "other request"), words.Verb(len(holds), "hold"))
}

// unknownPurpose says that no Cluster has a purpose, and which they have; empty = one has it.
func unknownPurpose(clusters []*api.Cluster, purpose string) []string {
	purposes := map[string]bool{}
	for _, c := range clusters {
		for _, one := range c.Spec.Purposes {
			purposes[one] = true
		}
	}
	if purposes[purpose] {
		return nil
	}
	text := fmt.Sprintf("no Cluster has the purpose %q, and the operator's scheduler.purposeMappings may not know it", purpose)
	if len(purposes) > 0 {
		text += fmt.Sprintf(" (purposes of the Clusters: %s)", strings.Join(slices.Sorted(maps.Keys(purposes)), ", "))
	}
	return []string{text}
}
