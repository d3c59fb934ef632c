package openmcp

import (
	"context"
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// Outgrown says why the Cluster that a request of the built-in scheduler holds does not serve what is wanted of the request by now; empty =
// it does, and the request keeps it. held is that Cluster; nil = the request holds none. It reads as a refresh does.
//
// Errors: [*GoneError]; [*adr.InputError], [*adr.UnknownPurposeError]; those of [kube.Read].
func (p *Platform) Outgrown(ctx context.Context, w WantedRequest) (held *Cluster, why string, err error) {
	live, err := p.RequestOf(ctx, w.Ref)
	if err != nil {
		return nil, "", err
	}
	return p.outgrown(ctx, live, w)
}

func (p *Platform) outgrown(ctx context.Context, live *ClusterRequest, w WantedRequest) (held *Cluster, why string, err error) {
	held, err = p.clusterOf(ctx, live, p.clusters.read)
	if err != nil || held == nil || !Holds(held, live) {
		return nil, "", err
	}
	if purpose := live.Spec.Purpose; !slices.Contains(w.ADR.Purposes, purpose) { // a ClusterRequest never changes it
		return held, fmt.Sprintf("the request was made with the purpose %q, which the operator goes by behind a handover, and drops it",
			purpose), nil
	}
	profiles, err := p.offered.get(ctx, p, offeredAge)
	if err != nil {
		return held, "", err
	}
	why, err = adr.Outgrown(w.ADR.request(w.Ref), adrLandscape(w.Ref, w.ADR.Definitions, profiles, []*Cluster{held}, string(live.UID)),
		clusters.Ref(held.Ref()))
	return held, why, err
}

// Foresee says whether a request that is to be made is denied, as the platform cluster is now; nil = it is not, or the request exists
// already. Many requests share what it reads, and a denial is read anew.
//
// Errors: [*adr.InputError]; those of [kube.Read].
func (p *Platform) Foresee(ctx context.Context, w WantedRequest) (*DeniedError, error) {
	all, err := p.RecentClusters(ctx)
	if err != nil {
		return nil, err
	}
	profiles, err := p.offered.get(ctx, p, offeredAge)
	if err != nil {
		return nil, err
	}
	d, _, err := judge(w.Ref, *w.ADR, nil, profiles, all)
	if err == nil && d.Action == clusters.Deny {
		d, err = p.PreviewADR(ctx, w)
	}
	if err != nil || d.Action != clusters.Deny {
		return nil, err
	}
	return &DeniedError{Ref: w.Ref, Reason: d.Reason, Message: d.Message, Foreseen: true}, nil
}
