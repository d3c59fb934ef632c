package pool

import (
	"fmt"
	"slices"
)

// LeftBehind is a record of a claim that lies on an account which its Global Account has lost, and that could not be taken away.
type LeftBehind struct {
	Account string
	Err     error
}

// voids returns the accounts, by name, on which the record of a claim lies that its Global Account has lost: a run of the claim that was
// killed after its write leaves one behind. A shared account is never written.
func (s *snapshot) voids(key, owner string) (found []*Account) {
	for _, a := range s.changed {
		if a != nil && !a.Sibling && a.hasVoid(key, owner) {
			found = append(found, a)
		}
	}
	for _, a := range s.list.all {
		if _, changed := s.changed[a.Name]; !changed && len(a.Records) > 0 && a.hasVoid(key, owner) {
			found = append(found, a)
		}
	}
	slices.SortFunc(found, byName)
	return found
}

// withdrawError says that a record which a write of this operation has left on an account could not be taken away.
func withdrawError(a Account, err error) error {
	return fmt.Errorf("taking its record from account %s, which the Global Account has lost meanwhile: %w", a.Name, err)
}
