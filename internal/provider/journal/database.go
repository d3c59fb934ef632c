package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// loggedCounter logs each query of the broker's database. Neither the query nor the answer, nor an
// error of it, holds a password.
type loggedCounter struct {
	database
	journal journal
}

// database is a counter that says where it is, without secrets.
type database interface {
	pool.Counter
	fmt.Stringer
}

// LogQueries puts the log before a database.
func LogQueries(d database, secrets ...string) pool.Counter {
	return &loggedCounter{d, newJournal(logDatabase, secrets...)}
}

// Count counts, and notes that it did.
func (c *loggedCounter) Count(ctx context.Context) (account.Counts, error) {
	begun := time.Now()
	counts, err := c.database.Count(ctx)
	c.tell(ctx, "count of all clusters", begun, fields{}, err)
	return counts, err
}

// Users reads the users of an account, and notes how many there are.
func (c *loggedCounter) Users(ctx context.Context, bindings ...string) ([]account.User, error) {
	begun := time.Now()
	users, err := c.database.Users(ctx, bindings...)
	c.tell(ctx, "clusters of an account", begun, fields{"account": bindings[0], "clusters": len(users)}, err)
	return users, err
}

func (c *loggedCounter) tell(ctx context.Context, message string, begun time.Time, f fields, err error) {
	f["database"], f["duration_ms"] = c.String(), time.Since(begun).Milliseconds()
	c.journal.tell(ctx, message, f, err)
}
