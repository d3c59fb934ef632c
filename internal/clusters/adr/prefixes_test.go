package adr_test

import (
	"bytes"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

func TestPrefix(t *testing.T) {
	t.Parallel()
	const rules, apart = "The 'ClusterRequest' API Type/prefix, ", "Collision Avoidance in Shared Clusters/"
	for name, test := range map[string]struct {
		proposal string
		granted  string // prefixes on the shared Cluster; "new": there is none yet
		prefix   string
		rule     string
	}{
		rules + "no prefix was proposed":                     {"", "foo-", "", "random: no prefix is proposed"},
		rules + "too short [choice]":                         {"foo", "", "", "random: the proposal foo has 3 characters, fewer than 4"},
		rules + "too short, one character":                   {"f", "", "", "random: the proposal f has 1 character, fewer than 4"},
		rules + "long enough":                                {"foo-", "", "foo-", "proposed: "},
		rules + "granted to another request already":         {"foo-", "bar- foo-", "", "random: the proposal foo- is granted to tenant-a/r1"},
		rules + "proposed, beside others":                    {"foo-", "bar- baz-", "foo-", "proposed: no prefix on the Cluster collides with it"},
		rules + "on a new shared Cluster":                    {"foo-", "new", "foo-", "proposed: "},
		rules + "none proposed on a new shared Cluster":      {"", "new", "", "random: no prefix is proposed"},
		rules + "without a minus at its end":                 {"team", "", "team", "proposed: "},
		rules + "digits":                                     {"0815", "", "0815", "proposed: "},
		rules + "the longest [choice]":                       {strings.Repeat("x", 62), "", strings.Repeat("x", 62), "proposed: "},
		apart + "a granted prefix is a prefix of it":         {"foo-bar-", "foo-", "", "random: the proposal foo-bar- collides with foo-, which is granted to tenant-a/r0"},
		apart + "it is a prefix of a granted one":            {"foo-", "foo-bar-", "", "random: the proposal foo- collides with foo-bar-, which is granted to tenant-a/r0"},
		apart + "foo- and foob- do not collide":              {"foob-", "foo-", "foob-", "proposed: "},
		apart + "foob- and foo- do not collide":              {"foo-", "foob-", "foo-", "proposed: "},
		apart + "a longer one between the two":               {"foo-b-", "foo- foo-a- foo-c-", "", "random: the proposal foo-b- collides with foo-, which is granted to tenant-a/r0"},
		apart + "a shorter one that was granted elsewise":    {"foo-", "f", "", "random: the proposal foo- collides with f, "},
		apart + "the same prefix on another Cluster is free": {"foo-", "bar-", "foo-", "proposed: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := proposedLandscape(shared("a", "aws", "platform", strings.Fields(test.granted)...), shared("b", "aws", "workload", "foo-"))
			if test.granted == "new" {
				l.Clusters = l.Clusters[1:]
			}
			d := schedule(t, asked("platform", wantsPrefix(test.proposal)), l)
			if d.Prefix != test.prefix || !strings.HasPrefix(d.PrefixRule.String(), test.rule) {
				t.Errorf("%q, %q; want %q, %q", d.Prefix, d.PrefixRule, test.prefix, test.rule)
			}
		})
	}
}

// A dedicated Cluster has no prefix, whatever is proposed.
func TestPrefixDedicated(t *testing.T) {
	t.Parallel()
	for _, proposal := range []string{"", "foo", "foo-"} {
		d := schedule(t, asked("mcp", wantsPrefix(proposal)), proposedLandscape())
		if d.Prefix != "" || d.PrefixRule.String() != "empty: the Cluster is dedicated" {
			t.Errorf("%q: %q, %q", proposal, d.Prefix, d.PrefixRule)
		}
	}
}

// A proposal that cannot begin a DNS name is an error, for a dedicated Cluster too.
func TestPrefixErrors(t *testing.T) {
	t.Parallel()
	for proposal, want := range map[string]string{
		"-foo-": "begins with a letter or digit", "Foo-": "lower-case letters", "foo_": "lower-case letters", "föö-": "lower-case letters",
		"foo bar-": "lower-case letters", "foo.bar-": "lower-case letters", " ": "lower-case letters", "fooX": "lower-case letters",
		"fooXfoo": "lower-case letters", strings.Repeat("é", 40): "lower-case letters", strings.Repeat("x", 63): "it has 63 characters; a name has 63 at most",
	} {
		for _, purpose := range []string{"platform", "mcp"} {
			_, err := adr.Schedule(asked(purpose, wantsPrefix(proposal)), proposedLandscape())
			var input *adr.InputError
			if !errors.As(err, &input) || input.Field != "request.prefix" || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", proposal, err, want)
			}
		}
	}
}

// Deleting a request frees its prefix.
func TestPrefixIsFreed(t *testing.T) {
	t.Parallel()
	c := shared("a", "aws", "platform", "foo-")
	r := asked("platform", wantsPrefix("foo-"))
	if d := schedule(t, r, proposedLandscape(c)); d.PrefixRule.Kind != adr.PrefixRandom {
		t.Errorf("%+v", d)
	}
	c.Grants = nil
	if d := schedule(t, r, proposedLandscape(c)); d.Prefix != "foo-" {
		t.Errorf("%+v", d)
	}
}

// Prefixes that collide already, because something else granted them, are reported.
func TestPrefixCollisionsAreReported(t *testing.T) {
	t.Parallel()
	d := schedule(t, asked("platform", wantsPrefix("free-")), proposedLandscape(shared("a", "aws", "platform", "foo-bar-", "foo-", "baz-", "baz-")))
	want := []string{
		`On the Cluster clusters/a the prefix "baz-" of tenant-a/r3 collides with "baz-" of tenant-a/r2.`,
		`On the Cluster clusters/a the prefix "foo-bar-" of tenant-a/r0 collides with "foo-" of tenant-a/r1.`,
	}
	if fmt.Sprint(d.Warnings) != fmt.Sprint(want) || d.Prefix != "free-" {
		t.Errorf("%q, %q", d.Prefix, d.Warnings)
	}
}

var drawnPrefix = regexp.MustCompile(`^[a-z][a-z0-9]*-$`)

func TestDrawPrefix(t *testing.T) {
	t.Parallel()
	var granted []adr.Grant
	for i := range 500 {
		prefix, err := adr.DrawPrefix(crand.Reader, granted)
		if err != nil || !drawnPrefix.MatchString(prefix) || len(prefix) < adr.MinPrefixLength {
			t.Fatalf("%q, %v", prefix, err)
		}
		for _, g := range granted {
			if strings.HasPrefix(prefix, g.Prefix) || strings.HasPrefix(g.Prefix, prefix) {
				t.Fatalf("%q collides with %q", prefix, g.Prefix)
			}
		}
		granted = append(granted, adr.Grant{Request: ref("a", fmt.Sprint(i)), Prefix: prefix})
	}
}

// What is granted is stepped around, in either direction, and the draws are bounded.
func TestDrawPrefixAround(t *testing.T) {
	t.Parallel()
	grants := func(prefixes ...string) (all []adr.Grant) {
		for i, p := range prefixes {
			all = append(all, adr.Grant{Request: ref("a", fmt.Sprint(i)), Prefix: p})
		}
		return all
	}
	zeros, ones := make([]byte, 8), bytes.Repeat([]byte{1}, 8)
	first := func() io.Reader { return io.MultiReader(bytes.NewReader(zeros), bytes.NewReader(ones)) }
	for name, test := range map[string]struct {
		granted []adr.Grant
		want    string
	}{
		"nothing is granted":            {nil, "baaaaaaa-"},
		"the same":                      {grants("baaaaaaa-"), "cbbbbbbb-"},
		"a prefix of it":                {grants("baaa"), "cbbbbbbb-"},
		"one that begins with it":       {grants("baaaaaaa-x"), "cbbbbbbb-"},
		"one that only begins alike":    {grants("baaaaaaax", "baaaaaa-"), "baaaaaaa-"},
		"the second one is granted too": {grants("b", "cbb"), ""},
		"the empty prefix leaves none":  {grants(""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix, err := adr.DrawPrefix(first(), test.granted)
			if prefix != test.want || (err != nil) != (test.want == "") {
				t.Errorf("%q, %v; want %q", prefix, err, test.want)
			}
		})
	}
	if _, err := adr.DrawPrefix(crand.Reader, grants("")); !errors.Is(err, adr.ErrNoPrefix) {
		t.Errorf("no room: %v", err)
	}
	if _, err := adr.DrawPrefix(iotest.ErrReader(io.ErrClosedPipe), nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("no randomness: %v", err)
	}
}
