package ledger

import (
	"context"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// accounts are what a plan does with accounts.
type accounts struct {
	claims      map[string]*account.ComingClaim // the claim that is to be made on an account
	shoots      map[string][]string             // the Shoots that are to be made on an account, as they were noted
	ofClusters  map[string]string               // the Shoot that is to get the labels of a Cluster
	credentials map[account.CredentialsRef]credentialsOf
	used        map[string]bool    // an apply makes, changes or deletes a cluster on it
	on          map[string]claimAt // the claims of the state, by the IDs of their objects
	coming      []ClaimOn          // the claims that are to be made on an account which is not known yet
}

// credentialsOf is the account that was planned first with some credentials.
type credentialsOf struct {
	account string
	made    bool // it is to be made
}

// PlanClaim notes that a claim of a Global Account is to be made on an account; an empty Global Account is not known yet.
func (l *Ledger) PlanClaim(accountName, tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts.claims == nil {
		l.accounts.claims = map[string]*account.ComingClaim{}
	}
	if noted := l.accounts.claims[accountName]; noted == nil || noted.Tenant == "" {
		l.accounts.claims[accountName] = &account.ComingClaim{Tenant: tenant}
	}
}

// PlannedClaim returns the claim that this plan is going to make on an account; nil = none.
func (l *Ledger) PlannedClaim(account string) *account.ComingClaim {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accounts.claims[account]
}

// PlanShoot notes that a Shoot is to be made on an account. It returns the Shoots that were noted before it: of two that want the last
// place the first gets it.
func (l *Ledger) PlanShoot(account, shoot string) (before []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts.shoots == nil {
		l.accounts.shoots = map[string][]string{}
	}
	i := slices.Index(l.accounts.shoots[account], shoot)
	if i < 0 {
		i = len(l.accounts.shoots[account])
		l.accounts.shoots[account] = append(l.accounts.shoots[account], shoot)
	}
	return slices.Clone(l.accounts.shoots[account][:i])
}

// ClaimOn is where a claim is, or is going to be, as far as a plan knows.
type ClaimOn struct {
	Pool   account.Target // zero = it is not known yet
	Tenant string         // the Global Account; empty = it is not known yet
}

// mayMeet reports whether a claim may come to the account that another one is on.
func (c ClaimOn) mayMeet(other ClaimOn) bool {
	if c.Pool == (account.Target{}) {
		return true
	}
	return c.Pool == other.Pool && (c.Pool.Shared || c.Tenant == "" || other.Tenant == "" || c.Tenant == other.Tenant)
}

// claimAt is a claim of the state.
type claimAt struct {
	ClaimOn
	account string
	ends    bool // this plan destroys it, or replaces it
}

// NoteClaim notes a claim of the state on its account, by the ID of its object, and whether this plan ends it: by a destroy or a
// replacement.
func (l *Ledger) NoteClaim(accountName, claim string, on ClaimOn, ends bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts.on == nil {
		l.accounts.on = map[string]claimAt{}
	}
	l.accounts.on[claim] = claimAt{on, accountName, ends}
}

// ReplaceStaying notes that a claim which was noted as one that stays is replaced: a plan may be forced to that.
func (l *Ledger) ReplaceStaying(claim string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, noted := l.accounts.on[claim]; noted {
		at.ends = true
		l.accounts.on[claim] = at
	}
	l.unrecorded.replaceStaying(claim)
}

// ComeTo notes a claim that is to be made on an account which is not known yet.
func (l *Ledger) ComeTo(on ClaimOn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts.coming = append(l.accounts.coming, on)
}

// LeavesAccount reports whether what a plan knows only after an apply seems to be another account than this one: of the claims that this
// provider block has planned by now, all that are on the account end, and none that is to be made leads to it. It is good for a warning
// alone: the value may come from elsewhere, such as another provider block.
func (l *Ledger) LeavesAccount(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := false
	for _, at := range l.accounts.on {
		if at.account != name {
			continue
		}
		if !at.ends || slices.ContainsFunc(l.accounts.coming, func(c ClaimOn) bool { return c.mayMeet(at.ClaimOn) }) {
			return false
		}
		left = true
	}
	return left && len(l.accounts.coming) > 0 && l.accounts.claims[name] == nil
}

// UseAccount notes that an apply makes, changes or deletes a cluster on an account, by the names of bindings, of which empty ones are none:
// the account must not go back to the pool without a clean-up, also where no count has seen the cluster.
func (l *Ledger) UseAccount(bindings ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts.used == nil {
		l.accounts.used = map[string]bool{}
	}
	for _, name := range bindings {
		if name == "" {
			continue
		}
		l.accounts.used[name] = true
		for _, kind := range account.BindingKinds { // the pool may have it by that name
			l.accounts.used[account.BindingOf(kind, name)] = true
		}
	}
}

// UsesAccounts reports whether this apply makes, changes or deletes a cluster on any account.
func (l *Ledger) UsesAccounts() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.accounts.used) > 0
}

// UsesAccount reports whether this apply makes, changes or deletes a cluster on an account.
func (l *Ledger) UsesAccount(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accounts.used[name]
}

// AwaitAccount waits for a moment until this plan was seen to make an account.
func (l *Ledger) AwaitAccount(ctx context.Context, name string) bool {
	return l.AwaitPlanned(ctx, Object{Type: "hap_account", ID: name})
}

// PlanShootOf notes that a Shoot is to get the labels of a Cluster. It returns the other Shoot that was noted for it; empty = none.
func (l *Ledger) PlanShootOf(cluster, shoot string) (other string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts.ofClusters == nil {
		l.accounts.ofClusters = map[string]string{}
	}
	if first, noted := l.accounts.ofClusters[cluster]; noted && first != shoot {
		return first
	}
	l.accounts.ofClusters[cluster] = shoot
	return ""
}

// PlanCredentials notes the credentials of an account of the configuration. It returns the other account that is declared with the same
// ones, where one of the two is to be made; empty = there is none. Terraform may plan one account twice.
func (l *Ledger) PlanCredentials(accountName string, ref account.CredentialsRef, made bool) (other string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, known := l.accounts.credentials[ref.Key()]
	switch {
	case known && first.account != accountName && (made || first.made):
		return first.account
	case known && first.account != accountName:
		return "" // both exist already
	case l.accounts.credentials == nil:
		l.accounts.credentials = map[account.CredentialsRef]credentialsOf{}
	}
	l.accounts.credentials[ref.Key()] = credentialsOf{accountName, made}
	return ""
}
