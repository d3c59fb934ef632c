package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Account is one cloud account of the pool as its labels and annotations describe it: a CredentialsBinding in the
// namespace of the Gardener project. Credentials are not part of it and are never read.
type Account struct {
	Name        string // the name of the binding
	UID         string // differs from that of a later object with the same name
	Version     string // the resourceVersion at which everything below was read; every write names it as its precondition
	Terminating bool   // the object has a deletion timestamp
	// Held says which finalizers keep an object that is being deleted, and whose they are; empty = none does, or it is not being deleted.
	Held string

	HyperscalerType string // the pool's name, see [Target]
	Tenant          string // the Global Account that holds the account; empty = unclaimed (label absent or empty)
	// Shared, EUAccess and Internal are true iff their label is exactly "true".
	Shared, EUAccess, Internal bool
	Dirty                      Dirt // what the label dirty says
	// Unseen are the labels, as key=value, for which the broker passes over the account for ever: it goes by the absence
	// of a key where this package goes by the value.
	Unseen []string
	// Misspelt are the labels of the flags shared and internal, as key=value, that say neither "true" nor "false": they count as absent, and
	// the one who wrote them may have meant otherwise. One of EUAccess is Unseen.
	Misspelt []string
	// Misread are the labels, by key, that look like those of the pool and are not read.
	Misread []Misread

	// FalseFlags are the flags whose label is there without saying "true". That means the same as no label, but not to a
	// broker that goes by the key.
	FalseFlags []Flag
	// Quarantine is the reason that the pool's owner gave for putting the account aside. It stays until the owner takes it
	// back, also where another party has changed Dirty since.
	Quarantine string
	Labels     map[string]string // those that say nothing of the pool, by key

	Made time.Time // when the object was made, by the server's clock; zero = not known
	// LastHeld is when a release last marked the account, gave it back, or found it marked, by the clock of its process; zero = none did,
	// or what is there cannot be read.
	LastHeld time.Time

	Records map[string]Record // the claim records found on the account by annotation key, void ones included; see [Account.Claims]
	// Unreadable are the keys, sorted, of annotations that have the name of a claim record and cannot be read as one. Each counts as
	// a claim, of a Global Account that is not known.
	Unreadable []string

	Credentials *Credentials // what the account's Secret is; nil where the object does not say

	// SameAs are other credentials of the same cloud account, by the word of the pool's owner (see [SameAnnotation]): the account is one cloud
	// account with the bindings that refer to these. The zero value = the owner says nothing, and the Credentials say it.
	SameAs CredentialsRef
	// SameAsUnread is what the annotation says, quoted, where that can be no name of a Secret: which cloud account the binding leads into is
	// in doubt.
	SameAsUnread string

	// Sibling says that the object is no account of the pool: it lacks the hyperscaler type, or is a binding of another kind, and
	// its Name begins with that kind then ("SecretBinding aws-1"). It matters where it refers to the credentials of an account.
	Sibling bool
	// Outside is the namespace of a binding that is not in the pool's: it is a Sibling, which is never written, and whose clusters are not
	// counted. Its Name has the namespace ("CredentialsBinding garden-b/aws-1"). Empty = it is in the pool's namespace.
	Outside string

	// twins are the other objects that refer to the same credentials, by name, where the account was judged; see [protocol.Snapshot.Whole].
	twins []*Account
	// strays are the bindings that may be twins as well: whose cloud account they lead into cannot be known; see [Account.MayJoin].
	strays []*Account
}

// Flag is a label of an account that is there and says "true", or is not there.
type Flag string

// The flags.
const (
	FlagShared   Flag = "shared"
	FlagEUAccess Flag = "euAccess"
	FlagInternal Flag = "internal"
)

// has reports whether a flag is set.
func (a *Account) has(f Flag) bool {
	switch f {
	case FlagShared:
		return a.Shared
	case FlagEUAccess:
		return a.EUAccess
	}
	return a.Internal
}

// MaxReason is how many bytes the pool's owner may give for [Account.Quarantine].
const MaxReason = 1024

// QuarantineAnnotation is the key of the annotation with [Account.Quarantine].
const QuarantineAnnotation = "hap-project.io/quarantine"

// SameAnnotation is the key of the annotation that declares a binding to lead into the cloud account of a Secret, although it refers to
// other credentials: <namespace>/<name>, or the name of a Secret in the binding's namespace. Nothing that Gardener knows says so.
const SameAnnotation = "hap-project.io/account-of-secret"

// Dirt is the state of the label dirty.
type Dirt string

// What the label dirty can say. KEB skips an account by the presence of the key, the clean-up job starts at "true":
// "releasing" stops the one without waking the other.
const (
	Clean       Dirt = ""           // no such label, or "false"
	Dirtied     Dirt = "true"       // waits for the clean-up job, which wipes the account and frees it
	Releasing   Dirt = "releasing"  // the fence of a release under way; no new cluster may come
	Quarantined Dirt = "quarantine" // the pool's owner has put the account aside
)

// Target returns the pool that the account belongs to.
func (a *Account) Target() Target {
	return Target{HyperscalerType: a.HyperscalerType, Shared: a.Shared, EUAccess: a.EUAccess}
}

// Hidden names the account with the labels that hide it from the broker, as in "aws-1 (dirty=false)".
func (a *Account) Hidden() string {
	return fmt.Sprintf("%s (%s)", a.Name, strings.Join(a.Unseen, ", "))
}

// OlderThan reports whether the account is an earlier version of the same object. Versions of one object grow; where they
// are no numbers the answer is no.
func (a *Account) OlderThan(other *Account) bool {
	mine, err := strconv.ParseUint(a.Version, 10, 64)
	theirs, otherErr := strconv.ParseUint(other.Version, 10, 64)
	return err == nil && otherErr == nil && a.UID == other.UID && mine < theirs
}

// Object is an object of the accounts' kind, whether it is an account or not, with what only a survey of the whole pool needs.
type Object struct {
	Account // with Credentials, where the object says them
	// Typed says that the object has the label of the hyperscaler type. Without it the object is no account.
	Typed bool
	// DirtySince is when the party that owns the label dirty last wrote on the object, by the server's clock: the label is there
	// at least since then. Zero where there is no such label, or the server does not say.
	DirtySince time.Time
}

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

// OutsideUnseenError says that other namespaces may have bindings to the credentials of an account, and must not be listed.
type OutsideUnseenError struct {
	Account string // the one that was to be put into the pool
	Ref     CredentialsRef
	Err     error // the server's refusal
}

// Unwrap returns the server's refusal.
func (e *OutsideUnseenError) Unwrap() error { return e.Err }

func (e *OutsideUnseenError) Error() string {
	return fmt.Sprintf("the credentials of account %s (%s %s) are in namespace %q, and whether a binding of another namespace uses them is "+
		"not known: %v", e.Account, e.Ref.Kind, e.Ref.Name, e.Ref.Namespace, e.Err)
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

// CredentialsKeys returns all that the cloud account is known by: the credentials that the object refers to, and those that it is declared
// to be one cloud account with. None = the object does not say. A declaration joins accounts; it takes no binding away from its own
// credentials.
func (a *Account) CredentialsKeys() (keys []CredentialsRef) {
	if a.Credentials != nil && a.Credentials.Ref.Name != "" {
		keys = append(keys, a.Credentials.Ref.Key())
	}
	if key := a.SameAs.Key(); a.SameAs.Name != "" && !slices.Contains(keys, key) {
		keys = append(keys, key)
	}
	return keys
}

// CredentialsKey returns the credentials that the cloud account is known by; false = the object does not say.
func (a *Account) CredentialsKey() (CredentialsRef, bool) {
	if a.SameAs.Name != "" {
		return a.SameAs.Key(), true
	}
	if a.Credentials == nil || a.Credentials.Ref.Name == "" {
		return CredentialsRef{}, false
	}
	return a.Credentials.Ref.Key(), true
}
