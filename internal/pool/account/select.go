package account

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Select judges the accounts of a pool and chooses one (ADR 005). It is pure: the same
// accounts and places give the same decision. Accounts of other pools may be among them and are passed over.
//
// Errors: [ExhaustedError], [GuardError], and for a pin [NotFoundError], [TakenError], [PinError].
func Select(accounts []*Account, places Places, q Query, p Policy) (Decision, error) {
	s := selection{Query: q, policy: p, places: places, multi: p.Enabled(q.GlobalAccount) && !q.Target.Shared, tally: Tally{}}
	s.limit = p.Limit(q.GlobalAccount, q.Target)
	s.file(accounts)
	switch {
	case q.Pin != "":
		return s.pinned(accounts)
	case q.Target.Shared:
		return s.shared()
	}
	if n := p.MinBindingsForGuard; s.multi && n > 0 && s.clustersHeld() == 0 {
		if usable := s.usable(); len(usable) >= n {
			return Decision{}, &GuardError{Query: q, Held: usable, MinBindings: n}
		}
	}
	return s.dedicated()
}

// selection is the accounts of one pool, filed by what they are to one Global Account.
type selection struct {
	Query
	policy Policy
	places Places
	multi  bool
	limit  int

	held   []*Account // by this Global Account, whether or not they can be used
	free   []*Account
	cools  []*Account // free, and left alone for a while
	common []*Account // shared, whether or not they can be used
	hidden []string   // the accounts of ClassUnreachable with their labels
	doubts []string   // the accounts of ClassUnclear with their doubts
	tally  Tally
}

// file puts each account of the pool where it belongs.
func (s *selection) file(accounts []*Account) {
	for _, a := range accounts {
		if a.Target() != s.Target {
			continue
		}
		class := s.class(a)
		s.tally[class]++
		if class == ClassUnclear {
			s.doubts = append(s.doubts, a.inDoubtFor(s.GlobalAccount))
		}
		switch {
		case a.Shared:
			s.common = append(s.common, a)
		case s.GlobalAccount != "" && (a.Tenant == s.GlobalAccount || class == ClassHeld):
			s.held = append(s.held, a)
		case class == ClassFree:
			s.free = append(s.free, a)
		case class == ClassCooling:
			s.cools = append(s.cools, a)
		case class == ClassUnreachable:
			s.hidden = append(s.hidden, a.Hidden())
		}
	}
}

func (s *selection) class(a *Account) Class {
	return s.policy.Classify(a, s.places.on(a.Name), s.GlobalAccount, s.places.Now)
}

// unusable returns the verdict on an account that takes no cluster; "" = it can take one, of the tenant that holds it.
func (s *selection) unusable(a *Account) Verdict {
	switch class := s.class(a); class {
	case ClassShared, ClassHeld, ClassFree:
		return ""
	default:
		return Verdict(class)
	}
}

// judge adds the accounts to the candidates in their order, and returns the first that can take the cluster, and the others that could.
func (s *selection) judge(d *Decision, accounts []*Account, whyChosen, whyPassed string) (chosen *Account, passed []*Account) {
	for _, a := range accounts {
		c := s.candidate(a)
		switch verdict := s.unusable(a); {
		case verdict != "":
			c.Verdict, c.Why = verdict, verdict.Why()+a.because(Class(verdict))
		case s.limit > 0 && c.Clusters+c.Reserved >= s.limit:
			c.Verdict, c.Why = VerdictFull, fmt.Sprintf("%d of %d places are taken", c.Clusters+c.Reserved, s.limit)
		case chosen == nil:
			chosen = a
			c.Verdict, c.Why = VerdictChosen, whyChosen
		default:
			passed = append(passed, a)
			c.Verdict, c.Why = VerdictAvailable, whyPassed
		}
		d.Candidates = append(d.Candidates, c)
	}
	return chosen, passed
}

// dedicated chooses among the accounts that the Global Account holds, and else an unclaimed one.
func (s *selection) dedicated() (Decision, error) {
	d := s.decision()
	order, whyChosen, whyPassed := ByName, "the account that the Global Account holds", "one account per pool: the first by name is used"
	if s.multi { // fill the most populated, so that the others drain
		order = func(a, b *Account) int {
			return cmp.Or(cmp.Compare(s.places.taken(b), s.places.taken(a)), ByName(a, b))
		}
		whyChosen, whyPassed = "the fullest account of the Global Account that is below the limit", "a fuller account is used first"
		if s.limit == 0 {
			whyChosen = "the fullest account of the Global Account: no limit applies"
		}
	}
	slices.SortFunc(s.held, order)
	chosen, passed := s.judge(&d, s.held, whyChosen, whyPassed)
	if chosen == nil {
		return s.claim(d)
	}
	d.Action, d.Account = ActionReuse, *chosen
	d.Reason = s.reuseReason(chosen)
	d.Doubts = s.foreign(s.held)
	if aside := namesOf(OnePerCloudAccount(append([]*Account{chosen}, passed...)))[1:]; len(aside) > 0 && !s.multi {
		d.Warnings = append(d.Warnings, fmt.Sprintf("Global Account %s holds several accounts of pool %s although it is not allowed several; "+
			"%s is the first by name and is used, %s %s left aside.",
			s.GlobalAccount, s.Target, chosen.Name, words.List(aside), words.Verb(len(aside), "are")))
	}
	d.Warnings = append(d.Warnings, s.second(chosen)...)
	return d, nil
}

// claim chooses an unclaimed account.
func (s *selection) claim(d Decision) (Decision, error) {
	first, cooling := s.firstFree(MaxFreeCandidates), s.cooling()
	for i, a := range first {
		c := s.candidate(a)
		c.Verdict, c.Why = VerdictAvailable, "unclaimed"
		if i == 0 {
			c.Verdict = VerdictChosen
		}
		d.Candidates = append(d.Candidates, c)
	}
	if len(first) == 0 {
		return d, &ExhaustedError{Query: s.Query, Tally: s.tally, Held: d.Candidates, Limit: s.limit, Hidden: s.hidden, InDoubt: s.doubts,
			CoolsUntil: s.coolsUntil(cooling)}
	}
	for _, a := range cooling[:min(len(cooling), MaxFreeCandidates-len(first))] {
		c := s.candidate(a)
		c.Verdict, c.Why = Verdict(ClassCooling), s.whyCooling(a)
		d.Candidates = append(d.Candidates, c)
	}
	d.Action, d.Account = ActionClaim, *first[0]
	d.Reason, d.Warnings = s.claimReason(first[0]), append(d.Warnings, s.second(first[0])...)
	d.Doubts = s.foreign(append(s.held[:len(s.held):len(s.held)], first[0]))
	return d, nil
}

// firstFree returns the n free accounts that are tried first: before all others those that have a void record of the tenant
// (it held them before and the labels were stripped), then, where the policy prefers that, those that are free for the longest time, then
// by [rank], ties by name.
func (s *selection) firstFree(n int) []*Account {
	type ranked struct {
		account *Account
		group   int // 0 = the tenant held it before
		since   int64
		rank    uint64
	}
	order := func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.since, b.since), cmp.Compare(a.rank, b.rank), ByName(a.account, b.account))
	}
	first := make([]ranked, 0, n+1)
	for _, a := range s.free {
		r := ranked{account: a, group: 1, rank: rank(s.GlobalAccount, a.Name)}
		if s.policy.Prefer == PreferLongestFree {
			r.since = a.FreeSince(s.places.Now).Unix()
		}
		if a.remembersByAny(s.GlobalAccount) {
			r.group = 0
		}
		if len(first) < n || order(r, first[n-1]) < 0 {
			i, _ := slices.BinarySearchFunc(first, r, order)
			first = slices.Insert(first, i, r)[:min(len(first)+1, n)]
		}
	}
	accounts := make([]*Account, len(first))
	for i := range first {
		accounts[i] = first[i].account
	}
	return accounts
}

// cooling returns the accounts that are left alone for a while, the first that can be claimed first.
func (s *selection) cooling() []*Account {
	slices.SortFunc(s.cools, func(a, b *Account) int {
		return cmp.Or(s.policy.CoolsUntil(a, s.places.Now).Compare(s.policy.CoolsUntil(b, s.places.Now)), ByName(a, b))
	})
	return s.cools
}

// coolsUntil is when the first of these can be claimed; zero where there is none.
func (s *selection) coolsUntil(cooling []*Account) time.Time {
	if len(cooling) == 0 {
		return time.Time{}
	}
	return s.policy.CoolsUntil(cooling[0], s.places.Now)
}

// whyCooling says until when an account is left alone.
func (s *selection) whyCooling(a *Account) string {
	return fmt.Sprintf("%s, until %s", ClassCooling.Describe(), stamp(s.policy.CoolsUntil(a, s.places.Now)))
}

// rank is the place of an account in the order in which a tenant's claims try the free ones: the lowest first. It is the
// first eight bytes, big endian, of the SHA-256 of the Global Account and the account's name, each written as its length in
// bytes in decimal, a colon, its bytes and a comma, as in the key of a claim: "4:ga-1,5:aws-7,".
//
// It is a protocol between processes. Tenants do not fight over the first account by name, and two processes that claim
// for the same tenant at the same moment meet on the same account instead of taking one each. So it must not change: a
// process of another version would take a second account.
func rank(globalAccount, account string) uint64 {
	sum := digest(globalAccount, account)
	return binary.BigEndian.Uint64(sum[:])
}

// shared chooses the shared account with the fewest clusters of all tenants.
func (s *selection) shared() (Decision, error) {
	d := s.decision()
	slices.SortFunc(s.common, func(a, b *Account) int {
		return cmp.Or(cmp.Compare(s.places.takenShared(a), s.places.takenShared(b)), ByName(a, b))
	})
	chosen, _ := s.judge(&d, s.common, "the shared account with the fewest clusters", "a less used account comes first")
	if chosen == nil {
		return d, &ExhaustedError{Query: s.Query, Tally: s.tally}
	}
	d.Action, d.Account = ActionShare, *chosen
	d.Reason = fmt.Sprintf("Pool %s is shared by all tenants: of its %s, %s has the fewest places taken (%d).",
		s.Target, words.Count(len(s.common), "account"), chosen.Name, s.places.takenShared(chosen))
	return d, nil
}

// pinned takes exactly the account that the user named, or says why not.
func (s *selection) pinned(accounts []*Account) (Decision, error) {
	i := slices.IndexFunc(accounts, func(a *Account) bool { return a.Name == s.Pin })
	if i < 0 {
		return Decision{}, &NotFoundError{Account: s.Pin}
	}
	a := accounts[i]
	d, c := s.decision(), s.candidate(a)
	refuse := func(why string) (Decision, error) { return Decision{}, &PinError{Account: a.Name, Why: why} }
	if a.Target() != s.Target {
		return refuse(fmt.Sprintf("it belongs to pool %s, the rules lead to pool %s", a.Target(), s.Target))
	}
	if !a.Shared && a.Tenant != "" && a.Tenant != s.GlobalAccount {
		return Decision{}, &TakenError{Account: a.Name, Tenant: a.Tenant, Wanted: s.GlobalAccount, Pinned: true}
	}
	switch verdict := s.unusable(a); verdict {
	case "":
	case Verdict(ClassOccupied):
		return refuse(fmt.Sprintf("no Global Account holds it, and %s on it that may be another tenant's", s.places.on(a.Name)))
	case Verdict(ClassCooling):
		return refuse(s.whyCooling(a))
	case Verdict(ClassUnreachable):
		return refuse(fmt.Sprintf("%s (%s)", verdict.Why(), strings.Join(a.Unseen, ", ")))
	case Verdict(ClassUnclear):
		return refuse(fmt.Sprintf("%s (%s)", verdict.Why(), strings.Join(a.doubtsFor(s.GlobalAccount), ", ")))
	default:
		return refuse(verdict.Why() + a.because(Class(verdict)))
	}
	if s.limit > 0 && c.Clusters+c.Reserved >= s.limit {
		return refuse(fmt.Sprintf("it is full: %d of %d places are taken", c.Clusters+c.Reserved, s.limit))
	}
	switch {
	case a.Shared:
		d.Action = ActionShare
	case s.class(a) == ClassFree:
		d.Action = ActionClaim
	default:
		d.Action = ActionReuse
	}
	c.Verdict, c.Why = VerdictChosen, "pinned"
	d.Account, d.Candidates = *a, []Candidate{c}
	d.Reason = fmt.Sprintf("%s is pinned: the claim names it.", a.Name)
	if !a.Shared {
		d.Doubts, d.Warnings = s.foreign([]*Account{a}), s.second(a, ClassHeld)
	}
	return d, nil
}

func (s *selection) decision() Decision {
	return Decision{Unclaimed: len(s.free), Cooling: len(s.cools), MultiAccount: s.multi, Limit: s.limit}
}

func (s *selection) candidate(a *Account) Candidate {
	c := Candidate{
		Name: a.Name, Clusters: s.places.Clusters(a.Name), Reserved: s.places.reserved(a), Limit: s.limit, Usage: s.places.Usage(a.Name),
	}
	if a.Shared {
		c.Clusters = s.places.SharedUse(a.Name)
	}
	return c
}

// foreign warns of accounts, held or about to be, on which the broker's database has rows of other Global Accounts: the
// limit is the account's, so they count, and two tenants may be sharing it.
func (s *selection) foreign(accounts []*Account) (warnings []string) {
	for _, a := range accounts {
		usage := s.places.Usage(a.Name)
		if _, others := usage.Of(s.GlobalAccount); others > 0 {
			delete(usage.Tenants, s.GlobalAccount)
			is := "is held by"
			if a.Tenant == "" {
				is = "goes to"
			}
			warnings = append(warnings, fmt.Sprintf("Account %s %s Global Account %s, and %s of the broker's database on it %s to others: %s. "+
				"They count against its limit. Find out whether two tenants share it, or a subaccount was moved.",
				a.Name, is, s.GlobalAccount, words.Count(others, "row"), words.Verb(others, "belong"), words.Numbers(usage.Tenants)))
		}
	}
	return warnings
}

// usable names the cloud accounts that the Global Account holds and can use. Those that wait for the clean-up job were
// emptied on purpose.
func (s *selection) usable() []string {
	usable := slices.DeleteFunc(slices.SortedFunc(slices.Values(s.held), ByName), func(a *Account) bool { return s.unusable(a) != "" })
	return namesOf(OnePerCloudAccount(usable))
}

func namesOf(accounts []*Account) []string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.Name
	}
	return names
}

func (s *selection) clustersHeld() int {
	total := 0
	for _, a := range s.held {
		total += s.places.Clusters(a.Name)
	}
	return total
}

// reuseReason says in one sentence why the tenant goes on with an account.
func (s *selection) reuseReason(a *Account) string {
	if !s.multi {
		return fmt.Sprintf("Global Account %s already holds %s, its one account of pool %s.", s.GlobalAccount, a.Name, s.Target)
	}
	below, fullest := "no limit applies", "the fullest one: no limit applies"
	if s.limit > 0 {
		places := fmt.Sprintf("the limit (%d of %d places taken)", s.places.taken(a), s.limit)
		below, fullest = "it is below "+places, "the fullest one below "+places
	}
	if len(s.held) == 1 {
		return fmt.Sprintf("Global Account %s already holds %s in pool %s, and %s.", s.GlobalAccount, a.Name, s.Target, below)
	}
	return fmt.Sprintf("Of the %s that Global Account %s holds in pool %s, %s is %s.",
		words.Count(len(s.held), "account"), s.GlobalAccount, s.Target, a.Name, fullest)
}

// claimReason says in one sentence why an unclaimed account is taken.
func (s *selection) claimReason(a *Account) string {
	why := fmt.Sprintf("Global Account %s holds no account of pool %s yet", s.GlobalAccount, s.Target)
	if n := len(s.held); n > 0 {
		why = fmt.Sprintf("None of the %s that Global Account %s holds in pool %s can take another cluster", words.Count(n, "account"),
			s.GlobalAccount, s.Target)
		if n == 1 {
			why = fmt.Sprintf("The one account that Global Account %s holds in pool %s can take no other cluster", s.GlobalAccount, s.Target)
		}
	}
	of := fmt.Sprintf("one of %d unclaimed", len(s.free))
	if s.policy.Prefer == PreferLongestFree && len(s.free) > 1 && !a.remembersByAny(s.GlobalAccount) {
		of = fmt.Sprintf("free for the longest time of %d unclaimed", len(s.free))
	}
	if n := len(s.cools); n > 0 {
		of += fmt.Sprintf("; %d more %s down", n, words.Verb(n, "cool"))
	}
	return fmt.Sprintf("%s: %s is claimed, %s.", why, a.Name, of)
}
