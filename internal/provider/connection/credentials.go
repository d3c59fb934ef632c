package connection

import (
	"cmp"
	"context"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// credentials are those that were read at a plan. Their zero value is ready.
type credentials struct {
	mu        sync.Mutex
	byAccount map[string]account.Credentials // the zero value = they could not be read
	byPool    map[account.Target]string      // the account that was read for the pool
}

// CredentialsOf returns what is known of the credentials of an account that a claim on a pool will be made on. A pinned account is
// read, once in a run. Of another account it is not known which one the claim will take: the first one that is asked for is read for
// all of the pool. No account ("") = only the name of the pool says the provider type; the credentials are taken for a Secret then.
func (g *Garden) CredentialsOf(ctx context.Context, target account.Target, accountName string, pinned bool) account.Credentials {
	named := account.Credentials{ProviderType: target.ProviderType()}
	secrets := g.settings.Kind != garden.CredentialsBinding // the other kinds have no other credentials
	if accountName == "" || secrets && named.ProviderType != "" && !g.settings.Strands(named) {
		return named
	}
	g.read.mu.Lock()
	defer g.read.mu.Unlock()
	if g.read.byAccount == nil {
		g.read.byAccount, g.read.byPool = map[string]account.Credentials{}, map[account.Target]string{}
	}
	if first, known := g.read.byPool[target]; known && !pinned {
		accountName = first
	}
	found, known := g.read.byAccount[accountName]
	if !known {
		found = g.readCredentials(ctx, accountName)
		g.read.byAccount[accountName] = found
	}
	if !pinned {
		g.read.byPool[target] = accountName
	}
	found.ProviderType = cmp.Or(found.ProviderType, named.ProviderType)
	return found
}

func (g *Garden) readCredentials(ctx context.Context, accountName string) account.Credentials {
	api, err := g.API()
	if err != nil {
		return account.Credentials{}
	}
	a, err := api.Get(ctx, accountName)
	if err != nil || a.Credentials == nil {
		return account.Credentials{}
	}
	return *a.Credentials
}
