package openmcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// providerFinalizer keeps a Cluster or an AccessRequest until the provider has taken down what it made for it.
const providerFinalizer = "clusters.openmcp.cloud/" + ProviderName

// Course is how it goes with one Cluster.
type Course struct {
	Never   bool          // it never becomes ready
	Says    string        // the message of its failing condition, while it is not ready
	After   time.Duration // how long it takes; 0 = it is ready at the next pass
	Deletes time.Duration // how long its deletion takes
}

// Provider plays the cluster provider of all profiles: it makes Clusters ready and takes them down, and answers AccessRequests with a
// token of the platform cluster itself, which is the cluster behind each Cluster, for exactly the rights that were asked for.
//
// With a Garden it plays the Gardener cluster provider (cluster-provider-gardener v0.14.0) as well: it publishes a profile for each
// ProviderConfig, with the versions of the CloudProfile, whatever its template says, and a Cluster of such a profile has a Shoot there. The
// provider makes it by the template alone, or adopts one that has the labels of the Cluster, and deletes it with the Cluster. What the
// Cluster says of its version of Kubernetes is not heeded; its label says which one the Shoot has. Each change of a template is merged into
// the live Shoots. A gardenlet (package gardenlet) brings the Shoots up; behind each of them is the kube-apiserver of the Garden.
//
// It differs from the real one in this:
//   - Without a Garden there are no Shoots: a Cluster has no provider status, its phases are "Not Ready", "Ready" and "In Deletion", and it
//     has one condition, ShootReady. With one the status is that of the real one, also the phase Ready of a Cluster whose Shoot was just
//     made, and has no conditions.
//   - A change of a template reaches the Shoots at the next pass here, and by an event there. A label or an annotation of a Cluster reaches
//     its Shoot at once here, and there at the next event of the Shoot, the profile or the Cluster's spec.
//   - There is one landscape with one project, that of the Garden, and there are no ClusterConfigs. The labels of provider and environment
//     are not on the Shoots, nor are extensions enforced, nor the annotations for the clean-up and for the managed issuer.
//   - A status is written under the version that was read. There a status that another party writes meanwhile may be lost.
//   - The names of Shoots are hashed otherwise.
type Provider struct {
	Platform *Platform
	// Garden is the project of the Shoots; nil = there is none, and ProviderConfigs are left alone.
	Garden *testbed.Namespace
	// Landscape is the name of the landscape that it knows; empty = any. A ProviderConfig of another one has no profile.
	Landscape string

	mu      sync.Mutex
	courses map[client.ObjectKey]Course
	silent  map[string]bool // namespaces whose AccessRequests are not answered
	since   map[string]time.Time
	last    error
	changed chan struct{} // holds one element while there is something to do
}

// Set says how it goes with the Clusters of a namespace, or, with a name, with one of them.
func (p *Provider) Set(namespace, name string, course Course) {
	defer p.look()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.courses == nil {
		p.courses = map[client.ObjectKey]Course{}
	}
	p.courses[client.ObjectKey{Namespace: namespace, Name: name}] = course
}

// GrantNothing leaves the AccessRequests of a namespace without an answer, or answers them again.
func (p *Provider) GrantNothing(namespace string, silent bool) {
	defer p.look()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent == nil {
		p.silent = map[string]bool{}
	}
	p.silent[namespace] = silent
}

// SharedProvider is the provider of the shared platform cluster.
func SharedProvider() *Provider { return shared.provider }

func (p *Provider) courseOf(cluster *unstructured.Unstructured) Course {
	p.mu.Lock()
	defer p.mu.Unlock()
	if course, ok := p.courses[client.ObjectKeyFromObject(cluster)]; ok {
		return course
	}
	return p.courses[client.ObjectKey{Namespace: cluster.GetNamespace()}]
}

// Start lets the provider work in the background. The stop that it returns ends that, and waits until the last round is over.
func (p *Provider) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); p.run(ctx) }()
	return func() { cancel(); <-ended }
}

func (p *Provider) run(ctx context.Context) {
	interval := time.Second // for what comes with time: changes are noticed
	if p.Garden != nil {
		interval = 250 * time.Millisecond // Shoots change unnoticed
	}
	for _, kind := range []string{"Cluster", "AccessRequest"} {
		go p.notice(ctx, kind)
	}
	for ctx.Err() == nil {
		var err error
		if p.Garden != nil {
			err = p.each(ctx, providerConfigKind, p.offer)
		}
		err = errors.Join(err, p.each(ctx, kindOf("Cluster"), p.cluster), p.each(ctx, kindOf("AccessRequest"), p.access))
		p.mu.Lock()
		p.last = err
		p.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-p.changes():
			sleep(ctx, burst)
		case <-time.After(interval):
		}
	}
}

// burst is the pause after a change: what comes with it is seen in one pass.
const burst = 50 * time.Millisecond

// changes has an element once there is something to do.
func (p *Provider) changes() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{}, 1)
	}
	return p.changed
}

// look has the provider look now.
func (p *Provider) look() {
	select {
	case p.changes() <- struct{}{}:
	default: // it is about to
	}
}

// notice has the provider look as soon as an object of a kind changes. A watch that ends is begun again at once.
func (p *Provider) notice(ctx context.Context, kind string) {
	for ctx.Err() == nil {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kindOf(kind + "List"))
		events, err := p.Platform.client.Watch(ctx, list)
		if err != nil {
			sleep(ctx, time.Second)
			continue
		}
		p.look() // what has changed between two watches
		for range events.ResultChan() {
			p.look()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Err is why the last round failed; nil = it did not.
func (p *Provider) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// each works on all objects of a kind. Another writer's conflict is met again at the next pass.
func (p *Provider) each(
	ctx context.Context, kind schema.GroupVersionKind, work func(context.Context, *unstructured.Unstructured) error,
) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := p.Platform.client.List(ctx, list); err != nil {
		return fmt.Errorf("listing each %s: %w", kind.Kind, err)
	}
	var failed error
	for i := range list.Items {
		object := &list.Items[i]
		if err := work(ctx, object); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			failed = errors.Join(failed, fmt.Errorf("%s %s/%s: %w", kind.Kind, object.GetNamespace(), object.GetName(), err))
		}
	}
	return failed
}

// cluster brings one Cluster one step further.
func (p *Provider) cluster(ctx context.Context, cluster *unstructured.Unstructured) error {
	if p.Garden != nil {
		if done, err := p.byShoot(ctx, cluster); done || err != nil {
			return err
		}
	}
	course := p.courseOf(cluster)
	if cluster.GetDeletionTimestamp() != nil {
		if time.Since(cluster.GetDeletionTimestamp().Time) < course.Deletes {
			return p.tell(ctx, cluster, "In Deletion", map[string]any{"message": "The cluster is being taken down."})
		}
		return p.letGo(ctx, cluster)
	}
	if !slices.Contains(cluster.GetFinalizers(), providerFinalizer) {
		return p.hold(ctx, cluster, Version)
	}
	if course.Never || p.age(cluster) < course.After {
		return p.tell(ctx, cluster, "Not Ready", map[string]any{"conditions": []any{condition("False", course.Says)}})
	}
	return p.tell(ctx, cluster, "Ready", map[string]any{
		"conditions": []any{condition("True", "")},
		"apiServer":  p.Platform.Config().Host,
		"endpoints":  []any{map[string]any{"name": "apiserver-external", "url": p.Platform.Config().Host}},
	})
}

// age is how long the provider knows an object.
func (p *Provider) age(object *unstructured.Unstructured) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since == nil {
		p.since = map[string]time.Time{}
	}
	begun, known := p.since[string(object.GetUID())]
	if !known {
		begun = time.Now()
		p.since[string(object.GetUID())] = begun
	}
	return time.Since(begun)
}

func condition(status, message string) map[string]any {
	return map[string]any{
		"type": "ShootReady", "status": status, "reason": "Played", "message": message,
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
}

// tell writes the status of an object, unless it says so already.
//
// It writes the version that it has read: a status that another party has written meanwhile is looked at anew. The real one names none, and
// could take a new Pending of an AccessRequest away.
func (p *Provider) tell(ctx context.Context, object *unstructured.Unstructured, phase string, more map[string]any) error {
	now, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if now == phase && observed == object.GetGeneration() {
		return nil
	}
	base := object.DeepCopy()
	status := map[string]any{
		"phase": phase, "observedGeneration": object.GetGeneration(), "lastReconcileTime": time.Now().UTC().Format(time.RFC3339),
	}
	for key, value := range more {
		status[key] = value
	}
	object.Object["status"] = status
	return p.Platform.client.Status().Patch(ctx, object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

// hold keeps an object from going before it is taken down, and labels it as the real provider does.
func (p *Provider) hold(ctx context.Context, object *unstructured.Unstructured, version string) error {
	base := object.DeepCopy()
	object.SetFinalizers(append(object.GetFinalizers(), providerFinalizer))
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["clusters.openmcp.cloud/provider"] = ProviderName
	labels[versionLabel] = version
	object.SetLabels(labels)
	return p.Platform.client.Patch(ctx, object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

// versionLabel is the label of a Cluster with the version of Kubernetes that its Shoot has.
const versionLabel = "clusters.openmcp.cloud/k8sversion"

// label labels a Cluster with the version that its Shoot has.
func (p *Provider) label(ctx context.Context, cluster *unstructured.Unstructured, version string) error {
	base := cluster.DeepCopy()
	labels := cluster.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[versionLabel] = version
	cluster.SetLabels(labels)
	return p.Platform.client.Patch(ctx, cluster, client.MergeFrom(base))
}

// letGo lets an object go. Finalizers of requests keep a Cluster beyond that.
func (p *Provider) letGo(ctx context.Context, object *unstructured.Unstructured) error {
	base := object.DeepCopy()
	others := slices.DeleteFunc(object.GetFinalizers(), func(f string) bool { return f == providerFinalizer })
	if len(others) == len(object.GetFinalizers()) {
		return nil
	}
	object.SetFinalizers(others)
	return p.Platform.client.Patch(ctx, object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}
