package backend

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// preview is the latch of the looks that a plan can do without: after the first that failed, no other waits again.
type preview struct{ failed atomic.Bool }

// errNotTried stands for a look that was not taken, because an earlier one had failed.
var errNotTried = errors.New("the pool was not looked at")

// Decide selects an account without writing. Errors: as [Connection.Pool] and [pool.Pool.Preview], and [EmptyPoolError].
func (b *Backend) Decide(ctx context.Context, target pool.Target, globalAccount string) (pool.Decision, error) {
	p, err := b.Selecting()
	if err != nil {
		return pool.Decision{}, err
	}
	d, err := p.Preview(ctx, target, globalAccount)
	journal.LogDecision(ctx, target, globalAccount, d, err)
	return d, b.LookAround(ctx, err)
}

// Preview decides for a plan, which can do without. Errors: as Decide, and one for a look that was not tried; see [WillFail].
func (b *Backend) Preview(ctx context.Context, target pool.Target, globalAccount string) (pool.Decision, error) {
	var d pool.Decision
	err := b.Try(func() (err error) {
		d, err = b.Decide(ctx, target, globalAccount)
		return err
	})
	return d, err
}

// Try takes a look that a plan can do without. Errors: those of the look, and one for a look that was not tried; see [WillFail].
func (b *Backend) Try(look func() error) error { return b.preview.try(look) }

// TryGardener is Try for a look at Gardener beside the pool. Neither of the two stops the other: the pool may be out of sight, because
// of its database, while Gardener answers.
func (b *Backend) TryGardener(look func() error) error { return b.gardener.try(look) }

// TryBound is Try for a look at the Shoots that bear the labels of a Cluster, which needs another right than a check of a Shoot.
func (b *Backend) TryBound(look func() error) error { return b.bound.try(look) }

func (p *preview) try(look func() error) error {
	if p.failed.Load() {
		return errNotTried
	}
	err := look()
	if err != nil && !refused(err) && !errors.As(err, new(*UnknownSettingsError)) {
		p.failed.Store(true)
	}
	return err
}

// refused reports whether the pool answered, with a no.
func refused(err error) bool {
	return errors.As(err, new(*pool.ExhaustedError)) || errors.As(err, new(*pool.GuardError)) || RefusesAccount(err) ||
		RefusesShoot(err)
}

// RefusesAccount reports whether the pool answered to the owner of an account, with a no.
func RefusesAccount(err error) bool {
	return errors.As(err, new(*pool.SupplyError)) || errors.As(err, new(*pool.ExistsError)) || errors.As(err, new(*pool.NotFoundError)) ||
		errors.As(err, new(*pool.NoCredentialsError)) || errors.As(err, new(*pool.SameCredentialsError))
}

// RefusesShoot reports whether the pool or Gardener answered to who wants a cluster, with a no.
func RefusesShoot(err error) bool {
	return errors.As(err, new(*pool.HostError)) || errors.As(err, new(*pool.NotFoundError)) || errors.As(err, new(*shoots.ExistsError)) ||
		errors.As(err, new(*shoots.RefusedError)) || errors.As(err, new(*shoots.MovedError)) || errors.As(err, new(*shoots.GoneError)) ||
		errors.As(err, new(*shoots.TemplateError)) || errors.As(err, new(*ShootElsewhereError))
}

// WillFail reports whether an apply would meet the same error as the plan, and the pool has not answered: not where the plan
// had no time, or where settings will be known by then.
func WillFail(err error) bool {
	return err != nil && !refused(err) && !errors.Is(err, errNotTried) && !errors.As(err, new(*UnknownSettingsError)) &&
		!errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
}

// Unlooked reports whether a look has failed, or was not taken, without an answer: not where settings are missing that will be known
// later, or where the run was interrupted.
func Unlooked(err error) bool {
	return err != nil && !refused(err) && !errors.As(err, new(*UnknownSettingsError)) && !errors.Is(err, context.Canceled)
}

// EmptyPoolError is an [pool.ExhaustedError] of a pool that has no account at all. Mostly it is not the pool that is wrong
// but the way to it: the namespace, the rule, or the labels of the accounts.
type EmptyPoolError struct {
	*pool.ExhaustedError
	// Namespace is where accounts were looked for, Selector the labels that the pool's would have.
	Namespace, Selector string
	// Others are the pools of the namespace that have accounts, each with their number.
	Others []string
}

// Unwrap returns the error without what was found around it.
func (e *EmptyPoolError) Unwrap() error { return e.ExhaustedError }

// LookAround adds to the error of an empty pool what else there is in the namespace; other errors stay as they are.
func (b *Backend) LookAround(ctx context.Context, err error) error {
	var exhausted *pool.ExhaustedError
	if !errors.As(err, &exhausted) || exhausted.Tally.Total() > 0 {
		return err
	}
	p, opened := b.Pool()
	selectors, spelt := b.Keys.Selectors(exhausted.Query.Target, "")
	if errors.Join(opened, spelt) != nil {
		return err
	}
	around, looked := overview.Of(ctx, p, nil, overview.Facts{}, overview.Filter{})
	if looked != nil {
		return err
	}
	others := make([]string, len(around.Pools))
	for i, other := range around.Pools {
		others[i] = fmt.Sprintf("%s (%d)", other.Target, other.Tally.Total())
	}
	return &EmptyPoolError{exhausted, around.Namespace, selectors.Pool, others}
}
