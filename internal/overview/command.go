package overview

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Kubectl is what the commands of problems are made with. The zero value makes none.
type Kubectl struct {
	Resource string // that of the accounts, with its group: "credentialsbindings.security.gardener.cloud"
	Dirty    string // the key of the label dirty
}

// mends are the changes of labels that end a problem, in the words of `kubectl label`, by kind; no change = a person has to decide first.
// None hands an account to another Global Account: each leaves the tenant's label alone, and one that takes the label dirty away needs
// a tenant, or no cluster and no mark for the clean-up job.
var mends = map[ProblemKind]func(*survey, *Account) []string{
	ProblemDirtyInUse: keepInUse, ProblemUnreachable: uncover, ProblemQuarantineLost: quarantineAgain,
}

// What a command may have as a name, and as a change of a label. Both come from a server, and the command goes to a shell: kubectl would
// take a name with another end for a change.
var (
	commandName   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
	commandChange = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*(-|=[a-z]+)$`)
)

// command writes the command that ends a problem of an account; "" = there is none. It holds for the version that was judged: the server
// refuses it once the account has changed.
func (s *survey) command(kind ProblemKind, a *Account) string {
	mend := mends[kind]
	opens := kind != ProblemQuarantineLost // that one closes an account, whosever it is
	if mend == nil || s.facts.Kubectl == (Kubectl{}) || a.Terminating || opens && doubtful(a) {
		return ""
	}
	unfit := func(pattern *regexp.Regexp) func(string) bool {
		return func(word string) bool { return !pattern.MatchString(word) }
	}
	changes := mend(s, a)
	if len(changes) == 0 || slices.ContainsFunc(changes, unfit(commandChange)) ||
		slices.ContainsFunc([]string{s.Namespace, s.facts.Kubectl.Resource, a.Name, a.Version}, unfit(commandName)) {
		return ""
	}
	return strings.Join(slices.Concat([]string{"kubectl", "-n", s.Namespace, "label", "--overwrite", "--resource-version=" + a.Version,
		s.facts.Kubectl.Resource, a.Name}, changes), " ")
}

// doubtful reports whether it is in doubt whose the cloud account is. A command changes one binding of it, by what that binding says, and
// what the command opens is the cloud account: a person decides then.
func doubtful(a *Account) bool {
	return len(a.Doubts())+len(a.Misspelt)+len(a.Unreadable) > 0 || a.StrayByName() != nil ||
		slices.ContainsFunc(a.Twins(), func(twin *account.Account) bool {
			counts := !twin.Sibling || inAPool(twin) || twin.Engaged() || len(twin.Misspelt) > 0
			return counts && !agrees(twin, a)
		})
}

// inAPool reports whether a binding of another kind is an account of a pool of its own: that pool may give it to any Global Account.
func inAPool(sibling *account.Account) bool {
	return sibling.HyperscalerType != "" && sibling.Outside == ""
}

// agrees reports whether a binding that is no account of this pool says no more than the account does: that it is its tenant's. A move to
// another kind leaves such a binding behind. A shared account is no Global Account's, so none agrees with it.
func agrees(twin *account.Account, a *Account) bool {
	doubts := len(twin.Misread) + len(twin.Misspelt) + len(twin.Unreadable)
	return twin.Sibling && twin.Outside == "" && twin.Tenant != "" && twin.Tenant == a.Tenant && !a.Shared && twin.Dirty == account.Clean &&
		!twin.Shared && !twin.Internal && doubts == 0 && twin.SameAsUnread == ""
}

// keepInUse takes the mark for the clean-up job off an account whose clusters are its tenant's, or on which any tenant's may be. A
// quarantined account goes back into quarantine.
func keepInUse(s *survey, a *Account) []string {
	if a.Quarantine != "" || !settled(a) {
		return nil
	}
	return []string{s.facts.Kubectl.Dirty + "-"}
}

// uncover takes the labels away that hide an account from the broker, where each says that it means nothing. What it uncovers has a
// tenant, is shared, or is free with nothing on it.
func uncover(_ *survey, a *Account) (changes []string) {
	bare := a.Class == account.ClassUnreachable && a.Clusters == 0
	if a.Dirty != account.Clean || !bare && !settled(a) {
		return nil
	}
	for _, label := range a.Unseen {
		key, value, _ := strings.Cut(label, "=")
		if value != "" && value != "false" {
			return nil
		}
		changes = append(changes, key+"-")
	}
	return changes
}

// settled reports whether it is known who may use the account: all tenants, or one that holds it and has no cluster of others on it.
func settled(a *Account) bool {
	_, others := a.Usage.Of(a.Tenant)
	return a.Shared || a.Tenant != "" && others == 0
}

func quarantineAgain(s *survey, _ *Account) []string {
	return []string{s.facts.Kubectl.Dirty + "=" + string(account.Quarantined)}
}
