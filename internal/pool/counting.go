package pool

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Counting is how a pool counts: by which sources, and what happens when they differ. It is a [Counter].
type Counting struct {
	Shoots         Counter              // counts what Gardener knows
	Instances      Counter              // counts what the broker's database knows; nil = no database is configured
	Source         account.Source       // which of them count; empty = both where there is a database, else Gardener
	OnDisagreement account.Disagreement // what a difference leads to where both count
}

// errNoDatabase says that the database is to count, and there is none.
var errNoDatabase = errors.New("clusters are to be counted in the broker's database, and no database is configured")

// Count asks the chosen sources, and no other; see [Counter]. Whether a difference is an error is decided when the bindings of each
// cloud account are counted together ([account.Counts.Joined]).
func (c *Counting) Count(ctx context.Context) (account.Counts, error) {
	source := c.source()
	switch {
	case source == account.SourceGardener:
		return c.Shoots.Count(ctx)
	case c.Instances == nil:
		return account.Counts{}, errNoDatabase
	case source == account.SourceDatabase:
		counts, err := c.Instances.Count(ctx)
		return counts.ByDatabase(), err
	case source != account.SourceBoth:
		return account.Counts{}, fmt.Errorf("clusters cannot be counted in %q", source)
	}
	shoots, instances, err := both(ctx, c.Shoots.Count, c.Instances.Count)
	if err != nil {
		return account.Counts{}, err
	}
	return account.Combine(shoots, instances, c.OnDisagreement), nil
}

// source returns the source that counts.
func (c *Counting) source() account.Source {
	switch {
	case c.Source != "":
		return c.Source
	case c.Instances != nil:
		return account.SourceBoth
	}
	return account.SourceGardener
}

// everywhere returns the counter that asks each source there is, whichever counts. A difference is no error to it.
func (c *Counting) everywhere() Counter {
	if c.Instances == nil {
		return c.Shoots
	}
	return &Counting{Shoots: c.Shoots, Instances: c.Instances, Source: account.SourceBoth}
}

// Users asks Gardener, and the database wherever there is one, even where it does not count: an account is free when
// no source knows of a cluster on it.
func (c *Counting) Users(ctx context.Context, bindings ...string) ([]account.User, error) {
	if c.Instances == nil {
		return c.Shoots.Users(ctx, bindings...)
	}
	shoots, instances, err := both(ctx,
		func(ctx context.Context) ([]account.User, error) { return c.Shoots.Users(ctx, bindings...) },
		func(ctx context.Context) ([]account.User, error) { return c.Instances.Users(ctx, bindings...) })
	if err != nil {
		return nil, err
	}
	return append(shoots[:len(shoots):len(shoots)], instances...), nil
}

// both asks two sources at once. The first error ends the other request, and is returned when both have ended.
func both[T any](ctx context.Context, first, second func(context.Context) (T, error)) (one, other T, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { one, err = first(ctx); return err })
	group.Go(func() (err error) { other, err = second(ctx); return err })
	err = group.Wait()
	return one, other, err
}
