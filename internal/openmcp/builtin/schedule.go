package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// maxDecisions bounds how often a request is decided on anew because a Cluster has changed meanwhile. Each time another writer got
// through, so no more decisions are needed than there are writers.
const maxDecisions = 1000

// schedule has the built-in scheduler grant this request, or deny it. The grant is one write to the Cluster, under the version that
// was judged; where that has changed it judges anew. A request that holds a Cluster keeps it.
//
// Errors: [*DeniedError], [*UndecidedError], [*TurnError], [*OperatorRunsError], [*RequestLostError], [*api.GoneError]; [*adr.InputError];
// those of [kube.Read] and [kube.Write].
func (s *Scheduler) schedule(ctx context.Context, r *api.ClusterRequest) (*api.ClusterRequest, error) {
	asked, err := ADRRequestOf(r)
	if err != nil {
		return r, err
	}
	begun := time.Now() // the request is made by now
	if err := s.noOperator(ctx, r); err != nil {
		return r, err
	}
	if err := s.turn.take(ctx); err != nil {
		return r, &TurnError{Ref: r.Ref(), Err: err}
	}
	defer s.turn.pass()
	cluster, decision, err := s.decide(ctx, r, asked, begun)
	if err != nil {
		return r, err
	}
	written, err := s.tellDecision(ctx, r, cluster, decision)
	if cluster != nil && errors.As(err, new(*OperatorRunsError)) {
		err = s.giveBack(ctx, r, []api.Ref{cluster.Ref()}, err)
	}
	return written, err
}

// decide decides on a request that was made before this time, until a decision is carried out; nil = it is denied.
func (s *Scheduler) decide(
	ctx context.Context, r *api.ClusterRequest, asked ADRRequest, begun time.Time,
) (*api.Cluster, adr.Decision, error) {
	var lost []api.Ref                   // Clusters of grants whose answers were lost, and which may yet come
	unseen := map[api.Ref]*adr.Account{} // those of them that are new, with the accounts whose room was not looked at again
	turnedAway := 0
	for range maxDecisions {
		cluster, decision, err := s.grant(ctx, r, asked, begun)
		if err == nil && cluster == nil { // a profile may have come since
			cluster, decision, err = s.grant(ctx, r, asked, time.Now())
		}
		if err == nil && len(lost) > 0 { // what it holds may be of this call
			err = s.unlessGone(ctx, r)
		}
		if err == nil && cluster != nil && decision.Reason == clusters.ReasonGranted { // else another request has made it
			err = s.giveWay(ctx, r, asked, cluster, unseen[cluster.Ref()])
		}
		if err == nil {
			return cluster, decision, nil
		}
		if api.Reason(err) == kube.UnknownOutcome {
			lost = append(lost, api.Ref(decision.Cluster))
			if decision.Action == clusters.Create {
				unseen[api.Ref(decision.Cluster)] = decision.Account
			}
		}
		again := changedMeanwhile(err)
		if kube.TurnedAway(err) { // what was judged may have changed by now
			turnedAway++
			again = turnedAway < maxTurnedAway
		}
		if again && api.Pause(ctx) {
			continue
		}
		if len(lost) > 0 {
			if errors.As(err, new(*OperatorRunsError)) {
				err = s.giveBack(ctx, r, lost, err)
			}
			err = &UndecidedError{Ref: r.Ref(), Err: err}
		}
		return nil, decision, err
	}
	return nil, adr.Decision{}, &UndecidedError{Ref: r.Ref(), Err: errKeepsChanging}
}

// maxTurnedAway bounds how often a server turns a new Cluster away for so long that it is decided anew.
const maxTurnedAway = 4

var errKeepsChanging = errors.New("the Clusters kept changing while it was decided on")

// grant decides on a request once, by what was offered at this time or later, and carries it out; nil = it is denied.
func (s *Scheduler) grant(
	ctx context.Context, r *api.ClusterRequest, asked ADRRequest, notBefore time.Time,
) (*api.Cluster, adr.Decision, error) {
	all, err := s.objects.Clusters.All(ctx)
	if err != nil {
		return nil, adr.Decision{}, err
	}
	profiles, err := s.offered.get(ctx, s, notBefore)
	if err != nil {
		return nil, adr.Decision{}, err
	}
	by, err := s.serversOf(ctx, r.Ref(), asked, all, true)
	if err != nil {
		return nil, adr.Decision{}, err
	}
	d, cluster, err := s.judgeRegarding(ctx, r.Ref(), asked, r, profiles, all, by, true)
	switch {
	case err != nil, d.Action == clusters.Deny:
		return nil, d, err
	case d.Reason == clusters.ReasonGranted:
		return cluster, d, nil
	}
	if d.PrefixRule.Kind == adr.PrefixRandom {
		var grants []adr.Grant
		if cluster != nil {
			grants = adrCluster(cluster, r.Ref(), string(r.UID), by).Grants
		}
		if d.Prefix, err = adr.DrawPrefix(s.random, grants); err != nil {
			return nil, d, err
		}
	}
	if err := s.stillAsked(ctx, r); err != nil {
		return nil, d, err
	}
	if cluster != nil {
		cluster, err = s.join(ctx, cluster, r, d.Prefix)
	} else {
		cluster, err = s.foundWithin(ctx, r, asked, d)
	}
	if err != nil {
		return nil, d, err
	}
	return cluster, d, s.unlessGone(ctx, r)
}

// unlessGone takes a request off its Clusters that was withdrawn while it was granted: the withdrawal did not see the grant.
func (s *Scheduler) unlessGone(ctx context.Context, r *api.ClusterRequest) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	err := s.stillAsked(ctx, r)
	if api.IsGone(err) {
		return errors.Join(err, s.leave(ctx, r))
	}
	return nil // what cannot be asked now the next run asks
}

// deserted is the exclusive Cluster that a request was granted, and from which another party has taken its finalizer; nil = there is none.
func deserted(all []*api.Cluster, r *api.ClusterRequest) *api.Cluster {
	i := slices.IndexFunc(all, func(c *api.Cluster) bool {
		return r.Status.Cluster != nil && c.Ref() == *r.Status.Cluster && c.Spec.Tenancy == api.Exclusive && len(api.Tenants(c)) == 0 &&
			isGrantedTo(c, string(r.UID)) && c.DeletionTimestamp == nil
	})
	if i < 0 {
		return nil
	}
	return all[i]
}

// eligible are the Clusters among which a request is decided on: all; but of one whose Cluster was deleted under it the one that has this
// name by now, because the API never lets a request have another. A request that holds two is decided on among all, and is refused: nothing
// says which of them is in use.
func eligible(all []*api.Cluster, r *api.ClusterRequest) []*api.Cluster {
	holds := func(c *api.Cluster) bool { return api.Holds(c, r) }
	if r.Status.Cluster == nil || slices.ContainsFunc(all, holds) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c *api.Cluster) bool { return c.Ref() != *r.Status.Cluster })
}

// stillAsked reads this request right before a grant: one that is gone, or going, must hold nothing.
func (s *Scheduler) stillAsked(ctx context.Context, r *api.ClusterRequest) error {
	live, err := s.objects.Requests.Get(ctx, r.Ref())
	switch {
	case api.IsGone(err), err == nil && (live.UID != r.UID || live.DeletionTimestamp != nil):
		return &api.GoneError{Kind: api.KindRequest, Ref: r.Ref(), UID: string(r.UID)}
	case err == nil && !Serves(live):
		return &OperatorRunsError{Ref: r.Ref(), Handed: true}
	}
	return err
}

// record is the annotation of a grant.
func record(r *api.ClusterRequest, prefix string) (key, text string, err error) {
	content, err := json.Marshal(api.Grant{Request: r.Ref(), Prefix: prefix})
	return api.GrantAnnotation + string(r.UID), string(content), err
}

// join gives a Cluster to one more request, in one write under the version that was judged. Records of requests that are gone leave.
func (s *Scheduler) join(ctx context.Context, c *api.Cluster, r *api.ClusterRequest, prefix string) (*api.Cluster, error) {
	key, text, err := record(r, prefix)
	if err != nil {
		return nil, err
	}
	annotations := map[string]any{key: text}
	if err := s.forget(ctx, c, annotations); err != nil {
		return nil, err
	}
	metadata := map[string]any{
		"finalizers":  append(slices.Clone(c.Finalizers), api.TenantFinalizer+string(r.UID)),
		"annotations": annotations,
	}
	if c.Spec.Tenancy == api.Exclusive { // it has lost the request, and gets it again
		addCarried(metadata, c, r)
	}
	return s.objects.Clusters.Merge(ctx, c, map[string]any{"metadata": metadata})
}

// foundWithin is found, and takes the Cluster back where another process has taken the last place of its account at the same time.
//
// Errors: those of found, and of giveWay.
func (s *Scheduler) foundWithin(ctx context.Context, r *api.ClusterRequest, asked ADRRequest, d adr.Decision) (*api.Cluster, error) {
	cluster, err := s.found(ctx, r, asked, d)
	if err == nil {
		err = s.giveWay(ctx, r, asked, cluster, d.Account)
	}
	if err != nil {
		return nil, err
	}
	return cluster, nil
}

// giveWay takes a new Cluster of a request back where another process has taken the last place of its account at the same time. in is the
// account as it was judged before; nil = there is none.
//
// Errors: errLookAgain where it was taken back; those of leave.
func (s *Scheduler) giveWay(ctx context.Context, r *api.ClusterRequest, asked ADRRequest, founded *api.Cluster, in *adr.Account) error {
	gives, err := s.givesWay(ctx, asked, founded, in)
	if err != nil || !gives { // what cannot be seen does not undo what was done
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	// Another run may have given the request a Cluster meanwhile.
	if err := s.leaveThose(ctx, r, func(c *api.Cluster) bool { return c.UID == founded.UID }); err != nil {
		return err
	}
	return errLookAgain
}

// found makes a Cluster that a request holds from the first moment on. It goes with its last request.
func (s *Scheduler) found(ctx context.Context, r *api.ClusterRequest, asked ADRRequest, d adr.Decision) (*api.Cluster, error) {
	key, text, err := record(r, d.Prefix)
	if err != nil {
		return nil, err
	}
	spec := api.ClusterSpec{Profile: d.Profile, Kubernetes: api.Kubernetes{Version: d.Version}, Tenancy: api.Exclusive}
	if !d.Dedicated {
		// A dedicated one has no purpose: the operator gives any Cluster with the purpose to a request that shares, also an exclusive one.
		spec.Tenancy, spec.Purposes = api.Shared, asked.Purposes
	}
	labels, annotations := map[string]string{api.DeletedWithoutRequests: "true"}, map[string]string{key: text}
	if d.Dedicated {
		maps.Copy(labels, api.Carried(r.Labels, nil))
		maps.Copy(annotations, api.Carried(r.Annotations, nil))
	}
	return s.objects.Clusters.Create(kube.Judged(ctx), metav1.ObjectMeta{
		Namespace: d.Cluster.Namespace, Name: d.Cluster.Name, Labels: labels, Annotations: annotations,
		Finalizers: []string{api.TenantFinalizer + string(r.UID)},
	}, spec)
}

// maxPurposeInName is how much of a purpose is in the name of a Cluster; its provider derives shorter names from it.
const maxPurposeInName = 40

// clusterName is the name of a new Cluster: the first purpose and a hash. That of a dedicated one is of its request, as the operator does
// it. That of a shared one is of what makes it fit: of two requests that would make one each at the same moment, the server lets one, and
// the other finds it. A name that is taken gets a number.
func clusterName(all []*api.Cluster, of api.Ref, asked ADRRequest, d adr.Decision) string {
	hash := operator.NameHash(of.Namespace, of.Name)
	if !d.Dedicated {
		hash = operator.NameHash(of.Namespace, api.MarkOf(slices.Compact(slices.Sorted(slices.Values(asked.Purposes))), d.Profile, d.Version))
	}
	base := strings.Trim(strings.Map(nameLetter, strings.ToLower(asked.Purposes[0])), "-")
	base = strings.TrimLeft(base[:min(len(base), maxPurposeInName)]+"-"+hash, "-")
	name := base
	for i := 2; slices.ContainsFunc(all, func(c *api.Cluster) bool { return c.Ref() == api.Ref{Namespace: of.Namespace, Name: name} }); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	return name
}

// nameLetter is a letter of a purpose as a name has it.
func nameLetter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

// tellDecision writes a decision into the status of its request; a Cluster of nil is a denial. A status that is there already is left. The
// status of a request that the operator takes meanwhile is the operator's: the request as it is then comes back with an
// [*OperatorRunsError].
func (s *Scheduler) tellDecision(
	ctx context.Context, r *api.ClusterRequest, cluster *api.Cluster, d adr.Decision,
) (*api.ClusterRequest, error) {
	phase, holds := api.Granted, metav1.ConditionTrue
	if cluster == nil {
		phase, holds = api.Denied, metav1.ConditionFalse
	}
	if !says(r, phase, cluster, d) {
		kind, err := s.objects.Requests.In(r.Namespace)
		if err != nil {
			return r, err
		}
		status := map[string]any{
			"phase": phase, "observedGeneration": r.Generation, "conditions": []any{map[string]any{
				"type": conditionScheduled, "status": holds, "reason": string(d.Reason), "message": d.Message, "lastTransitionTime": metav1.Now(),
			}},
		}
		if cluster != nil {
			status["cluster"] = cluster.Ref()
		}
		written, err := kind.MergeStatus(ctx, r, status, func(live *api.ClusterRequest) (bool, error) {
			return says(live, phase, cluster, d), notHandedOver(live)
		})
		if api.Reason(err) == kube.Conflict { // another process has decided on it otherwise
			err = &UndecidedError{Ref: r.Ref(), Err: err}
		}
		if err != nil {
			return cmp.Or(written, r), err
		}
		r = written
	}
	if cluster == nil {
		return r, &DeniedError{Ref: r.Ref(), Reason: d.Reason, Message: d.Message}
	}
	return r, nil
}

// conditionScheduled is the condition in which the built-in scheduler says how it has decided.
const conditionScheduled = "Scheduled"

// says reports whether the status of a request has a decision already. The status of a grant has the reason why the request got it.
func says(r *api.ClusterRequest, phase string, cluster *api.Cluster, d adr.Decision) bool {
	if r.Status.Phase != phase || r.Status.ObservedGeneration != r.Generation {
		return false
	}
	if cluster != nil {
		return r.Status.Cluster != nil && *r.Status.Cluster == cluster.Ref()
	}
	return slices.ContainsFunc(r.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == conditionScheduled && c.Reason == string(d.Reason) && c.Message == d.Message
	})
}

// noOperator returns an error where the operator serves a request of the namespace.
func (s *Scheduler) noOperator(ctx context.Context, r *api.ClusterRequest) error {
	kind, err := s.objects.Requests.In(r.Namespace)
	if err != nil {
		return err
	}
	all, err := kind.Recent(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if slices.Contains(one.Finalizers, api.RequestFinalizer) {
			return &OperatorRunsError{Ref: r.Ref(), Served: one.Ref()}
		}
	}
	return nil
}

// changedMeanwhile reports whether a write was refused because what was judged has changed, or whether its outcome has to be read.
func changedMeanwhile(err error) bool {
	switch api.Reason(err) {
	case kube.Conflict, kube.Exists, kube.NotFound, kube.UnknownOutcome, kube.Throttled:
		return true
	}
	var gone *api.GoneError
	return errors.Is(err, errLookAgain) || errors.As(err, &gone) && gone.Kind == api.KindCluster
}
