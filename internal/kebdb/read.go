package kebdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// query is one thing to read.
type query struct {
	text string
	args []any
	// begin is called before the rows are read: once more where a connection turned out to be dead.
	begin func()
	// row reads one row.
	row func(pgx.Rows) error
}

// read runs a query, wholly or with an error. A connection that was kept from an earlier call may have died meanwhile;
// only then there is a second try, over a new one and within the same deadline.
func (d *Database) read(ctx context.Context, q query) error {
	limit := d.sessions.connect + d.sessions.query
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeoutError{"answer", limit})
	defer cancel()
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	defer context.AfterFunc(d.life, func() { abandon(errClosed) })()

	retry, err := d.try(ctx, q, false)
	if retry && ctx.Err() == nil {
		_, err = d.try(ctx, q, true)
	}
	return err
}

// try runs a query once. It reports whether it failed because a kept connection had died.
func (d *Database) try(ctx context.Context, q query, fresh bool) (dead bool, err error) {
	if d.life.Err() != nil {
		return false, d.explain(ctx, errClosed)
	}
	s, err := d.sessions.acquire(ctx, fresh)
	if err != nil {
		return false, d.explain(ctx, err)
	}
	defer d.sessions.release(s)
	q.begin()
	inQuery, cancel := context.WithTimeoutCause(ctx, d.sessions.query, timeoutError{"answer", d.sessions.query})
	defer cancel()
	if err = s.run(inQuery, q, d.sessions.query); err == nil {
		return false, nil
	}
	if dead = s.reused && s.IsClosed() && inQuery.Err() == nil; dead {
		return true, d.explain(ctx, err)
	}
	if lacks := d.lacking(inQuery, s, err); lacks != nil {
		return false, lacks
	}
	return false, d.explain(ctx, because(inQuery, err))
}

// run runs a query in a read-only transaction that the server itself ends when it takes too long.
func (s *session) run(ctx context.Context, q query, limit time.Duration) error {
	milliseconds := max(limit.Milliseconds(), 1)
	tx, err := s.BeginTx(ctx, pgx.TxOptions{BeginQuery: fmt.Sprintf(
		"begin transaction read only; set local statement_timeout = %d; set local idle_in_transaction_session_timeout = %d", milliseconds, milliseconds)})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // nothing is written: how the transaction ends does not matter
	rows, err := tx.Query(ctx, q.text, q.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := q.row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// timeoutError says which deadline of ours has passed.
type timeoutError struct {
	what  string
	limit time.Duration
}

// Error names the deadline.
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
