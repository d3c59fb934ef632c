package builtin

import (
	"context"
	"errors"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
)

// Scheduler is the life of requests as the built-in scheduler serves them. It leaves those of the operator to [requests.Operator].
type Scheduler struct {
	*requests.Operator

	// ClusterWide has it share Clusters of all namespaces; else a request shares those of its own namespace alone.
	ClusterWide bool
	// Accounts judges the accounts behind profiles; nil = none are regarded.
	Accounts Accounts

	objects  *api.Objects
	profiles *configs.Profiles
	offered  offered
	turn     turn        // one decision after the other: those of one process would only meet in conflicts
	absent   atomic.Bool // a handover has found no operator
}

// New serves the requests of a platform cluster.
func New(objects *api.Objects) *Scheduler {
	return &Scheduler{Operator: requests.New(objects), objects: objects, profiles: configs.New(objects), turn: newTurn()}
}

// Make makes a ClusterRequest, or finds the one that this configuration has made in a run that was cut short: found says which.
//
// Errors: [*api.ExistsError]; those of [kube.Write]; those of [Scheduler.TakeBack].
func (s *Scheduler) Make(ctx context.Context, w Wanted) (request *api.ClusterRequest, found bool, err error) {
	if w.ADR == nil {
		return s.Operator.Make(ctx, w.ofOperator())
	}
	kind, err := s.objects.Requests.In(w.Namespace)
	if err != nil {
		return nil, false, err
	}
	text, err := api.Encode(w.ADR)
	if err != nil {
		return nil, false, err
	}
	mark := api.MarkOf(w.Ref, w.ADR, w.Labels, w.Annotations)
	annotations := api.Marked(w.Annotations, mark)
	annotations[api.RequestAnnotation], annotations[api.OperationAnnotation] = string(text), api.OperationIgnore
	create := func(ctx context.Context) (*api.ClusterRequest, error) {
		return kind.Create(ctx, metav1.ObjectMeta{
			Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: annotations, Finalizers: []string{builtinFinalizer},
		}, api.RequestSpec{Purpose: w.ADR.Purposes[0]}) // which the operator goes by behind a handover
	}
	request, found, err = api.Make(ctx, kind, w.Ref, mark, create)
	if left, ok := errors.AsType[*api.ExistsError](err); ok && left.Deleting && s.finishRelease(ctx, w.Ref) == nil {
		request, found, err = api.Make(ctx, kind, w.Ref, mark, create)
	}
	if err == nil && found {
		request, err = s.TakeBack(ctx, request)
	}
	return request, found, err
}

// Describe makes the labels and annotations of this request what the configuration wants, and takes away those that it wanted
// before.
//
// Errors: those of [kube.Write].
func (s *Scheduler) Describe(ctx context.Context, of api.Ref, uid string, w, before Wanted) (*api.ClusterRequest, error) {
	if w.ADR == nil {
		return s.Operator.Describe(ctx, of, uid, w.ofOperator(), before.ofOperator())
	}
	annotations := api.Changed(w.Annotations, before.Annotations)
	text, err := api.Encode(w.ADR)
	if err != nil {
		return nil, err
	}
	annotations[api.RequestAnnotation] = string(text)
	return s.Change(ctx, of, uid, map[string]any{"labels": api.Changed(w.Labels, before.Labels), "annotations": annotations})
}

// AwaitGranted waits until this request has its Cluster: see [requests.Operator.AwaitGranted]. One that the built-in scheduler serves is
// granted by this call.
//
// Errors: those of [requests.Operator.AwaitGranted]; with the built-in scheduler [*DeniedError], [*UndecidedError], [*TurnError],
// [*OperatorRunsError], [*RequestLostError], [*api.GoneError], [*adr.InputError], those of [kube.Read] and [kube.Write].
func (s *Scheduler) AwaitGranted(
	ctx context.Context, from *api.ClusterRequest, tell func(phase string),
) (last *api.ClusterRequest, err error) {
	if !Serves(from) {
		return s.Operator.AwaitGranted(ctx, from, tell)
	}
	last, err = s.schedule(ctx, from)
	if err == nil {
		tell(last.Status.Phase)
	}
	return last, err
}

// GiveUp withdraws this request for which a caller waits no longer, unless it is granted by now: see [requests.Operator.GiveUp]. One of the
// built-in scheduler that holds a Cluster counts as granted, whether its status says so or not.
//
// Errors: those of [kube.Write] and [kube.Read]; [*api.WaitError] where it is being deleted, and not gone in time.
func (s *Scheduler) GiveUp(ctx context.Context, r *api.ClusterRequest) (granted *api.ClusterRequest, err error) {
	if !Serves(r) {
		return s.Operator.GiveUp(ctx, r)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	live, err := s.objects.Requests.Get(ctx, r.Ref())
	switch {
	case api.IsGone(err), err == nil && live.UID != r.UID:
		return nil, s.leaveInTurn(ctx, r)
	case err != nil:
		return nil, err
	}
	cluster, err := s.HeldBy(ctx, r)
	if err != nil {
		return nil, err
	}
	if cluster != nil {
		return requests.GrantedAs(live, cluster), nil
	}
	if err := s.beginRelease(ctx, live); errors.Is(err, errOtherScheduler) {
		return s.Operator.GiveUp(ctx, r)
	} else if err != nil {
		return nil, err
	}
	if err := s.endRelease(ctx, live); err != nil { // it is being deleted, and the next run goes on with it
		return nil, &api.WaitError{Kind: api.KindRequest, Ref: r.Ref(), For: api.UntilGone, Phase: live.Status.Phase, Err: err}
	}
	return nil, nil
}

// Withdraw deletes this request and waits until it is gone; and where it was the last that held a Cluster which goes with its
// last request, until that is gone too. Where it is gone already it leaves a Cluster that is being deleted, and no other. What is waited
// for is reported, and what holds it. A request whose handover was cut short is served again before: see [Scheduler.takeBack].
//
// Errors: those of [kube.Write] and [kube.Read]; [*api.WaitError]; [*TurnError].
func (s *Scheduler) Withdraw(ctx context.Context, of api.Ref, uid string, tell func(string)) (err error) {
	for range maxDecisions {
		if err = s.withdraw(ctx, of, uid, tell); !errors.Is(err, errOtherScheduler) {
			return err
		}
		if !api.Pause(ctx) {
			break
		}
	}
	return &api.WaitError{Kind: api.KindRequest, Ref: of, For: api.UntilGone, Err: err}
}

// withdraw is Withdraw as the scheduler wants it that serves the request now.
//
// Errors: errOtherScheduler where another run hands it over, or takes it back, at this moment; those of [Scheduler.Withdraw].
func (s *Scheduler) withdraw(ctx context.Context, of api.Ref, uid string, tell func(string)) error {
	live, err := s.objects.Requests.Get(ctx, of)
	switch {
	case api.IsGone(err), err == nil && string(live.UID) != uid:
		return s.leaveEnding(ctx, of, uid)
	case err != nil:
		return err
	}
	if live, err = s.takeBack(ctx, live); err != nil {
		return err
	}
	if !Serves(live) {
		return s.Operator.Withdraw(ctx, live, servedAs(live), tell)
	}
	before, err := s.clusterOf(ctx, live, s.objects.Clusters.Get)
	if err != nil {
		return err
	}
	// Also where the provider block says operator by now: that one never lets it go.
	if err := s.release(ctx, live); err != nil {
		return err
	}
	ends, err := s.AwaitWithdrawn(ctx, live, before, tell)
	if err != nil || ends == nil || ends.DeletionTimestamp == nil { // this scheduler would have deleted it
		return err
	}
	return s.AwaitEnd(ctx, ends, tell)
}

// clusterOf reads the Cluster of a request; nil = it has none, or that is gone.
func (s *Scheduler) clusterOf(
	ctx context.Context, r *api.ClusterRequest, read func(context.Context, api.Ref) (*api.Cluster, error),
) (*api.Cluster, error) {
	if r.Status.Cluster == nil { // its run may have been cut short before it wrote the status
		return s.HeldBy(ctx, r)
	}
	return s.Operator.ClusterOf(ctx, r, read)
}

// LastHold returns the Cluster that a request is the last to hold, or that is held by others too which are all withdrawn; nil = the request
// holds none, or others hold it. It reads as a refresh does.
//
// Errors: those of [kube.Read].
func (s *Scheduler) LastHold(ctx context.Context, r *api.ClusterRequest, withdrawn func(uid string) bool) (*api.Cluster, error) {
	if !Serves(r) {
		return s.Operator.LastHold(ctx, r, withdrawn)
	}
	return s.lastHold(ctx, r, withdrawn, s.objects.Clusters.Read)
}

// LastHoldNow is [Scheduler.LastHold], and reads the Cluster by itself.
//
// Errors: those of [kube.Read].
func (s *Scheduler) LastHoldNow(ctx context.Context, r *api.ClusterRequest, withdrawn func(uid string) bool) (*api.Cluster, error) {
	if !Serves(r) {
		return s.Operator.LastHoldNow(ctx, r, withdrawn)
	}
	return s.lastHold(ctx, r, withdrawn, s.objects.Clusters.Get)
}

// lastHold is LastHold of a request that the built-in scheduler serves.
func (s *Scheduler) lastHold(
	ctx context.Context, r *api.ClusterRequest, withdrawn func(uid string) bool,
	read func(context.Context, api.Ref) (*api.Cluster, error),
) (*api.Cluster, error) {
	cluster, err := s.clusterOf(ctx, r, read)
	if err != nil || cluster == nil {
		return nil, err
	}
	uid, last := string(r.UID), false
	if isGrantedTo(cluster, uid) {
		last, err = s.isAlone(ctx, cluster, uid, withdrawn)
	}
	if !last {
		return nil, err
	}
	return cluster, nil
}
