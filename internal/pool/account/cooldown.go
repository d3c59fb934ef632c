package account

import (
	"time"
)

// Since when an account is free is known in part (ADR 023): the server keeps no time of a label that goes. Two things say that an account
// was not free at a time: what a release of this package has noted, and the record of a claim that has lost the account. It came back later
// than either.

// LastHeldAnnotation is the key of the annotation with [Account.LastHeld].
const LastHeldAnnotation = "hap-project.io/last-held"

// Preference says which of the free accounts a claim takes first.
type Preference string

// The preferences.
const (
	PreferOrder       Preference = "order"        // by a hash of tenant and account, by which two processes meet on one account
	PreferLongestFree Preference = "longest_free" // the one that is free for the longest time, of equals by that hash
)

// Preferences returns all of them, the default first.
func Preferences() []Preference { return []Preference{PreferOrder, PreferLongestFree} }

// CameBack returns the last time before another one at which the cloud account is known to have been held, by the clock of the process that
// says so: it came back later. Zero = none is known.
func (a *Account) CameBack(before time.Time) (at time.Time) {
	note := func(t time.Time) {
		if t.After(at) && t.Before(before) {
			at = t
		}
	}
	for _, b := range a.Bindings() {
		note(b.LastHeld)
		for _, record := range b.Records {
			note(record.ClaimedAt)
		}
	}
	return at
}

// FreeSince returns the time from which on the account is free at the earliest, as of now: it was made then, or held. Zero = nothing is
// known.
func (a *Account) FreeSince(now time.Time) time.Time {
	if held := a.CameBack(now.Add(fast)); held.After(a.Made) {
		return held
	}
	return a.Made
}

// fast is how far the clock of another process may be ahead for its times to count in [Account.FreeSince].
const fast = 24 * time.Hour

// CoolsUntil returns when a free account can be claimed, where it came back a short time ago; zero = it can be claimed now. The clock of
// another process may be fast: a time of the future by [Policy.MinFreeTime] or more is no time, so that no clock keeps an account for more
// than twice that long.
func (p Policy) CoolsUntil(a *Account, now time.Time) time.Time {
	until := a.CameBack(now.Add(p.MinFreeTime)).Add(p.MinFreeTime)
	if p.MinFreeTime <= 0 || !until.After(now) {
		return time.Time{}
	}
	return until
}

// Classify is [Classify] with [ClassCooling] at a time. A Global Account that has a record on the account takes it back at once: it is what
// its claim was made on.
func (p Policy) Classify(a *Account, usage Usage, tenant string, now time.Time) Class {
	class := Classify(a, usage, tenant)
	if class == ClassFree && !a.remembersByAny(tenant) && !p.CoolsUntil(a, now).IsZero() {
		return ClassCooling
	}
	return class
}

// stamp writes a time in a message.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
