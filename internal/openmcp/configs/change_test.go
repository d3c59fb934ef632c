package configs_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// overtaken has another party write at the ProviderConfig b before each of the first changes of it.
type overtaken struct {
	http.RoundTripper
	t       *testing.T
	by      []string // the merge patches of the other party, in their order
	patches int
}

func (o *overtaken) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPatch {
		if o.patches < len(o.by) {
			send(o.t, o.RoundTripper, http.MethodPatch, "gardener.clusters.openmcp.cloud/v1alpha1/providerconfigs/b", o.by[o.patches])
		}
		o.patches++
	}
	return o.RoundTripper.RoundTrip(req)
}

// The cluster provider writes at a ProviderConfig while it publishes the profile. A change that one of its writes overtakes is judged
// again, and written: it does not fail.
func TestChangeConfig_overtaken(t *testing.T) {
	t.Parallel()
	o := &overtaken{RoundTripper: apiserver.New(apiserver.OpenMCP()...), t: t, by: []string{
		`{"metadata":{"finalizers":["openmcp.cloud/gardener"]}}`, `{"metadata":{"annotations":{"theirs":"kept"}}}`,
	}}
	p, _ := overMemory(t, o)
	made := makeConfig(t, p)
	before := configs.Wanted{Name: "b", Provider: "gardener", Landscape: "l", Project: "p", Template: map[string]any{}}
	wanted := before
	wanted.Template = map[string]any{"spec": map[string]any{"region": "eu-west-1"}}
	changed, err := p.ChangeConfig(t.Context(), string(made.UID), wanted, before)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(changed.Spec.ShootTemplate); got != `{"spec":{"region":"eu-west-1"}}` || o.patches != 3 {
		t.Errorf("the template is %s after %d writes", got, o.patches)
	}
	if len(changed.Finalizers) != 1 || changed.Annotations["theirs"] != "kept" {
		t.Errorf("what the other party has written is lost: %v, %v", changed.Finalizers, changed.Annotations)
	}
}

// failing answers each request by what fails says of it, as far as that says anything, and counts the writes.
type failing struct {
	http.RoundTripper
	fails  func(method string, writes int) error
	writes int
}

func (f *failing) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		f.writes++
	}
	if err := f.fails(req.Method, f.writes); err != nil {
		return nil, err
	}
	return f.RoundTripper.RoundTrip(req)
}

// errCut is a connection that ends after a request was sent.
var errCut = errors.New("connection reset by peer")

// Where the answer to a change or a deletion is lost, and what is read after it forbids that, the error says that the outcome is unknown.
func TestChangeConfig_lostThenRefused(t *testing.T) {
	t.Parallel()
	before := configs.Wanted{Name: "b", Provider: "gardener", Landscape: "l", Project: "p", Template: map[string]any{}}
	wanted := before
	wanted.Project = "other"
	for method, write := range map[string]func(*configs.Profiles, string) error{
		http.MethodPatch: func(p *configs.Profiles, uid string) error {
			_, err := p.ChangeConfig(t.Context(), uid, wanted, before)
			return err
		},
		http.MethodDelete: func(p *configs.Profiles, uid string) error {
			return p.RemoveConfig(t.Context(), "b", uid, func(string) {})
		},
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			server := apiserver.New(apiserver.OpenMCP()...)
			f := &failing{RoundTripper: server, fails: func(string, int) error { return nil }}
			p, _ := overMemory(t, f)
			made := makeConfig(t, p)
			f.writes = 0
			f.fails = func(sent string, writes int) error {
				if sent != method || writes != 1 {
					return nil
				}
				send(t, server, http.MethodPost, "clusters.openmcp.cloud/v1alpha1/namespaces/team/clusters", `{"apiVersion":"clusters.openmcp.cloud/`+
					`v1alpha1","kind":"Cluster","metadata":{"name":"theirs","namespace":"team"},"spec":{"profile":"prod.gardener.b","tenancy":"Exclusive"}}`)
				return errCut
			}
			err := write(p, string(made.UID))
			if api.Reason(err) != kube.UnknownOutcome || !errors.As(err, new(*configs.UsedError)) || f.writes != 1 {
				t.Errorf("after %d writes: %v", f.writes, err)
			}
		})
	}
}

// Where a deletion has met a change, and the read after it fails, the error is that of the read.
func TestRemoveConfig_conflictThenUnreachable(t *testing.T) {
	t.Parallel()
	server := apiserver.New(apiserver.OpenMCP()...)
	f := &failing{RoundTripper: server, fails: func(string, int) error { return nil }}
	p, _ := overMemory(t, f)
	made := makeConfig(t, p)
	f.writes = 0
	f.fails = func(method string, writes int) error {
		switch {
		case method == http.MethodDelete && writes == 1:
			send(t, server, http.MethodPatch, "gardener.clusters.openmcp.cloud/v1alpha1/providerconfigs/b", `{"metadata":{"labels":{"a":"b"}}}`)
		case writes > 0:
			return errCut
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err := p.RemoveConfig(ctx, "b", string(made.UID), func(string) {})
	if api.Reason(err) != kube.Unreachable {
		t.Errorf("a caller takes it for %q: %v", api.Reason(err), err)
	}
}
