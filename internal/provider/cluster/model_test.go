package cluster

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

func live() *api.Cluster {
	c := &api.Cluster{
		Spec: api.ClusterSpec{
			Profile: "p", Tenancy: "Shared", Purposes: []string{"b", "theirs", "b"}, Kubernetes: api.Kubernetes{Version: "1.33"},
			ClusterConfigs: []api.Ref{{Name: "small"}},
		},
		Status: api.ClusterStatus{
			Status: api.Status{Phase: "Ready"}, Endpoints: []api.Endpoint{{Name: "external", URL: "https://api"}},
		},
	}
	c.Labels = map[string]string{"theirs": "x", api.VersionLabel: "1.33.4"}
	return c
}

func set(texts ...string) types.Set {
	return types.SetValueMust(types.StringType, tfvalue.TextList(texts).Elements())
}

// A refresh shows what of the configuration is on the Cluster, and nothing that it does not name; an import shows the whole spec.
func TestRefreshed(t *testing.T) {
	t.Parallel()
	none := clusterModel{
		Purposes: types.SetNull(types.StringType), ConfigRefs: types.ListNull(types.StringType), Version: types.StringNull(),
		Labels: types.MapNull(types.StringType), Annotations: types.MapNull(types.StringType),
	}
	named := none
	named.Purposes, named.Version, named.ConfigRefs = set("a", "b"), types.StringValue("1.32"), tfvalue.TextList([]string{"large"})
	named.Labels = tfvalue.TextMap(map[string]string{"stage": "dev"})
	for name, test := range map[string]struct {
		got, want attr.Value
	}{
		"purposes that are not named":      {none.refreshed(live()).Purposes, types.SetNull(types.StringType)},
		"a version that is not named":      {none.refreshed(live()).Version, types.StringNull()},
		"configurations, not named":        {none.refreshed(live()).ConfigRefs, types.ListNull(types.StringType)},
		"labels that are not named":        {none.refreshed(live()).Labels, types.MapNull(types.StringType)},
		"the tenancy":                      {none.refreshed(live()).Tenancy, types.StringValue("Shared")},
		"a purpose that is lost":           {named.refreshed(live()).Purposes, set("b")},
		"another version":                  {named.refreshed(live()).Version, types.StringValue("1.33")},
		"other configurations":             {named.refreshed(live()).ConfigRefs, tfvalue.TextList([]string{"small"})},
		"a label that is lost":             {named.refreshed(live()).Labels, tfvalue.TextMap(nil)},
		"purposes of an import":            {none.imported(live()).Purposes, set("b", "theirs")},
		"no purposes of an import":         {none.imported(&api.Cluster{}).Purposes, types.SetNull(types.StringType)},
		"no version of an import":          {none.imported(&api.Cluster{}).Version, types.StringNull()},
		"the endpoints":                    {none.seen(live()).Endpoints, tfvalue.TextMap(map[string]string{"external": "https://api"})},
		"the version that runs":            {none.seen(live()).RunningVersion, types.StringValue("1.33.4")},
		"a phase that is not known":        {none.seen(&api.Cluster{}).Phase, types.StringNull()},
		"endpoints that an update keeps":   {none.seen(live()).awaiting(true).Endpoints, none.seen(live()).Endpoints},
		"a version that an update changes": {none.seen(live()).awaiting(true).RunningVersion, types.StringUnknown()},
		"a version that an update keeps":   {none.seen(live()).awaiting(false).RunningVersion, types.StringValue("1.33.4")},
		"endpoints that are to come":       {none.seen(&api.Cluster{}).awaiting(false).Endpoints, types.MapUnknown(types.StringType)},
	} {
		if !test.got.Equal(test.want) {
			t.Errorf("%s: %s, want %s", name, test.got, test.want)
		}
	}
}
