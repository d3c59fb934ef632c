package pool

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// maxWriting is how many writes of one process a server has at a time. Where Gardener checks references each takes 0.4 seconds, one after
// the other, and one that would take more than 34 seconds is turned away, perhaps when half of its time at the server was used up. This
// many leave room for other runs, and keep a server busy that has no such limit.
const maxWriting = 32

// turns lets a bounded number of operations write at a time; those that wait get their turn in their order.
type turns chan struct{}

// writes reports whether a step is a write.
func writes(s protocol.Step) bool {
	switch s.(type) {
	case protocol.Write, protocol.Create, protocol.Delete:
		return true
	}
	return false
}

// inTurn does one step, a write when it is the turn of the operation. Where it had to wait for that, or for another operation of its
// tenant, again says that the step was judged by what is old by now, and was not done: the operation is asked anew, and has its turn until
// its write is done or it waits for others.
func (e *engine) inTurn(p protocol.Steps, did protocol.Step) (came protocol.Answer, again bool) {
	defer e.unreserve()
	if writes(did) {
		if !p.CleansUp() { // what cleans up has little time, and is seldom
			waited, err := e.takeTurn()
			if err != nil || waited {
				p.Waited()
				return protocol.Answer{Err: e.op.withLost(err)}, err == nil
			}
		}
		defer e.endTurn()
	}
	if came, again = e.do(p, did); again {
		p.Waited()
	}
	return came, again
}

// takeTurn waits until the operation may write, and reports whether it had to wait. The lock of the tenant comes first, and what waits for
// its turn reserves no account: so an operation that others wait for goes on.
func (e *engine) takeTurn() (waited bool, err error) {
	if e.turn {
		return false, nil
	}
	if waited, err = e.hold(e.op.ctx); err != nil {
		return waited, err
	}
	select {
	case e.pool.turns <- struct{}{}:
		e.turn = true
		return waited, nil
	default:
	}
	e.unreserve()
	defer e.op.timedWrite("waiting for other writes of this run")()
	select {
	case e.pool.turns <- struct{}{}:
		e.turn = true
		return true, nil
	case <-e.op.ctx.Done():
		return true, context.Cause(e.op.ctx)
	}
}

// endTurn lets another operation write.
func (e *engine) endTurn() {
	if e.turn {
		<-e.pool.turns
		e.turn = false
	}
}
