package testbed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// excerptLines bounds an excerpt of a log, storyLines the revisions of one account.
	excerptLines = 80
	storyLines   = 60
	// explainedAccounts bounds the accounts of which a failed test tells all that happened.
	explainedAccounts = 3
	// besideOffending is how many requests about an account are shown on either side of one that offends.
	besideOffending = 12
)

// String is the request in one line: number, time, who, what on which version, and what became of it.
func (e Exchange) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d %s", e.Number, e.Began.Format("15:04:05.000"))
	if !e.Ended.IsZero() {
		fmt.Fprintf(&b, " +%s", e.Ended.Sub(e.Began).Round(time.Millisecond))
	}
	fmt.Fprintf(&b, " %s %s %s", e.Client, e.Verb, e.Resource)
	if e.Name != "" {
		fmt.Fprintf(&b, "/%s", e.Name)
	}
	if e.writes() {
		fmt.Fprintf(&b, " at version %s", cmp.Or(e.Version, "(any)"))
	}
	if e.Verb == "patch" { // an update names all that it keeps
		b.WriteString(changes(e.Labels) + changes(e.Annotations))
	}
	if e.Fault != "" {
		fmt.Fprintf(&b, " [%s]", e.Fault)
	}
	switch {
	case e.Code == 0 && e.Sent == 0:
		b.WriteString(" -> no answer")
	case e.Code == 0:
		fmt.Fprintf(&b, " -> the Garden was not asked, the client got %d", e.Sent)
	default:
		fmt.Fprintf(&b, " -> %d", e.Code)
		if e.Result != "" {
			fmt.Fprintf(&b, ", version %s", e.Result)
		}
		if e.Sent != e.Code {
			fmt.Fprintf(&b, ", the client got %s", cmp.Or(strings.TrimPrefix(fmt.Sprint(e.Sent), "0"), "nothing"))
		}
	}
	return b.String()
}

// changes lists what a patch asks for.
func changes(values map[string]*string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		e := short(edit{key: key, new: values[key]})
		if e.new == nil {
			fmt.Fprintf(&b, " -%s", e.key)
		} else {
			fmt.Fprintf(&b, " %s=%q", e.key, *e.new)
		}
	}
	return b.String()
}

// short is an edit of which a reader sees what matters: of a record the beginning of its key and whose claim it is.
func short(e edit) edit {
	if hash, ours := strings.CutPrefix(e.key, recordPrefix); ours {
		e.key = "claim-" + hash[:min(len(hash), 8)]
		e.old, e.new = shortRecord(e.old), shortRecord(e.new)
	}
	return e
}

// shortRecord names the claim of a record, and whether it says that the account was used or that it is being released.
func shortRecord(text *string) *string {
	var r struct {
		claimRecord
		Used           bool   `json:"used"`
		ReleasingSince string `json:"releasingSince"`
	}
	if text == nil || json.Unmarshal([]byte(*text), &r) != nil {
		return text
	}
	named := r.Name + " of " + r.GlobalAccount
	if r.Used {
		named += ", used"
	}
	if r.ReleasingSince != "" {
		named += ", releasing"
	}
	return &named
}

// Excerpt shows the requests of a log that are picked, one a line; of more than 80 the last.
func Excerpt(log []Exchange, picks func(Exchange) bool) string {
	var lines []string
	for _, x := range log {
		if picks(x) {
			lines = append(lines, x.String())
		}
	}
	return limited(lines, excerptLines, "requests")
}

// Around shows the requests about an account that surround others, given by their numbers, and the lists of who sent those.
func Around(log []Exchange, account string, numbers ...int) string {
	offends := func(x Exchange) bool { return slices.Contains(numbers, x.Number) }
	clients := map[string]bool{}
	var about []Exchange
	for _, x := range log {
		if offends(x) {
			clients[x.Client] = true
		}
	}
	for _, x := range log {
		if x.Resource == "credentialsbindings" && (x.Name == account || x.Name == "" && clients[x.Client]) {
			about = append(about, x)
		}
	}
	near := make([]bool, len(about))
	for i, x := range about {
		if offends(x) {
			for j := max(0, i-besideOffending); j < min(len(about), i+besideOffending+1); j++ {
				near[j] = true
			}
		}
	}
	var lines []string
	for i, x := range about {
		if near[i] {
			lines = append(lines, x.String())
		}
	}
	return limited(lines, excerptLines, "requests")
}

// Story shows every revision of an account, one a line: who has made it, and what it changed.
func (h *History) Story(log []Exchange, account string) string {
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
			line += " " + short(e).String() + ";"
		}
		lines = append(lines, strings.TrimRight(line, ":;"))
		before = s.version
	}
	return limited(lines, storyLines, "revisions")
}

func limited(lines []string, most int, what string) string {
	if over := len(lines) - most; over > 0 {
		lines = append([]string{fmt.Sprintf("(%d %s before these are left out)", over, what)}, lines[over:]...)
	}
	return "  " + strings.Join(lines, "\n  ")
}

// Explain logs all that a failure about an account needs to be understood without a second run: its revisions, and the
// requests about it, those around the ones that are given or else the last ones. The history must have ended.
func (h *History) Explain(t testing.TB, log []Exchange, account string, numbers ...int) {
	t.Helper()
	requests := Around(log, account, numbers...)
	if len(numbers) == 0 {
		patching := map[string]bool{} // the broker and the clean-up job send whole objects, and what they read matters less
		for _, x := range log {
			patching[x.Client] = patching[x.Client] || x.Verb == "patch"
		}
		requests = Excerpt(log, func(x Exchange) bool {
			return x.Resource == "credentialsbindings" && x.Name == account && (x.writes() || patching[x.Client])
		})
	}
	t.Logf("the revisions of %s:\n%s\nthe requests about it:\n%s", account, h.Story(log, account), requests)
}

// explain tells of the first accounts on which something of ours is wrong.
func (h *History) explain(t testing.TB, log []Exchange, c *checker) {
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
