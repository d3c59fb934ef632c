package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// Summary counts what a history holds.
type Summary struct {
	// Revisions of accounts and Shoots, the state at the start included.
	Revisions int
	// Claims are the records that were put on accounts.
	Claims int
	// Handed counts by client how often an account was given to a tenant.
	Handed map[string]int
	// Cleaned and Returned count the accounts that came back: from the clean-up job, or unused by a release of ours.
	Cleaned, Returned int
	// DoubleHandouts counts how often a claimer heard that an account is its own which was another tenant's.
	DoubleHandouts int
	// Orphans are the records of ours that are left in the end and that no claimer owns, as "account key".
	Orphans []string
	// Leftovers are the records of ours that are left in the end, void or not, although their claims were released from that
	// account, as "account key": each could count again.
	Leftovers []string
	// Abandoned are the accounts that a tenant holds in the end for no claim: a claim of ours was the last to be released
	// from them and was not to keep them, and they are neither dirty nor shared nor internal and have no Shoot.
	Abandoned []string
	// Seconds are the accounts that we have taken for a Global Account that held a usable one of the same pool already.
	// Whether that is a fault depends on what is configured, and on [Second.TooOld].
	Seconds []Second
	// Conflicts are the writes that the Garden refused because another client was first.
	Conflicts int
	// Writes counts by client the revisions of accounts that it has made, Refused the writes that the Garden refused.
	Writes, Refused map[string]int
}

// String is the summary in one line.
func (s Summary) String() string {
	return fmt.Sprintf("%d revisions, %d claims, accounts handed out %s, %d cleaned, %d returned, %d handed out twice, "+
		"%d orphans, %d records left, %d accounts abandoned, %d second accounts, %d conflicts, writes %s, refused %s",
		s.Revisions, s.Claims, counted(s.Handed), s.Cleaned, s.Returned,
		s.DoubleHandouts, len(s.Orphans), len(s.Leftovers), len(s.Abandoned), len(s.Seconds), s.Conflicts, counted(s.Writes), counted(s.Refused))
}

func counted(counts map[string]int) string {
	if len(counts) == 0 {
		return "0"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// orphans finds in the last revision records of ours that no claimer owns.
func (c *checker) orphans() {
	for _, account := range slices.Sorted(maps.Keys(c.kept)) {
		kept := c.kept[account]
		for _, key := range slices.Sorted(maps.Keys(kept.records)) {
			if kept.writers[key] != "" && c.bearers[key][account] && !c.history.answers.owned(key, account) {
				c.summary.Orphans = append(c.summary.Orphans, account+" "+key)
			}
		}
	}
}

// leftovers finds in the last revision records of ours whose claims were released from there, or made elsewhere.
func (c *checker) leftovers() {
	for _, account := range slices.Sorted(maps.Keys(c.kept)) {
		kept := c.kept[account]
		for _, key := range slices.Sorted(maps.Keys(kept.records)) {
			shared := c.accounts[account].labels[testbed.LabelShared] == testbed.LabelTrue // nothing may be written there
			if kept.writers[key] != "" && !shared && c.history.answers.gone(key, account) {
				c.summary.Leftovers = append(c.summary.Leftovers, account+" "+key)
			}
		}
	}
}

// abandoned finds in the last revision accounts that are held for no claim.
func (c *checker) abandoned() {
	for _, name := range slices.Sorted(maps.Keys(c.kept)) {
		account, kept := c.accounts[name], c.kept[name]
		if kept.left.key == "" || len(c.onAccount[name]) > 0 || !usable(account) || account.labels[testbed.LabelTenant] == "" ||
			account.labels[testbed.LabelInternal] == testbed.LabelTrue || c.history.answers.keeps(kept.left.key, name, kept.left.version) {
			continue
		}
		lives := func(key string) bool { return c.bearers[key][name] && c.history.answers.owned(key, name) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(kept.records)), lives) {
			c.summary.Abandoned = append(c.summary.Abandoned, fmt.Sprintf("%s of %s, left by %s at version %d",
				name, account.labels[testbed.LabelTenant], kept.left.key, kept.left.version))
		}
	}
}

// usable reports whether a tenant that holds the account can go on to use it.
func usable(account *object) bool {
	dirty := account.labels[testbed.LabelDirty]
	return account.labels[testbed.LabelShared] != testbed.LabelTrue && (dirty == "" || dirty == "false") && !account.terminating
}

// requests reads the log itself: what was refused, what of ours should not have been sent, and whether the history
// has the revision of every write that the Garden has done.
func (c *checker) requests(log []fault.Exchange) {
	for i := range log {
		e := &log[i]
		if !e.Writes() || e.DryRun || e.Namespace != c.history.namespace {
			continue
		}
		if e.Code >= 400 {
			c.summary.Refused[e.Client]++
		}
		if e.Code == 409 && e.Resource == "credentialsbindings" {
			c.summary.Conflicts++
		}
		if c.us(e.Client) {
			c.judgeRequest(e)
		}
	}
	for version, made := range c.makers.answered {
		if version <= c.history.start || version > c.history.accounts.last {
			continue // before or after the history
		}
		for _, e := range made {
			c.blame(violation(Gap, e.Name, version, "request %d of %s has made this version, and the history lacks it",
				e.Number, e.Client), byUs)
		}
	}
}

// judgeRequest judges a write that we have asked for, whatever became of it: I7.
func (c *checker) judgeRequest(e *fault.Exchange) {
	switch {
	case c.ofCluster(e):
		c.judgeCluster(e)
	case e.Resource == "secretbindings" && e.Verb == "patch" && e.UID != "" && e.Version != "": // a release marks it with its account
	case e.Resource != "credentialsbindings":
		c.blame(violation(I7, e.Name, number(e.Result), "request %d: %s of %s", e.Number, e.Verb, e.Resource), e.Client)
	case c.makers.made[e] != nil: // judged with its revision
	case e.Verb == "create" && c.history.supplies != nil && c.history.supplies(e.Client): // there is nothing to name
	case e.UID == "" || e.Version == "":
		c.blame(violation(I7, e.Name, number(e.Result), "request %d: %s with uid %q and version %q",
			e.Number, e.Verb, e.UID, e.Version), e.Client)
	}
}
