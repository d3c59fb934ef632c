package kebdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// maxConnections is how many connections there are at a time.
	maxConnections = 2
	// closeTimeout bounds how long closing a connection may take.
	closeTimeout = time.Second
)

// query is one thing to read.
type query struct {
	of   func(source) string // its text
	args []any
	// scan are the places of a row's columns; row is called when they have been filled.
	scan []any
	row  func() error
}

// read runs a query over a connection of its own, wholly or with an error. A run asks a handful of times, so no connection
// is kept: one from an earlier call may be dead, and the client's own pool waits up to 15 s for a server that has stopped
// answering.
func (d *Database) read(ctx context.Context, q query) error {
	limit := d.connect + d.query
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeoutError{"answer", limit})
	defer cancel()
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return d.explain(fmt.Errorf("all %d connections were in use: %w", maxConnections, context.Cause(ctx)))
	}
	conn, err := d.dial(ctx)
	if err != nil {
		return d.explain(err)
	}
	defer hangUp(conn)
	ctx, cancel = context.WithTimeoutCause(ctx, d.query, timeoutError{"answer", d.query})
	defer cancel()
	from, err := d.source(ctx, conn)
	if err == nil {
		err = d.run(ctx, conn, from, q)
	}
	if err == nil {
		return nil
	}
	if lacks := d.lacking(ctx, conn, from, err); lacks != nil {
		return lacks
	}
	return d.explain(because(ctx, err))
}

// source finds out where the rows are read: from the view where there is one for this role, and otherwise from the broker's table.
func (d *Database) source(ctx context.Context, conn *pgx.Conn) (source, error) {
	found := false
	err := d.run(ctx, conn, table, query{of: func(source) string { return viewQuery }, scan: []any{&found}, row: func() error { return nil }})
	if found {
		return view, err
	}
	return table, err
}

func (d *Database) dial(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.connect, timeoutError{"connect", d.connect})
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, d.config)
	if err != nil {
		return nil, because(ctx, err)
	}
	return conn, nil
}

// hangUp closes a connection. The client closes one that was broken off in mid-answer in the background, and asks the
// server to stop working on it.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = conn.Close(ctx)
}

// run runs a query in a read-only transaction that the server itself ends when it takes too long.
func (d *Database) run(ctx context.Context, conn *pgx.Conn, from source, q query) error {
	milliseconds := max(d.query.Milliseconds(), 1)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: fmt.Sprintf("begin transaction read only; "+
		"set local statement_timeout = %d; set local idle_in_transaction_session_timeout = %d", milliseconds, milliseconds)})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // nothing is written: how the transaction ends does not matter
	rows, err := tx.Query(ctx, q.of(from), q.args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, q.scan, q.row)
	return err
}

// timeoutError says which of the two deadlines has passed.
type timeoutError struct {
	what  string
	limit time.Duration
}

func (e timeoutError) Error() string {
	if e.what == "connect" {
		return fmt.Sprintf("no connection within %s", e.limit)
	}
	return fmt.Sprintf("no whole answer within %s", e.limit)
}

// Is makes it a [context.DeadlineExceeded].
func (e timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// because returns why a context ended, if it did, in place of the error that this led to.
func because(ctx context.Context, err error) error {
	var answered *pgconn.PgError
	if ctx.Err() == nil || errors.As(err, &answered) {
		return err
	}
	return context.Cause(ctx)
}
