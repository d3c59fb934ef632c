package openmcp_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A run that was cut short finds the ProviderConfig that it has made. Another configuration of the name is another party's.
func TestMakeConfigFindsItsOwn(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	cluster := testbed.Shared(t)
	namespace := cluster.NewNamespace(t)
	p, err := openmcp.New(cluster.Config(), namespace)
	if err != nil {
		t.Fatal(err)
	}
	w := configs.Wanted{Name: "own-" + namespace, Provider: "gardener", Landscape: "canary", Project: "p",
		Template: map[string]any{"spec": map[string]any{"region": "a"}}}
	made, found, err := p.Profiles.MakeConfig(t.Context(), w)
	if err != nil || found {
		t.Fatalf("%v, found %t", err, found)
	}
	again, found, err := p.Profiles.MakeConfig(t.Context(), w)
	if err != nil || !found || again.UID != made.UID {
		t.Errorf("again: %v, found %t", err, found)
	}
	w.Project = "other"
	if _, _, err := p.Profiles.MakeConfig(t.Context(), w); !errors.As(err, new(*api.ExistsError)) {
		t.Errorf("another configuration: %v", err)
	}
	if _, err := p.Profiles.ChangeConfig(t.Context(), "another-uid", w, w); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("another object: %v", err)
	}
	if err := p.Profiles.RemoveConfig(t.Context(), w.Name, "another-uid", func(string) {}); err != nil {
		t.Errorf("removing another object: %v", err)
	}
	if live, err := p.Objects.Configs.Read(t.Context(), api.Ref{Name: w.Name}); err != nil || live.UID != made.UID {
		t.Errorf("it is gone: %v", err)
	}
	if err := p.Profiles.RemoveConfig(t.Context(), w.Name, string(made.UID), func(string) {}); err != nil {
		t.Error(err)
	}
	if _, err := p.Objects.Configs.Read(t.Context(), api.Ref{Name: w.Name}); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("it is there: %v", err)
	}
}

// A deletion whose answer is lost is sent again, and one of what is gone meanwhile is done.
func TestRemoveConfig_lostAnswer(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	cluster := testbed.Shared(t)
	namespace := cluster.NewNamespace(t)
	for name, before := range map[string]bool{"lost": false, "gone": true} {
		config, lost := rest.CopyConfig(cluster.Config()), false
		config.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(request *http.Request) (*http.Response, error) {
				if request.Method != http.MethodDelete || lost {
					return next.RoundTrip(request)
				}
				lost = true
				again := request.Clone(request.Context())
				if before { // another party deletes it first
					again.Body, again.ContentLength = nil, 0
				}
				answer, err := next.RoundTrip(again)
				if err != nil {
					return nil, err
				}
				_ = answer.Body.Close()
				if before {
					return next.RoundTrip(request)
				}
				return nil, io.ErrUnexpectedEOF
			})
		})
		p, err := openmcp.New(config, namespace)
		if err != nil {
			t.Fatal(err)
		}
		w := configs.Wanted{Name: name + "-" + namespace, Provider: "gardener", Landscape: "canary", Project: "p",
			Template: map[string]any{"spec": map[string]any{"region": "a"}}}
		made, _, err := p.Profiles.MakeConfig(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Profiles.RemoveConfig(t.Context(), w.Name, string(made.UID), func(string) {}); err != nil || !lost {
			t.Errorf("%s: %v, deleted: %t", name, err, lost)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
