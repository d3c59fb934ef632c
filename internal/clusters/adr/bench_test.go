package adr_test

import (
	crand "crypto/rand"
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// largeLandscape has 1,000 Clusters, and 10,000 grants on them or on one of them.
func largeLandscape(onOne bool) adr.Landscape {
	l := proposedLandscape()
	for i := range 1000 {
		l.Clusters = append(l.Clusters, shared(fmt.Sprintf("cluster-%04d", i), "aws", "platform workload"))
	}
	for i := range 10000 {
		c := &l.Clusters[i/10]
		if onOne {
			c = &l.Clusters[500]
			c.Purposes = []string{"onboarding"}
		}
		c.Grants = append(c.Grants, adr.Grant{Request: ref(fmt.Sprintf("team-%d", i%100), fmt.Sprintf("request-%05d", i)),
			Prefix: fmt.Sprintf("prefix-%05d-", (i*7919)%10000)})
	}
	return l
}

// BenchmarkSchedule decides on one request among 1,000 Clusters with 10,000 grants. The aim is 5 ms.
func BenchmarkSchedule(b *testing.B) {
	spread, onOne := largeLandscape(false), largeLandscape(true)
	for _, bb := range []struct {
		name      string
		request   adr.Request
		landscape adr.Landscape
		want      string
	}{
		{"shared", asked("workload", wantsPrefix("foo-"), wantsVersion("1.20")), spread, "reuse clusters/cluster-0000"},
		{"shared-full", asked("onboarding", wantsPrefix("prefix-00042-x-")), onOne, "reuse clusters/cluster-0500"},
		{"dedicated", asked("mcp"), spread, "create aws-workerless 1.20.3"},
		{"denied", asked("workload", wantsTraits(onGCP)), spread, "deny UnsupportedTrait"},
	} {
		if d := schedule(b, bb.request, bb.landscape); outcome(d) != bb.want {
			b.Fatalf("%s: %s", bb.name, outcome(d))
		}
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				schedule(b, bb.request, bb.landscape)
			}
		})
	}
}

// BenchmarkDrawPrefix draws a prefix beside 10,000 on one Cluster.
func BenchmarkDrawPrefix(b *testing.B) {
	grants := largeLandscape(true).Clusters[500].Grants
	b.ReportAllocs()
	for b.Loop() {
		if _, err := adr.DrawPrefix(crand.Reader, grants); err != nil {
			b.Fatal(err)
		}
	}
}
