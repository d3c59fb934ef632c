package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ClaimRequest asks for an account for one claim.
type ClaimRequest struct {
	Name          string // the claim's own name
	GlobalAccount string // the tenant
	Target        Target // the pool that the rules lead to
	Pin           string // names exactly this account; empty = any
	Details              // recorded on the account
	// Wait has the claim wait where the pool is exhausted, until shortly before the deadline of the context. Without a
	// deadline it does not wait. A look that gets no answer ends the claim before the first pause, and none of the wait.
	Wait bool
	Tell func(Progress) // is told of each pause of that wait; nil = nothing is
}

// Claim is a claim that has been made.
type Claim struct {
	Identity Identity
	Account  Account // the account as it was when the claim was last written or read, with its Credentials
	Record   Record  // what is recorded on the account; for a shared account, where nothing is written, what would be
	// Clusters and Reserved are the clusters counted on the account and the places reserved on it.
	Clusters, Reserved int
	Limit              int  // the most clusters the account may have; 0 = none applies
	Adopted            bool // the claim was there already: an earlier run made it and lost the answer
	// Used says that a cluster was on the account when it had just been taken, or may have been: it must not go back to the
	// pool unwiped.
	Used   bool
	Reason string // in one sentence why this account
	// Warnings are things the user should know although the claim is made; Doubts are what is in doubt about the count
	// behind it. What concerns all claims of a run alike is returned with one of them.
	Warnings, Doubts []string
}

// Claim finds an account for the request and records the claim on it. A claim of the same identity that is recorded already
// is adopted. When it returns an error nothing is left behind, except after an [UnknownOutcomeError], when the next call with
// the same identity finds what is there.
//
// Errors: those of [Select] and of [Store]; [OwnerError], [DuplicateError], [UnusableError], [NewerRecordError],
// [ConflictError], [BusyError], [TimeoutError], [WaitError].
func (p *Pool) Claim(ctx context.Context, req ClaimRequest) (Claim, error) {
	op := newOperation(ctx)
	defer op.end()
	patience := op.patience(0, req.Tell)
	var notBefore time.Time
	for {
		claim, err := p.claim(op, req, notBefore)
		var exhausted *ExhaustedError
		switch {
		case err == nil:
			return claim, nil
		case req.Wait && errors.As(err, &exhausted):
			// The next look is by a count that is newer than this one, whichever claim has it made: claims that wait share them.
			notBefore = p.cache.snapshot().counted.Add(1)
			err = patience.wait("an account of pool "+req.Target.String(), func(waited time.Duration) error {
				exhausted.Waited = waited
				return exhausted
			})
		default:
			err = patience.retry(err)
		}
		if err != nil {
			return Claim{}, op.result(err)
		}
	}
}

// claim makes one try. A list and a count that were begun before notBefore do not refuse it; zero = before the
// try, unless they are at most maxFreeAge old: an exhausted pool is not listed for each claim of a run.
func (p *Pool) claim(op *operation, req ClaimRequest, notBefore time.Time) (Claim, error) {
	id := p.Identity(req.GlobalAccount, req.Target, req.Name)
	unlock, err := p.lockTenant(op, req.GlobalAccount)
	if err != nil {
		return Claim{}, err
	}
	defer unlock()
	key := id.Key()
	if account, twice := p.cache.placement(key); twice {
		return Claim{}, &DuplicateError{Identity: id, Account: account}
	}
	if !req.Target.Shared {
		if err := p.mayWrite(op); err != nil {
			return Claim{}, err
		}
	}
	now := time.Now()
	again := !notBefore.IsZero()
	if !again {
		notBefore = now
	}
	c := claiming{Pool: p, operation: op, id: id, key: key, req: req, start: now, waiting: now, notBefore: notBefore, again: again}
	claim, err := c.run()
	if err != nil {
		p.cache.unplace(key)
		return Claim{}, err
	}
	p.cache.place(key, claim.Account, req.ClusterName)
	return claim, nil
}

// claiming is one claim on its way: judge, write, and judge again after each lost write.
type claiming struct {
	*Pool
	*operation
	id        Identity
	key       string
	req       ClaimRequest
	start     time.Time
	waiting   time.Time // since when the claim waits for a list: one that is begun later may be older than others when it comes
	notBefore time.Time // a list and a count that were begun before may be too old to refuse the claim
	again     bool      // the claim has waited for an account, and looks at the pool anew
}

// actionAdopt: the claim is recorded already.
const actionAdopt Action = "adopt"

func (c *claiming) run() (Claim, error) {
	if err := c.recent(c.operation); err != nil {
		return Claim{}, err
	}
	last := ""
	for range maxTries {
		d, release, err := c.judge()
		if err != nil {
			return Claim{}, err
		}
		last = d.Account.Name
		claim, ok, err := c.settle(d)
		release()
		if ok || err != nil {
			return claim, err
		}
		if err := c.relistIfTaken(d.Account); err != nil {
			return Claim{}, err
		}
	}
	return Claim{}, c.conflict(last)
}

// judge chooses an account as things are now: the one that bears the claim already, else what the selection says. The
// account is kept from the other claims of this process until release is called.
func (c *claiming) judge() (d Decision, release func(), err error) {
	q := Query{Target: c.req.Target, GlobalAccount: c.req.GlobalAccount, Pin: c.req.Pin}
	for {
		if account := c.cache.snapshot().claim(c.key); account != nil {
			return Decision{Action: actionAdopt, Account: *account}, func() {}, nil
		}
		d, release, busy, err := c.cache.reserve(q, c.policy, c.key, c.req.ClusterName)
		switch {
		case err == nil && busy == nil && (d.Action != ActionClaim || c.cache.fresh(c.waiting)):
			return d, release, nil
		case err == nil && busy == nil:
			release()
			err = c.relist()
		case err == nil:
			// Another claim of this process is about to take the very account. It may not get it; and a claim that went on to
			// the next account could miss a claim of the same tenant elsewhere, which is to end on this one too.
			err = c.await(busy)
		case c.outdated(err): // refused by an old list, or an old count
			err = c.reload()
		}
		if err != nil {
			return Decision{}, nil, err
		}
	}
}

// relistIfTaken lists the accounts anew where another tenant got the one that was chosen: with a list that has grown old a
// claim would lose one account after the other.
func (c *claiming) relistIfTaken(chosen Account) error {
	now := c.cache.snapshot().account(chosen.Name)
	if now != nil && now.UID == chosen.UID && now.Tenant == chosen.Tenant {
		return nil
	}
	return c.relist()
}

// relist waits for a list that is begun from now on.
func (c *claiming) relist() error {
	c.waiting = time.Now()
	return c.Pool.relist(c.operation, c.waiting)
}

// reload waits for a list and a count that are new enough to refuse the claim.
func (c *claiming) reload() error {
	defer c.timed("listing and counting")()
	ctx, cancel := c.reading()
	defer cancel()
	_, err := c.cache.load(ctx, c.notBefore)
	return err
}

// outdated reports whether the newest list or count is too old to refuse the claim. That a pool is exhausted stays so for a
// moment; an account that the claim names may just have been made.
func (c *claiming) outdated(refusal error) bool {
	counted := c.cache.snapshot().counted
	lasts := !c.again && errors.As(refusal, new(*ExhaustedError)) && time.Since(counted) <= maxFreeAge
	return counted.Before(c.notBefore) && !lasts
}

func (c *claiming) await(changed <-chan struct{}) error {
	defer c.timed("waiting for another claim on the same account")()
	select {
	case <-changed:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// settle puts the claim on the account that was chosen; false = it has changed, judge again.
func (c *claiming) settle(d Decision) (Claim, bool, error) {
	switch d.Action {
	case actionAdopt:
		return c.adopt(d.Account.Name)
	case ActionShare:
		return c.share(d)
	}
	return c.take(d)
}

// take writes the claim on the account that was chosen.
func (c *claiming) take(d Decision) (Claim, bool, error) {
	free := d.Action == ActionClaim
	record := c.record(free)
	change := Change{Records: map[string]*Record{c.key: &record}}
	if free {
		change.Tenant = &c.req.GlobalAccount
		c.cache.snapshot().clearVoid(&d.Account, c.key, c.req.GlobalAccount, change)
	}
	now, ok, err := c.commit(d.Account, change)
	if !ok || err != nil {
		return Claim{}, false, err
	}
	claim := c.made(now, now.Records[c.key], d)
	if free && c.req.ReleaseMode == ReturnToPool {
		// The count by which the account was chosen is older: a cluster that was left there may be gone when the claim ends.
		claim.Used = !c.empty(c.operation, now.Name)
	}
	return claim, true, nil
}

// commit is [Pool.commit] for a claim. An account that is gone is judged again like a changed one. A change that may still
// arrive is sent again: a claim that went elsewhere instead could end on two accounts. So could a claim whose record had
// arrived before the tenant lost the account: the record is taken away before the claim is judged again.
func (c *claiming) commit(judged Account, change Change) (Account, bool, error) {
	for range maxTries {
		result, now, err := c.Pool.commit(c.ctx, c.operation, judged, change)
		if err == nil && result == changed && change.strays(now) {
			now, err = c.withdraw(c.operation, c.key, now)
		}
		switch {
		case err != nil:
			return Account{}, false, fmt.Errorf("writing %s: %w", c.id, err)
		case result != unknown:
			return now, result == committed, nil
		}
	}
	return Account{}, false, fmt.Errorf("writing %s: %w", c.id, c.conflict(judged.Name))
}

// share takes a shared account: nothing is written on it. A list knows the labels alone; the whole account is read
// first, and judged once more.
func (c *claiming) share(d Decision) (Claim, bool, error) {
	if d.Account.Credentials == nil {
		_, _, err := c.readChosen(d.Account.Name)
		return Claim{}, false, err
	}
	return c.made(d.Account, c.record(false), d), true, nil
}

// readChosen reads the whole account that was chosen; false = it is gone, judge again.
func (c *claiming) readChosen(name string) (Account, bool, error) {
	defer c.timed("reading account " + name)()
	ctx, cancel := c.reading()
	defer cancel()
	account, err := c.read(ctx, name)
	if errors.As(err, new(*NotFoundError)) {
		return Account{}, false, nil
	}
	return account, err == nil, err
}

// adopt takes up the claim that is recorded already, and brings its record up to date where the request has changed since.
// What the snapshot says of it may be old: it counts as the account is now.
func (c *claiming) adopt(name string) (Claim, bool, error) {
	account, exists, err := c.readChosen(name)
	if !exists || err != nil {
		return Claim{}, false, err
	}
	record, recorded := account.Holds(c.key)
	if !recorded {
		return Claim{}, false, nil
	}
	if err := c.mayAdopt(account, record); err != nil {
		return Claim{}, false, err
	}
	adopted := c.record(record.NewlyClaimed)
	adopted.ClaimedAt, adopted.Version, adopted.ReleasingSince = record.ClaimedAt, record.Version, record.ReleasingSince
	if !adopted.sameAs(record) {
		if record.Version > RecordVersion {
			return Claim{}, false, &NewerRecordError{Identity: c.id, Account: account.Name, Version: record.Version}
		}
		var ok bool
		account, ok, err = c.commit(account, Change{Records: map[string]*Record{c.key: &adopted}})
		if !ok || err != nil {
			return Claim{}, false, err
		}
		adopted, _ = account.Holds(c.key)
	}
	claim := c.made(account, adopted, Decision{Limit: c.policy.Limit(c.req.GlobalAccount, c.req.Target)})
	claim.Adopted, claim.Used = true, true // what the account has seen since is not known
	claim.Reason = fmt.Sprintf("The claim stood on %s already, since %s.", account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))
	return claim, true, nil
}

// mayAdopt says why the claim that is recorded on an account must not be taken up.
func (c *claiming) mayAdopt(account Account, record Record) error {
	verdict := Verdict(account.unusable(c.req.GlobalAccount))
	if account.Target() != c.req.Target {
		verdict = VerdictMoved
	}
	switch {
	case record.Owner != c.req.Owner:
		return &OwnerError{Identity: c.id, Account: account.Name, Recorded: record.Owner, Mine: c.req.Owner, Since: record.ClaimedAt}
	case verdict != "":
		return &UnusableError{Identity: c.id, Account: account.Name, Verdict: verdict}
	case c.req.Pin != "" && c.req.Pin != account.Name:
		return &PinError{Account: c.req.Pin, Why: fmt.Sprintf("%s stands on account %s since %s and has to be released first",
			c.id, account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))}
	}
	return nil
}

func (c *claiming) record(newly bool) Record {
	return Record{
		Name: c.req.Name, GlobalAccount: c.req.GlobalAccount, Pool: c.id.Pool, Details: c.req.Details,
		ClaimedAt: c.start.UTC().Truncate(time.Second), Version: RecordVersion, NewlyClaimed: newly,
	}
}

func (c *claiming) made(account Account, record Record, d Decision) Claim {
	claim := Claim{Identity: c.id, Account: account, Record: record, Limit: d.Limit, Reason: d.Reason, Warnings: d.Warnings}
	claim.Clusters, claim.Reserved = c.cache.use(&account)
	claim.Doubts = slices.Concat(d.Doubts, c.cache.doubts(), c.reservationEnds())
	return claim
}

// reservationEnds warns, once for all claims of a run, that a place is reserved for an hour only.
func (c *claiming) reservationEnds() (warning []string) {
	counting, ok := c.counter.(*Counting)
	if !ok || counting.source() != SourceDatabase || c.req.ClusterName == "" || c.policy.Limit(c.req.GlobalAccount, c.req.Target) == 0 {
		return nil
	}
	c.reservationsEnd.Do(func() {
		warning = []string{"The broker's database alone counts, and it does not know the names of Shoots: " +
			"the place of a claim with a cluster name is reserved for an hour from the claim on. " +
			"A cluster that comes later can carry its account over the limit."}
	})
	return warning
}
