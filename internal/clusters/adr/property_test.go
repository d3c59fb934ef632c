package adr_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// The alphabets of random worlds are small, so that things meet.
var (
	worldTraits   = []string{"a", "b", "c", "d", "e"}
	worldPurposes = []string{"platform", "onboarding", "workload", "mcp"}
	worldVersions = []string{"1.3.1", "1.19.1", "1.19.2", "1.20.1", "1.20.10", "1.20.9", "1.30.0"}
	worldAsked    = []string{"", "", "", "1", "1.3", "1.19", "1.20", "1.20.1", "1.19.1", "1.30.0", "2"}
	worldPrefixes = []string{"", "foo", "foo-", "foo-bar-", "foob-", "fo", "bar-", "bar-x-", "team"}
)

func worldTrait(r *rand.Rand, anyOf bool) adr.Trait {
	t := adr.Trait{Name: pick(r, worldTraits...), Optional: r.IntN(2) == 0, Negated: r.IntN(4) == 0}
	if anyOf && r.IntN(4) == 0 {
		t.Name, t.AnyOf = "", []string{pick(r, worldTraits...), pick(r, worldTraits...)}
	}
	return t
}

// worldRequest is a request that may come to the landscape.
func worldRequest(r *rand.Rand) adr.Request {
	q := adr.Request{
		Ref: ref("t", fmt.Sprintf("r%d", r.IntN(30))), Purposes: append(some(r, 2, worldPurposes...), pick(r, worldPurposes...)),
		KubernetesVersion: pick(r, worldAsked...), Prefix: pick(r, worldPrefixes...),
	}
	if r.IntN(6) == 0 {
		q.Purposes = append(q.Purposes, "unknown")
	}
	if r.IntN(4) == 0 {
		own := r.IntN(2) == 0
		q.Dedicated = &own
	}
	for range r.IntN(3) {
		q.Traits = append(q.Traits, worldTrait(r, true))
	}
	return q
}

// world is a landscape of any kind; its grants may contradict each other.
func world(r *rand.Rand) adr.Landscape {
	l := adr.Landscape{Purposes: map[string]adr.Purpose{}}
	for _, name := range worldPurposes {
		p := adr.Purpose{Dedicated: r.IntN(5) == 0}
		if !p.Dedicated && r.IntN(3) == 0 {
			p.TenancyCount = 1 + r.IntN(3)
		}
		for range r.IntN(3) {
			p.Traits = append(p.Traits, worldTrait(r, false))
		}
		l.Purposes[name] = p
	}
	for i := range r.IntN(5) {
		p := adr.Profile{Name: fmt.Sprintf("p%d", i), Traits: some(r, 4, worldTraits...)}
		for _, v := range some(r, 4, worldVersions...) {
			p.Versions = append(p.Versions, adr.Version{Version: v, Deprecated: r.IntN(3) == 0})
		}
		l.Profiles = append(l.Profiles, p)
	}
	grants := 0
	for i := range r.IntN(6) {
		c := adr.Cluster{
			Ref: ref(pick(r, "x", "y"), fmt.Sprintf("c%d", i)), Profile: fmt.Sprintf("p%d", r.IntN(4)), Version: pick(r, worldVersions...),
			Purposes: some(r, 4, append(worldPurposes, worldPurposes...)...), Dedicated: r.IntN(5) == 0,
		}
		for range r.IntN(4) {
			c.Grants = append(c.Grants, adr.Grant{Request: ref("t", fmt.Sprintf("r%d", 20+grants)), Prefix: pick(r, worldPrefixes[1:]...),
				Left: r.IntN(4) == 0})
			grants++
		}
		if r.IntN(12) == 0 {
			c.Grants = append(c.Grants, adr.Grant{Request: ref("t", fmt.Sprintf("r%d", r.IntN(30)))})
		}
		l.Clusters = append(l.Clusters, c)
	}
	for range r.IntN(3) {
		l.Equivalences = append(l.Equivalences, some(r, 2, worldTraits...))
	}
	return l
}

// Every decision is the one of the plain model, keeps what is required, and its denial is true.
func TestDecisionsAgreeWithTheText(t *testing.T) {
	t.Parallel()
	r := random(t)
	seen := map[string]int{}
	for range 8000 {
		q, l := worldRequest(r), world(r)
		d, err := adr.Schedule(q, l)
		if got, want := decided(d, err), naiveSchedule(q, l); got != want {
			t.Fatalf("%+v\n%+v\ngot  %s (%s %v)\nwant %s", q, l, got, d.Message, err, want)
		}
		if err != nil {
			seen["error"]++
			continue
		}
		seen[string(d.Reason)]++
		seen[string(d.PrefixRule.Kind)]++
		checkCandidates(t, d, l)
		checkRequired(t, q, l, d)
		checkDenial(t, l, d)
		if t.Failed() {
			t.Fatalf("%+v\n%+v\n%+v", q, l, d)
		}
	}
	for _, what := range []string{
		"error", "AlreadyGranted", "SharedClusterFits", "NewCluster", "UnknownPurpose", "NoProfile", "UnsupportedTrait",
		"UnsupportedVersion", "NoProfileMeetsAll", "empty", "proposed", "random", "kept",
	} {
		if seen[what] < 20 {
			t.Errorf("%d decisions with %s, too few to prove anything", seen[what], what)
		}
	}
}

// checkRequired checks that a new decision never violates a required trait.
func checkRequired(t *testing.T, q adr.Request, l adr.Landscape, d adr.Decision) {
	t.Helper()
	if d.Action == clusters.Deny || d.Reason == clusters.ReasonGranted {
		return
	}
	p := l.Profiles[slices.IndexFunc(l.Profiles, func(p adr.Profile) bool { return p.Name == d.Profile })]
	wanted, _ := naiveTraits(q, l)
	if _, violated := naiveJudge(wanted, p.Traits); violated {
		t.Errorf("%s violates a required trait", outcome(d))
	}
}

// checkDenial checks that no profile meets what a denial names, and that it names no more than needed.
func checkDenial(t *testing.T, l adr.Landscape, d adr.Decision) {
	t.Helper()
	meets := func(requirements ...adr.Requirement) bool {
		return slices.ContainsFunc(l.Profiles, func(p adr.Profile) bool { return naiveMeets(p, l, requirements...) })
	}
	for i, q := range d.Unmet {
		for _, name := range append(slices.Clone(q.Trait.Names), q.Version) { // other names may be between them
			if !strings.Contains(d.Message, name) {
				t.Errorf("the message %q does not name %v", d.Message, q)
			}
		}
		if d.Reason == adr.ReasonNoProfileMeetsAll {
			if meets(d.Unmet...) || !meets(slices.Delete(slices.Clone(d.Unmet), i, i+1)...) {
				t.Errorf("%v: together they are met, or they are without %v not", d.Unmet, q)
			}
		} else if meets(q) {
			t.Errorf("%v is met", q)
		}
	}
	named := d.Action == clusters.Deny && d.Reason != clusters.ReasonUnknownPurpose && d.Reason != adr.ReasonNoProfile
	if named != (len(d.Unmet) > 0) {
		t.Errorf("%s names %v", outcome(d), d.Unmet)
	}
	if d.Reason == adr.ReasonNoProfile && len(l.Profiles) > 0 {
		t.Errorf("there are profiles")
	}
}

// The order of Clusters, profiles, grants, versions, traits and equivalences does not count, nor that of purposes but for negated.
func TestOrderDoesNotCount(t *testing.T) {
	t.Parallel()
	r := random(t)
	for range 3000 {
		q, l := worldRequest(r), world(r)
		d, err := adr.Schedule(q, l)
		shuffle(r, l.Clusters)
		shuffle(r, l.Profiles)
		shuffle(r, l.Equivalences)
		for i := range l.Clusters {
			shuffle(r, l.Clusters[i].Grants)
			shuffle(r, l.Clusters[i].Purposes)
		}
		for i := range l.Profiles {
			shuffle(r, l.Profiles[i].Versions)
			shuffle(r, l.Profiles[i].Traits)
		}
		for i := range l.Equivalences {
			shuffle(r, l.Equivalences[i])
		}
		again, errAgain := adr.Schedule(q, l)
		if !reflect.DeepEqual(d, again) || (err == nil) != (errAgain == nil) {
			t.Fatalf("%+v\n%+v\n%+v, %v\n%+v, %v", q, l, d, err, again, errAgain)
		}
	}
}

func shuffle[T any](r *rand.Rand, all []T) {
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}

func TestOrderOfPurposesCountsForNegatedAlone(t *testing.T) {
	t.Parallel()
	r := random(t)
	changed := 0
	for range 3000 {
		q, l := worldRequest(r), world(r)
		q.Purposes = slices.DeleteFunc(q.Purposes, func(p string) bool { return p == "unknown" })
		a, err := adr.Aggregate(q, l.Purposes, l.Equivalences)
		shuffle(r, q.Purposes)
		b, errAgain := adr.Aggregate(q, l.Purposes, l.Equivalences)
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("%+v: %v, %v", q, err, errAgain)
		}
		for i := range a.Traits {
			if a.Traits[i].Negated != b.Traits[i].Negated {
				changed++
				b.Traits[i].Negated = a.Traits[i].Negated
			}
		}
		a.Warnings, b.Warnings = nil, nil // say which purpose comes first
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v:\n%+v\n%+v", q, a, b)
		}
	}
	if changed < 20 {
		t.Errorf("negated changed %d times, too few to prove anything", changed)
	}
}

// generator reads randomness from a seeded generator.
type generator struct{ *rand.Rand }

func (g generator) Read(p []byte) (int, error) {
	for i := 0; i < len(p); i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], g.Uint64())
		copy(p[i:], word[:])
	}
	return len(p), nil
}

// proposal is a prefix of few letters, so that proposals collide.
func proposal(r *rand.Rand) string {
	b := make([]byte, r.IntN(8))
	for i := range b {
		b[i] = pick[byte](r, 'a', 'b', '-', '7')
	}
	return strings.TrimLeft(string(b), "-")
}

// No two prefixes of one Cluster are prefixes of each other, whatever is proposed, over grants and deletions; and each request
// keeps its own.
func TestPrefixesNeverCollide(t *testing.T) {
	t.Parallel()
	r := random(t)
	granted, drawn, freed := 0, 0, 0
	for range 60 {
		l := adr.Landscape{
			Purposes: map[string]adr.Purpose{"p": {}}, Profiles: []adr.Profile{profile("p", "")},
			Clusters: []adr.Cluster{shared("a", "p", "p"), shared("b", "p", "p")},
		}
		for range 150 {
			q := adr.Request{Ref: ref("t", fmt.Sprint(r.IntN(200))), Purposes: []string{"p"}, Prefix: proposal(r)}
			d := schedule(t, q, l)
			c := &l.Clusters[slices.IndexFunc(l.Clusters, func(c adr.Cluster) bool { return c.Ref == d.Cluster })]
			mine := func(g adr.Grant) bool { return g.Request == q.Ref }
			if d.Reason == clusters.ReasonGranted {
				if i := slices.IndexFunc(c.Grants, mine); i < 0 || c.Grants[i].Prefix != d.Prefix {
					t.Fatalf("%v has not kept its grant: %+v", q.Ref, d)
				}
				if r.IntN(2) == 0 {
					c.Grants = slices.DeleteFunc(c.Grants, mine)
					freed++
				}
				continue
			}
			prefix := d.Prefix
			if d.PrefixRule.Kind == adr.PrefixRandom {
				var err error
				if prefix, err = adr.DrawPrefix(generator{r}, c.Grants); err != nil {
					t.Fatal(err)
				}
				drawn++
			}
			c.Grants = append(c.Grants, adr.Grant{Request: q.Ref, Prefix: prefix})
			granted++
			for i, g := range c.Grants {
				if len(g.Prefix) < adr.MinPrefixLength {
					t.Fatalf("%+v is too short", g)
				}
				for _, o := range c.Grants[:i] {
					if naiveCollides(g.Prefix, o.Prefix) {
						t.Fatalf("%+v collides with %+v", g, o)
					}
				}
			}
		}
	}
	if granted < 4000 || drawn < 1000 || granted-drawn < 500 || freed < 500 {
		t.Errorf("too little was tried: %d grants, %d of them drawn, %d freed", granted, drawn, freed)
	}
}
