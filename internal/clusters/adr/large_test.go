//go:build !race

package adr_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// Large inputs take time in proportion to their size, and what is said of them stays short. The limit is far above what a slow
// machine needs, and below what a quadratic step takes.
func TestLargeInputs(t *testing.T) {
	t.Parallel()
	const limit = 10 * time.Second
	numbered := func(format string, n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, i)
		}
		return all
	}
	chain := adr.Landscape{Purposes: fourPurposes(), Profiles: []adr.Profile{profile("p", "1.1.1")}}
	names := numbered("trait-%05d", 40000)
	for i := len(names) - 1; i > 0; i-- {
		chain.Equivalences = append(chain.Equivalences, names[i-1:i+1])
	}
	wide := adr.Landscape{Purposes: fourPurposes()}
	required := numbered("trait-%03d", 600)
	for i := range 1500 {
		wide.Profiles = append(wide.Profiles, profile(fmt.Sprintf("p%04d", i), "1.1.1", slices.Concat(required[:i%600], required[i%600+1:])...))
	}
	many := adr.Landscape{Purposes: map[string]adr.Purpose{}, Profiles: []adr.Profile{profile("p", "1.1.1")}}
	purposes := numbered("purpose-%05d", 60000)
	for _, name := range purposes {
		many.Purposes[name] = adr.Purpose{}
	}
	many.Clusters = []adr.Cluster{shared("a", "p", strings.Join(purposes, " "))}
	colliding := proposedLandscape(shared("a", "aws", "platform", numbered("team-%06d", 100000)...))
	colliding.Clusters[0].Grants = append(colliding.Clusters[0].Grants, adr.Grant{Request: ref("a", "a"), Prefix: "team-"})
	torn := asked("crossed", wantsTraits(numbered("!trait-%05d", 1000)...))
	crossed := proposedLandscape()
	crossed.Purposes["crossed"] = adr.Purpose{Traits: traits(numbered("trait-%05d", 1000)...)}
	unreadable := proposedLandscape()
	unreadable.Profiles[0].Versions = append(unreadable.Profiles[0].Versions, versions(strings.Join(numbered("x%d", 1000), " "))...)
	for name, test := range map[string]struct {
		request   adr.Request
		landscape adr.Landscape
		want      string
		warnings  int
	}{
		"a chain of equivalences":             {asked("platform", wantsTraits(names[len(names)-1])), chain, "deny UnsupportedTrait", 0},
		"profiles that each miss one trait":   {asked("platform", wantsTraits(required...)), wide, "deny NoProfileMeetsAll", 0},
		"purposes":                            {asked(strings.Join(purposes, " ")), many, "reuse clusters/a", 0},
		"prefixes that collide":               {asked("platform"), colliding, "reuse clusters/a", 21},
		"traits about which sources disagree": {torn, crossed, "create aws 1.20.3", 21},
		"versions that cannot be read":        {asked("platform"), unreadable, "create aws 1.20.3", 21},
		"traits that no profile has":          {asked("platform", wantsTraits(required...)), proposedLandscape(), "deny UnsupportedTrait", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			d := schedule(t, test.request, test.landscape)
			if took := time.Since(start); took > limit {
				t.Errorf("it took %v", took)
			}
			if outcome(d) != test.want || len(d.Warnings) != test.warnings || len(d.Message) > 2000 {
				t.Errorf("%s, %d warnings, %d characters; want %s, %d warnings", outcome(d), len(d.Warnings), len(d.Message), test.want, test.warnings)
			}
			for _, c := range d.Candidates {
				if len(c.Reason) > 2000 {
					t.Fatalf("%v has a reason of %d characters", c.Ref, len(c.Reason))
				}
			}
		})
	}
}
