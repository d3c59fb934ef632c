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
}

// CredentialsOf returns what is known of the credentials of an account that a claim on a pool will be made on. An account from a list
// shows them. One of which the name alone is known is read, once in a run. No account (no name) = only the name of the pool says the
// provider type; the credentials are taken for a Secret then.
func (g *Garden) CredentialsOf(ctx context.Context, target account.Target, a account.Account) account.Credentials {
	found := account.Credentials{ProviderType: target.ProviderType()}
	secrets := g.settings.Kind != garden.CredentialsBinding // the other kinds have no other credentials
	switch {
	case a.Name == "" || secrets && found.ProviderType != "" && !g.settings.Strands(found):
		return found
	case a.Credentials != nil:
		found = *a.Credentials
	default:
		found = g.readOnce(ctx, a.Name)
	}
	found.ProviderType = cmp.Or(found.ProviderType, target.ProviderType())
	return found
}

func (g *Garden) readOnce(ctx context.Context, accountName string) account.Credentials {
	g.read.mu.Lock()
	defer g.read.mu.Unlock()
	found, known := g.read.byAccount[accountName]
	if known {
		return found
	}
	if g.read.byAccount == nil {
		g.read.byAccount = map[string]account.Credentials{}
	}
	found = g.readCredentials(ctx, accountName)
	g.read.byAccount[accountName] = found
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
