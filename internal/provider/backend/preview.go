package backend

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// preview is the latch of the reads that a plan can do without: after the first that failed, no other waits again.
type preview struct{ failed atomic.Pointer[NotTriedError] }

// NotTriedError is the error of a read that was not tried, because an earlier one had failed.
type NotTriedError struct{ Earlier error }

func (e *NotTriedError) Error() string {
	return "an earlier look of this plan failed: " + e.Earlier.Error()
}

// Unwrap returns why the earlier read failed.
func (e *NotTriedError) Unwrap() error { return e.Earlier }

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

// Preview decides for a plan, which can do without. Errors: as Decide, and [NotTriedError].
func (b *Backend) Preview(ctx context.Context, target pool.Target, globalAccount string) (pool.Decision, error) {
	var d pool.Decision
	err := b.Try(func() (err error) {
		d, err = b.Decide(ctx, target, globalAccount)
		return err
	})
	return d, err
}

// Usable builds the way to the pool. It does not dial. An error says that no apply comes through either: settings of the provider block, or
// of its environment, are missing or wrong. Settings that will be known later are no error.
func (b *Backend) Usable() error {
	if _, err := b.Pool(); Unusable(err) {
		return err
	}
	return nil
}

// Unusable reports whether an error says that the settings lead nowhere.
func Unusable(err error) bool {
	return errors.As(err, new(*kube.NotConfiguredError)) || errors.As(err, new(*kube.SettingError)) ||
		errors.As(err, new(*kebdb.NotConfiguredError)) || errors.As(err, new(*kebdb.SettingError))
}

// Try makes a read that a plan can do without. Errors: those of the read, and [NotTriedError].
func (b *Backend) Try(look func() error) error { return b.preview.try(look, unanswered) }

// TryGardener is Try for a read of Gardener beside the pool. Neither of the two stops the other: the pool may be out of sight, because
// of its database, while Gardener answers.
func (b *Backend) TryGardener(look func() error) error { return b.gardener.try(look, unanswered) }

// TryBound is Try for a read of the Shoots that have the labels of a Cluster, which needs another right than a check of a Shoot.
func (b *Backend) TryBound(look func() error) error { return b.bound.try(look, unanswered) }

// TryPlatform is Try for a read of the platform cluster. Only one without an answer stops others: what a user may see there differs from
// object to object.
func (b *Backend) TryPlatform(look func() error) error { return b.platform.try(look, Unreachable) }

// Unreachable reports whether the platform cluster has given no usable answer.
func Unreachable(err error) bool {
	failed, ok := errors.AsType[*kube.Error](err)
	return ok && failed.Reason == kube.Unreachable && errors.As(err, new(*openmcp.ServerError))
}

// try makes a read, unless one before has failed, and notes whether this one fails.
func (p *preview) try(look func() error, fails func(error) bool) error {
	if failed := p.failed.Load(); failed != nil {
		return failed
	}
	err := look()
	if err != nil && fails(err) {
		p.failed.Store(&NotTriedError{err})
	}
	return err
}

// unanswered reports whether a read that failed has got no answer: neither the pool said no, nor are settings missing that will be known
// later.
func unanswered(err error) bool { return !refused(err) && !errors.As(err, new(*UnknownSettingsError)) }

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
		errors.As(err, new(*shoots.TemplateError)) || errors.As(err, new(*SettingsChangedError))
}

// Unlooked reports whether a read has failed, or was not tried, without an answer: not where settings are missing that will be known
// later, or where the run was interrupted.
func Unlooked(err error) bool {
	return err != nil && unanswered(err) && !errors.Is(err, context.Canceled)
}

// EmptyPoolError is an [pool.ExhaustedError] of a pool that has no account at all. Mostly it is not the pool that is wrong
// but the way to it: the namespace, the rule, or the labels of the accounts.
type EmptyPoolError struct {
	*pool.ExhaustedError
	// Namespace is where accounts were searched, Selector the labels that the pool's would have.
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
