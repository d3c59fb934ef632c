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

// accounts lists the fullest of those in use, by pool, the fullest first.
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
		return cmp.Or(cmp.Compare(fill(b), fill(a)), cmp.Compare(b.Clusters+b.Reserved, a.Clusters+a.Reserved))
	})
	shown := slices.Clone(used[:min(len(used), maxAccounts)])
	slices.SortStableFunc(shown, func(a, b *overview.Account) int { return strings.Compare(a.Target().String(), b.Target().String()) })
	fmt.Fprint(r, "\n## Accounts in use\n")
	left, share := len(used), accountsShare
	for rest := shown; len(rest) > 0; {
		target := rest[0].Target()
		n := slices.IndexFunc(rest, func(a *overview.Account) bool { return a.Target() != target })
		if n < 0 {
			n = len(rest)
		}
		before := r.Len()
		left -= r.accountsOf(rest[:n], share)
		share -= r.Len() - before
		rest = rest[n:]
	}
	if left > 0 {
		fmt.Fprintf(r, "\nAnd %s more, in `accounts`. The arguments `hyperscaler_type` and `global_account` narrow the report.\n",
			words.Count(left, "account"))
	}
}

// accountsOf lists accounts in use of one pool in at most so many bytes, and returns how many.
func (r *report) accountsOf(used []*overview.Account, share int) (listed int) {
	t := newTable("Account", "Global Account", "Fill", "Clusters:", "Reserved:", "Limit:", "Claims:", "State")
	for _, a := range used {
		limit := "none"
		if a.Limit > 0 {
			limit = digits(a.Limit)
		}
		t.row(cell(a.Name), holder(a), bar(a.Clusters, a.Reserved, a.Limit), digits(a.Clusters), digits(a.Reserved), limit,
			digits(len(a.ValidRecords)), state(a))
	}
	title := fmt.Sprintf("\n### %s\n\n", poolName(used[0].Target()))
	if t.fit(share-len(title), openRows, "more accounts"); len(t.rows) > 0 {
		fmt.Fprint(r, title)
		t.write(r, openRows, "more accounts")
	}
	return len(t.rows)
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
	switch ga := a.HeldBy(); {
	case ga != "":
		return cell(ga)
	case a.Shared:
		return "all"
	}
	return "none"
}

// state names what is special about an account.
func state(a *overview.Account) string {
	var states []string
	if a.Dirty != account.Clean {
		states = append(states, "dirty="+cell(string(a.Dirty)))
		if a.Quarantine != "" {
			states = append(states, "quarantined: "+escape(cut(a.Quarantine, maxReason)))
		}
	}
	if len(a.Expired) > 0 {
		states = append(states, "claims beyond their lease")
	}
	if a.Internal {
		states = append(states, "internal")
	}
	if a.Terminating {
		states = append(states, "being deleted")
	}
	return cmp.Or(strings.Join(states, ", "), "in use")
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
