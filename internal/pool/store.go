package pool

import (
	"context"
	"slices"
)

// Store is the accounts as the world keeps them. Its errors are those of this package: [NotFoundError], [ExistsError],
// [ConflictError], [BusyError], [ForbiddenError], [UnauthorizedError], [UnreachableError], [UnknownOutcomeError], [RejectedError],
// [QuotaError], [NoAPIError], [FailedError];
// anything else is passed on as it is.
type Store interface {
	// Allowed asks whether accounts may be read and written, before anything is. It returns a [ForbiddenError] only
	// where the server says no; what cannot be asked is found out by doing it.
	Allowed(ctx context.Context) error
	// List returns every object of the accounts' kind in the namespace with its Credentials, whole or not at all. Those without
	// a hyperscaler type are siblings ([Account.Sibling]). Where objects of that kind are not made to be accounts (Secrets) it returns
	// the accounts alone.
	List(ctx context.Context) ([]Account, error)
	// Siblings returns the bindings of the other kinds, with their Credentials, whole or not at all. A kind that the server does
	// not have has none. Where the user may not list a kind it returns those of the others, and a [ForbiddenError].
	Siblings(ctx context.Context) ([]Account, error)
	// Get reads one account, or one sibling, anew, with its Credentials.
	Get(ctx context.Context, name string) (Account, error)
	// Write makes one change in one call under the precondition that the account is still the object (UID) at the
	// version that was judged, and returns it as it is then, with its Credentials. It sends the call at most
	// once: a lost answer is an [UnknownOutcomeError], never a second try.
	Write(ctx context.Context, judged Account, change Change) (Account, error)

	// OwnsObjects reports whether accounts are objects that Create makes and Delete deletes. Otherwise they are objects of the user, which
	// are accounts as long as they have the labels of one.
	OwnsObjects() bool
	// Create makes an account in one call, which it sends at most once, and returns it with its Credentials.
	Create(ctx context.Context, supply Supply) (Account, error)
	// Delete deletes an account under the precondition of Write. The object may go on to exist, with a deletion timestamp,
	// while something else keeps it.
	Delete(ctx context.Context, judged Account) error
	// FindCredentials finds out whether the object exists that a reference names. It never reads the credentials. Where there
	// is no such object, or the user may not read it, it returns a [NoCredentialsError].
	FindCredentials(ctx context.Context, ref CredentialsRef) error
}

// Counter counts the clusters on accounts.
type Counter interface {
	// Count counts the clusters of all accounts. Half a count is an error.
	Count(ctx context.Context) (Counts, error)
	// Users reads anew, and wholly, what uses one cloud account: the names are those of all its bindings. After an error the
	// account counts as in use.
	Users(ctx context.Context, bindings ...string) ([]User, error)
}

// User is one thing that uses an account.
type User struct {
	Kind     string // "Shoot", or "instance" for a row of the broker's database
	Name     string // identifies it within its kind
	Deleting bool   // a Shoot with a deletion timestamp: Gardener takes it down, and it uses the account until it is gone
}

// Change is what one write does to an account. What a field does not name stays untouched.
type Change struct {
	Tenant  *string            // sets the tenant; a pointer to "" removes the label
	Dirty   *Dirt              // sets the label dirty; a pointer to [Clean] removes it
	Records map[string]*Record // sets claim records by annotation key; nil removes one

	HyperscalerType *string            // sets the hyperscaler type; a pointer to "" removes the label
	Flags           map[Flag]bool      // sets a flag to "true", or removes its label
	Quarantine      *string            // sets the reason of a quarantine, and not the label; a pointer to "" removes it
	Labels          map[string]*string // sets labels that say nothing of the pool, by key; nil removes one
}

// isOn reports whether the account is as the change would make it. After a lost answer nothing else is known.
func (c Change) isOn(a Account) bool {
	if c.Tenant != nil && a.Tenant != *c.Tenant || c.Dirty != nil && a.Dirty != *c.Dirty {
		return false
	}
	for key, want := range c.Records {
		have, ok := a.Records[key]
		if ok != (want != nil) || ok && !have.sameAs(*want) {
			return false
		}
	}
	return c.isSuppliedOn(a)
}

// isSuppliedOn is isOn for what only the pool's owner writes.
func (c Change) isSuppliedOn(a Account) bool {
	if c.HyperscalerType != nil && a.HyperscalerType != *c.HyperscalerType || c.Quarantine != nil && a.Quarantine != *c.Quarantine {
		return false
	}
	for flag, want := range c.Flags {
		if a.has(flag) != want || slices.Contains(a.FalseFlags, flag) {
			return false
		}
	}
	for key, want := range c.Labels {
		have, ok := a.Labels[key]
		if ok != (want != nil) || ok && have != *want {
			return false
		}
	}
	return true
}

// voidOn reports whether a record of the change lies on an account that its Global Account does not hold any more: the change
// had arrived.
func (c Change) voidOn(now Account) bool {
	for key, written := range c.Records {
		if written != nil && now.hasVoid(key, written.Owner) && now.Records[key].sameAs(*written) {
			return true
		}
	}
	return false
}

// arrivedOn reports whether a change whose answer was lost is on the account as it is now. A record that was written
// counts only where the tenant is still the one that it was written for.
func (c Change) arrivedOn(judged, now Account) bool {
	if now.UID != judged.UID || !c.isOn(now) {
		return false
	}
	for _, written := range c.Records {
		if written != nil && now.Tenant != written.GlobalAccount {
			return false
		}
	}
	return true
}
