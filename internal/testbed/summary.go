package testbed

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// DoubleHandouts counts how often a claimer was told that an account is its own which was another tenant's.
	DoubleHandouts int
	// Orphans are the records of ours that stand in the end and that nobody owns, as "account key".
	Orphans []string
	// Conflicts are the writes that the Garden refused because somebody else was first.
	Conflicts int
	// Writes counts by client the revisions of accounts that it has made, Refused the writes that the Garden refused.
	Writes, Refused map[string]int
}

// String is the summary in one line.
func (s Summary) String() string {
	return fmt.Sprintf("%d revisions, %d claims, accounts handed out %s, %d cleaned, %d returned, %d handed out twice, "+
		"%d orphans, %d conflicts, writes %s, refused %s", s.Revisions, s.Claims, counted(s.Handed), s.Cleaned, s.Returned,
		s.DoubleHandouts, len(s.Orphans), s.Conflicts, counted(s.Writes), counted(s.Refused))
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

// orphans looks in the last revision for records of ours that nobody owns.
func (c *checker) orphans() {
	for _, account := range slices.Sorted(maps.Keys(c.kept)) {
		kept := c.kept[account]
		for _, key := range slices.Sorted(maps.Keys(kept.records)) {
			if kept.writers[key] && c.bearers[key][account] && !c.history.told.owned(key, account) {
				c.summary.Orphans = append(c.summary.Orphans, account+" "+key)
			}
		}
	}
}

// requests looks at the log itself: what was refused, what of ours should not have been sent, and whether the history
// has the revision of every write that the Garden has done.
func (c *checker) requests(log []Exchange) {
	for i := range log {
		e := &log[i]
		if !e.writes() || e.Namespace != c.history.namespace {
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
			c.blame(violation("gap", e.Name, version, "request %d of %s has made this version, and the history lacks it",
				e.Number, e.Client), byUs)
		}
	}
}

// judgeRequest looks at a write that we have asked for, whatever became of it: I7.
func (c *checker) judgeRequest(e *Exchange) {
	switch {
	case e.Resource != "credentialsbindings":
		c.blame(violation("I7", e.Name, number(e.Result), "request %d: %s of %s", e.Number, e.Verb, e.Resource), e.Client)
	case c.makers.made[e] != nil: // judged with its revision
	case e.UID == "" || e.Version == "":
		c.blame(violation("I7", e.Name, number(e.Result), "request %d: %s with uid %q and version %q",
			e.Number, e.Verb, e.UID, e.Version), e.Client)
	}
}
