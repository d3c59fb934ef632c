package kebdb

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// The limit protects the account: every live row on it counts, suspended or not, of each owner.
func TestF13CountsEveryLiveRowAndSplitsItByOwner(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, reader func(*testing.T, *postgres.Database) *Database) {
		d := reader(t, broker(t,
			on("a"), on("a"), on("a", stopped),
			on("a", of("ga-2", "ga-1")), // moved from ga-2: the broker keeps to the old owner
			on("a", of("", "ga-3")),     // older than the column
			on("a", deleted),
			on("b", stopped),
			on(""), on("", of("ga-2", "ga-2")), on("", stopped), on("", deleted),
		))
		counts := count(t, d)
		equal(t, "usage of a", counts.Usage("a"), account.Usage{
			Clusters: 5, Tenants: map[string]int{"ga-1": 3, "ga-2": 1, "ga-3": 1}, Suspended: 1, Instances: 5,
		})
		equal(t, "usage of b", counts.Usage("b"), account.Usage{Clusters: 1, Tenants: map[string]int{"ga-1": 1}, Suspended: 1, Instances: 1})
		equal(t, "total", counts.Total(), 6)
		equal(t, "rows without an account", counts.Unassigned(), 3)
	})
}

// Which rows are suspended is read out of a text that may hold anything; nothing in it may keep rows from being counted.
func TestF13ReadsAnyParameters(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, reader func(*testing.T, *postgres.Database) *Database) {
		tests := []struct {
			parameters string
			suspended  bool
		}{
			{`{"ers_context":{"active":false}}`, true},
			{`{"plan_id":"p","ers_context":{"tenant_id":"t","active":false,"user_id":"u"},"parameters":{}}`, true},
			{"\n{ \"ers_context\" : {\n\t\"active\" :\n false } }", true},
			{`{"ers_context":{"sm_operator_credentials":{"clientid":"}{","list":[{"a":[1]}]},"active":false}}`, true},
			{`{"parameters":{"oidc":{"list":[{"groups":["a","]"]}]}},"ers_context":{"active":false}}`, true},
			{`{"ers_context":{"user_id":"says \"active\": true","active":false}}`, true},
			{`{"ers_context":{"active":true}}`, false},
			{`{"ers_context":{}}`, false},
			{`{"active":false}`, false},
			{`{"ers_context":{"active":true},"parameters":{"active":false}}`, false},
			{`{"ers_context":{"inner":{"active":false},"active":true}}`, false},
			{`{"parameters":{"ers_context":{"active":false}},"ers_context":{"active":true}}`, false},
			{`{"ers_context":{"user_id":"\"active\":false"}}`, false},
			{`{"ers_context":{"active":"false"}}`, false},
			{`{"ers_context":{"active":falsehood}}`, false},
			{`{"ers_context":{"inactive":false}}`, false},
			{`["ers_context",{"active":false}]`, false},
			{``, false},
			{`null`, false},
			{`{`, false},
			{`"active":false`, false},
			{`{"ers_context":{"user_id":"\`, false},
			{`not JSON at all, \u0000 and "active": false`, false},
			{strings.Repeat(`{"active":false,"ers_context":`, 200), true}, // cut off, but it says so
			{`{"ers_context":{"note":"` + strings.Repeat("x", 300_000) + `","active":false}}`, true},
		}
		rows := make([]postgres.InstanceRow, len(tests))
		for i, test := range tests {
			rows[i] = on(fmt.Sprintf("account-%d", i), with(test.parameters))
		}
		counts := count(t, reader(t, broker(t, rows...)))
		for i, test := range tests {
			usage := counts.Usage(fmt.Sprintf("account-%d", i))
			equal(t, fmt.Sprintf("clusters with %.80s", test.parameters), usage.Clusters, 1)
			equal(t, fmt.Sprintf("suspended with %.80s", test.parameters), usage.Suspended == 1, test.suspended)
		}
	})
}

// A column that the broker's migrations left nullable counts as empty where it is null.
func TestCountTakesNullForEmpty(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, reader func(*testing.T, *postgres.Database) *Database) {
		db := broker(t, on("a"), on("b"))
		db.Exec(t, "update instances set subscription_global_account_id = null, global_account_id = 'ga-9' where subscription_secret_name = 'a'")
		db.Exec(t, "update instances set subscription_secret_name = null where subscription_secret_name = 'b'")
		db.Exec(t, "alter table instances alter provisioning_parameters drop not null")
		db.Exec(t, "update instances set provisioning_parameters = null")
		counts := count(t, reader(t, db))
		equal(t, "usage of a", counts.Usage("a"), account.Usage{Clusters: 1, Tenants: map[string]int{"ga-9": 1}, Instances: 1})
		equal(t, "rows without an account", counts.Unassigned(), 1)
	})
}

func TestCountOfAnEmptyTable(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, reader func(*testing.T, *postgres.Database) *Database) {
		equal(t, "count", count(t, reader(t, broker(t))), account.Counts{})
	})
}

// The rows stay where they are: what travels is one line per account, owner and state, over one connection for each count.
func TestCountIsOneQueryOverOneConnection(t *testing.T) {
	t.Parallel()
	db := broker(t)
	if err := db.InsertRows(t.Context(), slices.Repeat([]postgres.InstanceRow{on("a")}, 3000)...); err != nil {
		t.Fatal(err)
	}
	proxy := fault.NewDatabaseProxy(t, db)
	d := open(t, Settings{URL: proxy.URL(db.ReaderURL())})
	for range 3 {
		equal(t, "clusters", count(t, d).Clusters("a"), 3000)
	}
	queries := slices.DeleteFunc(proxy.Queries(), func(q string) bool { return !strings.Contains(q, "as live") })
	equal(t, "queries", len(queries), 3)
	equal(t, "connections", proxy.Connections(), 3)
	begin := proxy.Queries()[0]
	for _, want := range []string{"read only", "statement_timeout = 20000"} {
		if !strings.Contains(begin, want) {
			t.Errorf("a transaction begins with %q, without %q", begin, want)
		}
	}
}

func TestF21UsersAreTheLiveRowsOfTheAccount(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, reader func(*testing.T, *postgres.Database) *Database) {
		d := reader(t, broker(t,
			on("a", called("c")), on("a", called("b"), stopped), on("a", called("d"), of("ga-2", "ga-2")),
			on("a", called("e"), deleted), on("b", called("f")), on("", called("g")), on("a'--", called("h")),
		))
		for account, want := range map[string][]account.User{
			"a":    {{Kind: "instance", Name: "b"}, {Kind: "instance", Name: "c"}, {Kind: "instance", Name: "d"}},
			"a'--": {{Kind: "instance", Name: "h"}},
			"c":    nil,
		} {
			users, err := d.Users(t.Context(), account)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "users of "+account, users, want)
		}
	})
}

// However many rows name an account: the number of users is right, and only the first thousand are fetched.
func TestF21UsersOfACrowdedAccount(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, reader func(*testing.T, *postgres.Database) *Database) {
		db := broker(t)
		if err := db.Fill(t.Context(), postgres.FillOptions{Rows: 3000, Accounts: 1, Account: "crowded-"}); err != nil {
			t.Fatal(err)
		}
		users, err := reader(t, db).Users(t.Context(), "crowded-0")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "users", len(users), 2700) // a tenth is deleted
		equal(t, "named ones", slices.Index(users, account.User{Kind: "instance", Name: "(further one)"}), 1000)
	})
}

// The view says of each row what the provider says of the table: the file has the same expression for suspended clusters.
func TestViewKnowsSuspendedClustersAsTheTable(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(grants)))
	if err != nil {
		t.Fatal(err)
	}
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if !strings.Contains(words(string(file)), words(suspended)) {
		t.Errorf("%s lacks the expression\n%s", grants, suspended)
	}
	for _, part := range []string{alive, "hap_provider", viewName} {
		if !strings.Contains(string(file), part) {
			t.Errorf("%s lacks %s", grants, part)
		}
	}
}
