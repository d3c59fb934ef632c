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
	classAccess         = "42" // syntax error, or a violation of access rules
	classFeature        = "0A" // such as a result type that has changed
)

// classesOfTrouble are errors that the server recovers from: connection, transaction rolled back, insufficient
// resources, operator intervention (a statement that took too long is one), system error, internal error.
var classesOfTrouble = []string{"08", "40", "53", "57", "58", "XX"}

// explain turns an error of the client into one of this package.
func (d *Database) explain(err error) error {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) || len(answer.Code) != 5 {
		return &UnreachableError{Place: d.place, Err: d.message(err)}
	}
	shown := d.message(answer)
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

// lacking finds out which columns the table lacks or the role may not read, where the server has complained about that:
// its own message is in the server's language and names one of them. It returns nil where that is not the trouble. Of the view only its
// owner can find out.
func (d *Database) lacking(ctx context.Context, conn *pgx.Conn, from source, err error) error {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return nil
	}
	if from == view && slices.Contains([]string{classAccess, classFeature}, answer.Code[:min(2, len(answer.Code))]) {
		return &ViewError{Place: d.place, Err: d.message(answer)}
	}
	if !slices.Contains([]string{stateForbidden, stateNoTable, stateNoColumn}, answer.Code) {
		return nil
	}
	var (
		missing, forbidden []string
		name               string
		present, readable  bool
	)
	ask := func(source) string { return columnsQuery }
	look := query{of: ask, args: []any{columns}, scan: []any{&name, &present, &readable}, row: func() error {
		switch {
		case !present:
			missing = append(missing, name)
		case !readable:
			forbidden = append(forbidden, name)
		}
		return nil
	}}
	if d.run(ctx, conn, table, look) != nil {
		return d.explain(answer)
	}
	switch {
	case answer.Code == stateNoTable || len(missing) > 0:
		return &MissingError{Place: d.place, Columns: missing, Err: d.message(answer)}
	case len(forbidden) > 0:
		return &ForbiddenError{Place: d.place, Columns: forbidden, Err: d.message(answer)}
	}
	return nil
}

// message is what may be shown of an error. It does not hold the error: those of the client hold the connection text.
type message struct {
	text  string
	cause error
}

func (m *message) Error() string { return m.text }

// Unwrap returns how a context ended, if that was the cause.
func (m *message) Unwrap() error { return m.cause }

// message makes one line of an error, without secrets. Where the client has tried several ways to connect, its error has a
// line for each, often the same one.
func (d *Database) message(err error) *message {
	m := &message{}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) {
			m.cause = ended
		}
	}
	if failed, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		err = errors.Unwrap(failed)
	}
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	m.text = strings.Join(lines, "; ")
	for _, secret := range d.secrets {
		m.text = strings.ReplaceAll(m.text, secret, "(secret)")
	}
	return m
}
