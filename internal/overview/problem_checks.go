package overview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

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
	by := a.bears(account.Dirtied)
	if by == nil || !a.InUse() {
		return ""
	}
	return fmt.Sprintf("%s, and %s is marked for the clean-up job.", counted(a), a.calls(by))
}

func sameCredentials(s *survey, a *Account) string {
	ref, known := a.CredentialsKey()
	if !known {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(s.users[ref]), func(name string) bool { return name == a.Name })
	for _, twin := range a.Twins() {
		own := s.facts.Secrets && twin.Sibling && (twin.Tenant == "" || twin.Tenant == a.Tenant) // by which Shoots name the Secret
		if !own && !slices.Contains(others, twin.Name) {
			others = append(others, twin.Name)
		}
	}
	slices.Sort(others)
	same := "Its credentials (%s %s in namespace %q) are also those of %s."
	if a.SameAs.Name != "" {
		same = "By its annotation " + account.SameAnnotation + " it leads into the cloud account of %s %s in namespace %q, and so does %s."
	}
	text := when(len(others) > 0, same, ref.Kind, ref.Name, ref.Namespace, words.First(maxNamed, others))
	for _, twin := range a.Twins() {
		if twin.Tenant != "" && twin.Tenant != a.Tenant {
			return text + fmt.Sprintf(" %s is held by Global Account %s.", twin.Name, twin.Tenant)
		}
	}
	return text
}

func foreignRows(_ *survey, a *Account) string {
	holder := a.HeldBy()
	if a.Shared || holder == "" {
		return ""
	}
	_, others := a.Usage.Of(holder)
	if others == 0 {
		return ""
	}
	strangers := map[string]int{}
	for ga, rows := range a.Usage.Tenants {
		if ga != holder {
			strangers[ga] = rows
		}
	}
	return fmt.Sprintf("%s holds it, and %s of the broker's database on it %s to others: %s.", holder, words.Count(others, "row"),
		words.Verb(others, "belong"), words.Numbers(strangers))
}

func sharedHeld(_ *survey, a *Account) string {
	return when(a.Shared && a.Tenant != "", is(account.ClassShared)+", and its label says that it is %s's.", a.Tenant)
}

func internalHeld(_ *survey, a *Account) string {
	by := a.InternalBy()
	if by == nil || a.Shared || a.HeldBy() == "" {
		return ""
	}
	text := is(account.ClassInternal)
	if !a.is(by) {
		text += " by " + by.Name + ", which has the same credentials"
	}
	return fmt.Sprintf("%s, and %s holds it.", text, a.HeldBy())
}

func misspelt(_ *survey, a *Account) string {
	return when(len(a.Misspelt) > 0, "It bears %s. Only the value true counts, in small letters: the account is read as one without the %s.",
		strings.Join(a.Misspelt, " and "), words.Noun(len(a.Misspelt), "label"))
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

// fence says since when an account is fenced, and what else is on its cloud account.
func fence(s *survey, a *Account) string {
	by := a.bears(account.Releasing)
	if by == nil {
		return ""
	}
	return s.fencedSince(a, by) + onTwins(a)
}

// fencedSince goes by the record of the release: it is on the account, or on the binding that has the fence.
func (s *survey) fencedSince(a *Account, by *account.Account) string {
	of := "Its fence (dirty=releasing)"
	if !a.is(by) {
		of = "The fence (dirty=releasing) of " + a.calls(by)
	}
	var since time.Time
	for _, b := range []*account.Account{&a.Account, by} {
		for _, r := range b.Records {
			if r.ReleasingSince.After(since) {
				since = r.ReleasingSince
			}
		}
	}
	marked := s.markedSince(by)
	switch {
	case !since.IsZero():
		return fmt.Sprintf("%s keeps new clusters away since %s.", of, s.since(since))
	case !marked.IsZero():
		return fmt.Sprintf("%s keeps new clusters away at least since %s.", of, s.since(marked))
	}
	return of + " keeps new clusters away; its record does not say since when."
}

// since writes a time with its age.
func (s *survey) since(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.UTC().Format("2006-01-02 15:04 MST"), age(s.now.Sub(t)))
}

// dirtySince says for how long a binding of an account is dirty, and names one that is not the account.
func (s *survey) dirtySince(a *Account, by *account.Account) string {
	it, begin, marked := "it", "It", s.markedSince(by)
	if !a.is(by) {
		it, begin = by.Name, by.Name // a name stays as it is at the beginning of a sentence, too
	}
	if marked.IsZero() {
		return fmt.Sprintf("Since when %s is dirty is not known.", it)
	}
	return fmt.Sprintf("%s is dirty at least since %s.", begin, s.since(marked))
}

// markedSince is when the label dirty of a binding was last written; zero = it is not known, or was written between the lists.
func (s *survey) markedSince(b *account.Account) time.Time {
	if object := s.objects[b.UID]; object != nil && object.Dirty == b.Dirty {
		return object.DirtySince
	}
	return time.Time{}
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
	holder := a.HeldBy()
	used := s.used[share{holder, a.Target()}]
	if !slices.Contains(used, a.Name) || a.InternalBy() != nil || used[0] == a.Name || s.policy.Enabled(holder) {
		return ""
	}
	return fmt.Sprintf("%s holds %s of pool %s and is allowed one: %s is the first by name and is used.", holder,
		words.Count(len(used), "account"), a.Target(), used[0]) + onTwins(a)
}

// onTwins names the other bindings of the credentials of an account, and says whether the cloud account is in use: then it must not be
// marked, by whichever binding. It follows a text whose remedy is the mark; "" = there is no other binding.
func onTwins(a *Account) string {
	var names []string
	for _, twin := range a.Twins() {
		if !twin.Sibling || len(twin.Records)+len(twin.Unreadable) > 0 { // one of another kind is how Shoots name the account
			names = append(names, twin.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	text := fmt.Sprintf(" It is the same cloud account as %s", words.First(maxNamed, names))
	if n := a.ClaimsOnTwins(); n > 0 || a.InUse() {
		return text + fmt.Sprintf(", with %s there; %s. Do not mark it dirty while that is so.", words.Count(n, "claim"), counted(a))
	}
	return text + "."
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
	case a.HeldBy() != "": // by another binding, on which a record of it would count
		return ", while its own labels name no Global Account"
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

// idle leaves out accounts that are internal by one of their bindings, as leftAside does: they are never marked for the clean-up job, and
// internalHeld reports them.
func idle(_ *survey, a *Account) string {
	holder, by := a.holder()
	it, mark := "it", ""
	if by != nil { // the broker and the job go by the labels of one binding each
		it, mark = "it by "+by.Name, " A mark belongs on all bindings of its credentials."
	}
	return when(a.usable() && a.InternalBy() == nil && !a.InUse() && len(a.ValidRecords)+len(a.Unreadable)+a.ClaimsOnTwins() == 0,
		"%s holds %s, with no cluster and no claim on it.%s", holder, it, mark)
}

func beingDeleted(_ *survey, a *Account) string {
	switch {
	case !a.Terminating:
		return ""
	case a.HeldBy() != "" && !a.Shared:
		return fmt.Sprintf("%s while %s holds it; %s.", is(account.ClassDeleting), a.HeldBy(), counted(a))
	}
	return fmt.Sprintf("%s; %s.", is(account.ClassDeleting), counted(a))
}

func waiting(s *survey, a *Account) string {
	by := a.bears(account.Dirtied)
	switch {
	case by == nil && (a.Dirty == account.Clean || a.Dirty == account.Releasing), by != nil && a.InUse(), s.strands(a): // or worse
		return ""
	case a.Shared && a.Dirty != account.Clean:
		return fmt.Sprintf("It bears dirty=%s, and the broker puts clusters on it all the same: it does not look at that label of shared "+
			"accounts. %s", a.Dirty, s.dirtySince(a, &a.Account))
	case by == nil: // quarantined, or what neither the broker nor the clean-up job understands: unreachable
		return ""
	case a.HeldBy() != "":
		return fmt.Sprintf("It was %s's. %s", a.HeldBy(), s.dirtySince(a, by))
	case a.Shared:
		return is(account.ClassShared) + ". " + s.dirtySince(a, by)
	}
	return is(account.ClassFree) + ". " + s.dirtySince(a, by)
}

// oldClaimAge is how long a claim without a lease may be on an account without a cluster before it is a problem.
const oldClaimAge = 30 * 24 * time.Hour

func unreadableRecord(_ *survey, a *Account) string {
	return when(len(a.Unreadable) > 0, "It bears %s that cannot be read: %s.", words.Count(len(a.Unreadable), "claim record"),
		words.First(maxNamed, a.Unreadable))
}

func unwritable(s *survey, a *Account) string {
	why := s.facts.Unwritable[a.Name]
	return when(why != "", "It cannot be written: %s.", why)
}

// oldClaim reports claims that have been on an account for long, without a cluster: a state that was lost leaves such a claim, and the
// account is kept for it. A claim with a lease says itself until when it is meant; one that waits for its Shoot reserves a place.
func oldClaim(s *survey, a *Account) string {
	if a.Shared || a.Dirty == account.Releasing || a.InUse() {
		return ""
	}
	old := slices.DeleteFunc(slices.Clone(a.ValidRecords), func(r account.Record) bool {
		return r.Lease != "" || r.ClaimedAt.IsZero() || s.now.Sub(r.ClaimedAt) < oldClaimAge || s.counts.Awaits(r)
	})
	return when(len(old) > 0, "No cluster is on it, and %s of %s %s been on it for long: %s.", words.Count(len(old), "claim"), a.Tenant,
		words.Verb(len(old), "have"), firstClaims(old, func(r account.Record) string {
			return fmt.Sprintf("%s since %s", named(r), s.since(r.ClaimedAt))
		}))
}
