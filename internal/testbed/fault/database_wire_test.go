package fault

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// underWay is a script of psql under way.
type underWay struct {
	cancel context.CancelFunc
	answer chan databaseAnswer
}

type databaseAnswer struct {
	output string
	err    error
}

func ask(t *testing.T, d *postgres.Database, url, sql string) *underWay {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	a := &underWay{cancel: cancel, answer: make(chan databaseAnswer, 1)}
	go func() {
		output, err := d.Ask(ctx, url, sql)
		a.answer <- databaseAnswer{output, err}
	}()
	return a
}

func (a *underWay) wait(t *testing.T) databaseAnswer {
	t.Helper()
	select {
	case answer := <-a.answer:
		return answer
	case <-time.After(time.Minute):
		t.Fatal("psql does not end")
		return databaseAnswer{}
	}
}

// expectSilence sees that psql goes on waiting.
func (a *underWay) expectSilence(t *testing.T) {
	t.Helper()
	select {
	case answer := <-a.answer:
		t.Fatalf("psql has ended: %q, %v", answer.output, answer.err)
	case <-time.After(silence):
	}
}

// giveUp kills psql.
func (a *underWay) giveUp(t *testing.T) databaseAnswer {
	t.Helper()
	a.cancel()
	return a.wait(t)
}

// sameQueries compares without the semicolons, which psql keeps or drops as it likes.
func sameQueries(got, want []string) bool {
	return slices.EqualFunc(got, want, func(a, b string) bool {
		return strings.Trim(a, "; \n") == strings.Trim(b, "; \n")
	})
}

// wire passes one connection on and keeps what the server says.
type wire struct {
	address string
	mu      sync.Mutex
	said    bytes.Buffer
	ended   chan error // why the server's half is over
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	w := &wire{address: listener.Addr().String(), ended: make(chan error, 1)}
	go func() {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", target)
		if err != nil {
			_ = client.Close()
			return
		}
		go func() {
			_, _ = io.Copy(server, client)
			_ = server.Close()
		}()
		_, err = io.Copy(io.MultiWriter(client, w), server)
		w.ended <- err
		_ = client.Close()
	}()
	return w
}

// Write keeps what the server says.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.Write(p)
}

// rowBytes counts the bytes of row messages, of the last one as far as it came.
func (w *wire) rowBytes(t *testing.T) int {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := 0
	for said := w.said.Bytes(); len(said) > 0; {
		size := len(said)
		if len(said) >= 5 {
			size = min(len(said), 1+int(binary.BigEndian.Uint32(said[1:])))
		}
		if said[0] == 'D' {
			rows += size
		}
		said = said[size:]
	}
	return rows
}
