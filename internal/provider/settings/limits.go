package settings

import (
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// LimitKeys lists the keys of multi_account.limits that are known beforehand: "default" and the hyperscalers of the built-in
// plans.
func LimitKeys() []string {
	return append([]string{account.DefaultLimit}, hyperscalersOf(rules.DefaultPlans())...)
}

// hyperscalersOf lists the hyperscalers that plans run on, sorted.
func hyperscalersOf(plans rules.Plans) []string {
	all := slices.Concat(slices.Collect(maps.Values(plans))...)
	slices.Sort(all)
	return slices.Compact(all)
}

// MeantLimit returns the known key that a key was probably meant to be: it has a typing error, or names a pool where limits go
// by hyperscaler. Empty for a known key, and for one that may be a hyperscaler of a rule set's own plans. Such a one is often a
// variant of a known one (openstack-eu), which would pass for a typing error.
func MeantLimit(key string, known []string) string {
	if slices.Contains(known, key) {
		return ""
	}
	if hyperscaler, _, isPool := strings.Cut(key, "_"); isPool && slices.Contains(known, hyperscaler) {
		return hyperscaler
	}
	variant := func(known string) bool { return strings.HasPrefix(key, known+"-") && key != known+"-" }
	if slices.ContainsFunc(known, variant) {
		return ""
	}
	return rules.Mistyped(key, known)
}

// StrayLimits lists the limits of accounts that apply to nothing, sorted: neither do these plans run on the hyperscaler, nor is it among
// those that accounts have.
func (s *Settings) StrayLimits(plans rules.Plans, present []string) []string {
	if s.PolicyUnknown || len(s.Policy.AllowedGlobalAccounts) == 0 {
		return nil
	}
	known := slices.Concat(LimitKeys(), hyperscalersOf(plans), present)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Policy.Limits)), func(key string) bool { return slices.Contains(known, key) })
}
