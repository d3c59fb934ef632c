package pool

import (
	"cmp"
	"slices"
)

// Policy is the multi-account configuration (ADR 006). The zero value has the feature off: each Global Account has one account per pool.
type Policy struct {
	AllowedGlobalAccounts []string // the Global Accounts that may hold several accounts of one pool; "*" means all
	// Limits are clusters per account by hyperscaler ("aws"), with DefaultLimit for the rest. One that is 0 or absent is the default,
	// and a default that is 0 or absent is no limit, as for the broker.
	Limits map[string]int
	// MinBindingsForGuard stops a claim when a Global Account holds at least so many usable accounts of the pool and
	// none that it holds has a cluster: then the count is wrong. 0 = off.
	MinBindingsForGuard int
}

// DefaultLimit is the key of [Policy.Limits] for hyperscalers without a limit of their own.
const DefaultLimit = "default"

// Enabled reports whether the Global Account may hold several accounts of one pool.
func (p Policy) Enabled(globalAccount string) bool {
	return slices.Contains(p.AllowedGlobalAccounts, "*") || slices.Contains(p.AllowedGlobalAccounts, globalAccount)
}

// Limit returns how many clusters the Global Account may have on one account of the pool, and 0 where no limit
// applies: the feature is off for it, the pool is shared, or the policy has none.
func (p Policy) Limit(globalAccount string, target Target) int {
	if target.Shared || !p.Enabled(globalAccount) {
		return 0
	}
	return cmp.Or(p.Limits[target.Hyperscaler()], p.Limits[DefaultLimit])
}
