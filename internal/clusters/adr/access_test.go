package adr_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

func TestDecideAccess(t *testing.T) {
	t.Parallel()
	c := shared("core", "aws", "platform")
	c.Grants = []adr.Grant{{Request: ref("team", "req"), Prefix: "team-"}}
	l := proposedLandscape(shared("beside", "aws", "platform", "x-"), c)
	to := func(namespace, name string) *clusters.Ref { r := ref(namespace, name); return &r }
	for name, test := range map[string]struct {
		access adr.AccessRequest
		status adr.AccessStatus
		reason clusters.Reason
		to     string
	}{
		"clusterRef in its namespace": {
			adr.AccessRequest{Ref: ref("clusters", "a"), Cluster: to("clusters", "core")},
			adr.AccessGranted, adr.ReasonSameNamespace, "clusters/core",
		},
		"clusterRef, the namespace defaults to its own": {
			adr.AccessRequest{Ref: ref("clusters", "a"), Cluster: to("", "core")},
			adr.AccessGranted, adr.ReasonSameNamespace, "clusters/core",
		},
		"clusterRef in another namespace": {
			adr.AccessRequest{Ref: ref("team", "a"), Cluster: to("clusters", "core")},
			adr.AccessDenied, adr.ReasonOtherNamespace, "/",
		},
		"clusterRef, no such Cluster [choice]": {
			adr.AccessRequest{Ref: ref("team", "a"), Cluster: to("", "core")},
			adr.AccessPending, adr.ReasonNoCluster, "/",
		},
		"another namespace tells nothing [choice]": {
			adr.AccessRequest{Ref: ref("team", "a"), Cluster: to("clusters", "none")},
			adr.AccessDenied, adr.ReasonOtherNamespace, "/",
		},
		"requestRef leads to its grant": {
			adr.AccessRequest{Ref: ref("team", "a"), Request: to("", "req")},
			adr.AccessGranted, adr.ReasonSameNamespace, "clusters/core",
		},
		"requestRef, the namespace of the request counts": {
			adr.AccessRequest{Ref: ref("clusters", "a"), Request: to("team", "req")},
			adr.AccessDenied, adr.ReasonOtherNamespace, "/",
		},
		"requestRef without a grant [choice]": {
			adr.AccessRequest{Ref: ref("team", "a"), Request: to("team", "later")},
			adr.AccessPending, adr.ReasonNoGrant, "/",
		},
		"requestRef with the name of a Cluster is no Cluster": {
			adr.AccessRequest{Ref: ref("clusters", "a"), Request: to("", "core")},
			adr.AccessPending, adr.ReasonNoGrant, "/",
		},
	} {
		t.Run("Which AccessRequests to Grant?/"+name, func(t *testing.T) {
			t.Parallel()
			d, err := adr.DecideAccess(test.access, l)
			if err != nil || d.Status != test.status || d.Reason != test.reason || d.Cluster.String() != test.to ||
				!strings.HasSuffix(d.Message, ".") {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	twice := proposedLandscape(c, shared("z", "aws", "platform"))
	twice.Clusters[1].Grants = c.Grants
	for name, test := range map[string]struct {
		access adr.AccessRequest
		want   string
	}{
		"neither": {adr.AccessRequest{Ref: ref("a", "a")}, "access_request: exactly one of cluster_ref and request_ref is needed"},
		"both": {
			adr.AccessRequest{Ref: ref("a", "a"), Cluster: to("", "a"), Request: to("", "a")},
			"access_request: exactly one of",
		},
		"no namespace": {adr.AccessRequest{Ref: ref("", "a"), Cluster: to("", "a")}, "access_request: the key namespace is needed"},
		"a reference to none": {
			adr.AccessRequest{Ref: ref("a", "a"), Cluster: to("a", "")},
			"access_request.cluster_ref: the key name is needed",
		},
		"a request to none": {
			adr.AccessRequest{Ref: ref("a", "a"), Request: to("a", "")},
			"access_request.request_ref: the key name is needed",
		},
		"two grants": {
			adr.AccessRequest{Ref: ref("team", "a"), Request: to("", "req")},
			"landscape.clusters: team/req holds two grants",
		},
	} {
		t.Run("The 'AccessRequest' API Type/"+name, func(t *testing.T) {
			t.Parallel()
			if _, err := adr.DecideAccess(test.access, twice); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestChoices(t *testing.T) {
	t.Parallel()
	all := adr.Choices()
	listed := 0
	for _, about := range []string{"aggregation", "traits", "versions", "scheduling", "prefixes"} {
		chosen := adr.Choices(about)
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
