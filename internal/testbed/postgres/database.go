package postgres

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// scriptTimeout bounds one script: a million rows take some time.
const scriptTimeout = 5 * time.Minute

// instancesTable is the broker's table as its migrations leave it. The broker writes more tables, which no other program reads.
const instancesTable = `
CREATE TABLE instances (
	instance_id varchar(255) PRIMARY KEY,
	runtime_id varchar(255) NOT NULL,
	global_account_id varchar(255) NOT NULL,
	service_id varchar(255) NOT NULL,
	service_plan_id varchar(255) NOT NULL,
	dashboard_url varchar(255) NOT NULL,
	provisioning_parameters text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	deleted_at timestamptz NOT NULL DEFAULT '0001-01-01 00:00:00+00',
	sub_account_id varchar(255) NOT NULL DEFAULT '',
	service_name varchar(255) NOT NULL DEFAULT '',
	service_plan_name varchar(255) NOT NULL DEFAULT '',
	provider_region varchar(255) NOT NULL DEFAULT '',
	version integer NOT NULL DEFAULT 0,
	provider varchar(255) NOT NULL DEFAULT '',
	subscription_global_account_id text DEFAULT '',
	expired_at timestamptz,
	last_operation_id varchar(255),
	subscription_secret_name text DEFAULT ''
);
`

// Database is one database with the broker's table in it.
type Database struct {
	server *Server
	name   string
	rows   atomic.Int64 // for keys
}

// NewDatabase makes a database with the broker's table, and grants the reader what examples/rbac/database.sql grants.
func (p *Server) NewDatabase(t testing.TB) *Database {
	t.Helper()
	d, err := p.MakeDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// MakeDatabase is NewDatabase for programs.
func (p *Server) MakeDatabase(ctx context.Context) (*Database, error) {
	grants, err := documentedGrants()
	if err != nil {
		return nil, err
	}
	d := &Database{server: p, name: fmt.Sprintf("broker_%d", p.databases.Add(1))}
	p.making.Lock()
	defer p.making.Unlock()

	// A role that may log in may also look around, unless that is taken away: then only what the file grants is left.
	create := fmt.Sprintf("CREATE DATABASE %[1]s;\nREVOKE ALL ON DATABASE %[1]s FROM PUBLIC;\n", d.name)
	if _, err := p.psql(ctx, p.url("postgres", owner, p.ownerPassword), strings.NewReader(create)); err != nil {
		return nil, err
	}
	password := fmt.Sprintf("ALTER ROLE %s PASSWORD '%s';\n", reader, p.readerPassword)
	fill := "REVOKE ALL ON SCHEMA public FROM PUBLIC;\n" + instancesTable + grants + password
	if err := d.run(ctx, strings.NewReader(fill)); err != nil {
		return nil, err
	}
	return d, nil
}

// documentedGrants is what the documentation has users run in the broker's database.
func documentedGrants() (string, error) {
	root, err := local.RepositoryRoot()
	if err != nil {
		return "", err
	}
	grants, err := os.ReadFile(filepath.Join(root, "examples", "rbac", "database.sql"))
	return string(grants), err
}

// URL leads to the database as the owner of the table.
func (d *Database) URL() string { return d.server.url(d.name, owner, d.server.ownerPassword) }

// ReaderURL leads to the database as the role that the provider uses.
func (d *Database) ReaderURL() string {
	return d.server.url(d.name, reader, d.server.readerPassword)
}

// Addr is the address of the server.
func (d *Database) Addr() string { return local.Address(d.server.port) }

// Name is the name of the database.
func (d *Database) Name() string { return d.name }

// Exec runs SQL as the owner. With arguments, the values of $1, $2, ..., it must be one statement.
func (d *Database) Exec(t testing.TB, sql string, arguments ...any) {
	t.Helper()
	_ = d.Query(t, sql, arguments...)
}

// Query is Exec, and returns the rows: a line for each, with | between the columns.
func (d *Database) Query(t testing.TB, sql string, arguments ...any) string {
	t.Helper()
	output, err := d.Ask(t.Context(), d.URL(), sql, arguments...)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return output
}

// Ask runs SQL through psql with any URL of the server, for example [Database.ReaderURL] or that of a proxy before it.
func (d *Database) Ask(ctx context.Context, url, sql string, arguments ...any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTimeout)
	defer cancel()
	output, err := d.server.psql(ctx, url, strings.NewReader(script(sql, arguments)))
	return strings.TrimSuffix(output, "\n"), err
}

// run is Ask for what comes from a stream.
func (d *Database) run(ctx context.Context, sql io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, scriptTimeout)
	defer cancel()
	_, err := d.server.psql(ctx, d.URL(), sql)
	return err
}

// script hands arguments over by a prepared statement, so that the server finds out their types.
func script(sql string, arguments []any) string {
	if len(arguments) == 0 {
		return sql + "\n;\n"
	}
	literals := make([]string, len(arguments))
	for i, argument := range arguments {
		literals[i] = literal(argument)
	}
	return fmt.Sprintf("PREPARE statement AS %s\n;\nEXECUTE statement(%s);\n", sql, strings.Join(literals, ", "))
}

func literal(value any) string {
	if value == nil {
		return "NULL"
	}
	text := fmt.Sprint(value)
	if at, is := value.(time.Time); is {
		text = at.UTC().Format(time.RFC3339Nano)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
