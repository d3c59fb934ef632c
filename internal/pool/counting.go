package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Source says who counts the clusters.
type Source string

// The sources of a count. SourceGardener counts Shoots; SourceDatabase counts rows of the broker's database;
// SourceBoth counts both, and the higher number stands.
const (
	SourceGardener Source = "gardener"
	SourceDatabase Source = "database"
	SourceBoth     Source = "both"
)

// Disagreement says what becomes of a count by both sources when they differ.
type Disagreement string

// What a difference leads to. TakeHighest, also when nothing is said, goes by the higher number and lists the differences
// in [Counts.Differences]; RefuseToCount makes them a [DisagreementError].
const (
	TakeHighest   Disagreement = "highest"
	RefuseToCount Disagreement = "error"
)

// Counting is how a pool counts: by which sources, and what happens when they differ. It is a [Counter].
type Counting struct {
	// Shoots counts what Gardener knows.
	Shoots Counter
	// Instances counts what the broker's database knows; nil = no database is configured.
	Instances Counter
	// Source says which of them count; empty = both where there is a database, else Gardener.
	Source Source
	// OnDisagreement is what a difference leads to where both count.
	OnDisagreement Disagreement
}

var _ Counter = (*Counting)(nil)

// errNoDatabase says that the database is to count, and there is none.
var errNoDatabase = errors.New("clusters are to be counted in the broker's database, and no database is configured")

// Count asks the chosen sources, and no other; see [Counter].
func (c *Counting) Count(ctx context.Context) (Counts, error) {
	source := c.source()
	switch {
	case source == SourceGardener:
		return c.Shoots.Count(ctx)
	case c.Instances == nil:
		return Counts{}, errNoDatabase
	case source == SourceDatabase:
		counts, err := c.Instances.Count(ctx)
		counts.source = SourceDatabase
		return counts, err
	case source != SourceBoth:
		return Counts{}, fmt.Errorf("clusters cannot be counted in %q", source)
	}
	shoots, instances, err := sideBySide(ctx, c.Shoots.Count, c.Instances.Count)
	if err != nil {
		return Counts{}, err
	}
	counts := combine(shoots, instances)
	if c.OnDisagreement == RefuseToCount && len(counts.differences) > 0 {
		return Counts{}, &DisagreementError{Differences: counts.differences}
	}
	return counts, nil
}

// source returns the source that counts.
func (c *Counting) source() Source {
	switch {
	case c.Source != "":
		return c.Source
	case c.Instances != nil:
		return SourceBoth
	}
	return SourceGardener
}

// everywhere returns the counter that asks each source there is, whichever counts. A difference is no error to it.
func (c *Counting) everywhere() Counter {
	if c.Instances == nil {
		return c.Shoots
	}
	return &Counting{Shoots: c.Shoots, Instances: c.Instances, Source: SourceBoth}
}

// Users asks Gardener, and the database wherever there is one, even where it does not count: an account is free when
// no source knows of a cluster on it.
func (c *Counting) Users(ctx context.Context, account string) ([]User, error) {
	if c.Instances == nil {
		return c.Shoots.Users(ctx, account)
	}
	shoots, instances, err := sideBySide(ctx,
		func(ctx context.Context) ([]User, error) { return c.Shoots.Users(ctx, account) },
		func(ctx context.Context) ([]User, error) { return c.Instances.Users(ctx, account) })
	if err != nil {
		return nil, err
	}
	return append(shoots[:len(shoots):len(shoots)], instances...), nil
}

// sideBySide asks both at once. The first error ends the other one, and is returned when both have ended.
func sideBySide[T any](ctx context.Context, first, second func(context.Context) (T, error)) (one, other T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed sync.Once
	ask := func(source func(context.Context) (T, error), into *T) {
		answer, e := source(ctx)
		if e != nil {
			failed.Do(func() { err = e })
			cancel()
			return
		}
		*into = answer
	}
	var both sync.WaitGroup
	both.Go(func() { ask(second, &other) })
	ask(first, &one)
	both.Wait()
	return one, other, err
}

// MaxDifferencesListed is how many accounts a [DisagreementError] lists.
const MaxDifferencesListed = 20

// DisagreementError says that Gardener and the broker's database tell different numbers.
type DisagreementError struct {
	// Differences are all of them, sorted by account.
	Differences []Difference
}

// Error lists up to [MaxDifferencesListed] of the accounts.
func (e *DisagreementError) Error() string {
	listed := make([]string, 0, MaxDifferencesListed)
	for _, d := range e.Differences[:min(len(e.Differences), MaxDifferencesListed)] {
		listed = append(listed, d.String())
	}
	text := "Gardener and the broker's database count differently: " + strings.Join(listed, "; ")
	if more := len(e.Differences) - len(listed); more > 0 {
		text += fmt.Sprintf("; and %s more", count(more, "account"))
	}
	return text
}

// String names the account and both numbers.
func (d Difference) String() string {
	if d.Account == "" {
		return fmt.Sprintf("no account is named by %s of the database", count(d.Instances, "row"))
	}
	text := fmt.Sprintf("%s: %s, %s", d.Account, count(d.Shoots, "Shoot"), count(d.Instances, "row"))
	if d.Suspended > 0 {
		text += fmt.Sprintf(" (%d suspended)", d.Suspended)
	}
	return text
}
