package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	// firstPause is how long an operation that waits for others pauses before it looks again. Each further pause is twice as
	// long, up to longestPause; up to a quarter comes on top by chance, so that runs which began together do not go on together.
	firstPause   = 5 * time.Second
	longestPause = time.Minute
)

// Progress is told each time an operation pauses because it waits for others.
type Progress struct {
	For    string        // what it waits for
	Waited time.Duration // how long it has waited so far
	Pause  time.Duration // how long it pauses before it looks again
	Left   time.Duration // how long it goes on waiting, at most
}

// patience is the time that an operation has for waiting for others. Waiting holds no lock.
type patience struct {
	op    *operation
	until time.Time // zero = the operation waits for nothing
	begun time.Time // zero = it has not waited yet
	what  string    // for which it waits
	pause time.Duration
	tell  func(Progress) // nil = progress is not told
}

// patience returns the time that the operation may spend on waiting: up to the deadline of its caller, without what its work
// takes behind the wait, and without the time for a last look. A caller without a deadline has no patience.
func (op *operation) patience(work time.Duration, tell func(Progress)) *patience {
	p := &patience{op: op, pause: firstPause, tell: tell}
	if end, limited := op.ctx.Deadline(); limited {
		left := time.Until(end) - work
		p.until = time.Now().Add(left - min(cleanUpTime, left/4))
	}
	return p
}

// wait pauses before the next look. It returns false where the time is over, and an error where the caller has given up.
func (p *patience) wait(what string) (again bool, err error) {
	now := time.Now()
	left := p.until.Sub(now)
	if p.until.IsZero() || left <= 0 {
		return false, nil
	}
	if p.begun.IsZero() {
		p.begun = now
	}
	p.what = what
	pause := min(p.pause+rand.N(p.pause/4), left) //nolint:gosec // chance, not a secret
	p.pause = min(2*p.pause, longestPause)
	if p.tell != nil {
		p.tell(Progress{For: what, Waited: p.waited(), Pause: pause, Left: left})
	}
	defer p.op.timed("waiting")()
	select {
	case <-time.After(pause):
		return true, nil
	case <-p.op.ctx.Done():
		return false, fmt.Errorf("interrupted while waiting for %s: %w", what, context.Cause(p.op.ctx))
	}
}

// cutShort says of a look between two pauses, in which the caller has given up, what the operation waits for.
func (p *patience) cutShort(err error) error {
	if p.begun.IsZero() || !errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("interrupted while waiting for %s: %w", p.what, err)
}

// waited returns how long the operation has waited; 0 = not at all.
func (p *patience) waited() time.Duration {
	if p.begun.IsZero() {
		return 0
	}
	return time.Since(p.begun)
}
