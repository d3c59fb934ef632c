package overview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

const labelCommand = "kubectl -n garden-kyma label --overwrite --resource-version=7 credentialsbindings.security.gardener.cloud a "

// commandsOf returns the commands of an account's problems, each behind its kind.
func commandsOf(in string, counts pool.Counts, a pool.Account) (commands []string) {
	a.Version = "7"
	o := Survey(pool.Inventory{Namespace: in, Accounts: []*pool.Account{&a}, Counts: counts},
		Facts{Kubectl: Kubectl{Resource: "credentialsbindings.security.gardener.cloud", Dirty: "example.com/dirty"}}, Filter{}, someDay)
	for _, p := range o.Problems {
		if p.Command != "" {
			commands = append(commands, string(p.Kind)+": "+strings.TrimPrefix(p.Command, labelCommand))
		}
	}
	return commands
}

// A command changes labels, with the keys of the pool. A problem has no command where the command could give an account to a Global Account
// that is not known to hold it, or where the owner of the pool may have set the label on purpose.
func TestCommandsOfProblems(t *testing.T) {
	t.Parallel()
	held, marked := heldBy("ga-1"), dirty(pool.Dirtied)
	quarantined := func(a *pool.Account) { a.Quarantine = "misuse" }
	others := func() (counts pool.Counts) {
		counts.AddInstances("a", "ga-1", false, 1)
		counts.AddInstances("a", "ga-2", false, 1)
		return counts
	}()
	used := clustersOn(map[string]int{"a": 1})
	keep := []string{"dirty_in_use: example.com/dirty-"}
	for name, test := range map[string]struct {
		account pool.Account
		counts  pool.Counts
		want    []string
	}{
		"clusters of the tenant":             {account("a", held, marked), used, keep},
		"clusters of all tenants":            {account("a", shared, marked), used, keep},
		"clusters of unknown owners":         {account("a", marked), used, nil},
		"clusters of others as well":         {account("a", held, marked), others, nil},
		"clusters, and it is being deleted":  {account("a", held, marked, terminating), used, nil},
		"no clusters":                        {account("a", held, marked), pool.Counts{}, nil},
		"quarantine overwritten, in use":     {account("a", held, marked, quarantined), used, []string{"quarantine_lost: example.com/dirty=quarantine"}},
		"quarantine overwritten":             {account("a", marked, quarantined), pool.Counts{}, []string{"quarantine_lost: example.com/dirty=quarantine"}},
		"hidden by what says nothing":        {account("a", unseen("example.com/dirty=false", "tenantName=")), pool.Counts{}, []string{"unreachable: example.com/dirty- tenantName-"}},
		"hidden from its tenant":             {account("a", held, unseen("euAccess=false")), used, []string{"unreachable: euAccess-"}},
		"hidden, with clusters of others":    {account("a", held, unseen("euAccess=false")), others, nil},
		"hidden by what says something":      {account("a", held, unseen("euAccess=yes")), pool.Counts{}, nil},
		"hidden by both":                     {account("a", unseen("example.com/dirty=false", "euAccess=yes")), pool.Counts{}, nil},
		"hidden, clusters of unknown owners": {account("a", unseen("tenantName=")), used, nil},
		"hidden and marked":                  {account("a", marked, unseen("example.com/dirty=")), pool.Counts{}, nil},
		"hidden from its tenant and marked":  {account("a", held, marked, unseen("example.com/dirty=")), pool.Counts{}, nil},
		"hidden and internal":                {account("a", internal, unseen("tenantName=")), pool.Counts{}, nil},
		"hidden, with an unreadable record":  {account("a", unseen("tenantName="), func(a *pool.Account) { a.Unreadable = []string{"x"} }), pool.Counts{}, nil},
		"no type":                            {account("a", ofType("")), pool.Counts{}, nil},
		"held for nothing":                   {account("a", held), pool.Counts{}, nil},
		"a record that cannot count":         {account("a", bearing("ga-1", "x")), pool.Counts{}, nil},
		"internal and held":                  {account("a", internal, held), pool.Counts{}, nil},
		"a fence":                            {account("a", held, dirty(pool.Releasing)), pool.Counts{}, nil},
	} {
		equal(t, name, commandsOf(namespace, test.counts, test.account), test.want)
	}
}

// What a server says goes into no command that a shell would read otherwise.
func TestCommandsAreWordsForAShell(t *testing.T) {
	t.Parallel()
	fine := account("a", unseen("tenantName="))
	equal(t, "command", commandsOf(namespace, pool.Counts{}, fine), []string{"unreachable: tenantName-"})
	for _, evil := range []string{"a; rm", "$(id)", "`id`", "a\nb", "-f", "--all", "a'b", "a b", "", "ü", "a|b", "a&", "#", "a=b", "a-", "a="} {
		named, labelled := fine, account("a", unseen(evil+"="))
		if evil == "a=b" || evil == "a-" || evil == "a=" { // a label a, and a label a-
			labelled = fine
			labelled.Unseen = []string{"ü="}
		}
		named.Name = evil
		equal(t, fmt.Sprintf("commands for the name %q", evil), commandsOf(namespace, pool.Counts{}, named), []string(nil))
		equal(t, fmt.Sprintf("commands for the label %q", evil), commandsOf(namespace, pool.Counts{}, labelled), []string(nil))
		equal(t, fmt.Sprintf("commands in the namespace %q", evil), commandsOf(evil, pool.Counts{}, fine), []string(nil))
	}
}

// No command marks an account or takes a tenant away: each kind that has one is known here.
func TestKindsWithACommand(t *testing.T) {
	t.Parallel()
	var kinds []ProblemKind
	for _, kind := range ProblemKinds() {
		if mends[kind] != nil {
			kinds = append(kinds, kind)
		}
	}
	equal(t, "kinds", kinds, []ProblemKind{ProblemDirtyInUse, ProblemUnreachable, ProblemQuarantineLost})
	equal(t, "kinds that there are", len(mends), len(kinds))
	equal(t, "command without what makes one", slices.ContainsFunc(surveyed(pool.Counts{}, pool.Policy{}, Filter{},
		account("a", unseen("tenantName="))).Problems, func(p Problem) bool { return p.Command != "" }), false)
}
