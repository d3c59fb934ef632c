package kebdb

import (
	"cmp"
	"encoding"
	"fmt"
	"io"
	"time"
)

// The time that a call may take unless the settings say otherwise: 30 s in all.
const (
	DefaultConnectTimeout = 10 * time.Second
	DefaultQueryTimeout   = 20 * time.Second
)

// Settings say which database to read. They show no secret, however they are printed.
type Settings struct {
	// URL is a connection URL (postgres://user:password@host:port/database?sslmode=verify-full) or keyword=value text,
	// as libpq understands them. What it leaves out comes from the variables PG* of the environment, the service file and
	// the password file, as it does for psql; empty, all of it does. Secret.
	URL string
	// ConnectTimeout bounds how long a connection may take until it can be used; 0 = [DefaultConnectTimeout]. A shorter
	// connect_timeout of the URL holds for each of its hosts.
	ConnectTimeout time.Duration
	// QueryTimeout bounds how long the answer to a query may take, wholly read; 0 = [DefaultQueryTimeout].
	QueryTimeout time.Duration
	// Getenv says which variables are set; nil = [os.Getenv]. Their values are read from the process's environment.
	Getenv func(string) string
}

var (
	_ fmt.Formatter          = Settings{}
	_ encoding.TextMarshaler = Settings{}
)

// String says whether a URL is set, and the deadlines.
func (s Settings) String() string {
	url := "not set"
	if s.URL != "" {
		url = "set"
	}
	connect, query := s.timeouts()
	return fmt.Sprintf("kebdb.Settings{URL %s, connect %s, query %s}", url, connect, query)
}

// Format prints what String returns, for every verb.
func (s Settings) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText makes encoding/json, log/slog and what else uses it print what String returns.
func (s Settings) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s Settings) timeouts() (connect, query time.Duration) {
	return cmp.Or(max(s.ConnectTimeout, 0), DefaultConnectTimeout), cmp.Or(max(s.QueryTimeout, 0), DefaultQueryTimeout)
}
