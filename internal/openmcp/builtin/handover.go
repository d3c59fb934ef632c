package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
)

// HandedOver reports whether the operator serves a request: it does where the built-in scheduler never has, or where the operator has taken
// it.
func HandedOver(r *api.ClusterRequest) bool {
	_, once := r.Annotations[api.RequestAnnotation]
	return !once || slices.Contains(r.Finalizers, api.RequestFinalizer) && !isStranded(r)
}

// notHandedOver returns an error where the operator serves a request: its status is the operator's to write.
func notHandedOver(r *api.ClusterRequest) error {
	if HandedOver(r) {
		return &OperatorRunsError{Ref: r.Ref(), Served: r.Ref()}
	}
	return nil
}

// takenBackAnnotation is on a request since the built-in scheduler has taken it back from a handover.
const takenBackAnnotation = "hap-project.io/taken-back"

// isStranded reports whether the operator has taken a request that the built-in scheduler had just taken back: it had read the request
// before, and its write names no version, so it has taken the built-in scheduler's finalizer off. It leaves the request alone, as the
// annotation says, and no scheduler would ever let the request go.
func isStranded(r *api.ClusterRequest) bool {
	_, back := r.Annotations[takenBackAnnotation]
	return back && api.LeftAlone(r) && slices.Contains(r.Finalizers, api.RequestFinalizer) && !Serves(r)
}

// toOperator has the operator serve a request, and the built-in scheduler not any more.
func (s *Scheduler) toOperator(ctx context.Context, r *api.ClusterRequest) error {
	return s.unserve(ctx, r, map[string]any{api.OperationAnnotation: nil, takenBackAnnotation: nil})
}

// IsUnserved reports whether no scheduler serves a request that the built-in one has served: a handover was cut short.
func IsUnserved(r *api.ClusterRequest) bool { return !HandedOver(r) && !Serves(r) }

// TakeBack has the built-in scheduler serve a request again that no scheduler serves, because a handover was cut short. Any other stays as
// it is.
//
// Errors: [*OperatorRunsError] where the operator has taken it, or serves another request of the namespace; [*LeavingError];
// [*api.GoneError]; those of [kube.Read] and [kube.Write].
func (s *Scheduler) TakeBack(ctx context.Context, r *api.ClusterRequest) (*api.ClusterRequest, error) {
	if !IsUnserved(r) {
		return r, nil
	}
	if err := s.noOperator(ctx, r); err != nil {
		return r, err
	}
	back, err := s.serve(ctx, r)
	switch {
	case err != nil:
		return r, err
	case slices.Contains(back.Finalizers, api.RequestFinalizer):
		return back, &OperatorRunsError{Ref: r.Ref(), Served: r.Ref()}
	case !Serves(back):
		return back, &LeavingError{r.Ref()}
	}
	return back, nil
}

// LeavingError says that a request cannot be handed over, because it is being deleted.
type LeavingError struct{ api.Ref }

func (e *LeavingError) Error() string {
	return fmt.Sprintf("ClusterRequest %s is being deleted, and the built-in scheduler has to take it off its Cluster before", e.Ref)
}

// HandOver gives this request from the built-in scheduler to the operator, which adopts it as it is: neither its status nor its
// Cluster changes. Where the status does not say yet what the request holds, it is written before: the operator would make a second
// Cluster. It waits until the operator has taken it. Where none does so within [requests.SchedulerTime], the built-in scheduler serves it
// again; another request of this run does not wait as long then.
//
// Errors: [*requests.NoSchedulerError]; [*api.GoneError]; [*LeavingError]; those of [kube.Read] and [kube.Write].
func (s *Scheduler) HandOver(ctx context.Context, r *api.ClusterRequest) (*api.ClusterRequest, error) {
	if r.DeletionTimestamp != nil { // it leaves its Cluster by the built-in scheduler alone
		return r, &LeavingError{r.Ref()}
	}
	cluster, err := s.HeldBy(ctx, r)
	if err != nil {
		return r, err
	}
	switch {
	case cluster != nil:
		r, err = s.tellDecision(ctx, r, cluster, adr.Decision{
			Action: clusters.Reuse, Reason: clusters.ReasonGranted, Message: "The built-in scheduler has granted it.",
		})
	case r.Status.Phase == api.Denied: // the operator decides on it anew, and leaves conditions of others as they are
		r, err = s.tellPending(ctx, r)
	}
	if errors.As(err, new(*OperatorRunsError)) { // an earlier run has handed it over, and the operator takes it at this moment
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := s.toOperator(ctx, r); err != nil {
		return r, err
	}
	return s.awaitTaken(ctx, r)
}

// tellPending takes a denial out of the status of a request.
func (s *Scheduler) tellPending(ctx context.Context, r *api.ClusterRequest) (*api.ClusterRequest, error) {
	kind, err := s.objects.Requests.In(r.Namespace)
	if err != nil {
		return r, err
	}
	written, err := kind.MergeStatus(ctx, r, map[string]any{
		"phase": api.Pending, "observedGeneration": r.Generation, "conditions": []any{},
	}, func(live *api.ClusterRequest) (bool, error) {
		return live.Status.Phase == api.Pending, notHandedOver(live)
	})
	return cmp.Or(written, r), err
}

// awaitTaken waits until the operator has put its finalizer on a request that was handed over, and takes it back where it does not.
func (s *Scheduler) awaitTaken(ctx context.Context, from *api.ClusterRequest) (last *api.ClusterRequest, err error) {
	kind, err := s.objects.Requests.In(from.Namespace)
	if err != nil {
		return from, err
	}
	patience := s.Patience
	if s.absent.Load() {
		patience = min(patience, requests.ProgressPause)
	}
	within, cancel := context.WithTimeoutCause(ctx, patience, requests.ErrNotSeen)
	defer cancel()
	last = from
	err = kind.Await(within, from.Ref(), func(live *api.ClusterRequest) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, kind.Exists(within, from.Ref(), from.UID)
		}
		last = live
		return slices.Contains(live.Finalizers, api.RequestFinalizer), nil
	})
	if err == nil || api.IsGone(err) {
		return last, err
	}
	back, serveErr := s.serve(ctx, from)
	if serveErr == nil && !Serves(back) { // the operator came at that moment
		return back, nil
	}
	if errors.Is(context.Cause(within), requests.ErrNotSeen) {
		s.absent.Store(true)
		err = &requests.NoSchedulerError{Ref: from.Ref(), After: patience, Err: errors.Join(err, serveErr)}
	}
	return back, err
}

// giveBack takes a request off Clusters that it was granted while another run handed it over: no precondition keeps the creation of a
// Cluster from a request that the operator serves by then. The operator decides on the request before, because it may adopt such a Cluster,
// which stays then.
//
// Errors: [*SecondClusterError]; why, which says that the operator serves the request, in any other case.
func (s *Scheduler) giveBack(ctx context.Context, r *api.ClusterRequest, granted []api.Ref, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Patience+api.OwnTime)
	defer cancel()
	kind, err := s.objects.Requests.In(r.Namespace)
	if err != nil {
		return &SecondClusterError{r.Ref(), granted, err}
	}
	var adopted *api.Ref
	err = kind.Await(ctx, r.Ref(), func(live *api.ClusterRequest) (bool, error) {
		if live == nil || live.UID != r.UID {
			return false, kind.Exists(ctx, r.Ref(), r.UID)
		}
		adopted = live.Status.Cluster
		return adopted != nil, nil
	})
	if err == nil || api.IsGone(err) {
		err = s.leaveThose(ctx, r, func(c *api.Cluster) bool {
			return slices.Contains(granted, c.Ref()) && (adopted == nil || *adopted != c.Ref())
		})
	}
	if err != nil {
		return &SecondClusterError{r.Ref(), granted, err}
	}
	return why
}

// serve has the built-in scheduler serve this request, unless the operator does.
func (s *Scheduler) serve(ctx context.Context, r *api.ClusterRequest) (*api.ClusterRequest, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	kind, err := s.objects.Requests.In(r.Namespace)
	if err != nil {
		return r, err
	}
	for range maxDecisions {
		live, readErr := kind.Get(ctx, r.Ref())
		switch {
		case readErr == nil && live.UID != r.UID:
			return r, &api.GoneError{Kind: api.KindRequest, Ref: r.Ref(), UID: string(r.UID)}
		case readErr != nil:
			return r, api.AlsoLost(err, readErr)
		case live.DeletionTimestamp != nil, Serves(live), slices.Contains(live.Finalizers, api.RequestFinalizer):
			return live, nil
		}
		live, err = kind.Merge(ctx, live, map[string]any{"metadata": map[string]any{
			"finalizers":  append(slices.Clone(live.Finalizers), builtinFinalizer),
			"annotations": map[string]any{api.OperationAnnotation: api.OperationIgnore, takenBackAnnotation: "true"},
		}})
		if err == nil {
			return live, nil
		}
		if !changedMeanwhile(err) || !api.Pause(ctx) {
			break
		}
	}
	return r, err
}
