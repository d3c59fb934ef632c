package connection

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// accounts judges the accounts behind profiles by the pool, for the built-in scheduler. It is a [builtin.Accounts].
type accounts struct{ garden *Garden }

// Judge says of each place what the pool knows of its account. One that is not in the pool of the provider block is not known, and neither
// is any where the block leads to no Garden. A Garden that does not answer is an error before a write alone, so where it is fresh.
//
// Errors: as [Garden.Selecting]; those of [pool.Pool.MayHost] and [shoots.Shoots.ByCluster].
func (a accounts) Judge(ctx context.Context, places []builtin.Place, fresh bool) ([]*adr.Account, error) {
	all, err := a.judge(ctx, places, fresh)
	if err == nil || fresh && !isUnconfigured(err) {
		return all, err
	}
	why := err.Error()
	if errors.As(err, new(*kube.NotConfiguredError)) {
		why = "the provider block leads to no Garden"
	}
	all = accountsOf(places)
	for _, account := range all {
		account.Unseen = why
	}
	return all, nil
}

// isUnconfigured reports whether the provider block leads to no pool, or not yet.
func isUnconfigured(err error) bool {
	return errors.As(err, new(*kube.NotConfiguredError)) || errors.As(err, new(*settings.UnknownError))
}

// accountsOf are the accounts of places, of which nothing but the names is known.
func accountsOf(places []builtin.Place) []*adr.Account {
	all := make([]*adr.Account, len(places))
	for i, place := range places {
		all[i] = &adr.Account{Name: place.Bindings.Account()}
	}
	return all
}

func (a accounts) judge(ctx context.Context, places []builtin.Place, fresh bool) ([]*adr.Account, error) {
	p, err := a.garden.Selecting()
	if err != nil {
		return nil, err
	}
	all := accountsOf(places)
	var within []int // the places of the pool
	coming := false
	for i, place := range places {
		at, err := a.garden.AccountAt(ctx, p, place.Home, fresh)
		if err != nil {
			return nil, err
		}
		all[i].Name, all[i].Unseen = at.Name, at.Elsewhere
		if at.Guessed {
			all[i].Unseen = fmt.Sprintf("its profile names %s, and this user may not list such bindings", place.Bindings)
		}
		if all[i].Unseen == "" {
			within = append(within, i)
			coming = coming || len(place.Coming)+len(place.Beside) > 0 || place.Made != (api.Ref{})
		}
	}
	// The Shoots come before the count: one that is made between the two takes two places for a moment, and none is overlooked.
	var made map[shoots.Cluster]string
	if coming {
		if made, err = a.shoots(ctx); err != nil {
			return nil, err
		}
	}
	group, ctx := errgroup.WithContext(ctx) // all share one count
	for _, i := range within {
		group.Go(func() error { return a.judgeOne(ctx, p, places[i], made, fresh, all[i]) })
	}
	return all, group.Wait()
}

func (a accounts) shoots(ctx context.Context) (map[shoots.Cluster]string, error) {
	all, err := a.garden.Shoots()
	if err != nil {
		return nil, err
	}
	return all.ByCluster(ctx)
}

// AccountAt is the account behind a profile, as the pool of the provider block knows it.
type AccountAt struct {
	Name      string
	Elsewhere string // why the account is not in the pool; empty = it may be
	Guessed   bool   // as in [pool.Pool.AccountOf]
}

// AccountAt returns the account behind a profile. A profile may name it by a binding of another kind than the accounts: then it is judged
// as the account of the same credentials. fresh says that a write follows, for which the lists must be fresh.
//
// Errors: those of [pool.Pool.AccountOf], but for [account.NotFoundError].
func (g *Garden) AccountAt(ctx context.Context, p *pool.Pool, home configs.Home, fresh bool) (AccountAt, error) {
	kind, at := g.settings.Kind, AccountAt{Name: home.Bindings.Account()}
	own, other := home.Bindings.Credentials, account.BindingOf(string(garden.SecretBinding), home.Bindings.Secret)
	if kind == garden.SecretBinding {
		own, other = home.Bindings.Secret, account.BindingOf(string(garden.CredentialsBinding), home.Bindings.Credentials)
	}
	switch {
	case !home.MayHold(p.Namespace()):
		at.Elsewhere = fmt.Sprintf("it is in project %q, and the provider block leads to namespace %s", home.Project, p.Namespace())
		return at, nil
	case kind == garden.Secret:
		at.Elsewhere = fmt.Sprintf("its profile names %s, and the accounts of the provider block are %ss", home.Bindings, kind)
		return at, nil
	case own != "":
		at.Name = own
		return at, nil
	}
	name, guessed, err := p.AccountOf(ctx, other, fresh)
	if errors.As(err, new(*account.NotFoundError)) {
		at.Elsewhere = fmt.Sprintf("its profile names %s, which leads to no %s in namespace %s", home.Bindings, kind, p.Namespace())
		return at, nil
	}
	if err == nil {
		at.Name, at.Guessed = name, guessed
	}
	return at, err
}

// judgeOne judges one account. Each other Cluster that has no Shoot yet takes a place, and so does the new one.
func (a accounts) judgeOne(
	ctx context.Context, p *pool.Pool, place builtin.Place, made map[shoots.Cluster]string, fresh bool, of *adr.Account,
) error {
	req := account.HostRequest{Account: of.Name, Cluster: unmade(place.Made), Tenant: place.Tenant, Fresh: fresh}
	if shoot, has := made[shoots.Cluster(place.Made)]; has {
		req.Cluster = shoot
	}
	wait := func(coming []api.Ref) {
		for _, c := range coming {
			of.Waiting = append(of.Waiting, clusters.Ref(c))
			if _, has := made[shoots.Cluster(c)]; !has {
				req.Planned = append(req.Planned, unmade(c))
			}
		}
	}
	wait(place.Coming)
	room, refused, err := mayHost(ctx, p, req)
	if err == nil && len(place.Beside) > 0 {
		others := len(req.Planned)
		for _, binding := range room.Account.Bindings() { // the profile may name a binding of another kind than the account
			wait(place.Beside[a.bindingsOf(binding)])
		}
		if len(req.Planned) > others {
			room, refused, err = mayHost(ctx, p, req)
		}
	}
	switch {
	case errors.As(err, new(*account.NotFoundError)):
		of.Unseen = fmt.Sprintf("there is no account %s in namespace %s", of.Name, p.Namespace())
		return nil
	case err != nil:
		return err
	}
	of.Taken, of.Limit, of.Shared = room.Place-1, room.Limit, room.Account.Shared
	if refused != nil && refused.Reason != account.HostFull && refused.Reason != account.HostUnclaimed { // a broker may have claimed it
		of.Refusal, of.Foreign = refused.Error(), place.Named && isForeign(refused, place.Tenant)
	}
	return nil
}

// mayHost is [pool.Pool.MayHost], whose refusal is no error here.
func mayHost(ctx context.Context, p *pool.Pool, req account.HostRequest) (account.Room, *account.HostError, error) {
	room, err := p.MayHost(ctx, req)
	if refused, judged := errors.AsType[*account.HostError](err); judged {
		return refused.Room, refused, nil
	}
	return room, nil, err
}

// bindingsOf is how a Shoot template names an account, or another binding of its credentials.
func (a accounts) bindingsOf(binding *account.Account) configs.Bindings {
	kind, name := account.BindingName(binding.Name)
	if cmp.Or(garden.Kind(kind), a.garden.settings.Kind) == garden.SecretBinding {
		return configs.Bindings{Secret: name}
	}
	return configs.Bindings{Credentials: name}
}

// isForeign reports whether an account is another Global Account's than this one. The pool names the state of an account before it names
// whose it is, and an account that is dirty or quarantined stays its holder's.
func isForeign(refused *account.HostError, tenant string) bool {
	return refused.Reason == account.HostForeign || refused.Tenant != "" && refused.Tenant != tenant
}

// unmade is a name for the Shoot of a Cluster that has none yet. No Shoot has it.
func unmade(c api.Ref) string { return "the Shoot of Cluster " + c.String() }
