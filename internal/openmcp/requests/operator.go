// Package requests has the life of a ClusterRequest as the openmcp-operator serves it (ADR 016): it is made, waited for, described anew,
// withdrawn or given up, see [Operator]. The operator never says why a request stays pending: the error of a wait says what can be seen of
// it. [Operator.Schedule] says what the operator would decide.
//
// The package knows nothing of the built-in scheduler, which hands on to it the requests of the operator.
package requests

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// Operator is the life of requests as the openmcp-operator serves them: they are made, waited for, and withdrawn.
type Operator struct {
	// Patience is how long a scheduler may do nothing at all before it counts as absent: [SchedulerTime], but in tests.
	Patience time.Duration
	// Longest is how long a scheduler may take to grant a request that it has seen: [GrantTime], but in tests.
	Longest time.Duration
	// Unused is how long it may take where the purpose of the request is not in use: [UnusedPurposeTime], but in tests.
	Unused time.Duration

	objects   *api.Objects
	tenancies tenancies

	mu    sync.Mutex
	works map[string]*progress // by namespace
}

// New serves the requests of a platform cluster.
func New(objects *api.Objects) *Operator {
	return &Operator{
		Patience: SchedulerTime, Longest: GrantTime, Unused: UnusedPurposeTime, objects: objects, works: map[string]*progress{},
	}
}

// Wanted is what a configuration says of a ClusterRequest that the operator serves.
type Wanted struct {
	api.Ref
	Purpose             string // what the operator goes by
	Labels, Annotations map[string]string
}

// Mark is the mark of the configuration, see [api.MarkOf].
func (w Wanted) Mark() string { return api.MarkOf(w.Ref, w.Purpose, w.Labels, w.Annotations) }

// Make makes a ClusterRequest, or finds the one that this configuration has made in a run that was cut short: found says which.
//
// Errors: [*api.ExistsError]; those of [kube.Write].
func (o *Operator) Make(ctx context.Context, w Wanted) (request *api.ClusterRequest, found bool, err error) {
	requests, err := o.objects.Requests.In(w.Namespace)
	if err != nil {
		return nil, false, err
	}
	return api.Make(ctx, requests, w.Ref, w.Mark(), func(ctx context.Context) (*api.ClusterRequest, error) {
		return requests.Create(ctx, w.meta(), api.RequestSpec{Purpose: w.Purpose})
	})
}

// Check has the server check the creation of a ClusterRequest, which makes none.
//
// Errors: those of [api.Kind.Check].
func (o *Operator) Check(ctx context.Context, w Wanted) error {
	requests, err := o.objects.Requests.In(w.Namespace)
	if err != nil {
		return err
	}
	return requests.Check(ctx, w.meta(), api.RequestSpec{Purpose: w.Purpose})
}

func (w Wanted) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: api.Marked(w.Annotations, w.Mark()),
	}
}

// Describe makes the labels and annotations of this request what the configuration wants, and takes away those that it wanted
// before. The operator does not watch them: where some go on to the exclusive Cluster of the request, it is asked to look at the request
// again.
//
// Errors: those of [kube.Write].
func (o *Operator) Describe(ctx context.Context, of api.Ref, uid string, w, before Wanted) (*api.ClusterRequest, error) {
	requests, err := o.objects.Requests.In(of.Namespace)
	if err != nil {
		return nil, err
	}
	return requests.Revise(ctx, of, types.UID(uid), func(live *api.ClusterRequest) (map[string]any, error) {
		annotations := api.Changed(w.Annotations, before.Annotations)
		if _, said := annotations[api.OperationAnnotation]; !said && o.carries(ctx, live, w) {
			annotations[api.OperationAnnotation] = api.OperationReconcile
		}
		return map[string]any{"metadata": map[string]any{
			"labels": api.Changed(w.Labels, before.Labels), "annotations": annotations,
		}}, nil
	})
}

// carries reports whether the exclusive Cluster of a request lacks labels or annotations that it is to have from the request. One that
// cannot be read may lack them.
func (o *Operator) carries(ctx context.Context, live *api.ClusterRequest, w Wanted) bool {
	if !api.IsGranted(live) || api.LeftAlone(live) || api.Carried(w.Labels, nil) == nil && api.Carried(w.Annotations, nil) == nil {
		return false
	}
	c, err := o.objects.Clusters.Get(ctx, *live.Status.Cluster)
	if err != nil {
		return !api.IsGone(err) // it is made anew then, with all
	}
	return c.Spec.Tenancy == api.Exclusive && !failsAt(c, w.Annotations) &&
		(api.Carried(w.Labels, c.Labels) != nil || api.Carried(w.Annotations, c.Annotations) != nil)
}

// failsAt reports whether the operator fails at a request with these annotations: v1.3.0 adds the first annotation of a Cluster to a map
// that is not there, before it adds labels, and tries again for ever.
func failsAt(c *api.Cluster, annotations map[string]string) bool {
	return len(c.Annotations) == 0 && api.Carried(annotations, nil) != nil
}

// Unreached returns the exclusive Cluster of a request to which the operator cannot bring the labels and annotations that are to go on to
// it:
// the Cluster has no annotation yet. nil = it can, or there are none, or it is not known.
func (o *Operator) Unreached(ctx context.Context, r *api.ClusterRequest) *api.Cluster {
	if !api.IsGranted(r) || api.LeftAlone(r) || api.Carried(r.Annotations, nil) == nil {
		return nil
	}
	c, err := o.objects.Clusters.Get(ctx, *r.Status.Cluster)
	if err != nil || c.Spec.Tenancy != api.Exclusive || !failsAt(c, r.Annotations) {
		return nil
	}
	return c
}

// Reschedule has the scheduler judge this request again: it makes a Cluster anew that was deleted under it, and decides anew on one
// that was denied.
//
// Errors: those of [kube.Write].
func (o *Operator) Reschedule(ctx context.Context, of api.Ref, uid string) (*api.ClusterRequest, error) {
	return o.Change(ctx, of, uid, map[string]any{"annotations": map[string]any{api.OperationAnnotation: api.OperationReconcile}})
}

// Change changes the metadata of this request.
func (o *Operator) Change(ctx context.Context, of api.Ref, uid string, metadata map[string]any) (*api.ClusterRequest, error) {
	requests, err := o.objects.Requests.In(of.Namespace)
	if err != nil {
		return nil, err
	}
	return requests.Revise(ctx, of, types.UID(uid), func(*api.ClusterRequest) (map[string]any, error) {
		return map[string]any{"metadata": metadata}, nil
	})
}

// PendingFor returns the requests of a namespace that ask for a purpose, and have no Cluster yet. Those that the operator leaves alone, as
// it does with all of the built-in scheduler, are none of them.
//
// Errors: those of [kube.Group.List].
func (o *Operator) PendingFor(ctx context.Context, namespace, purpose string) (all []api.Ref, err error) {
	requests, err := o.objects.Requests.In(namespace)
	if err != nil {
		return nil, err
	}
	seen, err := requests.Recent(ctx)
	for _, r := range seen {
		if r.Spec.Purpose == purpose && r.Status.Cluster == nil && !api.LeftAlone(r) && r.DeletionTimestamp == nil {
			all = append(all, r.Ref())
		}
	}
	slices.SortFunc(all, func(a, b api.Ref) int { return strings.Compare(a.String(), b.String()) })
	return all, err
}

// Prefix returns the prefix for the names of a request's cluster-scoped objects on its Cluster: what the built-in scheduler has granted;
// else empty where it has the Cluster to itself,
// else derived from the namespace and the name of the request; see [operator.Prefix]. The operator knows no prefixes and enforces
// none. Those of one namespace are compared with each other; requests of other namespaces on the same Cluster cannot be seen. Where
// they cannot be listed, the prefix comes back beside the error.
//
// Errors: [*PrefixError]; those of [kube.Group.List].
func (o *Operator) Prefix(ctx context.Context, r *api.ClusterRequest, c *api.Cluster) (string, error) {
	if g, held := api.GrantOf(c, string(r.UID)); held && g.Recorded {
		return g.Prefix, nil
	}
	on, tenants := SeenCluster(c), api.Tenants(c)
	prefix := operator.Prefix(operator.Request{Ref: clusters.Ref(r.Ref()), UID: string(r.UID), Purpose: r.Spec.Purpose}, &on)
	if prefix == "" || len(tenants) < 2 { //nolint:mnd // itself
		return prefix, nil
	}
	for _, other := range api.Grants(c) { // those of the built-in scheduler are on record, whatever their namespace
		if other.Recorded && other.Prefix != "" && adr.PrefixesCollide(prefix, other.Prefix) {
			return "", &PrefixError{r.Ref(), other.Request, c.Ref(), prefix, other.Prefix}
		}
	}
	requests, err := o.objects.Requests.In(r.Namespace)
	if err != nil {
		return prefix, err
	}
	all, err := requests.Recent(ctx)
	if err != nil {
		return prefix, err
	}
	for _, other := range all {
		if other.UID != r.UID && slices.Contains(tenants, string(other.UID)) && operator.NameHash(other.Namespace, other.Name)+"-" == prefix {
			return "", &PrefixError{r.Ref(), other.Ref(), c.Ref(), prefix, prefix}
		}
	}
	return prefix, nil
}
