package rules_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The alphabet of generated rule files.
var (
	kebPlans     = only(rules.Plans{"gcp": {"gcp"}, "build-runtime-aws": {"aws"}, "trial": {"aws", "azure"}})
	kebPlatforms = []string{"cf-eu11", "cf-sa30", "PR"}
	kebRegions   = []string{"eu-de-1", "b", "cf-eu11"}
)

// randomKEBRule writes a well-formed rule, with blanks between the tokens.
func randomKEBRule(r *rand.Rand) string {
	blank := func() string { return pick(r, "", "", "", " ", "\t", "\n ", "\r", "\f") }
	var tokens []string
	add := func(token string) { tokens = append(tokens, blank(), token) }
	add(pick(r, "gcp", "gcp", "build-runtime-aws", "trial", "gpc"))
	if tokens[1] == "gpc" && r.IntN(4) > 0 {
		tokens[1] = "gcp"
	}
	list := func(separated []string, token func(string)) {
		r.Shuffle(len(separated), func(i, j int) { separated[i], separated[j] = separated[j], separated[i] })
		for i, s := range separated {
			if i > 0 {
				add(",")
			}
			token(s)
		}
	}
	var attributes, outputs []string
	if r.IntN(2) == 0 {
		attributes = append(attributes, "PR="+pick(r, kebPlatforms...))
	}
	if r.IntN(2) == 0 {
		attributes = append(attributes, "HR="+pick(r, kebRegions...))
	}
	if len(attributes) > 0 {
		add("(")
		list(attributes, func(s string) {
			name, value, _ := strings.Cut(s, "=")
			add(name)
			add("=")
			add(value)
		})
		add(")")
	}
	for _, output := range []string{"PR", "HR", "S", "EU"} {
		if r.IntN(3) == 0 {
			outputs = append(outputs, output)
		}
	}
	if len(outputs) > 0 {
		add("->")
		list(outputs, add)
	}
	return strings.Join(append(tokens, blank()), "")
}

// verdictOf says of problems what KEB would: the first class that applies.
func verdictOf(problems rules.Problems) string {
	for _, kind := range []rules.Kind{rules.KindParse, rules.KindDuplicate, rules.KindAmbiguous, rules.KindUnknownPlan} {
		if slices.ContainsFunc(problems, func(p rules.Problem) bool { return p.Kind == kind && p.Severity == rules.SeverityError }) {
			return string(kind)
		}
	}
	return "valid"
}

// kebRequests returns every request over the alphabet, with a hyperscaler as KEB always has one.
func kebRequests() []rules.Request {
	var all []rules.Request
	for plan, hyperscalers := range kebPlans {
		for _, hyperscaler := range hyperscalers {
			for _, platform := range append([]string{"", "fresh"}, kebPlatforms...) {
				for _, region := range append([]string{"", "fresh"}, kebRegions...) {
					all = append(all, request(plan, platform, region, hyperscaler))
				}
			}
		}
	}
	return all
}

// compareWithKEB compares what the two say of a set without known differences, and what they answer.
func compareWithKEB(t *testing.T, texts []string, all []rules.Request) string {
	t.Helper()
	keb := kebLoad(texts, kebPlans)
	set, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: texts, Plans: kebPlans})
	if slices.ContainsFunc(keb.rules, func(r kebRule) bool { return kebPlans[r.plan] == nil }) {
		keb.verdict = string(rules.KindUnknownPlan) // KEB reports duplicates first, we know no entries of such a plan
		if !slices.ContainsFunc(problems, func(p rules.Problem) bool { return p.Kind == rules.KindUnknownPlan }) {
			t.Fatalf("%q has an unknown plan: %v", texts, problems)
		}
		return keb.verdict
	}
	if got := verdictOf(problems); got != keb.verdict {
		t.Fatalf("%q is %s, for KEB it is %s: %v", texts, got, keb.verdict, problems)
	}
	var duplicates []int
	var ambiguous [][2]int
	for _, p := range problems {
		switch p.Kind {
		case rules.KindDuplicate:
			duplicates = append(duplicates, p.Entries[0])
		case rules.KindAmbiguous:
			ambiguous = append(ambiguous, [2]int{p.Entries[0], p.Entries[1]})
		}
	}
	if !slices.Equal(duplicates, keb.duplicates) || keb.duplicates == nil && !slices.Equal(ambiguous, keb.ambiguous) {
		t.Fatalf("%q: duplicates %v, ambiguous %v; for KEB %v, %v", texts, duplicates, ambiguous, keb.duplicates, keb.ambiguous)
	}
	if set != nil {
		compareAnswers(t, texts, set, keb, all)
	}
	return keb.verdict
}

// compareAnswers compares what the two answer to every request.
func compareAnswers(t *testing.T, texts []string, set *rules.Set, keb kebSet, all []rules.Request) {
	t.Helper()
	for _, r := range all {
		m, err := set.Match(r)
		rule := keb.match(r)
		var failed *rules.RequestError
		switch {
		case rule == nil:
			if !errors.As(err, &failed) || failed.Reason != rules.ReasonNoEntry {
				t.Fatalf("%q: Match(%v) = %v, %v; KEB finds no rule", texts, r, m, err)
			}
		case rule.lacks(r) != "": // a known difference
			if !errors.As(err, &failed) || failed.Reason != rules.ReasonRegionRequired || failed.Field != rule.lacks(r) {
				t.Fatalf("%q: Match(%v) = %v, %v; %s is missing", texts, r, m, err, rule.lacks(r))
			}
		case err != nil || m.Entry().Number != rule.number || m.Target().String() != rule.target(r):
			t.Fatalf("%q: Match(%v) = entry %v, %v; KEB applies %d and finds %s", texts, r, m, err, rule.number, rule.target(r))
		}
	}
}

// For every well-formed set the outcome is that of KEB.
func TestParityWithKEB(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	all := kebRequests()
	seen := map[string]int{}
	for range 1200 {
		texts := make([]string, 1+r.IntN(7))
		for i := range texts {
			texts[i] = randomKEBRule(r)
		}
		seen[compareWithKEB(t, texts, all)]++
	}
	for _, verdict := range []string{"valid", "duplicate", "ambiguous", "unknown_plan"} {
		if seen[verdict] < 40 {
			t.Errorf("too little was tried: %v", seen)
		}
	}
}

// knownDifference names the reason why the two may differ on an entry, or nothing.
func knownDifference(text string) string {
	compact := kebBlanks.Replace(text)
	left, _, _ := strings.Cut(compact, "->")
	_, after, closed := strings.Cut(left, ")")
	switch {
	case strings.ContainsFunc(text, func(c rune) bool { return unicode.IsSpace(c) && !strings.ContainsRune(" \t\n\r\f", c) }):
		return "blank of another kind"
	case strings.Contains(text, "*"):
		return "wildcard"
	case strings.Contains(compact, "()"):
		return "empty parentheses"
	case closed && after != "":
		return "text after the parenthesis"
	}
	// blanks that are not between tokens
	tokens := strings.NewReplacer("->", "\x00->\x00", "(", "\x00(\x00", ")", "\x00)\x00", ",", "\x00,\x00", "=", "\x00=\x00").Replace(text)
	for _, token := range strings.Split(tokens, "\x00") {
		if inner := strings.Trim(token, " \t\n\r\f"); inner != kebBlanks.Replace(inner) {
			return "blank in a name"
		}
	}
	if strings.Contains(compact, "->") && !strings.Contains(text, "->") {
		return "blank in an arrow"
	}
	if rule, err := kebParse(text); err == nil {
		for _, region := range []string{rule.platform, rule.hyperscaler} {
			if _, problems := rules.Compile(rules.Source{Entries: []string{"gcp(PR=" + region + ")"}}); region != "" && problems.HasErrors() {
				return "region that is no label"
			}
		}
	}
	return ""
}

// For single entries with random mistakes too, apart from the known differences.
func TestParityWithKEBOnMistakes(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	all := kebRequests()
	seen := map[string]int{}
	for range 6_000 {
		text := []byte(randomKEBRule(r))
		for range 1 + r.IntN(3) {
			i := r.IntN(len(text))
			switch r.IntN(3) {
			case 0:
				text = slices.Delete(text, i, i+1)
			case 1:
				text = slices.Insert(text, i, "(),=->*/ aPRHSEU"[r.IntN(16)])
			case 2:
				j := r.IntN(len(text))
				text[i], text[j] = text[j], text[i]
			}
			if len(text) == 0 {
				text = []byte("gcp")
			}
		}
		if reason := knownDifference(string(text)); reason != "" {
			seen[reason]++
			continue
		}
		keb := kebLoad([]string{string(text)}, kebPlans)
		_, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: []string{string(text)}, Plans: kebPlans})
		if (keb.verdict == "valid") == problems.HasErrors() {
			t.Fatalf("%q: for KEB it is %s: %v", text, keb.verdict, problems)
		}
		seen[keb.verdict]++
		if keb.verdict == "valid" {
			compareWithKEB(t, []string{string(text)}, all)
		}
	}
	for _, what := range []string{
		"valid", "parse", "unknown_plan", "wildcard", "empty parentheses", "text after the parenthesis", "blank in a name",
		"region that is no label",
	} {
		if seen[what] < 10 {
			t.Errorf("too little was tried: %v", seen)
		}
	}
}

// The known differences, one by one: what KEB makes of a set and what we say.
func TestKnownDifferencesFromKEB(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		entries []string
		request rules.Request
		keb     string // its verdict, or the pool for the request
		ours    string // likewise, with "error at <field>", or "refused: <problem>"
	}{
		{"empty parentheses are none", []string{"aws()"}, request("aws"), "parse", "aws"},
		{"text after the parenthesis is no region", []string{"aws(PR=x)y"}, request("aws", "x)y"), "aws", "refused: Missing \"->\""},
		{"attributes after the parenthesis are none", []string{"aws(PR=x)y,HR=z"}, request("aws", "x)y", "z"), "aws", "refused: Missing \"->\""},
		{"* is no region: it matches any", []string{"aws(PR=*)"}, request("aws", "cf-eu11"), "no rule", "aws_cf-eu11"},
		{"* is no region: it matches it too", []string{"aws(PR=*)"}, request("aws", "*"), "aws", "error at platform_region"},
		{"* is ambiguous with a region", []string{"aws(PR=*)", "aws(PR=a)"}, request("aws", "a"), "aws", "refused: Ambiguous entries"},
		{"* settles what it covers", []string{"aws(PR=a)", "aws(HR=b)", "aws(PR=a,HR=*)", "aws(PR=*,HR=b)", "aws(PR=a,HR=b)"},
			request("aws", "a", "b"), "aws", "refused: Ambiguous entries"},
		{"the default configuration of KEB", []string{"sap-converged-cloud(HR=*) -> S"},
			request("sap-converged-cloud", "", "eu-de-1", "openstack"),
			"no rule", "openstack_eu-de-1,shared"},
		{"no pool without a platform region", []string{"aws -> PR"}, request("aws"), "aws_", "error at platform_region"},
		{"no pool without a hyperscaler region", []string{"aws -> PR,HR"}, request("aws", "a"), "aws_a_", "error at hyperscaler_region"},
		{"no pool for a region that is no label", []string{"aws -> PR"}, request("aws", "a/b"), "aws_a/b", "error at platform_region"},
		{"a region is a label", []string{"aws(PR=a/b)"}, request("aws", "a/b"), "aws", "refused: Invalid region"},
		{"a hyperscaler type is a label", []string{"aws(PR=" + strings.Repeat("a", 60) + ") -> PR"}, request("aws", strings.Repeat("a", 60)),
			"aws_" + strings.Repeat("a", 60), "refused: Region too long"},
		{"no blank in a plan", []string{"a ws"}, request("aws"), "aws", "refused: Unknown plan"},
		{"no blank in a region", []string{"aws(PR=cf eu11)"}, request("aws", "cfeu11"), "aws", "refused: Missing comma"},
		{"no blank in an attribute", []string{"aws(P R=cf-eu11)"}, request("aws", "cf-eu11"), "aws", "refused: Missing comma"},
		{"no blank in a label", []string{"aws -> E U"}, request("aws"), "aws,euAccess", "refused: Unknown label"},
		{"no blank in an arrow", []string{"aws - > S"}, request("aws"), "aws,shared", "refused: Missing \"(\""},
		{"every Unicode blank is one", []string{"aws\u00a0->\u00a0S"}, request("aws"), "parse", "aws,shared"},
		{"vertical tabs are blanks", []string{"aws\v"}, request("aws"), "unknown_plan", "aws"},
		{"openstack is an alias", []string{"openstack -> S"}, request("sap-converged-cloud", "", "", "openstack"),
			"unknown_plan", "openstack,shared"},
		{"an alias is the same plan", []string{"openstack", "sap-converged-cloud"}, request("sap-converged-cloud", "", "", "openstack"),
			"unknown_plan", "refused: Duplicate entry"},
		{"an unknown plan is reported before all else", []string{"gpc", "gpc"}, request("gpc"), "duplicate", "refused: Unknown plan"},
		{"a hyperscaler belongs to its plan", []string{"trial"}, request("trial", "", "", "gcp"), "gcp", "error at hyperscaler"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := tt.request
			if r.Hyperscaler == "" {
				r.Hyperscaler = "aws"
			}
			keb := kebLoad(tt.entries, rules.DefaultPlans())
			got := keb.verdict
			if got == "valid" {
				got = "no rule"
				if rule := keb.match(r); rule != nil {
					got = rule.target(r)
				}
			}
			if got != tt.keb {
				t.Errorf("KEB makes %s of %q, want %s", got, tt.entries, tt.keb)
			}
			set, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: tt.entries})
			if i := slices.IndexFunc(problems, func(p rules.Problem) bool { return p.Severity == rules.SeverityError }); i >= 0 {
				summary, _, _ := strings.Cut(problems[i].Message, ": ")
				got = "refused: " + summary
			} else if got = answer(set, r); got == "error" {
				got = "error at " + errorField(set, r)
			}
			if got != tt.ours {
				t.Errorf("we make %s of %q, want %s", got, tt.entries, tt.ours)
			}
		})
	}
}
