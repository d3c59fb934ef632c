// Package connection is the ways to the servers: to the Garden with its pool, and to the platform cluster of openMCP. Each is built at the
// first use.
package connection

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// Garden is the way to the Garden, and to the pool there. It is built at the first use, so that what needs no cluster works without one,
// and shared by all objects, so that they share one view of the pool.
type Garden struct {
	settings settings.Settings
	platform *Platform // whose Clusters may come to the accounts; nil = none do

	mu    sync.Mutex
	built *built
	gone  map[departed]bool // the Shoots that this run has seen go

	read credentials
}

// ToGarden returns the way to the Garden of a provider block. It does not dial.
func ToGarden(s settings.Settings) *Garden { return &Garden{settings: s} }

// built is a connection that has been built; it is never changed.
type built struct {
	pool      *pool.Pool
	garden    *garden.Garden
	shoots    *shoots.Shoots
	countedBy account.Source // the source of the numbers of clusters
	server    string         // the URL of the API server
	source    string         // where the settings came from, and which variables were set in vain
}

// build builds the connection at the first call; later ones return the same. It does not dial.
func (g *Garden) build() (*built, error) {
	if len(g.settings.Unknown) > 0 {
		return nil, &settings.UnknownError{Attributes: g.settings.Unknown}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.built != nil {
		return g.built, nil
	}
	b, err := connect(&g.settings, g.platform)
	if err != nil {
		return nil, err
	}
	g.built = b
	return b, nil
}

func connect(s *settings.Settings, platform *Platform) (*built, error) {
	found, err := kube.FromEnvironment(s.Getenv, s.Kubernetes)
	if err != nil {
		return nil, err
	}
	connection, err := kube.Resolve(found, s.Agent)
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
	clusters.Run = s.Run.Sure()
	counter, countedBy, err := counterOf(s.Counting, g, s.Getenv)
	if err != nil {
		return nil, err
	}
	b := &built{garden: g, shoots: clusters, countedBy: countedBy, server: connection.Config.Host, source: connection.Source}
	if vain := found.NotRead(); len(vain) > 0 {
		b.source += "; not read: " + strings.Join(vain, ", ")
	}
	counter = platform.withUpcoming(counter, s.Kind, connection.Namespace)
	b.pool = pool.New(connection.Namespace, journal.LogStore(g), counter, s.Policy)
	return b, nil
}

// counterOf returns the counter and its source. It does not dial. Errors: [kebdb.NotConfiguredError], [kebdb.SettingError].
func counterOf(c settings.Counting, shoots pool.Counter, getenv func(string) string) (pool.Counter, account.Source, error) {
	configured := c.Settings(getenv)
	source := c.By(configured)
	if configured == nil {
		return shoots, source, nil
	}
	database, err := kebdb.New(*configured)
	if err != nil {
		return nil, "", err
	}
	instances := journal.LogQueries(database, configured.URL, getenv("PGPASSWORD"))
	return &pool.Counting{Shoots: shoots, Instances: instances, Source: source, OnDisagreement: c.OnDisagreement}, source, nil
}

// sofar returns the connection as far as it was built; the zero value before.
func (g *Garden) sofar() built {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.built == nil {
		return built{}
	}
	return *g.built
}

// Pool returns the pool that the provider block leads to.
// Errors: [settings.UnknownError], those of kube for the settings, and those of kebdb for the database's.
func (g *Garden) Pool() (*pool.Pool, error) {
	b, err := g.build()
	if err != nil {
		return nil, err
	}
	return b.pool, nil
}

// Selecting returns the pool to select an account of it: the limits have to be known, too. Errors: as [Garden.Pool].
func (g *Garden) Selecting() (*pool.Pool, error) {
	if g.settings.PolicyUnknown {
		return nil, &settings.UnknownError{Attributes: []string{"multi_account"}}
	}
	return g.Pool()
}

// API returns the API of the accounts, for what is not in the pool. Errors: as [Garden.Pool].
func (g *Garden) API() (*garden.Garden, error) {
	b, err := g.build()
	if err != nil {
		return nil, err
	}
	return b.garden, nil
}

// Shoots returns the Shoots of the namespace. Errors: as [Garden.Pool].
func (g *Garden) Shoots() (*shoots.Shoots, error) {
	b, err := g.build()
	if err != nil {
		return nil, err
	}
	return b.shoots, nil
}

// Usable builds the way to the pool. It does not dial. An error says that no apply comes through either: settings of the provider block, or
// of its environment, are missing or wrong. Settings that will be known later are no error.
func (g *Garden) Usable() error {
	if _, err := g.Pool(); Unusable(err) {
		return err
	}
	return nil
}

// CountedBy returns the source of the numbers of clusters; empty before the connection is built.
func (g *Garden) CountedBy() account.Source { return g.sofar().countedBy }

// Server returns the URL of the API server; empty before the connection is built.
func (g *Garden) Server() string { return g.sofar().server }

// SameServer is [settings.Same] for the API server that an object was last seen behind.
func (g *Garden) SameServer(object, was string) error {
	return settings.Same(object, "API server", was, g.Server())
}

// Attempt says what was tried, for a message, with the namespace and the connection as far as they are known.
func (g *Garden) Attempt(format string, args ...any) string {
	return fmt.Sprintf(format, args...) + g.Where()
}

// Where names the namespace and the connection, with a blank before; empty before the connection is built.
func (g *Garden) Where() string {
	b := g.sofar()
	if b.pool == nil {
		return ""
	}
	return fmt.Sprintf(" in namespace %s (connection from %s)", b.pool.Namespace(), b.source)
}
