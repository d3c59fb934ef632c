package backend

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// LimitKeys lists the keys of multi_account.limits that are known beforehand: "default" and the hyperscalers of the built-in
// plans.
func LimitKeys() []string {
	return append([]string{pool.DefaultLimit}, hyperscalersOf(rules.DefaultPlans())...)
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

// limits is what the selections of one run know about the limits.
type limits struct {
	mu      sync.Mutex
	told    bool     // limits which apply to nothing were reported
	present []string // the hyperscalers that accounts have, once they were read
}

// StrayLimits lists the limits that apply to nothing: neither do these plans run on the hyperscaler, nor is there an account
// of the type. It lists them once in a run. Where the accounts cannot be read it lists none.
func (b *Backend) StrayLimits(ctx context.Context, plans rules.Plans) []string {
	planned := hyperscalersOf(plans)
	if b.PolicyUnknown || len(b.Policy.AllowedGlobalAccounts) == 0 || len(strayLimits(b.Policy.Limits, planned)) == 0 {
		return nil
	}
	b.limits.mu.Lock()
	defer b.limits.mu.Unlock()
	if b.limits.told {
		return nil
	}
	if b.limits.present == nil {
		b.limits.present = b.hyperscalersPresent(ctx)
	}
	if b.limits.present == nil {
		return nil
	}
	stray := strayLimits(b.Policy.Limits, slices.Concat(planned, b.limits.present))
	b.limits.told = len(stray) > 0
	return stray
}

// hyperscalersPresent lists the hyperscalers that accounts have; nil = the accounts cannot be read.
func (b *Backend) hyperscalersPresent(ctx context.Context) []string {
	p, err := b.Pool()
	if err != nil {
		return nil
	}
	all, err := p.Inventory(ctx)
	if err != nil {
		return nil
	}
	present := make([]string, len(all.Accounts))
	for i, a := range all.Accounts {
		present[i] = a.Target().Hyperscaler()
	}
	return present
}

// strayLimits lists the limits for hyperscalers that are neither among these nor known beforehand, sorted.
func strayLimits(limits map[string]int, hyperscalers []string) []string {
	known := slices.Concat(LimitKeys(), hyperscalers)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(limits)), func(key string) bool { return slices.Contains(known, key) })
}
