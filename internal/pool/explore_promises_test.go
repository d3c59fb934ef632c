//go:build !race

package pool

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// author is one operation: an actor, and which life of it.
type author struct {
	by   *explore.Actor
	life int
}

func authorOf(a *explore.Actor) author {
	if a == nil {
		return author{}
	}
	return author{a, a.Life}
}

// truth is what is known of a run beside what the parties see of it.
type truth struct {
	claims  []*standing
	records map[string]author // who wrote the record that is there, by account and key
	marks   map[string]author // who wrote the label dirty that is there, by account
	made    map[string]author // who put the account into the pool
	wrote   map[author]bool   // whose writes have taken effect
	endings map[author]bool   // whose last write has taken effect
	over    map[author]error  // how operations ended
	checked int               // entries of the log
	tenants map[string]tenancy
	of      map[*explore.Actor]*standing // the claim that an operation is for
}

// tenancy is the last tenant of an account, and whether it was wiped since, or its user has said that it need not be.
type tenancy struct {
	tenant string
	wiped  bool
}

func newTruth() truth {
	return truth{records: map[string]author{}, marks: map[string]author{}, made: map[string]author{}, wrote: map[author]bool{},
		endings: map[author]bool{}, over: map[author]error{}, tenants: map[string]tenancy{}, of: map[*explore.Actor]*standing{}}
}

// wroteBy notes who has written what is there. A write of an operation that has ended, and has said that nothing was written, breaks a promise.
func (s *stage) wroteBy(who author, accountName string, change account.Change) {
	s.wrote[who] = true
	for key, record := range change.Records {
		if record == nil {
			delete(s.records, accountName+key)
			c := s.of[who.by]
			s.endings[who] = s.endings[who] || c != nil && c.ending && c.id.Key() == key
		} else {
			s.records[accountName+key] = who
		}
	}
	if change.Dirty != nil {
		s.marks[accountName] = who
		if c := s.of[who.by]; c != nil && *change.Dirty != account.Clean && s.accounts[accountName].Tenant != c.id.GlobalAccount {
			s.Break("%s writes on %s, which is not its Global Account's", c.id, s.accountNow(accountName))
		}
	}
	s.checkLast(s.of[who.by], accountName, change)
	s.checkLate(who, accountName)
}

// checkLate: an error says truly that a write may still come.
func (s *stage) checkLate(who author, account string) {
	var err error
	var ended bool
	s.Noting(func() { err, ended = s.over[who] })
	if ended && err != nil && (!inDoubt(err) || s.endings[who] && deniesTheEnd(err)) {
		s.Break("%s ended with an error that says nothing of a write which may still come, and it came to %s: %v", who.by.Name, account, err)
	}
}

// deniesTheEnd reports whether an error says that the release has not ended.
func deniesTheEnd(err error) bool {
	left, ok := errors.AsType[*protocol.FenceLeftError](err)
	return ok && !left.Ended
}

// checkLast: the last claim that leaves an account of its tenant does not leave it as it is, unless its user wants that.
func (s *stage) checkLast(c *standing, accountName string, change account.Change) {
	if c == nil || c.mode == account.Keep || !c.ending { // a move leaves its old binding as it is
		return
	}
	entry := s.log[len(s.log)-1]
	claimed := func(a account.Account) bool { return len(a.Claims()) > 0 }
	if entry.account != accountName || entry.before.Tenant != c.id.GlobalAccount || claimed(entry.after) ||
		slices.ContainsFunc(entry.twins, claimed) {
		return
	}
	if record, written := change.Records[c.id.Key()]; written && record == nil && entry.after.Tenant != "" && entry.after.Dirty == account.Clean {
		s.Break("%s leaves %s as it is, and no other claim is on it", c.id, s.accountNow(accountName))
	}
}

// inDoubt reports whether an error says that a write may have taken effect.
func inDoubt(err error) bool {
	return errors.As(err, new(*account.UnknownOutcomeError)) || errors.As(err, new(*protocol.FenceLeftError)) || errors.As(err, new(*MaybeAddedError))
}

// checkLog checks what came to the log since the last time.
func (s *stage) checkLog() {
	for ; s.checked < len(s.log); s.checked++ {
		c := s.log[s.checked]
		if c.ours {
			for _, broken := range c.broken() {
				s.Break("%s: %s", c, broken)
			}
		} else if c.before.Dirty != c.after.Dirty {
			delete(s.marks, c.account)
		}
		s.checkTenancy(c)
		s.checkCooled(c)
	}
}

// checkCooled: no claim of ours takes an account of another tenant before it has cooled down.
func (s *stage) checkCooled(c commit) {
	taken := c.ours && c.before.Tenant == "" && c.after.Tenant != ""
	if taken && !c.before.Remembers(c.after.Tenant) && c.at.Sub(c.before.LastHeld) < s.policy.MinFreeTime {
		s.Break("%s: %s after it was held last", c, c.at.Sub(c.before.LastHeld))
	}
}

// checkTwins: where a release ends, neither of two bindings of its tenant is open while the other is marked. One whose process died twice cannot
// tell what its first run had sent, and arrives now, from what the broker does. Nor can one beyond the bound that ends with an error which
// says that bindings are still to be marked.
func (s *stage) checkTwins(c *standing) {
	a := s.world.at(c.account)
	for name, twin := range s.accounts {
		if a.UID != "" && twin.Credentials.Ref == a.Credentials.Ref && twin.Tenant == a.Tenant && a.Dirty == account.Dirtied && twin.Dirty == account.Clean {
			s.Break("%s is marked, and %s is open", s.accountNow(a.Name), s.accountNow(name))
		}
	}
}

// checkTenancy: an account comes from one tenant to another only wiped, or where its user says that it was never used (I1, I2).
func (s *stage) checkTenancy(c commit) {
	was, now := s.tenants[c.account], c.after.Tenant
	switch {
	case c.before.Tenant == now:
		return
	case now == "":
		was.wiped = c.before.Dirty == account.Dirtied || c.before.Dirty == account.Releasing && c.ours
		was.tenant = c.before.Tenant
		s.tenants[c.account] = was
		return
	case c.before.Tenant != "" && c.ours, c.ours && was.tenant != "" && was.tenant != now && !was.wiped:
		s.Break("account %s goes from %s to %s without a wipe", c.account, was.tenant, now)
	}
	s.tenants[c.account] = tenancy{tenant: now}
}

// cluster brings a cluster to an account. It must not come to one that this package has marked or freed under its way.
func (s *stage) cluster(ga, accountName string) {
	a := s.world.at(accountName)
	if a.UID == "" {
		return
	}
	s.counter.add(accountName, "new")
	if a.Tenant == ga && a.Dirty != account.Dirtied {
		return
	}
	for _, c := range slices.Backward(s.log) {
		if c.account != accountName || c.before.Tenant == c.after.Tenant && c.before.Dirty == c.after.Dirty {
			continue
		}
		if c.ours && (c.after.Dirty == account.Dirtied || c.after.Tenant != ga) {
			s.Break("a cluster of %s comes within the grace time to %s, which is released", ga, s.accountNow(accountName))
		}
		return
	}
}

// checkClaimed: an acknowledged claim is on the account, unless another party has changed it since (I3).
func (s *stage) checkClaimed(c *standing, claim protocol.Claim) {
	a := s.world.at(claim.Account.Name)
	if _, stands := a.Holds(c.id.Key()); stands || claim.Account.Shared {
		return
	}
	for _, entry := range slices.Backward(s.log) {
		if entry.account != a.Name {
			continue
		}
		if entry.ours {
			s.Break("%s is acknowledged, and account %s does not say so", c.id, s.accountNow(a.Name))
		}
		return
	}
}

// checkFailed: a claim that fails without a doubt has left nothing.
func (s *stage) checkFailed(a *explore.Actor, c *standing, err error) {
	if inDoubt(err) {
		return
	}
	for name, account := range s.accounts {
		if _, there := account.Records[c.id.Key()]; there && s.records[name+c.id.Key()] == authorOf(a) {
			s.Break("%s says that nothing was written, and its record is on %s: %v", c.id, s.accountNow(name), err)
		}
	}
}

// checkKept: a release that fails without a doubt leaves the claim as it was, and all labels of an account that the tenant has lost.
func (s *stage) checkKept(a *explore.Actor, c *standing, err error) {
	now := s.world.at(c.account)
	if s.endings[authorOf(a)] && deniesTheEnd(err) {
		s.Break("the release has ended, and says that its fence is left on %s: %v", s.accountNow(c.account), err)
	}
	if inDoubt(err) || now.UID != c.uid || now.Tenant != c.id.GlobalAccount {
		return
	}
	if now.Dirty != account.Clean && s.marks[c.account] == authorOf(a) {
		s.Break("the release says that nothing is left, and account %s is %s: %v", s.accountNow(c.account), now.Dirty, err)
	}
}

// checkSupplied: an account is as its owner says where an operation of the owner says so, and as it was where the operation has failed
// without a doubt. What another party has put into the pool is not the owner's.
func (s *stage) checkSupplied(a *explore.Actor, supply account.Supply, err error) {
	me, now := authorOf(a), s.world.at(supply.Name)
	switch {
	case errors.As(err, new(*account.NotFoundError)) && now.UID == "": // what it has written is gone with the account, and it says so
	case err != nil && !inDoubt(err) && s.wrote[me]:
		s.Break("%s says that nothing was written, and account %s was: %v", a.Name, s.accountNow(supply.Name), err)
	case err == nil && now.UID != "" && !supply.IsOn(now) && s.lastIsOurs(supply.Name):
		s.Break("%s has ended, and account %s is not so", a.Name, s.accountNow(supply.Name))
	case err == nil && s.made[supply.Name].by != nil && s.made[supply.Name] != me && s.Faulted() == 0:
		s.Break("%s says that it has put %s into the pool, and another did", a.Name, supply.Name)
	}
}

// finish makes the next run of each claim, without any fault, and checks what has come of all.
func (s *stage) finish(t testingT) {
	s.Calm()
	for _, c := range s.claims {
		if c.from != "" && !c.ended {
			s.moveIt(t, c)
		}
		if c.ending && !c.ended {
			s.endIt(t, c)
		} else if !c.made {
			s.makeIt(t, c)
		}
	}
	s.checkLog()
	s.checkKnown()
	for _, c := range s.claims {
		if c.made && !c.ended {
			c.mode = account.MarkDirty
			s.endIt(t, c)
		}
	}
	s.checkLog()
	s.checkNothingLeft(t)
}

// endSeed makes the hashes of one process comparable.
var endSeed = maphash.MakeSeed()

// end is all that the next runs depend on: the accounts without the numbers of their versions, the clusters on them, what the states know
// of the claims, and what the promises remember. Times are
// ages; those of before the run are one.
func (s *stage) end() uint64 {
	now := time.Now()
	var h maphash.Hash
	h.SetSeed(endSeed)
	since := func(t time.Time) time.Duration {
		if t.Before(s.began) || t.After(now) { // what was there before, and by the clock of the bubble may be of the future
			return 0
		}
		return now.Sub(t)
	}
	for _, name := range slices.Sorted(maps.Keys(s.accounts)) {
		a := s.accounts[name]
		maphash.WriteComparable(&h, [...]string{name, a.UID, a.Tenant, string(a.Dirty), a.Quarantine})
		maphash.WriteComparable(&h, [...]bool{a.Shared, a.EUAccess, a.Internal, a.Terminating, s.lastIsOurs(name)})
		maphash.WriteComparable(&h, s.tenants[name])
		if s.policy.MinFreeTime > 0 {
			maphash.WriteComparable(&h, since(a.LastHeld))
		}
		h.WriteString(fmt.Sprint(len(a.Records), s.counter.on(name)))
		for _, key := range slices.Sorted(maps.Keys(a.Records)) {
			r := a.Records[key]
			ages := [...]time.Duration{since(r.ClaimedAt), since(r.ReleasingSince), since(r.Mark.At)}
			r.ClaimedAt, r.ReleasingSince, r.Mark.At = time.Time{}, time.Time{}, time.Time{}
			maphash.WriteComparable(&h, r)
			maphash.WriteComparable(&h, ages)
		}
	}
	for _, c := range s.claims {
		maphash.WriteComparable(&h, [...]string{c.account, c.uid, c.from, string(c.mode)})
		maphash.WriteComparable(&h, [...]bool{c.made, c.used, c.ending, c.ended})
		maphash.WriteComparable(&h, since(c.at))
	}
	return h.Sum64()
}

// lastIsOurs reports whether the last change of an account was ours.
func (s *stage) lastIsOurs(account string) bool {
	s.summarize()
	return s.ours[account]
}

// testingT is what the end of a run asks of a test.
type testingT interface{ Context() context.Context }

func (s *stage) fresh() *Pool { return New(namespace, staged{s}, staged{s}, s.policy) }

// makeIt is the next run of a claim that was not made.
func (s *stage) makeIt(t testingT, c *standing) {
	claim, err := s.fresh().Claim(t.Context(), c.req)
	if err != nil {
		s.Tell(nil, "the next run of "+c.id.Name+": "+err.Error())
		unusable, found := errors.AsType[*protocol.UnusableError](err)
		if found { // it names the account, on which the record stays until its owner gives it back
			c.account = unusable.Account
			return
		}
		for name, account := range s.accounts {
			if _, stands := account.Holds(c.id.Key()); stands {
				s.Break("%s is on %s, and its next run says: %v", c.id, name, err)
			}
		}
		return
	}
	s.Tell(nil, "the next run of "+c.id.Name+" is on "+claim.Account.Name)
	c.made, c.account, c.uid, c.at, c.used = true, claim.Account.Name, claim.Account.UID, claim.Record.ClaimedAt, claim.Used
	s.checkClaimed(c, claim)
}

// moveIt is the next run of a move. What another party has done to the cloud account may stand in its way: then the claim stays where it is.
func (s *stage) moveIt(t testingT, c *standing) {
	status, err := s.fresh().Move(t.Context(), c.moveRequest())
	if err != nil {
		s.Tell(nil, "the next move of "+c.id.Name+": "+err.Error())
		s.checkMayStay(c, err)
		return
	}
	s.Tell(nil, "the next move of "+c.id.Name+" is on "+status.Account.Name)
	s.moved(c, status.Account)
}

// checkMayStay: a move that is not stopped by another party comes to its end.
func (s *stage) checkMayStay(c *standing, err error) {
	from := s.world.at(c.from)
	if _, bears := from.Holds(c.id.Key()); bears && from.Dirty == account.Clean && !inDoubt(err) && !s.isTouched() {
		s.Break("%s cannot leave %s: %v", c.id, s.accountNow(c.from), err)
	}
}

// isTouched reports whether another party has written on an account.
func (s *stage) isTouched() bool {
	s.summarize()
	return s.summary.touched
}

// checkMoved: a claim that has moved is on its new binding, and on no other one, unless another party has written since.
func (s *stage) checkMoved(c *standing) {
	for name, a := range s.accounts {
		if _, there := a.Records[c.id.Key()]; there != (name == c.account) && !s.isTouched() && !c.ended {
			s.Break("%s has moved to %s, and %s is %s", c.id, c.account, name, s.accountNow(name))
		}
	}
}

// checkUnmoved: a move that fails has marked nothing.
func (s *stage) checkUnmoved(a *explore.Actor, err error) {
	for name := range s.accounts {
		if s.marks[name] == authorOf(a) && s.world.at(name).Dirty != account.Clean {
			s.Break("the move has marked %s: %v", s.accountNow(name), err)
		}
	}
}

// endIt is the next run of a release. A cluster that is in its way goes first.
func (s *stage) endIt(t testingT, c *standing) {
	for range 3 {
		outcome, err := s.fresh().Release(t.Context(), c.releaseRequest())
		switch {
		case err == nil:
			s.Tell(nil, "the next release of "+c.id.Name+": "+string(outcome))
			c.ended = true
			return
		case errors.As(err, new(*account.InUseError)):
			for name := range s.accounts { // the bindings of one cloud account, or others
				s.counter.clear(name)
			}
		case errors.As(err, new(*protocol.ReturnRefusedError)):
			c.mode = account.MarkDirty
		case errors.As(err, new(*protocol.TwinError)): // a person has done that, and takes it back
			twin, _ := errors.AsType[*protocol.TwinError](err)
			s.edit(twin.Twin, stripped)
		default:
			s.Break("the next release of %s ends with: %v", c.id, err)
			return
		}
	}
	s.Break("%s cannot be released", c.id)
}

// checkKnown: each record that counts is known to a state, or hap_pool_status reports it (the claim is on two accounts).
func (s *stage) checkKnown() {
	for name, a := range s.accounts {
		for _, key := range a.Claims() {
			c := s.claimOf(key)
			switch {
			case c == nil || !c.ended && c.account == name:
			case c.made && !c.ended && s.standsOn(c, c.account) && s.madeTwice(c): // hap_pool_status tells of a claim that is recorded twice
			default:
				s.Break("the record of %s counts on %s, and no state knows it", c.id.Name, s.accountNow(name))
			}
		}
		s.checkFence(&a)
	}
}

// madeTwice reports whether more than one run has made a claim, or another party has had a hand in its accounts.
func (s *stage) madeTwice(c *standing) bool {
	runs := 0
	for by, of := range s.of {
		if of == c {
			runs += 1 + by.Life
		}
	}
	return runs > 1
}

// checkFence: no fence is left on an account of a claim's tenant. One on an account that a person has taken from the tenant is a problem of
// hap_pool_status: a release leaves all labels there as they are.
func (s *stage) checkFence(a *account.Account) {
	ofClaim := slices.ContainsFunc(s.claims, func(c *standing) bool { return c.account == a.Name && c.id.GlobalAccount == a.Tenant })
	if a.Dirty == account.Releasing && ofClaim {
		s.Break("a fence is left on %s", s.accountNow(a.Name))
	}
}

func (s *stage) claimOf(key string) *standing {
	for _, c := range s.claims {
		if c.id.Key() == key {
			return c
		}
	}
	return nil
}

func (s *stage) standsOn(c *standing, account string) bool {
	a := s.accounts[account]
	_, stands := a.Holds(c.id.Key())
	return stands
}

// checkNothingLeft: a claim that has ended leaves nothing that could count again, and no fence. A shared account is never written.
func (s *stage) checkNothingLeft(t testingT) {
	for _, name := range slices.Sorted(maps.Keys(s.accounts)) {
		a := s.accounts[name]
		for key := range a.Records {
			c := s.claimOf(key)
			if _, counts := a.Holds(key); c != nil && c.ended && !a.Shared && !(counts && name != c.account && s.located(t, c) == name) {
				s.Break("%s has ended, and its record is on %s", c.id.Name, s.accountNow(name))
			}
		}
		s.checkFence(&a)
	}
}

// located is the account on which the destroy of a claim, which has ended, finds it recorded; it warns of that.
func (s *stage) located(t testingT, c *standing) string {
	account, _ := s.fresh().Locate(t.Context(), c.id)
	return account
}
