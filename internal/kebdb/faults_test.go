package kebdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// What a call may take while a fault is injected. A call of a healthy server has the default deadlines: how busy the machine is must
// not decide whether it is served.
const (
	connectLimit = time.Second
	queryLimit   = 1500 * time.Millisecond
)

// through connects over a proxy that can spoil the connection.
func through(t *testing.T, db *postgres.Database) (*Database, *fault.DatabaseProxy) {
	t.Helper()
	proxy := fault.NewDatabaseProxy(t, db)
	return open(t, Settings{URL: proxy.URL(db.ReaderURL())}), proxy
}

// hurried is the same database with other deadlines.
func hurried(d *Database, connect, query time.Duration) *Database {
	h := *d
	h.connect, h.query = connect, query
	return &h
}

// calls are all that reads from the database.
var calls = map[string]func(context.Context, *Database) error{
	"count": func(ctx context.Context, d *Database) error { _, err := d.Count(ctx); return err },
	"users": func(ctx context.Context, d *Database) error { _, err := d.Users(ctx, "a"); return err },
}

// A server that is gone, hangs or breaks off never yields a count, and never an account without users: each call ends with
// an error, in time, and the next one is served as soon as the server is well again.
func TestF12EndsInTimeWhateverTheServerDoes(t *testing.T) {
	t.Parallel()
	faults := []fault.DatabaseFault{
		fault.RefuseConnect(), fault.BlackholeAtConnect(), fault.BlackholeInQuery(), fault.BlackholeInQuery().In("as live"),
		fault.BlackholeInRow(3), fault.BlackholeInRow(12), fault.ResetInQuery(), fault.ResetInQuery().In("as live"),
	}
	db := broker(t, on("a"), on("b"))
	for _, injected := range faults {
		for name, call := range calls {
			t.Run(fmt.Sprintf("%s/%s", injected, name), func(t *testing.T) {
				t.Parallel()
				d, proxy := through(t, db)
				count(t, d)
				proxy.Set(t, injected)
				began := time.Now()
				unreachable := as[*UnreachableError](t, call(t.Context(), hurried(d, connectLimit, queryLimit)))
				within(t, began, connectLimit+queryLimit)
				if !strings.Contains(unreachable.Place, "hap_provider") {
					t.Errorf("the error does not name the user: %v", unreachable)
				}
				proxy.Set(t, fault.DatabaseFault{})
				equal(t, "clusters afterwards", count(t, d).Clusters("a"), 1)
			})
		}
	}
}

// A line that carries 2 KB per second is slow, and not broken: a small answer comes through, a large one does not come in time.
func TestF12SlowLine(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	small := fault.NewDatabaseProxy(t, db)
	small.Set(t, fault.Slow(2048))
	equal(t, "a small count", count(t, open(t, Settings{URL: small.URL(db.ReaderURL())})).Total(), 1)

	rows := make([]postgres.InstanceRow, 400)
	for i := range rows {
		rows[i] = on(fmt.Sprintf("an-account-with-a-rather-long-name-%d", i))
	}
	db.Insert(t, rows...)
	d, proxy := through(t, db)
	equal(t, "count at full speed", count(t, d).Total(), 401)
	proxy.Set(t, fault.Slow(2048))
	began := time.Now()
	_, err := hurried(d, DefaultConnectTimeout, queryLimit).Count(t.Context())
	_ = as[*UnreachableError](t, err)
	within(t, began, DefaultConnectTimeout+queryLimit)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "within 1.5s") {
		t.Errorf("the error does not name the deadline: %v", err)
	}
}

// A call that is cancelled (Ctrl-C) does not wait for the server.
func TestF12CancellationDoesNotWaitForTheServer(t *testing.T) {
	t.Parallel()
	for _, injected := range []fault.DatabaseFault{fault.BlackholeAtConnect(), fault.BlackholeInQuery(), fault.BlackholeInRow(3)} {
		t.Run(injected.String(), func(t *testing.T) {
			t.Parallel()
			db := broker(t, on("a"))
			proxy := fault.NewDatabaseProxy(t, db)
			proxy.Set(t, injected)
			d := open(t, Settings{URL: proxy.URL(db.ReaderURL()), ConnectTimeout: time.Minute, QueryTimeout: time.Minute})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(300*time.Millisecond, cancel)
			began := time.Now()
			_, err := d.Count(ctx)
			_ = as[*UnreachableError](t, err)
			within(t, began, 300*time.Millisecond)
			equal(t, "is a cancellation", errors.Is(err, context.Canceled), true)
		})
	}
}

// A lock on the table, as a migration takes it, holds the count up until the server itself gives up.
func TestF12LockedTable(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	locked := make(chan struct{})
	go func() {
		defer close(locked)
		_, _ = db.Ask(t.Context(), db.URL(), "begin; lock table instances; select pg_sleep(600); commit")
	}()
	const held = "where mode = 'AccessExclusiveLock' and relation = 'instances'::regclass and granted"
	waitFor(t, "the lock", func() bool { return db.Query(t, "select count(*) from pg_locks "+held) == "1" })
	d := open(t, Settings{URL: db.ReaderURL(), QueryTimeout: queryLimit})
	began := time.Now()
	_, err := d.Count(t.Context())
	_ = as[*UnreachableError](t, err)
	within(t, began, queryLimit)
	db.Query(t, "select pg_terminate_backend(pid) from pg_locks "+held) // the migration ends
	<-locked
	equal(t, "clusters afterwards", count(t, d).Clusters("a"), 1)
}

// Of many releases that count at once, two at a time have a connection to the broker's database; the others wait, within their
// deadline.
func TestAtMostTwoConnections(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	proxy := fault.NewDatabaseProxy(t, db)
	d := open(t, Settings{URL: proxy.URL(db.ReaderURL())})
	errs := make(chan error, 20)
	ask := func(ctx context.Context) {
		for range cap(errs) {
			go func() { errs <- calls["users"](ctx, d) }()
		}
	}
	ask(t.Context())
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	equal(t, "connections of 20 calls", proxy.Connections(), 20)

	proxy.Set(t, fault.BlackholeInQuery())
	ctx, cancel := context.WithCancel(t.Context())
	ask(ctx)
	waitFor(t, "two more connections", func() bool { return proxy.Connections() >= 22 })
	time.Sleep(300 * time.Millisecond)
	equal(t, "connections while two calls wait for their answer", proxy.Connections(), 22)
	cancel()
	waited := 0
	for range cap(errs) {
		err := <-errs
		if _ = as[*UnreachableError](t, err); !errors.Is(err, context.Canceled) {
			t.Errorf("after the cancellation: %v", err)
		}
		if strings.Contains(err.Error(), "all 2 connections were in use") {
			waited++
		}
	}
	if waited == 0 {
		t.Error("no error says that all connections were in use")
	}
}

// A call leaves no connection behind: an idle one would be a burden to the broker, and dead when it is needed.
func TestCallsLeaveNoConnection(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	proxy := fault.NewDatabaseProxy(t, db)
	d := open(t, Settings{URL: proxy.URL(db.ReaderURL())})
	for name, call := range calls {
		if err := call(t.Context(), d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		waitFor(t, "the end of the connection", func() bool { return proxy.Open() == 0 })
	}
	db.Exec(t, "revoke execute on function hap.live_clusters() from hap_provider")
	_ = as[*ViewError](t, calls["count"](t.Context(), d))
	waitFor(t, "the end of the connection of a refused call", func() bool { return proxy.Open() == 0 })
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 400 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no sign of %s for 20 s", what)
}
