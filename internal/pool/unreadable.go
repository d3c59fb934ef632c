package pool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// errNoTenant says that a record names no Global Account: it cannot be said whose claim it is.
var errNoTenant = errors.New("it names no Global Account")

// ReadRecord reads a claim record as it is written in an annotation. Fields that this version does not know are passed over. A record that
// names no Global Account is none: only by that it is known whether it counts.
func ReadRecord(text string) (Record, error) {
	var record Record
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return Record{}, err
	}
	if record.GlobalAccount == "" {
		return Record{}, errNoTenant
	}
	return record, nil
}

// UnreadableRecordError says that an account has a claim record which cannot be read. Whose claim it is and how it is to end is not
// known, so nothing is done that could end it.
type UnreadableRecordError struct {
	Account string
	Keys    []string // the annotations
	// Identity is that of the claim whose own record it is; zero = another claim's.
	Identity Identity
}

func (e *UnreadableRecordError) Error() string {
	if e.Identity != (Identity{}) {
		return fmt.Sprintf("the record of %s on account %s cannot be read (annotation %s)", e.Identity, e.Account, strings.Join(e.Keys, ", "))
	}
	return fmt.Sprintf("account %s bears %s that cannot be read (%s)", e.Account, words.Count(len(e.Keys), "claim record"),
		strings.Join(e.Keys, ", "))
}

// claimed reports whether a claim is on the account: one of the tenant that holds it, or one whose record cannot be read.
func (a *Account) claimed() bool { return len(a.Unreadable) > 0 || len(a.Claims()) > 0 }

// garbles reports whether the record of a claim lies on the account and cannot be read.
func (a *Account) garbles(key string) bool { return slices.Contains(a.Unreadable, key) }

// unreadable is the error of an account on which the own record of a claim cannot be read; nil = that is not so.
func (a *Account) unreadable(id Identity) error {
	if key := id.Key(); a.garbles(key) {
		return &UnreadableRecordError{Account: a.Name, Keys: []string{key}, Identity: id}
	}
	return nil
}

// garbled returns the account on which the record of a claim lies that cannot be read; nil = there is none.
func (s *snapshot) garbled(key string) *Account {
	for _, a := range s.changed {
		if a != nil && !a.Sibling && a.garbles(key) {
			return a
		}
	}
	for _, a := range s.list.all {
		if _, changed := s.changed[a.Name]; !changed && len(a.Unreadable) > 0 && a.garbles(key) {
			return a
		}
	}
	return nil
}
