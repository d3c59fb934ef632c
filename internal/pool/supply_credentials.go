package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

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

// credentialsUse are the objects of a namespace by the credentials that they use.
type credentialsUse struct {
	accounts map[CredentialsRef][]Account
	siblings map[CredentialsRef][]string // bindings of another kind, each with its kind
}

// madeCredentials are the credentials of the accounts that this process makes: two accounts with the same ones are made one after
// the other, and the second looks at a list of after the first.
type madeCredentials struct {
	making keyedLock

	mu sync.Mutex
	at map[CredentialsRef]time.Time
}

func newMadeCredentials() madeCredentials {
	return madeCredentials{making: newKeyedLock(), at: map[CredentialsRef]time.Time{}}
}

func (m *madeCredentials) note(ref CredentialsRef) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[ref.Key()] = time.Now()
}

func (m *madeCredentials) last(ref CredentialsRef) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at[ref.Key()]
}

// mustOwnCredentials returns an error where another object uses the credentials of an account, but for the one that it replaces
// (a UID). A binding of another kind is such an object too: it may have a tenant, and clusters that this pool does not count. The
// lists may have a certain age, and they are shared by all accounts of the run. Those that would refuse the account are taken anew:
// the other object may have gone since.
func (p *Pool) mustOwnCredentials(op *operation, supply Supply, replaced string, age time.Duration) error {
	ref := supply.Credentials.Ref
	if !p.store.Made() || ref.Name == "" || ref.Namespace == "" { // the object is its own credentials, or they are not known yet
		return nil
	}
	if op.ctx.Err() != nil {
		return context.Cause(op.ctx)
	}
	defer op.timed("listing the credentials of all accounts")()
	notBefore := time.Now().Add(-age)
	if last := p.made.last(ref); last.After(notBefore) {
		notBefore = last
	}
	var refusal error
	for _, notBefore := range []time.Time{notBefore, time.Now()} {
		use, err := p.credentials.get(op.ctx, notBefore, p.credentialsInUse)
		if err != nil {
			return err
		}
		var others []string
		for _, a := range use.accounts[ref.Key()] {
			if a.Name != supply.Name && (replaced == "" || a.UID != replaced) {
				others = append(others, a.Name)
			}
		}
		siblings := use.siblings[ref.Key()]
		if len(others)+len(siblings) == 0 {
			return nil
		}
		slices.Sort(others)
		refusal = &SameCredentialsError{Account: supply.Name, Ref: ref, Others: others, Siblings: siblings}
	}
	return refusal
}

func (p *Pool) credentialsInUse(ctx context.Context) (credentialsUse, error) {
	objects, err := p.store.Objects(ctx)
	if err != nil {
		return credentialsUse{}, err
	}
	siblings, err := p.store.Siblings(ctx)
	if err != nil {
		return credentialsUse{}, err
	}
	use := credentialsUse{map[CredentialsRef][]Account{}, map[CredentialsRef][]string{}}
	for _, o := range objects {
		if o.Credentials != nil {
			key := o.Credentials.Ref.Key()
			use.accounts[key] = append(use.accounts[key], o.Account)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(siblings)) {
		key := siblings[name].Key()
		use.siblings[key] = append(use.siblings[key], name)
	}
	return use, nil
}

// FindCredentials looks whether the credentials of an account are there. It never reads them.
//
// Errors: [NoCredentialsError], and those of [Store].
func (p *Pool) FindCredentials(ctx context.Context, ref CredentialsRef) error {
	return p.store.FindCredentials(ctx, ref)
}

// whyForbidden looks whether credentials are missing where the server forbids to make an account: Gardener says no more than that.
func (p *Pool) whyForbidden(op *operation, supply Supply, err error) error {
	if !errors.As(err, new(*ForbiddenError)) {
		return err
	}
	missing, ok := errors.AsType[*NoCredentialsError](p.store.FindCredentials(op.ctx, supply.Credentials.Ref))
	if ok && missing.Err == nil {
		return missing
	}
	return err
}
