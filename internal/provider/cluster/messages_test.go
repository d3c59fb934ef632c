package cluster

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// A Cluster that goes with its last request is reported, and no other.
func TestWarnEnds(t *testing.T) {
	t.Parallel()
	for value, warned := range map[string]bool{"true": true, "false": false, "": false} {
		c := &api.Cluster{}
		c.Namespace, c.Name, c.Labels = "team-a", "one", map[string]string{api.DeletedWithoutRequests: value}
		var diags diag.Diagnostics
		warnEnds(&diags, c)
		if got := len(diags) == 1; got != warned || warned && !strings.Contains(diags[0].Detail(), "team-a/one") {
			t.Errorf("%q: %v", value, diags)
		}
	}
}
