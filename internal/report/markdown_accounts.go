package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// accounts lists those in use, by pool, the fullest first.
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
		return cmp.Or(strings.Compare(a.Target().String(), b.Target().String()), cmp.Compare(fill(b), fill(a)),
			cmp.Compare(b.Clusters+b.Reserved, a.Clusters+a.Reserved))
	})
	fmt.Fprint(r, "\n## Accounts in use\n")
	for rest := used[:min(len(used), maxAccounts)]; len(rest) > 0; {
		target := rest[0].Target()
		n := slices.IndexFunc(rest, func(a *overview.Account) bool { return a.Target() != target })
		if n < 0 {
			n = len(rest)
		}
		fmt.Fprintf(r, "\n### %s\n\n", poolName(target))
		r.accountsOf(rest[:n])
		rest = rest[n:]
	}
	if more := len(used) - maxAccounts; more > 0 {
		fmt.Fprintf(r, "\nAnd %s more.\n", words.Count(more, "account"))
	}
}

// accountsOf lists the accounts in use of one pool.
func (r *report) accountsOf(used []*overview.Account) {
	t := newTable("Account", "Global Account", "Fill", "Clusters:", "Reserved:", "Limit:", "Claims:", "State")
	for _, a := range used {
		limit := "none"
		if a.Limit > 0 {
			limit = digits(a.Limit)
		}
		t.row(escape(a.Name), holder(a), bar(a.Clusters, a.Reserved, a.Limit), digits(a.Clusters), digits(a.Reserved), limit,
			digits(len(a.ValidRecords)), state(a))
	}
	t.write(r, openRows, "more accounts")
}

// fill is what share of its places is taken on an account; 0 where no limit applies.
func fill(a *overview.Account) float64 {
	if a.Limit == 0 {
		return 0
	}
	return float64(a.Clusters+a.Reserved) / float64(a.Limit)
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
	var told []string
	if a.Dirty != account.Clean {
		told = append(told, "dirty="+escape(string(a.Dirty)))
		if a.Quarantine != "" {
			told = append(told, "quarantined: "+escape(a.Quarantine))
		}
	}
	if len(a.Expired) > 0 {
		told = append(told, "claims beyond their lease")
	}
	if a.Internal {
		told = append(told, "internal")
	}
	if a.Terminating {
		told = append(told, "being deleted")
	}
	return cmp.Or(strings.Join(told, ", "), "in use")
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
