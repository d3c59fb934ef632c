package pool

import "fmt"

// reuseReason says in one sentence why the tenant goes on with an account.
func (s *selection) reuseReason(a *Account) string {
	if !s.multi {
		return fmt.Sprintf("Global Account %s already holds %s, its one account of pool %s.", s.GlobalAccount, a.Name, s.Target)
	}
	if len(s.held) == 1 {
		return fmt.Sprintf("Global Account %s already holds %s in pool %s, and it is below the limit (%d of %d places taken).",
			s.GlobalAccount, a.Name, s.Target, s.places.taken(a), s.limit)
	}
	return fmt.Sprintf("Of the %s that Global Account %s holds in pool %s, %s is the fullest one below the limit (%d of %d places taken).",
		count(len(s.held), "account"), s.GlobalAccount, s.Target, a.Name, s.places.taken(a), s.limit)
}

// claimReason says in one sentence why an unclaimed account is taken.
func (s *selection) claimReason(a *Account) string {
	why := fmt.Sprintf("Global Account %s holds no account of pool %s yet", s.GlobalAccount, s.Target)
	if n := len(s.held); n > 0 {
		why = fmt.Sprintf("None of the %s that Global Account %s holds in pool %s can take another cluster", count(n, "account"), s.GlobalAccount, s.Target)
		if n == 1 {
			why = fmt.Sprintf("The one account that Global Account %s holds in pool %s can take no other cluster", s.GlobalAccount, s.Target)
		}
	}
	return fmt.Sprintf("%s: %s is claimed, one of %d unclaimed.", why, a.Name, len(s.free))
}
