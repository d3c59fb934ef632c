package protocol

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// usage is what an operation of the pool's owner has found out of who uses an account, since it has read it.
type usage struct {
	whole    *account.Account // the account with the other bindings of its credentials; nil = they are not listed
	bindings []string
	users    []account.User
	counted  bool
}

// list waits for a list as fresh as one by which a free account is taken.
func (u *usage) list(f Facts) Step { return List{f.Now.Add(-MaxFreeAge)} }

// unused is what has to be found out before a change that nothing may use these bindings for, or the refusal of it; nil = nothing does.
func (u *usage) unused(a *account.Account, bindings []string, part account.Part) Step {
	switch {
	case !u.counted:
		return FindUsers{bindings}
	case len(u.users) > 0:
		return Done{Err: &account.SupplyError{Account: a.Name, Part: part, Obstacle: account.ObstacleClusters, Users: u.users}}
	}
	return nil
}

// empty is unused for all bindings of the cloud account, none of which may be a tenant's or dirty.
func (u *usage) empty(f Facts, a *account.Account, part account.Part) Step {
	if u.whole == nil {
		return u.list(f)
	}
	if err := u.whole.KeptByTwin(part); err != nil {
		return Done{Err: err}
	}
	return u.unused(a, u.bindings, part)
}

// learn takes in what came back of a list or a count of the clusters on an account.
func (u *usage) learn(did Step, came Answer, a *account.Account) error {
	switch did.(type) {
	case List:
		if came.Err == nil {
			u.whole, u.bindings = came.List.Whole(a), came.List.bindings(a)
		}
	case FindUsers:
		if u.users, u.counted = came.Users, came.Err == nil; came.Err != nil {
			return fmt.Errorf("whether clusters are on account %s is not known: %w", a.Name, came.Err)
		}
	}
	return came.Err
}
