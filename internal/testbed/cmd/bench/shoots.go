package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// The sizes of pages that the provider asks for.
const (
	pageSize         = 500
	accountsPageSize = 5000
)

// measureShoots measures the count of all Shoots of a namespace, and what it has to be compared with.
func (b *bench) measureShoots(ctx context.Context) error {
	ways := []struct{ name, what string }{
		{"floor", "the bytes read and dropped (the floor)"},
		{"count", "our count"},
		{"typed", "typed decoder, protobuf, pages of " + strconv.Itoa(pageSize)},
		{"dynamic", "dynamic client, JSON, one page"},
	}
	for n := range b.shoots {
		l, err := b.landscape(ctx, n)
		if err != nil {
			return err
		}
		tell("counting %s Shoots in %d ways", thousands(l.shoots), len(ways))
		next := []func() (task, error){always(task{Way: "nothing"})}
		for _, way := range ways {
			next = append(next, func() (t task, err error) {
				t = task{Way: way.name, Kubeconfig: l.kubeconfig, Namespace: l.Name, Want: l.shoots}
				if way.name == "floor" {
					t.Pages, err = l.shootPages(ctx)
					t.Want = len(t.Pages)
				}
				return t, err
			})
		}
		found, err := b.best(ctx, next...)
		if err != nil {
			return err
		}
		if n == 0 {
			b.add("shoots", "", "The program itself", measurement{PeakMemory: found[0].PeakMemory})
		}
		under := ""
		for i, way := range ways {
			what := thousands(l.shoots) + " Shoots: " + way.what
			b.add("shoots", under, what, found[1+i])
			if way.name == "floor" {
				under = what
			}
		}
	}
	return nil
}

// page is one request of a list.
type page struct {
	Path, Accept string
}

// shootPages are the pages of a list of all Shoots as the provider asks for them.
func (l *landscape) shootPages(ctx context.Context) ([]page, error) {
	list := &gardencore.ShootList{}
	return l.pagesOf(ctx, gardencore.SchemeGroupVersion.WithResource("shoots"), runtime.ContentTypeProtobuf, list, pageSize)
}

// accountPages are the pages of a list of all accounts, and of the bindings of the other kind beside them, as the provider asks for them.
func (l *landscape) accountPages(ctx context.Context) ([]page, error) {
	resource, list := gardensecurity.SchemeGroupVersion.WithResource("credentialsbindings"), &gardensecurity.CredentialsBindingList{}
	pages, err := l.pagesOf(ctx, resource, kube.AcceptObject, list, accountsPageSize)
	if err != nil {
		return nil, err
	}
	siblings, err := l.pagesOf(ctx, gardencore.SchemeGroupVersion.WithResource("secretbindings"), kube.AcceptObject,
		&gardencore.SecretBindingList{}, accountsPageSize)
	return append(pages, siblings...), err
}

// pagesOf reads a list for the tokens of its pages, so that who drops the bytes need not read them.
func (l *landscape) pagesOf(
	ctx context.Context, of schema.GroupVersionResource, accept string, list client.ObjectList, limit int64,
) (pages []page, err error) {
	for {
		query := url.Values{"limit": {strconv.FormatInt(limit, 10)}}
		if token := list.GetContinue(); token != "" {
			query.Set("continue", token)
		}
		path := fmt.Sprintf("apis/%s/%s/namespaces/%s/%s?%s", of.Group, of.Version, l.Name, of.Resource, query.Encode())
		pages = append(pages, page{path, accept})
		err := l.Garden().AdminClient().List(ctx, list, client.InNamespace(l.Name), client.Limit(limit), client.Continue(list.GetContinue()))
		if err != nil || list.GetContinue() == "" {
			return pages, err
		}
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
		return sum(accounts), nil
	}, nil
}

// typedShoots reads the pages that the provider reads with the decoder that comes with the types.
func typedShoots(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	config, err := sent.connection(t.Kubeconfig)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := gardencore.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config.APIPath, config.GroupVersion = "/apis", &gardencore.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.AcceptContentTypes, config.ContentType = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf
	api, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		accounts, options := map[string]int{}, metav1.ListOptions{Limit: pageSize}
		for {
			list := &gardencore.ShootList{}
			err := api.Get().Namespace(t.Namespace).Resource("shoots").
				SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned).Do(ctx).Into(list)
			if err != nil {
				return 0, err
			}
			for i := range list.Items {
				if name := list.Items[i].Spec.CredentialsBindingName; name != nil {
					accounts[*name]++
				}
			}
			if options.Continue = list.Continue; list.Continue == "" {
				return sum(accounts), nil
			}
		}
	}, nil
}

func sum(accounts map[string]int) (total int) {
	for _, clusters := range accounts {
		total += clusters
	}
	return total
}

// dropPages asks for the same pages as the provider and throws them away.
func dropPages(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	config, err := sent.connection(t.Kubeconfig)
	if err != nil {
		return nil, err
	}
	api, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		for _, p := range t.Pages {
			if err := drop(ctx, api, strings.TrimSuffix(config.Host, "/")+"/"+p.Path, p.Accept); err != nil {
				return 0, err
			}
		}
		return len(t.Pages), nil
	}, nil
}

func drop(ctx context.Context, api *http.Client, address, accept string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", accept)
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
