package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	// storyLines bounds the revisions of one account.
	storyLines = 60
	// explainedAccounts bounds the accounts of which a failed test tells all that happened.
	explainedAccounts = 3
)

// Story shows every revision of an account, one a line: the client that has made it, and what it changed.
func (h *History) Story(log []fault.Exchange, account string) string {
	makers := newMakers(h.namespace, log)
	var lines []string
	var before uint64
	for i := range h.accounts.steps {
		s := &h.accounts.steps[i]
		if s.name != account {
			continue
		}
		maker, who := makers.of(s, before), byHand
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
		lines = append(lines, strings.TrimRight(line, ":;"))
		before = s.version
	}
	return fault.LastLines(lines, storyLines, "revisions")
}

// Explain logs all that a failure about an account needs to be understood without a second run: its revisions, and the
// requests about it, those around the ones that are given or else the last ones. The history must have ended.
func (h *History) Explain(t testing.TB, log []fault.Exchange, account string, numbers ...int) {
	t.Helper()
	requests := fault.Around(log, account, numbers...)
	if len(numbers) == 0 {
		patching := map[string]bool{} // the broker and the clean-up job send whole objects, and what they read matters less
		for _, x := range log {
			patching[x.Client] = patching[x.Client] || x.Verb == "patch"
		}
		requests = fault.Excerpt(log, func(x fault.Exchange) bool {
			return x.Resource == "credentialsbindings" && x.Name == account && (x.Writes() || patching[x.Client])
		})
	}
	t.Logf("the revisions of %s:\n%s\nthe requests about it:\n%s", account, h.Story(log, account), requests)
}

// explain tells of the first accounts on which something of ours is wrong.
func (h *History) explain(t testing.TB, log []fault.Exchange, c *checker) {
	t.Helper()
	var accounts []string
	for _, v := range c.violations {
		if v.Ours {
			accounts = append(accounts, v.Account)
		}
	}
	for _, named := range slices.Concat(c.summary.Orphans, c.summary.Leftovers, c.summary.Abandoned) {
		account, _, _ := strings.Cut(named, " ")
		accounts = append(accounts, account)
	}
	told := map[string]bool{}
	for _, account := range accounts {
		if len(told) < explainedAccounts && !told[account] {
			told[account] = true
			h.Explain(t, log, account)
		}
	}
}
