package clusters_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
)

// Requests were granted a Cluster for its purposes and its tenancy: neither is taken from them. What no request holds changes freely, and what
// another party has added stays.
func TestRefusalOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		holders        int
		tenancy        string // of the live one
		live           []string
		before, wanted []string
		to             string
		want           string // the attribute that is refused
	}{
		"nothing changes":                  {2, "Shared", []string{"a"}, []string{"a"}, []string{"a"}, "Shared", ""},
		"a purpose more":                   {2, "Shared", []string{"a"}, []string{"a"}, []string{"a", "b"}, "Shared", ""},
		"a purpose less":                   {1, "Shared", []string{"a", "b"}, []string{"a", "b"}, []string{"a"}, "Shared", "purposes"},
		"no purposes any more":             {1, "Shared", []string{"a"}, []string{"a"}, nil, "Shared", "purposes"},
		"a purpose less, held by none":     {0, "Shared", []string{"a", "b"}, []string{"a", "b"}, []string{"a"}, "Shared", ""},
		"a purpose that others have added": {1, "Shared", []string{"a", "b"}, []string{"a"}, []string{"a"}, "Shared", ""},
		"exclusive for two":                {2, "Shared", []string{"a"}, []string{"a"}, []string{"a"}, "Exclusive", "tenancy"},
		"exclusive for one":                {1, "Shared", []string{"a"}, []string{"a"}, []string{"a"}, "Exclusive", ""},
		"exclusive already":                {2, "Exclusive", []string{"a"}, []string{"a"}, []string{"a"}, "Exclusive", ""},
		"shared":                           {1, "Exclusive", []string{"a"}, []string{"a"}, []string{"a"}, "Shared", ""},
	} {
		live := &api.Cluster{Spec: api.ClusterSpec{Tenancy: test.tenancy, Purposes: test.live}}
		for i := range test.holders {
			live.Finalizers = append(live.Finalizers, fmt.Sprintf("request.clusters.openmcp.cloud/u%d", i))
		}
		refusal := clusters.RefusalOf(live, clusters.Wanted{Tenancy: test.to, Purposes: test.wanted},
			clusters.Wanted{Purposes: test.before})
		switch {
		case refusal == nil && test.want != "", refusal != nil && refusal.Attribute != test.want:
			t.Errorf("%s: refused %+v, want %q", name, refusal, test.want)
		case refusal != nil && !strings.Contains(refusal.Error(), "u0"):
			t.Errorf("%s: the error does not name who holds it: %v", name, refusal)
		}
	}
}
