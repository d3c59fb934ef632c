package configs_test

import (
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// A profile has the traits that follow from its template, and its own. Those that contradict the template are none of them, however they
// came there.
func TestShootFacts_Traits(t *testing.T) {
	t.Parallel()
	workers := configs.ShootFacts{Type: "aws", Workers: true}
	bare := configs.ShootFacts{}
	for name, test := range map[string]struct {
		of   configs.ShootFacts
		own  []string
		want []string
		by   map[string]string // what contradicts
	}{
		"none of its own": {workers, nil, []string{"infrastructure/vendor/aws", "kubernetes.io/apis/compute"}, nil},
		"its own": {workers, []string{"foo/bar/baz", "a"}, []string{"a", "foo/bar/baz", "infrastructure/vendor/aws",
			"kubernetes.io/apis/compute"}, nil},
		"what follows anyway": {workers, []string{"infrastructure/vendor/aws", "kubernetes.io/apis/compute"},
			[]string{"infrastructure/vendor/aws", "kubernetes.io/apis/compute"}, nil},
		"another vendor, and no workers": {workers, []string{"infrastructure/vendor/gcp", "cluster.openmcp.cloud/workerless"},
			[]string{"infrastructure/vendor/aws", "kubernetes.io/apis/compute"}, map[string]string{
				"infrastructure/vendor/gcp": "infrastructure/vendor/aws", "cluster.openmcp.cloud/workerless": "kubernetes.io/apis/compute",
			}},
		"workers, where there are none": {bare, []string{"kubernetes.io/apis/compute"}, []string{"cluster.openmcp.cloud/workerless"},
			map[string]string{"kubernetes.io/apis/compute": "cluster.openmcp.cloud/workerless"}},
		"a vendor, where the template has none": {bare, []string{"infrastructure/vendor/gcp"},
			[]string{"cluster.openmcp.cloud/workerless", "infrastructure/vendor/gcp"}, nil},
	} {
		test.of.Own = test.own
		if got := test.of.Traits(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		for _, own := range test.own {
			if by := test.of.Contradicted(own); by != test.by[own] {
				t.Errorf("%s: %s is contradicted by %q, want %q", name, own, by, test.by[own])
			}
		}
	}
}

// What another party has written into the annotation is taken where it names traits: a text that is none would refuse each request.
func TestOwnTraits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": nil, "null": nil, "[]": nil, "foo/bar": nil, `{"a":true}`: nil, `["b", 7]`: nil,
		`["b","a","b"]`: {"a", "b"}, `["", "a\u0000b", "c"]`: {"c"},
	} {
		c := &api.ProviderConfig{}
		c.Annotations = map[string]string{"hap-project.io/traits": text}
		if got := configs.OwnTraits(c); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
