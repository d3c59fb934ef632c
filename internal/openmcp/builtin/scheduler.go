// Package builtin is the built-in scheduler (ADR 017): it grants ClusterRequests by purposes, traits and prefixes where no operator serves
// them, takes them off their Clusters when they are withdrawn, and hands them over to the operator. [Scheduler] serves the requests of
// both: those of the operator it leaves to the package requests.
//
// A grant is one write to a Cluster under the version that was judged. The explorer of this package visits its schedules (EXPLORED.md).
package builtin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
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
	// Shoots finds the Shoots that a new Cluster would adopt; nil = none are known.
	Shoots Shoots

	objects  *api.Objects
	profiles *configs.Profiles
	offered  offered
	turn     turn        // one decision after the other: those of one process would only meet in conflicts
	absent   atomic.Bool // a handover has found no operator
	random   io.Reader   // of which prefixes are drawn
}

// New serves the requests of a platform cluster.
func New(objects *api.Objects) *Scheduler {
	return &Scheduler{
		Operator: requests.New(objects), objects: objects, profiles: configs.New(objects), turn: newTurn(), random: rand.Reader,
	}
}

// Make makes a ClusterRequest, or finds the one that this configuration has made in a run that was cut short: found says which.
//
// Errors: [*api.ExistsError]; [*EndsClusterError]; those of [kube.Write]; those of [Scheduler.TakeBack].
func (s *Scheduler) Make(ctx context.Context, w Wanted) (request *api.ClusterRequest, found bool, err error) {
	if w.ADR == nil {
		return s.Operator.Make(ctx, w.ofOperator())
	}
	kind, err := s.objects.Requests.In(w.Namespace)
	if err != nil {
		return nil, false, err
	}
	meta, err := w.meta()
	if err != nil {
		return nil, false, err
	}
	create := func(ctx context.Context) (*api.ClusterRequest, error) { return kind.Create(ctx, meta, w.spec()) }
	request, found, err = api.Make(ctx, kind, w.Ref, w.Mark(), create)
	if left, ok := errors.AsType[*api.ExistsError](err); ok && left.Deleting {
		switch ended := s.finishRelease(ctx, w.Ref); {
		case ended == nil:
			request, found, err = api.Make(ctx, kind, w.Ref, w.Mark(), create)
		case errors.As(ended, new(*EndsClusterError)):
			err = ended
		}
	}
	if err == nil && found {
		request, err = s.TakeBack(ctx, request)
	}
	return request, found, err
}

// Check has the server check the creation of a ClusterRequest, which makes none.
//
// Errors: those of [api.Kind.Check].
func (s *Scheduler) Check(ctx context.Context, w Wanted) error {
	if w.ADR == nil {
		return s.Operator.Check(ctx, w.ofOperator())
	}
	kind, err := s.objects.Requests.In(w.Namespace)
	if err != nil {
		return err
	}
	meta, err := w.meta()
	if err != nil {
		return err
	}
	return kind.Check(ctx, meta, w.spec())
}

// Describe makes the labels and annotations of this request what the configuration wants, and takes away those that it wanted
// before. Those that go on to an exclusive Cluster come to the Cluster of the request, as the operator does it.
//
// Errors: those of [kube.Write] and [kube.Read].
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
	r, err := s.Change(ctx, of, uid, map[string]any{"labels": api.Changed(w.Labels, before.Labels), "annotations": annotations})
	if err == nil {
		err = s.carry(ctx, r)
	}
	return r, err
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
// for is reported, and what holds it. A request whose handover was cut short is served again before: see [Scheduler.takeBack]. A request of
// the built-in scheduler that a guard stops is being deleted by then, and stays on its Cluster.
//
// Errors: that of a guard; those of [kube.Write] and [kube.Read]; [*api.WaitError]; [*TurnError].
func (s *Scheduler) Withdraw(ctx context.Context, of api.Ref, uid string, tell func(string), guards ...Guard) (err error) {
	for range maxDecisions {
		if err = s.withdraw(ctx, of, uid, tell, guards); !errors.Is(err, errOtherScheduler) {
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
func (s *Scheduler) withdraw(ctx context.Context, of api.Ref, uid string, tell func(string), guards []Guard) error {
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
		return s.Operator.Withdraw(ctx, live, func(c *api.Cluster) error { return before([]*api.Cluster{c}, guards) }, servedAs(live), tell)
	}
	held, err := s.clustersOf(ctx, live, s.objects.Clusters.Get)
	if err == nil && live.DeletionTimestamp == nil {
		err = before(held, guards)
	}
	if err != nil {
		return err
	}
	// Also where the provider block says operator by now: that one never lets it go.
	if err := s.release(ctx, live, guards...); err != nil {
		return err
	}
	if len(held) == 0 { // the wait is for the request alone
		held = []*api.Cluster{nil}
	}
	for _, cluster := range held {
		ends, err := s.AwaitWithdrawn(ctx, live, cluster, tell)
		if err == nil && ends != nil && ends.DeletionTimestamp != nil { // else this scheduler would have deleted it
			err = s.AwaitEnd(ctx, ends, tell)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clusterOf reads the Cluster of a request; nil = it has none, or that is gone.
func (s *Scheduler) clusterOf(
	ctx context.Context, r *api.ClusterRequest, read func(context.Context, api.Ref) (*api.Cluster, error),
) (*api.Cluster, error) {
	if r.Status.Cluster == nil { // its run may have been cut short before it wrote the status
		return s.HeldBy(ctx, r)
	}
	return s.ClusterOf(ctx, r, read)
}

// clustersOf is clusterOf for the end of a request: where its status names none, these are all Clusters that it holds.
func (s *Scheduler) clustersOf(
	ctx context.Context, r *api.ClusterRequest, read func(context.Context, api.Ref) (*api.Cluster, error),
) ([]*api.Cluster, error) {
	if r.Status.Cluster == nil {
		return s.AllHeldBy(ctx, r)
	}
	cluster, err := s.ClusterOf(ctx, r, read)
	if err != nil || cluster == nil {
		return nil, err
	}
	return []*api.Cluster{cluster}, nil
}

// Held returns all Clusters that are granted to a request, also those that its status does not name or that other requests hold as well:
// the end of the request takes it off each of them.
//
// Errors: those of [kube.Read].
func (s *Scheduler) Held(ctx context.Context, r *api.ClusterRequest) ([]*api.Cluster, error) {
	if !Serves(r) {
		return s.Operator.Held(ctx, r)
	}
	return s.AllHeldBy(ctx, r)
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
	held, err := s.clustersOf(ctx, r, read)
	uid := string(r.UID)
	for _, cluster := range held {
		if !isGrantedTo(cluster, uid) {
			continue
		}
		last, err := s.isAlone(ctx, cluster, uid, withdrawn)
		if err != nil {
			return nil, err
		}
		if last {
			return cluster, nil
		}
	}
	return nil, err
}

// ServedBy reports whether one of these profiles is enough to make a Cluster for a request, such as one that is about to be published.
func (w Wanted) ServedBy(profiles []adr.Profile) bool {
	if w.ADR == nil || len(profiles) == 0 {
		return false
	}
	d, err := adr.Schedule(w.ADR.request(w.Ref), adr.Landscape{
		Purposes: w.ADR.Definitions, Profiles: profiles, Equivalences: w.ADR.Equivalences,
	})
	return err == nil && d.Action != clusters.Deny
}

// turn lets one after the other do something, as a mutex does, and whose wait heeds its context.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn; pass ends it.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) pass() { <-t }

// TurnError says that the time of a request was over before the built-in scheduler came to it: it works for one request of a run after the
// other.
type TurnError struct {
	api.Ref
	Leaving bool  // it is being deleted, and has to leave its Cluster
	Err     error // why it was not waited for any longer
}

func (e *TurnError) Error() string {
	if e.Leaving {
		return fmt.Sprintf("ClusterRequest %s is being deleted, and was not taken off its Cluster: the built-in scheduler was busy with other "+
			"requests of this run (%s)", e.Ref, api.Ended(e.Err))
	}
	return fmt.Sprintf("ClusterRequest %s was not decided on: the built-in scheduler was busy with other requests of this run (%s)", e.Ref,
		api.Ended(e.Err))
}

// Unwrap returns why it was not waited for any longer.
func (e *TurnError) Unwrap() error { return e.Err }
