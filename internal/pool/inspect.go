package pool

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// Status is what is known of one claim.
type Status struct {
	Account  account.Account // the account as last read; zero when it is gone
	Record   account.Record  // the claim's own; Recorded says whether there is one
	Recorded bool
	// From is another binding of the cloud account that has the Record, where an import finds it there; nil = the account has it.
	From    *account.Account
	Garbled bool          // there is one, and it cannot be read
	Drift   account.Drift // the worst of what has happened to the account
	// Clusters and Reserved are the clusters counted on the account and the places reserved on it.
	Clusters, Reserved int
	Limit              int // the most clusters the account may have; 0 = none applies
	// Held are the accounts of the claim's pool that its Global Account holds and can use, sorted, as last listed. It is empty
	// where the Global Account may hold several, and for shared accounts.
	Held []string
}

// Inspect returns the status of a claim that was made on an account. It follows the object, never the selection, and never
// writes. Only the typed answer that there is no such object makes it [account.DriftGone].
func (p *Pool) Inspect(ctx context.Context, globalAccount string, target account.Target, name, accountName, uid string) (Status, error) {
	s, err := p.cache.recent(ctx)
	if err != nil {
		return Status{}, err
	}
	a := s.Account(accountName)
	if a == nil || (uid != "" && a.UID != uid) { // what ends a claim for its caller is never believed of a list
		fresh, err := p.read(ctx, accountName)
		switch {
		case errors.As(err, new(*account.NotFoundError)):
			return Status{Drift: account.DriftGone}, nil
		case err != nil:
			return Status{}, err
		}
		a = &fresh
	}
	if uid != "" && a.UID != uid {
		return Status{Account: *a, Drift: account.DriftRecreated}, nil
	}
	return p.status(a, globalAccount, target, name), nil
}

// status returns the status of a claim of this name, tenant and pool on an account.
func (p *Pool) status(a *account.Account, globalAccount string, target account.Target, name string) Status {
	a = p.cache.snapshot().Whole(a)
	s := Status{Account: *a, Drift: account.DriftOf(a, globalAccount, target), Limit: p.policy.Limit(globalAccount, target)}
	key := p.Identity(globalAccount, target, name).Key()
	s.Record, s.Recorded = a.Holds(key)
	s.Garbled = a.HasUnreadable(key)
	s.Clusters, s.Reserved = p.cache.use(a)
	if !target.Shared && !p.policy.Enabled(globalAccount) {
		s.Held = p.cache.snapshot().Held(globalAccount, target)
	}
	return s
}

// Find reads the account of a claim that is to be imported, and its record if it has one, or another binding of the same credentials has
// it. The pool is that of the record, else that of the account's labels.
//
// Errors: those of [Store]; [account.TakenError] where another tenant, or none, holds the account; [account.UnreadableRecordError] where
// the claim has no record that can be read, and another record on the account cannot be.
func (p *Pool) Find(ctx context.Context, globalAccount, accountName, name string) (Status, account.Target, error) {
	if err := account.NoAccount(accountName); err != nil {
		return Status{}, account.Target{}, err
	}
	if _, err := p.cache.recent(ctx); err != nil {
		return Status{}, account.Target{}, err
	}
	a, err := p.read(ctx, accountName)
	if err != nil {
		return Status{}, account.Target{}, err
	}
	target := a.Target()
	if !a.Shared && a.Tenant != globalAccount && !p.comesTo(&a, p.Identity(globalAccount, target, name)) {
		return Status{}, account.Target{}, p.taken(&a, globalAccount)
	}
	if _, recorded := a.Holds(p.Identity(globalAccount, target, name).Key()); !recorded {
		for _, key := range a.Claims() {
			if was := account.ParseTarget(a.Records[key].Pool); key == p.Identity(globalAccount, was, name).Key() {
				target = was
			}
		}
	}
	status := p.status(&a, globalAccount, target, name)
	if !target.Shared {
		for _, twin := range status.Account.Twins() {
			record, there := twin.Holds(p.Identity(globalAccount, target, name).Key())
			if there && !status.Recorded {
				status.Record, status.Recorded = record, true
			}
			if there { // also where a move that was killed has left the record on both
				status.From = twin
			}
		}
	}
	if !status.Recorded && len(a.Unreadable) > 0 { // it may be the record of this claim, under the key of another pool
		return Status{}, account.Target{}, &account.UnreadableRecordError{Account: a.Name, Keys: a.Unreadable}
	}
	return status, target, nil
}

// taken says which Global Account holds an account that another one asked for, also where it does so by another binding.
func (p *Pool) taken(a *account.Account, wanted string) error {
	e := &account.TakenError{Account: a.Name, Tenant: a.Tenant, Wanted: wanted}
	if holder, by := p.cache.snapshot().Whole(a).Holder(); a.Tenant == "" && holder != "" {
		e.Tenant, e.By = holder, by.Name
	}
	return e
}

// comesTo reports whether a claim is recorded on another binding of an account's credentials, by which the cloud account is the claim's
// Global Account's, and the account itself lacks the label: a move writes it.
func (p *Pool) comesTo(a *account.Account, id account.Identity) bool {
	whole := p.cache.snapshot().Whole(a)
	if holder, _ := whole.Holder(); a.Tenant != "" || holder != id.GlobalAccount || whole.IntruderFor(holder) != nil {
		return false
	}
	return slices.ContainsFunc(whole.Twins(), func(twin *account.Account) bool {
		_, bears := twin.Holds(id.Key())
		return bears && twin.Outside == ""
	})
}

// Locate returns the account on which a claim is recorded that this process has not made or found there; "" = none. What the list says
// is read once more: another run may have ended the claim since.
func (p *Pool) Locate(ctx context.Context, id account.Identity) (accountName string, err error) {
	s, err := p.cache.recentList(ctx)
	if err != nil {
		return "", err
	}
	listed := s.Claim(id.Key())
	if listed == nil {
		return "", nil
	}
	if own, made := p.cache.placement(id.Key()); made && own == listed.Name {
		return "", nil
	}
	a, err := p.read(ctx, listed.Name)
	if errors.As(err, new(*account.NotFoundError)) {
		return "", nil
	}
	if _, recorded := a.Holds(id.Key()); err != nil || !recorded {
		return "", err
	}
	return a.Name, nil
}

// Preview says which account the next cluster would get. It never writes.
func (p *Pool) Preview(ctx context.Context, target account.Target, globalAccount string) (account.Decision, error) {
	s, err := p.cache.recent(ctx)
	if err != nil {
		return account.Decision{}, err
	}
	if err := p.cache.countBeside(ctx, time.Now().Add(-protocol.MaxAge)); err != nil {
		return account.Decision{}, err
	}
	d, err := p.cache.preview(account.Query{Target: target, GlobalAccount: globalAccount}, p.policy)
	d.Doubts = append(d.Doubts, s.Counts.Doubts()...)
	if denied := p.cache.snapshot().Beside.Denied; denied != nil {
		d.Uncounted = uncountedText(denied)
		d.Doubts = append(d.Doubts, d.Uncounted)
	}
	return d, err
}

// Recorded returns the account on which a claim is recorded already, and its record, as far as the accounts were listed by now. It reads
// nothing.
func (p *Pool) Recorded(id account.Identity) (account.Account, account.Record, bool) {
	bearer := p.cache.snapshot().Claim(id.Key())
	if bearer == nil {
		return account.Account{}, account.Record{}, false
	}
	record, recorded := bearer.Holds(id.Key())
	return *bearer, record, recorded
}

// Inventory is all accounts of a namespace with the clusters on them. It is shared, to be read only.
type Inventory struct {
	Namespace string             // that of the Gardener project
	Accounts  []*account.Account // in no order
	Counts    account.Counts     // the clusters on them
	Policy    account.Policy     // by which accounts are selected
	// OtherKinds are the bindings of another kind with a hyperscaler type, in no order: accounts to a provider of that kind.
	OtherKinds []*account.Account
}

// Inventory returns all accounts and the clusters on them. Both are as the claims of this process know them: they were read
// within the last minute.
func (p *Pool) Inventory(ctx context.Context) (Inventory, error) {
	if _, err := p.cache.recent(ctx); err != nil {
		return Inventory{}, err
	}
	if err := p.cache.countBeside(ctx, time.Now().Add(-protocol.MaxAge)); err != nil {
		return Inventory{}, err
	}
	s := p.cache.snapshot()
	return Inventory{p.namespace, s.Accounts(), s.Counts, p.policy, s.OtherKinds()}, nil
}

// Missing returns, by their places, those of the wanted pools for which there is no account at all, held or not. A wanted pool is one
// target, or any of several.
//
// A list that was begun before this call says so of no pool: another provider of the same run may just have made its account.
func (p *Pool) Missing(ctx context.Context, wanted []func(account.Target) bool) ([]int, error) {
	begun := time.Now()
	s, err := p.cache.recentList(ctx)
	if err != nil {
		return nil, err
	}
	missing := s.Missing(wanted)
	if len(missing) == 0 || !s.Listed.Before(begun) {
		return missing, nil
	}
	if err := p.cache.relist(ctx, begun); err != nil {
		return nil, err
	}
	return p.cache.snapshot().Missing(wanted), nil
}

// ClaimFilter says which claims are wanted; what is empty does not matter.
type ClaimFilter struct {
	GlobalAccount   string // the tenant
	HyperscalerType string // that of the account as it is labelled now
}

func (f ClaimFilter) wants(a *account.Account) bool {
	return (f.GlobalAccount == "" || f.GlobalAccount == a.Tenant) && (f.HyperscalerType == "" || f.HyperscalerType == a.HyperscalerType)
}

// RecordedClaim is a claim that is recorded on an account.
type RecordedClaim struct {
	Identity account.Identity
	Account  account.Account // the account that has it, as last listed: without Credentials
	Record   account.Record
}

// Claims lists the claims that are recorded on the accounts, by Global Account, account and name.
// A claim on a shared account leaves no record, so there is none of those; void records are no claims.
func (p *Pool) Claims(ctx context.Context, filter ClaimFilter) ([]RecordedClaim, error) {
	s, err := p.cache.recentList(ctx)
	if err != nil {
		return nil, err
	}
	var claims []RecordedClaim
	for _, a := range s.Accounts() {
		if !filter.wants(a) {
			continue
		}
		for _, key := range a.Claims() {
			record := a.Records[key]
			if id := record.Identity(p.namespace); id.Key() == key { // under another key no claim of this identity finds it
				claims = append(claims, RecordedClaim{Identity: id, Account: *a, Record: record})
			}
		}
	}
	slices.SortFunc(claims, func(a, b RecordedClaim) int {
		return cmp.Or(cmp.Compare(a.Identity.GlobalAccount, b.Identity.GlobalAccount), cmp.Compare(a.Account.Name, b.Account.Name),
			cmp.Compare(a.Identity.Name, b.Identity.Name), cmp.Compare(a.Identity.Pool, b.Identity.Pool))
	})
	return claims, nil
}
