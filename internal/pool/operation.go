package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// cleanUpTime bounds what an operation does after its caller has given up: it finds out about a write of unknown
	// outcome, and takes down a fence.
	cleanUpTime = 10 * time.Second
	// maxLost is how many answers to its writes one operation may lose before it gives up.
	maxLost = 8
	// firstPause is how long it waits after the second of them; each further pause is twice as long.
	firstPause = 50 * time.Millisecond
)

// operation is one claim, update or release: the time for its work, the time that is kept back for cleaning up, and what
// has stood in its way.
type operation struct {
	caller context.Context //nolint:containedctx // it says until when the caller waits
	ctx    context.Context //nolint:containedctx // the time for the work
	cancel context.CancelFunc

	begin       sync.Once
	cleanUp     context.Context //nolint:containedctx // begun at the first need of it
	endCleaning context.CancelFunc

	started time.Time
	steps   []step
	lost    int   // answers to writes
	trouble error // the last of them
}

// step is one part of an operation and how long it took.
type step struct {
	what string
	took time.Duration
}

// newOperation begins an operation. A caller with a deadline gets its answer by then, also where something is left to
// clean up: up to cleanUpTime of its time, at most a quarter, is kept back for that.
func newOperation(caller context.Context) *operation {
	op := &operation{caller: caller, started: time.Now(), endCleaning: func() {}}
	op.ctx, op.cancel = context.WithCancel(caller)
	if end, ok := caller.Deadline(); ok {
		op.cancel()
		op.ctx, op.cancel = context.WithDeadline(caller, end.Add(-min(cleanUpTime, time.Until(end)/4)))
	}
	return op
}

func (op *operation) end() {
	op.cancel()
	op.endCleaning()
}

// lasting returns the time for the work while there is any, and then the time for cleaning up. An interrupted caller
// leaves cleanUpTime; one that ran out of time leaves what was kept back.
func (op *operation) lasting() context.Context {
	if op.ctx.Err() == nil {
		return op.ctx
	}
	op.begin.Do(func() {
		end := time.Now().Add(cleanUpTime)
		if last, limited := op.caller.Deadline(); limited && last.Before(end) && !errors.Is(op.caller.Err(), context.Canceled) {
			end = last
		}
		op.cleanUp, op.endCleaning = context.WithDeadline(context.WithoutCancel(op.caller), end)
	})
	return op.cleanUp
}

// during notes how long a step takes, from the call until the function that it returns is called.
func (op *operation) during(what string) func() {
	began := time.Now()
	return func() { op.steps = append(op.steps, step{what, time.Since(began)}) }
}

// loses notes a lost answer and waits before the account is judged again; an error says that there were too many.
func (op *operation) loses(ctx context.Context, lost error) error {
	op.lost++
	op.trouble = lost
	switch {
	case op.lost >= maxLost:
		return lost
	case op.lost == 1:
		return nil
	}
	select {
	case <-time.After(firstPause << (op.lost - 2)):
		return nil
	case <-ctx.Done():
		return errors.Join(lost, context.Cause(ctx))
	}
}

// withTrouble adds to an error the last answer that was lost: the write that it was the answer to may stand.
func (op *operation) withTrouble(err error) error {
	if op.trouble == nil || errors.Is(err, op.trouble) {
		return err
	}
	return errors.Join(op.trouble, err)
}

// ended returns an error as the operation ends with it. One that says only that the time was over, or that the caller has
// given up, becomes a [TimeoutError], which says where the time went.
func (op *operation) ended(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return err
	}
	var unreachable *UnreachableError
	var unknown *UnknownOutcomeError
	if errors.As(err, &unreachable) || errors.As(err, &unknown) {
		return err
	}
	return &TimeoutError{After: time.Since(op.started), Steps: op.longest(), Last: op.trouble, Err: err}
}

// longest describes the steps that took most of the time, in the order in which they were begun first.
func (op *operation) longest() []string {
	total := map[string]time.Duration{}
	var order []string
	for _, s := range op.steps {
		if _, known := total[s.what]; !known {
			order = append(order, s.what)
		}
		total[s.what] += s.took
	}
	var described []string
	for _, what := range order {
		if took := total[what]; took >= time.Since(op.started)/20 {
			described = append(described, fmt.Sprintf("%s took %s", what, took.Round(time.Millisecond)))
		}
	}
	return described
}

// TimeoutError says that a claim, update or release ran out of time, or that its caller has given up. What stands then is
// found by the same call.
type TimeoutError struct {
	// After is how long the operation had gone on.
	After time.Duration
	// Steps say where the time went.
	Steps []string
	// Last is the last answer to a write that was lost on the way; nil = none was.
	Last error
	// Err is what ended it.
	Err error
}

// Error says where the time went.
func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("not done after %s", e.After.Round(time.Millisecond))
	if len(e.Steps) > 0 {
		text += " (" + strings.Join(e.Steps, ", ") + ")"
	}
	if e.Last != nil {
		text += fmt.Sprintf(": %v", e.Last)
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

// Unwrap returns what ended the operation, and the last answer that was lost.
func (e *TimeoutError) Unwrap() []error {
	if e.Last == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Last}
}
