package adr_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// The version of a new Cluster, by what the profile offers and what is asked for.
func TestVersions(t *testing.T) {
	t.Parallel()
	const rule = "The 'ClusterRequest' API Type/kubernetes.version "
	for name, test := range map[string]struct{ offered, asked, want, warning string }{
		rule + "can be omitted: the newest [choice]":           {proposedVersions, "", "1.20.3", ""},
		rule + "can be partial":                                {proposedVersions, "1.20", "1.20.3", ""},
		rule + "can be one number":                             {proposedVersions, "1", "1.20.3", ""},
		rule + "can be full":                                   {proposedVersions, "1.20.1", "1.20.1", ""},
		rule + "full and deprecated":                           {proposedVersions, "1.19.2", "1.19.2", "Kubernetes 1.19.2 of the profile p is deprecated"},
		rule + "partial and deprecated alone":                  {proposedVersions, "1.19", "", ""},
		rule + "omitted and deprecated alone":                  {"1.19.1† 1.19.2†", "", "", ""},
		rule + "1.3 is not 1.30":                               {"1.30.1", "1.3", "", ""},
		rule + "1.30 is not 1.3":                               {"1.3.1", "1.30", "", ""},
		rule + "1.20.1 is not 1.20.10":                         {"1.20.10", "1.20.1", "", ""},
		rule + "1.30 is newer than 1.9":                        {"1.9.9 1.30.0 1.10.5", "", "1.30.0", ""},
		rule + "1.20.10 is newer than 1.20.9":                  {"1.20.10 1.20.9", "1.20", "1.20.10", ""},
		rule + "is not offered":                                {proposedVersions, "1.21", "", ""},
		rule + "not deprecated before deprecated":              {"1.20.1† v1.20.1", "1.20.1", "v1.20.1", ""},
		rule + "with v in front":                               {"v1.31.0", "1.31", "v1.31.0", ""},
		rule + "asked for with v in front":                     {"1.31.0", "v1.31.0", "1.31.0", ""},
		rule + "with what follows a plus":                      {"1.31.0+k3s1", "1.31.0", "1.31.0+k3s1", ""},
		rule + "a pre-release is not meant [choice]":           {"1.31.0-rc.1", "1.31", "", ""},
		rule + "a pre-release is not meant by none [choice]":   {"1.31.0-rc.1 1.30.1", "", "1.30.1", ""},
		rule + "a pre-release asked for itself [choice]":       {"1.31.0-rc.1 1.31.0", "1.31.0-rc.1", "1.31.0-rc.1", ""},
		rule + "a pre-release is not meant by none, alone":     {"1.31.0-rc.1", "", "", ""},
		rule + "one that cannot be read is not taken, alone":   {"latest latest", "", "", `"latest" is no version`},
		rule + "a pre-release asked for, offered with a plus":  {"1.31.0-rc.1+b1", "1.31.0-rc.1", "1.31.0-rc.1+b1", ""},
		rule + "a pre-release asked for with another plus":     {"1.31.0-rc.1+b1", "1.31.0-rc.1+b2", "", ""},
		rule + "another pre-release":                           {"1.31.0-rc.1", "1.31.0-rc.2", "", ""},
		rule + "a dash after a plus is no pre-release":         {"1.31.0+k3s-1", "1.31", "1.31.0+k3s-1", ""},
		rule + "none offered, none asked for [choice]":         {"", "", "", ""},
		rule + "none offered, one asked for [choice]":          {"", "1.30", "", ""},
		rule + "one that cannot be read is passed over":        {"newest 1.20.3 1.02.1 1.2.3.4 1..2", "", "1.20.3", `"newest" is no version`},
		rule + "what a profile offers in part is no release":   {"1.31", "1.31.0", "", ""},
		rule + "what a profile offers in part meets the same":  {"1.31", "1.31", "1.31", ""},
		rule + "deprecated is asked for in full, newer exists": {"1.20.3† 1.20.4", "1.20.3", "1.20.3", "deprecated"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := schedule(t, asked("platform", wantsVersion(test.asked)),
				adr.Landscape{Purposes: fourPurposes(), Profiles: []adr.Profile{profile("p", test.offered)}})
			want := "create p " + test.want
			if test.want == "" && (test.offered != "" || test.asked != "") {
				want = "deny UnsupportedVersion"
				if test.asked != "" {
					contains(t, d.Message, "No deployed profile meets Kubernetes "+test.asked)
				} else {
					contains(t, d.Message, "No deployed profile meets a released Kubernetes version that is not deprecated")
				}
			}
			if outcome(d) != want {
				t.Errorf("%s: %s; want %s", outcome(d), d.Message, want)
			}
			if warnings := strings.Join(d.Warnings, "\n"); (warnings != "") != (test.warning != "") || !strings.Contains(warnings, test.warning) {
				t.Errorf("the warnings are %q, want %q", warnings, test.warning)
			}
		})
	}
}

func TestVersionErrors(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"latest", "1.", ".1", "1..2", "1.30.1.2", "1.03", "-1", "1.30-rc.1", "1.30.1-", "1.30.1-ü x\n", "1.30.1+", "1.30.1-a..b",
		"1.30.1+a+b", "1.30.1-rc_1", "1.30+k3s1", "1234567890", " 1.30", "1,30", "v"} {
		_, err := adr.Schedule(asked("platform", wantsVersion(version)), proposedLandscape())
		if err == nil || !strings.Contains(err.Error(), "request.kubernetes_version: ") {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// A denial names a version that is offered as deprecated.
func TestVersionDeprecatedAlone(t *testing.T) {
	t.Parallel()
	d := schedule(t, asked("platform", wantsVersion("1.19")), proposedLandscape())
	contains(t, d.Message, "Kubernetes 1.19 (of aws, 1.19.2 is deprecated, and a deprecated version has to be asked for in full)")
	contains(t, candidate(d, "aws"), "it does not offer Kubernetes 1.19: 1.19.2 is deprecated, and a deprecated version has to be asked for in full")
}

// A denial says why the versions that are offered do not count.
func TestVersionDenials(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ offered, asked, want string }{
		{"1.31.0-rc.1", "", "a released Kubernetes version that is not deprecated (of p, 1.31.0-rc.1 is a pre-release, which a request has to name in full)"},
		{"1.19.1† 1.31.0-rc.1", "", "(of p, 1.31.0-rc.1 is a pre-release, which a request has to name in full)"},
		{"1.31.0-rc.1†", "", "(of p, 1.31.0-rc.1 is a pre-release, which a request has to name in full)"},
		{"latest", "", `a released Kubernetes version that is not deprecated (of p, "latest" is no version)`},
		{"1.19.1†", "", "(of p, 1.19.1 is deprecated, and a deprecated version has to be asked for in full)"},
		{"1.30†", "1.30", "Kubernetes 1.30 (of p, 1.30 is deprecated, and a deprecated version has to be asked for in full, which this one is not)"},
		{"1.31.0", "1.30", "Kubernetes 1.30, and no shared Cluster fits."},
	} {
		d := schedule(t, asked("platform", wantsVersion(test.asked)),
			adr.Landscape{Purposes: fourPurposes(), Profiles: []adr.Profile{profile("p", test.offered)}})
		if d.Reason != adr.ReasonUnsupportedVersion {
			t.Errorf("%+v: %s", test, outcome(d))
		}
		contains(t, d.Message, "No deployed profile meets ", test.want)
	}
}

// The version of a shared Cluster that exists.
func TestScheduleClusterVersions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ asked, runs, offered, want, warning string }{
		"a pre-release, and no version asked for [choice]":      {"", "1.31.0-rc.1", "1.20.3", "create p 1.20.3", ""},
		"a pre-release, and its release asked for [choice]":     {"1.31.0", "1.31.0-rc.1", "1.31.0", "create p 1.31.0", ""},
		"a pre-release, and a part of it asked for [choice]":    {"1.31", "1.31.0-rc.1", "1.31.0", "create p 1.31.0", ""},
		"a pre-release that is asked for":                       {"1.31.0-rc.1", "1.31.0-rc.1", "1.31.0", "reuse clusters/a", ""},
		"a pre-release with a build, and the pre-release asked": {"1.31.0-rc.1", "1.31.0-rc.1+b1", "1.31.0", "reuse clusters/a", ""},
		"one that cannot be read, and none asked for [choice]":  {"", "latest", "1.20.3", "reuse clusters/a", `The version "latest" of the Cluster clusters/a cannot be read`},
		"one that is not known, and none asked for [choice]":    {"", "", "1.20.3", "reuse clusters/a", ""},
		"deprecated, a part of it asked for [choice]":           {"1.19", "1.19.1", "1.19.1† 1.20.3", "reuse clusters/a", "runs Kubernetes 1.19.1, which is deprecated"},
		"deprecated without a build":                            {"", "1.30.0+k3s1", "1.30.0†", "reuse clusters/a", "runs Kubernetes 1.30.0+k3s1, which is deprecated"},
		"deprecated with v in front":                            {"", "1.30.0", "v1.30.0†", "reuse clusters/a", "deprecated"},
		"deprecated in part":                                    {"", "1.30.5", "1.30† 1.31", "reuse clusters/a", "deprecated"},
		"another build is deprecated":                           {"", "1.30.0", "1.30.0+k3s1†", "reuse clusters/a", ""},
		"another version is deprecated":                         {"", "1.3.0", "1.30.0† 1.31.0", "reuse clusters/a", ""},
	} {
		t.Run("The 'ClusterRequest' API Type/kubernetes.version of a Cluster, "+name, func(t *testing.T) {
			t.Parallel()
			d := schedule(t, asked("platform", wantsVersion(test.asked)), adr.Landscape{Purposes: fourPurposes(),
				Profiles: []adr.Profile{profile("p", test.offered)}, Clusters: []adr.Cluster{atVersion(shared("a", "p", "platform"), test.runs)}})
			if outcome(d) != test.want {
				t.Errorf("%s: %s; want %s", outcome(d), d.Message, test.want)
			}
			if warnings := strings.Join(d.Warnings, "\n"); (warnings != "") != (test.warning != "") || !strings.Contains(warnings, test.warning) {
				t.Errorf("the warnings are %q, want %q", warnings, test.warning)
			}
			if strings.Contains(name, "a pre-release, and no version") {
				contains(t, candidate(d, "a"), "it runs Kubernetes 1.31.0-rc.1, a pre-release, and the request does not ask for it")
			}
		})
	}
}

// Versions are ordered by their components, and what is none comes first.
func TestCompareVersions(t *testing.T) {
	t.Parallel()
	versions := []string{"latest", "1.9.1", "1.30", "1.30.2", "1.31.0-rc.1", "1.31.0"}
	for i, a := range versions {
		for j, b := range versions {
			if got := adr.CompareVersions(a, b); got != cmp.Compare(i, j) {
				t.Errorf("%s, %s: %d", a, b, got)
			}
		}
	}
}

// A wanted version means those that begin with its components; a later patch is one of the same minor version.
func TestVersions_meansAndPatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		wanted, is   string
		means, patch bool
	}{
		{"1.33", "1.33.2", true, false}, {"1.33.2", "1.33.2", true, false}, {"1.33.2", "1.33.5", false, true},
		{"1.33.5", "1.33.2", false, false}, {"1.33.2", "1.34.1", false, false}, {"1.3", "1.30.1", false, false},
		{"", "1.33.2", false, false}, {"1.33", "", false, false}, {"latest", "1.33.2", false, false},
	} {
		if means, patch := adr.Means(test.wanted, test.is), adr.IsLaterPatch(test.is, test.wanted); means != test.means || patch != test.patch {
			t.Errorf("%q and %q: means %t, later patch %t", test.wanted, test.is, means, patch)
		}
	}
}
