package builtin

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// carry brings the labels and annotations of a request to its exclusive Cluster that go on to it. Where they are there nothing is
// written, and
// nothing is read where the request has none.
//
// Errors: those of [kube.Write] and [kube.Read].
func (s *Scheduler) carry(ctx context.Context, r *api.ClusterRequest) error {
	if api.Carried(r.Labels, nil) == nil && api.Carried(r.Annotations, nil) == nil {
		return nil
	}
	held, err := s.clusterOf(ctx, r, s.objects.Clusters.Get)
	if err != nil || held == nil {
		return err
	}
	_, err = s.objects.Clusters.Revise(ctx, held.Ref(), held.UID, func(live *api.Cluster) (map[string]any, error) {
		if live.Spec.Tenancy != api.Exclusive || !api.Holds(live, r) {
			return nil, nil
		}
		metadata := map[string]any{}
		if addCarried(metadata, live, r); len(metadata) == 0 {
			return nil, nil
		}
		return map[string]any{"metadata": metadata}, nil
	})
	if api.IsGone(err) { // it is made anew, with all
		return nil
	}
	return err
}

// addCarried adds what goes on from a request to its exclusive Cluster to a patch of the metadata of that.
func addCarried(metadata map[string]any, c *api.Cluster, r *api.ClusterRequest) {
	for field, carried := range map[string]map[string]string{
		"labels": api.Carried(r.Labels, c.Labels), "annotations": api.Carried(r.Annotations, c.Annotations),
	} {
		if carried == nil {
			continue
		}
		all, _ := metadata[field].(map[string]any)
		if all == nil {
			all = map[string]any{}
		}
		for key, value := range carried {
			all[key] = value
		}
		metadata[field] = all
	}
}
