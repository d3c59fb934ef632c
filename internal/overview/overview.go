// Package overview surveys a whole pool: who holds what, what is free, what runs full, and what its owner should attend
// to. It is pure and never writes: the same accounts and counts give the same [Overview]. The package report writes it out.
//
// A new kind of problems is a constant and a row of the table in problem.go: what finds it, its title and its remedy.
package overview

import (
	"context"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// Overview is the accounts of one namespace seen as a whole.
type Overview struct {
	Namespace string    // that of the Gardener project
	Of        Filter    // what part of the accounts this is
	Accounts  []Account // sorted by name
	// Pools are sorted by hyperscaler type and flags. A pool is counted as a whole, also where the filter names one Global
	// Account: what it has left is left for that one too. Those that rules name are here without an account, too.
	Pools    []Pool
	Tenants  []Tenant  // the Global Accounts that hold one of the Accounts, sorted
	Problems []Problem // sorted by kind, the worst first, and by account
	// OtherKinds are the bindings of another kind that have a hyperscaler type, sorted by name; none where a filter asks for a part. Each
	// is named with its kind.
	OtherKinds []*account.Account
}

// Filter narrows an [Overview]; the zero value takes in everything.
type Filter struct {
	HyperscalerType string // of the pools of this type only
	// GlobalAccount takes in the accounts that this Global Account holds, or that have a claim record or rows of the
	// broker's database of it.
	GlobalAccount string
	ExpiredClaims bool // the accounts alone that have a claim beyond its lease, and of their claims those
}

// Facts are what a survey of the whole pool needs beside the accounts and their clusters. The zero value knows nothing.
type Facts struct {
	// Objects are all objects of the accounts' kind. They have the credentials of the accounts, and since when one is dirty.
	Objects []account.Object
	// Siblings are bindings of the other kinds. They say since when one of them is dirty; see [Reads].
	Siblings []account.Object
	Keys     []string // those of the labels that make an account; a label whose key resembles one of them is a stray
	// Secrets says that the accounts are Secrets among others: one without a hyperscaler type need not be meant as an account.
	Secrets bool
	// Strands reports whether an account stays dirty for ever once it is marked; nil = none does.
	Strands func(*account.Account) bool
	// Overdue is how long the Shoot of a claim may take to come before that is a problem; 0 = none is reported.
	Overdue time.Duration
	// Unwritable says of accounts why no write on them goes through, as far as that is known.
	Unwritable map[string]string
	Kubectl    Kubectl    // what the commands of problems are made with
	Rules      *rules.Set // those that lead to the pools; nil = pools are held against no rules
}

// Account is one account with what is on it.
type Account struct {
	account.Account
	Class account.Class // what it is to a Global Account that does not hold it
	// Clusters is the number counted on it, Reserved the places that claims hold besides.
	Clusters, Reserved int
	Usage              account.Usage    // what Clusters is made of
	Limit              int              // the most clusters it may have; 0 = none applies
	ValidRecords       []account.Record // the claim records that are not void, sorted by the names of the claims
	Expired            []account.Record // those of them that are beyond their lease, by the clock of this machine
	DirtySince         time.Time        // see [account.Object]
	// FreeSince is when a free account is free at the earliest, CoolsUntil until when claims leave it alone; zero = it is not free, it is not
	// known, they do not.
	FreeSince, CoolsUntil time.Time
	Problems              []ProblemKind // the kinds of the problems of this account, the worst first
}

// HeldBy returns the Global Account that holds the account, by its own label or by that of another binding of its credentials; empty = none
// does. A binding that is an account of the pool holds for itself: of a cloud account that is held one account has a holder.
func (a *Account) HeldBy() string {
	tenant, _ := a.holder()
	return tenant
}

// holder is HeldBy with the binding that is no account, where the account is held by such a one.
func (a *Account) holder() (tenant string, by *account.Account) {
	holds := func(twin *account.Account) bool { return !twin.Sibling && !twin.Shared && twin.Tenant != "" }
	if a.Tenant != "" || a.Shared || a.Class == account.ClassDuplicate || slices.ContainsFunc(a.Twins(), holds) {
		return a.Tenant, nil
	}
	return a.Holder()
}

// usable reports whether a Global Account holds the account and may put clusters on it.
func (a *Account) usable() bool {
	return a.Class == account.ClassHeld && a.HeldBy() != "" && a.Intruder() == nil
}

// InUse reports whether a cluster is on the cloud account by any source, also by one that does not count.
func (a *Account) InUse() bool {
	return a.Clusters > 0 || a.Usage.Siblings > 0 || a.Usage.Beside > 0
}

// bears returns the binding whose label dirty has a value: the account, or else one of the same credentials that is no account; nil = there
// is none. An account of the same credentials has problems of its own, and a duplicate has none of such a binding.
func (a *Account) bears(dirt account.Dirt) *account.Account {
	for _, b := range a.Bindings() {
		if b.Dirty == dirt && (a.is(b) || b.Sibling && a.Class != account.ClassDuplicate) {
			return b
		}
	}
	return nil
}

// is reports whether one of the [account.Account.Bindings] is the account itself.
func (a *Account) is(b *account.Account) bool { return b == &a.Account }

// calls names one of the bindings of an account within a sentence about the account.
func (a *Account) calls(b *account.Account) string {
	if a.is(b) {
		return "it"
	}
	return b.Name + ", which has the same credentials,"
}

// Pool is the accounts that have one hyperscaler type and the same flags.
type Pool struct {
	account.Target
	Tally       account.Tally // counts its accounts
	Unreachable int           // how many accounts the broker overlooks for ever, whatever else they are
	// Clusters and Reserved are those of all its accounts.
	Clusters, Reserved int
	Unused             bool // no rule leads to it
}

// Unclaimed returns how many accounts are free ([account.ClassFree]): what a claim could take now.
func (p *Pool) Unclaimed() int { return p.Tally[account.ClassFree] }

// Tenant is what one Global Account holds. No Global Account holds a shared account.
type Tenant struct {
	GlobalAccount string // the tenant
	Holding
	Types []TypeHolding // the same by hyperscaler type, sorted
}

// TypeHolding is what a Global Account holds of one hyperscaler type.
type TypeHolding struct {
	HyperscalerType string
	Holding
}

// Holding sums up the accounts that a Global Account holds.
type Holding struct {
	// Accounts is how many there are, Clusters and Reserved what is on them.
	Accounts, Clusters, Reserved int
	Limited                      bool // each of the accounts has a limit, and Left how many clusters fit on those that can be used
	Left                         int
}

func (h *Holding) add(a *Account) {
	h.Limited = (h.Accounts == 0 || h.Limited) && a.Limit > 0
	h.Accounts++
	h.Clusters += a.Clusters
	h.Reserved += a.Reserved
	if a.usable() {
		h.Left += max(0, a.Limit-a.Clusters-a.Reserved)
	}
}

// Reads read the objects of the [Facts] anew; nil = there is nothing to read them with.
type Reads struct {
	Objects func(context.Context) ([]account.Object, error)
	// Siblings is asked where a binding that is no account has a mark or a fence: no other list has its age.
	Siblings func(context.Context) ([]account.Object, error)
}

// Of surveys all accounts of a pool, or those that the filter selects.
// Errors: as [pool.Pool.Inventory]; those of the reads.
func Of(ctx context.Context, p *pool.Pool, read Reads, facts Facts, filter Filter) (o Overview, err error) {
	inventory, err := p.Inventory(ctx)
	if err != nil {
		return Overview{}, err
	}
	if read.Objects != nil {
		if facts.Objects, err = read.Objects(ctx); err != nil {
			return Overview{}, err
		}
		facts.Unwritable = p.Unwritable(ctx, facts.Objects)
	}
	if read.Siblings != nil && slices.ContainsFunc(inventory.Accounts, hasMarkedSibling) {
		if facts.Siblings, err = read.Siblings(ctx); err != nil {
			return Overview{}, err
		}
	}
	return Survey(inventory, facts, filter, time.Now()), nil
}

// hasMarkedSibling reports whether the list of the siblings may have the age of a mark. It has no binding of another namespace, and none of
// the accounts' own kind, which the other list has.
func hasMarkedSibling(a *account.Account) bool {
	return slices.ContainsFunc(a.Twins(), func(twin *account.Account) bool {
		kind, _ := account.BindingName(twin.Name)
		return twin.Sibling && twin.Outside == "" && kind != "" && twin.Dirty != account.Clean
	})
}
