package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// Where no operator runs, the provider does for an AccessRequest what the controller accessrequest of the operator does: it names the
// cluster provider, the profile and the Cluster, and sets the phase Pending, in which the cluster provider begins to work. The operator
// checks no namespace; the provider decides by the rule of the proposal before (ADR 015).

// conditionGranted is the condition in which the provider says why it has denied an AccessRequest.
const conditionGranted = "Granted"

// servePause is the pause between two decisions on an AccessRequest whose Cluster is not there yet.
const servePause = time.Second

// isHandedOver reports whether an AccessRequest is the cluster provider's: it works on none without both labels, in no other phase, and on
// none that was changed since it was granted, a deletion included.
func isHandedOver(r *api.AccessRequest) bool {
	if r.Labels[api.ProviderLabel] == "" || r.Labels[api.ProfileLabel] == "" {
		return false
	}
	return r.Status.Phase == api.Pending || r.Status.Phase == api.Granted && r.Status.ObservedGeneration == r.Generation
}

// Serve hands an AccessRequest to its cluster provider, or denies it, where no operator does: see [Accesses.Builtin]. One that refers to
// what is not there yet is decided on again and again, where the caller waits, until the context ends; it is no error then.
//
// Errors: [*api.GoneError], [*adr.InputError]; those of [kube.Read] and [kube.Write].
func (a *Accesses) Serve(ctx context.Context, r *api.AccessRequest, waits bool) (*api.AccessRequest, error) {
	if !a.Builtin {
		return r, nil
	}
	for decided := false; ; decided = true {
		if isHandedOver(r) || isIgnored(r) || r.DeletionTimestamp != nil {
			return r, nil
		}
		d, to, err := a.decide(ctx, r)
		switch {
		case decided && errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, ctx.Err()):
			return r, nil // the context has ended within a further read
		case err != nil:
			return r, err
		case d.Status == adr.AccessDenied:
			return a.deny(ctx, r, d)
		case d.Status == adr.AccessGranted && to != nil:
			return a.handOver(ctx, r, to)
		}
		if !waits || !kube.Sleep(ctx, servePause) {
			return r, nil
		}
	}
}

// Decide says whether an AccessRequest is surely denied, whatever there is on the platform cluster.
//
// Errors: [*adr.InputError].
func Decide(w Wanted) (adr.AccessDecision, error) {
	return adr.DecideAccess(asADR(w.Ref, w.ClusterRef, w.RequestRef), adr.Landscape{})
}

func asADR(of api.Ref, cluster, request *api.Ref) adr.AccessRequest {
	asked := adr.AccessRequest{Ref: clusters.Ref(of)}
	if request != nil {
		ref := clusters.Ref(*request)
		asked.Request = &ref
	} else if cluster != nil { // beside a request it is what was found by that
		ref := clusters.Ref(*cluster)
		asked.Cluster = &ref
	}
	return asked
}

// reasonOtherCluster denies an AccessRequest whose two references lead to two Clusters.
const reasonOtherCluster clusters.Reason = "OtherCluster"

// way is the way to a Cluster.
type way struct {
	cluster           api.Ref
	provider, profile string
}

// decide decides on an AccessRequest by the Cluster that it refers to, by itself or through a request. to is the way there; nil = there is
// none, or the profile of the Cluster is not published.
func (a *Accesses) decide(ctx context.Context, r *api.AccessRequest) (d adr.AccessDecision, to *way, err error) {
	asked := asADR(r.Ref(), r.Spec.ClusterRef, r.Spec.RequestRef)
	d, err = adr.DecideAccess(asked, adr.Landscape{}) // what another namespace has is not read
	if err != nil || d.Status == adr.AccessDenied {
		return d, nil, err
	}
	of := r.Spec.ClusterRef
	var request *api.ClusterRequest
	var cluster *api.Cluster
	if asked.Request != nil {
		if request, err = a.objects.Requests.Get(ctx, *r.Spec.RequestRef); err == nil {
			of = request.Status.Cluster
		}
	}
	if err == nil && of != nil {
		cluster, err = a.objects.Clusters.Get(ctx, *of)
	}
	if err != nil && !api.IsGone(err) {
		return d, nil, err
	}
	var l adr.Landscape
	if cluster != nil {
		seen := adr.Cluster{Ref: clusters.Ref(cluster.Ref())}
		if request != nil && api.Holds(cluster, request) {
			seen.Grants = []adr.Grant{{Request: *asked.Request}}
		}
		l.Clusters = []adr.Cluster{seen}
	}
	if d, err = adr.DecideAccess(asked, l); err != nil || d.Status != adr.AccessGranted {
		return d, nil, err
	}
	if at := r.Spec.ClusterRef; at != nil && *at != cluster.Ref() { // the cluster provider would go by it
		return adr.AccessDecision{Status: adr.AccessDenied, Reason: reasonOtherCluster, Message: fmt.Sprintf(
			"The AccessRequest refers to Cluster %s, and the ClusterRequest that it refers to holds Cluster %s.", *at, cluster.Ref())}, nil, nil
	}
	profile, err := a.objects.Profiles.Get(ctx, api.Ref{Name: cluster.Spec.Profile})
	if api.IsGone(err) {
		return d, nil, nil
	}
	if err != nil {
		return d, nil, err
	}
	return d, &way{cluster.Ref(), profile.Spec.ProviderRef.Name, profile.Name}, nil
}

// handOver writes what the cluster provider goes by. Labels and a reference that are there already stay: the operator leaves them, too.
//
// Errors: [*api.GoneError]; those of [kube.Read] and [kube.Write].
func (a *Accesses) handOver(ctx context.Context, r *api.AccessRequest, to *way) (*api.AccessRequest, error) {
	handed, err := a.patch(ctx, r, func(live *api.AccessRequest) map[string]any {
		metadata, labels := map[string]any{}, map[string]any{}
		for key, value := range map[string]string{api.ProviderLabel: to.provider, api.ProfileLabel: to.profile} {
			if live.Labels[key] == "" {
				labels[key] = value
			}
		}
		if len(labels) > 0 {
			metadata["labels"] = labels
		}
		if live.Annotations[api.OperationAnnotation] == api.OperationReconcile {
			metadata["annotations"] = map[string]any{api.OperationAnnotation: nil}
		}
		change := map[string]any{}
		if len(metadata) > 0 {
			change["metadata"] = metadata
		}
		if live.Spec.ClusterRef == nil {
			change["spec"] = map[string]any{"clusterRef": to.cluster}
		}
		if len(change) == 0 {
			return nil
		}
		return change
	})
	if err != nil {
		return r, err
	}
	return a.tell(ctx, handed, api.Pending, []any{})
}

// deny writes a denial into the status.
func (a *Accesses) deny(ctx context.Context, r *api.AccessRequest, d adr.AccessDecision) (*api.AccessRequest, error) {
	return a.tell(ctx, r, api.Denied, []any{map[string]any{
		"type": conditionGranted, "status": metav1.ConditionFalse, "reason": string(d.Reason), "message": d.Message,
		"lastTransitionTime": metav1.Now(),
	}})
}

// tell writes a phase into the status, unless the status has it already.
func (a *Accesses) tell(ctx context.Context, r *api.AccessRequest, phase string, conditions []any) (*api.AccessRequest, error) {
	says := func(live *api.AccessRequest) bool {
		return live.Status.Phase == phase && live.Status.ObservedGeneration == live.Generation
	}
	if says(r) {
		return r, nil
	}
	accesses, err := a.objects.Accesses.In(r.Namespace)
	if err != nil {
		return r, err
	}
	written, err := accesses.MergeStatus(ctx, r, map[string]any{
		"phase": phase, "observedGeneration": r.Generation, "conditions": conditions,
	}, func(live *api.AccessRequest) (bool, error) {
		if isHandedOver(live) { // the cluster provider is at work already
			return true, nil
		}
		return says(live), nil
	})
	if err != nil {
		return r, err
	}
	return written, nil
}

// letGo has the cluster provider take an AccessRequest down that is being deleted: the deletion has changed it, and the cluster provider
// leaves a changed one alone until it is pending again. One that it does not hold is gone, or goes.
//
// Errors: those of [kube.Read] and [kube.Write].
func (a *Accesses) letGo(ctx context.Context, of *api.AccessRequest) error {
	if !a.Builtin {
		return nil
	}
	live, err := a.objects.Accesses.Get(ctx, of.Ref())
	switch {
	case api.IsGone(err):
		return nil
	case err != nil:
		return err
	case live.UID != of.UID, live.Labels[api.ProviderLabel] == "", isHandedOver(live), isIgnored(live):
		return nil
	}
	_, err = a.tell(ctx, live, api.Pending, []any{})
	if gone := new(api.GoneError); errors.As(err, &gone) || api.Reason(err) == kube.NotFound {
		return nil
	}
	return err
}
