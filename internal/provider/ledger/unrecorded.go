package ledger

import "slices"

// unrecorded are the claims of the state that have no record on their accounts, and those that a plan ends beside them. A release sees the
// claims that are recorded alone, so a plan has to see the rest.
type unrecorded struct {
	stay, end []onAccount
}

// onAccount is a claim on a cloud account: the ID of its object, and its name for a message.
type onAccount struct{ account, claim, named string }

// KeepUnrecorded notes that a claim without a record stays on a cloud account. It returns a claim whose end by this plan releases the
// account; empty = none was noted.
func (l *Ledger) KeepUnrecorded(account, claim, named string) (ending string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unrecorded.meet(&l.unrecorded.stay, l.unrecorded.end, onAccount{account, claim, named})
}

// Release notes that the end of a claim releases an account. It returns a claim without a record that stays on it; empty = none was noted.
func (l *Ledger) Release(account, claim, named string) (staying string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unrecorded.meet(&l.unrecorded.end, l.unrecorded.stay, onAccount{account, claim, named})
}

// meet adds a claim to its own, and returns one of the others that is on the same cloud account.
func (u *unrecorded) meet(own *[]onAccount, others []onAccount, at onAccount) string {
	if !slices.Contains(*own, at) {
		*own = append(*own, at)
	}
	for _, other := range others {
		if other.account == at.account && other.claim != at.claim {
			return other.named
		}
	}
	return ""
}

// replaceStaying takes a claim away that was noted as one that stays, and is replaced.
func (u *unrecorded) replaceStaying(claim string) {
	u.stay = slices.DeleteFunc(u.stay, func(at onAccount) bool { return at.claim == claim })
}
