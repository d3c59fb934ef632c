package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// largeSet returns 1,000 entries without problems: four plans, each with a general entry, 100 platform regions, 99
// hyperscaler regions and 50 pairs.
func largeSet() []string {
	entries := make([]string, 0, 1000)
	for _, plan := range []string{"aws", "gcp", "azure", "openstack"} {
		entries = append(entries, plan)
		for i := range 100 {
			entries = append(entries, fmt.Sprintf("%s(PR=cf-region-%d)", plan, i))
		}
		for i := range 98 {
			entries = append(entries, fmt.Sprintf("%s(CR=zone-%d, PR=*, shared)", plan, i))
		}
		for i := range 50 {
			entries = append(entries, fmt.Sprintf("%s(PR=cf-region-%d, CR=zone-%d, shared, euAccess=*)", plan, i, i))
		}
		entries = append(entries, plan+"(PR=*, CR=*)")
	}
	return entries
}

// largeRequest is a request to largeSet; the names are those of the benchmarks.
type largeRequest struct {
	name string
	rules.Request
}

func largeRequests() []largeRequest {
	return []largeRequest{
		{"no-region", request("aws")},
		{"both-named", request("gcp", "cf-region-7", "zone-7")},
		{"platform-named", request("azure", "cf-region-99", "elsewhere")},
		{"hyperscaler-named", request("sap-converged-cloud", "elsewhere", "zone-42")},
		{"none-named", request("aws", "elsewhere", "elsewhere")},
		{"platform-alone", request("openstack", "cf-region-1")},
	}
}

// crossingSet returns 1,000 entries in which 499 platform regions cross 499 hyperscaler regions, settled or not.
func crossingSet(settled bool) []string {
	entries := []string{"gcp(CR=*)", "gcp"}
	if settled {
		entries[0] = "gcp(PR=*, CR=*)"
	}
	for i := range 499 {
		entries = append(entries, fmt.Sprintf("gcp(PR=cf-region-%d)", i), fmt.Sprintf("gcp(CR=zone-%d)", i))
	}
	return entries
}

// gridSet returns 1,000 entries: 31 platform regions, 31 hyperscaler regions and all but 23 of their pairs settled one by one.
func gridSet() []string {
	var entries []string
	for i := range 31 {
		entries = append(entries, fmt.Sprintf("gcp(PR=cf-region-%d)", i), fmt.Sprintf("gcp(CR=zone-%d)", i))
		for j := range 31 {
			entries = append(entries, fmt.Sprintf("gcp(PR=cf-region-%d,CR=zone-%d)", i, j))
		}
	}
	return entries[:1000]
}

func unknownSet() []string {
	entries := make([]string, 1000)
	for i := range entries {
		entries[i] = fmt.Sprintf("build-runtime-gpc-%d(PR=, CR=a, HR=b, zone)", i)
	}
	return entries
}

// sortedEntries is what the matcher that sorts and scans reads.
type sortedEntries []rules.Entry

func (s sortedEntries) sort() {
	slices.SortStableFunc(s, func(a, b rules.Entry) int { return attributesOf(b) - attributesOf(a) })
}

// scan returns the first entry that matches.
func (s sortedEntries) scan(r rules.Request) *rules.Entry {
	fits := func(p rules.Pattern, region string) bool {
		return p == rules.PatternNone || p == rules.PatternAny && region != "" || string(p) == region
	}
	for i := range s {
		if s[i].Plan == r.Plan && fits(s[i].PlatformRegion, r.PlatformRegion) && fits(s[i].HyperscalerRegion, r.HyperscalerRegion) {
			return &s[i]
		}
	}
	return nil
}

// BenchmarkMatch matches requests in a set of 1,000 entries: by the index of the package; by a scan of the plan's entries,
// sorted beforehand; and as KEB does, which picks and sorts the plan's entries for each request. For the ratios:
// benchstat -col /matcher.
func BenchmarkMatch(b *testing.B) {
	set := compile(b, attribute, largeSet()...)
	if n := len(set.Entries()); n != 1000 {
		b.Fatalf("%d entries", n)
	}
	byPlan := make(map[string]sortedEntries)
	for _, e := range set.Entries() {
		byPlan[e.Plan] = append(byPlan[e.Plan], e)
	}
	sorted := make(map[string]sortedEntries)
	for plan, entries := range byPlan {
		sorted[plan] = slices.Clone(entries)
		sorted[plan].sort()
	}
	for _, r := range largeRequests() {
		m, err := set.Match(r.Request)
		if err != nil {
			b.Fatal(err)
		}
		if r.Plan == "openstack" { // the index alone knows the alias
			r.Plan = "sap-converged-cloud"
		}
		want := m.Entry().Number
		for _, bb := range []struct {
			name  string
			match func() int
		}{
			{"indexed", func() int {
				m, _ := set.Match(r.Request)
				return m.Entry().Number
			}},
			{"scan", func() int { return sorted[r.Plan].scan(r.Request).Number }},
			{"sort-and-scan", func() int {
				picked := slices.Clone(byPlan[r.Plan])
				picked.sort()
				return picked.scan(r.Request).Number
			}},
		} {
			b.Run("matcher="+bb.name+"/request="+r.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := bb.match(); got != want {
						b.Fatalf("entry %d, want %d", got, want)
					}
				}
			})
		}
	}
}

// BenchmarkCompile reads and validates sets of 1,000 entries, with the checks for ambiguous and shadowed entries.
func BenchmarkCompile(b *testing.B) {
	for _, bb := range []struct {
		name    string
		entries []string
		errors  bool
	}{
		{"valid", largeSet(), false},
		{"crossing-settled", crossingSet(true), false},
		{"crossing-ambiguous", crossingSet(false), true},
		{"grid", gridSet(), true},
		{"five-errors-an-entry", unknownSet(), true},
	} {
		b.Run("set="+bb.name, func(b *testing.B) {
			b.ReportAllocs()
			if len(bb.entries) != 1000 {
				b.Fatalf("%d entries", len(bb.entries))
			}
			for b.Loop() {
				if _, problems := rules.Compile(rules.Source{Entries: bb.entries}); problems.HasErrors() != bb.errors {
					b.Fatal(problems[0])
				}
			}
		})
	}
}

// BenchmarkLegacy reads legacy properties: those of the broker's page, and ones with 30 regions for all plans.
func BenchmarkLegacy(b *testing.B) {
	var regions []string
	for i := range 30 {
		regions = append(regions, fmt.Sprintf("*:cf-region-%d", i))
	}
	for _, bb := range []struct {
		name   string
		legacy rules.Legacy
	}{
		{"initial", rules.Legacy{
			PlatformRegionRule: "gcp:cf-sa30", ClusterRegionRule: "sap-converged-cloud",
			SharedRule: "trial;sap-converged-cloud", EUAccessRule: "azure:cf-ch20;aws:cf-eu11",
		}},
		{"30-regions", rules.Legacy{PlatformRegionRule: strings.Join(regions, ";")}},
	} {
		b.Run("do=compile/set="+bb.name, func(b *testing.B) {
			for b.Loop() {
				if _, problems := rules.Compile(rules.Source{Legacy: &bb.legacy}); len(problems) > 0 {
					b.Fatal(problems)
				}
			}
		})
	}
}

// BenchmarkRuleFile writes the file of 1,000 entries of the attribute syntax, a table for each plan.
func BenchmarkRuleFile(b *testing.B) {
	set := compile(b, attribute, largeSet()...)
	for b.Loop() {
		if set.RuleFile() == "" {
			b.Fatal("no file")
		}
	}
}

// BenchmarkConvert converts 1,000 entries between the syntaxes, or finds that they have no equal.
func BenchmarkConvert(b *testing.B) {
	large, crossing := compile(b, attribute, largeSet()...), compile(b, attribute, crossingSet(true)...)
	for _, bb := range []struct {
		name  string
		set   *rules.Set
		equal bool
	}{{"crossing", crossing, true}, {"large", large, false}} {
		b.Run("set="+bb.name, func(b *testing.B) {
			for b.Loop() {
				if entries, problems := bb.set.Convert(arrow); (entries != nil) != bb.equal {
					b.Fatal(len(entries), problems)
				}
			}
		})
	}
}

func BenchmarkID(b *testing.B) {
	set := compile(b, attribute, largeSet()...)
	for b.Loop() {
		if set.ID() == "" {
			b.Fatal("no ID")
		}
	}
}
