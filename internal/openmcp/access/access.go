// Package access has AccessRequests and the Secrets behind them: they are made, changed, waited for and withdrawn. [Accesses.Read] alone
// reads a Secret.
package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// The keys of labels and annotations of an AccessRequest that the operator and this client write, and go by.
var (
	ReservedLabels      = []string{api.ProviderLabel, api.ProfileLabel}
	ReservedAnnotations = []string{api.MarkAnnotation, kube.RunAnnotation, api.RequestAnnotation}
)

// Wanted is what a configuration says of an AccessRequest.
type Wanted struct {
	api.Ref
	// ClusterRef or RequestRef is what access is asked for, with its namespace. It cannot be changed.
	ClusterRef, RequestRef *api.Ref
	// Token or OIDC is the access, as spec.token or spec.oidc of the API has it.
	Token, OIDC         json.RawMessage
	Labels, Annotations map[string]string
}

// Accesses are the AccessRequests of a platform cluster, and their Secrets.
type Accesses struct {
	// Builtin says that no operator serves AccessRequests: the provider decides on them, see [Accesses.Serve].
	Builtin bool

	objects *api.Objects
}

// New are the AccessRequests of a platform cluster.
func New(objects *api.Objects) *Accesses { return &Accesses{objects: objects} }

// Make makes an AccessRequest, or finds the one that this configuration has made in a run that was cut short: found
// says which.
//
// Errors: [*api.ExistsError]; those of [kube.Write].
func (a *Accesses) Make(ctx context.Context, w Wanted) (request *api.AccessRequest, found bool, err error) {
	accesses, err := a.objects.Accesses.In(w.Namespace)
	if err != nil {
		return nil, false, err
	}
	mark := api.MarkOf(w.Ref, w.ClusterRef, w.RequestRef, w.Token, w.OIDC, w.Labels, w.Annotations)
	return api.Make(ctx, accesses, w.Ref, mark, func(ctx context.Context) (*api.AccessRequest, error) {
		return accesses.Create(ctx,
			metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: api.Marked(w.Annotations, mark)},
			api.AccessSpec{ClusterRef: w.ClusterRef, RequestRef: w.RequestRef, Token: w.Token, OIDC: w.OIDC})
	})
}

// Change makes this request what the configuration wants now, but for what it refers to. Labels and annotations are taken
// away that the configuration wanted before. The cluster provider then has to grant it anew.
//
// Errors: [*api.GoneError]; those of [kube.Write].
func (a *Accesses) Change(ctx context.Context, live *api.AccessRequest, w, before Wanted) (*api.AccessRequest, error) {
	return a.patch(ctx, live, func(live *api.AccessRequest) map[string]any {
		return map[string]any{
			"metadata": map[string]any{
				"labels": api.Changed(w.Labels, before.Labels), "annotations": api.Changed(w.Annotations, before.Annotations),
			},
			"spec": map[string]any{"token": inPlaceOf(live.Spec.Token, w.Token), "oidc": inPlaceOf(live.Spec.OIDC, w.OIDC)},
		}
	})
}

// Renew has the controllers judge this request again, where its Secret cannot be used, or it was denied. A request that
// controllers are to leave alone stays as it is.
//
// Errors: [*api.GoneError]; those of [kube.Write].
func (a *Accesses) Renew(ctx context.Context, live *api.AccessRequest) (*api.AccessRequest, error) {
	return a.patch(ctx, live, func(live *api.AccessRequest) map[string]any {
		if isIgnored(live) {
			return nil
		}
		return map[string]any{"metadata": map[string]any{"annotations": map[string]any{api.OperationAnnotation: api.OperationReconcile}}}
	})
}

// patch changes this request as it is now; nil = nothing of it.
func (a *Accesses) patch(
	ctx context.Context, of *api.AccessRequest, change func(live *api.AccessRequest) map[string]any,
) (*api.AccessRequest, error) {
	accesses, err := a.objects.Accesses.In(of.Namespace)
	if err != nil {
		return nil, err
	}
	return accesses.Revise(ctx, of.Ref(), of.UID, func(live *api.AccessRequest) (map[string]any, error) { return change(live), nil })
}

// inPlaceOf is a merge patch that leaves nothing of an object but what is wanted; nil takes it away.
func inPlaceOf(live, wanted json.RawMessage) any {
	if wanted == nil {
		return nil
	}
	patch, standing := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if json.Unmarshal(wanted, &patch) != nil || len(live) > 0 && json.Unmarshal(live, &standing) != nil {
		return wanted // no object: the server says so
	}
	for key := range standing {
		if _, stays := patch[key]; !stays {
			patch[key] = json.RawMessage("null")
		}
	}
	return patch
}

// IsGranted reports whether a request is granted as it is now: one that was edited keeps its phase and its Secret for a while.
func IsGranted(r *api.AccessRequest) bool {
	return r.Status.Phase == api.Granted && r.Status.ObservedGeneration == r.Generation && r.DeletionTimestamp == nil
}

// MovedError says that the request through which access was asked for has another Cluster than the access leads to, or none.
type MovedError struct {
	api.Ref              // the AccessRequest
	Request, To api.Ref  // what it names, and the Cluster that it leads to
	Has         *api.Ref // the Cluster of the request; nil = none, or the request is gone
}

func (e *MovedError) Error() string {
	has := "has none"
	if e.Has != nil {
		has = "has " + e.Has.String()
	}
	return fmt.Sprintf("AccessRequest %s leads to Cluster %s, and ClusterRequest %s, through which it was asked for, %s", e.Ref, e.To,
		e.Request, has)
}

// CheckCluster compares the Cluster that an AccessRequest leads to with that of the request which it names: the operator finds it once,
// and keeps it, also where the request is made anew. A request that cannot be read is not compared: it may lie where the user has no
// rights.
//
// Errors: [*MovedError].
func (a *Accesses) CheckCluster(
	ctx context.Context, r *api.AccessRequest, read func(context.Context, api.Ref) (*api.ClusterRequest, error),
) error {
	if r.Spec.RequestRef == nil || r.Spec.ClusterRef == nil {
		return nil
	}
	request, err := read(ctx, *r.Spec.RequestRef)
	if api.IsGone(err) {
		request, err = &api.ClusterRequest{}, nil
	}
	if err != nil || request.Status.Cluster != nil && *request.Status.Cluster == *r.Spec.ClusterRef {
		return nil //nolint:nilerr // as documented
	}
	return &MovedError{r.Ref(), *r.Spec.RequestRef, *r.Spec.ClusterRef, request.Status.Cluster}
}

// IsDenied reports whether a request is denied as it is now. Nothing is done for it until it changes, or a controller judges it
// again, see [Renew].
func IsDenied(r *api.AccessRequest) bool {
	return api.Denies(r.Status.Status, r.Generation, nil) && r.DeletionTimestamp == nil
}

// Await waits until this request is granted as it was written last, or denied. Each new phase is reported. The request as it was seen
// last comes back beside an error too.
//
// Errors: [*api.GoneError], [*api.NotGrantedError].
func (a *Accesses) Await(ctx context.Context, from *api.AccessRequest, tell func(phase string)) (last *api.AccessRequest, err error) {
	last = from
	accesses, err := a.objects.Accesses.In(from.Namespace)
	if err != nil {
		return last, err
	}
	reported := ""
	err = accesses.Await(ctx, from.Ref(), func(live *api.AccessRequest) (bool, error) {
		switch {
		case live == nil || live.UID != from.UID:
			return false, accesses.Exists(ctx, from.Ref(), from.UID)
		case live.Generation < from.Generation: // of before the last change
			return false, nil
		}
		last = live
		if phase := live.Status.Phase; phase != reported {
			reported = phase
			tell(phase)
		}
		if api.Denies(live.Status.Status, live.Generation, api.ShownAgain(from.Annotations, from.Status.Status)) {
			return false, api.ErrDenied
		}
		return IsGranted(live), nil
	})
	if err != nil && !api.IsGone(err) {
		err = &api.NotGrantedError{Kind: api.KindAccess, Ref: from.Ref(), Phase: last.Status.Phase, Err: err, Seen: a.explain(ctx, last)}
	}
	return last, err
}

// Withdraw deletes this request and waits until it is gone, and the access with it. Where it is gone already nothing is
// done. What holds it is reported.
//
// Errors: those of [kube.Write] and [kube.Read]; [*api.WaitError].
func (a *Accesses) Withdraw(ctx context.Context, of api.Ref, uid string, tell func(string)) error {
	accesses, err := a.objects.Accesses.In(of.Namespace)
	if err != nil {
		return err
	}
	live, err := accesses.Get(ctx, of)
	switch {
	case api.IsGone(err), err == nil && string(live.UID) != uid:
		return nil
	case err != nil:
		return err
	}
	if err := accesses.Withdraw(ctx, live, api.Anyway); err != nil {
		return err
	}
	if err := a.letGo(ctx, live); err != nil {
		return err
	}
	last := live
	if err := accesses.AwaitGone(ctx, of, live.UID, tell, func(r *api.AccessRequest) { last = r }); err != nil {
		return &api.WaitError{Kind: api.KindAccess, Ref: of, For: api.UntilGone, Phase: last.Status.Phase, Err: err, Failing: held(last)}
	}
	return nil
}

// held says what holds a request in its deletion.
func held(r *api.AccessRequest) (all []string) {
	if isIgnored(r) {
		all = append(all, "It "+ignoredBy("every controller"))
	}
	return append(all, api.KeptBy(r.Finalizers)...)
}

func isIgnored(r *api.AccessRequest) bool {
	return r.Annotations[api.OperationAnnotation] == api.OperationIgnore
}

func ignoredBy(what string) string {
	return fmt.Sprintf("bears the annotation %s: %s, with which %s leaves it alone", api.OperationAnnotation, api.OperationIgnore, what)
}

// explain says what may keep access from being granted, as far as it can be seen: the operator and the cluster providers say it
// in their logs alone. What cannot be read is left out, or named.
func (a *Accesses) explain(ctx context.Context, r *api.AccessRequest) (seen []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	if r.DeletionTimestamp != nil {
		return append(held(r), "the AccessRequest is being deleted")
	}
	if isIgnored(r) {
		seen = append(seen, "the AccessRequest "+ignoredBy("every controller"))
	}
	seen = append(seen, r.Status.Failing()...)
	missing := a.missing(ctx, r)
	seen = append(seen, missing...)
	provider := r.Labels[api.ProviderLabel]
	switch handed := provider != "" && r.Labels[api.ProfileLabel] != ""; {
	case !handed && len(missing) == 0:
		seen = append(seen, fmt.Sprintf("the operator has not handed the AccessRequest to a cluster provider (no labels %s and %s): its "+
			"controller accessrequest does not run, or does not serve this AccessRequest", api.ProviderLabel, api.ProfileLabel))
	case handed && r.Status.Phase == api.Granted:
		seen = append(seen, fmt.Sprintf("cluster provider %s has granted what the AccessRequest said before, and has not looked at its change",
			provider))
	case handed && r.Status.Phase != api.Denied:
		seen = append(seen, fmt.Sprintf("the AccessRequest was handed to cluster provider %s, which has not answered it", provider))
	}
	return seen
}

// missing says what of the way from a request to the cluster provider is not there.
func (a *Accesses) missing(ctx context.Context, r *api.AccessRequest) []string {
	of := r.Spec.ClusterRef
	if of == nil && r.Spec.RequestRef != nil {
		request, err := a.objects.Requests.Get(ctx, *r.Spec.RequestRef)
		switch {
		case err != nil:
			return []string{unseen(err)}
		case !api.IsGranted(request):
			return []string{fmt.Sprintf("ClusterRequest %s is not granted itself", request.Ref())}
		}
		of = request.Status.Cluster
	}
	if of == nil {
		return nil
	}
	cluster, err := a.objects.Clusters.Get(ctx, *of)
	if err != nil {
		return []string{unseen(err)}
	}
	if _, err := a.objects.Profiles.Get(ctx, api.Ref{Name: cluster.Spec.Profile}); err != nil {
		return []string{fmt.Sprintf("Cluster %s has the profile %s, by which the operator finds its cluster provider: %s",
			cluster.Ref(), cluster.Spec.Profile, unseen(err))}
	}
	if !api.IsReady(cluster) {
		return []string{strings.TrimRight(fmt.Sprintf("Cluster %s is not ready, its phase is %s. %s", cluster.Ref(), cluster.Status.Phase,
			strings.Join(cluster.Status.Failing(), ". ")), ". ")}
	}
	return nil
}

// unseen says why an object was not seen.
func unseen(err error) string {
	if gone, ok := errors.AsType[*api.GoneError](err); ok {
		return fmt.Sprintf("there is no %s %s", gone.Kind, strings.TrimPrefix(gone.Ref.String(), "/"))
	}
	return err.Error()
}
