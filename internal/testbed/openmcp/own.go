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

// ownPlaces are the platform clusters that no test has at the moment; nil = one that is not started.
var ownPlaces = sync.OnceValue(func() chan *Platform {
	places := make(chan *Platform, mostOwn)
	for range mostOwn {
		places <- nil
	}
	return places
})

// Own returns a platform cluster that the test has to itself until its end: without an operator and a provider, and with nothing of
// openMCP but the profiles. Another test may have had it before. It waits while [mostOwn] tests have one.
func Own(t testing.TB) *Platform {
	t.Helper()
	var p *Platform
	select {
	case p = <-ownPlaces():
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
	if p == nil {
		var err error
		if p, err = Start(t.Context()); err != nil {
			ownPlaces() <- nil
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		if !t.Failed() { // else it is not known what the test has left
			err := p.clear(ctx)
			if err == nil {
				ownPlaces() <- p
				return
			}
			t.Error(err)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		ownPlaces() <- nil
	})
	return p
}

// stopOwn stops the platform clusters of [Own]. No test has one any more.
func stopOwn() (err error) {
	for range mostOwn {
		if p := <-ownPlaces(); p != nil {
			err = errors.Join(err, p.Stop())
		}
	}
	return err
}

// clear ends the operator, and leaves the profiles alone of what is openMCP's.
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
				return fmt.Errorf("removing %s %s: %w", kind.Kind, list.Items[i].GetName(), err)
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
