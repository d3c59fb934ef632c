package history

import (
	"math"
	"slices"
	"sync"
)

// answers are what the claimers heard, in the order of each claim.
type answers struct {
	sync.Mutex
	claims  map[string][]answer
	unknown map[string]bool
}

// answer is one thing that a claimer heard about its claim.
type answer struct {
	released bool
	kept     bool // the release leaves the account to its tenant
	account  string
	version  uint64
}

// Acknowledge notes that a claimer heard that it has its claim: under this annotation key, on this account, at
// this version of it. It may be called from many goroutines; the answers of one claim have to come in their order.
func (h *History) Acknowledge(key, account, version string) {
	h.answers.add(key, answer{account: account, version: number(version)})
}

// Released notes that a claimer heard that its claim is released, or that its release was begun and the claimer cannot know
// how it ended (a killed process: say Unknown too, for the record may still be there).
func (h *History) Released(key, account string) {
	h.answers.add(key, answer{released: true, account: account})
}

// Kept is Released for a claim whose account stays with its tenant (on_destroy = keep).
func (h *History) Kept(key, account string) {
	h.answers.add(key, answer{released: true, kept: true, account: account})
}

// Settled takes Unknown back: by now the claimer knows what became of its claim.
func (h *History) Settled(key string) {
	h.answers.Lock()
	defer h.answers.Unlock()
	delete(h.answers.unknown, key)
}

// Unknown notes that a claimer has ended with an error or was killed: its claim may be made or not.
func (h *History) Unknown(key string) {
	h.answers.Lock()
	defer h.answers.Unlock()
	if h.answers.unknown == nil {
		h.answers.unknown = map[string]bool{}
	}
	h.answers.unknown[key] = true
}

func (d *answers) add(key string, a answer) {
	d.Lock()
	defer d.Unlock()
	if d.claims == nil {
		d.claims = map[string][]answer{}
	}
	d.claims[key] = append(d.claims[key], a)
}

// releases reports whether the claim was being released from the account at that version: after it was last said to
// exist before the release, and before it was next.
func (d *answers) releases(key, account string, version uint64) bool {
	answers := d.claims[key]
	var since uint64
	for i, a := range answers {
		if !a.released {
			since = a.version
			continue
		}
		if a.account == account && since < version && version < nextClaim(answers[i:]) {
			return true
		}
	}
	return false
}

// uncertain reports whether a claimer of the claim has ended without knowing whether it is made.
func (d *answers) uncertain(key string) bool { return d.unknown[key] }

// keeps reports whether the release of that version was to leave the account to its tenant. A release may be asked for
// several times, and in several ways, before it succeeds.
func (d *answers) keeps(key, account string, version uint64) bool {
	kept := func(a answer) bool { return a.kept && a.account == account }
	return d.releases(key, account, version) && slices.ContainsFunc(d.claims[key], kept)
}

// gone reports whether no claimer may own a record of the claim on the account: it was released from there for good, or it was
// said to be on other accounts alone.
func (d *answers) gone(key, account string) bool {
	if d.unknown[key] {
		return false
	}
	for _, a := range slices.Backward(d.claims[key]) {
		if a.account == account {
			return a.released
		}
	}
	return len(d.claims[key]) > 0
}

func nextClaim(answers []answer) uint64 {
	for _, a := range answers {
		if !a.released {
			return a.version
		}
	}
	return math.MaxUint64
}

// owned reports whether a claimer may own a record of the claim on the account in the end.
func (d *answers) owned(key, account string) bool {
	answers := d.claims[key]
	if d.unknown[key] {
		return true
	}
	if len(answers) == 0 {
		return false
	}
	last := answers[len(answers)-1]
	return !last.released && last.account == account
}

// claimAt is what was said of an account at one version.
type claimAt struct {
	account string
	version uint64
}

// claimed lists the keys of the claims that were acknowledged, by account and version.
func (d *answers) claimed() map[claimAt][]string {
	all := map[claimAt][]string{}
	for key, answers := range d.claims {
		for _, a := range answers {
			if !a.released {
				at := claimAt{a.account, a.version}
				all[at] = append(all[at], key)
			}
		}
	}
	return all
}
