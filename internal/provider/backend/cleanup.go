package backend

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// DefaultCleanUpTypes returns the provider types whose accounts the usual clean-up job of a landscape wipes.
func DefaultCleanUpTypes() []string { return []string{"alicloud", "aws", "azure", "gcp"} }

// Strands reports whether an account with these credentials stays dirty for ever once it is marked: they are no Secret, and the job
// reads Secrets alone, or no job wipes the provider type, by clean_up_types. What is not known of them ("") strands nothing, nor does a
// setting that is not known.
func (s *Settings) Strands(c pool.Credentials) bool {
	cleaned := c.ProviderType == "" || s.CleanUpUnknown || slices.Contains(s.CleanUpTypes, c.ProviderType)
	return !cleaned || !c.Ref.IsSecret()
}

// readCredentials are those that were read at a plan, by account; the zero value = they could not be read.
type readCredentials struct {
	mu        sync.Mutex
	byAccount map[string]pool.Credentials
	byPool    map[pool.Target]string // the account that was read for the pool
}

// CredentialsOf returns what is known of the credentials of an account that a claim on a pool will be made on. A pinned account is
// read, once in a run. Of another account it is not known which one the claim will take: the first one that is asked for is read for
// all of the pool. No account ("") = only the name of the pool says the provider type; the credentials are taken for a Secret then.
func (b *Backend) CredentialsOf(ctx context.Context, target pool.Target, account string, pinned bool) pool.Credentials {
	named := pool.Credentials{ProviderType: target.ProviderType()}
	secrets := b.Kind != garden.CredentialsBinding // the other kinds have no other credentials
	if account == "" || secrets && named.ProviderType != "" && !b.Strands(named) {
		return named
	}
	b.read.mu.Lock()
	defer b.read.mu.Unlock()
	if b.read.byAccount == nil {
		b.read.byAccount, b.read.byPool = map[string]pool.Credentials{}, map[pool.Target]string{}
	}
	if first, known := b.read.byPool[target]; known && !pinned {
		account = first
	}
	found, known := b.read.byAccount[account]
	if !known {
		found = b.readCredentials(ctx, account)
		b.read.byAccount[account] = found
	}
	if !pinned {
		b.read.byPool[target] = account
	}
	found.ProviderType = cmp.Or(found.ProviderType, named.ProviderType)
	return found
}

func (b *Backend) readCredentials(ctx context.Context, account string) pool.Credentials {
	g, err := b.Garden()
	if err != nil {
		return pool.Credentials{}
	}
	a, err := g.Get(ctx, account)
	if err != nil || a.Credentials == nil {
		return pool.Credentials{}
	}
	return *a.Credentials
}
