package account

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"
)

func freeAccounts(n int) []Account {
	accounts := make([]Account, n)
	for i := range accounts {
		accounts[i] = anAccount(fmt.Sprintf("aws-account-%03d", i+1))
	}
	return accounts
}

// ofTenant asks for another Global Account.
func ofTenant(i int) func(*Query) {
	return func(q *Query) { q.GlobalAccount = fmt.Sprintf("ga-%d", i) }
}

// orderOf returns the unclaimed ones of the accounts in the order in which ga-1 tries them: each is chosen
// when those before it have gone to other tenants.
func orderOf(accounts ...Account) (order []string) {
	left := slices.Clone(accounts)
	for range accounts {
		d, err := Select(pointers(left), Places{}, queryOf(), Policy{})
		if err != nil {
			break
		}
		order = append(order, d.Account.Name)
		left = slices.DeleteFunc(left, func(a Account) bool { return a.Name == d.Account.Name })
	}
	return order
}

func pointers(accounts []Account) []*Account {
	out := make([]*Account, len(accounts))
	for i := range accounts {
		out[i] = &accounts[i]
	}
	return out
}

// queryOf asks for an account of the pool aws for ga-1.
func queryOf(changes ...func(*Query)) Query {
	q := Query{Target: aws, GlobalAccount: "ga-1"}
	for _, change := range changes {
		change(&q)
	}
	return q
}

func clone(a Account) Account {
	records := make(map[string]Record, len(a.Records))
	maps.Copy(records, a.Records)
	a.Records, a.Labels, a.FalseFlags = records, maps.Clone(a.Labels), slices.Clone(a.FalseFlags)
	a.Unreadable = slices.Clone(a.Unreadable)
	if a.Credentials != nil {
		c := *a.Credentials
		a.Credentials = &c
	}
	return a
}

const namespace = "garden-kyma"

var aws = Target{HyperscalerType: "aws"}

// several allows every Global Account several accounts with at most so many clusters each.
func several(limit int) Policy {
	return Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{DefaultLimit: limit}}
}

// anAccount returns an unclaimed account of the pool aws, with changes.
func anAccount(name string, changes ...func(*Account)) Account {
	a := Account{Name: name, HyperscalerType: "aws", Records: map[string]Record{}}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func heldBy(ga string) func(*Account) { return func(a *Account) { a.Tenant = ga } }

func dirty(d Dirt) func(*Account) { return func(a *Account) { a.Dirty = d } }

func unseen(labels ...string) func(*Account) { return func(a *Account) { a.Unseen = labels } }

// misread gives an account a label under another key; it says that the account is of a class, or nothing new.
func misread(says Class) func(*Account) {
	return func(a *Account) { a.Misread = []Misread{{Key: "other", Value: "x", Says: says, Others: true}} }
}

func twinned(twins ...Account) func(*Account) { return func(a *Account) { a.twins = pointers(twins) } }

func shared(a *Account) { a.Shared = true }

func internal(a *Account) { a.Internal = true }

func terminating(a *Account) { a.Terminating = true }

// bearing puts the record of a claim on an account.
func bearing(ga, name string, changes ...func(*Record)) func(*Account) {
	return func(a *Account) {
		r := recordOf(ga, name)
		for _, change := range changes {
			change(&r)
		}
		if a.Records == nil {
			a.Records = map[string]Record{}
		}
		a.Records[r.Identity(namespace).Key()] = r
	}
}

func newly(r *Record) { r.NewlyClaimed = true }

func forCluster(name string) func(*Record) { return func(r *Record) { r.ClusterName = name } }

func ownedBy(owner string) func(*Record) { return func(r *Record) { r.Owner = owner } }

func ofLaterFormat(r *Record) { r.Version = RecordVersion + 1 }

var longAgo = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func recordOf(ga, name string) Record {
	return Record{Name: name, GlobalAccount: ga, Pool: aws.String(), Details: Details{Owner: "pipeline"},
		ClaimedAt: longAgo, Version: RecordVersion}
}

func identity(ga, name string) Identity {
	return Identity{Namespace: namespace, GlobalAccount: ga, Pool: aws.String(), Name: name}
}

// parallel is a subtest beside the others.
func parallel(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		test(t)
	})
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// as returns the error of the wanted type, or ends the test.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	var wanted E
	if !errors.As(err, &wanted) {
		t.Fatalf("got error %v, want a %T", err, wanted)
	}
	return wanted
}
