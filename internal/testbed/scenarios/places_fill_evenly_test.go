package scenarios

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// withDatabase are the provider settings of the database alone: what counts is not said.
func (s counted) withDatabase() string {
	return fmt.Sprintf("  database = { url = %q, connect_timeout = \"30s\", query_timeout = \"30s\" }\n  ", s.wire.URL(s.database.ReaderURL()))
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
