package kebdb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// maxSessions is how many connections there are at most.
	maxSessions = 2
	// keepIdle is how long a connection is kept for the next call. It is short: one that has been idle for long may be
	// dead without either side knowing.
	keepIdle = 5 * time.Second
	// byeTimeout bounds how long closing a connection may take.
	byeTimeout = time.Second
)

// sessions are the connections to the database. The client's own pool is not used: its Acquire and its Close wait up to
// 15 s for a server that has stopped answering.
type sessions struct {
	config *pgx.ConnConfig
	// connect and query bound the two halves of a call.
	connect, query time.Duration
	slots          chan struct{} // one for every connection in use

	mu     sync.Mutex
	idle   []*session
	closed bool
}

// session is one connection.
type session struct {
	*pgx.Conn
	reused bool
	expiry *time.Timer
}

// acquire returns a connection for one call: an idle one, unless a fresh one is wanted, or a new one.
func (p *sessions) acquire(ctx context.Context, fresh bool) (*session, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("all %d connections were in use: %w", maxSessions, context.Cause(ctx))
	}
	if fresh {
		p.closeIdle()
	} else if s := p.takeIdle(); s != nil {
		return s, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.connect, timeoutError{"connect", p.connect})
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		<-p.slots
		return nil, because(ctx, err)
	}
	return &session{Conn: conn}, nil
}

// release gives a connection back. One that is broken is dropped, as is every one when the pool has been closed.
func (p *sessions) release(s *session) {
	defer func() { <-p.slots }()
	if !s.IsClosed() && s.PgConn().TxStatus() == 'I' && p.keep(s) {
		return
	}
	s.bye()
}

func (p *sessions) keep(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	s.expiry = time.AfterFunc(keepIdle, func() {
		if p.remove(s) {
			s.bye()
		}
	})
	p.idle = append(p.idle, s)
	return true
}

// remove takes a connection out of the idle ones; false = it is not among them any more.
func (p *sessions) remove(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, idle := range p.idle {
		if idle == s {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return true
		}
	}
	return false
}

func (p *sessions) takeIdle() *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	last := len(p.idle) - 1
	s := p.idle[last]
	p.idle = p.idle[:last]
	s.expiry.Stop()
	s.reused = true
	return s
}

func (p *sessions) closeIdle() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, s := range idle {
		s.expiry.Stop()
		s.bye()
	}
}

func (p *sessions) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.closeIdle()
}

// bye closes a connection. One that was broken off in mid-answer is closed in the background by the client, which asks
// the server to stop working on it.
func (s *session) bye() {
	ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
	defer cancel()
	_ = s.Close(ctx)
}
