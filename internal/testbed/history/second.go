package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// ListFreshness is how old the list may be by which a free account is taken.
const ListFreshness = 2 * time.Second

// Second is an account that a claim of ours has taken for a Global Account which held a usable one of the same pool.
type Second struct {
	// Account was taken at Version, although GlobalAccount held Other.
	Account, Version, GlobalAccount, Other string
	// Request is the number of the request that took it.
	Request int
	// Age is the time from the first request of the list that the claim went by to the request that took the account, and
	// Listing how long that list took. Zero = the log has no such list.
	Age, Listing time.Duration
	// Spoilt says that a fault of the proxy made the list older than it was asked for.
	Spoilt bool
}

// TooOld reports whether the list was older than it may be. A list serves every claim that was waiting for it, however
// long it takes; slack is for the time between the claimer's judgement and the arrival of its request.
func (s Second) TooOld(slack time.Duration) bool {
	return !s.Spoilt && s.Age > ListFreshness+s.Listing+slack
}

// String is the second account in one line.
func (s Second) String() string {
	return fmt.Sprintf("%s was taken for %s at version %s beside %s, by a list that was begun %s before and took %s",
		s.Account, s.GlobalAccount, s.Version, s.Other, s.Age.Round(time.Millisecond), s.Listing.Round(time.Millisecond))
}

// second is a Second whose list is not found yet.
type second struct {
	Second
	request *fault.Exchange
}

// noteSecond notes a write of ours that takes a free account for a Global Account which holds a usable one of the pool.
func (c *checker) noteSecond(w *write) {
	if !w.takes() || w.request == nil {
		return
	}
	var others []string
	for name, held := range c.accounts {
		if name != w.name && held.labels[testbed.LabelTenant] == w.tenant && usable(held) && samePool(held, w.before) {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return
	}
	slices.Sort(others)
	c.seconds = append(c.seconds, second{
		Second{
			Account: w.name, Version: fmt.Sprint(w.version), GlobalAccount: w.tenant, Other: strings.Join(others, ", "), Request: w.request.Number,
		}, w.request,
	})
}

func samePool(a, b *object) bool {
	for _, key := range []string{testbed.LabelType, testbed.LabelEUAccess} {
		if a.labels[key] != b.labels[key] {
			return false
		}
	}
	return true
}

// ageSeconds finds how old the lists were by which second accounts were taken.
func (c *checker) ageSeconds(log []fault.Exchange) {
	for _, s := range c.seconds {
		if age, known := ListAge(log, *s.request); known {
			s.Age, s.Listing, s.Spoilt = age.Age, age.Listing, age.Spoilt
		}
		c.summary.Seconds = append(c.summary.Seconds, s.Second)
	}
}

// ListAgeOf says how old the list was that a write went by.
type ListAgeOf struct {
	// Began is when the list was begun, Age the time from there to the write, Listing how long the list took.
	Began        time.Time
	Age, Listing time.Duration
	// Spoilt says that the proxy made the list older.
	Spoilt bool
}

// ListAge finds the list of the accounts that a client went by when it sent a write: its last one that was complete. A
// write that is sent again after a lost answer goes by the judgement, and so by the list, of the first. False = the log
// has no list of that client before the write.
//
// A list of the accounts is complete with the one of the bindings of the other kind that follows it: until then the client goes by the list
// before.
func ListAge(log []fault.Exchange, write fault.Exchange) (age ListAgeOf, known bool) {
	sent := write
	for _, x := range log {
		if x.Client == write.Client && x.Verb == write.Verb && x.Name == write.Name && x.Version == write.Version && x.Began.Before(sent.Began) {
			sent = x
		}
	}
	var began, ended time.Time
	var spoilt bool
	take := func() {
		if !ended.IsZero() && ended.Before(sent.Began) {
			age, known = ListAgeOf{began, sent.Began.Sub(began), ended.Sub(began), spoilt}, true
		}
	}
	for _, x := range log {
		if x.Client != write.Client || x.Namespace != write.Namespace || x.Sent != 200 {
			continue
		}
		own, other := x.Resource == write.Resource, x.Resource == otherKind[write.Resource]
		switch {
		case other && !ended.IsZero() && (x.Verb == "list" || x.Verb == "page"):
			ended = x.Ended
		case !own:
		case x.Verb == "list":
			take()
			began, ended, spoilt = x.Began, x.Ended, strings.HasPrefix(x.Fault, "Stale")
		case x.Verb == "page":
			ended = x.Ended
		}
	}
	take()
	return age, known
}

// otherKind is the other kind of bindings: a client lists it after the accounts, and judges by both.
var otherKind = map[string]string{"credentialsbindings": "secretbindings", "secretbindings": "credentialsbindings"}
