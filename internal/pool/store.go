package pool

import "context"

// Store is the accounts as the world keeps them. Its errors are those of this package: [NotFoundError],
// [ConflictError], [BusyError], [ForbiddenError], [UnauthorizedError], [UnreachableError], [UnknownOutcomeError], [RejectedError];
// anything else is passed on as it is.
type Store interface {
	// Allowed asks whether accounts may be read and written, before anything is. It returns a [ForbiddenError] only
	// where the server says no; what cannot be asked is found out by doing it.
	Allowed(ctx context.Context) error
	// List returns every account of the namespace that carries a hyperscaler type, whole or not at all.
	List(ctx context.Context) ([]Account, error)
	// Get reads one account anew, with its Credentials.
	Get(ctx context.Context, name string) (Account, error)
	// Write makes one change in one call under the precondition that the account is still the object (UID) at the
	// version that was judged, and returns it as it is then, with its Credentials. It sends the call at most
	// once: a lost answer is an [UnknownOutcomeError], never a second try.
	Write(ctx context.Context, judged Account, change Change) (Account, error)
}

// Counter counts the clusters on accounts.
type Counter interface {
	// Count counts the clusters of all accounts. Half a count is an error.
	Count(ctx context.Context) (Counts, error)
	// Users reads anew, and wholly, what uses one account. After an error the account counts as in use.
	Users(ctx context.Context, account string) ([]User, error)
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
}

// isOn reports whether the account looks as if the change had been made. After a lost answer this is all there is to go by.
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
	return true
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
