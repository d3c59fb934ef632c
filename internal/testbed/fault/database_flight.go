package fault

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// The first message of a connection has no type, only a length and one of these codes, or the version of the protocol.
const (
	cancelRequestCode = 80877102
	sslRequestCode    = 80877103
	gssRequestCode    = 80877104

	maxStartupBytes = 10_000
	// maxQueryBytes bounds what the proxy keeps of one message of a client.
	maxQueryBytes = 64 << 20
	// slowTick is how often a slow connection moves.
	slowTick = 50 * time.Millisecond
)

// databaseFlight is one connection of a client, and the one to the server that belongs to it.
type databaseFlight struct {
	proxy  *DatabaseProxy
	client net.Conn
	ended  context.Context
	end    context.CancelFunc

	mu     sync.Mutex
	server net.Conn

	swallowed  atomic.Bool
	rowBytes   atomic.Int64         // how many have passed since the query under way began
	statements map[string]statement // by name; the pump of the client alone uses them
	hit        atomic.Bool          // the query under way is one that the fault is for
}

// statement is a prepared query.
type statement struct {
	query string
	fresh bool // not run yet
}

func newDatabaseFlight(p *DatabaseProxy, client net.Conn) *databaseFlight {
	f := &databaseFlight{proxy: p, client: client, statements: map[string]statement{}}
	f.ended, f.end = context.WithCancel(p.closing)
	return f
}

// cut ends the connection. It may be called more than once.
func (f *databaseFlight) cut() {
	f.end()
	_ = f.client.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		_ = f.server.Close()
	}
}

// serve carries a connection until either side ends it.
func (f *databaseFlight) serve() {
	if f.proxy.current().kind == blackholeAtConnect {
		f.swallow()
		return
	}
	startup, err := f.readStartup()
	if err != nil {
		return
	}
	if code(startup) == cancelRequestCode {
		f.proxy.noteCancel()
		if f.proxy.current().swallows() {
			f.swallow()
			return
		}
	}
	if err := f.dial(); err != nil {
		return
	}
	if err := f.write(f.server, startup); err != nil {
		return
	}
	var answers sync.WaitGroup
	answers.Go(func() {
		defer f.cut()
		_ = f.pumpAnswers()
	})
	_ = f.pumpQueries()
	f.cut()
	answers.Wait()
}

// readStartup reads the first message. Asked for encryption, the proxy says no, as a server without it does.
func (f *databaseFlight) readStartup() ([]byte, error) {
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(f.client, head); err != nil {
			return nil, err
		}
		size := int(binary.BigEndian.Uint32(head))
		if size < len(head) || size > maxStartupBytes {
			return nil, fmt.Errorf("a first message of %d bytes", size)
		}
		if code(head) == sslRequestCode || code(head) == gssRequestCode {
			if _, err := f.client.Write([]byte("N")); err != nil {
				return nil, err
			}
			continue
		}
		message := make([]byte, size)
		_, err := io.ReadFull(f.client, message[copy(message, head):])
		return message, err
	}
}

func code(message []byte) uint32 { return binary.BigEndian.Uint32(message[4:]) }

func (f *databaseFlight) dial() error {
	server, err := new(net.Dialer).DialContext(f.ended, "tcp", f.proxy.target)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.server = server
	if f.ended.Err() != nil { // cut meanwhile
		_ = server.Close()
	}
	return f.ended.Err()
}

// pumpQueries carries what the client says: a type, a length, and what belongs to it.
func (f *databaseFlight) pumpQueries() error {
	for {
		message, err := readMessage(f.client)
		if err != nil {
			return err
		}
		if query, begins := f.query(message); begins {
			fault := f.proxy.current()
			f.hit.Store(fault.hits(query))
			f.rowBytes.Store(0)
			if f.hit.Load() && fault.kind == blackholeInQuery {
				f.swallow()
				return nil
			}
			if f.hit.Load() && fault.kind == resetInQuery {
				f.swallowed.Store(true) // the client must not have its answer before the reset
				_ = f.write(f.server, message)
				f.reset()
				return nil
			}
		}
		if f.swallowed.Load() {
			f.swallow()
			return nil
		}
		if err := f.write(f.server, message); err != nil {
			return err
		}
	}
}

func readMessage(from io.Reader) ([]byte, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[1:])) - 4
	if size < 0 || size > maxQueryBytes {
		return nil, fmt.Errorf("a message of %d bytes", size)
	}
	message := bytes.NewBuffer(head)
	_, err := io.CopyN(message, from, size)
	return message.Bytes(), err
}

// query notes the query that a message of the client begins, if it begins one.
func (f *databaseFlight) query(message []byte) (query string, begins bool) {
	first, rest := cString(message[5:])
	switch message[0] {
	case 'Q':
		query = first
	case 'P': // of a name and a query
		query, _ = cString(rest)
		f.statements[first] = statement{query: query, fresh: true}
	case 'B': // of a name, and that of what was prepared
		name, _ := cString(rest)
		prepared := f.statements[name]
		query = prepared.query
		if prepared.fresh {
			f.statements[name] = statement{query: query}
			return query, true
		}
	default:
		return "", false
	}
	f.proxy.noteQuery(query)
	return query, true
}

func cString(from []byte) (text string, rest []byte) {
	before, after, _ := bytes.Cut(from, []byte{0})
	return string(before), after
}

// pumpAnswers carries what the server says, in messages of the same form.
func (f *databaseFlight) pumpAnswers() error {
	head := make([]byte, 5)
	for {
		if _, err := io.ReadFull(f.server, head); err != nil {
			return err
		}
		size := int64(binary.BigEndian.Uint32(head[1:])) - 4
		if size < 0 {
			return errors.New("a message without a length")
		}
		if err := f.pumpAnswer(head[0], io.MultiReader(bytes.NewReader(head), io.LimitReader(f.server, size))); err != nil {
			return err
		}
	}
}

func (f *databaseFlight) pumpAnswer(kind byte, message io.Reader) error {
	fault := f.proxy.current()
	if kind == 'D' && fault.kind == blackholeInRow && f.hit.Load() {
		left := max(0, int64(fault.number)-f.rowBytes.Load())
		passed, err := io.Copy(f.client, io.LimitReader(message, left))
		if err != nil {
			return err
		}
		if f.rowBytes.Add(passed) >= int64(fault.number) {
			f.swallowed.Store(true)
		}
	}
	if f.swallowed.Load() {
		_, err := io.Copy(io.Discard, message)
		return err
	}
	_, err := io.Copy(writerFunc(func(p []byte) (int, error) { return len(p), f.write(f.client, p) }), message)
	return err
}

type writerFunc func([]byte) (int, error)

// Write calls the function.
func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

// write writes as fast as the fault allows.
func (f *databaseFlight) write(to io.Writer, p []byte) error {
	for len(p) > 0 {
		part := p
		if fault := f.proxy.current(); fault.kind == slow {
			part = p[:min(len(p), max(1, fault.number*int(slowTick/time.Millisecond)/1000))]
			pause := time.Duration(len(part)) * time.Second / time.Duration(fault.number)
			select {
			case <-time.After(pause):
			case <-f.ended.Done():
				return f.ended.Err()
			}
		}
		if _, err := to.Write(part); err != nil {
			return err
		}
		p = p[len(part):]
	}
	return nil
}

// swallow answers nothing any more, until the client gives up or the connection is cut.
func (f *databaseFlight) swallow() {
	f.swallowed.Store(true)
	_, _ = io.Copy(io.Discard, f.client)
}

// reset ends the connection of the client so that it receives an RST.
func (f *databaseFlight) reset() {
	if connection, is := f.client.(*net.TCPConn); is {
		_ = connection.SetLinger(0)
	}
	_ = f.client.Close()
}
