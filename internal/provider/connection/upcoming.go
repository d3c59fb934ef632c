package connection

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// upcoming are the Clusters of the platform cluster whose profiles lead to accounts of the pool. It is a [pool.Upcoming].
type upcoming struct {
	platform  *Platform
	kind      garden.Kind // of the accounts
	namespace string      // of the pool
}

// withUpcoming adds the Clusters of the platform cluster to a counter, where the provider block leads to one.
func (p *Platform) withUpcoming(counter pool.Counter, kind garden.Kind, namespace string) pool.Counter {
	if p == nil || !p.settings.Given {
		return counter
	}
	u := upcoming{p, kind, namespace}
	if counting, ok := counter.(*pool.Counting); ok {
		counting.Upcoming = u
		return counting
	}
	return &pool.Counting{Shoots: counter, Source: account.SourceGardener, Upcoming: u}
}

// Upcoming reads the Clusters, by the bindings that their Shoots and their Shoot templates name; see [pool.Upcoming].
//
// Errors: [ClustersUnreadError].
func (u upcoming) Upcoming(ctx context.Context) (coming map[string][]account.User, hidden, err error) {
	platform, err := u.platform.API()
	if err != nil {
		return nil, nil, &ClustersUnreadError{err}
	}
	led, err := platform.Profiles.Led(ctx)
	switch {
	case api.Reason(err) == kube.Forbidden:
		hidden = err
	case err != nil:
		return nil, nil, &ClustersUnreadError{err}
	}
	if led == nil {
		return nil, hidden, nil
	}
	coming = map[string][]account.User{}
	for _, c := range led {
		if !c.MayBeIn(u.namespace) {
			continue
		}
		user := account.User{Kind: api.KindCluster, Name: c.Ref.String(), Deleting: c.Deleting}
		for kind, name := range map[garden.Kind]string{
			garden.CredentialsBinding: c.Home.Bindings.Credentials, garden.SecretBinding: c.Home.Bindings.Secret,
		} {
			if name == "" {
				continue
			}
			if kind != u.kind {
				name = account.BindingOf(string(kind), name)
			}
			coming[name] = append(coming[name], user)
		}
	}
	return coming, hidden, nil
}

// ClustersUnreadError says that it is not known which accounts the Clusters of the platform cluster come to.
type ClustersUnreadError struct{ Err error }

func (e *ClustersUnreadError) Error() string {
	return fmt.Sprintf("platform of the provider block leads to Clusters that may come to the account, and they cannot be read: %v", e.Err)
}

// Unwrap returns why not.
func (e *ClustersUnreadError) Unwrap() error { return e.Err }

// Is makes it an [account.ErrNoAnswer] where another read may be answered.
func (e *ClustersUnreadError) Is(target error) bool {
	return target == account.ErrNoAnswer && Unreachable(e.Err)
}
