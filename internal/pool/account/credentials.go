package account

import (
	"fmt"
	"slices"
	"strings"
)

// Credentials says where the credentials of an account lie; it holds names only, never the credentials. Gardener changes none of it on
// an account that is there.
type Credentials struct {
	ProviderType string         // the Gardener provider type of the binding, e.g. "aws"
	Ref          CredentialsRef // the binding's credentialsRef
	// Quotas are those that bound the clusters on the account, in any order. Nil = none, and of a [Supply] that its owner does not say.
	Quotas []QuotaRef
}

// QuotaRef is the reference of a binding to a Quota of Gardener.
type QuotaRef struct{ Namespace, Name string }

// String is "namespace/name".
func (q QuotaRef) String() string { return q.Namespace + "/" + q.Name }

// same compares two credentials.
func (c Credentials) same(other Credentials) bool {
	covers := func(all, some []QuotaRef) bool {
		return !slices.ContainsFunc(some, func(q QuotaRef) bool { return !slices.Contains(all, q) })
	}
	return c.ProviderType == other.ProviderType && c.Ref == other.Ref && covers(c.Quotas, other.Quotas) && covers(other.Quotas, c.Quotas)
}

// CredentialsRef is the reference of a binding to its Secret or WorkloadIdentity.
type CredentialsRef struct {
	APIVersion, Kind, Namespace, Name string
}

// CredentialsKinds returns the kinds of credentials with which an account can be put into the pool, the default first. Gardener knows
// one more, InternalSecret.
func CredentialsKinds() []string { return []string{"Secret", "WorkloadIdentity"} }

// IsSecret reports whether the reference names a Secret, or does not say its kind. The clean-up job reads no other credentials.
func (r CredentialsRef) IsSecret() bool { return r.Kind == "" || r.Kind == "Secret" }

// Misplaced returns the provider type that the pool's clusters have where the account is of another one; "" = it is not, or one of the
// two is not known.
func (a *Account) Misplaced() string {
	want := a.Target().ProviderType()
	if a.Credentials == nil || a.Credentials.ProviderType == "" || a.Credentials.ProviderType == want {
		return ""
	}
	return want
}

// SameCredentialsError says that other objects use the credentials of an account already: two Global Accounts would come into one
// cloud account.
type SameCredentialsError struct {
	Account string // the one that was to be put into the pool
	Ref     CredentialsRef
	Others  []string // the names of the accounts that use them, sorted
	// Siblings are the bindings of another kind that use them, each with its kind, sorted.
	Siblings []string
	// Declared says that the other one is an account of the same configuration, whether it is there already or not.
	Declared bool
}

func (e *SameCredentialsError) Error() string {
	what := "used already by " + strings.Join(slices.Concat(e.Others, e.Siblings), ", ")
	if e.Declared {
		what = "declared for account " + strings.Join(e.Others, ", ") + " as well"
	}
	return fmt.Sprintf("the credentials of account %s (%s %s in namespace %q) are %s: that is one cloud account twice in the pool, and two "+
		"Global Accounts would come into it", e.Account, e.Ref.Kind, e.Ref.Name, e.Ref.Namespace, what)
}

// Key returns the reference without the version of its kind: two references with the same key name the same credentials.
func (r CredentialsRef) Key() CredentialsRef {
	r.APIVersion = ""
	return r
}

// NoCredentialsError says that the credentials of an account are not there, or not for the user of the connection.
type NoCredentialsError struct {
	Ref CredentialsRef
	Err error // why they must not be read; nil = they are not there
}

// Unwrap returns why they must not be read.
func (e *NoCredentialsError) Unwrap() error { return e.Err }

func (e *NoCredentialsError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the %s %s in namespace %q must not be read: %v", e.Ref.Kind, e.Ref.Name, e.Ref.Namespace, e.Err)
	}
	return fmt.Sprintf("there is no %s %s in namespace %q", e.Ref.Kind, e.Ref.Name, e.Ref.Namespace)
}

// CredentialsKey returns what the account's credentials are known by; false = the object does not say.
func (a *Account) CredentialsKey() (CredentialsRef, bool) {
	if a.Credentials == nil || a.Credentials.Ref.Name == "" {
		return CredentialsRef{}, false
	}
	return a.Credentials.Ref.Key(), true
}
