package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// errLookAgain says that a step is done, and that what follows needs another read.
var errLookAgain = errors.New("its own deletion has changed it")

// release withdraws a request that the built-in scheduler serves: it is being deleted first, so that it gets no more, then leaves its
// Cluster, and goes last. A run that is cut short anywhere leaves a request that is being deleted, and the next one goes on with it.
//
// Errors: errOtherScheduler; [*TurnError]; that of a guard; those of [kube.Read] and [kube.Write].
func (s *Scheduler) release(ctx context.Context, r *api.ClusterRequest, guards ...Guard) error {
	if err := s.beginRelease(ctx, r); err != nil {
		return err
	}
	return s.endRelease(ctx, r, guards...)
}

// Guard keeps the Cluster of a request that is withdrawn, and the request on it, by an error. A function of nil keeps nothing.
type Guard struct {
	Before func(*api.Cluster) error // is asked before the request is deleted, where it has a Cluster
	Goes   func(*api.Cluster) error // is asked right before the built-in scheduler deletes a Cluster with the last request that holds it
}

// before asks guards of the Clusters of a request, before it is deleted.
func before(held []*api.Cluster, guards []Guard) error {
	for _, c := range held {
		for _, guard := range guards {
			if guard.Before == nil {
				continue
			}
			if err := guard.Before(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// errOtherScheduler says that another run has handed a request over, or taken it back, since it was judged.
var errOtherScheduler = errors.New("another scheduler serves it by now")

// servedAs judges a request that is to be deleted: another scheduler would end it in another way.
func servedAs(r *api.ClusterRequest) func(live *api.ClusterRequest) error {
	own := Serves(r)
	return func(live *api.ClusterRequest) error {
		if Serves(live) != own {
			return errOtherScheduler
		}
		return nil
	}
}

// beginRelease deletes a request, which stays until it has left its Cluster. One that another run hands over meanwhile is not deleted:
// without a finalizer it would be gone at once, and its Cluster held for ever.
//
// Errors: errOtherScheduler; those of [kube.Read] and [kube.Write].
func (s *Scheduler) beginRelease(ctx context.Context, r *api.ClusterRequest) error {
	kind, err := s.objects.Requests.In(r.Namespace)
	if err != nil || r.DeletionTimestamp != nil {
		return err
	}
	return kind.Withdraw(ctx, r, servedAs(r))
}

// endRelease takes a request that is being deleted off its Cluster, and lets it go. The guards are asked of what it holds until then: what
// comes late is in no use.
func (s *Scheduler) endRelease(ctx context.Context, r *api.ClusterRequest, guards ...Guard) error {
	if err := s.leaveInTurn(ctx, r, guards...); err != nil {
		return err
	}
	if err := s.unserve(ctx, r, nil); err != nil {
		return err
	}
	return s.leaveInTurn(ctx, r) // a grant of another process that was on its way when it was withdrawn
}

// leaveInTurn calls leave when no other decision of this process runs: requests that leave one Cluster at once would only cause conflicts.
func (s *Scheduler) leaveInTurn(ctx context.Context, r *api.ClusterRequest, guards ...Guard) error {
	if err := s.turn.take(ctx); err != nil {
		return &TurnError{Ref: r.Ref(), Leaving: true, Err: err}
	}
	defer s.turn.pass()
	return s.leave(ctx, r, guards...)
}

// leaveEnding takes a request that is gone off a Cluster that is being deleted: a run that was cut short began to take a grant back, and
// no other party ends this.
func (s *Scheduler) leaveEnding(ctx context.Context, of api.Ref, uid string) error {
	gone := &api.ClusterRequest{}
	gone.Namespace, gone.Name, gone.UID = of.Namespace, of.Name, types.UID(uid)
	err := s.leaveThose(ctx, gone, func(c *api.Cluster) bool { return c.DeletionTimestamp != nil })
	if api.Reason(err) == kube.Forbidden { // a landscape with the operator needs no right to list Clusters
		return nil
	}
	return err
}

// finishRelease ends the deletion of a request of the built-in scheduler that another party, or a run that was cut short, has begun: no
// controller does it. It deletes no Cluster: another state may have the request, and protect it. That one's own run ends it.
//
// Errors: [*EndsClusterError]; [*api.ExistsError]; those of [Scheduler.Withdraw].
func (s *Scheduler) finishRelease(ctx context.Context, of api.Ref) error {
	live, err := s.objects.Requests.Get(ctx, of)
	switch {
	case api.IsGone(err):
		return nil
	case err != nil:
		return err
	case !Serves(live) || live.DeletionTimestamp == nil:
		return &api.ExistsError{Kind: api.KindRequest, Ref: of, Deleting: live.DeletionTimestamp != nil}
	}
	return s.Withdraw(ctx, of, string(live.UID), func(string) {}, Guard{
		Goes: func(c *api.Cluster) error { return &EndsClusterError{of, c.Ref()} },
	})
}

// IsLeaving reports whether a request of the built-in scheduler is being deleted: a destroy has to end it.
func IsLeaving(r *api.ClusterRequest) bool { return Serves(r) && r.DeletionTimestamp != nil }

// takeBack has the built-in scheduler serve a request again that holds a Cluster and that no scheduler has: a handover was cut short.
// Without a finalizer it would be gone at once, and its Cluster stay for ever. One that is stranded goes on to the operator.
func (s *Scheduler) takeBack(ctx context.Context, r *api.ClusterRequest) (*api.ClusterRequest, error) {
	if isStranded(r) {
		return r, s.toOperator(ctx, r)
	}
	if !IsUnserved(r) {
		return r, nil
	}
	held, err := s.AllHeldBy(ctx, r)
	if err != nil || len(held) == 0 {
		return r, err
	}
	return s.serve(ctx, r)
}

// leave takes a request off each Cluster that it was granted, also where another party has taken its finalizer off: no other request would
// ever take such a Cluster down. One that goes with it is deleted first, while the request still holds it: no other request comes to a
// Cluster that is being deleted. The Cluster of a request that is gone stays: its grant may have arrived late, or a person has removed the
// request by force and its workload runs on. Nothing on the Cluster distinguishes the two.
func (s *Scheduler) leave(ctx context.Context, r *api.ClusterRequest, guards ...Guard) error {
	return s.leaveThose(ctx, r, func(*api.Cluster) bool { return true }, guards...)
}

// leaveThose is leave for those of its Clusters that are meant.
func (s *Scheduler) leaveThose(
	ctx context.Context, r *api.ClusterRequest, meant func(*api.Cluster) bool, guards ...Guard,
) (err error) {
	var before error // of the write before, whose answer may be lost
	for range maxDecisions {
		all, listErr := s.objects.Clusters.All(ctx)
		if listErr != nil {
			return api.AlsoLost(before, listErr)
		}
		held := slices.DeleteFunc(all, func(c *api.Cluster) bool { return !isGrantedTo(c, string(r.UID)) || !meant(c) })
		err = nil
		for _, c := range held {
			if err = s.free(ctx, c, r, guards); err != nil {
				break
			}
		}
		switch {
		case err == nil && len(held) == 0:
			return nil
		case err == nil: // see that it holds none
		case !changedMeanwhile(err):
			return api.AlsoLost(before, err)
		case !api.Pause(ctx):
			return fmt.Errorf("the Cluster kept changing: %w", err)
		}
		before = err
	}
	return err
}

// free takes a request off a Cluster under the version that was judged, and deletes the Cluster before where it goes with the request and
// no guard keeps it.
func (s *Scheduler) free(ctx context.Context, c *api.Cluster, r *api.ClusterRequest, guards []Guard) error {
	goes, err := s.goesWith(ctx, c, string(r.UID), noOther)
	if err != nil {
		return err
	}
	if goes && c.DeletionTimestamp == nil {
		for _, guard := range guards {
			if guard.Goes == nil {
				continue
			}
			if err := guard.Goes(c); err != nil {
				return err
			}
		}
		if kube.IsProtected(c.Annotations) {
			return &kube.ProtectedError{Kind: api.KindCluster, Namespace: c.Namespace, Name: c.Name}
		}
		err := s.objects.Clusters.Remove(ctx, c)
		if err != nil {
			return err
		}
		return errLookAgain // it has another version now
	}
	annotations := map[string]any{api.GrantAnnotation + string(r.UID): nil}
	if err := s.forget(ctx, c, annotations); err != nil {
		return err
	}
	finalizers := slices.DeleteFunc(slices.Clone(c.Finalizers), func(f string) bool { return f == api.TenantFinalizer+string(r.UID) })
	_, err = s.objects.Clusters.Merge(ctx, c, map[string]any{"metadata": map[string]any{
		"finalizers": finalizers, "annotations": annotations,
	}})
	return err
}

// unserve takes the built-in scheduler's finalizer off the request of this UID; with more changes of its metadata, which hand it over,
// unless it is being deleted.
func (s *Scheduler) unserve(ctx context.Context, r *api.ClusterRequest, annotations map[string]any) (err error) {
	kind, err := s.objects.Requests.In(r.Namespace)
	if err != nil {
		return err
	}
	for range maxDecisions {
		live, readErr := kind.Get(ctx, r.Ref())
		switch {
		case api.IsGone(readErr), readErr == nil && (live.UID != r.UID || !Serves(live) && !isStranded(live)):
			return nil
		case readErr != nil:
			return api.AlsoLost(err, readErr)
		case annotations != nil && live.DeletionTimestamp != nil && Serves(live): // it would be gone at once, and on its Cluster for ever
			return &LeavingError{r.Ref()}
		}
		finalizers := slices.DeleteFunc(slices.Clone(live.Finalizers), func(f string) bool { return f == builtinFinalizer })
		metadata := map[string]any{"finalizers": finalizers}
		if annotations != nil {
			metadata["annotations"] = annotations
		}
		_, err = kind.Merge(ctx, live, map[string]any{"metadata": metadata})
		if err == nil || !changedMeanwhile(err) || !api.Pause(ctx) {
			return err
		}
	}
	return err
}
