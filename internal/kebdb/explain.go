package kebdb

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// SQLSTATE codes, and the classes that they begin with.
const (
	stateForbidden      = "42501"
	stateNoTable        = "42P01"
	stateNoColumn       = "42703"
	stateNoDatabase     = "3D000"
	classAuthentication = "28"
)

// classesOfTrouble are errors that the server recovers from: connection, transaction rolled back, insufficient
// resources, operator intervention (a statement that took too long is one), system error, internal error.
var classesOfTrouble = []string{"08", "40", "53", "57", "58", "XX"}

// explain says in the terms of this package why a call failed.
func (d *Database) explain(ctx context.Context, err error) error {
	err = because(ctx, err)
	shown := &message{text: d.clean(err), cause: contextError(err)}
	var answer *pgconn.PgError
	if !errors.As(err, &answer) || len(answer.Code) != 5 {
		return &UnreachableError{Place: d.place, Err: shown}
	}
	shown.text = d.redact(answer.Error())
	switch {
	case answer.Code == stateForbidden:
		return &ForbiddenError{Place: d.place, Err: shown}
	case answer.Code == stateNoTable, answer.Code == stateNoColumn:
		return &MissingError{Place: d.place, Err: shown}
	case answer.Code == stateNoDatabase, answer.Code[:2] == classAuthentication:
		return &UnauthorizedError{Place: d.place, Err: shown}
	case slices.Contains(classesOfTrouble, answer.Code[:2]):
		return &UnreachableError{Place: d.place, Err: shown}
	}
	return &RefusedError{Place: d.place, Err: shown}
}

// lacking finds out which columns the table lacks or the role may not read, when the server has complained about that in
// a language of its own; nil where it has not.
func (d *Database) lacking(ctx context.Context, s *session, err error) error {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) || !slices.Contains([]string{stateForbidden, stateNoTable, stateNoColumn}, answer.Code) {
		return nil
	}
	var missing, forbidden []string
	look := query{text: columnsQuery, args: []any{columns}, row: func(rows pgx.Rows) error {
		var name string
		var present, readable bool
		err := rows.Scan(&name, &present, &readable)
		switch {
		case !present:
			missing = append(missing, name)
		case !readable:
			forbidden = append(forbidden, name)
		}
		return err
	}}
	if s.run(ctx, look, d.sessions.query) != nil {
		return d.explain(ctx, err)
	}
	shown := &message{text: d.redact(answer.Error())}
	switch {
	case answer.Code == stateNoTable || len(missing) > 0:
		return &MissingError{Place: d.place, Columns: missing, Err: shown}
	case len(forbidden) > 0:
		return &ForbiddenError{Place: d.place, Columns: forbidden, Err: shown}
	}
	return d.explain(ctx, err)
}

// message is what may be shown of an error. It does not hold the error: those of the client hold the connection text.
type message struct {
	text  string
	cause error
}

// Error returns the text.
func (m *message) Error() string { return m.text }

// Unwrap returns how a context ended, if that was the cause.
func (m *message) Unwrap() error { return m.cause }

func contextError(err error) error {
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded, errClosed} {
		if errors.Is(err, ended) {
			return ended
		}
	}
	return nil
}

// clean makes one line of an error of the client. With several ways to connect, it says the same about each.
func (d *Database) clean(err error) string {
	var failed *pgconn.ConnectError
	if errors.As(err, &failed) {
		err = errors.Unwrap(failed)
	}
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return d.redact(strings.Join(lines, "; "))
}

func (d *Database) redact(text string) string {
	for _, secret := range d.secrets {
		text = strings.ReplaceAll(text, secret, "(secret)")
	}
	return text
}
