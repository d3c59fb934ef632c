package history

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	// End is a version after all others.
	End = math.MaxUint64

	// storyLines bounds the revisions of one account.
	storyLines = 60
	// explainedAccounts bounds the accounts of which a failed test prints all that happened.
	explainedAccounts = 3
)

// Story shows every revision of an account, one a line: the client that has made it, and what it changed; and the Shoots that
// come to it and go. Of many lines it shows those on either side of a version, [End] = the last.
func (h *History) Story(log []fault.Exchange, account string, version uint64) string {
	makers := newMakers(h.namespace, log)
	var lines []string
	var before uint64
	middle := 0
	for _, s := range h.inOrder() {
		switch {
		case s.ofShoot && s.account == account && s.event != Modified:
			lines = append(lines, fmt.Sprintf("version %d, the Shoot %s is %s", s.version, s.name, s.event))
		case !s.ofShoot && s.name == account:
			lines = append(lines, revised(s.step, makers.of(s.step, before)))
			before = s.version
		}
		if s.version <= version {
			middle = len(lines)
		}
	}
	return fault.LinesAround(lines, middle, storyLines, "revisions")
}

// revised is one revision of an account in a line.
func revised(s *step, maker *fault.Exchange) string {
	who := byHand
	switch {
	case s.event == Present:
		who = "at the start"
	case maker != nil:
		who = fmt.Sprintf("%s, request %d", maker.Client, maker.Number)
	}
	line := fmt.Sprintf("version %d, %s (%s):", s.version, s.event, who)
	for _, e := range slices.Concat(s.labels, s.annotations) {
		e.old, e.new, e.key = fault.ShortRecord(e.key, e.old), fault.ShortRecord(e.key, e.new), fault.ShortKey(e.key)
		line += " " + e.String() + ";"
	}
	return strings.TrimRight(line, ":;")
}

// Explain logs all that a failure about an account needs to be understood without a second run: its revisions, and the
// requests about it around the ones that are given. The history must have ended.
func (h *History) Explain(t testing.TB, log []fault.Exchange, account string, numbers ...int) {
	t.Helper()
	t.Logf("the revisions of %s:\n%s\nthe requests about it:\n%s", account, h.Story(log, account, End), fault.Around(log, account, numbers...))
}

// explainAt is Explain for what shows at a version.
func (h *History) explainAt(t testing.TB, log []fault.Exchange, account string, version uint64) {
	t.Helper()
	offending := 0
	patching := map[string]bool{} // the broker and the clean-up job send whole objects, and what they read matters less
	for _, x := range log {
		patching[x.Client] = patching[x.Client] || x.Verb == "patch"
		if made := number(x.Result); made > 0 && made <= version {
			offending = x.Number
		}
	}
	requests := fault.ExcerptAt(log, offending, func(x fault.Exchange) bool {
		return x.Resource == "credentialsbindings" && x.Name == account && (x.Writes() || patching[x.Client])
	})
	t.Logf("the revisions of %s:\n%s\nthe requests about it:\n%s", account, h.Story(log, account, version), requests)
}

// explain prints the first accounts on which something of ours is wrong.
func (h *History) explain(t testing.TB, log []fault.Exchange, c *checker) {
	t.Helper()
	explained := map[string]bool{}
	explain := func(account string, version uint64) {
		if len(explained) < explainedAccounts && !explained[account] {
			explained[account] = true
			h.explainAt(t, log, account, version)
		}
	}
	for _, v := range c.violations {
		if v.Ours {
			for _, account := range append([]string{v.Account}, v.accounts...) {
				explain(account, number(v.Version))
			}
		}
	}
	for _, named := range slices.Concat(c.summary.Orphans, c.summary.Leftovers, c.summary.Abandoned) {
		account, _, _ := strings.Cut(named, " ")
		explain(account, End)
	}
}
