package backend

import (
	"context"
	"slices"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// DefaultCleanUpTypes returns the provider types whose accounts the usual clean-up job of a landscape wipes.
func DefaultCleanUpTypes() []string { return []string{"alicloud", "aws", "azure", "gcp"} }

// sameTypes are the hyperscalers that are provider types of Gardener under the same name. Of gdch, and of the hyperscalers of
// a rule set's own plans, the provider type cannot be told by the name.
var sameTypes = append(DefaultCleanUpTypes(), "openstack")

// TypeByName returns the provider type of the accounts of a pool where the name of the pool tells it; "" = it does not.
func TypeByName(target pool.Target) string {
	if hyperscaler := target.Hyperscaler(); slices.Contains(sameTypes, hyperscaler) {
		return hyperscaler
	}
	return ""
}

// Strands reports whether an account of a provider type stays dirty for ever once it is marked: no clean-up job wipes it, by
// clean_up_types. It is false where the type ("") or the setting is not known.
func (s *Settings) Strands(providerType string) bool {
	return providerType != "" && !s.CleanUpUnknown && !slices.Contains(s.CleanUpTypes, providerType)
}

// accountTypes are the provider types that were read at a plan, by pool; "" = it could not be read.
type accountTypes struct {
	mu     sync.Mutex
	byPool map[pool.Target]string
}

// ProviderType returns the provider type of a pool's accounts; "" = it is not known. Where its name says that no clean-up job
// wipes them, or nothing, one account of the pool is read, once in a run: names may mislead. No account ("") = only the name tells.
func (b *Backend) ProviderType(ctx context.Context, target pool.Target, account string) string {
	named := TypeByName(target)
	if named != "" && !b.Strands(named) || account == "" {
		return named
	}
	b.types.mu.Lock()
	defer b.types.mu.Unlock()
	found, known := b.types.byPool[target]
	if !known {
		found = b.readType(ctx, account)
		if b.types.byPool == nil {
			b.types.byPool = map[pool.Target]string{}
		}
		b.types.byPool[target] = found
	}
	if found == "" {
		return named
	}
	return found
}

func (b *Backend) readType(ctx context.Context, account string) string {
	g, err := b.Garden()
	if err != nil {
		return ""
	}
	a, err := g.Get(ctx, account)
	if err != nil || a.Credentials == nil {
		return ""
	}
	return a.Credentials.ProviderType
}
