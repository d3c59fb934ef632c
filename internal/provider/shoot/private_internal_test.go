package shoot

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// The Cluster of a Shoot is the one that its labels name. A state of a release that noted no labels has that of the configuration.
func TestPlace_clusterOf(t *testing.T) {
	t.Parallel()
	named := shootModel{ClusterRef: types.ObjectValueMust(clusterRefTypes, map[string]attr.Value{
		"namespace": types.StringValue("ns"), "name": types.StringValue("a"),
	})}
	for name, test := range map[string]struct {
		noted *api.Ref
		want  api.Ref
	}{
		"nothing noted":    {nil, api.Ref{Namespace: "ns", Name: "a"}},
		"labels are gone":  {&api.Ref{}, api.Ref{}},
		"of another party": {&api.Ref{Namespace: "ns", Name: "b"}, api.Ref{Namespace: "ns", Name: "b"}},
	} {
		if is := (place{Cluster: test.noted}).clusterOf(named); is != test.want {
			t.Errorf("%s: the Cluster is %v", name, is)
		}
	}
}
