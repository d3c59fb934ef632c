package functions

import (
	"cmp"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// ruleSetArgument reads a rule set. The whole of a hap_rule_set is taken too: what it has computed is passed over.
func ruleSetArgument(a argument) (rules.Source, *function.FuncError) {
	var src rules.Source
	parts, err := a.object("rules", "legacy", "syntax", "plans", "required_plans", "eu_access_platform_regions", "platform_regions", "-id",
		"-entries",
		"-rule_file", "-helm_values", "-pool_check")
	if err != nil {
		return src, err
	}
	if legacy, ok := parts["legacy"]; ok && !legacy.null() {
		if src.Legacy, err = legacyArgument(legacy); err != nil {
			return src, err
		}
	}
	var syntax string
	var wrong [6]*function.FuncError
	src.Entries, wrong[0] = parts["rules"].texts()
	syntax, wrong[1] = parts["syntax"].text()
	src.Plans, wrong[2] = parts["plans"].plans()
	src.RequiredPlans, wrong[3] = parts["required_plans"].texts()
	src.EUAccessPlatformRegions, wrong[4] = parts["eu_access_platform_regions"].texts()
	src.PlatformRegions, wrong[5] = parts["platform_regions"].texts()
	src.Syntax = rules.Syntax(syntax)
	return src, cmp.Or(wrong[:]...)
}

// compiledArgument reads a rule set that has to be valid; it is the first argument.
func compiledArgument(ruleSet types.Dynamic) (*rules.Set, *function.FuncError) {
	src, err := ruleSetArgument(newArgument(0, "rule_set", ruleSet))
	if err != nil {
		return nil, err
	}
	set, problems := rules.Compile(src)
	if set == nil {
		return nil, function.NewArgumentFuncError(0, sentence(diagnose.InvalidSet(problems)))
	}
	return set, nil
}

// legacyArgument reads the four properties.
func legacyArgument(a argument) (*rules.Legacy, *function.FuncError) {
	parts, err := a.object("platform_region_rule", "cluster_region_rule", "shared_rule", "eu_access_rule")
	if err != nil {
		return nil, err
	}
	var legacy rules.Legacy
	for _, p := range []struct {
		key  string
		into *string
	}{
		{"platform_region_rule", &legacy.PlatformRegionRule}, {"cluster_region_rule", &legacy.ClusterRegionRule},
		{"shared_rule", &legacy.SharedRule}, {"eu_access_rule", &legacy.EUAccessRule},
	} {
		if *p.into, err = parts[p.key].text(); err != nil {
			return nil, err
		}
	}
	return &legacy, nil
}

// requestArgument reads a cluster request.
func requestArgument(a argument) (rules.Request, *function.FuncError) {
	var r rules.Request
	parts, err := a.object("plan", "platform_region", "hyperscaler_region", "hyperscaler", "eu_access")
	if err != nil {
		return r, err
	}
	for _, p := range []struct {
		key  string
		into *string
	}{
		{"plan", &r.Plan}, {"platform_region", &r.PlatformRegion}, {"hyperscaler_region", &r.HyperscalerRegion}, {"hyperscaler", &r.Hyperscaler},
	} {
		if *p.into, err = parts[p.key].text(); err != nil {
			return r, err
		}
	}
	if r.Plan == "" {
		return r, a.errorf("the key plan is needed")
	}
	r.EUAccess, err = parts["eu_access"].flag()
	return r, err
}
