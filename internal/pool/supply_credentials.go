package pool

import (
	"context"
	"fmt"
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

// madeCredentials are the credentials of the accounts that this process makes: two accounts with the same ones are made one after
// the other, and the second reads a list of after the first.
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

// FindCredentials finds out whether the credentials of an account exist. It never reads them.
//
// Errors: [NoCredentialsError], and those of [Store].
func (p *Pool) FindCredentials(ctx context.Context, ref CredentialsRef) error {
	return p.store.FindCredentials(ctx, ref)
}
