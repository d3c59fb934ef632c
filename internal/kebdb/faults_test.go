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

// What a call may take in these tests.
const (
	connectLimit = time.Second
	queryLimit   = 1500 * time.Millisecond
)

// through connects over a proxy that can spoil the connection.
func through(t *testing.T, db *postgres.Database) (*Database, *fault.DatabaseProxy) {
	t.Helper()
	proxy := fault.NewDatabaseProxy(t, db)
	return open(t, Settings{URL: proxy.URL(db.ReaderURL()), ConnectTimeout: connectLimit, QueryTimeout: queryLimit}), proxy
}

// calls are all that reads from the database.
var calls = map[string]func(context.Context, *Database) error{
	"count": func(ctx context.Context, d *Database) error { _, err := d.Count(ctx); return err },
	"users": func(ctx context.Context, d *Database) error { _, err := d.Users(ctx, "a"); return err },
}

// A server that is gone, hangs or breaks off never yields a count, nor the news that an account is free: each call ends
// with an error, in time, and the next one is served as soon as the server is well again.
func TestF12EndsInTimeWhateverTheServerDoes(t *testing.T) {
	t.Parallel()
	faults := []fault.DatabaseFault{
		fault.RefuseConnect(), fault.BlackholeAtConnect(), fault.BlackholeInQuery(), fault.BlackholeInQuery().In("from instances"),
		fault.BlackholeInRow(3), fault.BlackholeInRow(12), fault.ResetInQuery(), fault.ResetInQuery().In("from instances"),
	}
	db := broker(t, on("a"), on("b"))
	for _, injected := range faults {
		for _, kept := range []bool{false, true} {
			for name, call := range calls {
				t.Run(fmt.Sprintf("%s/%s/kept=%v", injected, name, kept), func(t *testing.T) {
					t.Parallel()
					d, proxy := through(t, db)
					if kept { // there is a connection from before
						count(t, d)
					}
					if kept && injected == fault.BlackholeAtConnect() {
						d.sessions.closeIdle()
					}
					proxy.Set(t, injected)
					began := time.Now()
					unreachable := as[*UnreachableError](t, call(t.Context(), d))
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
	_, err := d.Count(t.Context())
	_ = as[*UnreachableError](t, err)
	within(t, began, connectLimit+queryLimit)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "within 1.5s") {
		t.Errorf("the error does not name the deadline: %v", err)
	}
}

// Whoever presses Ctrl-C does not wait for the server.
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
		_, _ = db.Ask(t.Context(), db.URL(), "begin; lock table instances; select pg_sleep(3); commit")
	}()
	waitFor(t, "the lock", func() bool {
		return db.Query(t, "select count(*) from pg_locks where mode = 'AccessExclusiveLock' and relation = 'instances'::regclass and granted") == "1"
	})
	d := open(t, Settings{URL: db.ReaderURL(), QueryTimeout: queryLimit})
	began := time.Now()
	_, err := d.Count(t.Context())
	_ = as[*UnreachableError](t, err)
	within(t, began, queryLimit)
	<-locked
	equal(t, "clusters afterwards", count(t, d).Clusters("a"), 1)
}

// A connection that was kept may be cut by the server meanwhile. That is no reason to fail.
func TestF12KeptConnectionIsCut(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	d, proxy := through(t, db)
	count(t, d)
	db.Exec(t, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'hap_provider' and datname = current_database()")
	equal(t, "clusters", count(t, d).Clusters("a"), 1)
	proxy.Set(t, fault.RefuseConnect()) // cuts what stands
	proxy.Set(t, fault.DatabaseFault{})
	equal(t, "clusters", count(t, d).Clusters("a"), 1)
	equal(t, "connections", proxy.Connections(), 3)
}

// However many releases look at once, the broker's database sees two connections.
func TestAtMostTwoConnections(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	proxy := fault.NewDatabaseProxy(t, db)
	d := open(t, Settings{URL: proxy.URL(db.ReaderURL())})
	errs := make(chan error, 20)
	for range cap(errs) {
		go func() { errs <- calls["users"](t.Context(), d) }()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	equal(t, "connections", proxy.Connections(), 2)
}

// Close leaves no connection behind, ends what is under way, and does not wait for a server that is silent.
func TestClose(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	proxy := fault.NewDatabaseProxy(t, db)
	d := open(t, Settings{URL: proxy.URL(db.ReaderURL())})
	count(t, d)
	began := time.Now()
	d.Close()
	waitFor(t, "the end of the connection", func() bool { return proxy.Open() == 0 })
	if time.Since(began) >= keepIdle {
		t.Error("the connection stayed until it had been idle for long")
	}

	d = open(t, Settings{URL: proxy.URL(db.ReaderURL())})
	count(t, d)
	proxy.Set(t, fault.BlackholeInQuery())
	before := len(proxy.Queries())
	under := make(chan error, 1)
	go func() { under <- calls["count"](t.Context(), d) }()
	waitFor(t, "the query", func() bool { return len(proxy.Queries()) > before })
	began = time.Now()
	d.Close()
	for _, err := range []error{<-under, calls["users"](t.Context(), d)} {
		_ = as[*UnreachableError](t, err)
		if !errors.Is(err, errClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	within(t, began, 0)
}

// An idle connection is given up soon: it would be a burden to the broker, and dead when it is needed.
func TestIdleConnectionsAreGivenUp(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	proxy := fault.NewDatabaseProxy(t, db)
	d := open(t, Settings{URL: proxy.URL(db.ReaderURL())})
	count(t, d)
	equal(t, "connections right after", proxy.Open(), 1)
	waitFor(t, "the end of the connection", func() bool { return proxy.Open() == 0 })
	equal(t, "clusters afterwards", count(t, d).Clusters("a"), 1)
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
