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
	declared    set[pool.Identity] // the claims that were planned so far
	kept, ended set[pool.Identity] // the claims of which the plan keeps or destroys an object of the state
	refreshed   set[string]        // the IDs of the rule sets that this run has read
	credentials map[pool.CredentialsRef]credentialsOf
	told        set[string] // what was said once and need not be said again
	shoots      set[string] // the Shoots that were planned so far
	// keptObjects and endedObjects are the UIDs of the objects that the plan keeps or destroys, adopted those
	// that this run has found and taken into the state.
	keptObjects, endedObjects, adopted set[string]
	taken                              map[string]string   // the Global Account of a claim that is to be made on an account
	hosted                             map[string][]string // the Shoots that are to be made on an account, as they were noted
}

// Declare notes a claim of the configuration; false = it was declared before.
func (l *Ledger) Declare(id pool.Identity) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.declared.add(id)
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

// DeclareShoot notes a Shoot of the configuration; false = it was declared before.
func (l *Ledger) DeclareShoot(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shoots.add(name)
}

// KeepObject notes that the object of a UID is kept; true = the state has it a second time, to be destroyed.
func (l *Ledger) KeepObject(uid string) (clash bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keptObjects.add(uid)
	return l.endedObjects[uid]
}

// EndObject notes that the object of a UID is destroyed; true = the state has it a second time, to be kept.
func (l *Ledger) EndObject(uid string) (clash bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endedObjects.add(uid)
	return l.keptObjects[uid]
}

// AdoptObject notes that this run has found the object of a UID and taken it into the state.
func (l *Ledger) AdoptObject(uid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.adopted.add(uid)
}

// AdoptedObject reports whether this run has found the object of a UID and taken it into the state.
func (l *Ledger) AdoptedObject(uid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.adopted[uid]
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

// Keep notes that a claim is kept; true = an object of it is being destroyed, too.
func (l *Ledger) Keep(id pool.Identity) (clash bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.add(id)
	return l.ended[id]
}

// End notes that a claim is destroyed; true = an object of it is being kept, too.
func (l *Ledger) End(id pool.Identity) (clash bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended.add(id)
	return l.kept[id]
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
