package openmcp

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SharedName is that of the Cluster and the Secret of all that [Platform.GrantAll] grants.
const SharedName = "shared"

// GrantAll plays a scheduler and a cluster provider that answer at once all requests and AccessRequests of a namespace, with one Cluster
// and one Secret, until it is stopped. It is for what many objects cost: the real operator throttles itself, and grants 100 requests in
// more than a minute. That one has to leave them alone, or not to run.
func (p *Platform) GrantAll(ctx context.Context, namespace string) (stop func(), err error) {
	cluster := New("Cluster", namespace, SharedName)
	cluster.Object["spec"] = map[string]any{"profile": WorkerlessProfile, "tenancy": "Shared", "purposes": []any{SharedName}}
	kubeconfig, err := p.Kubeconfig(namespace)
	if err != nil {
		return nil, err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: SharedName}, Data: map[string][]byte{"kubeconfig": kubeconfig},
	}
	for _, object := range []client.Object{cluster, secret} {
		if err := p.client.Create(ctx, object); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			p.grant(ctx, "ClusterRequest", namespace, "cluster", map[string]any{"namespace": namespace, "name": SharedName})
			p.grant(ctx, "AccessRequest", namespace, "secretRef", map[string]any{"name": SharedName})
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond): //nolint:mnd // a pause
			}
		}
	}()
	return func() { cancel(); <-ended }, nil
}

// grant grants all objects of a kind that are not. One that cannot be written is met again.
func (p *Platform) grant(ctx context.Context, kind, namespace, what string, given map[string]any) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kindOf(kind + "List"))
	if p.client.List(ctx, list, client.InNamespace(namespace)) != nil {
		return
	}
	for i := range list.Items {
		object := &list.Items[i]
		if phase, _, _ := unstructured.NestedString(object.Object, "status", "phase"); phase == "Granted" {
			continue
		}
		base := object.DeepCopy()
		object.Object["status"] = map[string]any{
			"phase": "Granted", "observedGeneration": object.GetGeneration(), what: given,
			"lastReconcileTime": time.Now().UTC().Format(time.RFC3339),
		}
		_ = p.client.Status().Patch(ctx, object, client.MergeFrom(base))
	}
}
