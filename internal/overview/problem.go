package overview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Problem is something about an account that the owner of the pool should attend to.
type Problem struct {
	Account string      // its name; empty for what concerns no account in particular
	Kind    ProblemKind // what it is, in a fixed word to go by
	Text    string      // what was found
	// Command is the kubectl command that ends the problem; empty = there is none, or a person has to decide first. The server refuses
	// it once the account has changed.
	Command string
}

// ProblemKind is what a [Problem] is.
type ProblemKind string

// The kinds of problems, the worst first.
const (
	ProblemOccupied   ProblemKind = "occupied"     // no Global Account holds the account, and living clusters are on it
	ProblemDirtyInUse ProblemKind = "dirty_in_use" // clusters are on an account that the clean-up job wipes
	// ProblemSameCredentials: another object of the namespace refers to the credentials of the account, so both are one cloud account.
	ProblemSameCredentials ProblemKind = "same_credentials"
	// ProblemUnreadableRecord: a claim record on the account cannot be read, so it is not known whose claim it is.
	ProblemUnreadableRecord ProblemKind = "unreadable_record"
	ProblemForeignRows      ProblemKind = "foreign_rows"  // the broker's database has clusters of other Global Accounts on the account
	ProblemSharedHeld       ProblemKind = "shared_held"   // the account is shared and has a tenant
	ProblemInternalHeld     ProblemKind = "internal_held" // the account is internal and has a tenant
	ProblemUnreachable      ProblemKind = "unreachable"   // labels hide the account from the broker for ever
	// ProblemMissingPool: a rule leads to a pool without any account. It concerns no account in particular.
	ProblemMissingPool ProblemKind = "missing_pool"
	// ProblemEmptyPool: a rule leads to a pool in which no account can be had. It concerns no account in particular.
	ProblemEmptyPool ProblemKind = "empty_pool"
	// ProblemMisplaced: the clusters of the pool are of another provider type than the account, so it takes none of them.
	ProblemMisplaced ProblemKind = "provider_differs"
	// ProblemStray: a label has a key that looks like one of the pool's, or an object lacks the label that makes it an account.
	ProblemStray ProblemKind = "stray"
	// ProblemRecordedTwice: a claim is recorded on several accounts. A write that arrives after its process was killed leaves that behind.
	ProblemRecordedTwice ProblemKind = "recorded_twice"
	ProblemFence         ProblemKind = "fence" // a release has begun and not ended
	// ProblemStranded: the account is dirty, and no clean-up job wipes accounts of its provider type, or without a Secret.
	ProblemStranded ProblemKind = "stranded"
	// ProblemQuarantineLost: the account was quarantined, and another party has marked it for the clean-up job since.
	ProblemQuarantineLost ProblemKind = "quarantine_lost"
	// ProblemSeveral: the Global Account holds several accounts of a pool, is allowed one, and this one is not used.
	ProblemSeveral   ProblemKind = "several_accounts"
	ProblemOverLimit ProblemKind = "over_limit" // more places are taken than the limit has
	// ProblemCountDiffers: Gardener and the broker's database report numbers that suspended clusters do not explain.
	ProblemCountDiffers ProblemKind = "count_differs"
	// ProblemUnassigned: rows of the broker's database name no account. It concerns no account in particular.
	ProblemUnassigned ProblemKind = "unassigned_rows"
	ProblemVoidClaim  ProblemKind = "void_claim"    // claim records lie on the account that do not count
	ProblemExpired    ProblemKind = "expired_claim" // claims on the account are beyond their lease
	// ProblemWaiting: claims on the account hold places for Shoots that have not come in time, or are gone.
	ProblemWaiting ProblemKind = "waiting_for_cluster"
	// ProblemUnwritable: writes on the account are refused, or will be: Gardener demands that its credentials can be read.
	ProblemUnwritable ProblemKind = "unwritable"
	// ProblemOldClaim: claims without a lease have been on the account for long, and no cluster is on it.
	ProblemOldClaim    ProblemKind = "old_claim"
	ProblemUnusedPool  ProblemKind = "unused_pool" // no rule leads to a pool. It concerns no account in particular.
	ProblemIdle        ProblemKind = "idle"        // a Global Account holds the account, without a cluster and without a claim
	ProblemTerminating ProblemKind = "deleting"    // the object is being deleted
	ProblemDirty       ProblemKind = "dirty"       // the account waits for the clean-up job
)

// ProblemKinds returns all kinds, the worst first.
func ProblemKinds() []ProblemKind {
	kinds := make([]ProblemKind, len(checks))
	for i, c := range checks {
		kinds[i] = c.kind
	}
	return kinds
}

// rank is the place of the kind among all, the worst first.
func (k ProblemKind) rank() int {
	return slices.IndexFunc(checks, func(c check) bool { return c.kind == k })
}

// Title names the kind for a heading.
func (k ProblemKind) Title() string { return checks[k.rank()].title }

// Remedy says what to do about all problems of the kind. It names no account, so that it has to be read only once.
func (k ProblemKind) Remedy() string { return checks[k.rank()].remedy }

// maxNamed is how many other objects the text of one problem names: those with the same credentials, or with the same claim.
const maxNamed = 10

// check is what there is to a kind of problems.
type check struct {
	kind ProblemKind
	// find returns what is wrong with an account; "" = nothing. It is nil for what concerns no account in
	// particular.
	find          func(*survey, *Account) string
	title, remedy string
}

// checks are the kinds in their order.
var checks = []check{
	{ProblemOccupied, occupied, "Free, but for clusters on it",
		"Find out whose clusters these are, and label the account as that Global Account's before another one claims the account."},
	{ProblemDirtyInUse, dirtyInUse, "Dirty, with clusters on it",
		"Take the label dirty away if the clusters are to live; otherwise delete them, and the clean-up job can do its work."},
	{ProblemSameCredentials, sameCredentials, "One cloud account twice",
		"Two Global Accounts can come into one cloud account, or are in it. Find out which object is meant. Take the others out of the pool " +
			"(hap_account: quarantine them first, where they are in use), or give each one credentials of another cloud account."},
	{ProblemUnreadableRecord, unreadableRecord, "Claim records that cannot be read",
		"Each counts as a claim: the account is neither marked nor freed, nor does it leave the pool. Where the text was changed by " +
			"hand, write it again as it was, or remove the annotation if no configuration has the claim any more. Where a newer provider wrote " +
			"it, use that version."},
	{ProblemForeignRows, foreignRows, "Clusters of other Global Accounts",
		"Find out whether two tenants share the account, or a subaccount was moved. The rows count against the limit all the same."},
	{ProblemSharedHeld, sharedHeld, "Shared, and held by a Global Account",
		"Take one of the two labels away: that of the Global Account if all tenants may use the account, that of shared accounts if it is this " +
			"Global Account's alone. A destroy of a claim leaves its record on a shared account: before the label shared goes, take the " +
			"annotations " + account.AnnotationPrefix + "... of claims away that no configuration has any more, or they count again."},
	{ProblemInternalHeld, internalHeld, "Internal, and held by a Global Account",
		"The broker gives internal accounts to tenants, and never frees them; a claim on one neither marks nor frees it. If the account is the " +
			"tenant's, take the label internal off by hand, and set internal = false where a hap_account has it. Otherwise move its clusters and " +
			"destroy its claims; with nothing left on it, take the tenant's label off by hand."},
	{ProblemMissingPool, nil, "Pools without an account",
		"Add an account with the labels of the pool, or remove the rule. Until then each claim that the rule leads there fails."},
	{ProblemEmptyPool, nil, "Pools with nothing free",
		"Add accounts, or get some back: dirty accounts come back when the clean-up job has run; the problems unreachable, unwritable, idle, " +
			"expired_claim and old_claim name others. Until then a claim fails whose Global Account has no account there. One with " +
			"wait_for_account = true waits, and takes the first one that comes."},
	{ProblemUnreachable, unreachable, "Unreachable by the broker",
		"Take these labels away: the broker looks for accounts without them. What is meant for the clean-up job, or for EU access, needs the " +
			"value true."},
	{ProblemMisplaced, misplaced, "In the pool of another provider type",
		"Move the account to the pool of its own type when no Global Account holds it (hyperscaler_type of its hap_account, or the label), or " +
			"make it anew with the credentials and the provider type that the pool needs. Gardener refuses a cluster of another provider type " +
			"than its account."},
	{ProblemStray, stray, "Strays",
		"Give the object the labels that an account needs, under the keys that the provider's pool.label_keys or pool.label_scheme say: " +
			"nothing that claims accounts looks for other keys. Take labels away that are not meant."},
	{ProblemRecordedTwice, recordedTwice, "Claims on two accounts",
		"One of the accounts is that of the claim's state, which a destroy releases. Import the claim on the other one into a configuration of " +
			"its own (its import ID is Global Account/account/name), and destroy it there."},
	{ProblemFence, fence, "Release begun and not ended",
		"Destroy the claim again: that finishes the release. Where no configuration has the claim any more, take the label away to keep the " +
			"account with its Global Account; or, where no cluster is on the account and it is not internal, mark it dirty (value true) for " +
			"the clean-up job."},
	{ProblemStranded, stranded, "Dirty for ever",
		"No clean-up job wipes accounts of this provider type, by the provider's clean_up_types, or accounts whose credentials are no Secret: " +
			"the job reads Secrets alone. Wipe the account by hand, and take the labels dirty and tenantName away: it is free again. Or take it " +
			"out of the pool. If a job does wipe this type, add it to clean_up_types."},
	{ProblemQuarantineLost, quarantineLost, "Quarantine overwritten",
		"The broker turns the label into true when the last cluster of the tenant goes, and the clean-up job may wipe the account then. Stop " +
			"the job for it, or set the label to quarantine again."},
	{ProblemSeveral, leftAside, "Left aside",
		"Allow the Global Account several accounts (multi_account.allowed_global_accounts), or move its clusters and destroy its claims; " +
			"if it has no claim, mark it dirty (value true) for the clean-up job."},
	{ProblemOverLimit, overLimit, "Over the limit",
		"Nothing has to be done: the account keeps its clusters, and takes new ones once it is below the limit. Where the hyperscaler's quota " +
			"is in danger, move some."},
	{ProblemCountDiffers, countDiffers, "Gardener and the broker's database differ",
		"Find the clusters that only one of the two knows: Shoots made beside the broker, rows whose cluster is gone."},
	{ProblemUnassigned, nil, "Rows that name no account",
		"The broker has not chosen yet, or the row is older than the column subscription_secret_name: fill that in."},
	{ProblemVoidClaim, voidClaim, "Claims that do not count",
		"A destroy takes the record away on the account that the claim's state names, and there alone; on a shared account it leaves it. " +
			"Where no configuration has the claim any more, take the annotations " +
			account.AnnotationPrefix + "... away, before the account is given to their Global Account again, or the label shared goes: they would " +
			"count again. A claim of another Global Account that takes the account while it is free clears them, too."},
	{ProblemExpired, expired, "Claims beyond their lease",
		"Ask the owner. Where the claim is still needed, its configuration gets a longer lease. Where its pipeline is dead, take the claim " +
			"over and destroy it: import_config with expired_claims = true has the configuration. Nothing ends by itself."},
	{ProblemWaiting, waitingForCluster, "Waiting for a cluster",
		"Each of these claims holds a place. Find out from the owner whether the cluster still comes. Where it does not, or is gone, destroy " +
			"the claim, or take cluster_name out of its configuration. Where no configuration has the claim any more, take it over " +
			"(import_config) and destroy it."},
	{ProblemUnwritable, unwritable, "Accounts that cannot be written",
		"Neither the broker nor a claim can take, release or mark the account; a claim passes over it. Make the credentials again, or " +
			"grant get on them. An account whose cloud account is gone leaves the pool, once nothing is on it."},
	{ProblemOldClaim, oldClaim, "Old claims without a cluster",
		"Ask the owner whether a state still has the claim. If none has, import it into a configuration of its own (its import ID is Global " +
			"Account/account/name), and destroy it there; import_config has the configuration. A claim that is to stay without a cluster gets a " +
			"lease."},
	{ProblemUnusedPool, nil, "Pools that no rule leads to",
		"Add a rule that leads to the pool, or move its free accounts to another pool. The accounts that are held stay where they are."},
	{ProblemIdle, idle, "Held for nothing",
		"Where no cluster is on its way to it, and the Global Account needs it no more, mark it dirty (value true): the clean-up job wipes and " +
			"frees the account."},
	{ProblemTerminating, beingDeleted, "Being deleted",
		"It goes when nothing refers to it any more. Claims on it need another account."},
	{ProblemDirty, waiting, "Waiting for the clean-up job",
		"Nothing has to be done while the clean-up job runs. If they stay, look at the job."},
}

// judge returns the problems of an account, the worst first.
func (s *survey) judge(a *Account) (found []Problem) {
	for _, c := range checks {
		if c.find == nil {
			continue
		}
		if text := c.find(s, a); text != "" {
			found = append(found, Problem{Account: a.Name, Kind: c.kind, Text: text, Command: s.command(c.kind, a)})
		}
	}
	return found
}

// unassigned is the problem of the rows without an account. A part of the pool is not to blame for them.
func (s *survey) unassigned() (found []Problem) {
	if n := s.counts.Unassigned(); n > 0 && s.Of == (Filter{}) {
		found = append(found, Problem{Kind: ProblemUnassigned, Text: fmt.Sprintf(
			"%s of the broker's database %s no account: each occupies one all the same: which one is not known.",
			words.Count(n, "live row"), words.Verb(n, "name"))})
	}
	return found
}

// when writes a text where something is wrong.
func when(wrong bool, format string, args ...any) string {
	if !wrong {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// counted says how many clusters are on an account.
func counted(a *Account) string {
	text := fmt.Sprintf("%s %s counted on it", words.Count(a.Clusters, "cluster"), words.Verb(a.Clusters, "are"))
	if n := a.Usage.Siblings; n > 0 {
		text += fmt.Sprintf(", %d of them by another binding with the same credentials", n)
	}
	if n := a.Usage.Beside; n > 0 {
		text += fmt.Sprintf(", and Gardener, which does not count, has %s", words.Count(n, "Shoot"))
	}
	return text
}

// is begins a sentence with what the class of an account is.
func is(class account.Class) string {
	text := class.Describe()
	return strings.ToUpper(text[:1]) + text[1:]
}

func occupied(_ *survey, a *Account) string {
	if a.Class != account.ClassOccupied {
		return ""
	}
	text := fmt.Sprintf("%s, and %s", is(account.ClassFree), counted(a))
	if len(a.Usage.Tenants) > 0 {
		text += ", in the broker's database those of " + words.Numbers(a.Usage.Tenants)
	}
	if a.Usage.Suspended > 0 {
		text += fmt.Sprintf("; %d suspended", a.Usage.Suspended)
	}
	return text + "."
}

func dirtyInUse(_ *survey, a *Account) string {
	return when(a.Dirty == account.Dirtied && a.Clusters > 0, "%s, and it is marked for the clean-up job.", counted(a))
}

func sameCredentials(s *survey, a *Account) string {
	if a.Credentials == nil {
		return ""
	}
	ref := a.Credentials.Ref
	others := slices.DeleteFunc(slices.Clone(s.users[ref.Key()]), func(name string) bool { return name == a.Name })
	for _, twin := range a.Twins() {
		own := s.facts.Secrets && twin.Sibling && (twin.Tenant == "" || twin.Tenant == a.Tenant) // by which Shoots name the Secret
		if !own && !slices.Contains(others, twin.Name) {
			others = append(others, twin.Name)
		}
	}
	slices.Sort(others)
	text := when(len(others) > 0, "Its credentials (%s %s in namespace %q) are also those of %s.", ref.Kind, ref.Name, ref.Namespace,
		words.First(maxNamed, others))
	for _, twin := range a.Twins() {
		if twin.Tenant != "" && twin.Tenant != a.Tenant {
			return text + fmt.Sprintf(" %s is held by Global Account %s.", twin.Name, twin.Tenant)
		}
	}
	return text
}

func foreignRows(_ *survey, a *Account) string {
	if a.Shared || a.Tenant == "" {
		return ""
	}
	_, others := a.Usage.Of(a.Tenant)
	if others == 0 {
		return ""
	}
	strangers := map[string]int{}
	for ga, rows := range a.Usage.Tenants {
		if ga != a.Tenant {
			strangers[ga] = rows
		}
	}
	return fmt.Sprintf("%s holds it, and %s of the broker's database on it %s to others: %s.", a.Tenant, words.Count(others, "row"),
		words.Verb(others, "belong"), words.Numbers(strangers))
}

func sharedHeld(_ *survey, a *Account) string {
	return when(a.Shared && a.Tenant != "", is(account.ClassShared)+", and its label says that it is %s's.", a.Tenant)
}

func internalHeld(_ *survey, a *Account) string {
	return when(a.Internal && !a.Shared && a.Tenant != "", is(account.ClassInternal)+", and %s holds it.", a.Tenant)
}

func unreachable(_ *survey, a *Account) string {
	switch {
	case a.HyperscalerType == "":
		return "Its hyperscaler type is empty: no rule leads to it. Set one, or take the label away."
	case len(a.Unseen) == 0:
		return ""
	}
	return fmt.Sprintf("It bears %s. The broker passes over an account with such a label, whatever the label says.",
		strings.Join(a.Unseen, " and "))
}

func fence(s *survey, a *Account) string {
	if a.Dirty != account.Releasing {
		return ""
	}
	var since time.Time
	for _, r := range a.Records {
		if r.ReleasingSince.After(since) {
			since = r.ReleasingSince
		}
	}
	switch {
	case !since.IsZero():
		return fmt.Sprintf("Its fence (dirty=releasing) keeps new clusters away since %s.", s.since(since))
	case !a.DirtySince.IsZero():
		return fmt.Sprintf("Its fence (dirty=releasing) keeps new clusters away at least since %s.", s.since(a.DirtySince))
	}
	return "Its fence (dirty=releasing) keeps new clusters away; its record does not say since when."
}

// since writes a time with its age.
func (s *survey) since(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.UTC().Format("2006-01-02 15:04 MST"), age(s.now.Sub(t)))
}

// dirtySince says for how long an account is dirty.
func (s *survey) dirtySince(a *Account) string {
	if a.DirtySince.IsZero() {
		return "Since when it is dirty is not known."
	}
	return fmt.Sprintf("It is dirty at least since %s.", s.since(a.DirtySince))
}

// age is coarse, so that a report stays the same from one report to the next.
func age(d time.Duration) string {
	switch {
	case d < time.Hour:
		return "less than an hour"
	case d < 48*time.Hour:
		return words.Count(int(d.Hours()), "hour")
	}
	return words.Count(int(d.Hours()/24), "day")
}

func leftAside(s *survey, a *Account) string {
	used := s.used[share{a.Tenant, a.Target()}]
	if !a.usable() || a.Internal || used[0] == a.Name || s.policy.Enabled(a.Tenant) {
		return ""
	}
	return fmt.Sprintf("%s holds %s of pool %s and is allowed one: %s is the first by name and is used.", a.Tenant,
		words.Count(len(used), "account"), a.Target(), used[0])
}

func overLimit(_ *survey, a *Account) string {
	return when(a.Limit > 0 && a.Clusters+a.Reserved > a.Limit, "%d of %d places are taken: %s, %d reserved.",
		a.Clusters+a.Reserved, a.Limit, words.Count(a.Clusters, "cluster"), a.Reserved)
}

func countDiffers(s *survey, a *Account) string {
	d, ok := s.differs[a.Name]
	if !ok || d.Instances-d.Suspended == d.Shoots {
		return ""
	}
	return fmt.Sprintf("Gardener has %s, the broker's database %s, %d of them suspended.", words.Count(d.Shoots, "Shoot"),
		words.Count(d.Instances, "row"), d.Suspended)
}

func voidClaim(s *survey, a *Account) string {
	var void []string
	for key, r := range a.Records {
		if why := s.void(a, key, r); why != "" {
			void = append(void, fmt.Sprintf("%s of %s%s", r.Name, r.GlobalAccount, why))
		}
	}
	if len(void) == 0 {
		return ""
	}
	slices.Sort(void)
	return fmt.Sprintf("%s cannot count: %s.", words.Count(len(void), "claim record"), strings.Join(void, "; "))
}

func recordedTwice(s *survey, a *Account) string {
	var twice []string
	for key, r := range a.Records {
		others := s.bearersBut(key, a.Name)
		if s.void(a, key, r) == "" && len(others) > 0 {
			twice = append(twice, fmt.Sprintf("Claim %s of %s is recorded on %s as well.", r.Name, r.GlobalAccount, words.First(maxNamed, others)))
		}
	}
	slices.Sort(twice)
	return strings.Join(twice, " ")
}

// void says why a record cannot count, to follow the name of its claim; "" = it counts. On a shared account no record does,
// whatever its tenant's label says: it would count as soon as the label shared goes.
func (s *survey) void(a *Account, key string, r account.Record) string {
	_, valid := a.Holds(key)
	switch {
	case a.Shared:
		return ", while all tenants share the account"
	case valid && r.Identity(s.Namespace).Key() != key:
		return " lies under a key that is not its own"
	case valid:
		return ""
	case a.Tenant != "":
		return fmt.Sprintf(", while %s holds the account", a.Tenant)
	}
	return ", while no Global Account holds the account"
}

// bearersBut returns the accounts on which a claim is recorded but one.
func (s *survey) bearersBut(key, account string) (others []string) {
	for _, bearer := range s.bearers[key] {
		if bearer != account {
			others = append(others, bearer)
		}
	}
	return others
}

// idle leaves out internal accounts, here and in leftAside: they are never marked for the clean-up job, and internalHeld reports them.
func idle(_ *survey, a *Account) string {
	return when(a.usable() && !a.Internal && a.Clusters == 0 && len(a.ValidRecords)+len(a.Unreadable)+a.ClaimsOnTwins() == 0,
		"%s holds it, with no cluster and no claim on it.", a.Tenant)
}

func beingDeleted(_ *survey, a *Account) string {
	switch {
	case !a.Terminating:
		return ""
	case a.Tenant != "" && !a.Shared:
		return fmt.Sprintf("%s while %s holds it; %s.", is(account.ClassDeleting), a.Tenant, counted(a))
	}
	return fmt.Sprintf("%s; %s.", is(account.ClassDeleting), counted(a))
}

func waiting(s *survey, a *Account) string {
	switch {
	case a.Dirty == account.Clean, a.Dirty == account.Releasing, a.Dirty == account.Dirtied && a.Clusters > 0,
		s.strands(a): // or worse than waiting
		return ""
	case a.Shared:
		return fmt.Sprintf("It bears dirty=%s, and the broker puts clusters on it all the same: it does not look at that label of shared "+
			"accounts. %s", a.Dirty, s.dirtySince(a))
	case a.Dirty != account.Dirtied: // quarantined, or what neither the broker nor the clean-up job understands: unreachable
		return ""
	case a.Tenant != "":
		return fmt.Sprintf("It was %s's. %s", a.Tenant, s.dirtySince(a))
	}
	return is(account.ClassFree) + ". " + s.dirtySince(a)
}
