// Package kebdb counts clusters in the database of the Kyma Environment Broker: the live rows of its table instances.
// [New] makes a [Database] of [Settings]; it implements the interface Counter of the package pool. It reads and never
// writes, in read-only transactions. Where a role may read the view that examples/rbac/database.sql makes, the view is read, and otherwise
// the table.
//
// Every call ends within the time that the settings allow, also with a server that never answers, and soon after its
// context is cancelled. No message shows a password. The errors say what kind of trouble it is: one is
// [NotConfiguredError], [SettingError], [UnreachableError], [UnauthorizedError], [ForbiddenError], [MissingError], [ViewError] or
// [RefusedError].
package kebdb

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Database is the broker's database. It is a [pool.Counter], and holds no connection between two calls.
type Database struct {
	config         *pgx.ConnConfig
	connect, query time.Duration // bound the two halves of a call
	slots          chan struct{} // one for every connection
	place          string
	secrets        []string
}

// New returns the database that the settings name. It never dials.
//
// Errors: [NotConfiguredError], [SettingError].
func New(s Settings) (*Database, error) {
	config, err := resolve(s)
	if err != nil {
		return nil, err
	}
	connect, limit := s.timeouts()
	return &Database{
		config: config, connect: connect, query: limit, slots: make(chan struct{}, maxConnections),
		place: place(config), secrets: secretsOf(config),
	}, nil
}

// String names the database, without secrets.
func (d *Database) String() string { return d.place }

// Format prints what String returns, for every verb.
func (d *Database) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.String()) }

// Unencrypted returns the hosts to which a connection may go without TLS, where the settings do not demand it (sslmode disable, allow or
// prefer, which is the default). A host that is this machine is none.
func (d *Database) Unencrypted() (hosts []string) {
	tries := append([]*pgconn.FallbackConfig{{Host: d.config.Host, TLSConfig: d.config.TLSConfig}}, d.config.Fallbacks...)
	for _, try := range tries {
		if try.TLSConfig == nil && !isLocal(try.Host) && !slices.Contains(hosts, try.Host) {
			hosts = append(hosts, try.Host)
		}
	}
	return hosts
}

// isLocal reports whether a host is this machine: a socket, or what loops back.
func isLocal(host string) bool {
	address, err := netip.ParseAddr(host)
	return filepath.IsAbs(host) || host == "localhost" || err == nil && address.IsLoopback()
}

// Count counts the live rows of all Global Accounts by the account that they name, suspended ones too; see
// [pool.Counter]. The server adds them up: one query, whose answer has a row per account and owner.
//
// Errors: [UnreachableError], [UnauthorizedError], [ForbiddenError], [MissingError], [ViewError], [RefusedError].
func (d *Database) Count(ctx context.Context) (account.Counts, error) {
	var (
		counts             account.Counts
		accountName, owner string
		suspended          bool
		rows, groups       int
	)
	err := d.read(ctx, query{of: source.count, scan: []any{&accountName, &owner, &suspended, &rows}, row: func() error {
		if groups++; groups > maxGroups {
			return fmt.Errorf("there are more than %d combinations of account and Global Account on live rows", maxGroups)
		}
		counts.AddInstances(accountName, owner, suspended, rows)
		return nil
	}})
	if err != nil {
		return account.Counts{}, err
	}
	return counts, nil
}

// kind is how a row of the database is called among the users of an account.
const kind = "instance"

// Users reads the live rows that name one of the bindings, whatever its kind: a row does not say that; see [pool.Counter]. It names the
// first 1000 by their instance ID; those beyond all have the same name.
//
// Errors: those of Count.
func (d *Database) Users(ctx context.Context, bindings ...string) ([]account.User, error) {
	var names []string
	for _, binding := range bindings {
		if _, name := account.BindingName(binding); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var (
		users []account.User
		id    string
		total int
	)
	err := d.read(ctx, query{of: source.users, args: []any{names}, scan: []any{&id, &total}, row: func() error {
		users = append(users, account.User{Kind: kind, Name: id})
		return nil
	}})
	if err != nil {
		return nil, err
	}
	for len(users) < total {
		users = append(users, account.User{Kind: kind, Name: "(further one)"})
	}
	return users, nil
}
