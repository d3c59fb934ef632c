package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
)

// pageSize is that of the provider.
const pageSize = 500

// measureShoots measures the count of all Shoots of a namespace, and what it has to be compared with.
func (b *bench) measureShoots(ctx context.Context) error {
	for n := range b.shoots {
		l, err := b.landscape(ctx, n)
		if err != nil {
			return err
		}
		tell("counting %s Shoots in three ways", thousands(l.shoots))
		t := task{Kubeconfig: l.kubeconfig, Namespace: l.Name, Want: l.shoots}
		next := []func() (task, error){always(task{Way: "nothing"})}
		for _, way := range []string{"floor", "count", "dynamic"} {
			next = append(next, func() (_ task, err error) {
				t := t
				t.Way = way
				if way == "floor" {
					t.Pages, t.Want, err = l.pages(ctx)
				}
				return t, err
			})
		}
		found, err := b.best(ctx, next...)
		if err != nil {
			return err
		}
		if n == 0 {
			b.add("The program itself", found[0])
		}
		size := thousands(l.shoots) + " Shoots"
		b.add(size+": the bytes read and dropped (the floor)", found[1])
		b.add(size+": the provider's count", found[2])
		b.add(size+": dynamic client, JSON, one page", found[3])
	}
	return nil
}

// pages asks for the tokens of all pages after the first, so that who drops the bytes need not look into them.
func (l *landscape) pages(ctx context.Context) (tokens []string, pages int, err error) {
	list := &gardencore.ShootList{}
	for pages = 1; ; pages++ {
		err := l.Garden().AdminClient().List(ctx, list, client.InNamespace(l.Name), client.Limit(pageSize), client.Continue(list.Continue))
		if err != nil || list.Continue == "" {
			return tokens, pages, err
		}
		tokens = append(tokens, list.Continue)
	}
}

// countShoots is what the provider does.
func countShoots(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	g, err := t.garden(sent)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		counts, err := g.Count(ctx)
		return counts.Total(), err
	}, nil
}

func (t task) garden(sent *traffic) (*garden.Garden, error) {
	config, err := sent.connection(t.Kubeconfig)
	if err != nil {
		return nil, err
	}
	return garden.New(config, t.Namespace, garden.DefaultLabelKeys())
}

// dynamicShoots is what the broker does.
func dynamicShoots(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	config, err := sent.connection(t.Kubeconfig)
	if err != nil {
		return nil, err
	}
	api, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	shoots := api.Resource(gardencore.SchemeGroupVersion.WithResource("shoots")).Namespace(t.Namespace)
	return func(ctx context.Context) (int, error) {
		list, err := shoots.List(ctx, metav1.ListOptions{})
		if err != nil {
			return 0, err
		}
		accounts := map[string]int{}
		for i := range list.Items {
			if name, found, err := unstructured.NestedString(list.Items[i].Object, "spec", "credentialsBindingName"); err == nil && found {
				accounts[name]++
			}
		}
		total := 0
		for _, clusters := range accounts {
			total += clusters
		}
		return total, nil
	}, nil
}

// dropShoots asks for the very pages that the provider asks for and throws them away.
func dropShoots(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	config, err := sent.connection(t.Kubeconfig)
	if err != nil {
		return nil, err
	}
	api, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	address, err := url.JoinPath(config.Host, "apis", gardencore.SchemeGroupVersion.String(), "namespaces", t.Namespace, "shoots")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		for _, token := range append([]string{""}, t.Pages...) {
			query := url.Values{"limit": {strconv.Itoa(pageSize)}}
			if token != "" {
				query.Set("continue", token)
			}
			if err := drop(ctx, api, address+"?"+query.Encode()); err != nil {
				return 0, err
			}
		}
		return 1 + len(t.Pages), nil
	}, nil
}

func drop(ctx context.Context, api *http.Client, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", runtime.ContentTypeProtobuf)
	response, err := api.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the answer is %s", response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
