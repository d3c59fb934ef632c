package rules_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// brokerWarnings are the warnings that the broker refuses an entry, or reads it in another way.
func brokerWarnings(problems rules.Problems) []string {
	var all []string
	for _, p := range problems {
		if p.Kind == rules.KindParse && p.Severity == rules.SeverityWarning {
			all = append(all, short(p))
		}
	}
	return all
}

// What arrow syntax takes here and the broker refuses is a warning at its place.
func TestWarnsOfWhatKEBRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"aws":                            nil,
		" aws\t( PR =\ncf-eu11\r)\f-> S": nil,
		"aws()":                          {"warning parse [1] 4 Parentheses refused by KEB"},
		"aws ( ) -> S":                   {"warning parse [1] 5 Parentheses refused by KEB"},
		"openstack -> HR":                {"warning parse [1] 1 Plan unknown to KEB"},
		" openstack(HR=eu-de-1)":         {"warning parse [1] 2 Plan unknown to KEB"},
		"aws\u00a0-> S":                  {"warning parse [1] 4 Blank unknown to KEB"},
		"aws(PR=cf-eu11)\v":              {"warning parse [1] 16 Blank unknown to KEB"},
		"\u2003aws(PR=\u0085cf-eu11)":    {"warning parse [1] 1 Blank unknown to KEB"},
		"openstack\u00a0()": {
			"warning parse [1] 1 Plan unknown to KEB", "warning parse [1] 10 Blank unknown to KEB",
			"warning parse [1] 11 Parentheses refused by KEB",
		},
		"aws(PR=*)": {"warning parse [1] 8 Wildcard unknown to KEB"},
	} {
		set, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: []string{text}})
		got := brokerWarnings(problems)
		slices.Sort(got)
		slices.Sort(want)
		if set == nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %q", text, shorts(problems), want)
		}
		if file := ruleFileEntries(t, set.RuleFile()); kebLoad(file, rules.DefaultPlans()).verdict != "valid" {
			t.Errorf("%q: KEB refuses the rule file %q", text, file)
		}
	}
	// a plan of the set itself is no alias; hap_rule_set warns of plans that KEB does not know
	_, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: []string{"openstack"}, Plans: rules.Plans{"openstack": {"openstack"}}})
	if len(problems) > 0 {
		t.Errorf("an own plan openstack: %v", problems)
	}
}

// Whatever an entry says: where arrow syntax takes it without a warning, the broker takes it, and leads every request alike; where
// there is a warning, the broker refuses it or reads it otherwise.
func TestNoSilentDifferenceFromKEB(t *testing.T) {
	t.Parallel()
	random := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", random)
	r := rand.New(rand.NewPCG(random, 0))
	requests := kebRequests()
	for _, region := range []string{"b", "cf-eu11"} {
		requests = append(requests, request("sap-converged-cloud", "cf-eu11", region, "openstack"))
	}
	odd := []string{"\u00a0", "\v", "\u2003", "\u0085", "\u3000", "()", "( )", "*", " ", "\t", "(", ")", ",", "=", "->", "=>", "S", "PR"}
	seen := map[string]int{}
	for range 8_000 {
		text := randomKEBRule(r)
		if r.IntN(4) == 0 {
			text = strings.Replace(text, "gcp", pick(r, "openstack", "sap-converged-cloud", "Gcp"), 1)
		}
		for range r.IntN(3) {
			i := r.IntN(len(text) + 1)
			text = text[:i] + pick(r, odd...) + text[i:]
		}
		set, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: []string{text}})
		if set == nil {
			seen["refused here"]++
			continue
		}
		keb := kebLoad([]string{text}, rules.DefaultPlans())
		e := set.Entries()[0]
		own := requests // and one in the regions of the entry
		for _, hyperscaler := range rules.DefaultPlans()[e.Plan] {
			own = append(own, request(e.Plan, cmp.Or(regionOf(e.PlatformRegion), "a"), cmp.Or(regionOf(e.HyperscalerRegion), "b"), hyperscaler))
		}
		alike := keb.verdict == "valid" && !slices.ContainsFunc(own, func(q rules.Request) bool { return differs(set, keb, q) })
		warned := len(brokerWarnings(problems)) > 0
		if alike == warned {
			t.Fatalf("%q is %s for KEB, alike %t; here %v", text, keb.verdict, alike, shorts(problems))
		}
		seen[keb.verdict]++
	}
	for _, verdict := range []string{"refused here", "valid", "parse", "unknown_plan"} {
		if seen[verdict] < 100 {
			t.Errorf("too little was tried: %v", seen)
		}
	}
}

func regionOf(p rules.Pattern) string { return strings.TrimPrefix(string(p), "*") }

// differs reports whether the two lead a request with both regions, as the broker has it, to different pools.
func differs(set *rules.Set, keb kebSet, q rules.Request) bool {
	if q.PlatformRegion == "" || q.HyperscalerRegion == "" {
		return false
	}
	return answer(set, q) != brokerAnswer(keb, q)
}
