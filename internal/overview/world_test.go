package overview

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

const namespace = "garden-kyma"

var (
	aws = pool.Target{HyperscalerType: "aws"}
	// longAgo is when the claims of the tests were made, someDay when their surveys take place.
	longAgo = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	someDay = longAgo.Add(50 * time.Hour)
)

// surveyed returns the overview of these accounts.
func surveyed(counts pool.Counts, policy pool.Policy, of Filter, accounts ...pool.Account) Overview {
	return Survey(pool.Inventory{Namespace: namespace, Accounts: pointers(accounts), Counts: counts, Policy: policy}, Facts{}, of, someDay)
}

func pointers(accounts []pool.Account) []*pool.Account {
	out := make([]*pool.Account, len(accounts))
	for i := range accounts {
		out[i] = &accounts[i]
	}
	return out
}

// clustersOn counts clusters under names of their own: "a-1", "a-2" and so on.
func clustersOn(numbers map[string]int) (counts pool.Counts) {
	for account, n := range numbers {
		for i := range n {
			counts.Add(account, fmt.Sprintf("%s-%d", account, i+1))
		}
	}
	return counts
}

// several allows every Global Account several accounts with at most so many clusters each.
func several(limit int) pool.Policy {
	return pool.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{pool.DefaultLimit: limit}}
}

// account returns an unclaimed account of the pool aws, with changes.
func account(name string, changes ...func(*pool.Account)) pool.Account {
	a := pool.Account{Name: name, HyperscalerType: "aws", Records: map[string]pool.Record{}}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func heldBy(ga string) func(*pool.Account) { return func(a *pool.Account) { a.Tenant = ga } }

func dirty(d pool.Dirt) func(*pool.Account) { return func(a *pool.Account) { a.Dirty = d } }

func ofType(hyperscalerType string) func(*pool.Account) {
	return func(a *pool.Account) { a.HyperscalerType = hyperscalerType }
}

func unseen(labels ...string) func(*pool.Account) {
	return func(a *pool.Account) { a.Unseen = labels }
}

func shared(a *pool.Account) { a.Shared = true }

func euAccess(a *pool.Account) { a.EUAccess = true }

func internal(a *pool.Account) { a.Internal = true }

func terminating(a *pool.Account) { a.Terminating = true }

// bearing puts the record of a claim on an account.
func bearing(ga, name string, changes ...func(*pool.Record)) func(*pool.Account) {
	return func(a *pool.Account) {
		r := recordOf(ga, name)
		for _, change := range changes {
			change(&r)
		}
		a.Records[r.Identity(namespace).Key()] = r
	}
}

func recordOf(ga, name string) pool.Record {
	return pool.Record{Name: name, GlobalAccount: ga, Pool: aws.String(), ClaimedAt: longAgo, Version: pool.RecordVersion}
}

func forCluster(name string) func(*pool.Record) {
	return func(r *pool.Record) { r.ClusterName = name }
}

func fencedSince(t time.Time) func(*pool.Record) {
	return func(r *pool.Record) { r.ReleasingSince = t }
}

// store has these accounts, and refuses to write.
type store []pool.Account

var errReadOnly = errors.New("an overview never writes")

func (s store) Allowed(context.Context) error { return errReadOnly }

func (s store) List(context.Context) ([]pool.Account, error) { return s, nil }

func (s store) Get(_ context.Context, name string) (pool.Account, error) {
	return pool.Account{}, &pool.NotFoundError{Account: name}
}

func (s store) Write(context.Context, pool.Account, pool.Change) (pool.Account, error) {
	return pool.Account{}, errReadOnly
}

func (s store) OwnsObjects() bool { return true }

func (s store) Create(context.Context, pool.Supply) (pool.Account, error) {
	return pool.Account{}, errReadOnly
}

func (s store) Delete(context.Context, pool.Account) error { return errReadOnly }

func (s store) Siblings(context.Context) ([]pool.Account, error) { return nil, nil }

func (s store) FindCredentials(context.Context, pool.CredentialsRef) error { return errReadOnly }

// counter gives one count, or an error.
type counter struct {
	counts pool.Counts
	err    error
}

func (c counter) Count(context.Context) (pool.Counts, error) { return c.counts, c.err }

func (c counter) Users(context.Context, ...string) ([]pool.User, error) { return nil, c.err }

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
