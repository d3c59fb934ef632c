package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// ruleSetArgument reads a rule set. The whole of a hap_rule_set is taken too: what it has computed is passed over.
func ruleSetArgument(a argument) (rules.Source, *function.FuncError) {
	var src rules.Source
	parts, err := a.object("rules", "legacy", "syntax", "plans", "required_plans", "eu_access_platform_regions", "-id", "-entries",
		"-rule_file", "-pool_check")
	if err != nil {
		return src, err
	}
	if legacy, ok := parts["legacy"]; ok && !legacy.null() {
		if src.Legacy, err = legacyArgument(legacy); err != nil {
			return src, err
		}
	}
	var syntax string
	for _, read := range []func() *function.FuncError{
		func() (err *function.FuncError) { src.Entries, err = parts["rules"].texts(); return err },
		func() (err *function.FuncError) { syntax, err = parts["syntax"].text(); return err },
		func() (err *function.FuncError) { src.Plans, err = parts["plans"].plans(); return err },
		func() (err *function.FuncError) { src.RequiredPlans, err = parts["required_plans"].texts(); return err },
		func() (err *function.FuncError) {
			src.EUAccessPlatformRegions, err = parts["eu_access_platform_regions"].texts()
			return err
		},
	} {
		if err := read(); err != nil {
			return src, err
		}
	}
	src.Syntax = rules.Syntax(syntax)
	return src, nil
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
