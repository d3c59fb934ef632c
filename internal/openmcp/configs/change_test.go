package configs_test

import (
	"net/http"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// overtaken has another party write at a ProviderConfig before each of the first changes of it.
type overtaken struct {
	http.RoundTripper
	t       *testing.T
	by      []string // merge patches of the other party; the key of each says of which resource
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

// The cluster provider writes at a ProviderConfig while it publishes the profile. A change that one of its writes overtakes is judged again,
// and written: it does not fail.
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
