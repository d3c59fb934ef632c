package journal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// loggedTransport logs each request to the Garden, or to the platform cluster. Headers and bodies, which hold tokens and
// credentials, are none of its business.
type loggedTransport struct {
	next    http.RoundTripper
	journal journal
	to      string // such as the Garden
}

// LogRequests puts the log into a connection to the Garden.
func LogRequests(c *kube.Connection) { logRequests(c, "the Garden") }

// LogPlatformRequests puts the log into a connection to the platform cluster.
func LogPlatformRequests(c *kube.Connection) { logRequests(c, "the platform cluster") }

func logRequests(c *kube.Connection, to string) {
	journal := newJournal(logGarden, c.Config.BearerToken, c.Config.Password, string(c.Config.KeyData))
	c.Config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &loggedTransport{next, journal, to} })
}

// RoundTrip passes the request on and notes what was asked and how it ended.
func (t *loggedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	begun := time.Now()
	answer, err := t.next.RoundTrip(req)
	f := fields{"verb": req.Method, "path": req.URL.Path, "duration_ms": time.Since(begun).Milliseconds()}
	if answer != nil {
		f["status"] = answer.StatusCode
	}
	t.journal.tell(req.Context(), "request to "+t.to, f, err)
	return answer, err
}

// WrappedRoundTripper returns the transport below, for client-go, which finds its settings there.
func (t *loggedTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// platformJournal is the log of what becomes of objects on the platform cluster.
var platformJournal = newJournal(logPlatform)

// LogRequest notes what was done with an object on the platform cluster.
func LogRequest(ctx context.Context, what, name string, err error) {
	platformJournal.tell(ctx, what, fields{"request": name}, err)
}

// TellRequest returns what notes each new phase of an object that is waited for, at level info.
func TellRequest(ctx context.Context, name string) func(phase string) {
	return func(phase string) { platformJournal.inform(ctx, "now "+phase, fields{"request": name}) }
}

// shootJournal is the log of what becomes of clusters.
var shootJournal = newJournal(logShoots)

// LogShoot notes what was done with a cluster. Of a refusal it logs the fields: what Gardener says of them quotes the template, in
// which there may be secrets.
func LogShoot(ctx context.Context, what, name string, err error) {
	if refused, ok := errors.AsType[*shoots.RefusedError](err); ok {
		err = fmt.Errorf("Gardener refuses the fields %q", refused.Fields()) //nolint:staticcheck // a name
	}
	shootJournal.tell(ctx, what, fields{"shoot": name}, err)
}

// TellShoot returns what notes each new state of a cluster that is waited for, at level info.
func TellShoot(ctx context.Context, name string) func(shoots.Status) {
	return func(s shoots.Status) {
		f := fields{"shoot": name, "percent": s.Percent}
		if troubles := s.Troubles(); len(troubles) > 0 {
			f["troubles"] = troubles
		}
		shootJournal.inform(ctx, s.String(), f)
	}
}

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
