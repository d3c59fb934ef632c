package configs_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// gateway loses the paths of the ProviderConfigs and the Clusters, which the server behind it has, as its own lists say.
type gateway struct {
	http.RoundTripper
	lost bool
}

func (g *gateway) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := func(code int, kind, body string) (*http.Response, error) {
		return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {kind}}, Request: req, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
	const group, other = "gardener.clusters.openmcp.cloud/v1alpha1", "clusters.openmcp.cloud/v1alpha1"
	switch {
	case g.lost && (strings.Contains(req.URL.Path, "/providerconfigs") || strings.Contains(req.URL.Path, "/clusters/")):
		return answer(http.StatusNotFound, "text/plain; charset=utf-8", "404 page not found\n")
	case req.URL.Path == "/apis/"+group:
		return answer(http.StatusOK, "application/json", `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"`+group+
			`","resources":[{"name":"providerconfigs","kind":"ProviderConfig"}]}`)
	case req.URL.Path == "/apis/"+other:
		return answer(http.StatusOK, "application/json", `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"`+other+
			`","resources":[{"name":"clusters","kind":"Cluster"}]}`)
	}
	return g.RoundTripper.RoundTrip(req)
}

// overMemory are the profiles of a server in memory, by way of a transport before it.
func overMemory(t *testing.T, transport http.RoundTripper) (*configs.Profiles, *api.Objects) {
	t.Helper()
	objects, err := api.New(&rest.Config{Host: "https://memory.invalid", Transport: transport}, "team")
	if err != nil {
		t.Fatal(err)
	}
	return configs.New(objects), objects
}

// A gateway that answers 404 does not say that there is no ProviderConfig: a Cluster that would move a live Shoot to another account is refused
// all the same, and what goes by the ProviderConfigs fails.
func TestProfiles_gatewayLosesThePath(t *testing.T) {
	t.Parallel()
	g := &gateway{RoundTripper: apiserver.New(apiserver.OpenMCP()...)}
	p, objects := overMemory(t, g)
	wanted := configs.Wanted{Name: "b", Provider: "gardener", Landscape: "l", Project: "p",
		Template: map[string]any{"spec": map[string]any{"credentialsBindingName": "account-b"}}}
	if _, _, err := p.MakeConfig(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	g.lost = true
	const profile = "prod.gardener.b"
	live := []configs.BoundShoot{{Namespace: "garden-p", Name: "blue", Bindings: configs.Bindings{Credentials: "account-a"}}}
	c := &api.Cluster{}
	c.Namespace, c.Name, c.Spec.Profile = "team", "blue", profile
	for what, ask := range map[string]func() error{
		"MayAdopt":      func() error { return p.MayAdopt(t.Context(), c.Ref(), profile, live) },
		"MayJoin":       func() error { return p.MayJoin(t.Context(), c, live[0]) },
		"ConfigBehind":  func() error { _, err := p.ConfigBehind(t.Context(), profile); return err },
		"ConfigsBehind": func() error { _, err := p.ConfigsBehind(t.Context(), []string{profile}); return err },
		"Facts":         func() error { _, err := p.Facts(t.Context()); return err },
		"a Cluster":     func() error { _, err := objects.Clusters.Get(t.Context(), c.Ref()); return err },
	} {
		err := ask()
		if api.Reason(err) != kube.Unreachable {
			t.Errorf("%s: a caller takes it for %q", what, api.Reason(err))
		}
		if !errors.As(err, new(*kube.LostPathError)) || !errors.As(err, new(*api.ServerError)) {
			t.Errorf("%s takes the gateway's 404 for an answer of the server: %v", what, err)
		}
	}
}
