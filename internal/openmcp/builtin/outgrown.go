package builtin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// previewAge is how old what the cluster providers offer may be where a plan asks: the many requests of a run share a read. A denial is of
// what they offer at that moment.
const previewAge = 10 * time.Second

// offeredToPlan is what the cluster providers offer, as new as a plan needs it.
func (s *Scheduler) offeredToPlan(ctx context.Context) ([]adr.Profile, error) {
	return s.offered.get(ctx, s, time.Now().Add(-previewAge))
}

// Outgrown says why the Cluster that a request of the built-in scheduler holds does not serve what is wanted of the request by now; empty =
// it does, and the request keeps it. held is that Cluster; nil = the request holds none. It reads as a refresh does.
//
// Errors: [*api.GoneError]; [*adr.InputError], [*adr.UnknownPurposeError]; those of [kube.Read].
func (s *Scheduler) Outgrown(ctx context.Context, w Wanted) (held *api.Cluster, why string, err error) {
	live, err := s.objects.Requests.Read(ctx, w.Ref)
	if err != nil {
		return nil, "", err
	}
	return s.outgrown(ctx, live, w)
}

func (s *Scheduler) outgrown(ctx context.Context, live *api.ClusterRequest, w Wanted) (held *api.Cluster, why string, err error) {
	if Serves(live) {
		held, err = s.clusterOf(ctx, live, s.objects.Clusters.Read)
	} else {
		held, err = s.ClusterOf(ctx, live, s.objects.Clusters.Read)
	}
	if err != nil || held == nil || !api.Holds(held, live) {
		return nil, "", err
	}
	if purpose := live.Spec.Purpose; !slices.Contains(w.ADR.Purposes, purpose) { // a ClusterRequest never changes it
		return held, fmt.Sprintf("the request was made with the purpose %q, which the operator uses after a handover, and drops it",
			purpose), nil
	}
	profiles, err := s.offeredToPlan(ctx)
	if err != nil {
		return held, "", err
	}
	if s.Accounts != nil && w.ADR.GlobalAccount != "" {
		accounts, err := s.accountsOf(ctx, w.ADR.GlobalAccount, []string{held.Spec.Profile}, nil, false)
		if err != nil {
			return held, "", err
		}
		if a := accounts[held.Spec.Profile]; a != nil && a.Unseen != "" {
			return held, "", &AccountUnseenError{Ref: live.Ref(), Account: a.Name, GlobalAccount: w.ADR.GlobalAccount, Why: a.Unseen}
		}
		profiles = withAccounts(profiles, accounts)
	}
	why, err = adr.Outgrown(w.ADR.request(w.Ref),
		adrLandscape(w.Ref, *w.ADR, profiles, []*api.Cluster{held}, string(live.UID), nil), clusters.Ref(held.Ref()))
	return held, why, err
}

// Foresee says whether a request that is to be made is denied, as the platform cluster is now; nil = it is not, or the request exists
// already. Many requests share what it reads, and a denial is read anew.
//
// Errors: [*adr.InputError]; those of [kube.Read].
func (s *Scheduler) Foresee(ctx context.Context, w Wanted) (*DeniedError, error) {
	all, err := s.objects.Clusters.Recent(ctx)
	if err != nil {
		return nil, err
	}
	profiles, err := s.offeredToPlan(ctx)
	if err != nil {
		return nil, err
	}
	by, err := s.serversOf(ctx, w.Ref, *w.ADR, all, false)
	if err != nil {
		return nil, err
	}
	d, _, err := s.judgeRegarding(ctx, w.Ref, *w.ADR, nil, profiles, all, by, false)
	if err == nil && d.Action == clusters.Deny {
		d, err = s.PreviewADR(ctx, w)
	}
	if err != nil || d.Action != clusters.Deny {
		return nil, err
	}
	return &DeniedError{Ref: w.Ref, Reason: d.Reason, Message: d.Message, Foreseen: true}, nil
}
