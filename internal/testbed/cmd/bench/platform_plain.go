package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// plainKind is a kind of objects, and what of the provider's work a plain client has to do too.
type plainKind struct {
	name     string
	resource schema.GroupVersionResource
	make     func(name string) *unstructured.Unstructured
	there    func(*unstructured.Unstructured) bool // what is waited for; nil = nothing
	confirm  bool                                  // a deletion has to be confirmed before
	beside   schema.GroupVersionResource           // is listed too for a plan; empty = nothing
	secrets  bool                                  // its Secret is read
	share    int                                   // for how many requests there is one; 0 = for each
}

var configs = schema.GroupVersionResource{Group: "gardener.clusters.openmcp.cloud", Version: "v1alpha1", Resource: "providerconfigs"}

func resourceOf(name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "clusters.openmcp.cloud", Version: "v1alpha1", Resource: name}
}

func plainRequest(name string) *unstructured.Unstructured {
	return plainObject("ClusterRequest", theNamespace, name, map[string]any{"purpose": "onboarding"})
}

func plainAccess(name string) *unstructured.Unstructured {
	return plainObject("AccessRequest", theNamespace, name, map[string]any{
		"requestRef": map[string]any{"namespace": theNamespace, "name": standing},
		"token":      map[string]any{"roleRefs": []any{map[string]any{"kind": "ClusterRole", "name": "view"}}},
	})
}

func plainConfig(name string) *unstructured.Unstructured {
	object := plainObject("ProviderConfig", "", name, map[string]any{
		"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": "canary"}, "project": "hap",
		"shootTemplate": map[string]any{"spec": map[string]any{"provider": map[string]any{"type": "aws"}}},
	})
	object.SetAPIVersion(configs.GroupVersion().String())
	return object
}

func plainObject(kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	object := openmcp.New(kind, namespace, name)
	object.Object["spec"] = spec
	return object
}

// plainClient makes, reads and deletes objects by as few requests as there can be: a write each, one watch that waits for all, and lists.
type plainClient struct {
	config *rest.Config
	plainKind
}

// plainAtOnce is how many objects are written at a time, as tofu does.
const plainAtOnce = 10

// round does what the commands of tofu do with n objects, and measures each.
func (c plainClient) round(ctx context.Context, n int) (found []row, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var sent atomic.Int64
	config := rest.CopyConfig(c.config)
	config.QPS = -1
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) { sent.Add(1); return next.RoundTrip(r) })
	})
	all, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	api := dynamic.ResourceInterface(all.Resource(c.resource))
	if namespace := c.make("").GetNamespace(); namespace != "" {
		api = all.Resource(c.resource).Namespace(namespace)
	}
	for _, do := range []func(context.Context, dynamic.Interface, dynamic.ResourceInterface, int) error{c.apply, c.plan, c.destroy} {
		began, before := time.Now(), sent.Load()
		if err := do(ctx, all, api, n); err != nil {
			return nil, fmt.Errorf("a plain client of kind %s: %w", c.name, err)
		}
		found = append(found, row{measurement: measurement{Wall: time.Since(began), Requests: int(sent.Load() - before)}})
	}
	return found, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// each does something with each of the n objects, some at a time.
func (c plainClient) each(n int, do func(*unstructured.Unstructured) error) error {
	var group errgroup.Group
	group.SetLimit(plainAtOnce)
	for i := range n {
		group.Go(func() error { return do(c.make(fmt.Sprintf("o-%d", i))) })
	}
	return group.Wait()
}

// watched does something to objects while it watches, and returns once n of them have come to where they should.
func (c plainClient) watched(
	ctx context.Context, api dynamic.ResourceInterface, n int, do func() error, there func(watch.Event, *unstructured.Unstructured) bool,
) error {
	list, err := api.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	events, err := api.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer events.Stop()
	if err := do(); err != nil {
		return err
	}
	for seen := map[string]bool{}; len(seen) < n; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-events.ResultChan():
			if !open {
				return fmt.Errorf("the watch ended with %d of %d", len(seen), n)
			}
			if object, ok := event.Object.(*unstructured.Unstructured); ok && there(event, object) {
				seen[object.GetName()] = true
			}
		}
	}
	return nil
}

// apply makes all, waits until they are granted, and reads the Secrets where there are any.
func (c plainClient) apply(ctx context.Context, all dynamic.Interface, api dynamic.ResourceInterface, n int) error {
	create := func() error {
		return c.each(n, func(object *unstructured.Unstructured) error {
			_, err := api.Create(ctx, object, metav1.CreateOptions{})
			return err
		})
	}
	if c.there == nil {
		return create()
	}
	err := c.watched(ctx, api, n, create, func(_ watch.Event, object *unstructured.Unstructured) bool {
		observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
		return object.GetName() != standing && observed == object.GetGeneration() && c.there(object)
	})
	if err != nil {
		return err
	}
	return c.readSecrets(ctx, all, n)
}

// isGranted reports whether an object of openMCP is granted.
func isGranted(object *unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	return phase == "Granted"
}

func (c plainClient) readSecrets(ctx context.Context, all dynamic.Interface, n int) error {
	if !c.secrets {
		return nil
	}
	secrets := all.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace(theNamespace)
	return c.each(n, func(*unstructured.Unstructured) error { // all have the same one, and each is read
		_, err := secrets.Get(ctx, openmcp.SharedName, metav1.GetOptions{})
		return err
	})
}

// confirmation is what Gardener wants to see on a Shoot before it is deleted.
var confirmation = []byte(`{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`)

// plan reads all.
func (c plainClient) plan(ctx context.Context, all dynamic.Interface, api dynamic.ResourceInterface, n int) error {
	if _, err := api.List(ctx, metav1.ListOptions{}); err != nil {
		return err
	}
	if c.beside != (schema.GroupVersionResource{}) {
		if _, err := all.Resource(c.beside).List(ctx, metav1.ListOptions{}); err != nil {
			return err
		}
	}
	return c.readSecrets(ctx, all, n)
}

// destroy deletes all, and waits until they are gone.
func (c plainClient) destroy(ctx context.Context, _ dynamic.Interface, api dynamic.ResourceInterface, n int) error {
	return c.watched(ctx, api, n, func() error {
		return c.each(n, func(object *unstructured.Unstructured) error {
			if c.confirm {
				if _, err := api.Patch(ctx, object.GetName(), types.MergePatchType, confirmation, metav1.PatchOptions{}); err != nil {
					return err
				}
			}
			return api.Delete(ctx, object.GetName(), metav1.DeleteOptions{})
		})
	}, func(event watch.Event, _ *unstructured.Unstructured) bool { return event.Type == watch.Deleted })
}
