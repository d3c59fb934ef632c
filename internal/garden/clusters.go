package garden

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Count counts the Shoots of the namespace by the bindings that they name; see pool.Counter.
func (g *Garden) Count(ctx context.Context) (account.Counts, error) {
	clusters, err := g.clusters(ctx)
	if err != nil {
		return account.Counts{}, err
	}
	var counts account.Counts
	for _, c := range clusters {
		counts.Add(c.binding, c.shoot)
	}
	return counts, nil
}

// Users reads the Shoots that name one of the bindings, anew and wholly; see pool.Counter. The API cannot filter by it.
func (g *Garden) Users(ctx context.Context, bindings ...string) ([]account.User, error) {
	clusters, err := g.clusters(ctx)
	if err != nil {
		return nil, err
	}
	var users []account.User
	for _, c := range clusters {
		user := account.User{Kind: "Shoot", Name: c.shoot, Deleting: c.deleting}
		if slices.Contains(bindings, c.binding) && !slices.Contains(users, user) { // it may name two of them
			users = append(users, user)
		}
	}
	return users, nil
}

// cluster is a Shoot and the binding that it names, under the name that [account.Account] has; in a pool of Secrets, its Secret.
type cluster struct {
	binding, shoot string
	deleting       bool
}

// clusters reads every Shoot of the namespace with the bindings that it names, or where the kind of account is named by no Shoot, with the
// Secrets that the bindings lead to.
func (g *Garden) clusters(ctx context.Context) ([]cluster, error) {
	if !g.kind.named {
		return g.clustersOnSecrets(ctx)
	}
	shoots, err := g.shoots(ctx)
	if err != nil {
		return nil, err
	}
	clusters := make([]cluster, 0, len(shoots))
	for _, s := range shoots {
		for _, named := range []binding{{CredentialsBinding, s.credentialsBinding}, {SecretBinding, s.secretBinding}} {
			switch {
			case named.name == "":
			case kinds[named.kind].resource == g.kind.resource:
				clusters = append(clusters, cluster{named.name, s.name, s.deleting})
			default:
				clusters = append(clusters, cluster{account.BindingOf(string(named.kind), named.name), s.name, s.deleting})
			}
		}
	}
	return clusters, nil
}

// shoots reads every Shoot of the namespace. Pages are read as they come in, and only the names outlive them. The token of the next page
// comes first, so the server makes that page while one is on its way: most of the time of a count is the server's.
func (g *Garden) shoots(ctx context.Context) ([]shootNames, error) {
	var found []shootNames
	what := kube.Call{Verb: "list", Resource: shoots, Namespace: g.namespace}
	err := g.core.ListAhead(ctx, what, metav1.ListOptions{}, func() { found = nil },
		func(ctx context.Context, request *rest.Request, ahead func(string)) (kube.Page, error) {
			body, err := request.Stream(ctx)
			if err != nil {
				return kube.Page{}, err
			}
			defer func() { _ = body.Close() }()
			list, err := readShoots(body, ahead)
			if err != nil {
				return kube.Page{}, err
			}
			return kube.Page{Next: list.Continue, Keep: func() { found = append(found, list.Shoots...) }}, nil
		})
	return found, Translate(err)
}
