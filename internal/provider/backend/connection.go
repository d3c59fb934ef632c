package backend

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// Connection is the way to the pool. It is built at the first use, so that what needs no cluster works without one, and
// shared by all objects, so that they share one view of the pool.
type Connection struct {
	settings Settings

	mu    sync.Mutex
	built *built
}

// built is a connection that has been built; it is never changed.
type built struct {
	pool      *pool.Pool
	garden    *garden.Garden
	shoots    *shoots.Shoots
	countedBy pool.Source // the source of the numbers of clusters
	server    string      // the URL of the API server
	source    string      // where the settings came from, and which variables were set in vain
}

// UnknownSettingsError says that settings of the provider block are not known yet.
type UnknownSettingsError struct{ Attributes []string }

func (e *UnknownSettingsError) Error() string {
	return "the provider's " + strings.Join(e.Attributes, ", ") + " will be known only after apply"
}

// build builds the connection at the first call; later ones return the same. It does not dial.
func (c *Connection) build() (*built, error) {
	if len(c.settings.Unknown) > 0 {
		return nil, &UnknownSettingsError{c.settings.Unknown}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.built != nil {
		return c.built, nil
	}
	b, err := c.settings.connect()
	if err != nil {
		return nil, err
	}
	c.built = b
	return b, nil
}

func (s *Settings) connect() (*built, error) {
	settings, err := kube.FromEnvironment(s.Getenv, s.Kubernetes)
	if err != nil {
		return nil, err
	}
	connection, err := kube.Resolve(settings, s.Agent)
	if err != nil {
		return nil, err
	}
	journal.LogRequests(connection)
	g, err := garden.NewOf(s.Kind, connection.Config, connection.Namespace, s.Keys)
	if err != nil {
		return nil, err
	}
	clusters, err := shoots.New(connection.Config, connection.Namespace)
	if err != nil {
		return nil, err
	}
	counter, countedBy, err := s.Counting.open(g, s.Getenv)
	if err != nil {
		return nil, err
	}
	b := &built{garden: g, shoots: clusters, countedBy: countedBy, server: connection.Config.Host, source: connection.Source}
	if vain := settings.NotRead(); len(vain) > 0 {
		b.source += "; not read: " + strings.Join(vain, ", ")
	}
	b.pool = pool.New(connection.Namespace, journal.LogStore(g), counter, s.Policy)
	return b, nil
}

// sofar returns the connection as far as it was built; the zero value before.
func (c *Connection) sofar() built {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.built == nil {
		return built{}
	}
	return *c.built
}

// Pool returns the pool that the provider block leads to.
// Errors: [UnknownSettingsError], those of kube for the settings, and those of kebdb for the database's.
func (c *Connection) Pool() (*pool.Pool, error) {
	b, err := c.build()
	if err != nil {
		return nil, err
	}
	return b.pool, nil
}

// Selecting returns the pool to select an account of it: the limits have to be known, too. Errors: as [Connection.Pool].
func (c *Connection) Selecting() (*pool.Pool, error) {
	if c.settings.PolicyUnknown {
		return nil, &UnknownSettingsError{[]string{"multi_account"}}
	}
	return c.Pool()
}

// Garden returns the Garden itself, for what is not in the pool. Errors: as [Connection.Pool].
func (c *Connection) Garden() (*garden.Garden, error) {
	b, err := c.build()
	if err != nil {
		return nil, err
	}
	return b.garden, nil
}

// Shoots returns the Shoots of the namespace. Errors: as [Connection.Pool].
func (c *Connection) Shoots() (*shoots.Shoots, error) {
	b, err := c.build()
	if err != nil {
		return nil, err
	}
	return b.shoots, nil
}

// CountedBy returns the source of the numbers of clusters; empty before the connection is built.
func (c *Connection) CountedBy() pool.Source { return c.sofar().countedBy }

// Server returns the URL of the API server; empty before the connection is built.
func (c *Connection) Server() string { return c.sofar().server }

// Attempt says what was tried, for a message, with the namespace and the connection as far as they are known.
func (c *Connection) Attempt(format string, args ...any) string {
	return fmt.Sprintf(format, args...) + c.Where()
}

// Where names the namespace and the connection, with a blank before; empty before the connection is built.
func (c *Connection) Where() string {
	b := c.sofar()
	if b.pool == nil {
		return ""
	}
	return fmt.Sprintf(" in namespace %s (connection from %s)", b.pool.Namespace(), b.source)
}
