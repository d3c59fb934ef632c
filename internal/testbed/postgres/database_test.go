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

// The provider's role may read one view, and nothing else in the database.
func TestDocumentedGrants(t *testing.T) {
	t.Parallel()
	d := Shared(t).NewDatabase(t)
	d.Insert(t, InstanceRow{ID: "one", Account: "a", GlobalAccount: "ga-1", Suspended: true}, InstanceRow{ID: "gone", Deleted: true})
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
	d.Exec(t, "GRANT ALL ON SCHEMA public, hap TO hap_provider; GRANT ALL ON instances TO hap_provider; "+
		"GRANT UPDATE (version), SELECT (dashboard_url, provisioning_parameters) ON instances TO hap_provider")
	for range 2 {
		d.Exec(t, grants)
	}

	got, err := d.Ask(t.Context(), d.ReaderURL(), `SELECT * FROM hap.clusters`)
	if err != nil || got != "one|a|ga-1|t" {
		t.Errorf("the reader reads %q (%v)", got, err)
	}
	for _, sql := range []string{
		"SELECT instance_id FROM public.instances",
		"SELECT provisioning_parameters FROM public.instances",
		"SELECT id FROM public.operations",
		"INSERT INTO public.instances (instance_id) VALUES ('two')",
		"UPDATE public.instances SET version = 1",
		"DELETE FROM public.instances",
		"TRUNCATE public.instances",
		"CREATE TABLE hap.mine (id text)",
		"CREATE OR REPLACE VIEW hap.clusters AS SELECT 1",
		"CREATE TABLE public.mine (id text)",
		"CREATE TEMPORARY TABLE instances (id text)",
		"CREATE SCHEMA mine",
		"CREATE ROLE friend",
	} {
		_, err := d.Ask(t.Context(), d.ReaderURL(), sql)
		if err == nil || !strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for what, sql := range map[string]string{
		"columns of the table": "SELECT count(*) FROM information_schema.column_privileges WHERE grantee = 'hap_provider' AND table_name = 'instances'",
		"functions for all": "SELECT count(*) FROM pg_proc AS p CROSS JOIN aclexplode(p.proacl) AS a " +
			"WHERE p.pronamespace = 'hap'::regnamespace AND a.grantee = 0",
	} {
		if got := d.Query(t, sql); got != "0" {
			t.Errorf("%s are granted: %s", what, got)
		}
	}
}

// The broker's migrations change any column beside the view: nothing of it depends on the table.
func TestDocumentedGrants_leaveMigrationsAlone(t *testing.T) {
	t.Parallel()
	d := Shared(t).NewDatabase(t)
	d.Insert(t, InstanceRow{ID: "one", Account: "a", Suspended: true})
	for _, migration := range []string{
		"ALTER TABLE instances ALTER COLUMN provisioning_parameters TYPE jsonb USING provisioning_parameters::jsonb",
		"ALTER TABLE instances ALTER COLUMN instance_id TYPE text",
		"ALTER TABLE instances RENAME COLUMN subscription_secret_name TO account",
		"ALTER TABLE instances RENAME COLUMN account TO subscription_secret_name",
	} {
		d.Exec(t, migration)
	}
	if got, err := d.Ask(t.Context(), d.ReaderURL(), "SELECT * FROM hap.clusters"); err != nil || got != "one|a||t" {
		t.Errorf("after the migrations the reader reads %q (%v)", got, err)
	}
	d.Exec(t, "ALTER TABLE instances DROP COLUMN provisioning_parameters")
	d.Exec(t, "DROP TABLE instances")
}

// What a caller makes and sets does not lead the function elsewhere: it reads the broker's table.
func TestDocumentedGrants_searchPath(t *testing.T) {
	t.Parallel()
	d := Shared(t).NewDatabase(t)
	d.Insert(t, InstanceRow{ID: "one", Account: "a"})
	d.Exec(t, "DO $$ BEGIN EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO hap_provider', current_database()); END $$")
	got, err := d.Ask(t.Context(), d.ReaderURL(), `CREATE TEMPORARY TABLE instances AS SELECT 'other' AS instance_id;
		SET search_path = pg_temp, public; SELECT instance_id FROM hap.clusters`)
	if err != nil || !strings.HasSuffix(got, "one") {
		t.Errorf("the reader reads %q (%v)", got, err)
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
