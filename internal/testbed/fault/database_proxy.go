package fault

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// DatabaseProxy is in front of a PostgreSQL server, notes the connections and their queries, and spoils them as its fault
// says. It reads what passes, so it offers no TLS.
type DatabaseProxy struct {
	target string
	port   *local.ReservedPort

	closing context.Context // over when the proxy closes: no connection outlives it
	close   context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	listener net.Listener // nil while connections are refused
	fault    DatabaseFault
	open     map[*databaseFlight]struct{}
	accepted int
	cancels  int
	queries  []string
}

// NewDatabaseProxy starts a proxy before the server of a database that ends with the test.
func NewDatabaseProxy(t testing.TB, d *postgres.Database) *DatabaseProxy {
	t.Helper()
	p, err := MakeDatabaseProxy(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// MakeDatabaseProxy is NewDatabaseProxy for programs; the caller closes it.
func MakeDatabaseProxy(d *postgres.Database) (*DatabaseProxy, error) {
	p := &DatabaseProxy{target: d.Addr(), open: map[*databaseFlight]struct{}{}}
	p.closing, p.close = context.WithCancel(context.Background())
	port, err := local.ReservePort() // no other test's server gets it while connections are refused
	if err != nil {
		return nil, fmt.Errorf("starting the proxy of the database: %w", err)
	}
	p.port = port
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.listen(); err != nil {
		return nil, fmt.Errorf("starting the proxy of the database: %w", errors.Join(err, port.Close()))
	}
	return p, nil
}

// URL is a URL of the database, led through the proxy.
func (p *DatabaseProxy) URL(of string) string {
	u, err := url.Parse(of)
	if err != nil {
		panic(err) // the databases make them
	}
	u.Host = p.port.String()
	return u.String()
}

// Addr is the address of the proxy.
func (p *DatabaseProxy) Addr() string { return p.port.String() }

// Set makes the proxy do something else from now on, also to open connections. What is swallowed stays swallowed.
func (p *DatabaseProxy) Set(t testing.TB, fault DatabaseFault) {
	t.Helper()
	if err := p.SetFault(fault); err != nil {
		t.Fatal(err)
	}
}

// SetFault is Set for programs.
func (p *DatabaseProxy) SetFault(fault DatabaseFault) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
	if fault.kind != refuseConnect {
		return p.listen()
	}
	p.refuse()
	return nil
}

// Connections says how many connections have come so far, without those that only ask to cancel a query.
func (p *DatabaseProxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted - p.cancels
}

// Open says how many connections are open.
func (p *DatabaseProxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

// Cancels says how many connections have come that only ask to cancel a query.
func (p *DatabaseProxy) Cancels() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cancels
}

// Queries lists what clients have asked so far, in the order it came: each simple query, and each run of a prepared one,
// the first of which is noted when it is prepared.
func (p *DatabaseProxy) Queries() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.queries)
}

// Close cuts all connections and returns once none is left. It may be called more than once.
func (p *DatabaseProxy) Close() {
	p.close()
	p.mu.Lock()
	p.refuse()
	if !p.closed {
		_ = p.port.Close()
	}
	p.closed = true
	p.mu.Unlock()
	p.running.Wait()
}

// listen begins to accept connections; p.mu is held.
func (p *DatabaseProxy) listen() error {
	if p.listener != nil || p.closed {
		return nil
	}
	listener, err := p.port.Listen(p.closing)
	if err != nil {
		return err
	}
	p.listener = listener
	p.running.Go(func() { p.accept(listener) })
	return nil
}

// refuse ends what listen began, and cuts open connections; p.mu is held.
func (p *DatabaseProxy) refuse() {
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	for flight := range p.open {
		flight.cut()
	}
}

func (p *DatabaseProxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		flight := newDatabaseFlight(p, client)
		if !p.admit(listener, flight) {
			_ = client.Close()
			return
		}
		p.running.Go(func() {
			defer p.leave(flight)
			flight.serve()
		})
	}
}

// admit notes a connection, unless the proxy has stopped to listen in the meantime.
func (p *DatabaseProxy) admit(listener net.Listener, flight *databaseFlight) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != listener {
		return false
	}
	p.accepted++
	p.open[flight] = struct{}{}
	return true
}

func (p *DatabaseProxy) leave(flight *databaseFlight) {
	flight.cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, flight)
}

func (p *DatabaseProxy) current() DatabaseFault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

func (p *DatabaseProxy) noteQuery(query string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queries = append(p.queries, query)
}

func (p *DatabaseProxy) noteCancel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancels++
}
