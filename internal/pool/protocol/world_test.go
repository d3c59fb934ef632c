package protocol

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

const namespace = "garden-kyma"

var aws = account.Target{HyperscalerType: "aws"}

// anAccount returns an unclaimed account of the pool aws, with changes.
func anAccount(name string, changes ...func(*account.Account)) account.Account {
	a := account.Account{Name: name, HyperscalerType: "aws", Records: map[string]account.Record{}}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func heldBy(ga string) func(*account.Account) { return func(a *account.Account) { a.Tenant = ga } }

func dirty(d account.Dirt) func(*account.Account) { return func(a *account.Account) { a.Dirty = d } }

// bearing puts the record of a claim of ga-1 on an account.
func bearing(name string, changes ...func(*account.Record)) func(*account.Account) {
	return func(a *account.Account) {
		r := recordOf(name)
		for _, change := range changes {
			change(&r)
		}
		if a.Records == nil {
			a.Records = map[string]account.Record{}
		}
		a.Records[r.Identity(namespace).Key()] = r
	}
}

var longAgo = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func recordOf(name string) account.Record {
	return account.Record{Name: name, GlobalAccount: "ga-1", Pool: aws.String(), Details: account.Details{Owner: "pipeline"},
		ClaimedAt: longAgo, Version: account.RecordVersion}
}

func identity(name string) account.Identity {
	return account.Identity{Namespace: namespace, GlobalAccount: "ga-1", Pool: aws.String(), Name: name}
}

// request asks for an account of the pool aws.
func request(ga, name string, changes ...func(*ClaimRequest)) ClaimRequest {
	r := ClaimRequest{Name: name, GlobalAccount: ga, Target: aws, Details: account.Details{Owner: "pipeline"}}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func shared(a *account.Account) { a.Shared = true }

func internal(a *account.Account) { a.Internal = true }

func newly(r *account.Record) { r.NewlyClaimed = true }

// withSecret gives an account the credentials of a Secret.
func withSecret(name string) func(*account.Account) {
	return func(a *account.Account) {
		a.Credentials = &account.Credentials{ProviderType: "aws", Ref: account.CredentialsRef{Kind: "Secret", Namespace: namespace, Name: name}}
	}
}

func ownedBy(owner string) func(*account.Record) { return func(r *account.Record) { r.Owner = owner } }

func fencedSince(t time.Time) func(*account.Record) {
	return func(r *account.Record) { r.ReleasingSince = t }
}

func clone(a account.Account) account.Account {
	a.Records = maps.Clone(a.Records)
	return a
}
