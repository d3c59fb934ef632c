package overview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

const labelCommand = "kubectl -n garden-kyma label --overwrite --resource-version=7 credentialsbindings.security.gardener.cloud a "

// commandsOf returns the commands of an account's problems, each after its kind.
func commandsOf(in string, counts account.Counts, a account.Account) (commands []string) {
	a.Version = "7"
	o := Survey(pool.Inventory{Namespace: in, Accounts: []*account.Account{&a}, Counts: counts},
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
	held, marked := heldBy("ga-1"), dirty(account.Dirtied)
	quarantined := func(a *account.Account) { a.Quarantine = "misuse" }
	others := func() (counts account.Counts) {
		counts.AddInstances("a", "ga-1", false, 1)
		counts.AddInstances("a", "ga-2", false, 1)
		return counts
	}()
	used := clustersOn(map[string]int{"a": 1})
	keep := []string{"dirty_in_use: example.com/dirty-"}
	for name, test := range map[string]struct {
		account account.Account
		counts  account.Counts
		want    []string
	}{
		"clusters of the tenant":             {anAccount("a", held, marked), used, keep},
		"clusters of all tenants":            {anAccount("a", shared, marked), used, keep},
		"clusters of unknown owners":         {anAccount("a", marked), used, nil},
		"clusters of others as well":         {anAccount("a", held, marked), others, nil},
		"clusters, and it is being deleted":  {anAccount("a", held, marked, terminating), used, nil},
		"no clusters":                        {anAccount("a", held, marked), account.Counts{}, nil},
		"quarantine overwritten, in use":     {anAccount("a", held, marked, quarantined), used, []string{"quarantine_lost: example.com/dirty=quarantine"}},
		"quarantine overwritten":             {anAccount("a", marked, quarantined), account.Counts{}, []string{"quarantine_lost: example.com/dirty=quarantine"}},
		"hidden by what says nothing":        {anAccount("a", unseen("example.com/dirty=false", "tenantName=")), account.Counts{}, []string{"unreachable: example.com/dirty- tenantName-"}},
		"hidden from its tenant":             {anAccount("a", held, unseen("euAccess=false")), used, []string{"unreachable: euAccess-"}},
		"hidden, with clusters of others":    {anAccount("a", held, unseen("euAccess=false")), others, nil},
		"hidden by what says something":      {anAccount("a", held, unseen("euAccess=yes")), account.Counts{}, nil},
		"hidden by both":                     {anAccount("a", unseen("example.com/dirty=false", "euAccess=yes")), account.Counts{}, nil},
		"hidden, clusters of unknown owners": {anAccount("a", unseen("tenantName=")), used, nil},
		"hidden and marked":                  {anAccount("a", marked, unseen("example.com/dirty=")), account.Counts{}, nil},
		"hidden from its tenant and marked":  {anAccount("a", held, marked, unseen("example.com/dirty=")), account.Counts{}, nil},
		"hidden and internal":                {anAccount("a", internal, unseen("tenantName=")), account.Counts{}, nil},
		"hidden, with an unreadable record":  {anAccount("a", unseen("tenantName="), func(a *account.Account) { a.Unreadable = []string{"x"} }), account.Counts{}, nil},
		"no type":                            {anAccount("a", ofType("")), account.Counts{}, nil},
		"held for nothing":                   {anAccount("a", held), account.Counts{}, nil},
		"a record that cannot count":         {anAccount("a", bearing("ga-1", "x")), account.Counts{}, nil},
		"internal and held":                  {anAccount("a", internal, held), account.Counts{}, nil},
		"a fence":                            {anAccount("a", held, dirty(account.Releasing)), account.Counts{}, nil},
	} {
		equal(t, name, commandsOf(namespace, test.counts, test.account), test.want)
	}
}

// A command changes one binding and opens the whole cloud account, so there is none while anything leaves in doubt whose that is. The
// report and import_decisions print the commands of the problems and no others.
func TestNoCommandsWhereItIsInDoubtWhoseTheCloudAccountIs(t *testing.T) {
	t.Parallel()
	marked, misread := dirty(account.Dirtied), []account.Misread{{Key: "tenant-name", Value: "ga-9", Says: account.ClassHeld, Others: true}}
	twin := func(changes ...func(*account.Account)) func(*account.Account) {
		sibling := func(a *account.Account) { a.Sibling, a.HyperscalerType = true, "" }
		other := anAccount("SecretBinding a", append([]func(*account.Account){sibling}, changes...)...)
		return func(a *account.Account) { *a = *a.WithTwins([]*account.Account{&other}) }
	}
	unreadable := func(a *account.Account) { a.Unreadable = []string{account.AnnotationPrefix + "0001"} }
	stray := anAccount("x")
	stray.SameAs = account.CredentialsRef{Kind: "Secret", Namespace: namespace, Name: "a"}
	doubts := map[string]func(*account.Account){
		"a binding of another tenant": twin(heldBy("ga-2")), "an account of another kind": twin(ofType("aws")),
		"a binding of the same tenant, shared":            twin(heldBy("ga-1"), shared),
		"a binding of the same tenant, internal":          twin(heldBy("ga-1"), internal),
		"a binding of the same tenant, marked":            twin(heldBy("ga-1"), marked),
		"a binding of the same tenant, contested":         twin(heldBy("ga-1"), func(a *account.Account) { a.Misread = misread }),
		"a binding of the same tenant, unreadable":        twin(heldBy("ga-1"), unreadable),
		"a binding of the same tenant, misspelt":          twin(heldBy("ga-1"), misspelled("shared=TRUE")),
		"a binding of the same tenant, another namespace": twin(heldBy("ga-1"), func(a *account.Account) { a.Outside = "garden-b" }),
		"another account of the same tenant":              twin(heldBy("ga-1"), func(a *account.Account) { a.Sibling = false }),
		"a binding with a flag that does not count":       twin(misspelled("shared=TRUE")),
		"a binding of all tenants":                        twin(shared), "a binding for internal use": twin(internal),
		"a marked binding": twin(marked),
		"a fenced binding": twin(dirty(account.Releasing)), "a quarantined binding": twin(dirty(account.Quarantined)),
		"a binding with an unreadable record": twin(unreadable),
		"a binding with a contested label":    twin(func(a *account.Account) { a.Misread = misread }),
		"a binding of another namespace":      twin(func(a *account.Account) { a.Outside = "garden-b" }),
		"another account of the pool":         twin(func(a *account.Account) { a.Sibling = false }),
		"a contested label":                   func(a *account.Account) { a.Misread = misread },
		"a flag that does not count":          misspelled("shared=TRUE"),
		"an unreadable record":                unreadable,
		"an unreadable annotation":            func(a *account.Account) { a.SameAsUnread = `"a/b/c"` },
		"a stray that names it":               func(a *account.Account) { *a = *a.WithStrays([]*account.Account{&stray}) },
	}
	quarantined := func(a *account.Account) { a.Quarantine = "misuse" }
	used := clustersOn(map[string]int{"a": 1})
	for kind, test := range map[ProblemKind]struct {
		account account.Account
		counts  account.Counts
	}{
		ProblemDirtyInUse:      {anAccount("a", heldBy("ga-1"), marked), used},
		ProblemUnreachable:     {anAccount("a", heldBy("ga-1"), unseen("euAccess=false")), used},
		"unreachable and free": {anAccount("a", unseen("euAccess=false")), account.Counts{}},
		ProblemQuarantineLost:  {anAccount("a", marked, quarantined), account.Counts{}},
		"a shared account":     {anAccount("a", shared, heldBy("ga-1"), marked), used},
	} {
		equal(t, string(kind)+" without a doubt", len(commandsOf(namespace, test.counts, test.account)), 1)
		bare := test.account
		twin()(&bare)
		equal(t, string(kind)+" with a binding that says nothing", len(commandsOf(namespace, test.counts, bare)), 1)
		for name, leave := range doubts {
			doubtful := test.account
			leave(&doubtful)
			var want []string
			if kind == ProblemQuarantineLost { // its command closes an account, whosever it is
				want = []string{"quarantine_lost: example.com/dirty=quarantine"}
			}
			equal(t, string(kind)+" with "+name, commandsOf(namespace, test.counts, doubtful), want)
		}
		// What a move leaves behind: a binding that says no more than the account does.
		for name, leave := range map[string]func(*account.Account){
			"a binding of the same tenant":                twin(heldBy("ga-1")),
			"a binding of the same tenant, with a claim":  twin(heldBy("ga-1"), bearing("ga-1", "x")),
			"an account of another kind, the same tenant": twin(heldBy("ga-1"), ofType("aws")),
		} {
			moved, want := test.account, 0
			leave(&moved)
			if kind == ProblemQuarantineLost || moved.Tenant != "" && !moved.Shared {
				want = 1
			}
			equal(t, string(kind)+" with "+name, len(commandsOf(namespace, test.counts, moved)), want)
		}
	}
}

// What a server says goes into no command that a shell would read otherwise.
func TestCommandsAreWordsForAShell(t *testing.T) {
	t.Parallel()
	fine := anAccount("a", unseen("tenantName="))
	equal(t, "command", commandsOf(namespace, account.Counts{}, fine), []string{"unreachable: tenantName-"})
	for _, evil := range []string{"a; rm", "$(id)", "`id`", "a\nb", "-f", "--all", "a'b", "a b", "", "ü", "a|b", "a&", "#", "a=b", "a-", "a="} {
		named, labelled := fine, anAccount("a", unseen(evil+"="))
		if evil == "a=b" || evil == "a-" || evil == "a=" { // a label a, and a label a-
			labelled = fine
			labelled.Unseen = []string{"ü="}
		}
		named.Name = evil
		equal(t, fmt.Sprintf("commands for the name %q", evil), commandsOf(namespace, account.Counts{}, named), []string(nil))
		equal(t, fmt.Sprintf("commands for the label %q", evil), commandsOf(namespace, account.Counts{}, labelled), []string(nil))
		equal(t, fmt.Sprintf("commands in the namespace %q", evil), commandsOf(evil, account.Counts{}, fine), []string(nil))
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
	equal(t, "command without what makes one", slices.ContainsFunc(surveyed(account.Counts{}, account.Policy{}, Filter{},
		anAccount("a", unseen("tenantName="))).Problems, func(p Problem) bool { return p.Command != "" }), false)
}
