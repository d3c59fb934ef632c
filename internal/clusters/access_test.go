package clusters_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

func TestDecideAccess(t *testing.T) {
	t.Parallel()
	c := shared("core", "aws", "platform")
	c.Grants = []clusters.Grant{{Request: ref("team", "req"), Prefix: "team-"}}
	l := seedLandscape(shared("beside", "aws", "platform", "x-"), c)
	to := func(namespace, name string) *clusters.Ref { r := ref(namespace, name); return &r }
	for name, test := range map[string]struct {
		access clusters.AccessRequest
		status clusters.AccessStatus
		reason clusters.Reason
		to     string
	}{
		"clusterRef in its namespace": {
			clusters.AccessRequest{Ref: ref("clusters", "a"), Cluster: to("clusters", "core")},
			clusters.AccessGranted, clusters.ReasonSameNamespace, "clusters/core",
		},
		"clusterRef, the namespace defaults to its own": {
			clusters.AccessRequest{Ref: ref("clusters", "a"), Cluster: to("", "core")},
			clusters.AccessGranted, clusters.ReasonSameNamespace, "clusters/core",
		},
		"clusterRef in another namespace": {
			clusters.AccessRequest{Ref: ref("team", "a"), Cluster: to("clusters", "core")},
			clusters.AccessDenied, clusters.ReasonOtherNamespace, "/",
		},
		"clusterRef, no such Cluster [choice]": {
			clusters.AccessRequest{Ref: ref("team", "a"), Cluster: to("", "core")},
			clusters.AccessPending, clusters.ReasonNoCluster, "/",
		},
		"another namespace tells nothing [choice]": {
			clusters.AccessRequest{Ref: ref("team", "a"), Cluster: to("clusters", "none")},
			clusters.AccessDenied, clusters.ReasonOtherNamespace, "/",
		},
		"requestRef leads to its grant": {
			clusters.AccessRequest{Ref: ref("team", "a"), Request: to("", "req")},
			clusters.AccessGranted, clusters.ReasonSameNamespace, "clusters/core",
		},
		"requestRef, the namespace of the request counts": {
			clusters.AccessRequest{Ref: ref("clusters", "a"), Request: to("team", "req")},
			clusters.AccessDenied, clusters.ReasonOtherNamespace, "/",
		},
		"requestRef without a grant [choice]": {
			clusters.AccessRequest{Ref: ref("team", "a"), Request: to("team", "later")},
			clusters.AccessPending, clusters.ReasonNoGrant, "/",
		},
		"requestRef with the name of a Cluster is no Cluster": {
			clusters.AccessRequest{Ref: ref("clusters", "a"), Request: to("", "core")},
			clusters.AccessPending, clusters.ReasonNoGrant, "/",
		},
	} {
		t.Run("Which AccessRequests to Grant?/"+name, func(t *testing.T) {
			t.Parallel()
			d, err := clusters.DecideAccess(test.access, l)
			if err != nil || d.Status != test.status || d.Reason != test.reason || d.Cluster.String() != test.to || !strings.HasSuffix(d.Message, ".") {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	twice := seedLandscape(c, shared("z", "aws", "platform"))
	twice.Clusters[1].Grants = c.Grants
	for name, test := range map[string]struct {
		access clusters.AccessRequest
		want   string
	}{
		"neither":             {clusters.AccessRequest{Ref: ref("a", "a")}, "access_request: exactly one of cluster_ref and request_ref is needed"},
		"both":                {clusters.AccessRequest{Ref: ref("a", "a"), Cluster: to("", "a"), Request: to("", "a")}, "access_request: exactly one of"},
		"no namespace":        {clusters.AccessRequest{Ref: ref("", "a"), Cluster: to("", "a")}, "access_request: the key namespace is needed"},
		"a reference to none": {clusters.AccessRequest{Ref: ref("a", "a"), Cluster: to("a", "")}, "access_request.cluster_ref: the key name is needed"},
		"a request to none":   {clusters.AccessRequest{Ref: ref("a", "a"), Request: to("a", "")}, "access_request.request_ref: the key name is needed"},
		"two grants":          {clusters.AccessRequest{Ref: ref("team", "a"), Request: to("", "req")}, "landscape.clusters: team/req holds two grants"},
	} {
		t.Run("The 'AccessRequest' API Type/"+name, func(t *testing.T) {
			t.Parallel()
			if _, err := clusters.DecideAccess(test.access, twice); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestSeedChoices(t *testing.T) {
	t.Parallel()
	all := clusters.SeedChoices()
	listed := 0
	for _, about := range []string{"aggregation", "traits", "versions", "scheduling", "prefixes"} {
		chosen := clusters.SeedChoices(about)
		if listed += len(chosen); len(chosen) == 0 {
			t.Errorf("no choice about %s", about)
		}
		for _, c := range chosen {
			if c.About != about || !strings.HasSuffix(c.Text, ".") {
				t.Errorf("%+v", c)
			}
		}
	}
	if listed != len(all) {
		t.Errorf("%d choices, %d of them under a subject", len(all), listed)
	}
}
