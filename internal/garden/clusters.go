package garden

import (
	"context"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Count counts the Shoots of the namespace by the account that they name; see pool.Counter.
func (g *Garden) Count(ctx context.Context) (pool.Counts, error) {
	var counts pool.Counts
	err := g.eachShoot(ctx, func() { counts = pool.Counts{} }, func(account, shoot string) { counts.Add(account, shoot) })
	if err != nil {
		return pool.Counts{}, err
	}
	return counts, nil
}

// Users reads the Shoots that name an account, anew and wholly; see pool.Counter. The API cannot filter by it.
func (g *Garden) Users(ctx context.Context, account string) ([]pool.User, error) {
	var users []pool.User
	err := g.eachShoot(ctx, func() { users = nil }, func(of, shoot string) {
		if of == account {
			users = append(users, pool.User{Kind: "Shoot", Name: shoot})
		}
	})
	if err != nil {
		return nil, err
	}
	return users, nil
}

// eachShoot calls visit with every Shoot of the namespace that names an account; begin is called before each pass.
// Pages are decoded one at a time, and only the two names outlive them.
func (g *Garden) eachShoot(ctx context.Context, begin func(), visit func(account, shoot string)) error {
	what := call{verb: "list", resource: shoots, namespace: g.namespace}
	return pages(ctx, what, begin, func(ctx context.Context, options metav1.ListOptions) (string, error) {
		var list gardencore.ShootList
		err := g.core.Get().Namespace(g.namespace).Resource(shoots).VersionedParams(&options, parameters).MaxRetries(0).Do(ctx).Into(&list)
		if err != nil {
			return "", err
		}
		for i := range list.Items {
			if name := list.Items[i].Spec.CredentialsBindingName; name != nil && *name != "" {
				// Cloned, because a decoded string may keep its whole page alive.
				visit(strings.Clone(*name), strings.Clone(list.Items[i].Name))
			}
		}
		return list.Continue, nil
	})
}
