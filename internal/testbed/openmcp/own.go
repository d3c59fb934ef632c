package openmcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mostOwn is how many tests of a process have a platform cluster to themselves at once: each is a kube-apiserver and an etcd.
const mostOwn = 2

// own are the platform clusters that one test after the other has to itself.
var own = struct {
	places chan struct{} // an element for each test that has one
	sync.Mutex
	idle []*Platform // that run, and that no test has
}{places: make(chan struct{}, mostOwn)}

// Own returns a platform cluster that the test has to itself until its end: without an operator and a provider, and with no object of
// openMCP but the profiles. It waits while [mostOwn] tests have one. Another test may have had it before: namespaces, Secrets and RBAC
// objects stay. So permissions for the whole cluster need names that contain the namespace.
func Own(t testing.TB) *Platform {
	t.Helper()
	own.places <- struct{}{}
	t.Cleanup(func() { <-own.places })
	p, err := takeOwn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		if !t.Failed() { // else it is not known what the test has left
			err := p.clear(ctx)
			if err == nil {
				own.Lock()
				defer own.Unlock()
				own.idle = append(own.idle, p)
				return
			}
			t.Error(err)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// takeOwn takes an idle platform cluster, or starts one.
func takeOwn(ctx context.Context) (*Platform, error) {
	own.Lock()
	defer own.Unlock()
	last := len(own.idle) - 1
	if last < 0 {
		return Start(ctx)
	}
	p := own.idle[last]
	own.idle = own.idle[:last]
	return p, nil
}

// stopOwn stops the platform clusters of [Own]. It is called after all tests.
func stopOwn() (err error) {
	own.Lock()
	defer own.Unlock()
	for _, p := range own.idle {
		err = errors.Join(err, p.Stop())
	}
	own.idle = nil
	return err
}

// clear kills the operator, deletes all objects of openMCP, and makes the profiles anew.
func (p *Platform) clear(ctx context.Context) error {
	if err := p.KillOperator(); err != nil {
		return err
	}
	kinds := []schema.GroupVersionKind{
		kindOf("AccessRequest"), kindOf("ClusterRequest"), kindOf("Cluster"), kindOf("ClusterProfile"), providerConfigKind,
	}
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := p.client.List(ctx, list); err != nil {
			return fmt.Errorf("listing each %s: %w", kind.Kind, err)
		}
		for i := range list.Items {
			if err := p.drop(ctx, &list.Items[i]); err != nil {
				return fmt.Errorf("removing %s %s: %w", kind.Kind, client.ObjectKeyFromObject(&list.Items[i]), err)
			}
		}
	}
	return p.offer(ctx)
}

// drop deletes an object with its finalizers.
func (p *Platform) drop(ctx context.Context, object *unstructured.Unstructured) error {
	if err := p.client.Delete(ctx, object); err != nil {
		return client.IgnoreNotFound(err)
	}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
	return client.IgnoreNotFound(p.client.Patch(ctx, object, patch))
}
