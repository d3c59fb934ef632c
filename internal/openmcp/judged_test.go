package openmcp_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// watched is openMCP with something that happens right before each of its writes.
func watched(t *testing.T, namespace string, before func(r *http.Request, body string)) *openmcp.Platform {
	t.Helper()
	config := rest.CopyConfig(testbed.Shared(t).Config())
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodGet {
				return next.RoundTrip(r)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			before(r, string(body))
			r = r.Clone(r.Context())
			r.Body = io.NopCloser(bytes.NewReader(body))
			return next.RoundTrip(r)
		})
	})
	p, err := openmcp.New(config, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each write of an object that is there bears its uid and the version that was judged, whatever the object.
func TestEachWriteBearsUIDAndVersion(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	written := map[string]int{}
	look := func(r *http.Request, body string) {
		parts := strings.Split(r.URL.Path, "/")
		of := parts[len(parts)-1]
		if r.Method != http.MethodPost {
			of = strings.Join(parts[len(parts)-2:], "/")
			if !strings.Contains(body, `"uid"`) || !strings.Contains(body, `"resourceVersion"`) {
				t.Errorf("%s %s: %s", r.Method, r.URL.Path, body)
			}
		}
		written[r.Method+" "+of]++
	}
	p := watched(t, a.namespace, look)
	ctx := within(t, operatorTime)
	config := configs.Wanted{Name: "v-" + a.namespace, Provider: "gardener", Landscape: "l", Project: "p", Template: map[string]any{}}
	made, _, err := p.Profiles.MakeConfig(ctx, config)
	changed := config
	changed.Labels = map[string]string{"a": "b"}
	if err == nil {
		_, err = p.Profiles.ChangeConfig(ctx, string(made.UID), changed, config)
	}
	if err == nil {
		err = p.Profiles.RemoveConfig(ctx, config.Name, string(made.UID), func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	w := a.reading("seen", "get")
	access, _, err := p.Access.Make(ctx, w)
	if err == nil {
		access, err = p.Access.Change(ctx, access, a.reading("seen", "list"), w)
	}
	if err == nil {
		access, err = p.Access.Renew(ctx, access)
	}
	if err == nil {
		err = p.Access.Withdraw(ctx, access.Ref(), string(access.UID), func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	bare := testbed.Shared(t).NewNamespace(t) // where no operator serves a request
	p = watched(t, bare, look)
	purpose := "own-" + bare // which no other test has: a scheduler looks at the Clusters of all namespaces
	asked := &builtin.ADRRequest{Purposes: []string{purpose}, Definitions: map[string]adr.Purpose{purpose: {}}}
	var granted [2]*api.ClusterRequest
	for i, name := range []string{"first", "second"} {
		r, _, err := p.Requests.Make(ctx, builtin.Wanted{Ref: api.Ref{Namespace: bare, Name: name}, ADR: asked})
		if err == nil {
			r, err = p.Requests.AwaitGranted(ctx, r, quiet)
		}
		if err != nil {
			t.Fatal(err)
		}
		granted[i] = r
	}
	first := granted[0]
	_, err = p.Requests.Describe(ctx, first.Ref(), string(first.UID), builtin.Wanted{Labels: map[string]string{"a": "b"}}, builtin.Wanted{})
	for _, r := range granted {
		if err == nil {
			err = p.Requests.Withdraw(ctx, r.Ref(), string(r.UID), func(string) {})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{
		"PATCH providerconfigs/" + config.Name, "DELETE providerconfigs/" + config.Name, "PATCH accessrequests/seen", "DELETE accessrequests/seen",
		"PATCH clusterrequests/first", "PATCH first/status", "DELETE clusterrequests/first", "PATCH clusters/" + first.Status.Cluster.Name,
		"DELETE clusters/" + first.Status.Cluster.Name,
	} {
		if written[of] == 0 {
			t.Errorf("there was no %s among %v", of, written)
		}
	}
}

// What another party changes between a read and the write is judged again: a request that it has controllers leave alone stays so.
func TestRenewAccess_leftAloneMeanwhile(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	made := a.granted(t, a.reading("left", "get"))
	tries := 0
	p := watched(t, a.namespace, func(*http.Request, string) {
		tries++
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+api.OperationAnnotation+`":"ignore"}}}`))
		if err := a.admin.Patch(t.Context(), testbed.New("AccessRequest", a.namespace, made.Name), patch); err != nil {
			t.Error(err)
		}
	})
	left, err := p.Access.Renew(t.Context(), made)
	if err != nil || left.Annotations[api.OperationAnnotation] != api.OperationIgnore || tries != 1 {
		t.Errorf("%v after %d tries: %v", left, tries, err)
	}
}
