package kebdb

import (
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// grants is where users find what the role must be allowed.
const grants = "examples/rbac/database.sql"

// NotConfiguredError says that nothing names a database server.
type NotConfiguredError struct {
	LookedAt []LookedAt // the settings and variables that were read
}

// LookedAt is one setting that was read when a connection was wanted.
type LookedAt struct {
	Name     string // the attribute in the provider block; empty where there is only a variable
	Variable string // the environment variable
	Set      bool
}

func (l LookedAt) String() string {
	name := l.Variable
	if l.Name != "" {
		name = l.Name + " (" + l.Variable + ")"
	}
	if l.Set {
		return name + ": set"
	}
	return name + ": not set"
}

func (e *NotConfiguredError) Error() string {
	lines := make([]string, len(e.LookedAt))
	for i, l := range e.LookedAt {
		lines[i] = "\n  - " + l.String()
	}
	return "no connection to the broker's database is configured: nothing names its host. Looked at:" + strings.Join(lines, "") +
		"\nA URL with a host, PGHOST, or a PGSERVICE whose section names a host is enough. There is no default: localhost is not tried."
}

// SettingError says what is wrong with the connection text. It shows no secret.
type SettingError struct {
	Problem string // what is wrong and what to do
}

func (e *SettingError) Error() string { return "the connection to the broker's database: " + e.Problem }

// UnreachableError says that no usable answer came in time.
type UnreachableError struct {
	Place string // the database and the user, without secrets
	Err   error  // the last cause
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer from %s: %v", e.Place, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// Is makes it a [account.ErrNoAnswer].
func (e *UnreachableError) Is(target error) bool { return target == account.ErrNoAnswer }

// UnauthorizedError says that the server does not let the user in.
type UnauthorizedError struct {
	Place string
	Err   error
}

func (e *UnauthorizedError) Error() string {
	return fmt.Sprintf("not let in to %s: %v", e.Place, e.Err)
}

func (e *UnauthorizedError) Unwrap() error { return e.Err }

// ForbiddenError says what the role may not read.
type ForbiddenError struct {
	Place   string
	Columns []string // of the table instances that it may not read; empty where that could not be found out
	Err     error
}

func (e *ForbiddenError) Error() string {
	what := "table instances"
	if len(e.Columns) > 0 {
		what = columnList(e.Columns) + " of table instances"
	}
	return fmt.Sprintf("not allowed to read %s in %s: %v. The provider reads view %s, or %s where there is no view for it; %s makes the view "+
		"and grants just that", what, e.Place, e.Err, viewName, reads, grants)
}

func (e *ForbiddenError) Unwrap() error { return e.Err }

// MissingError says that the database is not the broker's.
type MissingError struct {
	Place   string
	Columns []string // of the table instances that it does not have; empty = there is no such table for the role
	Err     error
}

func (e *MissingError) Error() string {
	if len(e.Columns) == 0 {
		return fmt.Sprintf("there is neither view %s nor table instances to be seen in %s: %v. The provider reads the view, or %s. It may be "+
			"another database, or the role may lack the grants (%s), or the table's schema is not on its search_path",
			viewName, e.Place, e.Err, reads, grants)
	}
	return fmt.Sprintf("table instances has no %s in %s: %v. The provider reads %s. "+
		"The broker may be older than the column, or this may be another database",
		columnList(e.Columns), e.Place, e.Err, reads)
}

func (e *MissingError) Unwrap() error { return e.Err }

// ViewError says that the view for the provider is there, and cannot be read: its function does not fit the broker's table any more, or the
// owner of the function has lost a right.
type ViewError struct {
	Place string
	Err   error
}

func (e *ViewError) Error() string {
	return fmt.Sprintf("view %s cannot be read in %s: %v. A function reads table instances for it, with the rights of its owner; "+
		"%s makes both", viewName, e.Place, e.Err, grants)
}

func (e *ViewError) Unwrap() error { return e.Err }

// RefusedError says that the server answered with an error of its own; trying again would not help.
type RefusedError struct {
	Place string
	Err   error
}

func (e *RefusedError) Error() string { return fmt.Sprintf("an error in %s: %v", e.Place, e.Err) }

func (e *RefusedError) Unwrap() error { return e.Err }

// columns names columns.
func columnList(names []string) string {
	return words.Noun(len(names), "column") + " " + strings.Join(names, ", ")
}
