package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

const (
	// firstPause is how long an operation that waits for others pauses before it reads again. Each further pause is twice as
	// long, up to longestPause; up to a quarter comes on top by chance, so that runs which began together do not go on together.
	firstPause   = 5 * time.Second
	longestPause = time.Minute
	// longestRead bounds each read between two pauses: one that hangs must not take the time of those after it. A
	// single request of a [Store] or a [Counter] has a shorter deadline of its own.
	longestRead = 10 * time.Minute
)

// patience is the time that an operation has for waiting for others, and what its reads have shown. Waiting holds no lock.
type patience struct {
	op    *operation
	until time.Time // zero = the operation waits for nothing
	begun time.Time // zero = it has not waited yet
	what  string    // for which it waits
	pause time.Duration
	// seen makes the error of what the last answered read has shown, where nothing comes of the wait.
	seen func(waited time.Duration) error
	// unread says that the read before this one has failed, too.
	unread bool
	tell   func(protocol.Progress) // nil = progress is not reported
	// chance is a part of the time that it is given, by chance.
	chance func(time.Duration) time.Duration
}

// patience returns the time that the operation may spend on waiting: up to the deadline of its caller, without what its work
// takes after the wait, and without the time for a last read. A caller without a deadline has no patience.
func (op *operation) patience(work time.Duration, tell func(protocol.Progress)) *patience {
	p := &patience{op: op, pause: firstPause, tell: tell, chance: rand.N[time.Duration]} //nolint:gosec // chance, not a secret
	if end, limited := op.ctx.Deadline(); limited {
		left := time.Until(end) - work
		p.until = time.Now().Add(left - min(cleanUpTime, left/4))
	}
	return p
}

// wait pauses before the next read, and no longer than until it is due, unless it is overdue. It returns what over makes of the time waited
// where the time is over, and an error where the caller has given up.
func (p *patience) wait(what string, due time.Time, over func(waited time.Duration) error) error {
	p.seen, p.unread = over, false
	return p.rest(what, due, nil, over)
}

// retry pauses after a read that has failed, where the operation has waited before and another read may come through: then it
// is as [patience.wait]. Else it returns the error, with what the operation waits for where the caller has given up. Where the time is
// over and the read before was answered, that answer makes the error: the wait did not fail by a server that is slow once, at the end.
func (p *patience) retry(failed error) error {
	switch {
	case p.begun.IsZero(): // it may be a wrong setting
		return failed
	case errors.Is(failed, context.Canceled):
		return fmt.Errorf("interrupted while waiting for %s: %w", p.what, failed)
	case !passes(failed):
		return failed
	}
	unread := p.unread
	p.unread = true
	return p.rest(p.what, time.Time{}, failed, func(waited time.Duration) error {
		if !unread {
			return p.seen(waited)
		}
		return &WaitError{For: p.what, Waited: waited, Err: failed}
	})
}

// passes reports whether a read has failed in a way that another one may not: no answer came in time. A refusal stays one, and
// after a write of unknown outcome there is more to it than a read.
func passes(failed error) bool {
	unanswered := errors.Is(failed, account.ErrNoAnswer) || errors.Is(failed, context.DeadlineExceeded)
	return unanswered && !errors.As(failed, new(*account.UnknownOutcomeError))
}

// rest pauses, after a read that has failed or has not; see [patience.wait].
func (p *patience) rest(what string, due time.Time, failed error, over func(waited time.Duration) error) error {
	now := time.Now()
	left := p.until.Sub(now)
	if p.until.IsZero() || left <= 0 {
		return over(p.waited())
	}
	if p.begun.IsZero() {
		p.begun = now
	}
	p.what, p.op.waited = what, true
	pause := min(p.pause+p.chance(p.pause/4), left)
	if early := due.Sub(now); early > 0 && early < pause {
		pause = early
	}
	p.pause = min(2*p.pause, longestPause)
	if p.tell != nil {
		p.tell(protocol.Progress{For: what, Waited: p.waited(), Pause: pause, Left: left, Failed: failed})
	}
	defer p.op.timed("waiting")()
	select {
	case <-time.After(pause):
		return nil
	case <-p.op.ctx.Done():
		return fmt.Errorf("interrupted while waiting for %s: %w", what, context.Cause(p.op.ctx))
	}
}

// waited returns how long the operation has waited; 0 = not at all.
func (p *patience) waited() time.Duration {
	if p.begun.IsZero() {
		return 0
	}
	return time.Since(p.begun)
}

// TimeoutError says that a claim, update or release ran out of time, or that its caller has given up. What is recorded then
// is found by the same call.
type TimeoutError struct {
	After   time.Duration // how long the operation had gone on
	Writing time.Duration // how much of it went into writes: until it was their turn, and until the server had taken them
	Steps   []string      // say where the time went
	Last    error         // the last answer to a write that was lost on the way; nil = none was
	// Refusal is the server's answer where the last write was refused; nil = it was not.
	Refusal error
	Err     error // what ended it
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("not done after %s", e.After.Round(time.Millisecond))
	if len(e.Steps) > 0 {
		text += " (" + strings.Join(e.Steps, ", ") + ")"
	}
	if e.Last != nil {
		text += fmt.Sprintf(": %v", e.Last)
	}
	if e.Refusal != nil {
		text += fmt.Sprintf(": %v", e.Refusal)
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

// WaitError says that the time for a wait was over, and that the last reads had failed.
type WaitError struct {
	For    string        // what the operation waited for
	Waited time.Duration // how long it did
	Err    error         // why the last read failed
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("waited %s for %s; the last read failed: %v", e.Waited.Round(time.Second), e.For, e.Err)
}

func (e *WaitError) Unwrap() error { return e.Err }

// MaybeAddedError says that an account may have been put into the pool: the answer to the write was lost, and no read has shown it.
type MaybeAddedError struct {
	Account string
	Err     error // has the [account.UnknownOutcomeError]
}

func (e *MaybeAddedError) Error() string { return e.Err.Error() }

func (e *MaybeAddedError) Unwrap() error { return e.Err }
