package overview

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

const namespace = "garden-kyma"

var (
	aws = account.Target{HyperscalerType: "aws"}
	// longAgo is when the claims of the tests were made, someDay when their surveys take place.
	longAgo = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	someDay = longAgo.Add(50 * time.Hour)
)

// surveyed returns the overview of these accounts.
func surveyed(counts account.Counts, policy account.Policy, of Filter, accounts ...account.Account) Overview {
	return Survey(pool.Inventory{Namespace: namespace, Accounts: pointers(accounts), Counts: counts, Policy: policy}, Facts{}, of, someDay)
}

func pointers(accounts []account.Account) []*account.Account {
	out := make([]*account.Account, len(accounts))
	for i := range accounts {
		out[i] = &accounts[i]
	}
	return out
}

// clustersOn counts clusters under names of their own: "a-1", "a-2" and so on.
func clustersOn(numbers map[string]int) (counts account.Counts) {
	for account, n := range numbers {
		for i := range n {
			counts.Add(account, fmt.Sprintf("%s-%d", account, i+1))
		}
	}
	return counts
}

// several allows every Global Account several accounts with at most so many clusters each.
func several(limit int) account.Policy {
	return account.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{account.DefaultLimit: limit}}
}

// account returns an unclaimed account of the pool aws, with changes.
func anAccount(name string, changes ...func(*account.Account)) account.Account {
	a := account.Account{Name: name, HyperscalerType: "aws", Records: map[string]account.Record{}}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func heldBy(ga string) func(*account.Account) { return func(a *account.Account) { a.Tenant = ga } }

func dirty(d account.Dirt) func(*account.Account) { return func(a *account.Account) { a.Dirty = d } }

func ofType(hyperscalerType string) func(*account.Account) {
	return func(a *account.Account) { a.HyperscalerType = hyperscalerType }
}

func unseen(labels ...string) func(*account.Account) {
	return func(a *account.Account) { a.Unseen = labels }
}

func misspelled(labels ...string) func(*account.Account) {
	return func(a *account.Account) { a.Misspelt = labels }
}

func shared(a *account.Account) { a.Shared = true }

func euAccess(a *account.Account) { a.EUAccess = true }

func internal(a *account.Account) { a.Internal = true }

func terminating(a *account.Account) { a.Terminating = true }

// bearing puts the record of a claim on an account.
func bearing(ga, name string, changes ...func(*account.Record)) func(*account.Account) {
	return func(a *account.Account) {
		r := recordOf(ga, name)
		for _, change := range changes {
			change(&r)
		}
		a.Records[r.Identity(namespace).Key()] = r
	}
}

func recordOf(ga, name string) account.Record {
	return account.Record{Name: name, GlobalAccount: ga, Pool: aws.String(), ClaimedAt: longAgo, Version: account.RecordVersion}
}

func forCluster(name string) func(*account.Record) {
	return func(r *account.Record) { r.ClusterName = name }
}

func fencedSince(t time.Time) func(*account.Record) {
	return func(r *account.Record) { r.ReleasingSince = t }
}

// store has these accounts, and refuses to write.
type store []account.Account

var errReadOnly = errors.New("an overview never writes")

func (s store) Allowed(context.Context) error { return errReadOnly }

func (s store) List(context.Context) ([]account.Account, error) { return s, nil }

func (s store) Get(_ context.Context, name string) (account.Account, error) {
	return account.Account{}, &account.NotFoundError{Account: name}
}

func (s store) Write(context.Context, account.Account, account.Change) (account.Account, error) {
	return account.Account{}, errReadOnly
}

func (s store) OwnsObjects() bool { return true }

func (s store) Create(context.Context, account.Supply) (account.Account, error) {
	return account.Account{}, errReadOnly
}

func (s store) Delete(context.Context, account.Account) error { return errReadOnly }

func (s store) Siblings(context.Context) ([]account.Account, error) { return nil, nil }

func (s store) Outside(context.Context, []account.Account) ([]account.Account, error) {
	return nil, nil
}

func (s store) FindCredentials(context.Context, account.CredentialsRef) (account.Account, error) {
	return account.Account{}, errReadOnly
}

// counter gives one count, or an error.
type counter struct {
	counts account.Counts
	err    error
}

func (c counter) Count(context.Context) (account.Counts, error) { return c.counts, c.err }

func (c counter) Users(context.Context, ...string) ([]account.User, error) { return nil, c.err }

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
