package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// How many accounts in use, and how many problems of one kind, a report lists. The rest is counted: a summary page is
// limited in size.
const (
	maxAccounts = 200
	maxProblems = 20
)

// Markdown writes an overview of a pool: totals, a table of the pools, of the Global Accounts and of the
// accounts in use with a fill bar each, and the problems with their remedies. It lists at most 200 accounts and 20
// problems of a kind. The source says what counted the clusters.
func Markdown(o overview.Overview, countedBy pool.Source) string {
	r := &report{Overview: o}
	fmt.Fprintf(r, "# Hyperscaler Account Pool of %s\n\n", escape(o.Namespace))
	r.totals(countedBy)
	if len(o.Accounts) > 0 {
		r.pools()
		r.tenants()
		r.accounts()
	}
	r.problems()
	return r.String()
}

// report is the text as it grows.
type report struct {
	strings.Builder
	overview.Overview
}

// totals writes the first paragraph: the sums, and how many problems there are.
func (r *report) totals(countedBy pool.Source) {
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
var counted = map[pool.Source]string{
	pool.SourceGardener: "by Gardener's Shoots",
	pool.SourceDatabase: "by the broker's database",
	pool.SourceBoth:     "by Gardener and the broker's database, the higher number each",
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
	return strings.Join(parts, ", ")
}

func (r *report) pools() {
	t := newTable("Pool", "Accounts:", "Claimed:", "Unclaimed:", "Dirty:", "Internal:", "Deleting:", "Unreachable:", "Clusters:", "Reserved:")
	for i := range r.Pools {
		p := &r.Pools[i]
		claimed, unclaimed := digits(p.Tally.Claimed()), digits(p.Unclaimed())
		if p.Shared {
			claimed, unclaimed = "shared", "shared"
		}
		t.row(poolName(p.Target), digits(p.Tally.Total()), claimed, unclaimed, digits(p.Tally.Dirty()),
			digits(p.Tally[pool.ClassInternal]), digits(p.Tally[pool.ClassDeleting]), digits(p.Unreachable),
			digits(p.Clusters), digits(p.Reserved))
	}
	fmt.Fprint(r, "\n## Pools\n\n")
	t.write(r)
}

func (r *report) tenants() {
	if len(r.Tenants) == 0 {
		return
	}
	t := newTable("Global Account", "Accounts:", "Clusters:", "Reserved:", "Places left:")
	for _, g := range r.Tenants {
		left := "no limit"
		if g.Limited {
			left = digits(g.Left)
		}
		t.row(escape(g.GlobalAccount), digits(g.Accounts), digits(g.Clusters), digits(g.Reserved), left)
	}
	fmt.Fprint(r, "\n## Global Accounts\n\n")
	t.write(r)
}

// accounts lists those in use, by pool and Global Account, the fullest first.
func (r *report) accounts() {
	var used []*overview.Account
	for i := range r.Accounts {
		if inUse(&r.Accounts[i]) {
			used = append(used, &r.Accounts[i])
		}
	}
	if len(used) == 0 {
		return
	}
	slices.SortStableFunc(used, func(a, b *overview.Account) int {
		return cmp.Or(strings.Compare(a.Target().String(), b.Target().String()), strings.Compare(a.Tenant, b.Tenant),
			cmp.Compare(b.Clusters+b.Reserved, a.Clusters+a.Reserved))
	})
	t := newTable("Account", "Pool", "Global Account", "Fill", "Clusters:", "Reserved:", "Limit:", "Claims:", "State")
	for _, a := range used[:min(len(used), maxAccounts)] {
		limit := "none"
		if a.Limit > 0 {
			limit = digits(a.Limit)
		}
		t.row(escape(a.Name), poolName(a.Target()), holder(a), bar(a.Clusters, a.Reserved, a.Limit),
			digits(a.Clusters), digits(a.Reserved), limit, digits(len(a.ValidRecords)), state(a))
	}
	fmt.Fprint(r, "\n## Accounts in use\n\n")
	t.write(r)
	if more := len(used) - maxAccounts; more > 0 {
		fmt.Fprintf(r, "\nAnd %s more.\n", words.Count(more, "account"))
	}
}

// holder names the Global Account of an account in use.
func holder(a *overview.Account) string {
	switch {
	case a.Tenant != "":
		return escape(a.Tenant)
	case a.Shared:
		return "all"
	}
	return "none"
}

// state names what is special about an account.
func state(a *overview.Account) string {
	var words []string
	if a.Dirty != pool.Clean {
		words = append(words, "dirty="+escape(string(a.Dirty)))
	}
	if a.Internal {
		words = append(words, "internal")
	}
	if a.Terminating {
		words = append(words, "being deleted")
	}
	return cmp.Or(strings.Join(words, ", "), "in use")
}

// barCells is the length of a bar.
const barCells = 10

// bar shows how full an account is: what is taken, what is reserved, what is left. A single place that is taken or
// reserved fills a cell, and the last cell is filled only where no place is left.
func bar(clusters, reserved, limit int) string {
	if limit == 0 {
		return ""
	}
	cells := func(places int) int {
		if places >= limit {
			return barCells
		}
		n := places * barCells / limit
		if n == 0 && places > 0 {
			return 1
		}
		return n
	}
	taken := cells(clusters)
	full := max(cells(clusters+reserved), taken)
	if reserved > 0 && full == taken && taken < barCells-1 {
		full++
	}
	return strings.Repeat("█", taken) + strings.Repeat("▒", full-taken) + strings.Repeat("░", barCells-full) +
		fmt.Sprintf(" %3d %%", (clusters+reserved)*100/limit)
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
		fmt.Fprintf(r, "\n### %s (%d)\n\n", first.Kind.Title(), same)
		for _, p := range rest[:min(same, maxProblems)] {
			if p.Account == "" {
				fmt.Fprintf(r, "- %s\n", escape(p.Text))
				continue
			}
			fmt.Fprintf(r, "- **%s**: %s\n", escape(p.Account), escape(p.Text))
		}
		if more := same - maxProblems; more > 0 {
			fmt.Fprintf(r, "- and %d more\n", more)
		}
		fmt.Fprintf(r, "\nRemedy: %s\n", escape(first.Kind.Remedy()))
		rest = rest[same:]
	}
}

// poolName names a pool by its hyperscaler type and flags.
func poolName(t pool.Target) string {
	name := escape(t.HyperscalerType)
	if t.Shared {
		name += ", shared"
	}
	if t.EUAccess {
		name += ", EU access"
	}
	return name
}

func digits(n int) string { return strconv.Itoa(n) }
