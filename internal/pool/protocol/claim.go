package protocol

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// ClaimRequest asks for an account for one claim.
type ClaimRequest struct {
	Name            string         // the claim's own name
	GlobalAccount   string         // the tenant
	Target          account.Target // the pool that the rules lead to
	Pin             string         // names exactly this account; empty = any
	account.Details                // recorded on the account
	// Instance is what the state that gets the claim keeps of its [account.Mark]; empty = it leaves none, and an adopted claim
	// keeps the one it has.
	Instance string
	Run      account.Run     // the run that this process takes part in
	Sources  account.Sources // of this process
	// Wait has the claim wait where the pool is exhausted, until shortly before the deadline of the context. Without a
	// deadline it does not wait. A read that gets no answer ends the claim before the first pause, and none of the wait.
	Wait bool
	Tell func(Progress) // is called at each pause of that wait; may be nil
}

// Claim is a claim that has been made.
type Claim struct {
	Identity account.Identity
	Account  account.Account // the account as it was when the claim was last written or read, with its Credentials
	Record   account.Record  // what is recorded on the account; for a shared account, where nothing is written, what would be
	// Clusters and Reserved are the clusters counted on the account and the places reserved on it.
	Clusters, Reserved int
	Limit              int  // the most clusters the account may have; 0 = none applies
	Adopted            bool // the claim was there already: an earlier run made it and lost the answer
	// Used says that a cluster was on the account when it had just been taken, or may have been: it must not go back to the
	// pool unwiped.
	Used   bool
	Reason string // in one sentence why this account
	// PassedOver are accounts that were chosen first, and on which the server refused the write.
	PassedOver []PassedOver
	LeftBehind []LeftBehind // records of an earlier run of the claim that are still where they were
	// Warnings are things the user should know although the claim is made; Doubts are what is in doubt about the count
	// behind it. What concerns all claims of a run alike is returned with one of them.
	Warnings, Doubts []string
}

// Claiming is what a claim has seen so far; [Claiming.Next] says what it does then.
type Claiming struct {
	plain
	ClaimRequest
	id     account.Identity
	own    string // the key of its record
	policy account.Policy

	begun     bool      // a try is under way
	start     time.Time // of the try
	listSince time.Time // since when it waits for a list: one that is begun later may be older than others when it comes
	notBefore time.Time // a list and a count that were begun before may be too old to refuse the claim
	again     bool      // the claim has waited for an account, and judges the pool anew
	allowed   bool      // accounts may be written
	recent    bool      // there is a list and a count to begin with
	recounts  int       // of the clusters, because of an account that was about to be taken, since the last wait or write
	counting  time.Time // since when it waits for such a count; zero = it does not

	account  *account.Account // as it was read last; nil = none was
	chosen   *account.Account // the account that was lost to another party, as it was judged; nil = none was
	void     *account.Account // an account that has the claim's record, and that the Global Account has lost since
	decision account.Decision // that is about to be written
	passed   []PassedOver
	refusals Refusals // on those

	failure error
	stop    error  // ends the claim for good
	claim   *Claim // that is made
	unknown bool   // whether clusters are on its account, just taken, is still to be found out
	placed  bool   // the run knows it
}

// NewClaiming returns the steps of a claim.
func NewClaiming(id account.Identity, req ClaimRequest, policy account.Policy) *Claiming {
	return &Claiming{ClaimRequest: req, id: id, own: id.Key(), policy: policy}
}

// Made returns the claim, once the steps have ended without an error.
func (c *Claiming) Made() Claim { return *c.claim }

// actionAdopt: the claim is recorded already.
const actionAdopt account.Action = "adopt"

// Key is that of the record of the claim.
func (c *Claiming) Key() string { return c.own }

// Waited has the clusters be counted anew where other bindings may have led some in meanwhile. The rest is judged by what is known then.
func (c *Claiming) Waited() { c.counting, c.recounts = time.Time{}, 0 }

// Next says what the claim does: it chooses an account as things are now, the one that has the claim already or else what the selection
// says, and puts its record there. It judges again after each lost write.
func (c *Claiming) Next(f Facts) Step {
	if err := c.failure; err != nil {
		c.failure = nil
		return c.fail(f, err)
	}
	switch {
	case c.stop != nil:
		return Done{Err: c.stop}
	case c.claim != nil:
		return c.end(f)
	case !c.begun:
		if account, twice := f.Placed.Account(c.Key()); twice {
			return Done{Err: &DuplicateError{Identity: c.id, Account: account}}
		}
		c.begin(f.Now)
	}
	switch {
	case !c.allowed && !c.Target.Shared:
		return AskRight{}
	case !c.recent:
		return Recent{}
	case c.void != nil:
		return c.withdraw(*c.void)
	}
	if lost := c.chosen; lost != nil {
		c.chosen = nil
		if now := f.Account(lost.Name); now == nil || now.UID != lost.UID || now.Tenant != lost.Tenant {
			return c.list(f) // by a list that has grown old a claim would lose one account after the other
		}
	}
	return c.judge(f)
}

// withdraw takes away the record that the claim has left on an account which its Global Account has lost. Otherwise the record would count
// again if the Global Account regained the account.
func (c *Claiming) withdraw(a account.Account) Step {
	withoutRecord := account.Change{Records: map[string]*account.Record{c.Key(): nil}}
	return Write{Judged: a, Change: withoutRecord, To: ToWithdraw, After: Resend, Aside: c.claim != nil}
}

// end is what follows once the claim is made: the run takes note of it, and records that an earlier run has left elsewhere go.
func (c *Claiming) end(f Facts) Step {
	switch {
	case c.unknown:
		return CheckEmpty{c.claim.Account.Name}
	case !c.placed:
		return Place{c.claim.Account, c.ClusterName}
	case c.Target.Shared:
		return Done{}
	}
	for _, a := range f.voids(c.Key(), c.Owner) {
		left := slices.ContainsFunc(c.claim.LeftBehind, func(l LeftBehind) bool { return l.Account == a.Name })
		if a.Name != c.claim.Account.Name && !left {
			return c.withdraw(*a)
		}
	}
	return Done{}
}

// begin begins a try.
func (c *Claiming) begin(now time.Time) {
	c.begun, c.start, c.listSince, c.recent, c.account, c.recounts, c.counting = true, now, now, false, nil, 0, time.Time{}
	c.passed, c.refusals = nil, nil
	if c.again = !c.notBefore.IsZero(); !c.again {
		c.notBefore = now
	}
}

// judge says what is next for the account that the claim belongs on.
func (c *Claiming) judge(f Facts) Step {
	if a := f.unreadable(c.Key()); a != nil && a.Tenant == c.GlobalAccount {
		if !c.hasRead(a.Name) {
			return Read{a.Name}
		}
		if err := c.account.UnreadableRecord(c.id); c.account.Tenant == c.GlobalAccount && err != nil {
			return Done{Err: err}
		}
	}
	if bearer := f.Claim(c.Key()); bearer != nil {
		return c.adopt(f, bearer.Name)
	}
	if other := f.ClaimElsewhere(c.Key()); other != nil {
		return c.refuseElsewhere(f, other)
	}
	d, err := f.Choose(account.Query{Target: c.Target, GlobalAccount: c.GlobalAccount, Pin: c.Pin}, c.policy, c.Key(), c.refusals)
	switch {
	case err != nil && c.outdated(f, err): // refused by an old list, or an old count
		return Count{c.notBefore}
	case err != nil:
		return c.fail(f, c.orRefused(err))
	case d.Action == account.ActionShare:
		return c.share(f, d)
	case d.Account.Tenant == "" && !f.fresh(c.listSince):
		c.listSince = f.Now
		return List{f.Now.Add(-MaxFreeAge)} // also one that another claim of this process has begun a moment ago
	case d.Action == account.ActionClaim:
		if first := c.knowFree(f, &d.Account); first != nil {
			return first
		}
	}
	return c.take(f, d)
}

// refuseElsewhere refuses to make a claim a second time that is recorded on a binding which is no account of the pool: a move takes it from
// there.
func (c *Claiming) refuseElsewhere(f Facts, other *account.Account) Step {
	if f.Listed.Before(c.start) { // another process may have released it
		return c.list(f)
	}
	record, _ := other.Holds(c.Key())
	if record.Owner != c.Owner {
		return Done{Err: &OwnerError{Identity: c.id, Account: other.Name, Recorded: record.Owner, Mine: c.Owner, Since: record.ClaimedAt}}
	}
	refused := &OtherBindingError{Identity: c.id, Binding: other.Name, Since: record.ClaimedAt}
	for _, twin := range f.twins(other) {
		if !twin.Sibling {
			refused.Accounts = append(refused.Accounts, twin.Name)
		}
	}
	return Done{Err: refused}
}

func (c *Claiming) hasRead(name string) bool { return c.account != nil && c.account.Name == name }

// list waits for a list that is begun from now on.
func (c *Claiming) list(f Facts) Step {
	c.listSince = f.Now
	return List{f.Now}
}

// outdated reports whether the newest list or count is too old to refuse the claim. That a pool is exhausted stays so for a
// moment; an account that the claim names may just have been made.
func (c *Claiming) outdated(f Facts, refusal error) bool {
	lasts := !c.again && errors.As(refusal, new(*account.ExhaustedError)) && f.Now.Sub(f.Counted) <= MaxFreeAge
	return f.Counted.Before(c.notBefore) && !lasts
}

// knowFree is what has to be found out before a free account is taken; nil = nothing.
func (c *Claiming) knowFree(f Facts, a *account.Account) Step {
	first := f.knowFree(a, c.start.Add(-MaxFreeAge), c.counting)
	if _, counts := first.(Count); counts {
		if c.recounts++; c.recounts > maxRecounts {
			return GiveUp{a.Name, maxRecounts}
		}
		if c.counting.IsZero() {
			c.counting = f.Now
		}
	}
	return first
}

// take writes the claim on the account that was chosen.
func (c *Claiming) take(f Facts, d account.Decision) Step {
	record := c.record(d.Action == account.ActionClaim)
	change := account.Change{Records: map[string]*account.Record{c.Key(): &record}}
	if d.Account.Tenant == "" { // another binding of the same credentials may say already that the cloud account is the tenant's
		change.Tenant = &c.GlobalAccount
		f.clearVoid(&d.Account, c.Key(), c.GlobalAccount, change)
	}
	c.decision = d
	return Write{Judged: d.Account, Change: change, To: ToClaim, After: Resend}
}

// share takes a shared account: nothing is written on it. The list may be old: the account is read first, and judged once more.
func (c *Claiming) share(f Facts, d account.Decision) Step {
	if _, read := f.changed[d.Account.Name]; !read {
		return Share{d.Account, c.ClusterName}
	}
	return c.ends(f, d.Account, c.record(false), d)
}

// adopt takes up the claim that is recorded already, and brings its record up to date where the request has changed since.
// What the list says of it may be old: it counts as the account is now.
func (c *Claiming) adopt(f Facts, name string) Step {
	if !c.hasRead(name) {
		return Read{name}
	}
	a := *c.account
	record, recorded := a.Holds(c.Key())
	if !recorded {
		c.account = nil
		return c.list(f)
	}
	if err := c.mayAdopt(*f.Whole(&a), record); err != nil {
		return Done{Err: err}
	}
	adopted := c.record(record.NewlyClaimed)
	adopted.ClaimedAt, adopted.Version, adopted.ReleasingSince = record.ClaimedAt, record.Version, record.ReleasingSince
	if c.Instance == "" || record.Version > account.RecordVersion { // what a newer version has written stays as it is, with its mark
		adopted.FormerOwner, adopted.Mark = record.FormerOwner, record.Mark
	} else {
		adopted.Mark.Sources = adopted.Mark.Sources.And(record.Mark.Sources)
	}
	d := account.Decision{Action: actionAdopt, Account: a, Limit: c.policy.Limit(c.GlobalAccount, c.Target),
		Reason: fmt.Sprintf("The claim was on %s already, since %s.", a.Name, record.ClaimedAt.UTC().Format(time.RFC3339))}
	switch {
	case adopted.SameAs(record):
		return c.ends(f, a, adopted, d)
	case record.Version > account.RecordVersion:
		return Done{Err: &NewerRecordError{Identity: c.id, Account: a.Name, Version: record.Version}}
	}
	c.decision = d
	return Write{Judged: a, Change: account.Change{Records: map[string]*account.Record{c.Key(): &adopted}}, To: ToRecord, After: Resend}
}

// mayAdopt says why the claim that is recorded on an account must not be taken up.
func (c *Claiming) mayAdopt(a account.Account, record account.Record) error {
	verdict := account.Verdict(a.Unusable(c.GlobalAccount))
	if a.Target() != c.Target {
		verdict = account.VerdictMoved
	}
	switch {
	case c.Run.Left(record.Mark): // another process of this run has just made it: a provider with another alias
		return &DuplicateError{Identity: c.id, Account: a.Name}
	case record.Owner != c.Owner:
		return &OwnerError{Identity: c.id, Account: a.Name, Recorded: record.Owner, Mine: c.Owner, Since: record.ClaimedAt}
	case verdict != "":
		return &UnusableError{Identity: c.id, Account: a.Name, Verdict: verdict}
	case c.Pin != "" && c.Pin != a.Name:
		return &account.PinError{Account: c.Pin, Why: fmt.Sprintf("%s is on account %s since %s and has to be released first",
			c.id, a.Name, record.ClaimedAt.UTC().Format(time.RFC3339))}
	}
	return nil
}

func (c *Claiming) record(newly bool) account.Record {
	at := c.start.UTC().Truncate(time.Second)
	record := account.Record{
		Name: c.Name, GlobalAccount: c.GlobalAccount, Pool: c.id.Pool, Details: c.Details,
		ClaimedAt: at, Version: account.RecordVersion, NewlyClaimed: newly,
	}
	if c.Instance != "" {
		record.Mark = account.Mark{Instance: c.Instance, Run: c.Run.ID, At: at, Sources: c.Sources}
	}
	return record
}

// fail ends the claim with an error, or has it wait for an account.
func (c *Claiming) fail(f Facts, err error) Step {
	var exhausted *account.ExhaustedError
	if !c.Wait || !errors.As(err, &exhausted) {
		c.begun = false
		return Done{Err: err, Again: true}
	}
	// The next try is by a count that is newer than this one, whichever claim has it made: claims that wait share them.
	c.begun, c.notBefore = false, f.Counted.Add(1)
	return Await{"an account of pool " + c.Target.String(), exhausted.CoolsUntil, func(waited time.Duration) error {
		exhausted.Waited = waited
		return exhausted
	}}
}
