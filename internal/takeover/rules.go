package takeover

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// made is a rule set that leads each request of a claim to the pool of its account, where none is given. Of two requests that
// are the same the first decides.
func made(claims []claim) (*rules.Set, rules.Source) {
	source := rules.Source{Syntax: rules.SyntaxArrow, Plans: rules.Plans{}}
	var set *rules.Set
	for _, c := range claims {
		r := c.request
		if r.Plan == "" {
			r = requestOf(c.target)
		}
		grown := source
		grown.Entries = append(slices.Clip(source.Entries), entry(r, c.target))
		grown.Plans = maps.Clone(source.Plans)
		if hyperscaler := cmp.Or(r.Hyperscaler, c.target.Hyperscaler()); !slices.Contains(grown.Plans[r.Plan], hyperscaler) {
			grown.Plans[r.Plan] = append(slices.Clip(grown.Plans[r.Plan]), hyperscaler)
		}
		if slices.Contains(source.Entries, entry(r, c.target)) {
			grown.Entries = source.Entries
			if len(grown.Plans[r.Plan]) == len(source.Plans[r.Plan]) {
				continue
			}
		}
		if bigger, _ := rules.Compile(grown); bigger != nil { // otherwise no rule leads to the claim, which a comment says
			set, source = bigger, grown
		}
	}
	if set == nil { // a claim cannot be configured without a rule set
		source = rules.Source{Entries: []string{"aws"}}
		set, _ = rules.Compile(source)
	}
	return set, source
}

// entry is the rule that leads a request to a pool.
func entry(r rules.Request, target account.Target) string {
	var matchers, outputs []string
	rest := strings.TrimPrefix(target.HyperscalerType, target.Hyperscaler())
	add := func(key, region string) string {
		if region != "" {
			matchers = append(matchers, key+"="+region)
			return "_" + region
		}
		return ""
	}
	platform, hyperscaler := add("PR", r.PlatformRegion), add("HR", r.HyperscalerRegion)
	switch rest {
	case "":
	case platform:
		outputs = append(outputs, "PR")
	case hyperscaler:
		outputs = append(outputs, "HR")
	case platform + hyperscaler:
		outputs = append(outputs, "PR", "HR")
	}
	if target.Shared {
		outputs = append(outputs, "S")
	}
	if target.EUAccess {
		outputs = append(outputs, "EU")
	}
	text := r.Plan
	if len(matchers) > 0 {
		text += "(" + strings.Join(matchers, ",") + ")"
	}
	if len(outputs) > 0 {
		text += " -> " + strings.Join(outputs, ",")
	}
	return text
}

// requestOf is a request for a pool, where none is recorded: of the plan that runs on its hyperscaler alone, in the regions that
// its type names.
func requestOf(target account.Target) rules.Request {
	hyperscaler := target.Hyperscaler()
	plans := rules.DefaultPlans()
	r := rules.Request{Plan: hyperscaler}
	if plans[hyperscaler] == nil {
		for _, plan := range slices.Sorted(maps.Keys(plans)) {
			if slices.Equal(plans[plan], []string{hyperscaler}) {
				r.Plan = plan
			}
		}
	}
	if _, regions, named := strings.Cut(target.HyperscalerType, "_"); named {
		r.PlatformRegion, r.HyperscalerRegion, _ = strings.Cut(regions, "_")
	}
	if target.EUAccess && r.PlatformRegion == "" { // the same request without it may lead to the pool beside this one
		r.PlatformRegion = rules.DefaultEUAccessPlatformRegions()[0]
	}
	return r
}

// sourceText writes a rule set as an object.
func sourceText(s rules.Source) *block {
	b := &block{header: "hap_import_rule_set ="}
	if s.Legacy != nil {
		b.set("legacy", object(map[string]string{
			"platform_region_rule": quoted(s.Legacy.PlatformRegionRule), "cluster_region_rule": quoted(s.Legacy.ClusterRegionRule),
			"shared_rule": quoted(s.Legacy.SharedRule), "eu_access_rule": quoted(s.Legacy.EUAccessRule),
		}))
	}
	if s.Entries != nil {
		b.set("rules", list(s.Entries))
	}
	b.text("syntax", string(s.Syntax))
	if s.Plans != nil {
		plans := map[string]string{}
		for plan, hyperscalers := range s.Plans {
			if plans[plan] = "null"; hyperscalers != nil { // null takes a plan out of the built-in table
				plans[plan] = list(hyperscalers)
			}
		}
		b.set("plans", object(plans))
	}
	if s.RequiredPlans != nil {
		b.set("required_plans", list(s.RequiredPlans))
	}
	if s.EUAccessPlatformRegions != nil {
		b.set("eu_access_platform_regions", list(s.EUAccessPlatformRegions))
	}
	if s.PlatformRegions != nil {
		b.set("platform_regions", list(s.PlatformRegions))
	}
	return b
}
