package api_test

import (
	"maps"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// What begins with the operator's prefix goes on to a Cluster where that has it not, or otherwise; nothing else does, and nothing is taken
// away.
func TestCarried(t *testing.T) {
	t.Parallel()
	const prefix = "metadata.open-control-plane.io/"
	for name, c := range map[string]struct{ request, cluster, want map[string]string }{
		"nothing":            {nil, map[string]string{prefix + "a": "1"}, nil},
		"other keys":         {map[string]string{"a": "1", "open-control-plane.io/a": "1"}, nil, nil},
		"a new one":          {map[string]string{prefix + "a": "1", "b": "2"}, nil, map[string]string{prefix + "a": "1"}},
		"another value":      {map[string]string{prefix + "a": "2"}, map[string]string{prefix + "a": "1"}, map[string]string{prefix + "a": "2"}},
		"an empty value":     {map[string]string{prefix + "a": ""}, nil, map[string]string{prefix + "a": ""}},
		"it is there":        {map[string]string{prefix + "a": "1"}, map[string]string{prefix + "a": "1", prefix + "b": "2"}, nil},
		"one of two differs": {map[string]string{prefix + "a": "1", prefix + "b": "2"}, map[string]string{prefix + "a": "1"}, map[string]string{prefix + "b": "2"}},
	} {
		if got := api.Carried(c.request, c.cluster); !maps.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
