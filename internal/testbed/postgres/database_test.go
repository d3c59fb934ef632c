package postgres

import (
	"strings"
	"testing"
)

func TestDatabaseHoldsWhatWasInserted(t *testing.T) {
	t.Parallel()
	d := Shared(t).NewDatabase(t)
	broken := "{\"a\t\\\n"
	d.Insert(t,
		InstanceRow{ID: "one", GlobalAccount: "ga-1", SubscriptionGlobalAccount: "ga-0", Account: "it's", RuntimeID: "r1", Plan: "gcp"},
		InstanceRow{ID: "two", GlobalAccount: "ga-1", Account: "a", Suspended: true},
		InstanceRow{ID: "three", Account: "a", Deleted: true},
		InstanceRow{ID: "four", Parameters: &broken},
		InstanceRow{},
	)
	d.Exec(t, "UPDATE instances SET version = $1, expired_at = $2 WHERE instance_id = $3", 7, nil, "one")

	const live = "deleted_at = '0001-01-01 00:00:00+00'"
	for sql, want := range map[string]string{
		"SELECT instance_id FROM instances WHERE version = 7 AND " + live: "one",
		`SELECT runtime_id, global_account_id, subscription_global_account_id, subscription_secret_name, service_plan_name
			FROM instances WHERE instance_id = 'one'`: "r1|ga-1|ga-0|it's|gcp",
		"SELECT instance_id FROM instances WHERE NOT " + live:                                                         "three",
		"SELECT count(*) FROM instances WHERE subscription_secret_name = ''":                                          "2",
		"SELECT provisioning_parameters::json -> 'ers_context' ->> 'active' FROM instances WHERE instance_id = 'two'": "false",
		"SELECT provisioning_parameters::json -> 'ers_context' ->> 'active' FROM instances WHERE instance_id = 'one'": "true",
	} {
		if got := d.Query(t, sql); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", sql, got, want)
		}
	}
	if got := d.Query(t, "SELECT instance_id FROM instances WHERE provisioning_parameters = $1", broken); got != "four" {
		t.Errorf("the row with %q is %q", broken, got)
	}
}

func TestDatabaseFill(t *testing.T) {
	t.Parallel()
	d := Shared(t).NewDatabase(t)
	if err := d.Fill(t.Context(), FillOptions{Rows: 1000, Accounts: 20, GlobalAccounts: 5}); err != nil {
		t.Fatal(err)
	}
	got := d.Query(t, `SELECT count(*), count(DISTINCT subscription_secret_name), count(DISTINCT global_account_id),
		count(*) FILTER (WHERE deleted_at <> '0001-01-01 00:00:00+00'),
		count(*) FILTER (WHERE provisioning_parameters::json #>> '{ers_context,active}' = 'false'),
		min(length(provisioning_parameters)) > 1000 FROM instances`)
	if want := "1000|20|5|100|100|t"; got != want {
		t.Errorf("got %s instead of %s", got, want)
	}
}

// The provider's role may read six columns, and nothing else in the database.
func TestDocumentedGrants(t *testing.T) {
	t.Parallel()
	d := Shared(t).NewDatabase(t)
	d.Insert(t, InstanceRow{ID: "one", Account: "a"})
	d.Exec(t, "CREATE TABLE operations (id text)")

	const publicRights = "SELECT has_schema_privilege('public', 'public', 'USAGE'), has_database_privilege('public', current_database(), 'CONNECT')"
	if got := d.Query(t, publicRights); got != "f|f" {
		t.Errorf("every role has rights here, which hides what the file forgets: %s", got)
	}
	grants, err := documentedGrants()
	if err != nil {
		t.Fatal(err)
	}
	// The reader had more rights before; the file takes them back, and may be run again.
	d.Exec(t, "GRANT ALL ON instances TO hap_provider; GRANT UPDATE (version), SELECT (dashboard_url) ON instances TO hap_provider")
	for range 2 {
		d.Exec(t, grants)
	}

	got, err := d.Ask(t.Context(), d.ReaderURL(), `SELECT instance_id, subscription_secret_name,
		subscription_global_account_id, global_account_id, deleted_at IS NULL, length(provisioning_parameters) > 0 FROM instances`)
	if err != nil || got != "one|a|||f|t" {
		t.Errorf("the reader reads %q (%v)", got, err)
	}
	for _, sql := range []string{
		"SELECT * FROM instances",
		"SELECT dashboard_url FROM instances",
		"SELECT runtime_id FROM instances",
		"SELECT id FROM operations",
		"INSERT INTO instances (instance_id) VALUES ('two')",
		"UPDATE instances SET subscription_secret_name = ''",
		"UPDATE instances SET version = 1",
		"DELETE FROM instances",
		"TRUNCATE instances",
		"SELECT instance_id FROM instances FOR UPDATE",
		"CREATE TABLE mine (id text)",
		"CREATE TEMPORARY TABLE mine (id text)",
		"CREATE ROLE friend",
	} {
		if _, err := d.Ask(t.Context(), d.ReaderURL(), sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	expectColumns(t, d)
}

// expectColumns compares the columns that are granted with those that the file's comment counts.
func expectColumns(t *testing.T, d *Database) {
	t.Helper()
	got := d.Query(t, `SELECT string_agg(column_name, ' ' ORDER BY column_name) FROM information_schema.column_privileges
		WHERE grantee = 'hap_provider' AND table_name = 'instances'`)
	const want = "deleted_at global_account_id instance_id provisioning_parameters " +
		"subscription_global_account_id subscription_secret_name"
	if got != want {
		t.Errorf("granted: %s\nwant:    %s", got, want)
	}
}

func TestDatabaseNeedsThePassword(t *testing.T) {
	t.Parallel()
	d := Shared(t).NewDatabase(t)
	wrong := strings.Replace(d.ReaderURL(), d.server.readerPassword, "wrong", 1)
	if _, err := d.Ask(t.Context(), wrong, "SELECT 1"); err == nil || !strings.Contains(err.Error(), "password authentication failed") {
		t.Errorf("with a wrong password: %v", err)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	one, other := Shared(t).NewDatabase(t), Shared(t).NewDatabase(t)
	one.Insert(t, InstanceRow{ID: "one"})
	if got := other.Query(t, "SELECT count(*) FROM instances"); got != "0" {
		t.Errorf("the other database holds %s rows", got)
	}
}
