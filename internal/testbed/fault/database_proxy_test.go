package fault

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// silence is how long nothing may happen for a connection to count as hanging.
const silence = 300 * time.Millisecond

func TestDatabaseProxyPassesAndNotes(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	d.Insert(t, postgres.InstanceRow{ID: "one"}, postgres.InstanceRow{ID: "two"})
	p := NewDatabaseProxy(t, d)
	url := strings.Replace(p.URL(d.ReaderURL()), "sslmode=disable", "sslmode=prefer", 1)
	for range 2 {
		got, err := d.Ask(t.Context(), url, "SELECT 1; SELECT count(instance_id) FROM hap.clusters")
		if err != nil || got != "1\n2" {
			t.Errorf("got %q (%v)", got, err)
		}
	}
	if p.Connections() != 2 || p.Cancels() != 0 {
		t.Errorf("%d connections and %d cancels instead of 2 and 0", p.Connections(), p.Cancels())
	}
	want := []string{"SELECT 1;", "SELECT count(instance_id) FROM hap.clusters"}
	if got := p.Queries(); !sameQueries(got, slices.Concat(want, want)) {
		t.Errorf("queries %q", got)
	}
	expect.Eventually(t, "all connections are gone", func() bool { return p.Open() == 0 })
}

func TestDatabaseProxyEncryptionIsRefused(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	url := strings.Replace(NewDatabaseProxy(t, d).URL(d.ReaderURL()), "sslmode=disable", "sslmode=require", 1)
	_, err := d.Ask(t.Context(), url, "SELECT 1")
	expect.Error(t, err, "does not support SSL")
}

func TestDatabaseProxyRefuseConnect(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	p := NewDatabaseProxy(t, d)
	standing := ask(t, d, p.URL(d.ReaderURL()), "SELECT 1; SELECT pg_sleep(60)")
	expect.Eventually(t, "a query is under way", func() bool { return len(p.Queries()) == 2 })

	p.Set(t, RefuseConnect())
	if answer := standing.wait(t); answer.err == nil {
		t.Errorf("the open connection was not cut: %q", answer.output)
	}
	_, err := d.Ask(t.Context(), p.URL(d.ReaderURL()), "SELECT 1")
	expect.Error(t, err, "Connection refused")
	if other, err := net.Listen("tcp", p.Addr()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("another server got the port of the refusing proxy (%v, %v): a client that is to be refused reaches it", other, err)
	}

	p.Set(t, DatabaseFault{})
	if got, err := d.Ask(t.Context(), p.URL(d.ReaderURL()), "SELECT 1"); err != nil || got != "1" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

func TestDatabaseProxyBlackholeAtConnect(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	p := NewDatabaseProxy(t, d)
	p.Set(t, BlackholeAtConnect())
	a := ask(t, d, p.URL(d.ReaderURL()), "SELECT 1")
	expect.Eventually(t, "a connection has come", func() bool { return p.Connections() == 1 })
	a.expectSilence(t)
	p.Set(t, DatabaseFault{})
	a.expectSilence(t) // what is swallowed stays swallowed
	a.giveUp(t)
	expect.Eventually(t, "the connection is gone", func() bool { return p.Open() == 0 })
	if got := p.Queries(); len(got) > 0 {
		t.Errorf("it came to queries: %q", got)
	}
}

func TestDatabaseProxyBlackholeInQuery(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	p := NewDatabaseProxy(t, d)
	p.Set(t, BlackholeInQuery())
	a := ask(t, d, p.URL(d.ReaderURL()), "SELECT 1")
	expect.Eventually(t, "a query has come", func() bool { return len(p.Queries()) == 1 })
	a.expectSilence(t)
	a.giveUp(t)

	p.Set(t, BlackholeInQuery().In("clusters"))
	a = ask(t, d, p.URL(d.ReaderURL()), "SELECT 1; SELECT instance_id FROM hap.clusters")
	expect.Eventually(t, "the query has come", func() bool { return len(p.Queries()) == 3 })
	a.expectSilence(t)
	if answer := a.giveUp(t); answer.output != "1" {
		t.Errorf("the query that should pass said %q", answer.output)
	}
}

func TestDatabaseProxyBlackholeInRow(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	d.Insert(t, postgres.InstanceRow{ID: "one"}, postgres.InstanceRow{ID: "two"})
	p := NewDatabaseProxy(t, d)
	// A row of one column with three characters: 7 bytes, 4 bytes, 3 bytes.
	for _, passes := range []int{0, 3, 10, 14, 20} {
		w := newWire(t, p.Addr())
		p.Set(t, BlackholeInRow(passes).In("clusters"))
		url := strings.Replace(p.URL(d.ReaderURL()), p.Addr(), w.address, 1)
		before := len(p.Queries())
		a := ask(t, d, url, "SELECT 1; SELECT instance_id FROM hap.clusters ORDER BY 1")
		expect.Eventually(t, "the query has come", func() bool { return len(p.Queries()) == before+2 })
		a.expectSilence(t)
		a.giveUp(t)
		// The row of SELECT 1 comes before: it has 12 bytes.
		if got := w.rowBytes(t) - 12; got != passes {
			t.Errorf("%d bytes of rows passed instead of %d", got, passes)
		}
	}
	// What passes is counted anew for each query.
	p.Set(t, BlackholeInRow(20))
	const short = "SELECT instance_id FROM hap.clusters ORDER BY 1 LIMIT 1;"
	if got, err := d.Ask(t.Context(), p.URL(d.ReaderURL()), short+short); err != nil || got != "one\none" {
		t.Errorf("two shorter answers: %q, %v", got, err)
	}
}

func TestDatabaseProxyResetInQuery(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	p := NewDatabaseProxy(t, d)
	p.Set(t, ResetInQuery().In("clusters"))
	w := newWire(t, p.Addr())
	url := strings.Replace(p.URL(d.ReaderURL()), p.Addr(), w.address, 1)
	got, err := d.Ask(t.Context(), url, "SELECT 1; SELECT count(instance_id) FROM hap.clusters")
	expect.Error(t, err, "server closed the connection unexpectedly")
	if got != "1" {
		t.Errorf("before the reset: %q", got)
	}
	if err := <-w.ended; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended by %v", err)
	}
}

func TestDatabaseProxySlow(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	p := NewDatabaseProxy(t, d)
	p.Set(t, Slow(40_000))
	began := time.Now()
	got, err := d.Ask(t.Context(), p.URL(d.ReaderURL()), "SELECT repeat('x', 20000)")
	if err != nil || len(got) != 20_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if took := time.Since(began); took < 400*time.Millisecond {
		t.Errorf("20,000 bytes at 40,000 per second took %s", took)
	}
}

func TestDatabaseProxyCancels(t *testing.T) {
	t.Parallel()
	p := NewDatabaseProxy(t, postgres.Shared(t).NewDatabase(t))
	if _, err := sendCancel(t, p).Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("a cancel that passes is answered by the end of the connection, not by %v", err)
	}
	if p.Cancels() != 1 || p.Connections() != 0 {
		t.Errorf("%d cancels and %d connections instead of 1 and 0", p.Cancels(), p.Connections())
	}
	p.Set(t, BlackholeInQuery())
	swallowed := sendCancel(t, p)
	expect.Eventually(t, "the cancel has come", func() bool { return p.Cancels() == 2 })
	if err := swallowed.SetReadDeadline(time.Now().Add(silence)); err != nil {
		t.Fatal(err)
	}
	if _, err := swallowed.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the cancel was not swallowed: %v", err)
	}
}

// sendCancel asks to cancel a query that does not exist.
func sendCancel(t *testing.T, p *DatabaseProxy) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	var message []byte
	for _, word := range []uint32{16, cancelRequestCode, 1, 1} {
		message = binary.BigEndian.AppendUint32(message, word)
	}
	if _, err := connection.Write(message); err != nil {
		t.Fatal(err)
	}
	return connection
}

// A prepared query counts each time it runs, and once if it is prepared and run.
func TestDatabaseProxyNotesPreparedQueries(t *testing.T) {
	t.Parallel()
	p := &DatabaseProxy{}
	f := newDatabaseFlight(&DatabaseProxy{closing: t.Context()}, nil)
	f.proxy = p
	for _, message := range []string{
		"P0000\x00SELECT 1\x00\x00\x00", "D0000S\x00", "B0000\x00\x00", "E0000\x00", "S0000",
		"P0000s1\x00SELECT 2\x00\x00\x00", "S0000", "B0000portal\x00s1\x00", "E0000portal\x00", "B0000\x00s1\x00",
		"Q0000BEGIN\x00", "p0000password\x00", "X0000",
	} {
		_, _ = f.query([]byte(message))
	}
	if want := []string{"SELECT 1", "SELECT 2", "SELECT 2", "BEGIN"}; !slices.Equal(p.Queries(), want) {
		t.Errorf("got %q instead of %q", p.Queries(), want)
	}
}

func TestDatabaseProxyClose(t *testing.T) {
	t.Parallel()
	d := postgres.Shared(t).NewDatabase(t)
	p, err := MakeDatabaseProxy(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetFault(BlackholeInQuery()); err != nil {
		t.Fatal(err)
	}
	a := ask(t, d, p.URL(d.ReaderURL()), "SELECT 1")
	expect.Eventually(t, "a query has come", func() bool { return len(p.Queries()) == 1 })
	for range 2 {
		p.Close()
	}
	if answer := a.wait(t); answer.err == nil {
		t.Errorf("an answer of a proxy that is closed: %q", answer.output)
	}
	if p.Open() != 0 {
		t.Errorf("%d connections are left", p.Open())
	}
	_, err = d.Ask(t.Context(), p.URL(d.ReaderURL()), "SELECT 1")
	expect.Error(t, err, "Connection refused")
}
