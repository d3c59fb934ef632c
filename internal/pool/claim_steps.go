package pool

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// claiming is what a claim has seen so far; [claiming.next] says what it does then.
type claiming struct {
	ClaimRequest
	id     Identity
	own    string // the key of its record
	policy Policy

	begun     bool      // a try is under way
	start     time.Time // of the try
	listSince time.Time // since when it waits for a list: one that is begun later may be older than others when it comes
	notBefore time.Time // a list and a count that were begun before may be too old to refuse the claim
	again     bool      // the claim has waited for an account, and judges the pool anew
	allowed   bool      // accounts may be written
	recent    bool      // there is a list and a count to begin with
	recounts  int       // of the clusters, because of an account that was about to be taken

	account  *Account // as it was read last; nil = none was
	chosen   *Account // the account that was lost to another party, as it was judged; nil = none was
	void     *Account // an account that has the claim's record, and that the Global Account has lost since
	decision Decision // that is about to be written
	passed   []PassedOver
	refusals refusals // on those

	failure error
	stop    error  // ends the claim for good
	claim   *Claim // that is made
	unknown bool   // whether clusters are on its account, just taken, is still to be found out
	placed  bool   // the run knows it
}

// newClaiming returns the steps of a claim.
func newClaiming(id Identity, req ClaimRequest, policy Policy) *claiming {
	return &claiming{ClaimRequest: req, id: id, own: id.Key(), policy: policy}
}

// made returns the claim, once the steps have ended without an error.
func (c *claiming) made() Claim { return *c.claim }

// actionAdopt: the claim is recorded already.
const actionAdopt Action = "adopt"

func (c *claiming) key() string    { return c.own }
func (c *claiming) cleansUp() bool { return false }

// next says what the claim does: it chooses an account as things are now, the one that has the claim already or else what the selection
// says, and puts its record there. It judges again after each lost write.
func (c *claiming) next(v view) step {
	if err := c.failure; err != nil {
		c.failure = nil
		return c.fail(v, err)
	}
	switch {
	case c.stop != nil:
		return stepDone{err: c.stop}
	case c.claim != nil:
		return c.end(v)
	case !c.begun:
		if account, twice := v.placed.account(c.key()); twice {
			return stepDone{err: &DuplicateError{Identity: c.id, Account: account}}
		}
		c.begin(v.now)
	}
	switch {
	case !c.allowed && !c.Target.Shared:
		return stepAllowed{}
	case !c.recent:
		return stepRecent{}
	case c.void != nil:
		return c.withdraw(*c.void)
	}
	if lost := c.chosen; lost != nil {
		c.chosen = nil
		if now := v.account(lost.Name); now == nil || now.UID != lost.UID || now.Tenant != lost.Tenant {
			return c.list(v) // by a list that has grown old a claim would lose one account after the other
		}
	}
	return c.judge(v)
}

// withdraw takes away the record that the claim has left on an account which its Global Account has lost. Otherwise the record would count
// again if the Global Account regained the account.
func (c *claiming) withdraw(a Account) step {
	withoutRecord := Change{Records: map[string]*Record{c.key(): nil}}
	return stepWrite{judged: a, change: withoutRecord, to: writeWithdraw, after: resend, aside: c.claim != nil}
}

// end is what follows once the claim is made: the run takes note of it, and records that an earlier run has left elsewhere go.
func (c *claiming) end(v view) step {
	switch {
	case c.unknown:
		return stepEmpty{c.claim.Account.Name}
	case !c.placed:
		return stepPlace{c.claim.Account, c.ClusterName}
	case c.Target.Shared:
		return stepDone{}
	}
	for _, a := range v.voids(c.key(), c.Owner) {
		left := slices.ContainsFunc(c.claim.LeftBehind, func(l LeftBehind) bool { return l.Account == a.Name })
		if a.Name != c.claim.Account.Name && !left {
			return c.withdraw(*a)
		}
	}
	return stepDone{}
}

// begin begins a try.
func (c *claiming) begin(now time.Time) {
	c.begun, c.start, c.listSince, c.recent, c.account, c.recounts = true, now, now, false, nil, 0
	c.passed, c.refusals = nil, nil
	if c.again = !c.notBefore.IsZero(); !c.again {
		c.notBefore = now
	}
}

// judge says what is next for the account that the claim belongs on.
func (c *claiming) judge(v view) step {
	if a := v.garbled(c.key()); a != nil && a.Tenant == c.GlobalAccount {
		if !c.hasRead(a.Name) {
			return stepRead{a.Name}
		}
		if err := c.account.unreadable(c.id); c.account.Tenant == c.GlobalAccount && err != nil {
			return stepDone{err: err}
		}
	}
	if bearer := v.claim(c.key()); bearer != nil {
		return c.adopt(v, bearer.Name)
	}
	d, err := v.choose(Query{Target: c.Target, GlobalAccount: c.GlobalAccount, Pin: c.Pin}, c.policy, c.key(), c.refusals)
	switch {
	case err != nil && c.outdated(v, err): // refused by an old list, or an old count
		return stepCount{c.notBefore}
	case err != nil:
		return c.fail(v, c.orRefused(err))
	case d.Action == ActionShare:
		return c.share(v, d)
	case d.Account.Tenant == "" && !v.fresh(c.listSince):
		return c.list(v)
	case d.Action == ActionClaim:
		if first := c.knowFree(v, &d.Account); first != nil {
			return first
		}
	}
	return c.take(v, d)
}

func (c *claiming) hasRead(name string) bool { return c.account != nil && c.account.Name == name }

// list waits for a list that is begun from now on.
func (c *claiming) list(v view) step {
	c.listSince = v.now
	return stepList{v.now}
}

// outdated reports whether the newest list or count is too old to refuse the claim. That a pool is exhausted stays so for a
// moment; an account that the claim names may just have been made.
func (c *claiming) outdated(v view, refusal error) bool {
	lasts := !c.again && errors.As(refusal, new(*ExhaustedError)) && v.now.Sub(v.counted) <= maxFreeAge
	return v.counted.Before(c.notBefore) && !lasts
}

// knowFree is what has to be found out before a free account is taken; nil = nothing.
func (c *claiming) knowFree(v view, a *Account) step {
	first := v.knowFree(a, c.start.Add(-maxFreeAge))
	if _, counts := first.(stepCount); counts {
		if c.recounts++; c.recounts > maxRecounts {
			return stepConflict{a.Name}
		}
	}
	return first
}

// take writes the claim on the account that was chosen.
func (c *claiming) take(v view, d Decision) step {
	record := c.record(d.Action == ActionClaim)
	change := Change{Records: map[string]*Record{c.key(): &record}}
	if d.Account.Tenant == "" { // another binding of the same credentials may say already that the cloud account is the tenant's
		change.Tenant = &c.GlobalAccount
		v.clearVoid(&d.Account, c.key(), c.GlobalAccount, change)
	}
	c.decision = d
	return stepWrite{judged: d.Account, change: change, to: writeClaim, after: resend}
}

// share takes a shared account: nothing is written on it. The list may be old: the account is read first, and judged once more.
func (c *claiming) share(v view, d Decision) step {
	if _, read := v.changed[d.Account.Name]; !read {
		return stepShare{d.Account, c.ClusterName}
	}
	return c.ends(v, d.Account, c.record(false), d)
}

// adopt takes up the claim that is recorded already, and brings its record up to date where the request has changed since.
// What the list says of it may be old: it counts as the account is now.
func (c *claiming) adopt(v view, name string) step {
	if !c.hasRead(name) {
		return stepRead{name}
	}
	account := *c.account
	record, recorded := account.Holds(c.key())
	if !recorded {
		c.account = nil
		return c.list(v)
	}
	if err := c.mayAdopt(*v.whole(&account), record); err != nil {
		return stepDone{err: err}
	}
	adopted := c.record(record.NewlyClaimed)
	adopted.ClaimedAt, adopted.Version, adopted.ReleasingSince = record.ClaimedAt, record.Version, record.ReleasingSince
	if c.Instance == "" || record.Version > RecordVersion { // what a newer version has written stays as it is, with its mark
		adopted.FormerOwner, adopted.Mark = record.FormerOwner, record.Mark
	}
	d := Decision{Action: actionAdopt, Account: account, Limit: c.policy.Limit(c.GlobalAccount, c.Target),
		Reason: fmt.Sprintf("The claim stood on %s already, since %s.", account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))}
	switch {
	case adopted.sameAs(record):
		return c.ends(v, account, adopted, d)
	case record.Version > RecordVersion:
		return stepDone{err: &NewerRecordError{Identity: c.id, Account: account.Name, Version: record.Version}}
	}
	c.decision = d
	return stepWrite{judged: account, change: Change{Records: map[string]*Record{c.key(): &adopted}}, to: writeRecord, after: resend}
}

// mayAdopt says why the claim that is recorded on an account must not be taken up.
func (c *claiming) mayAdopt(account Account, record Record) error {
	verdict := Verdict(account.unusable(c.GlobalAccount))
	if account.Target() != c.Target {
		verdict = VerdictMoved
	}
	switch {
	case c.Run.made(record.Mark): // another process of this run has just made it: a provider with another alias
		return &DuplicateError{Identity: c.id, Account: account.Name}
	case record.Owner != c.Owner:
		return &OwnerError{Identity: c.id, Account: account.Name, Recorded: record.Owner, Mine: c.Owner, Since: record.ClaimedAt}
	case verdict != "":
		return &UnusableError{Identity: c.id, Account: account.Name, Verdict: verdict}
	case c.Pin != "" && c.Pin != account.Name:
		return &PinError{Account: c.Pin, Why: fmt.Sprintf("%s stands on account %s since %s and has to be released first",
			c.id, account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))}
	}
	return nil
}

func (c *claiming) record(newly bool) Record {
	at := c.start.UTC().Truncate(time.Second)
	record := Record{
		Name: c.Name, GlobalAccount: c.GlobalAccount, Pool: c.id.Pool, Details: c.Details,
		ClaimedAt: at, Version: RecordVersion, NewlyClaimed: newly,
	}
	if c.Instance != "" {
		record.Mark = Mark{Instance: c.Instance, Run: c.Run.ID, At: at}
	}
	return record
}

// ends ends the claim on an account.
func (c *claiming) ends(v view, account Account, record Record, d Decision) step {
	c.stands(account, record, d)
	return c.end(v)
}

func (c *claiming) stands(account Account, record Record, d Decision) {
	c.claim = &Claim{
		Identity: c.id, Account: account, Record: record, Limit: d.Limit, Reason: d.Reason, Warnings: d.Warnings, Doubts: d.Doubts,
		PassedOver: c.passed, Adopted: d.Action == actionAdopt, Used: d.Action == actionAdopt, // what the account has seen since is not known
	}
	// The count by which the account was chosen is older: a cluster that was left there may be gone when the claim ends.
	c.unknown = d.Action == ActionClaim && c.ReleaseMode == ReturnToPool
}

// fail ends the claim with an error, or has it wait for an account.
func (c *claiming) fail(v view, err error) step {
	var exhausted *ExhaustedError
	if !c.Wait || !errors.As(err, &exhausted) {
		c.begun = false
		return stepDone{err: err, again: true}
	}
	// The next try is by a count that is newer than this one, whichever claim has it made: claims that wait share them.
	c.begun, c.notBefore = false, v.counted.Add(1)
	return stepAwait{"an account of pool " + c.Target.String(), func(waited time.Duration) error {
		exhausted.Waited = waited
		return exhausted
	}}
}

// learn takes in what came back of a step.
func (c *claiming) learn(did step, came answer) {
	c.failure = came.err
	switch s := did.(type) {
	case stepAllowed:
		c.allowed = came.err == nil
	case stepRecent:
		c.recent = came.err == nil
	case stepAwait:
		c.failure, c.stop = nil, came.err
	case stepPlace:
		c.placed = true
	case stepRead, stepShare:
		c.account = nil
		if came.err == nil && !came.gone {
			now := came.account
			c.account = &now
		}
	case stepEmpty:
		c.claim.Used, c.unknown, c.failure = !came.empty, false, nil
	case stepWrite:
		c.wrote(s, came)
	}
}

// wrote takes in what became of a write. A claim whose record had arrived before the tenant lost the account could end on two: the record
// is taken away before the claim is judged again.
func (c *claiming) wrote(s stepWrite, came answer) {
	c.account = nil
	now := came.account
	switch {
	case came.err != nil && s.aside:
		c.failure = nil
		c.claim.LeftBehind = append(c.claim.LeftBehind, LeftBehind{s.judged.Name, came.err})
	case came.err != nil && s.to == writeWithdraw:
		c.failure = fmt.Errorf("writing %s: %w", c.id, withdrawError(s.judged, came.err))
	case came.err != nil:
		if c.passOver(c.decision, came.err) {
			c.failure = nil
			return
		}
		c.failure = fmt.Errorf("writing %s: %w", c.id, came.err)
	case s.to == writeWithdraw:
		c.void = nil
		if came.changed && now.hasVoid(c.key(), s.judged.Records[c.key()].Owner) {
			c.void = &now
		}
	case came.gone || came.changed:
		c.chosen = &c.decision.Account
		if came.changed && s.change.voidOn(now) {
			c.void = &now
		}
	default:
		c.stands(now, now.Records[c.key()], c.decision)
	}
}
