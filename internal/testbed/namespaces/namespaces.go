// Package namespaces plays the namespace controller of kube-controller-manager on a local Garden, which has none: it empties a namespace
// that is being deleted, and lets it go. Like the real one it deletes what is in the namespace and can be listed and deleted, waits for
// what keeps finalizers, lets nothing go while the server cannot say what there is, and takes away its own finalizer alone.
//
// It differs from the real one where nothing of the testbed goes by it: it writes no conditions into the status, keeps no order among
// resources and no grace time of pods (there are no pods), and asks anew every 200 ms instead of watching. And it leaves alone what was
// there when it was made: a namespace of the Garden itself stays as it is, with all that is in it.
package namespaces

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// interval is the pause between two looks.
const interval = 200 * time.Millisecond

// Controller finalizes namespaces.
type Controller struct {
	api     kubernetes.Interface
	objects dynamic.Interface
	kept    map[types.UID]bool // the Garden's own namespaces
}

// New is a controller for the namespaces that come from now on. The connection is an administrator's.
func New(ctx context.Context, config *rest.Config) (*Controller, error) {
	api, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	there, err := api.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing the namespaces of the Garden: %w", err)
	}
	c := &Controller{api: api, objects: objects, kept: map[types.UID]bool{}}
	for _, ns := range there.Items {
		c.kept[ns.UID] = true
	}
	return c, nil
}

// Start lets the controller work in the background. The stop that it returns ends that, and waits until the last pass is over.
func (c *Controller) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_ = c.Round(ctx) // what fails is tried again
			select {
			case <-ctx.Done():
			case <-time.After(interval):
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// For finalizes namespaces as long as a test runs.
func For(t testing.TB, config *rest.Config) {
	t.Helper()
	c, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Start(context.Background()))
}

// Round empties each namespace that is being deleted, and lets those go that are empty.
func (c *Controller) Round(ctx context.Context) error {
	all, err := c.api.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range all.Items {
		ns := &all.Items[i]
		if ns.DeletionTimestamp == nil || c.kept[ns.UID] || !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
			continue
		}
		left, err := c.empty(ctx, ns.Name)
		if err != nil {
			return err
		}
		if left > 0 {
			continue
		}
		ns.Spec.Finalizers = slices.DeleteFunc(ns.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
		if _, err := c.api.CoreV1().Namespaces().Finalize(ctx, ns, metav1.UpdateOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// empty deletes what is in a namespace, and returns how many objects are left.
func (c *Controller) empty(ctx context.Context, namespace string) (left int, err error) {
	lists, err := discovery.ServerPreferredNamespacedResources(c.api.Discovery())
	if err != nil { // also where one group of many cannot say what it has
		return 0, err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return 0, err
		}
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "delete") {
				continue
			}
			n, err := c.clear(ctx, c.objects.Resource(version.WithResource(r.Name)).Namespace(namespace))
			if err != nil {
				return 0, fmt.Errorf("emptying %s of %s: %w", namespace, r.Name, err)
			}
			left += n
		}
	}
	return left, nil
}

// clear deletes the objects of one kind, and returns how many are left.
func (c *Controller) clear(ctx context.Context, of dynamic.ResourceInterface) (left int, err error) {
	there, err := of.List(ctx, metav1.ListOptions{})
	if err != nil || len(there.Items) == 0 {
		return 0, ignoreAbsent(err)
	}
	for _, object := range there.Items {
		if object.GetDeletionTimestamp() != nil {
			continue
		}
		policy := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}
		if err := ignoreAbsent(of.Delete(ctx, object.GetName(), policy)); err != nil {
			return 0, err
		}
	}
	there, err = of.List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, ignoreAbsent(err)
	}
	return len(there.Items), nil
}

// ignoreAbsent lets pass what is not there, or takes no such request.
func ignoreAbsent(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil
	}
	return err
}
