package rules_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// Two regions of longEntries fill a label on aws and gcp; two that are longest fit into none.
var (
	longA, longB = strings.Repeat("a", 29), strings.Repeat("b", 29)
	longest      = strings.Repeat("c", 40)
)

// longEntries writes long regions out.
func longEntries(entries ...string) []string {
	long := strings.NewReplacer("LONG-A", longA, "LONG-B", longB, "LONGEST", longest)
	for i, e := range entries {
		entries[i] = long.Replace(e)
	}
	return entries
}

// withLongRegions gives some sets long regions.
func withLongRegions(r *rand.Rand, src rules.Source) rules.Source {
	regions := pick(r, nil, nil,
		[]string{"a", longA, "b", longB}, []string{"a", longest, "b", longest}, []string{"cf-eu11", longA, "b", longB})
	if src.Legacy != nil || regions == nil {
		return src
	}
	for i, e := range src.Entries {
		plan, attributes, _ := strings.Cut(e, "(")
		for j := 0; j < len(regions); j += 2 {
			attributes = regexp.MustCompile(`= *`+regions[j]+`\b`).ReplaceAllString(attributes, "="+regions[j+1])
		}
		if src.Entries[i] = plan; attributes != "" {
			src.Entries[i] += "(" + attributes
		}
	}
	if len(src.EUAccessPlatformRegions) > 0 {
		src.EUAccessPlatformRegions = append(slices.Clone(src.EUAccessPlatformRegions), longA, longest)
	}
	return src
}

// everyRequest returns every request over the alphabet: regions and hyperscalers given or not. The platform region decides
// about EU access.
func everyRequest() []rules.Request {
	var all []rules.Request
	platforms := unique(slices.Concat(filePlatforms, legacyRegions, []string{"", "unnamed", "other", "no label!", longA, longest}))
	regions := unique(slices.Concat(fileRegions, legacyRegions, []string{"", "other", "no label!", longB, longest}))
	for plan, hyperscalers := range filePlans {
		for _, hyperscaler := range append([]string{""}, hyperscalers...) {
			for _, platform := range platforms {
				for _, region := range regions {
					all = append(all, request(plan, platform, region, hyperscaler))
				}
			}
		}
	}
	return all
}

// Between any two syntaxes, every request has the same outcome before and after; what is refused names an entry and a reason.
func TestConvertedSetsAnswerAlike(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	all := everyRequest()
	converted, refused := map[rules.Syntax]int{}, map[rules.Syntax]int{}
	sets := 200
	if os.Getenv("HAP_WHOLE") != "" { // as in make test-all
		sets = 2000
	}
	for range sets {
		src := withLongRegions(r, randomSource(r))
		set, _ := rules.Compile(src)
		if set == nil { // an entry is too long
			continue
		}
		for _, to := range rules.Syntaxes() {
			entries, problems := set.Convert(to)
			if problems != nil {
				refused[to]++
				checkRefusals(t, set, to, entries, problems)
				continue
			}
			converted[to]++
			again, found := rules.Compile(rules.Source{
				Syntax: to, Entries: entries, Plans: src.Plans, EUAccessPlatformRegions: src.EUAccessPlatformRegions,
			})
			if again == nil {
				t.Fatalf("%+v becomes %q: %v", src, entries, found)
			}
			for _, q := range all {
				if got, want := answer(again, q), answer(set, q); got != want {
					t.Fatalf("%+v becomes %q: %v is %s, want %s", src, entries, q, got, want)
				}
			}
		}
	}
	t.Logf("converted %v, refused %v", converted, refused)
	if converted[attribute] < sets/5 || converted[arrow] < sets/5 || refused[attribute] < sets/5 || refused[arrow] == 0 {
		t.Errorf("too little was tried: converted %v, refused %v", converted, refused)
	}
}

// checkRefusals checks that a refusal names entries of the set, or elements of its properties, and says why.
func checkRefusals(t *testing.T, set *rules.Set, to rules.Syntax, entries []string, problems rules.Problems) {
	t.Helper()
	if entries != nil {
		t.Errorf("there are entries beside the problems %v", problems)
	}
	for _, p := range problems {
		named := strings.HasPrefix(p.Field, "legacy.") && p.Column > 0
		for _, n := range p.Entries {
			named = set.Entries()[n-1].Text == p.Text && strings.Contains(p.Message, strings.TrimSpace(p.Text))
		}
		if !named || p.Kind != rules.KindInexpressible || p.Severity != rules.SeverityError ||
			!strings.Contains(p.Message, "No equal in "+string(to)+" syntax") {
			t.Errorf("a refusal is %+v", p)
		}
		if strings.Contains(p.Message, "too long") && !strings.Contains(p.Message, longA) && !strings.Contains(p.Message, longest) {
			t.Errorf("%q: no reason: %+v", textsOf(set), p)
		}
	}
}

// brokerExample is the initial configuration of the broker's page, word for word (ADR 001).
const brokerExample = `
hap: 
  rule:
  - azure(euAccess=*)
  - aws(euAccess=*)
  - trial(shared)
  - gcp
  - gcp(PR=cf-sa30) 
  - openstack(CR=*, shared)

  platformRegionRule: "gcp:cf-sa30"
  clusterRegionRule: "sap-converged-cloud"
  sharedRule: "trial;sap-converged-cloud"
  euAccessRule: "azure:cf-ch20;aws:cf-eu11"
`

// brokerSources reads brokerExample: its entries and its four properties.
func brokerSources(t *testing.T) (entries, properties rules.Source) {
	t.Helper()
	before, after, _ := strings.Cut(brokerExample, "\n\n")
	for line := range strings.Lines(before) {
		if entry, found := strings.CutPrefix(line, "  - "); found {
			entries.Entries = append(entries.Entries, strings.TrimSuffix(entry, "\n"))
		}
	}
	l := legacyBlock(t, "hap:\n"+after)
	properties.Legacy = &l
	properties.Plans = only(rules.Plans{
		"aws": {"aws"}, "azure": {"azure"}, "gcp": {"gcp"}, "sap-converged-cloud": {"openstack"}, "trial": {"aws", "azure"},
	})
	return entries, properties
}

func TestConvert(t *testing.T) {
	t.Parallel()
	entries, properties := brokerSources(t)
	tests := []struct {
		name string
		src  rules.Source
		to   rules.Syntax
		want []string
	}{
		{"the broker's initial configuration, entries", entries, arrow, []string{
			"azure", "azure(PR=cf-ch20) -> EU", "azure(PR=cf-eu11) -> EU", "aws", "aws(PR=cf-ch20) -> EU", "aws(PR=cf-eu11) -> EU",
			"trial -> S", "gcp", "gcp(PR=cf-sa30) -> PR", "sap-converged-cloud -> HR,S",
		}},
		{"the broker's initial configuration, properties", properties, arrow, []string{
			"aws", "aws(PR=cf-eu11) -> EU", "aws(HR=cf-eu11) -> EU", "aws(PR=cf-eu11,HR=cf-eu11) -> EU",
			"azure", "azure(PR=cf-ch20) -> EU", "azure(HR=cf-ch20) -> EU", "azure(PR=cf-ch20,HR=cf-ch20) -> EU",
			"gcp", "gcp(PR=cf-sa30) -> PR", "gcp(HR=cf-sa30) -> PR", "gcp(PR=cf-sa30,HR=cf-sa30) -> PR",
			"sap-converged-cloud -> HR,S", "trial -> S",
		}},
		{"and back", rules.Source{Syntax: arrow, Entries: []string{
			"azure", "azure(PR=cf-ch20) -> EU", "azure(PR=cf-eu11) -> EU", "trial -> S", "gcp", "gcp(PR=cf-sa30) -> PR", "openstack -> HR, S",
		}}, attribute, []string{"azure(euAccess=*)", "trial(shared)", "gcp", "gcp(PR=cf-sa30)", "sap-converged-cloud(CR=*,shared)"}},
		{"EU access regions of the set", rules.Source{Entries: []string{"aws(euAccess=*)"}, EUAccessPlatformRegions: []string{"x"}}, arrow,
			[]string{"aws", "aws(PR=x) -> EU"}},
		{"as written", rules.Source{Entries: []string{" gcp( shared )", "openstack", "gcp(PR=a,shared)"}},
			attribute, []string{" gcp( shared )", "openstack", "gcp(PR=a,shared)"}},
		{"a * that the broker does not know", rules.Source{Syntax: arrow, Entries: []string{" aws ->S", "sap-converged-cloud(HR=*) -> S"}}, arrow,
			[]string{" aws ->S", "sap-converged-cloud -> HR,S"}},
		{"a * that is needed: without a region there is another pool", rules.Source{Entries: []string{"gcp", "gcp(PR=*)"}},
			arrow, []string{"gcp", "gcp(PR=*) -> PR"}},
		{"a pair for two entries of one attribute", rules.Source{Entries: []string{"gcp(PR=a,shared)", "gcp(CR=b)"}}, arrow,
			[]string{"gcp(PR=a) -> PR,S", "gcp(HR=b) -> HR", "gcp(PR=a,HR=b) -> PR,S"}},
		{"euAccess=* settles: a is no EU access region",
			rules.Source{Syntax: arrow, Entries: []string{"gcp -> PR", "gcp(PR=a) -> PR,S", "gcp(PR=b) -> PR"}}, attribute,
			[]string{"gcp(PR=*)", "gcp(PR=a,shared)"}},
		{"* beside a name, and nothing without a region", rules.Source{Entries: []string{"gcp(PR=*)", "gcp(PR=a,shared)"}},
			arrow, []string{"gcp -> PR", "gcp(PR=a) -> PR,S"}},
		{"properties without a region", rules.Source{
			Legacy: &rules.Legacy{PlatformRegionRule: "gcp", SharedRule: "trial"}, Plans: only(rules.Plans{"gcp": {"gcp"}, "trial": {"aws"}}),
		},
			attribute, []string{"gcp(PR=*)", "trial(shared)"}},
		{"a pair that no entry can be for", rules.Source{Entries: longEntries("gcp(PR=LONGEST,shared)", "gcp(PR=*,CR=LONGEST,shared)")},
			arrow, longEntries("gcp(PR=LONGEST) -> PR,S", "gcp(PR=*,HR=LONGEST) -> PR,HR,S")},
		{"a pair that no account can be for", rules.Source{
			Entries: longEntries("gcp(PR=*,CR=LONGEST,euAccess=*)"), EUAccessPlatformRegions: []string{longest},
		}, arrow, longEntries("gcp(HR=LONGEST) -> PR,HR")},
		{"what is first written for one region does not go with the other", rules.Source{Syntax: arrow, Entries: longEntries(
			"trial(PR=LONG-A) -> PR,HR", "trial(PR=*,HR=LONG-B) -> PR,HR",
		)}, arrow, longEntries("trial(PR=LONG-A) -> PR,HR", "trial(PR=*,HR=LONG-B) -> PR,HR")},
		{"no entry for another region", rules.Source{Entries: []string{"gcp(CR=x)", "gcp(PR=a,CR=y)"}},
			arrow, []string{"gcp(HR=x) -> HR", "gcp(PR=a,HR=y) -> PR,HR"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := rules.Compile(tt.src)
			if set == nil {
				t.Fatal(problems)
			}
			if got, problems := set.Convert(tt.to); !slices.Equal(got, tt.want) || problems != nil {
				t.Errorf("got %q, %v\nwant %q", got, problems, tt.want)
			}
		})
	}
}

// A refusal names the entry, or the element of a property, and shows a request that the syntax cannot lead there.
func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	gcp := only(rules.Plans{"gcp": {"gcp"}})
	tests := []struct {
		name string
		src  rules.Source
		to   rules.Syntax
		want string
	}{
		{"a label for a region alone", rules.Source{Syntax: arrow, Entries: []string{"trial", "trial(PR=eu) -> S"}}, attribute,
			`No equal in attribute syntax for entry 2 ("trial(PR=eu) -> S"): "trial(PR=eu,shared)" would lead the request (plan ` +
				`trial, platform region eu, no hyperscaler region) to <hyperscaler>_eu (shared), not to <hyperscaler> (shared). In ` +
				`attribute syntax an entry adds each region that it matches to the hyperscaler type. Keep arrow syntax, or change ` +
				`the entry.`},
		{"EU access in one of two regions", rules.Source{Syntax: arrow, Entries: []string{"aws", "aws(PR=cf-eu11) -> EU"}}, attribute,
			`No equal in attribute syntax for entry 2 ("aws(PR=cf-eu11) -> EU"): "aws(PR=cf-eu11,euAccess)" would lead the ` +
				`request (plan aws, platform region cf-eu11, no hyperscaler region) to aws_cf-eu11 (EU access), not to aws (EU ` +
				`access). In attribute syntax an entry adds each region that it matches to the hyperscaler type. Without that, ` +
				`euAccess=* grants EU access in all of cf-ch20, cf-eu11. Keep arrow syntax, or change the entry.`},
		{"a region that must be there", rules.Source{Syntax: arrow, Entries: []string{"gcp", "gcp(PR=a) -> PR,HR"}}, attribute,
			`No equal in attribute syntax for entry 2 ("gcp(PR=a) -> PR,HR"): the request (plan gcp, platform region a, no ` +
				`hyperscaler region) must fail, because the entry adds a region that it lacks, and "gcp" would take it. Keep arrow ` +
				`syntax, or change the entry.`},
		{"an entry that outweighs others", rules.Source{Syntax: arrow, Entries: []string{"gcp -> S,EU", "gcp(PR=a) -> PR"}}, attribute,
			`No equal in attribute syntax for entry 2 ("gcp(PR=a) -> PR"): "gcp(shared,euAccess)" would win the request (plan ` +
				`gcp, platform region a, no hyperscaler region), because it has more attributes there. Keep arrow syntax, or change ` +
				`the entry.`},
		{"a property", rules.Source{Legacy: &rules.Legacy{PlatformRegionRule: "gcp:cf-sa30"}, Plans: gcp}, attribute,
			`No equal in attribute syntax for "gcp:cf-sa30" of platform_region_rule, which makes the entry "gcp(HR=cf-sa30) -> ` +
				`PR": the request (plan gcp, no platform region, hyperscaler region cf-sa30) must fail, because the entry adds a ` +
				`region that it lacks, and "gcp" would take it. Convert to syntax "arrow", which can say all that the properties ` +
				`can.`},
		{"a property that may be for a hyperscaler region",
			rules.Source{Legacy: &rules.Legacy{PlatformRegionRule: "gcp:us-central1"}, Plans: gcp}, attribute,
			`No equal in attribute syntax for "gcp:us-central1" of platform_region_rule, which makes the entry "gcp(HR=us-central1) -> PR": `},
		{"a property without a suffix", rules.Source{Legacy: &rules.Legacy{SharedRule: "gcp:cf-eu10"}, Plans: gcp}, attribute,
			`No equal in attribute syntax for "gcp:cf-eu10" of shared_rule, which makes the entry "gcp(PR=cf-eu10) -> S": ` +
				`"gcp(PR=cf-eu10,shared)" would lead`},
		{"* beside a name", rules.Source{Entries: []string{"gcp", "gcp(PR=*)", "gcp(PR=a,shared)"}}, arrow,
			`No equal in arrow syntax for entry 3 ("gcp(PR=a,shared)"): "gcp(PR=*) -> PR" and "gcp(PR=a) -> PR,S" would both ` +
				`match the request (plan gcp, platform region a, no hyperscaler region) with 1 attribute each, and no entry settles ` +
				`them. Keep attribute syntax, or change the entry; the rule file of the set is in the broker's syntax all the same.`},
		{"an unknown syntax", rules.Source{Entries: []string{"gcp"}}, "legacy",
			`Unknown syntax: found "legacy"; expected "attribute" or "arrow".`},
		{"a label that is too long for a pair: aws has room, azure has not",
			rules.Source{Entries: longEntries("trial(CR=LONG-B)", "trial(PR=LONG-A)", "trial(PR=*,CR=LONG-B)", "trial(PR=LONG-A,CR=*,shared)")},
			arrow, "with 2 attributes each, and the hyperscaler type of an entry that settles them is too long for a label. Keep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := rules.Compile(tt.src)
			if set == nil {
				t.Fatal(problems)
			}
			entries, problems := set.Convert(tt.to)
			if entries != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, tt.want) {
				t.Errorf("got %q, %v\nwant %s", entries, problems, tt.want)
			}
		})
	}
}
