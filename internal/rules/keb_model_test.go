package rules_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The Kyma Environment Broker (KEB) as the tests know it: how it reads, checks and evaluates the rules of its rule file.

// kebRule is one rule.
type kebRule struct {
	number           int // from 1
	plan             string
	platform         string // empty matches every region
	hyperscaler      string
	addsPlatform     bool
	addsHyperscaler  bool
	shared, euAccess bool
}

var errKEB = errors.New("KEB does not read it")

// kebBlanks are the characters that KEB drops, wherever they are.
var kebBlanks = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\f", "")

// kebParse reads a rule. KEB checks the plan later.
func kebParse(text string) (kebRule, error) {
	var r kebRule
	sides := strings.Split(kebBlanks.Replace(text), "->")
	left := sides[0]
	if len(sides) > 2 || strings.Count(left, "(") > 1 || strings.Count(left, ")") > 1 || strings.Count(left, "(") != strings.Count(left, ")") {
		return r, errKEB
	}
	plan, attributes, opened := strings.Cut(left, "(")
	if r.plan = plan; plan == "" {
		return r, errKEB
	}
	if opened {
		for _, attribute := range strings.Split(strings.TrimSuffix(attributes, ")"), ",") {
			parts := strings.Split(attribute, "=")
			if len(parts) != 2 || parts[1] == "" {
				return r, errKEB
			}
			region, known := map[string]*string{"PR": &r.platform, "HR": &r.hyperscaler}[parts[0]]
			if !known || *region != "" {
				return r, errKEB
			}
			*region = parts[1]
		}
	}
	if len(sides) == 2 {
		for _, output := range strings.Split(sides[1], ",") {
			label, known := map[string]*bool{"PR": &r.addsPlatform, "HR": &r.addsHyperscaler, "S": &r.shared, "EU": &r.euAccess}[output]
			if !known || *label {
				return r, errKEB
			}
			*label = true
		}
	}
	return r, nil
}

// kebSet is a rule file with what KEB says of it: "valid", or the first of "parse", "duplicate", "ambiguous" and
// "unknown_plan" that applies.
type kebSet struct {
	rules      []kebRule
	verdict    string
	duplicates []int    // the numbers of the later rules
	ambiguous  [][2]int // the numbers of the pairs, the larger one first, sorted
}

func kebLoad(texts []string, plans rules.Plans) kebSet {
	var s kebSet
	for i, text := range texts {
		r, err := kebParse(text)
		if err != nil {
			return kebSet{verdict: "parse"}
		}
		r.number = i + 1
		s.rules = append(s.rules, r)
	}
	s.verdict = "valid"
	type key struct{ plan, platform, hyperscaler string }
	seen := make(map[key]bool)
	for _, r := range s.rules {
		k := key{r.plan, r.platform, r.hyperscaler}
		if seen[k] {
			s.verdict, s.duplicates = "duplicate", append(s.duplicates, r.number)
		}
		seen[k] = true
	}
	if s.verdict != "valid" {
		return s
	}
	for _, p := range s.rules {
		for _, h := range s.rules {
			if p.plan == h.plan && p.platform != "" && p.hyperscaler == "" && h.platform == "" && h.hyperscaler != "" &&
				!seen[key{p.plan, p.platform, h.hyperscaler}] {
				s.verdict = "ambiguous"
				s.ambiguous = append(s.ambiguous, [2]int{max(p.number, h.number), min(p.number, h.number)})
			}
		}
	}
	slices.SortFunc(s.ambiguous, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	if s.verdict == "valid" && slices.ContainsFunc(s.rules, func(r kebRule) bool { return plans[r.plan] == nil }) {
		s.verdict = "unknown_plan"
	}
	return s
}

// match returns the rule that applies, or nil: of the most specific ones that match, the first.
func (s kebSet) match(r rules.Request) *kebRule {
	var best *kebRule
	matchers := func(k kebRule) int {
		n := 0
		for _, region := range []string{k.platform, k.hyperscaler} {
			if region != "" {
				n++
			}
		}
		return n
	}
	for i, k := range s.rules {
		if k.plan == r.Plan && (k.platform == "" || k.platform == r.PlatformRegion) &&
			(k.hyperscaler == "" || k.hyperscaler == r.HyperscalerRegion) && (best == nil || matchers(k) > matchers(*best)) {
			best = &s.rules[i]
		}
	}
	return best
}

// target returns the pool of a rule in the form of pool.Target.String. KEB knows the hyperscaler of every request.
func (k kebRule) target(r rules.Request) string {
	t := r.Hyperscaler
	if k.addsPlatform {
		t += "_" + r.PlatformRegion
	}
	if k.addsHyperscaler {
		t += "_" + r.HyperscalerRegion
	}
	if k.shared {
		t += ",shared"
	}
	if k.euAccess {
		t += ",euAccess"
	}
	return t
}

// lacks returns the part of a request that a rule adds although it is empty: KEB then searches for "aws_".
func (k kebRule) lacks(r rules.Request) string {
	switch {
	case k.addsPlatform && r.PlatformRegion == "":
		return "platform_region"
	case k.addsHyperscaler && r.HyperscalerRegion == "":
		return "hyperscaler_region"
	}
	return ""
}
