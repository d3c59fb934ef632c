package pool

import (
	"cmp"
	"context"
	"slices"
)

// ClaimFilter says which claims are wanted; what is empty does not matter.
type ClaimFilter struct {
	// GlobalAccount is the tenant.
	GlobalAccount string
	// HyperscalerType is that of the account as it is labelled now.
	HyperscalerType string
}

// RecordedClaim is a claim that is recorded on an account.
type RecordedClaim struct {
	Identity Identity
	// Account is the account that bears it, as last listed: without Credentials.
	Account Account
	Record  Record
}

// Claims lists the claims that are recorded on the accounts, by Global Account, account and name.
// A claim on a shared account leaves no record, so there is none of those; void records are no claims.
func (p *Pool) Claims(ctx context.Context, filter ClaimFilter) ([]RecordedClaim, error) {
	if err := p.view.recent(ctx); err != nil {
		return nil, err
	}
	p.view.mu.Lock()
	defer p.view.mu.Unlock()
	var claims []RecordedClaim
	for _, a := range p.view.accounts {
		if !filter.wants(a) {
			continue
		}
		for _, key := range a.Claims() {
			record := a.Records[key]
			id := record.Identity(p.namespace)
			if id.Key() != key { // under another key no claim of this identity finds it
				continue
			}
			claims = append(claims, RecordedClaim{Identity: id, Account: *a, Record: record})
		}
	}
	slices.SortFunc(claims, func(a, b RecordedClaim) int {
		return cmp.Or(cmp.Compare(a.Identity.GlobalAccount, b.Identity.GlobalAccount), cmp.Compare(a.Account.Name, b.Account.Name),
			cmp.Compare(a.Identity.Name, b.Identity.Name), cmp.Compare(a.Identity.Pool, b.Identity.Pool))
	})
	return claims, nil
}

func (f ClaimFilter) wants(a *Account) bool {
	return (f.GlobalAccount == "" || f.GlobalAccount == a.Tenant) && (f.HyperscalerType == "" || f.HyperscalerType == a.HyperscalerType)
}
