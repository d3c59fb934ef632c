package pool

import (
	"context"
	"slices"
)

// ClaimRequest asks for an account for one claim.
type ClaimRequest struct {
	Name          string // the claim's own name
	GlobalAccount string // the tenant
	Target        Target // the pool that the rules lead to
	Pin           string // names exactly this account; empty = any
	Details              // recorded on the account
	// Instance is what the state that gets the claim keeps of its [Mark]; empty = it leaves none, and an adopted claim keeps the one it has.
	Instance string
	Run      Run // the run that this process takes part in
	// Wait has the claim wait where the pool is exhausted, until shortly before the deadline of the context. Without a
	// deadline it does not wait. A read that gets no answer ends the claim before the first pause, and none of the wait.
	Wait bool
	Tell func(Progress) // is called at each pause of that wait; may be nil
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
	// PassedOver are accounts that were chosen first, and on which the server refused the write.
	PassedOver []PassedOver
	LeftBehind []LeftBehind // records of an earlier run of the claim that are still where they were
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
	id := p.Identity(req.GlobalAccount, req.Target, req.Name)
	c := newClaiming(id, req, p.policy)
	if err := p.engine(op, req.GlobalAccount, 0, req.Tell).run(c); err != nil {
		return Claim{}, op.result(err)
	}
	claim := c.made()
	claim.Clusters, claim.Reserved = p.cache.use(&claim.Account)
	claim.Doubts = slices.Concat(claim.Doubts, p.cache.doubts(), p.reservationEnds(req), p.unlooked())
	return claim, nil
}

// reservationEnds warns, once for all claims of a run, that a place is reserved for an hour only.
func (p *Pool) reservationEnds(req ClaimRequest) (warning []string) {
	counting, ok := p.counter.(*Counting)
	if !ok || counting.source() != SourceDatabase || req.ClusterName == "" || p.policy.Limit(req.GlobalAccount, req.Target) == 0 {
		return nil
	}
	p.reservationsEnd.Do(func() {
		warning = []string{"The broker's database alone counts, and it does not know the names of Shoots: " +
			"the place of a claim with a cluster name is reserved for an hour from the claim on. " +
			"A cluster that comes later can carry its account over the limit."}
	})
	return warning
}
