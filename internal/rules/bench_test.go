package rules_test

import (
	"fmt"
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

func largeRequests() []rules.Request {
	return []rules.Request{
		request("aws"),
		request("gcp", "cf-region-7", "zone-7"),
		request("azure", "cf-region-99", "elsewhere"),
		request("sap-converged-cloud", "elsewhere", "zone-42"),
		request("aws", "elsewhere", "elsewhere"),
		request("openstack", "cf-region-1"),
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

func BenchmarkMatch1000(b *testing.B) {
	set := compile(b, attribute, largeSet()...)
	if n := len(set.Entries()); n != 1000 {
		b.Fatalf("%d entries", n)
	}
	for _, r := range largeRequests() {
		b.Run(r.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := set.Match(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile1000(b *testing.B) {
	for _, bb := range []struct {
		name    string
		entries []string
		errors  bool
	}{
		{"valid", largeSet(), false},
		{"crossing, settled", crossingSet(true), false},
		{"crossing, ambiguous", crossingSet(false), true},
		{"grid", gridSet(), true},
		{"five errors an entry", unknownSet(), true},
	} {
		b.Run(bb.name, func(b *testing.B) {
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

func BenchmarkID1000(b *testing.B) {
	set := compile(b, attribute, largeSet()...)
	for b.Loop() {
		if set.ID() == "" {
			b.Fatal("no ID")
		}
	}
}
