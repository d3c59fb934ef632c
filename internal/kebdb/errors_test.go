package kebdb

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// A database that is not the broker's, or an older one's: the error names what is missing and what is read.
func TestF11NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sql string
		missing   []string
	}{
		{"no table", "drop table instances", nil},
		{"no column", "alter table instances drop subscription_secret_name", []string{"subscription_secret_name"}},
		{"no columns", "alter table instances drop subscription_secret_name, drop deleted_at",
			[]string{"subscription_secret_name", "deleted_at"}},
		{"no way to the table", "revoke usage on schema public from hap_provider", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := broker(t, on("a"))
			d := tableReader(t, db)
			db.Exec(t, test.sql)
			for _, call := range calls {
				missing := as[*MissingError](t, call(t.Context(), d))
				equal(t, "missing", missing.Columns, test.missing)
				for _, want := range append(slices.Clone(columns), append(test.missing, "instances", db.Name())...) {
					if !strings.Contains(missing.Error(), want) {
						t.Errorf("the error does not name %s: %v", want, missing)
					}
				}
			}
		})
	}
}

// A role that may not read something: the error names the columns, and where the grants are.
func TestF11NamesWhatIsForbidden(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sql string
		forbidden []string
	}{
		{"nothing granted", "revoke all on instances from hap_provider", columns},
		{"one column short", "revoke all on instances from hap_provider; grant select (instance_id, global_account_id, " +
			"subscription_secret_name, provisioning_parameters, deleted_at) on instances to hap_provider",
			[]string{"subscription_global_account_id"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := broker(t, on("a"))
			d := tableReader(t, db)
			db.Exec(t, test.sql)
			_, err := d.Count(t.Context())
			forbidden := as[*ForbiddenError](t, err)
			equal(t, "forbidden", forbidden.Columns, test.forbidden)
			for _, want := range append(test.forbidden, "examples/rbac/database.sql", "42501") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not name %s: %v", want, err)
				}
			}
		})
	}
}

// A view that does not fit the broker's table any more, or whose function may not be called: the error names the view, what the server
// says, and the file that makes the view anew. A count is never made up.
func TestF11NamesAViewThatIsBroken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ sql, says string }{
		"a column is gone":         {"alter table instances drop subscription_secret_name", "subscription_secret_name"},
		"the table is gone":        {"drop table instances", "instances"},
		"the owner lacks a right":  {"create role nobody_NAME; alter function hap.live_clusters() owner to nobody_NAME", "permission denied"},
		"the function is not ours": {"revoke execute on function hap.live_clusters() from hap_provider", "permission denied"},
		"another type":             {"alter table instances alter deleted_at type text", "operator does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := broker(t, on("a"))
			db.Exec(t, strings.ReplaceAll(test.sql, "NAME", db.Name()))
			for _, call := range calls {
				broken := as[*ViewError](t, call(t.Context(), reader(t, db)))
				for _, want := range []string{test.says, viewName, grants, db.Name()} {
					if !strings.Contains(broken.Error(), want) {
						t.Errorf("the error does not name %s: %v", want, broken)
					}
				}
			}
		})
	}
}

// A role that may read the view is served by it, and one that may not by the table, whatever else is there.
func TestCountReadsTheViewWhereItMay(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	db.Exec(t, "revoke usage on schema hap from hap_provider; grant usage on schema public to hap_provider; grant select on instances to hap_provider")
	equal(t, "by the table", count(t, reader(t, db)).Clusters("a"), 1)
	db.Exec(t, "grant usage on schema hap to hap_provider; drop view hap.clusters; "+
		"create view hap.clusters as select 'x' as instance_id, 'b' as account, 'ga-1' as owner, false as suspended; "+
		"grant select on hap.clusters to hap_provider")
	equal(t, "by the view", count(t, reader(t, db)).Clusters("b"), 1)
}

// Each cause of a refused login has its own error, and none of them has the password.
func TestF11NotLetIn(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	changed := func(change func(*url.URL)) string {
		u, err := url.Parse(db.ReaderURL())
		if err != nil {
			t.Fatal(err)
		}
		change(u)
		return u.String()
	}
	const wrong = "wr0ng/p@ss"
	shut := broker(t)
	shut.Exec(t, "revoke connect on database "+shut.Name()+" from hap_provider")
	for name, test := range map[string]struct {
		url  string
		want error
	}{
		"wrong password":  {changed(func(u *url.URL) { u.User = url.UserPassword("hap_provider", wrong) }), &UnauthorizedError{}},
		"no password":     {changed(func(u *url.URL) { u.User = url.User("hap_provider") }), &UnauthorizedError{}},
		"unknown role":    {changed(func(u *url.URL) { u.User = url.UserPassword("unknown", wrong) }), &UnauthorizedError{}},
		"no such base":    {changed(func(u *url.URL) { u.Path = "/elsewhere" }), &UnauthorizedError{}},
		"shut":            {shut.ReaderURL(), &ForbiddenError{}},
		"no such host":    {changed(func(u *url.URL) { u.Host = "db.invalid:5432" }), &UnreachableError{}},
		"server sans TLS": {changed(func(u *url.URL) { u.RawQuery = "sslmode=require" }), &UnreachableError{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, Settings{URL: test.url})
			_, err := d.Count(t.Context())
			equal(t, "error "+fmt.Sprint(err), fmt.Sprintf("%T", err), fmt.Sprintf("%T", test.want))
			u, _ := url.Parse(db.ReaderURL())
			right, _ := u.User.Password()
			expectNone(t, fmt.Sprintf("%v %+v %#v %v", err, err, err, d), wrong, url.QueryEscape(wrong), right)
		})
	}
}

// A refusal is final: it is tried once, and no query is sent.
func TestF11RefusedIsTriedOnce(t *testing.T) {
	t.Parallel()
	db := broker(t, on("a"))
	proxy := fault.NewDatabaseProxy(t, db)
	u, err := url.Parse(proxy.URL(db.ReaderURL()))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("hap_provider", "wrong")
	_, err = open(t, Settings{URL: u.String()}).Count(t.Context())
	_ = as[*UnauthorizedError](t, err)
	equal(t, "connections", proxy.Connections(), 1)
	equal(t, "queries", len(proxy.Queries()), 0)
}

// expectNone fails the test if a text holds a secret.
func expectNone(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("it shows %q: %s", secret, text)
		}
	}
}
