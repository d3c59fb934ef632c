package report

import (
	"fmt"
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
)

// How many rows of a table, and how many problems of one kind, are shown open; those behind them are folded.
const (
	openRows     = 10
	openProblems = 5
)

// Markdown writes an overview of a pool for the pages of GitHub and GitLab, and for a terminal: totals, how full each pool is, the
// problems with their remedies, the Global Accounts, and the accounts in use with a fill bar each. What is worst comes first, and
// what is long is folded. It lists at most 200 accounts, 200 Global Accounts and 20 problems of a kind. The source says what
// counted the clusters.
func Markdown(o overview.Overview, countedBy account.Source) string {
	r := &report{Overview: o}
	fmt.Fprintf(r, "# Hyperscaler Account Pool of %s\n\n", escape(o.Namespace))
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
	held, unclaimed := 0, 0
	for _, t := range r.Tenants {
		held += t.Accounts
	}
	for i := range r.Pools {
		unclaimed += r.Pools[i].Unclaimed()
	}
	problems := "No problems"
	if n := len(r.Problems); n > 0 {
		problems = words.Count(n, "problem")
	}
	fmt.Fprintf(r, "%s: %d held by %s, %d shared. %d free to claim in %s. %s, %s reserved; counted %s. **%s.**\n",
		words.Count(len(r.Accounts), "account"), held, words.Count(len(r.Tenants), "Global Account"), shared,
		unclaimed, words.Count(len(r.Pools), "pool"),
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
		parts = append(parts, "hyperscaler type "+escape(r.Of.HyperscalerType))
	}
	if r.Of.GlobalAccount != "" {
		parts = append(parts, "accounts that concern Global Account "+escape(r.Of.GlobalAccount))
	}
	if r.Of.ExpiredClaims {
		parts = append(parts, "claims beyond their lease")
	}
	return strings.Join(parts, ", ")
}

// problems lists what was found by kind, each with its remedy.
func (r *report) problems() {
	if len(r.Problems) == 0 {
		return
	}
	fmt.Fprint(r, "\n## Problems\n")
	for rest := r.Problems; len(rest) > 0; {
		first := rest[0]
		same := slices.IndexFunc(rest, func(p overview.Problem) bool { return p.Kind != first.Kind })
		if same < 0 {
			same = len(rest)
		}
		fmt.Fprintf(r, "\n### `%s`: %s (%d)\n\n", first.Kind, first.Kind.Title(), same)
		r.list(rest[:same])
		fmt.Fprintf(r, "\nRemedy: %s\n", escape(first.Kind.Remedy()))
		r.commands(rest[:min(same, maxProblems)])
		rest = rest[same:]
	}
}

// list lists the problems of one kind; what is behind the first few is folded.
func (r *report) list(problems []overview.Problem) {
	listed := problems[:min(len(problems), maxProblems)]
	fold := len(problems) > openProblems
	for i, p := range listed {
		if fold && i == openProblems {
			r.unfold(len(problems)-openProblems, "more")
		}
		if p.Account == "" {
			fmt.Fprintf(r, "- %s\n", escape(p.Text))
			continue
		}
		fmt.Fprintf(r, "- **%s**: %s\n", escape(p.Account), escape(p.Text))
	}
	if more := len(problems) - maxProblems; more > 0 {
		fmt.Fprintf(r, "- and %d more\n", more)
	}
	if fold {
		fmt.Fprint(r, "\n</details>\n")
	}
}

// commands lists the kubectl commands that end problems of one kind.
func (r *report) commands(problems []overview.Problem) {
	var lines strings.Builder
	for _, p := range problems {
		if p.Command != "" {
			fmt.Fprintln(&lines, p.Command)
		}
	}
	if lines.Len() > 0 {
		fmt.Fprintf(r, "\nWith kubectl, if the remedy says so for the account; the server refuses a command whose account has changed since:\n"+
			"\n```shell\n%s```\n", lines.String())
	}
}

// unfold begins what is folded. The empty line makes Markdown of what follows.
func (r *report) unfold(n int, what string) {
	fmt.Fprintf(r, "\n<details><summary>%d %s</summary>\n\n", n, what)
}
