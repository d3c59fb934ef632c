package connection

import (
	"context"
	"errors"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// Behind returns the Shoots behind a Cluster: that which its cluster provider reports, and those in the Garden that have its labels. What
// the Garden says of a Shoot counts. One that it does not have may be in another Garden, in a namespace of the same name: the status of the
// Cluster counts then, unless this run has seen the Shoot go. An error is one of the read of the Garden; what the Cluster's own status says
// comes back beside it.
func (g *Garden) Behind(ctx context.Context, c *api.Cluster) ([]configs.BoundShoot, error) {
	all, err := g.Bound(ctx, c.Ref())
	own, annotations, ok := configs.ShootOf(c)
	if !ok || slices.ContainsFunc(all, func(s configs.BoundShoot) bool { return s.Namespace == own.Namespace && s.Name == own.Name }) {
		return all, err
	}
	own.Made, own.Reported = shoots.IsMade(annotations), err == nil
	own.Protected = kube.IsProtected(annotations) && !g.hasSeenGo(departed{c.Ref(), api.Ref{Namespace: own.Namespace, Name: own.Name}})
	return append(all, own), err
}

// departed is a Shoot that this run has deleted, with the Cluster whose labels it had: a Garden of another landscape may have one of its
// name.
type departed struct{ cluster, shoot api.Ref }

// SeeGo notes that this run has deleted the Shoot of a Cluster, and seen it gone.
func (g *Garden) SeeGo(cluster, shoot api.Ref) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone == nil {
		g.gone = map[departed]bool{}
	}
	g.gone[departed{cluster, shoot}] = true
}

func (g *Garden) hasSeenGo(d departed) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gone[d]
}

// Bound returns the Shoots in the Garden that have the labels of a Cluster. Errors: those of [Garden.Shoots] and of the list.
func (g *Garden) Bound(ctx context.Context, of api.Ref) (all []configs.BoundShoot, err error) {
	there, err := g.Shoots()
	if err != nil {
		return nil, err
	}
	live, err := there.BoundTo(ctx, of.Namespace, of.Name)
	for _, s := range live {
		all = append(all, configs.BoundShoot{
			Namespace: s.Namespace, Name: s.Name, Bindings: configs.Bindings{Credentials: s.Credentials, Secret: s.Secret}, Made: s.Made,
			Protected: s.Protected && !s.Deleting,
		})
	}
	return all, err
}

// bound finds the Shoots that a new Cluster would adopt, for the built-in scheduler. It is a [builtin.Shoots].
type bound struct{ garden *Garden }

// Bound is [Garden.Bound], and returns none where this user is not shown them.
func (b bound) Bound(ctx context.Context, of api.Ref) ([]configs.BoundShoot, error) {
	all, err := b.garden.Bound(ctx, of)
	if MayNotSee(err) {
		journal.LogRequest(ctx, "look for the Shoot of a cluster", of.String(), err)
		return nil, nil
	}
	return all, err
}

// MayNotSee reports whether a read has failed because this user is not shown what there is: the provider block leads to no such server, the
// user has no right there, or the server has no such API. After any other failure it is not known what there is, and nothing may be written
// that goes by it: a token may have ended in the run, and a gateway may have lost the path.
func MayNotSee(err error) bool {
	if errors.As(err, new(*kube.LostPathError)) || errors.As(err, new(*account.UnauthorizedError)) {
		return false
	}
	if failed, asked := errors.AsType[*kube.Error](err); asked {
		return slices.Contains([]kube.Reason{kube.Forbidden, kube.NoAPI, kube.NotFound}, failed.Reason)
	}
	interrupted := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return err != nil && !interrupted && !errors.Is(err, account.ErrNoAnswer)
}

// Knows asks Gardener whether it knows the fields of a template that this provider's types do not know; name is that of the Shoot, empty =
// not known. A template without such fields is not asked for.
//
// Errors: as [Garden.Shoots], and those of [shoots.Shoots.Knows].
func (g *Garden) Knows(ctx context.Context, name string, t shoots.Template) error {
	if len(t.Newer()) == 0 {
		return nil
	}
	all, err := g.Shoots()
	if err != nil {
		return err
	}
	return all.Knows(ctx, name, t)
}

// Holds judges whether an account is still that of live clusters, as [pool.Pool.Holds] does.
//
// Errors: as [Garden.Pool], and those of [pool.Pool.Holds].
func (g *Garden) Holds(ctx context.Context, req account.HostRequest) error {
	p, err := g.Pool()
	if err != nil {
		return err
	}
	return p.Holds(ctx, req)
}
