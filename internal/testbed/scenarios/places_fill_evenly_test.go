package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// manyOf are n claims of Global Account ga-1 in one apply; extra attributes go into each.
func manyOf(n int, extra string) string {
	return fmt.Sprintf(`resource "hap_credentials_binding_claim" "many" {
  count          = %d
  rule_set       = local.rules
  name           = "claim-${count.index}"
  global_account = "ga-1"
  %s
}
`, n, extra)
}

// clusterNames are the two ways to make claims: for a named cluster, and for none.
var clusterNames = map[string]string{"with cluster_name": `cluster_name = "new-${count.index}"`, "without cluster_name": ""}

// claimsOn counts the claims of the state by account.
func (c configuration) claimsOn(t *testing.T) map[string]int {
	t.Helper()
	on, state := map[string]int{}, c.State(t)
	for _, claim := range state.Addresses() {
		on[fmt.Sprint(state.Attribute(claim, "binding_name"))]++
	}
	return on
}

// Claims of one run on shared accounts see each other: the accounts fill up evenly.
func TestPlacesOnSharedAccounts(t *testing.T) {
	t.Parallel()
	for name, cluster := range clusterNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clusters := map[string]int{"shared-1": 2, "shared-2": 1, "shared-3": 0}
			var accounts []testbed.AccountSpec
			for account := range clusters {
				accounts = append(accounts, testbed.AccountSpec{Name: account, HyperscalerType: "aws", Shared: true})
			}
			s := newStage(t, accounts...)
			for account, n := range clusters {
				s.Shoots(t, account, n)
			}
			before := s.versions(t)
			c := s.configure(t, manyOf(12, cluster+"\n  plan = \"trial\"\n  hyperscaler = \"aws\""))
			c.apply(t)
			places := c.claimsOn(t)
			for account, n := range clusters {
				places[account] += n
			}
			if want := map[string]int{"shared-1": 5, "shared-2": 5, "shared-3": 5}; !maps.Equal(places, want) {
				t.Errorf("clusters and claims by account: %v, want %v", places, want)
			}
			s.unwritten(t, before)
		})
	}
}

// Claims of one run on dedicated accounts see each other: the account of the Global Account takes as many as it has places
// left, and then each that is claimed as many as the limit allows.
func TestPlacesOnDedicatedAccounts(t *testing.T) {
	t.Parallel()
	for name, cluster := range clusterNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, append(awsAccounts(4), testbed.AccountSpec{Name: "aws-held", HyperscalerType: "aws", Tenant: "ga-1"})...)
			s.Shoots(t, "aws-held", 2)
			c := s.configure(t)
			c.write(t, "multi_account = { allowed_global_accounts = [\"ga-1\"], limits = { default = 3 } }", manyOf(6, cluster+"\n  plan = \"aws\""))
			c.apply(t)
			on := c.claimsOn(t)
			if on["aws-held"] != 1 {
				t.Errorf("%d claims on the account that had one place left; claims by account: %v", on["aws-held"], on)
			}
			if got := slices.Sorted(maps.Values(on)); !slices.Equal(got, []int{1, 2, 3}) {
				t.Errorf("claims by account: %v, want 1 on aws-held, 3 on the next and 2 on the one after", on)
			}
		})
	}
}

// withDatabase are the provider settings of the database alone: what counts is not said.
func (s counted) withDatabase() string {
	return fmt.Sprintf("  database = { url = %q, connect_timeout = \"3s\", query_timeout = \"3s\" }\n  ", s.wire.URL(s.database.ReaderURL()))
}

// reservedAt are the records of n claims of ga-1, each for a cluster of its own, that were made at that time.
func reservedAt(t *testing.T, namespace string, n int, at time.Time) map[string]*string {
	t.Helper()
	records := map[string]*string{}
	for i := range n {
		record := account.Record{
			Name: fmt.Sprintf("claim-%d", i), GlobalAccount: "ga-1", Pool: awsPool.String(), Details: account.Details{ClusterName: fmt.Sprintf("aws-1-%d", i)},
			ClaimedAt: at.UTC().Truncate(time.Second), Version: account.RecordVersion,
		}
		text, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		value := string(text)
		records[record.Identity(namespace).Key()] = &value
	}
	return records
}

// places shows what a selection counts on the first candidate.
const places = `data "hap_binding_selection" "this" {
  rule_set       = local.rules
  global_account = "ga-1"
  plan           = "aws"
}
output "places" {
  value = join(" ", [for c in data.hap_binding_selection.this.candidates : "${c.name}=${c.clusters}+${c.reserved}" if c.name == "aws-1"])
}
`

// Where a database is configured and nothing else is said, both count: the names of the Shoots settle the reservations of
// claims, and clusters that were made beside the broker show.
func TestBothCountWhereADatabaseIsConfigured(t *testing.T) {
	t.Parallel()
	s := newCounted(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	s.PatchAnnotations(t, "aws-1", reservedAt(t, s.Name, 3, time.Now().AddDate(0, 0, -1)))
	makeShoots(t, s, "aws-1", 3) // aws-1-0 and so on: the clusters of the claims
	s.database.Insert(t, rows(2, "ga-1", "aws-1")...)
	c := s.configure(t)
	c.write(t, s.withDatabase(), places)
	output := c.apply(t).Output
	wantOutput(t, output, "places", "aws-1=3+0")
	wantMessage(t, output, "Warning: Cluster count is in doubt", "aws-1: 3 Shoots, 2 rows")
}

// The database knows no names of Shoots. Where it alone counts, a claim reserves its place for an hour: a hundred rows and
// the hundred claims of yesterday that they belong to are a hundred places.
func TestReservationsEndWithinAnHourByTheDatabaseAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		age  time.Duration
		want string
	}{
		"claims of yesterday":        {24 * time.Hour, "aws-1=100+0"},
		"claims of an hour ago":      {61 * time.Minute, "aws-1=100+0"},
		"claims of half an hour ago": {30 * time.Minute, "aws-1=100+100"},
		"claims of a moment ago":     {0, "aws-1=100+100"},
		"claims of a clock ahead":    {-10 * time.Minute, "aws-1=100+100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
			s.PatchAnnotations(t, "aws-1", reservedAt(t, s.Name, 100, time.Now().Add(-test.age)))
			s.database.Insert(t, rows(100, "ga-1", "aws-1")...)
			c := s.configure(t)
			c.write(t, s.by("database", "")+"  multi_account = { allowed_global_accounts = [\"*\"], limits = { default = 300 } }\n", places)
			wantOutput(t, c.apply(t).Output, "places", test.want)
		})
	}
}
