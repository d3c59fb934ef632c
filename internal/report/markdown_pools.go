package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// legend explains the bars of the pools.
const legend = "█ held or shared, × out of circulation, ░ free. A claim takes what is free."

// pools shows how full each pool is, the one with the least left first, and shared ones last.
func (r *report) pools() {
	sorted := slices.Clone(r.Pools)
	slices.SortStableFunc(sorted, func(a, b overview.Pool) int {
		return cmp.Or(strings.Compare(strconv.FormatBool(a.Shared), strconv.FormatBool(b.Shared)),
			cmp.Compare(a.Unclaimed()*b.Tally.Total(), b.Unclaimed()*a.Tally.Total()), cmp.Compare(a.Unclaimed(), b.Unclaimed()))
	})
	t := newTable("Pool", "Fill", "Free:", "Held:", "Out of circulation", "Accounts:", "Clusters:", "Reserved:")
	for i := range sorted {
		p := &sorted[i]
		held, free, name := digits(p.Tally.Held()), digits(p.Unclaimed()), poolName(p.Target)
		if p.Shared {
			held, free = "shared", "shared"
		}
		if p.Unused {
			name += " (no rule)"
		}
		t.row(name, poolBar(p), free, held, out(p), digits(p.Tally.Total()), digits(p.Clusters), digits(p.Reserved))
	}
	fmt.Fprint(r, "\n## Pools\n\n")
	more := t.fit(poolsShare, openRows, "more pools")
	t.write(r, openRows, "more pools")
	if more > 0 {
		fmt.Fprintf(r, "\nAnd %s more, in `pools`.\n", words.Count(more, "pool"))
	}
	fmt.Fprintf(r, "\n%s\n", legend)
}

// out counts the accounts that are neither held nor shared nor free, by class.
func out(p *overview.Pool) string {
	var classes []string
	for _, class := range account.Classes() {
		switch class {
		case account.ClassFree, account.ClassHeld, account.ClassShared:
			continue
		}
		if n := p.Tally[class]; n > 0 {
			classes = append(classes, fmt.Sprintf("%d %s", n, class))
		}
	}
	return strings.Join(classes, ", ")
}

// poolBar shows what the accounts of a pool are: held or shared, out of circulation, free. A pool without an account has no bar.
func poolBar(p *overview.Pool) string {
	if p.Tally.Total() == 0 {
		return ""
	}
	total, used := p.Tally.Total(), p.Tally.Held()+p.Tally[account.ClassShared]
	taken := cellsOf(used, total)
	free := min(cellsOf(p.Unclaimed(), total), barCells-taken)
	out := barCells - taken - free
	if used+p.Unclaimed() == total { // rounding is not out of circulation
		taken, out = taken+out, 0
	}
	return "`" + strings.Repeat("█", taken) + strings.Repeat("×", out) + strings.Repeat("░", free) + "`" // code has letters of one width
}

// cellsOf is how many cells of a bar a part of a whole fills: all of them for the whole alone, and one for anything at all.
func cellsOf(part, whole int) int {
	if part >= whole {
		return barCells
	}
	return max(part*barCells/whole, min(part, 1))
}

// chart draws the accounts by class. Where Mermaid is not drawn it is a list.
func (r *report) chart() {
	tally := account.Tally{}
	for i := range r.Pools {
		for class, n := range r.Pools[i].Tally {
			tally[class] += n
		}
	}
	var slicesOf []string
	for _, class := range account.Classes() {
		if n := tally[class]; n > 0 {
			slicesOf = append(slicesOf, fmt.Sprintf("    %q : %d\n", class, n))
		}
	}
	if len(slicesOf) < 2 {
		return
	}
	fmt.Fprintf(r, "\n```mermaid\npie showData\n    title Accounts by class\n%s```\n", strings.Join(slicesOf, ""))
}

// tenants lists the Global Accounts, the one with the fewest places left first.
func (r *report) tenants() {
	if len(r.Tenants) == 0 {
		return
	}
	sorted := slices.Clone(r.Tenants)
	slices.SortStableFunc(sorted, func(a, b overview.Tenant) int {
		return cmp.Or(strings.Compare(strconv.FormatBool(b.Limited), strconv.FormatBool(a.Limited)), cmp.Compare(a.Left, b.Left))
	})
	t := newTable("Global Account", "Accounts:", "Clusters:", "Reserved:", "Places left:", "Of these types")
	for _, g := range sorted[:min(len(sorted), maxTenants)] {
		left := "no limit"
		if g.Limited {
			left = digits(g.Left)
		}
		var types []string
		for _, of := range g.Types {
			types = append(types, fmt.Sprintf("%s (%d)", cell(of.HyperscalerType), of.Accounts))
		}
		some, others := listed(types, maxTypes)
		if others > 0 {
			some = append(slices.Clone(some), fmt.Sprintf("%d more", others))
		}
		t.row(cell(g.GlobalAccount), digits(g.Accounts), digits(g.Clusters), digits(g.Reserved), left, strings.Join(some, ", "))
	}
	fmt.Fprint(r, "\n## Global Accounts\n\n")
	t.fit(tenantsShare, openRows, "more Global Accounts")
	t.write(r, openRows, "more Global Accounts")
	if more := len(sorted) - len(t.rows); more > 0 {
		fmt.Fprintf(r, "\nAnd %d more Global Accounts, in `global_accounts`.\n", more)
	}
}

// poolName names a pool by its hyperscaler type and flags.
func poolName(t account.Target) string {
	name := cell(t.HyperscalerType)
	if t.Shared {
		name += ", shared"
	}
	if t.EUAccess {
		name += ", EU access"
	}
	return name
}

func digits(n int) string { return strconv.Itoa(n) }
