package garden

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Count counts the Shoots of the namespace by the account that they are on; see pool.Counter. Those that name the other kind of
// binding are siblings.
func (g *Garden) Count(ctx context.Context) (pool.Counts, error) {
	clusters, err := g.clusters(ctx)
	if err != nil {
		return pool.Counts{}, err
	}
	var counts pool.Counts
	for _, c := range clusters {
		if c.sibling {
			counts.AddSibling(c.account)
		} else {
			counts.Add(c.account, c.shoot)
		}
	}
	return counts, nil
}

// Users reads the Shoots that are on an account, anew and wholly; see pool.Counter. The API cannot filter by it. While a
// landscape moves from SecretBindings to CredentialsBindings a Shoot may still name the other one: a binding of the same
// name counts as the account here, for an account in use must never look free.
func (g *Garden) Users(ctx context.Context, account string) ([]pool.User, error) {
	clusters, err := g.clusters(ctx)
	if err != nil {
		return nil, err
	}
	var users []pool.User
	for _, c := range clusters {
		if c.account == account {
			users = append(users, pool.User{Kind: "Shoot", Name: c.shoot, Deleting: c.deleting})
		}
	}
	return users, nil
}

// cluster is a Shoot and the account that it is on.
type cluster struct {
	account, shoot string
	deleting       bool
	sibling        bool // the Shoot names the binding of the other kind that has the account's name
}

// clusters reads every Shoot of the namespace with the accounts that it names by a binding of either kind, or where the kind of account
// is named by no Shoot, with those that the bindings lead to.
func (g *Garden) clusters(ctx context.Context) ([]cluster, error) {
	if g.kind.on == nil {
		return g.clustersOnSecrets(ctx)
	}
	shoots, err := g.shoots(ctx)
	if err != nil {
		return nil, err
	}
	clusters := make([]cluster, 0, len(shoots))
	for _, s := range shoots {
		account := g.kind.on(s)
		for _, name := range slices.Compact([]string{s.credentialsBinding, s.secretBinding}) {
			if name != "" {
				clusters = append(clusters, cluster{name, s.name, s.deleting, name != account})
			}
		}
	}
	return clusters, nil
}

// shoots reads every Shoot of the namespace. Pages are read one at a time as they come in, and only the names outlive
// them.
func (g *Garden) shoots(ctx context.Context) ([]shootNames, error) {
	var found []shootNames
	what := kube.Call{Verb: "list", Resource: shoots, Namespace: g.namespace}
	err := g.core.List(ctx, what, metav1.ListOptions{}, func() { found = nil },
		func(ctx context.Context, request *rest.Request) (string, error) {
			body, err := request.Stream(ctx)
			if err != nil {
				return "", err
			}
			defer func() { _ = body.Close() }()
			list, err := readShoots(body)
			if err != nil {
				return "", err
			}
			// Not before the page is whole: a page that fails is asked for once more.
			found = append(found, list.Shoots...)
			return list.Continue, nil
		})
	return found, translate(err)
}
