package report

import (
	"fmt"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// today is when the reports of the tests are written.
var today = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const namespace = "garden-hap"

// survey returns the overview of these accounts; Global Accounts that begin with acme may hold several, with ten clusters
// each.
func survey(counts account.Counts, of overview.Filter, accounts ...account.Account) overview.Overview {
	pointers := make([]*account.Account, len(accounts))
	for i := range accounts {
		pointers[i] = &accounts[i]
	}
	policy := account.Policy{AllowedGlobalAccounts: []string{"acme"}, Limits: map[string]int{account.DefaultLimit: 10}}
	inventory := pool.Inventory{Namespace: namespace, Accounts: pointers, Counts: counts, Policy: policy}
	return overview.Survey(inventory, overview.Facts{}, of, today)
}

// claims are records of one Global Account, each of which reserves a place.
func claims(globalAccount string, names ...string) map[string]account.Record {
	records := map[string]account.Record{}
	for _, name := range names {
		record := account.Record{Name: name, GlobalAccount: globalAccount, Details: account.Details{ClusterName: "later-" + name}}
		records[record.Identity(namespace).Key()] = record
	}
	return records
}

// world is a pool in which everything occurs at least once.
func world() (counts account.Counts, accounts []account.Account) {
	for account, shoots := range map[string]int{"aws-1": 10, "aws-2": 3, "aws-4": 11, "trial-1": 2, "gcp-1": 1} {
		for i := range shoots {
			counts.Add(account, fmt.Sprintf("%s-%d", account, i))
		}
	}
	fence := claims("globex", "old")
	for key, record := range fence {
		record.ClusterName, record.ReleasingSince = "", today.Add(-100*time.Hour)
		fence[key] = record
	}
	return counts, []account.Account{
		{Name: "aws-1", HyperscalerType: "aws", Tenant: "acme"},
		{Name: "aws-2", HyperscalerType: "aws", Tenant: "acme", Records: claims("acme", "blue", "green")},
		{Name: "aws-3", HyperscalerType: "aws"},
		{Name: "aws-4", HyperscalerType: "aws", Tenant: "acme"},
		{Name: "aws-5", HyperscalerType: "aws", Dirty: account.Dirtied},
		{Name: "aws-6", HyperscalerType: "aws", Unseen: []string{"dirty=false"}},
		{Name: "aws-7", HyperscalerType: "aws", Internal: true},
		{Name: "aws-8", HyperscalerType: "aws", Terminating: true},
		{Name: "aws-eu-1", HyperscalerType: "aws_cf-eu11", EUAccess: true, Tenant: "globex", Dirty: account.Releasing, Records: fence},
		{Name: "gcp-1", HyperscalerType: "gcp"},
		{Name: "trial-1", HyperscalerType: "aws", Shared: true},
		{Name: "trial-2", HyperscalerType: "aws", Shared: true, Records: claims("globex", "we|rd `name`\n\x1b[31m")},
	}
}
