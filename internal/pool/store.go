package pool

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Store is the accounts as the world keeps them. Its errors are those of package account: [account.NotFoundError], [account.ExistsError],
// [account.ConflictError], [account.BusyError], [account.ForbiddenError], [account.UnauthorizedError], [account.UnreachableError],
// [account.UnknownOutcomeError], [account.RejectedError], [account.QuotaError], [account.NoAPIError], [account.FailedError];
// anything else is passed on as it is.
type Store interface {
	// Allowed asks whether accounts may be read and written, before anything is. It returns a [account.ForbiddenError] only
	// where the server says no; what cannot be asked is found out by doing it.
	Allowed(ctx context.Context) error
	// List returns every object of the accounts' kind in the namespace with its Credentials, whole or not at all. Those without
	// a hyperscaler type are siblings ([account.Account.Sibling]). Where objects of that kind are not made to be accounts (Secrets) it returns
	// the accounts alone.
	List(ctx context.Context) ([]account.Account, error)
	// Siblings returns the bindings of the other kinds, with their Credentials, whole or not at all. A kind that the server does
	// not have has none. Where the user may not list a kind it returns those of the others, and a [account.ForbiddenError].
	Siblings(ctx context.Context) ([]account.Account, error)
	// Outside returns the bindings, of all kinds, of other namespaces than the pool's that refer to credentials of these accounts which lie
	// outside of the pool's namespace, with their Credentials. It asks nothing where all credentials lie in it. Where the user may not
	// list the bindings of the whole server it returns those of the credentials' namespaces, and where not even these, those of the
	// others and a [account.ForbiddenError].
	Outside(ctx context.Context, of []account.Account) ([]account.Account, error)
	// Get reads one account, or one sibling, anew, with its Credentials.
	Get(ctx context.Context, name string) (account.Account, error)
	// Write makes one change in one call under the precondition that the account is still the object (UID) at the
	// version that was judged, and returns it as it is then, with its Credentials. It sends the call at most
	// once: a lost answer is an [account.UnknownOutcomeError], never a second try.
	Write(ctx context.Context, judged account.Account, change account.Change) (account.Account, error)

	// OwnsObjects reports whether accounts are objects that Create makes and Delete deletes. Otherwise they are objects of the user, which
	// are accounts as long as they have the labels of one.
	OwnsObjects() bool
	// Create makes an account in one call, which it sends at most once, and returns it with its Credentials.
	Create(ctx context.Context, supply account.Supply) (account.Account, error)
	// Delete deletes an account under the precondition of Write. The object may go on to exist, with a deletion timestamp,
	// while something else keeps it.
	Delete(ctx context.Context, judged account.Account) error
	// FindCredentials returns what the labels of the object say that a reference names, as those of an account do. It never reads the
	// credentials. Where there is no such object, or the user may not read it, it returns a [account.NoCredentialsError].
	FindCredentials(ctx context.Context, ref account.CredentialsRef) (account.Account, error)
}

// Counter counts the clusters on accounts.
type Counter interface {
	// Count counts the clusters of all accounts. Half a count is an error.
	Count(ctx context.Context) (account.Counts, error)
	// Users reads anew, and wholly, what uses one cloud account: the names are those of all its bindings. After an error the
	// account counts as in use.
	Users(ctx context.Context, bindings ...string) ([]account.User, error)
}

// Upcoming knows the clusters that another API is to bring to accounts, or has brought there: they may have no Shoot yet.
type Upcoming interface {
	// Upcoming reads anew, and wholly, all of these clusters, by the names of the bindings by which they come to an account. After an error
	// each account counts as in use. What hides some of them, where the user must not read them, is no error; coming has those that are seen
	// all the same, nil = none is, and they are not asked for again.
	Upcoming(ctx context.Context) (coming map[string][]account.User, hidden, err error)
}

// Counting is how a pool counts: by which sources, and what happens when they differ. It is a [Counter].
type Counting struct {
	Shoots         Counter              // counts what Gardener knows
	Instances      Counter              // counts what the broker's database knows; nil = no database is configured
	Source         account.Source       // which of them count; empty = both where there is a database, else Gardener
	OnDisagreement account.Disagreement // what a difference leads to where both count
	Upcoming       Upcoming             // which accounts are not given back; it does not count against a limit; nil = none is known
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

// countsAll reports whether each source that a counter has counts.
func countsAll(of Counter) bool {
	counting, ok := of.(*Counting)
	return !ok || counting.Upcoming == nil && (counting.Instances == nil || counting.source() == account.SourceBoth)
}

// upcoming returns what knows the upcoming clusters; nil = nothing does.
func upcoming(of Counter) Upcoming {
	if counting, ok := of.(*Counting); ok {
		return counting.Upcoming
	}
	return nil
}

// everywhere returns the counter that asks each source there is, whichever counts. A difference is no error to it.
func everywhere(of Counter) Counter {
	counting, ok := of.(*Counting)
	switch {
	case !ok:
		return of
	case counting.Instances == nil:
		return counting.Shoots
	}
	return &Counting{Shoots: counting.Shoots, Instances: counting.Instances, Source: account.SourceBoth}
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
