package adr_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// The four purposes of the proposal's landscape, with the implicit properties that it lists.
func TestScheduleFourPurposes(t *testing.T) {
	t.Parallel()
	core := shared("core", "aws", "platform onboarding", "core-")
	crate := shared("crate", "aws-workerless", "onboarding", "crate-")
	work := shared("work", "aws", "workload", "kyma-", "laas-")
	for name, test := range map[string]struct {
		request   adr.Request
		landscape adr.Landscape
		want      string
	}{
		"platform/the first request makes the cluster": {asked("platform"), proposedLandscape(), "create aws 1.20.3"},
		"platform/a single cluster hosts all platform controllers": {asked("platform"), proposedLandscape(core, crate, work),
			"reuse clusters/core"},
		"onboarding/a single cluster":                             {asked("onboarding"), proposedLandscape(crate), "reuse clusters/crate"},
		"onboarding/it can be the platform cluster":               {asked("onboarding"), proposedLandscape(core), "reuse clusters/core"},
		"onboarding/a separate one is workerless":                 {asked("onboarding"), proposedLandscape(), "create aws-workerless 1.20.3"},
		"onboarding/of the two, the workerless one":               {asked("onboarding"), proposedLandscape(core, crate), "reuse clusters/crate"},
		"workload/shared":                                         {asked("workload"), proposedLandscape(work), "reuse clusters/work"},
		"workload/the first one runs workload":                    {asked("workload"), proposedLandscape(core, crate), "create aws 1.20.3"},
		"workload/scaled up: the one with fewer grants":           {asked("workload"), proposedLandscape(work, shared("work-2", "aws", "workload")), "reuse clusters/work-2"},
		"mcp/not shared":                                          {asked("mcp"), proposedLandscape(core, crate, work), "create aws-workerless 1.20.3"},
		"mcp/not shared with another mcp":                         {asked("mcp"), proposedLandscape(dedicated(shared("mcp-1", "aws-workerless", "mcp", ""))), "create aws-workerless 1.20.3"},
		"mcp/a dedicated one that is free is not reused [choice]": {asked("mcp"), proposedLandscape(dedicated(shared("mcp-1", "aws-workerless", "mcp"))), "create aws-workerless 1.20.3"},
		"mcp/not even a shared one that is free [choice]":         {asked("mcp"), proposedLandscape(shared("mcp-1", "aws-workerless", "mcp")), "create aws-workerless 1.20.3"},
		"mcp/can be workerless, and need not": {asked("mcp"), adr.Landscape{Purposes: fourPurposes(), Profiles: proposedProfiles()[:1]},
			"create aws 1.20.3"},
		"several purposes/platform and onboarding":               {asked("platform onboarding"), proposedLandscape(core, crate), "reuse clusters/core"},
		"several purposes/a cluster for one of them is too few":  {asked("platform onboarding"), proposedLandscape(crate), "create aws-workerless 1.20.3"},
		"several purposes/mcp and workload":                      {asked("mcp workload"), proposedLandscape(work), "create aws 1.20.3"},
		"dedicated/the request's own true counts":                {asked("workload", wantsDedicated(true)), proposedLandscape(work), "create aws 1.20.3"},
		"dedicated/the request's own false counts":               {asked("mcp", wantsDedicated(false)), proposedLandscape(shared("m", "aws", "mcp")), "reuse clusters/m"},
		"dedicated/false does not open a dedicated cluster":      {asked("mcp", wantsDedicated(false)), proposedLandscape(dedicated(shared("m", "aws", "mcp"))), "create aws-workerless 1.20.3"},
		"the request's trait overwrites the inherited one":       {asked("mcp", wantsTraits("!"+workerless)), proposedLandscape(), "create aws 1.20.3"},
		"more purposes than asked for are no hindrance [choice]": {asked("workload"), proposedLandscape(shared("all", "aws", "mcp workload platform")), "reuse clusters/all"},
	} {
		t.Run("Concept: Purposes/"+name, func(t *testing.T) {
			t.Parallel()
			if d := schedule(t, test.request, test.landscape); outcome(d) != test.want {
				t.Errorf("%s: %s; want %s", outcome(d), d.Message, test.want)
			}
		})
	}
}

func TestScheduleTraits(t *testing.T) {
	t.Parallel()
	same := [][]string{{nodeless, workerless}}
	gardener, other := proposedProfiles(), profile("foreign", "1.20.3", nodeless)
	kind := profile("kind", "1.31.0")
	gcp := profile("gcp", proposedVersions, onGCP, compute)
	for name, test := range map[string]struct {
		traits   string
		profiles []adr.Profile
		same     [][]string
		want     string
	}{
		"any text is a trait":                                              {"what! ever", []adr.Profile{profile("p", "1.1.1", "what!", "ever")}, nil, "create p 1.1.1"},
		"a required trait chooses the provider":                            {onGCP, []adr.Profile{gardener[0], gcp}, nil, "create gcp 1.20.3"},
		"a trait that kind does not know denies":                           {onAWS, []adr.Profile{kind}, nil, "deny UnsupportedTrait"},
		"a negated trait that kind does not know is met":                   {"!" + onAWS, []adr.Profile{kind, gardener[0]}, nil, "create kind 1.31.0"},
		"a negated trait that nothing knows is met":                        {"!unheard/of", []adr.Profile{kind}, nil, "create kind 1.31.0"},
		"a negated trait that all have denies":                             {"!" + onAWS, gardener, nil, "deny UnsupportedTrait"},
		"an optional trait is a preference":                                {workerless + "?", gardener, nil, "create aws-workerless 1.20.3"},
		"an optional trait that no profile has is no hindrance":            {"unheard/of?", gardener, nil, "create aws 1.20.3"},
		"a negated optional trait is a preference":                         {"!" + workerless + "? !" + compute + "?", []adr.Profile{gardener[0], kind}, nil, "create kind 1.31.0"},
		"most optional traits first":                                       {onGCP + "? " + workerless + "? " + nodeless + "?", []adr.Profile{gcp, profile("two", "1.1.1", workerless, nodeless)}, nil, "create two 1.1.1"},
		"two names, both optional: likely workerless":                      {workerless + "? " + nodeless + "?", append(gardener, other), nil, "create aws-workerless 1.20.3"},
		"two names, both optional: not sure":                               {workerless + "? " + nodeless + "?", gardener[:1], nil, "create aws 1.20.3"},
		"one name required: denied without its provider":                   {workerless, []adr.Profile{other}, nil, "deny UnsupportedTrait"},
		"the other name required: denied without its provider":             {nodeless, gardener, nil, "deny UnsupportedTrait"},
		"Option 1/either name is met by the other":                         {nodeless, gardener, same, "create aws-workerless 1.20.3"},
		"Option 1/and the other way":                                       {workerless, []adr.Profile{other}, same, "create foreign 1.20.3"},
		"Option 1/both names, containing either one":                       {workerless + " " + nodeless, []adr.Profile{other}, same, "create foreign 1.20.3"},
		"Option 1/a negated name excludes the group":                       {"!" + nodeless, gardener[1:], same, "deny UnsupportedTrait"},
		"Option 1/a negated name excludes the group, and chooses":          {"!" + workerless, []adr.Profile{other, gardener[0]}, same, "create aws 1.20.3"},
		"Option 2/any of the two, the first":                               {workerless + "|" + nodeless, gardener, nil, "create aws-workerless 1.20.3"},
		"Option 2/any of the two, the second":                              {workerless + "|" + nodeless, []adr.Profile{gardener[0], other}, nil, "create foreign 1.20.3"},
		"Option 2/any of the two, neither":                                 {workerless + "|" + nodeless, gardener[:1], nil, "deny UnsupportedTrait"},
		"Option 2/available on AWS and GCP":                                {onAWS + "|" + onGCP, []adr.Profile{kind, gcp}, nil, "create gcp 1.20.3"},
		"Option 2/optional on the group is a preference":                   {workerless + "|" + nodeless + "?", gardener, nil, "create aws-workerless 1.20.3"},
		"Option 2/optional on the group is no hindrance":                   {workerless + "|" + nodeless + "?", gardener[:1], nil, "create aws 1.20.3"},
		"Option 2/negated on the group excludes each [choice]":             {"!" + workerless + "|" + compute, append(gardener, other), nil, "create foreign 1.20.3"},
		"Option 2/and: both are required":                                  {onAWS + "&" + compute, append(gardener, gcp), nil, "create aws 1.20.3"},
		"Option 2/and: no profile has both":                                {onGCP + "&" + workerless, append(gardener, gcp), nil, "deny NoProfileMeetsAll"},
		"Option 2/and: each is met, and none meets both":                   {workerless + "&" + compute, gardener, nil, "deny NoProfileMeetsAll"},
		"Option 2/and, optional: half of it is no preference [choice]":     {onGCP + "&" + workerless + "?", append(gardener, gcp), nil, "create aws 1.20.3"},
		"Option 2/and, optional: the profile that has both":                {onAWS + "&" + workerless + "?", append(gardener, gcp), nil, "create aws-workerless 1.20.3"},
		"Option 2/and, negated: not both":                                  {"!" + onAWS + "&" + compute, gardener, nil, "create aws-workerless 1.20.3"},
		"Option 2/xor: exactly one":                                        {onAWS + "^" + workerless, gardener, nil, "create aws 1.20.3"},
		"Option 2/xor: not both, and not neither":                          {onAWS + "^" + workerless, []adr.Profile{gardener[1], kind}, nil, "deny UnsupportedTrait"},
		"Option 2/xor of three: exactly one, and not all of them [choice]": {"a^b^c", []adr.Profile{profile("all", "1.1.1", "a", "b", "c"), profile("one", "1.0.0", "b")}, nil, "create one 1.0.0"},
		"Option 2/xor, negated: both or neither":                           {"!" + onAWS + "^" + workerless, gardener, nil, "create aws-workerless 1.20.3"},
		"both options/xor of two names of one meaning is the one trait":    {nodeless + "^" + workerless, gardener, same, "create aws-workerless 1.20.3"},
		"both options/and of two names of one meaning is the one trait":    {nodeless + "&" + workerless, []adr.Profile{other}, same, "create foreign 1.20.3"},
		"both options/the group and the names are one":                     {nodeless + "|" + onGCP, gardener, same, "create aws-workerless 1.20.3"},
		"a required trait and the absence of the same, by any_of":          {onAWS + "|" + onGCP + " !" + onAWS, []adr.Profile{gardener[0], gcp}, nil, "create gcp 1.20.3"},
		"each requirement is met, and none meets all":                      {workerless + " " + compute, gardener, nil, "deny NoProfileMeetsAll"},
	} {
		t.Run("Concept: Traits/"+name, func(t *testing.T) {
			t.Parallel()
			var wanted []string
			if strings.HasPrefix(test.traits, "what!") {
				wanted = []string{"what!", "ever"}
			} else {
				wanted = strings.Fields(test.traits)
			}
			l := adr.Landscape{Purposes: fourPurposes(), Profiles: test.profiles, Equivalences: test.same}
			if d := schedule(t, asked("platform", wantsTraits(wanted...)), l); outcome(d) != test.want {
				t.Errorf("%s: %s; want %s", outcome(d), d.Message, test.want)
			}
		})
	}
}

// Which shared Cluster, and which profile, in the order of preference; each row differs in one thing.
func TestSchedulePreferences(t *testing.T) {
	t.Parallel()
	workerlessOptional := wantsTraits(workerless + "?")
	for name, test := range map[string]struct {
		request   adr.Request
		landscape adr.Landscape
		want      string
		loser     string // a candidate
		reason    string // of the loser
	}{
		"an existing one before a new one, even with fewer optional traits": {asked("platform", workerlessOptional),
			proposedLandscape(shared("a", "aws", "platform")), "reuse clusters/a", "aws-workerless", "fits, but the Cluster clusters/a exists"},
		"most optional traits before fewest grants": {asked("platform", workerlessOptional),
			proposedLandscape(shared("a", "aws", "platform"), shared("b", "aws-workerless", "platform", "x-", "y-")), "reuse clusters/b",
			"a", "fits, but meets 0 of 1 optional trait, and clusters/b meets 1"},
		"fewest grants before the name": {asked("platform", workerlessOptional),
			proposedLandscape(shared("a", "aws", "platform", "x-", "y-"), shared("b", "aws", "platform", "x-")), "reuse clusters/b",
			"a", "fits, but has 2 grants, and clusters/b has 1"},
		"namespace before name": {asked("platform"), proposedLandscape(adr.Cluster{Ref: ref("a", "z"), Profile: "aws",
			Purposes: []string{"platform"}}, adr.Cluster{Ref: ref("b", "y"), Profile: "aws", Purposes: []string{"platform"}}),
			"reuse a/z", "y", "fits as well as a/z, which comes first by its name"},
		"name": {asked("platform"), proposedLandscape(shared("b", "aws", "platform"), shared("a", "aws", "platform")), "reuse clusters/a",
			"b", "fits as well as clusters/a"},
		"the version asked for": {asked("platform", wantsVersion("1.20.1")), proposedLandscape(shared("a", "aws", "platform"),
			atVersion(shared("b", "aws", "platform"), "1.20.1")), "reuse clusters/b", "a", "it runs Kubernetes 1.20.3, and 1.20.1 is asked for"},
		"a version in part": {asked("platform", wantsVersion("1.2")), proposedLandscape(shared("a", "aws", "platform")), "deny UnsupportedVersion",
			"a", "it runs Kubernetes 1.20.3, and 1.2 is asked for"},
		"a version that is not known": {asked("platform", wantsVersion("1.20")), proposedLandscape(atVersion(shared("a", "aws", "platform"), "")),
			"create aws 1.20.3", "a", "its Kubernetes version is not known"},
		"a version that cannot be read": {asked("platform", wantsVersion("1.20")), proposedLandscape(atVersion(shared("a", "aws", "platform"), "x")),
			"create aws 1.20.3", "a", "it runs Kubernetes x"},
		"a dedicated one is not shared": {asked("platform"), proposedLandscape(dedicated(shared("a", "aws", "platform"))), "create aws 1.20.3",
			"a", "it is dedicated"},
		"a purpose is missing [choice]": {asked("platform onboarding"), proposedLandscape(shared("a", "aws", "platform")),
			"create aws-workerless 1.20.3", "a", "it lacks the purpose onboarding"},
		"a required trait is missing": {asked("platform", wantsTraits(workerless)), proposedLandscape(shared("a", "aws", "platform")),
			"create aws-workerless 1.20.3", "a", "it lacks the required trait " + workerless},
		"a negated trait is there": {asked("platform", wantsTraits("!"+compute)), proposedLandscape(shared("a", "aws", "platform")),
			"create aws-workerless 1.20.3", "a", "it has the trait " + compute + ", which must be absent"},
		"a profile that is not deployed [choice]": {asked("platform"), proposedLandscape(shared("a", "azure", "platform")), "create aws 1.20.3",
			"a", `its profile "azure" is not deployed`},
		"a grant without a prefix [choice]": {asked("platform"), proposedLandscape(shared("a", "aws", "platform", "x-", "")), "create aws 1.20.3",
			"a", "tenant-a/r1 holds a grant on it without a prefix, so no prefix is safe on it"},
		"a new one is not chosen for a dedicated cluster": {asked("mcp"), proposedLandscape(shared("a", "aws", "mcp")),
			"create aws-workerless 1.20.3", "a", "the request is dedicated and gets a new Cluster"},
		"profiles: most optional traits before a newer version": {asked("platform", workerlessOptional), adr.Landscape{Purposes: fourPurposes(),
			Profiles: []adr.Profile{profile("a", "1.21.0"), profile("b", "1.20.3", workerless)}}, "create b 1.20.3",
			"a", "fits, but meets 0 of 1 optional trait, and b meets 1"},
		"profiles: not deprecated before the name": {asked("platform", wantsVersion("1.20.3")), adr.Landscape{Purposes: fourPurposes(),
			Profiles: []adr.Profile{profile("a", "1.20.3†"), profile("b", "1.20.3")}}, "create b 1.20.3",
			"a", "fits, but Kubernetes 1.20.3 is deprecated, and 1.20.3 of b is not"},
		"profiles: the newest matching version before the name": {asked("platform", wantsVersion("1.20")), adr.Landscape{
			Purposes: fourPurposes(), Profiles: []adr.Profile{profile("a", "1.20.9 1.21.0"), profile("b", "1.20.10")}}, "create b 1.20.10",
			"a", "fits, but the newest that it offers for 1.20 is 1.20.9, and b offers 1.20.10"},
		"profiles: the newest version before the name": {asked("platform"), adr.Landscape{
			Purposes: fourPurposes(), Profiles: []adr.Profile{profile("a", "1.20.9"), profile("b", "1.20.10")}}, "create b 1.20.10",
			"a", "fits, but its newest version is 1.20.9, and b offers 1.20.10"},
		"another name of a trait is named": {asked("platform", wantsTraits("other/name")), adr.Landscape{Purposes: fourPurposes(),
			Profiles: []adr.Profile{profile("a", "1.1.1", nodeless), profile("b", "1.1.1")}, Equivalences: [][]string{{"other/name", nodeless}}},
			"create a 1.1.1", "b", "it lacks the required trait foo.bar.baz/nodeless (also known as other/name)"},
		"profiles: a version before none": {asked("platform"), adr.Landscape{Purposes: fourPurposes(),
			Profiles: []adr.Profile{profile("a", ""), profile("b", "1.1.1")}}, "create b 1.1.1",
			"a", "fits, but does not say which versions it offers, and b offers 1.1.1"},
		"profiles: the name": {asked("platform"), adr.Landscape{Purposes: fourPurposes(),
			Profiles: []adr.Profile{profile("b", "1.1.1"), profile("a", "1.1.1")}}, "create a 1.1.1", "b", "fits as well as a, which comes first"},
	} {
		t.Run("The 'ClusterRequest' API Type/preferences, "+name, func(t *testing.T) {
			t.Parallel()
			d := schedule(t, test.request, test.landscape)
			if outcome(d) != test.want {
				t.Errorf("%s: %s; want %s", outcome(d), d.Message, test.want)
			}
			contains(t, candidate(d, test.loser), test.reason)
			checkCandidates(t, d, test.landscape)
		})
	}
}

// checkCandidates checks that every Cluster and profile is named, in order, and the chosen one alone is marked.
func checkCandidates(t *testing.T, d adr.Decision, l adr.Landscape) {
	t.Helper()
	want, chosen := len(l.Clusters)+len(l.Profiles), 0
	if d.Reason == clusters.ReasonUnknownPurpose {
		want = 0
	}
	if d.Reason == clusters.ReasonGranted {
		want = 1
	}
	if len(d.Candidates) != want {
		t.Errorf("%d candidates, want %d: %+v", len(d.Candidates), want, d.Candidates)
	}
	for _, c := range d.Candidates {
		if c.Reason == "" || (c.Kind == clusters.CandidateProfile) != (c.Ref.Namespace == "") {
			t.Errorf("incomplete: %+v", c)
		}
		if !c.Chosen {
			continue
		}
		chosen++
		if d.Action == clusters.Reuse && c.Ref != d.Cluster || d.Action == clusters.Create && c.Ref.Name != d.Profile || d.Action == clusters.Deny {
			t.Errorf("%s, but %+v is chosen", outcome(d), c)
		}
	}
	if (d.Action != clusters.Deny) != (chosen == 1) {
		t.Errorf("%s with %d chosen candidates", outcome(d), chosen)
	}
	order := func(a, b clusters.Candidate) int {
		return strings.Compare(string(a.Kind)+"\x00"+a.Ref.String(), string(b.Kind)+"\x00"+b.Ref.String())
	}
	if !slices.IsSortedFunc(d.Candidates, order) {
		t.Errorf("not in order: %+v", d.Candidates)
	}
}

// A denial has a fixed reason, and a message that names what no profile meets.
func TestScheduleDenials(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request   adr.Request
		landscape adr.Landscape
		reason    clusters.Reason
		message   string
	}{
		"an unknown purpose": {asked("platform workloads"), proposedLandscape(), clusters.ReasonUnknownPurpose,
			"The purpose workloads is not defined. Defined are mcp, onboarding, platform and workload."},
		"no profile": {asked("platform"), adr.Landscape{Purposes: fourPurposes()}, adr.ReasonNoProfile,
			"No profile is deployed, and no shared Cluster fits."},
		"a trait": {asked("platform", wantsTraits(nodeless)), proposedLandscape(), adr.ReasonUnsupportedTrait,
			"No deployed profile meets the trait foo.bar.baz/nodeless, and no shared Cluster fits."},
		"a negated trait": {asked("platform", wantsTraits("!"+onAWS)), proposedLandscape(), adr.ReasonUnsupportedTrait,
			"No deployed profile meets the absence of the trait infrastructure/vendor/aws, and no shared Cluster fits."},
		"two traits": {asked("platform", wantsTraits(nodeless, onGCP, compute)), proposedLandscape(), adr.ReasonUnsupportedTrait,
			"No deployed profile meets the trait foo.bar.baz/nodeless or the trait infrastructure/vendor/gcp, and no shared Cluster fits."},
		"any of two traits": {asked("platform", wantsTraits(nodeless+"|"+onGCP)), proposedLandscape(), adr.ReasonUnsupportedTrait,
			"No deployed profile meets the trait foo.bar.baz/nodeless or infrastructure/vendor/gcp, and no shared Cluster fits."},
		"a trait under another name": {asked("platform", wantsTraits("other/name")), adr.Landscape{Purposes: fourPurposes(),
			Profiles: proposedProfiles(), Equivalences: [][]string{{"other/name", nodeless}}}, adr.ReasonUnsupportedTrait,
			"No deployed profile meets the trait foo.bar.baz/nodeless (also known as other/name), and no shared Cluster fits."},
		"any of two traits, one under another name": {asked("platform", wantsTraits("a|b")), adr.Landscape{Purposes: fourPurposes(),
			Profiles: proposedProfiles(), Equivalences: [][]string{{"a", "c"}}}, adr.ReasonUnsupportedTrait,
			"No deployed profile meets the trait a (also known as c) or b, and no shared Cluster fits."},
		"dedicated, a trait": {asked("mcp", wantsTraits(nodeless)), proposedLandscape(), adr.ReasonUnsupportedTrait,
			"No deployed profile meets the trait foo.bar.baz/nodeless."},
		"dedicated, no profile": {asked("mcp"), adr.Landscape{Purposes: fourPurposes()}, adr.ReasonNoProfile,
			"No profile is deployed."},
		"dedicated, two traits together": {asked("mcp", wantsTraits(workerless, compute)), proposedLandscape(), adr.ReasonNoProfileMeetsAll,
			"together."},
		"a version": {asked("platform", wantsVersion("1.21")), proposedLandscape(), adr.ReasonUnsupportedVersion,
			"No deployed profile meets Kubernetes 1.21, and no shared Cluster fits."},
		"a trait and a version": {asked("platform", wantsTraits(onGCP), wantsVersion("1.21")), proposedLandscape(), adr.ReasonUnsupportedTrait,
			"No deployed profile meets the trait infrastructure/vendor/gcp or Kubernetes 1.21, and no shared Cluster fits."},
		"two traits together": {asked("workload", wantsTraits(workerless)), proposedLandscape(), adr.ReasonNoProfileMeetsAll,
			"No deployed profile meets the trait cluster.openmcp.cloud/workerless and the trait kubernetes.io/apis/compute together, and no " +
				"shared Cluster fits."},
		"a trait and a version together": {asked("platform", wantsTraits(compute, onAWS), wantsVersion("1.30")), adr.Landscape{
			Purposes: fourPurposes(), Profiles: []adr.Profile{profile("a", "1.20.3", compute, onAWS), profile("b", "1.30.0", onAWS)}},
			adr.ReasonNoProfileMeetsAll, "meets the trait kubernetes.io/apis/compute and Kubernetes 1.30 together"},
		"a purpose's requirement that the request would weaken [choice]": {asked("workload", wantsTraits(compute+"?")), adr.Landscape{
			Purposes: fourPurposes(), Profiles: []adr.Profile{profile("kind", "1.31.0")}}, adr.ReasonUnsupportedTrait,
			"the trait kubernetes.io/apis/compute"},
	} {
		t.Run("The 'ClusterRequest' API Type/denied, "+name, func(t *testing.T) {
			t.Parallel()
			d := schedule(t, test.request, test.landscape)
			if d.Action != clusters.Deny || d.Reason != test.reason || d.Cluster != (clusters.Ref{}) || d.Profile != "" || d.Prefix != "" ||
				d.PrefixRule.String() != "" {
				t.Errorf("%+v", d)
			}
			contains(t, d.Message, test.message)
			checkCandidates(t, d, test.landscape)
		})
	}
}

// A request keeps its grant for life, whatever has changed since.
func TestScheduleKeepsAGrant(t *testing.T) {
	t.Parallel()
	held := shared("a", "aws", "platform", "other-")
	held.Grants = append(held.Grants, adr.Grant{Request: ref("bar", "foo"), Prefix: "mine-"})
	better := shared("b", "aws-workerless", "platform mcp")
	alone := dedicated(shared("c", "aws", "mcp"))
	alone.Grants = []adr.Grant{{Request: ref("bar", "foo")}}
	for name, test := range map[string]struct {
		request   adr.Request
		landscape adr.Landscape
		want      string
		prefix    string
	}{
		"a better Cluster":               {asked("platform", wantsTraits(workerless+"?")), proposedLandscape(held, better), "reuse clusters/a", "mine-"},
		"another proposal":               {asked("platform", wantsPrefix("new-")), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"a purpose is no longer defined": {asked("gone"), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"no profile is left":             {asked("platform"), adr.Landscape{Clusters: []adr.Cluster{held}}, "reuse clusters/a", "mine-"},
		"a requirement is not met":       {asked("platform", wantsTraits(workerless)), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"it should be dedicated":         {asked("mcp"), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"a proposal that is none":        {asked("platform", wantsPrefix("FOO-")), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"a version that is none":         {asked("platform", wantsVersion("latest")), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"no purposes":                    {asked(""), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"a trait without a name":         {asked("platform", wantsTraits("")), proposedLandscape(held), "reuse clusters/a", "mine-"},
		"on a dedicated Cluster":         {asked("mcp"), proposedLandscape(alone), "reuse clusters/c", ""},
	} {
		t.Run("ClusterRequestGrant/kept, "+name, func(t *testing.T) {
			t.Parallel()
			d := schedule(t, test.request, test.landscape)
			if outcome(d) != test.want || d.Reason != clusters.ReasonGranted || d.Prefix != test.prefix || d.PrefixRule.Kind != adr.PrefixKept ||
				d.Dedicated != (test.prefix == "") {
				t.Errorf("%+v", d)
			}
			checkCandidates(t, d, test.landscape)
		})
	}
	namesake := asked("platform", wantsPrefix("mine-"))
	namesake.Ref.Namespace = "elsewhere"
	if d := schedule(t, namesake, proposedLandscape(held)); d.Reason != clusters.ReasonShared || d.PrefixRule.Kind != adr.PrefixRandom {
		t.Errorf("the request of the same name in another namespace: %+v", d)
	}
	second := better
	second.Grants = held.Grants[1:]
	_, err := adr.Schedule(asked("platform"), proposedLandscape(second, held))
	if err == nil || err.Error() != "landscape.clusters: bar/foo holds two grants, on clusters/a and on clusters/b; take one away" {
		t.Errorf("two grants: %v", err)
	}
}

// The rule of a prefix that is kept says what kind of prefix it is, and an empty one on a shared Cluster is warned of.
func TestScheduleKeptPrefix(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dedicated            bool
		prefix, why, warning string
	}{
		"on a shared Cluster":                   {false, "foo-", "kept: the request holds a grant with this prefix", ""},
		"on a dedicated Cluster":                {true, "", "kept: the request holds a grant, and its Cluster is dedicated", ""},
		"on a dedicated Cluster, with a prefix": {true, "foo-", "kept: the request holds a grant with this prefix", ""},
		"none on a shared Cluster": {false, "", "kept: the request holds a grant without a prefix",
			"The grant of bar/foo on the shared Cluster clusters/a has no prefix, so its names can collide with those of other requests."},
	} {
		t.Run("ClusterRequestGrant/kept, "+name, func(t *testing.T) {
			t.Parallel()
			c := shared("a", "aws", "platform")
			c.Dedicated, c.Grants = test.dedicated, []adr.Grant{{Request: ref("bar", "foo"), Prefix: test.prefix}}
			d := schedule(t, asked("platform"), proposedLandscape(c))
			if d.PrefixRule.String() != test.why || strings.Join(d.Warnings, "") != test.warning {
				t.Errorf("%q %q, want %q %q", d.PrefixRule, d.Warnings, test.why, test.warning)
			}
		})
	}
	c := shared("a", "aws", "platform")
	c.Grants = []adr.Grant{{Request: ref("bar", "foo"), Prefix: "a---"}, {Request: ref("bar", "foo"), Prefix: "b---"}}
	_, err := adr.Schedule(asked("platform"), proposedLandscape(c))
	if err == nil || err.Error() != "landscape.clusters: bar/foo holds two grants on clusters/a; take one away" {
		t.Errorf("two grants on one Cluster: %v", err)
	}
}

// A shared Cluster that exists keeps its version, also a deprecated one: a second Cluster for the same purpose would be worse.
func TestScheduleDeprecatedCluster(t *testing.T) {
	t.Parallel()
	old := atVersion(shared("a", "aws", "platform"), "1.19.2")
	for _, version := range []string{"", "1.19", "1.19.2"} {
		d := schedule(t, asked("platform", wantsVersion(version)), proposedLandscape(old))
		if outcome(d) != "reuse clusters/a" || len(d.Warnings) != 1 {
			t.Errorf("%q: %s %q", version, outcome(d), d.Warnings)
			continue
		}
		contains(t, d.Warnings[0], "The Cluster clusters/a runs Kubernetes 1.19.2, which is deprecated.")
	}
}

func TestScheduleMessages(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]adr.Decision{
		"The shared Cluster clusters/a fits: it meets what is asked for and has 1 grant.": schedule(t, asked("platform"),
			proposedLandscape(shared("a", "aws", "platform", "xxx-"))),
		"The shared Cluster clusters/a fits: it meets 1 of 2 optional traits and has 0 grants.": schedule(t, asked("platform", wantsTraits(
			workerless+"?", compute+"?")), proposedLandscape(shared("a", "aws", "platform"))),
		"No shared Cluster fits: a new one is made from the profile aws with Kubernetes 1.20.3; it meets what is asked for.": schedule(t,
			asked("platform"), proposedLandscape()),
		"The request is dedicated, because mcp is: a new one is made from the profile aws-workerless with Kubernetes 1.20.3; it meets 1 of 1 " +
			"optional trait.": schedule(t, asked("mcp platform"), proposedLandscape()),
		"The request asks for a dedicated Cluster: a new one is made from the profile p with a Kubernetes version of the provider's choice; it " +
			"meets what is asked for.": schedule(t, asked("platform", wantsDedicated(true)), adr.Landscape{Purposes: fourPurposes(),
			Profiles: []adr.Profile{profile("p", "")}}),
	} {
		if d.Message != want {
			t.Errorf("%q, want %q", d.Message, want)
		}
	}
}

func TestScheduleErrors(t *testing.T) {
	t.Parallel()
	torn := proposedLandscape()
	torn.Purposes["torn"] = adr.Purpose{Traits: traits("x", "!x")}
	twice := proposedLandscape(shared("a", "aws", "platform"), shared("b", "aws", "platform"), shared("a", "aws", ""))
	same := proposedLandscape()
	same.Profiles = append(same.Profiles, profile("aws", ""))
	nameless := proposedLandscape()
	nameless.Profiles = append(nameless.Profiles, profile("", ""))
	empty := proposedLandscape()
	empty.Equivalences = [][]string{{"x"}, {"x", ""}}
	nul := proposedLandscape()
	nul.Profiles[1].Traits = []string{"a", "a\x00b"}
	nulName := proposedLandscape()
	nulName.Equivalences = [][]string{{"x", "\x7f"}}
	for name, test := range map[string]struct {
		request   adr.Request
		landscape adr.Landscape
		want      string
	}{
		"a control character in a profile":      {asked("platform"), nul, `landscape.profiles[1].traits[1]: the trait "a\x00b" has a control character`},
		"a control character in an equivalence": {asked("platform"), nulName, `landscape.equivalences[0][1]: the trait "\x7f" has a control character`},
		"no purpose":                            {asked(""), proposedLandscape(), "request.purposes: a request has one purpose at least"},
		"no namespace":                          {adr.Request{Ref: ref("", "a"), Purposes: []string{"platform"}}, proposedLandscape(), "request: the key namespace is needed"},
		"no name":                               {adr.Request{Ref: ref("a", ""), Purposes: []string{"platform"}}, proposedLandscape(), "request: the key name is needed"},
		"a slash":                               {adr.Request{Ref: ref("a", "b/c"), Purposes: []string{"platform"}}, proposedLandscape(), `request.name: "b/c" has a slash`},
		"a purpose that is torn":                {asked("torn"), torn, "landscape.purposes.torn.traits[1]: the trait x is asked for and negated at once"},
		"a request that is torn":                {asked("platform", wantsTraits("x", "!x")), proposedLandscape(), "request.traits[1]: the trait x"},
		"a Cluster twice":                       {asked("platform"), twice, "landscape.clusters[2]: the Cluster clusters/a is there twice"},
		"a Cluster without a name":              {asked("platform"), proposedLandscape(adr.Cluster{Ref: ref("a", "")}), "landscape.clusters[0]: the key name is needed"},
		"a profile twice":                       {asked("platform"), same, `landscape.profiles[2]: each profile needs a name of its own; "aws" is there twice`},
		"a profile without a name":              {asked("platform"), nameless, "landscape.profiles[2]: the profile needs a name"},
		"a trait without a name":                {asked("platform"), empty, "landscape.equivalences[1][1]: the trait needs a name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := adr.Schedule(test.request, test.landscape)
			var input *adr.InputError
			if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
