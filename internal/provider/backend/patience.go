package backend

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// planTime bounds the wait for what the same plan says of another object, planPause is the pause between two checks.
	planTime  = 3 * time.Second
	planPause = 20 * time.Millisecond
	// maxWaiting is how many objects of a plan wait at once: Terraform plans ten at a time, and the rest need places among them.
	maxWaiting = 4
)

// patience is how long the objects of a plan wait for what the plan says of others: they are planned in no order. Its zero value is ready.
type patience struct{ waiting atomic.Int32 }

// until waits for a moment until the plan has said something; sure = the answer can be relied on, otherwise too many objects wait already.
func (p *patience) until(ctx context.Context, said func() bool) (yes, sure bool) {
	defer p.waiting.Add(-1)
	sure = p.waiting.Add(1) <= maxWaiting
	for end := time.Now().Add(planTime); ; time.Sleep(planPause) {
		if yes = said(); yes || !sure || time.Now().After(end) || ctx.Err() != nil {
			return yes, sure
		}
	}
}
