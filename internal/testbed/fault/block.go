package fault

import (
	"sync"
	"testing"
	"time"
)

// blockTimeout bounds the wait for a request that a Block should hold.
const blockTimeout = 5 * time.Minute

// Block is a fault that holds requests until it is released, so that a test can do something in exactly that moment, such
// as to kill the process that asked. A client that goes while it is held ends its request: held before the commit, the
// Garden never sees it.
type Block struct {
	// Fault is for a [Rule].
	Fault Fault

	held     chan Exchange
	released chan struct{}
	once     sync.Once
}

// BlockBefore holds requests before the Garden sees them.
func BlockBefore() *Block {
	b := newBlock()
	b.Fault = Fault{name: "BlockBefore", serve: func(f *flight) {
		b.hold(f)
		f.forward()
	}}
	return b
}

// BlockAfter holds requests that the Garden has answered, before the client knows.
func BlockAfter() *Block {
	b := newBlock()
	b.Fault = Fault{name: "BlockAfter", serve: func(f *flight) {
		a := f.carriedOut()
		b.hold(f)
		f.deliver(a)
	}}
	return b
}

func newBlock() *Block {
	return &Block{held: make(chan Exchange), released: make(chan struct{})}
}

// Held reports each request that is held, as the log has it at that moment.
func (b *Block) Held() <-chan Exchange { return b.held }

// Wait returns the next request that is held, or ends the test if none comes within five minutes.
func (b *Block) Wait(t testing.TB) Exchange {
	t.Helper()
	select {
	case x := <-b.held:
		return x
	case <-time.After(blockTimeout):
		t.Fatalf("no request came to be held by %s", b.Fault)
		return Exchange{}
	}
}

// Release lets all requests go on that are held, and those that come later. It may be called more than once.
func (b *Block) Release() { b.once.Do(func() { close(b.released) }) }

// hold returns once the request may go on; if the client goes before, the request ends here.
func (b *Block) hold(f *flight) {
	select {
	case b.held <- f.seen():
	case <-b.released:
	case <-f.r.Context().Done():
	case <-f.proxy.closing.Done():
	}
	if !f.wait(b.released) {
		f.cut()
	}
}
