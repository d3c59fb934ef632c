package adr_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// The traits of the proposal's examples.
const (
	workerless = "cluster.openmcp.cloud/workerless"
	nodeless   = "foo.bar.baz/nodeless"
	compute    = "kubernetes.io/apis/compute"
	onAWS      = "infrastructure/vendor/aws"
	onGCP      = "infrastructure/vendor/gcp"
)

func ref(namespace, name string) clusters.Ref { return clusters.Ref{Namespace: namespace, Name: name} }

// asked is a request of the tenant bar/foo, as in the proposal's examples.
func asked(purposes string, change ...func(*adr.Request)) adr.Request {
	r := adr.Request{Ref: ref("bar", "foo"), Purposes: strings.Fields(purposes)}
	for _, c := range change {
		c(&r)
	}
	return r
}

func wantsDedicated(dedicated bool) func(*adr.Request) {
	return func(r *adr.Request) { r.Dedicated = &dedicated }
}

func wantsVersion(version string) func(*adr.Request) {
	return func(r *adr.Request) { r.KubernetesVersion = version }
}

func wantsPrefix(prefix string) func(*adr.Request) {
	return func(r *adr.Request) { r.Prefix = prefix }
}

func wantsTraits(text ...string) func(*adr.Request) {
	return func(r *adr.Request) { r.Traits = traits(text...) }
}

// traits reads traits: "a" is required, "a?" optional, "!a" negated, "a|b" any of the two, "a&b" both, "a^b" exactly one.
func traits(text ...string) []adr.Trait {
	all := make([]adr.Trait, len(text))
	for i, t := range text {
		t, all[i].Optional = strings.CutSuffix(t, "?")
		t, all[i].Negated = strings.CutPrefix(t, "!")
		switch {
		case strings.Contains(t, "|"):
			all[i].AnyOf = strings.Split(t, "|")
		case strings.Contains(t, "&"):
			all[i].AllOf = strings.Split(t, "&")
		case strings.Contains(t, "^"):
			all[i].OneOf = strings.Split(t, "^")
		default:
			all[i].Name = t
		}
	}
	return all
}

// written writes aggregated traits as traits reads them.
func written(all []adr.AggregatedTrait) string {
	texts := make([]string, len(all))
	for i, t := range all {
		texts[i] = strings.Join(t.Names, map[adr.Operator]string{adr.Or: "|", adr.And: "&", adr.Xor: "^"}[t.Op])
		if t.Negated {
			texts[i] = "!" + texts[i]
		}
		if t.Optional {
			texts[i] += "?"
		}
	}
	return strings.Join(texts, " ")
}

// versions reads versions; a deprecated one ends in "†".
func versions(text string) (all []adr.Version) {
	for _, v := range strings.Fields(text) {
		v, deprecated := strings.CutSuffix(v, "†")
		all = append(all, adr.Version{Version: v, Deprecated: deprecated})
	}
	return all
}

// proposedVersions are those of both profiles of the proposal's ClusterProvider.
const proposedVersions = "1.19.1† 1.19.2† 1.20.0 1.20.1 1.20.3"

func profile(name, versionTexts string, has ...string) adr.Profile {
	return adr.Profile{Name: name, Provider: "gardener", Traits: has, Versions: versions(versionTexts)}
}

// proposedProfiles are the profiles of the proposal's ClusterProvider.
func proposedProfiles() []adr.Profile {
	return []adr.Profile{
		profile("aws", proposedVersions, onAWS, compute), profile("aws-workerless", proposedVersions, onAWS, workerless),
	}
}

// fourPurposes are the four purposes of the landscape, with the implicit properties that the proposal lists.
func fourPurposes() map[string]adr.Purpose {
	return map[string]adr.Purpose{
		"platform":   {},
		"onboarding": {Traits: traits(workerless + "?")},
		"workload":   {Traits: traits(compute)},
		"mcp":        {Dedicated: true, Traits: traits(workerless + "?")},
	}
}

// proposedLandscape has the profiles and purposes of the proposal, and these Clusters.
func proposedLandscape(existing ...adr.Cluster) adr.Landscape {
	return adr.Landscape{Purposes: fourPurposes(), Profiles: proposedProfiles(), Clusters: existing}
}

// shared is a shared Cluster in the namespace clusters; each prefix is one grant.
func shared(name, fromProfile, purposes string, prefixes ...string) adr.Cluster {
	c := adr.Cluster{Ref: ref("clusters", name), Profile: fromProfile, Version: "1.20.3", Purposes: strings.Fields(purposes)}
	for i, p := range prefixes {
		c.Grants = append(c.Grants, adr.Grant{Request: ref("tenant-"+name, fmt.Sprintf("r%d", i)), Prefix: p})
	}
	return c
}

func dedicated(c adr.Cluster) adr.Cluster {
	c.Dedicated = true
	return c
}

func atVersion(c adr.Cluster, version string) adr.Cluster {
	c.Version = version
	return c
}

// schedule runs the engine where no error is expected.
func schedule(t testing.TB, r adr.Request, l adr.Landscape) adr.Decision {
	t.Helper()
	d, err := adr.Schedule(r, l)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return d
}

// outcome writes what a decision comes to: "reuse clusters/a", "create aws 1.20.3", "deny UnknownPurpose".
func outcome(d adr.Decision) string {
	switch d.Action {
	case clusters.Reuse:
		return "reuse " + d.Cluster.String()
	case clusters.Create:
		return "create " + d.Profile + " " + d.Version
	}
	return "deny " + string(d.Reason)
}

// candidate returns what is said of a candidate.
func candidate(d adr.Decision, name string) string {
	for _, c := range d.Candidates {
		if c.Ref.Name == name {
			return c.Reason
		}
	}
	return ""
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not say %q", text, p)
		}
	}
}

// random is a generator with the random seed HAP_SEED, or a new one; the log says which.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	n, err := strconv.ParseUint(os.Getenv("HAP_SEED"), 10, 64)
	if err != nil {
		n = rand.Uint64()
	}
	t.Logf("HAP_SEED=%d", n)
	return rand.New(rand.NewPCG(n, 0))
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// some returns n elements at most, in any order, each once.
func some[T any](r *rand.Rand, n int, from ...T) []T {
	shuffled := slices.Clone(from)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled[:r.IntN(min(n, len(from))+1)]
}
