package rules_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// spec is an entry as the tests know it, independent of the code under test.
type spec struct {
	plan, pr, cr     string // pr and cr: "" nothing, "*" any, else a region
	shared           bool
	eu               string // "", "true", "*"
	outPR, outCR     bool   // arrow only
	text             string
	attributes       int
	hyperscaler      string
	addsPR, addsCR   bool
	labelsDoNotCount bool // arrow: for duplicates
}

// The regions of generated sets; the last two of each never appear in an entry.
var (
	alphabetPR = []string{"a", "b", "shared", "", "fresh-pr"}
	alphabetCR = []string{"a", "x", "y", "", "fresh-cr"}
)

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// randomSpec makes a random entry and writes it with random blanks, order and names.
func randomSpec(r *rand.Rand, syntax rules.Syntax) spec {
	s := spec{
		plan:   pick(r, "gcp", "gcp", "sap-converged-cloud"),
		pr:     pick(r, "", "", "*", alphabetPR[0], alphabetPR[1], alphabetPR[2]),
		cr:     pick(r, "", "", "*", alphabetCR[0], alphabetCR[1], alphabetCR[2]),
		shared: r.IntN(4) == 0,
		eu:     pick(r, "", "", "", "true", "*"),
	}
	if syntax == rules.SyntaxArrow {
		s.eu = pick(r, "", "true")
		s.outPR, s.outCR = r.IntN(2) == 0, r.IntN(2) == 0
	}
	s.finish(r, syntax)
	return s
}

// outputs are the labels after the arrow.
func (s *spec) outputs() []string {
	var outputs []string
	if s.outPR {
		outputs = append(outputs, "PR")
	}
	if s.outCR {
		outputs = append(outputs, "HR")
	}
	if s.shared {
		outputs = append(outputs, "S")
	}
	if s.eu != "" {
		outputs = append(outputs, "EU")
	}
	return outputs
}

// finish derives everything else; r is nil for the plainest text.
func (s *spec) finish(r *rand.Rand, syntax rules.Syntax) {
	one := func(values ...string) string {
		if r == nil {
			return values[0]
		}
		return pick(r, values...)
	}
	if syntax != rules.SyntaxAttribute && syntax != rules.SyntaxArrow {
		panic(fmt.Sprintf("how are entries of the syntax %q written? The random sets have to have them", syntax))
	}
	var attributes, outputs []string
	if s.pr != "" {
		attributes = append(attributes, one("PR=", "PR = ")+s.pr)
		if syntax == rules.SyntaxAttribute && r != nil {
			attributes[0] = one("PR", "platformRegion") + one("=", " = ") + s.pr
			if s.pr == "*" {
				attributes[0] = one("PR", "PR=*", "platformRegion")
			}
		}
	}
	if s.cr != "" {
		name := "HR"
		if syntax == rules.SyntaxAttribute {
			name = one("CR", "HR", "clusterRegion", "hyperscalerRegion")
		}
		attributes = append(attributes, name+one("=", "= ")+s.cr)
	}
	s.attributes = len(attributes)
	s.addsPR, s.addsCR = s.pr != "", s.cr != ""
	if syntax == rules.SyntaxArrow {
		s.labelsDoNotCount = true
		s.addsPR, s.addsCR = s.outPR || s.pr == "*", s.outCR || s.cr == "*"
		outputs = s.outputs()
	} else {
		if s.shared {
			attributes = append(attributes, one("shared", "shared=true"))
		}
		switch s.eu {
		case "true":
			attributes = append(attributes, one("euAccess", "euAccess=true"))
		case "*":
			attributes = append(attributes, "euAccess=*")
		}
		s.attributes = len(attributes)
	}
	name := s.plan
	if s.hyperscaler = s.plan; s.plan == "sap-converged-cloud" {
		name, s.hyperscaler = one("sap-converged-cloud", "openstack"), "openstack"
	}
	if r != nil {
		r.Shuffle(len(attributes), func(i, j int) { attributes[i], attributes[j] = attributes[j], attributes[i] })
		r.Shuffle(len(outputs), func(i, j int) { outputs[i], outputs[j] = outputs[j], outputs[i] })
	}
	s.text = one("", " ") + name
	if len(attributes) > 0 {
		s.text += one("(", " ( ") + strings.Join(attributes, one(",", " , ")) + one(")", " )")
	} else {
		s.text += one("", "()")
	}
	if len(outputs) > 0 {
		s.text += one(" -> ", "->") + strings.Join(outputs, one(",", ", "))
	}
}

func (s spec) matches(r rules.Request) bool {
	fits := func(pattern, region string) bool {
		return pattern == "" || pattern == "*" && region != "" || pattern == region
	}
	return s.plan == r.Plan && fits(s.pr, r.PlatformRegion) && fits(s.cr, r.HyperscalerRegion)
}

// target returns the pool in the form of account.Target.String, or "error" if a region is missing.
func (s spec) target(r rules.Request) string {
	t := s.hyperscaler
	for _, part := range []struct {
		adds   bool
		region string
	}{{s.addsPR, r.PlatformRegion}, {s.addsCR, r.HyperscalerRegion}} {
		if part.adds && part.region == "" {
			return "error"
		}
		if part.adds {
			t += "_" + part.region
		}
	}
	if s.shared {
		t += ",shared"
	}
	if s.eu == "true" || s.eu == "*" && *r.EUAccess {
		t += ",euAccess"
	}
	return t
}

func (s spec) duplicates(o spec) bool {
	return s.plan == o.plan && s.pr == o.pr && s.cr == o.cr && (s.labelsDoNotCount || s.shared == o.shared && s.eu == o.eu)
}

// requests returns every request that can make a difference for generated sets.
func requests() []rules.Request {
	yes, no := true, false
	var all []rules.Request
	for _, plan := range []string{"gcp", "sap-converged-cloud"} {
		for _, pr := range alphabetPR {
			for _, cr := range alphabetCR {
				for _, eu := range []*bool{&yes, &no} {
					all = append(all, rules.Request{Plan: plan, PlatformRegion: pr, HyperscalerRegion: cr, EUAccess: eu})
				}
			}
		}
	}
	return all
}

// winners returns the indexes of the specs that match with the most attributes.
func winners(specs []spec, r rules.Request) []int {
	var best []int
	for i, s := range specs {
		switch {
		case !s.matches(r):
		case len(best) == 0 || s.attributes > specs[best[0]].attributes:
			best = []int{i}
		case s.attributes == specs[best[0]].attributes:
			best = append(best, i)
		}
	}
	return best
}

// naiveProblems returns the duplicates, ambiguous pairs, shadowed entries and those with EU access in another region by the words of
// ADR 001, in the form "kind [entry other]"; the other entry of a shadowed one is left out, as there may be several.
func naiveProblems(specs []spec, all []rules.Request) []string {
	var found []string
	isDuplicate := make([]bool, len(specs))
	for i, s := range specs {
		if first := slices.IndexFunc(specs, s.duplicates); first < i {
			isDuplicate[i] = true
			found = append(found, fmt.Sprintf("duplicate [%d %d]", i+1, first+1))
		}
	}
	for i, s := range specs {
		if s.eu == "true" && s.pr != "" && s.pr != "*" && !slices.Contains([]string{"cf-eu11", "cf-ch20", "cf-eu01", "cf-eu02"}, s.pr) {
			found = append(found, fmt.Sprintf("eu_access [%d]", i+1))
		}
		if isDuplicate[i] {
			continue
		}
		for j, other := range specs[:i] {
			if isDuplicate[j] || s.attributes != other.attributes || len(overlap(s, other, all)) == 0 {
				continue
			}
			if !slices.ContainsFunc(specs, func(third spec) bool { return third.settles(s, other, all) }) {
				found = append(found, fmt.Sprintf("ambiguous [%d %d]", i+1, j+1))
			}
		}
		shadowed := true
		for _, r := range all {
			if s.matches(r) && !slices.ContainsFunc(specs, func(o spec) bool { return o.matches(r) && o.attributes > s.attributes }) {
				shadowed = false
				break
			}
		}
		if shadowed {
			found = append(found, fmt.Sprintf("shadowed [%d]", i+1))
		}
	}
	slices.Sort(found)
	return found
}

// overlap returns the requests that both specs match.
func overlap(a, b spec, all []rules.Request) []rules.Request {
	var both []rules.Request
	for _, r := range all {
		if a.matches(r) && b.matches(r) {
			both = append(both, r)
		}
	}
	return both
}

// settles reports whether s has more attributes than the two and matches every request that both match.
func (s spec) settles(a, b spec, all []rules.Request) bool {
	if s.attributes <= a.attributes {
		return false
	}
	for _, r := range all {
		if a.matches(r) && b.matches(r) && !s.matches(r) {
			return false
		}
	}
	return true
}

// attributesOf counts the attributes of a compiled entry from what it says.
func attributesOf(e rules.Entry) int {
	n := 0
	for _, has := range []bool{e.PlatformRegion != "", e.HyperscalerRegion != "", e.Shared, e.EUAccess != ""} {
		if has {
			n++
		}
	}
	return n
}

// winnersOf returns the entries that match with the most attributes, from what the compiled entries say.
func winnersOf(entries []rules.Entry, arrows bool, r rules.Request) []rules.Entry {
	fits := func(p rules.Pattern, region string) bool {
		return p == rules.PatternNone || p == rules.PatternAny && region != "" || string(p) == region
	}
	priority := func(e rules.Entry) int {
		if arrows {
			e.Shared, e.EUAccess = false, ""
		}
		return attributesOf(e)
	}
	var best []rules.Entry
	for _, e := range entries {
		switch {
		case e.Plan != r.Plan || !fits(e.PlatformRegion, r.PlatformRegion) || !fits(e.HyperscalerRegion, r.HyperscalerRegion):
		case len(best) == 0 || priority(e) > priority(best[0]):
			best = []rules.Entry{e}
		case priority(e) == priority(best[0]):
			best = append(best, e)
		}
	}
	return best
}

// targetOf returns the pool of an entry in the form of account.Target.String, or "error" if a region is missing or its type is
// no label.
func targetOf(e rules.Entry, r rules.Request) string {
	if r.PlatformRegion == "" && strings.Contains(e.HyperscalerType, "<platform_region>") ||
		r.HyperscalerRegion == "" && strings.Contains(e.HyperscalerType, "<hyperscaler_region>") {
		return "error"
	}
	t := strings.NewReplacer("<hyperscaler>", r.Hyperscaler, "<platform_region>", r.PlatformRegion,
		"<hyperscaler_region>", r.HyperscalerRegion).Replace(e.HyperscalerType)
	if account.CheckLabelValue(t) != nil {
		return "error"
	}
	if e.Shared {
		t += ",shared"
	}
	access := slices.Contains(rules.DefaultEUAccessPlatformRegions(), r.PlatformRegion)
	if r.EUAccess != nil {
		access = *r.EUAccess
	}
	if e.EUAccess == rules.EUAccessAlways || e.EUAccess == rules.EUAccessOnRequest && access {
		t += ",euAccess"
	}
	return t
}
