package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

const (
	// cleanUpTime bounds what an operation does after its caller has given up: it finds out about a write of unknown
	// outcome, and takes down a fence.
	cleanUpTime = 10 * time.Second
	// maxTries bounds how often one claim, update or release is judged anew after the account has changed under it.
	maxTries = 256
	// retryBudget is how many answers to its writes one operation may lose before it gives up.
	retryBudget = 8
	// firstBackoff is how long it waits after the second of them, and after the first refusal; each further wait is twice as
	// long, after refusals up to longestBackoff.
	firstBackoff   = 50 * time.Millisecond
	longestBackoff = 30 * time.Second
	// refusalBudget is how many writes one operation may have refused on an account that has not changed. With the waits
	// between them that is about two minutes.
	refusalBudget = 14
)

// operation is one claim, update or release: the time for its work, the time that is kept back for cleaning up, and what
// answers it has lost. It belongs to one goroutine.
type operation struct {
	caller context.Context //nolint:containedctx // it says until when the caller waits
	ctx    context.Context //nolint:containedctx // the time for the work
	cancel context.CancelFunc

	cleanUp       context.Context //nolint:containedctx // begun at the first need of it
	cancelCleanUp context.CancelFunc

	started time.Time
	steps   []timing      // each once
	writing time.Duration // in all: with the waits for a turn, and until the server takes a write
	lost    int           // answers to writes
	lastErr error         // of the last of them
	refused int           // writes that were refused although the account was as it was judged
	refusal error         // the last answer that refused a write; nil = the last write was not refused
	waited  bool          // it has paused to wait for others

}

// timing is one part of an operation and how long it took in all.
type timing struct {
	what string
	took time.Duration
}

// newOperation begins an operation. A caller with a deadline gets its answer by then, also where something is left to
// clean up: up to cleanUpTime of its time, at most a quarter, is kept back for that.
func newOperation(caller context.Context) *operation {
	op := &operation{caller: caller, started: time.Now(), cancelCleanUp: func() {}}
	if end, ok := caller.Deadline(); ok {
		op.ctx, op.cancel = context.WithDeadline(caller, end.Add(-min(cleanUpTime, time.Until(end)/4)))
	} else {
		op.ctx, op.cancel = context.WithCancel(caller)
	}
	return op
}

// reading returns the context of one read: the time for the work, and after a wait for others [longestRead] of it at most.
func (op *operation) reading() (context.Context, context.CancelFunc) {
	if !op.waited {
		return op.ctx, func() {}
	}
	return context.WithTimeout(op.ctx, longestRead)
}

func (op *operation) end() {
	op.cancel()
	op.cancelCleanUp()
}

// detached returns the context of what must be done although the caller may have given up: the time for the work while
// there is any, and then the time for cleaning up. A caller that was interrupted leaves cleanUpTime; one that ran out of
// time leaves what was kept back.
func (op *operation) detached() context.Context {
	if op.ctx.Err() == nil {
		return op.ctx
	}
	if op.cleanUp == nil {
		end := time.Now().Add(cleanUpTime)
		if last, limited := op.caller.Deadline(); limited && last.Before(end) && !errors.Is(op.caller.Err(), context.Canceled) {
			end = last
		}
		op.cleanUp, op.cancelCleanUp = context.WithDeadline(context.WithoutCancel(op.caller), end)
	}
	return op.cleanUp
}

// timed notes how long a step takes, from the call until the function that it returns is called.
func (op *operation) timed(what string) func() {
	began := time.Now()
	return func() {
		i := slices.IndexFunc(op.steps, func(s timing) bool { return s.what == what })
		if i < 0 {
			i, op.steps = len(op.steps), append(op.steps, timing{what: what})
		}
		op.steps[i].took += time.Since(began)
	}
}

// timedWrite is [operation.timed] for a part of a write.
func (op *operation) timedWrite(what string) func() {
	began, end := time.Now(), op.timed(what)
	return func() {
		end()
		op.writing += time.Since(began)
	}
}

// backoff notes a lost answer and waits before the account is judged again; an error says that the retry budget is spent.
func (op *operation) backoff(ctx context.Context, lost error) error {
	op.lost++
	op.lastErr = lost
	switch {
	case op.lost >= retryBudget:
		return lost
	case op.lost == 1:
		return nil
	}
	if err := pause(ctx, firstBackoff<<(op.lost-2)); err != nil {
		return errors.Join(lost, err)
	}
	return nil
}

// refuse notes a write that was refused although the account is as it was judged, and waits before it is judged again; an
// error says that the refusal budget is spent.
func (op *operation) refuse(ctx context.Context, account string) error {
	op.refused++
	if op.refused >= refusalBudget {
		return op.withLost(op.givenUp(account, op.refused))
	}
	defer op.timedWrite("waiting for the server to take a write")()
	return op.withLost(pause(ctx, min(firstBackoff<<(op.refused-1), longestBackoff)))
}

// conflict ends an operation whose account has changed under it at each try.
func (op *operation) conflict(account string) error { return op.givenUp(account, maxTries) }

// givenUp says after how many tries an operation ends whose last write was refused, and what the server said.
func (op *operation) givenUp(accountName string, tries int) error {
	var busy *account.BusyError
	if errors.As(op.refusal, &busy) {
		return &account.BusyError{Account: accountName, Tries: tries, Err: busy.Err}
	}
	return &account.ConflictError{Account: accountName, Tries: tries, Err: op.refusal}
}

// pause waits, and returns the cause where the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// withLost adds to an error the last answer that was lost: the write that it was the answer to may have taken effect.
func (op *operation) withLost(err error) error {
	if err == nil || op.lastErr == nil || errors.Is(err, op.lastErr) {
		return err
	}
	return errors.Join(op.lastErr, err)
}

// result returns an error as the operation ends with it. One that says only that the time was over, or that the caller has
// given up, becomes a [TimeoutError], which says where the time went.
func (op *operation) result(err error) error {
	timeout := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	said := errors.As(err, new(*account.UnreachableError)) || errors.As(err, new(*account.FailedError)) ||
		errors.As(err, new(*account.UnknownOutcomeError))
	if !timeout || said {
		return err
	}
	return &TimeoutError{
		After: time.Since(op.started), Writing: op.writing, Steps: op.longest(), Last: op.lastErr, Refusal: op.refusal, Err: err,
	}
}

// longest describes the steps that took most of the time, in the order in which they were taken first.
func (op *operation) longest() (described []string) {
	for _, s := range op.steps {
		if s.took >= time.Since(op.started)/20 {
			described = append(described, fmt.Sprintf("%s took %s", s.what, s.took.Round(time.Millisecond)))
		}
	}
	return described
}
