package adr_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// FuzzSchedule decides on any request in a world made of a number: no panic, and the plain model agrees. What the fuzzer writes
// itself is no part of that model: then the decision is complete, or the error names a part of the input.
func FuzzSchedule(f *testing.F) {
	f.Add(uint64(1), "1.30", "foo-", "cluster.openmcp.cloud/workerless", "mcp", "")
	f.Add(uint64(2), "1.20.1", "", "a|b", "platform", "request")
	f.Add(uint64(3), "v1.31.0-rc.1+x", "-", "", "", "\x00")
	f.Add(uint64(4), "1.30", "foo-", "a\x00b", "mcp", "p")
	f.Fuzz(func(t *testing.T, number uint64, version, prefix, trait, purpose, name string) {
		r := rand.New(rand.NewPCG(number, 0))
		q, l := worldRequest(r), world(r)
		d, err := adr.Schedule(q, l)
		if got, want := decided(d, err), naiveSchedule(q, l); got != want {
			t.Fatalf("%+v\n%+v\ngot  %s\nwant %s", q, l, got, want)
		}
		q.KubernetesVersion, q.Prefix = version, prefix
		q.Purposes = append(q.Purposes, purpose)
		q.Traits = append(q.Traits, traits(trait)...)
		l.Purposes[name] = adr.Purpose{Traits: traits(trait)}
		l.Profiles = append(l.Profiles, adr.Profile{Name: name, Traits: []string{trait}, Versions: versions(version)})
		d, err = adr.Schedule(q, l)
		var input *adr.InputError
		switch {
		case err != nil && (!errors.As(err, &input) || input.Field == "" || input.Message == ""):
			t.Errorf("%v", err)
		case err == nil && (d.Message == "" || d.Reason == "" || d.Action == ""):
			t.Errorf("incomplete: %+v", d)
		case err == nil:
			checkCandidates(t, d, l)
		}
	})
}

var dnsStart = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,61}$`)

// FuzzPrefix proposes any prefix beside any granted ones: what comes out, proposed or drawn, can begin a DNS name and collides with
// none of them.
func FuzzPrefix(f *testing.F) {
	f.Add(uint64(1), "foo-", "foo-bar- foob-")
	f.Add(uint64(2), "foo-bar-", "foo- f b c")
	f.Add(uint64(3), "", "a b c d e f g h i j k l m n o p q r s")
	f.Fuzz(func(t *testing.T, number uint64, proposal, granted string) {
		c := shared("a", "p", "p", strings.Fields(granted)...)
		l := adr.Landscape{
			Purposes: map[string]adr.Purpose{"p": {}}, Profiles: []adr.Profile{profile("p", "")}, Clusters: []adr.Cluster{c},
		}
		d, err := adr.Schedule(asked("p", wantsPrefix(proposal)), l)
		if (err == nil) != (proposal == "" || dnsStart.MatchString(proposal)) {
			t.Fatalf("%q: %v", proposal, err)
		}
		if err != nil {
			return
		}
		prefix := d.Prefix
		if d.PrefixRule.Kind == adr.PrefixRandom {
			if prefix, err = adr.DrawPrefix(generator{rand.New(rand.NewPCG(number, 0))}, c.Grants); errors.Is(err, adr.ErrNoPrefix) {
				return
			}
		}
		if err != nil || !dnsStart.MatchString(prefix) || len(prefix) < adr.MinPrefixLength {
			t.Fatalf("%q, %v", prefix, err)
		}
		for _, g := range c.Grants {
			if naiveCollides(prefix, g.Prefix) {
				t.Fatalf("%q collides with %q", prefix, g.Prefix)
			}
		}
	})
}

// FuzzVersion offers one version and asks for another: without panic, and a version that is asked for as it is offered is taken.
func FuzzVersion(f *testing.F) {
	f.Add("1.3", "1.30.1")
	f.Add("v1.31.0-rc.1", "1.31.0+k3s1")
	f.Fuzz(func(t *testing.T, askedFor, offered string) {
		l := adr.Landscape{
			Purposes: map[string]adr.Purpose{"p": {}}, Profiles: []adr.Profile{{Name: "p", Versions: []adr.Version{{Version: offered}}}},
		}
		d, err := adr.Schedule(asked("p", wantsVersion(askedFor)), l)
		if err != nil {
			return
		}
		if askedFor != "" && askedFor == offered && d.Action != clusters.Create {
			t.Errorf("%q is offered and not taken: %s", offered, d.Message)
		}
		if d.Action == clusters.Create && d.Version != offered {
			t.Errorf("%q is taken of %q", d.Version, offered)
		}
	})
}
