package backend

import (
	"slices"
	"strings"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Ledger is what one plan declares, keeps and ends, and what one run has read and said. Its zero value is ready.
type Ledger struct {
	mu          sync.Mutex
	refreshed   set[string] // the IDs of the rule sets that this run has read
	credentials map[pool.CredentialsRef]credentialsOf
	told        set[string] // what was said once and need not be said again
	objects     objects
	changing    set[string]         // the types of which this plan makes, changes or destroys objects
	taken       map[string]string   // the Global Account of a claim that is to be made on an account
	hosted      map[string][]string // the Shoots that are to be made on an account, as they were noted
}

// Take notes that a claim of a Global Account is to be made on an account; an empty Global Account is not known yet.
func (l *Ledger) Take(account, tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken == nil {
		l.taken = map[string]string{}
	}
	if l.taken[account] == "" {
		l.taken[account] = tenant
	}
}

// Coming returns the claim that this plan is going to make on an account; nil = none.
func (l *Ledger) Coming(account string) *pool.ComingClaim {
	l.mu.Lock()
	defer l.mu.Unlock()
	tenant, is := l.taken[account]
	if !is {
		return nil
	}
	return &pool.ComingClaim{Tenant: tenant}
}

// Host notes that a Shoot is to be made on an account. It returns the Shoots that were noted before it: of two that want the last
// place the first gets it.
func (l *Ledger) Host(account, shoot string) (before []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosted == nil {
		l.hosted = map[string][]string{}
	}
	i := slices.Index(l.hosted[account], shoot)
	if i < 0 {
		i = len(l.hosted[account])
		l.hosted[account] = append(l.hosted[account], shoot)
	}
	return slices.Clone(l.hosted[account][:i])
}

// credentialsOf is the account that was planned first with some credentials.
type credentialsOf struct {
	account string
	made    bool // it is to be made
}

// DeclareCredentials notes the credentials of an account of the configuration. It returns the other account that is declared with the
// same ones, where one of the two is to be made; empty = there is none. Terraform may plan one account twice.
func (l *Ledger) DeclareCredentials(account string, ref pool.CredentialsRef, made bool) (other string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, known := l.credentials[ref.Key()]
	switch {
	case known && first.account != account && (made || first.made):
		return first.account
	case known && first.account != account:
		return "" // both stand already
	case l.credentials == nil:
		l.credentials = map[pool.CredentialsRef]credentialsOf{}
	}
	l.credentials[ref.Key()] = credentialsOf{account, made}
	return ""
}

// NoteRefreshed notes that this run has read a rule set of the state.
func (l *Ledger) NoteRefreshed(ruleSet string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refreshed.add(ruleSet)
}

// WasRefreshed reports whether this run has read a rule set of the state. The plan that follows is made by the same
// process; an apply has another one.
func (l *Ledger) WasRefreshed(ruleSet string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refreshed[ruleSet]
}

// TellOnce reports whether something is to be said now: what many objects would say alike, the first says.
func (l *Ledger) TellOnce(what ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told.add(strings.Join(what, "\x00"))
}

// set is a set whose zero value can be added to.
type set[K comparable] map[K]bool

// add puts a key into the set; false = it was there before.
func (s *set[K]) add(key K) bool {
	if (*s)[key] {
		return false
	}
	if *s == nil {
		*s = set[K]{}
	}
	(*s)[key] = true
	return true
}
