package kebdb

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// broker returns a database of the broker's shape on a real server, unless acceptance tests are not asked for.
func broker(t *testing.T, rows ...postgres.InstanceRow) *postgres.Database {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs PostgreSQL: set TF_ACC=1 (make testacc does)")
	}
	db := postgres.Shared(t).NewDatabase(t)
	if len(rows) > 0 {
		db.Insert(t, rows...)
	}
	return db
}

// reader connects as the role that may only what is documented.
func reader(t *testing.T, db *postgres.Database) *Database {
	t.Helper()
	return open(t, Settings{URL: db.ReaderURL()})
}

// tableReader connects as the same role with the rights that older versions of the file granted: columns of the table, and no view.
func tableReader(t *testing.T, db *postgres.Database) *Database {
	t.Helper()
	db.Exec(t, "drop schema hap cascade; grant usage on schema public to hap_provider; grant select ("+strings.Join(columns, ", ")+
		") on instances to hap_provider")
	return reader(t, db)
}

// bothWays runs a test on what the view shows, and on the table itself.
func bothWays(t *testing.T, test func(t *testing.T, reader func(*testing.T, *postgres.Database) *Database)) {
	t.Helper()
	for name, way := range map[string]func(*testing.T, *postgres.Database) *Database{"view": reader, "table": tableReader} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, way)
		})
	}
}

func open(t *testing.T, s Settings) *Database {
	t.Helper()
	d, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func count(t *testing.T, d *Database) account.Counts {
	t.Helper()
	counts, err := d.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

// on is a live row of the Global Account ga-1 on an account, with changes.
func on(account string, changes ...func(*postgres.InstanceRow)) postgres.InstanceRow {
	row := postgres.InstanceRow{GlobalAccount: "ga-1", SubscriptionGlobalAccount: "ga-1", Account: account}
	for _, change := range changes {
		change(&row)
	}
	return row
}

func of(subscription, moved string) func(*postgres.InstanceRow) {
	return func(r *postgres.InstanceRow) { r.SubscriptionGlobalAccount, r.GlobalAccount = subscription, moved }
}

func stopped(r *postgres.InstanceRow) { r.Suspended = true }

func deleted(r *postgres.InstanceRow) { r.Deleted = true }

func called(id string) func(*postgres.InstanceRow) {
	return func(r *postgres.InstanceRow) { r.ID = id }
}

func with(parameters string) func(*postgres.InstanceRow) {
	return func(r *postgres.InstanceRow) { r.Parameters = &parameters }
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// as returns the error of the wanted type, or ends the test.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	var want E
	if !errors.As(err, &want) {
		t.Fatalf("got %T (%v), want %T", err, err, want)
	}
	return want
}

// within fails the test if what began at a moment has taken much longer than a deadline. What hangs takes 15 s or more.
func within(t *testing.T, began time.Time, deadline time.Duration) {
	t.Helper()
	if took := time.Since(began); took > deadline+10*time.Second {
		t.Errorf("it took %s, the deadline was %s", took, deadline)
	}
}
