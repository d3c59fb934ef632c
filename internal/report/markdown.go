// Package report writes an overview of the pool in two forms: [Markdown] for a terminal and for the summary page of a
// pipeline, and the metrics of [Prometheus]. It is pure text: the same overview gives the same text.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// How many accounts in use, Global Accounts, and problems of one kind a report lists. The rest is counted: a summary page is
// limited in size.
const (
	maxAccounts = 200
	maxTenants  = 200
	maxProblems = 20
	maxTypes    = 10 // hyperscaler types of one Global Account
)

// How many rows of a table, and how many problems of one kind, are shown open; those after them are folded.
const (
	openRows     = 10
	openProblems = 5
)

// Markdown writes an overview of a pool for the pages of GitHub and GitLab, and for a terminal: totals, how full each pool is, the
// problems with their remedies, the Global Accounts, and the accounts in use with a fill bar each. What is worst comes first, and
// what is long is folded. It lists at most 200 accounts, 200 Global Accounts and 20 problems of a kind, has at most [MaxBytes], and counts
// what it leaves out. The source says what counted the clusters.
func Markdown(o overview.Overview, countedBy account.Source) string {
	r := &report{Overview: o}
	fmt.Fprintf(r, "# Hyperscaler Account Pool of %s\n\n", cell(o.Namespace))
	r.totals(countedBy)
	if len(o.Pools) > 0 {
		r.pools()
		r.chart()
	}
	r.problems()
	r.tenants()
	r.accounts()
	return r.String()
}

// report is the text as it grows.
type report struct {
	strings.Builder
	overview.Overview
}

// totals writes the first paragraph: the sums, and how many problems there are.
func (r *report) totals(countedBy account.Source) {
	if what := r.filter(); what != "" {
		fmt.Fprintf(r, "Only %s.\n\n", what)
	}
	if len(r.Accounts) == 0 {
		fmt.Fprint(r, "There is no account.\n")
		return
	}
	clusters, reserved, shared := 0, 0, 0
	for i := range r.Accounts {
		a := &r.Accounts[i]
		clusters += a.Clusters
		reserved += a.Reserved
		if a.Shared {
			shared++
		}
	}
	held, unclaimed, cooling := 0, 0, 0
	for _, t := range r.Tenants {
		held += t.Accounts
	}
	for i := range r.Pools {
		unclaimed += r.Pools[i].Unclaimed()
		cooling += r.Pools[i].Tally[account.ClassCooling]
	}
	free := fmt.Sprintf("%d free to claim", unclaimed)
	if cooling > 0 {
		free += fmt.Sprintf(" and %d that cool down", cooling)
	}
	problems := "No problems"
	if n := len(r.Problems); n > 0 {
		problems = words.Count(n, "problem")
	}
	fmt.Fprintf(r, "%s: %d held by %s, %d shared. %s in %s. %s, %s reserved; counted %s. **%s.**\n",
		words.Count(len(r.Accounts), "account"), held, words.Count(len(r.Tenants), "Global Account"), shared,
		free, words.Count(len(r.Pools), "pool"),
		words.Count(clusters, "cluster"), words.Count(reserved, "place"), counted[countedBy], problems)
}

// counted says where the clusters come from.
var counted = map[account.Source]string{
	account.SourceGardener: "by Gardener's Shoots",
	account.SourceDatabase: "by the broker's database",
	account.SourceBoth:     "by Gardener and the broker's database, the higher number each",
}

// filter says what part of the pool this is; "" = all.
func (r *report) filter() string {
	var parts []string
	if r.Of.HyperscalerType != "" {
		parts = append(parts, "hyperscaler type "+cell(r.Of.HyperscalerType))
	}
	if r.Of.GlobalAccount != "" {
		parts = append(parts, "accounts that concern Global Account "+cell(r.Of.GlobalAccount))
	}
	if r.Of.ExpiredClaims {
		parts = append(parts, "claims beyond their lease")
	}
	return strings.Join(parts, ", ")
}

// problems lists what was found by kind, each with its remedy. The worst kinds come first, and are the last to be cut short.
func (r *report) problems() {
	if len(r.Problems) == 0 {
		return
	}
	fmt.Fprint(r, "\n## Problems\n")
	var kinds [][]overview.Problem
	for rest := r.Problems; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(p overview.Problem) bool { return p.Kind != rest[0].Kind })
		if n < 0 {
			n = len(rest)
		}
		kinds, rest = append(kinds, rest[:n]), rest[n:]
	}
	share := problemsShare
	for i, same := range kinds {
		before := r.Len()
		r.kind(same, share-kindShare*(len(kinds)-1-i))
		share -= r.Len() - before
	}
}

// kind lists the problems of one kind in at most so many bytes; what comes after the first few is folded.
func (r *report) kind(problems []overview.Problem, share int) {
	kind, n := problems[0].Kind, min(len(problems), maxProblems)
	for ; ; n-- {
		var text strings.Builder
		fmt.Fprintf(&text, "\n### `%s`: %s (%d)\n\n", kind, kind.Title(), len(problems))
		list(&text, problems, n)
		fmt.Fprintf(&text, "\nRemedy: %s\n", escape(kind.Remedy()))
		commands(&text, problems[:n])
		if text.Len() <= share || n == 0 {
			fmt.Fprint(r, text.String())
			return
		}
	}
}

// list lists the first n problems of a kind.
func list(out *strings.Builder, problems []overview.Problem, n int) {
	fold := len(problems) > openProblems && n > openProblems
	for i, p := range problems[:n] {
		if fold && i == openProblems {
			unfold(out, len(problems)-openProblems, "more")
		}
		if p.Account == "" {
			fmt.Fprintf(out, "- %s\n", escape(cut(p.Text, maxText)))
			continue
		}
		fmt.Fprintf(out, "- **%s**: %s\n", cell(p.Account), escape(cut(p.Text, maxText)))
	}
	if more := len(problems) - n; more > 0 {
		fmt.Fprintf(out, "- and %d more, in `problems`\n", more)
	}
	if fold {
		fmt.Fprint(out, "\n</details>\n")
	}
}

// commands lists the kubectl commands that end problems of one kind.
func commands(out *strings.Builder, problems []overview.Problem) {
	var lines strings.Builder
	for _, p := range problems {
		if p.Command != "" && len(p.Command) <= maxText { // half a command is none
			fmt.Fprintln(&lines, p.Command)
		}
	}
	if lines.Len() > 0 {
		fmt.Fprintf(out, "\nWith kubectl, if the remedy says so for the account; the server refuses a command whose account has changed since:\n"+
			"\n```shell\n%s```\n", lines.String())
	}
}

// unfold begins what is folded. The empty line makes Markdown of what follows.
func unfold(out io.Writer, n int, what string) {
	fmt.Fprintf(out, "\n<details><summary>%d %s</summary>\n\n", n, what)
}
