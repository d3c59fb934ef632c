package ledger

import (
	"context"
	"slices"
	"time"
)

const (
	// planTime bounds the wait for what the same plan does with another object, pause is the time between two checks.
	planTime = 6 * time.Second
	pause    = 20 * time.Millisecond
	// maxWaiting is how many objects of a plan wait at once: Terraform plans ten at a time, and the rest need places among them.
	maxWaiting = 4
)

// AwaitPlanned waits for a moment until this plan was seen to make an object. The caller has noted its end before: where it is made, the
// clash is reported there.
func (l *Ledger) AwaitPlanned(ctx context.Context, o Object) bool {
	is, _ := l.await(ctx, func() bool { return l.Planned(o) })
	return is
}

// AwaitDestroyed waits for a moment until this plan was seen to destroy all of these objects, see [Ledger.Destroyed]. What goes together is
// planned in no order. sure = the answer can be relied on; otherwise too many objects wait already.
func (l *Ledger) AwaitDestroyed(ctx context.Context, objects ...Object) (all, sure bool) {
	return l.await(ctx, func() bool { return !slices.ContainsFunc(objects, func(o Object) bool { return !l.Destroyed(o) }) })
}

// AwaitChange waits for a moment until this plan was seen to make, change or destroy an object of one of these types. sure = the answer can
// be relied on; otherwise too many objects wait already.
func (l *Ledger) AwaitChange(ctx context.Context, kinds ...string) (changes, sure bool) {
	return l.await(ctx, func() bool {
		return slices.ContainsFunc(kinds, func(kind string) bool { return l.has(changing, Object{Type: kind}) })
	})
}

// await waits for a moment until the plan has done something.
func (l *Ledger) await(ctx context.Context, done func() bool) (yes, sure bool) {
	defer l.waiting.Add(-1)
	sure = l.waiting.Add(1) <= maxWaiting
	for end := time.Now().Add(planTime); ; time.Sleep(pause) {
		if yes = done(); yes || !sure || time.Now().After(end) || ctx.Err() != nil {
			return yes, sure
		}
	}
}
