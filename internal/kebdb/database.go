package kebdb

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Database is the broker's database. It is a pool.Counter.
type Database struct {
	sessions *sessions
	place    string
	secrets  []string
	life     context.Context //nolint:containedctx // it ends with Close, and every call with it
	end      context.CancelFunc
}

var (
	_ pool.Counter  = (*Database)(nil)
	_ fmt.Formatter = (*Database)(nil)
	_ fmt.Stringer  = (*Database)(nil)
)

// New returns the database that the settings name. It never dials: a connection is made at the first call.
//
// Errors: [NotConfiguredError], [SettingError].
func New(s Settings) (*Database, error) {
	config, err := resolve(s)
	if err != nil {
		return nil, err
	}
	connect, limit := s.timeouts()
	d := &Database{
		sessions: &sessions{config: config, connect: connect, query: limit, slots: make(chan struct{}, maxSessions)},
		place:    place(config),
		secrets:  secretsOf(config),
	}
	d.life, d.end = context.WithCancel(context.Background())
	return d, nil
}

// Close ends the calls under way and closes the connections. It does not wait for the server.
func (d *Database) Close() {
	d.end()
	d.sessions.close()
}

// String names the database, without secrets.
func (d *Database) String() string { return d.place }

// Format prints what String returns, whatever the verb.
func (d *Database) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.String()) }

// Count counts the live rows of all Global Accounts by the account that they name, suspended ones too; see
// pool.Counter. The server adds them up: one query, whose answer has a row per account and owner.
//
// Errors: [UnreachableError], [UnauthorizedError], [ForbiddenError], [MissingError], [RefusedError].
func (d *Database) Count(ctx context.Context) (pool.Counts, error) {
	var counts pool.Counts
	groups := 0
	err := d.read(ctx, query{
		text:  countQuery,
		begin: func() { counts, groups = pool.Counts{}, 0 },
		row: func(row pgx.Rows) error {
			if groups++; groups > maxGroups {
				return fmt.Errorf("there are more than %d combinations of account and Global Account on live rows", maxGroups)
			}
			var account, owner string
			var suspended bool
			var rows int
			if err := row.Scan(&account, &owner, &suspended, &rows); err != nil {
				return err
			}
			counts.AddInstances(account, owner, suspended, rows)
			return nil
		},
	})
	if err != nil {
		return pool.Counts{}, err
	}
	return counts, nil
}

// kind is how a row of the database is called among the users of an account.
const kind = "instance"

// Users reads the live rows of an account anew; see pool.Counter. It names the first 1000 by their instance ID; those
// beyond are all called alike.
//
// Errors: those of Count.
func (d *Database) Users(ctx context.Context, account string) ([]pool.User, error) {
	var users []pool.User
	total := 0
	err := d.read(ctx, query{
		text:  usersQuery,
		args:  []any{account},
		begin: func() { users, total = nil, 0 },
		row: func(row pgx.Rows) error {
			user := pool.User{Kind: kind}
			err := row.Scan(&user.Name, &total)
			users = append(users, user)
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	for len(users) < total {
		users = append(users, pool.User{Kind: kind, Name: "(further one)"})
	}
	return users, nil
}
