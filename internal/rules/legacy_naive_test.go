package rules_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// legacySpec is an element of a legacy property as the tests know it, independent of the code under test: "*" is every
// plan, the empty region every region, the property its number in rules.Legacy.
type legacySpec struct {
	plan, region string
	property     int
}

// legacySpecs are the four properties in the order of rules.Legacy.
type legacySpecs [4][]legacySpec

// The plans and regions of generated legacy sets. The first two regions are the default ones of EU access.
var (
	legacyPlans   = only(rules.Plans{"gcp": {"gcp"}, "sap-converged-cloud": {"openstack"}, "trial": {"aws", "azure"}})
	legacyRegions = []string{"cf-eu11", "cf-ch20", "cf-sa30", "eu", "x-1"}
)

// randomLegacy makes random properties; about every third region appears.
func randomLegacy(r *rand.Rand) legacySpecs {
	regions := slices.Clone(legacyRegions)
	r.Shuffle(len(regions), func(i, j int) { regions[i], regions[j] = regions[j], regions[i] })
	regions = regions[:1+r.IntN(3)]
	var s legacySpecs
	for property := range s {
		for range pick(r, 0, 0, 1, 1, 2, 3) {
			e := legacySpec{pick(r, "gcp", "gcp", "sap-converged-cloud", "trial", "*"), pick(r, append(regions, "", "")...), property}
			if e.plan == "*" && e.region == "" {
				e.region = regions[0]
			}
			s[property] = append(s[property], e)
		}
	}
	if r.IntN(4) == 0 { // EU access as a property of the platform region
		for _, region := range legacyRegions[:2] {
			s[3] = append(s[3], legacySpec{pick(r, "*", "gcp"), region, 3})
		}
	}
	return s
}

// text writes an element, with random blanks and forms; r is nil for the plainest text.
func (e legacySpec) text(r *rand.Rand) string {
	one := func(values ...string) string {
		if r == nil {
			return values[0]
		}
		return pick(r, values...)
	}
	if e.plan == "sap-converged-cloud" {
		e.plan = one("sap-converged-cloud", "openstack")
	}
	if e.region == "" {
		return e.plan + one("", ":*", " : * ")
	}
	return e.plan + one(":", " : ") + e.region
}

// legacyFields are the names of the properties.
var legacyFields = []string{"platform_region_rule", "cluster_region_rule", "shared_rule", "eu_access_rule"}

// legacy writes the properties; r is nil for the plainest text.
func (s legacySpecs) legacy(r *rand.Rand) rules.Legacy {
	var texts [4]string
	for property, elements := range s {
		var all []string
		for _, e := range elements {
			all = append(all, e.text(r))
		}
		texts[property] = strings.Join(all, ";")
		if r != nil {
			texts[property] = strings.Join(all, pick(r, ";", " ; "))
		}
	}
	return rules.Legacy{PlatformRegionRule: texts[0], ClusterRegionRule: texts[1], SharedRule: texts[2], EUAccessRule: texts[3]}
}

// applies reports whether a property applies to a request, in the words of ADR 003.
func (s legacySpecs) applies(property int, r rules.Request) bool {
	return slices.ContainsFunc(s[property], func(e legacySpec) bool {
		return (e.plan == "*" || e.plan == r.Plan) &&
			(e.region == "" || e.region == r.PlatformRegion || e.region == r.HyperscalerRegion)
	})
}

// target returns the pool in the form of pool.Target.String, or "error" if the request lacks a region or a hyperscaler.
func (s legacySpecs) target(r rules.Request) string {
	t := r.Hyperscaler
	if runsOn := legacyPlans[r.Plan]; t == "" && len(runsOn) == 1 {
		t = runsOn[0]
	} else if !slices.Contains(runsOn, t) {
		return "error"
	}
	for property, region := range []string{r.PlatformRegion, r.HyperscalerRegion} {
		if !s.applies(property, r) {
			continue
		}
		if region == "" {
			return "error"
		}
		t += "_" + region
	}
	if s.applies(2, r) {
		t += ",shared"
	}
	if s.applies(3, r) {
		t += ",euAccess"
	}
	return t
}

// legacyRequests returns every request that can make a difference for generated legacy sets.
func legacyRequests() []rules.Request {
	yes, no := true, false
	var all []rules.Request
	for _, plan := range []string{"gcp", "sap-converged-cloud", "trial"} {
		for _, hyperscaler := range []string{"", "aws", "azure", "gcp"} {
			for _, platform := range append([]string{"", "fresh", "cf-fresh"}, legacyRegions...) {
				for _, region := range append([]string{"", "fresh"}, legacyRegions...) {
					for _, access := range []*bool{nil, &yes, &no} {
						all = append(all, rules.Request{Plan: plan, Hyperscaler: hyperscaler,
							PlatformRegion: platform, HyperscalerRegion: region, EUAccess: access})
					}
				}
			}
		}
	}
	return all
}

// answer returns the pool that a set has for a request, or "error".
func answer(set *rules.Set, r rules.Request) string {
	m, err := set.Match(r)
	if err != nil {
		return "error"
	}
	return m.Target().String()
}

// errorField returns the part of the request that is at fault, or nothing if there is an answer.
func errorField(set *rules.Set, r rules.Request) string {
	_, err := set.Match(r)
	var failed *rules.RequestError
	if errors.As(err, &failed) {
		return failed.Field
	}
	return ""
}

// generateLegacy calls check for random legacy sets. The random seed of a failing set is printed.
func generateLegacy(t *testing.T, sets int, check func(t *testing.T, s legacySpecs, l rules.Legacy)) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range sets {
		s := randomLegacy(r)
		check(t, s, s.legacy(r))
		if t.Failed() {
			t.FailNow()
		}
	}
}
