package journal

import (
	"net/http"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
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
