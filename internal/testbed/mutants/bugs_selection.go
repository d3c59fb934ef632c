package main

// selectionMutants are bugs in the choice of an account.
var selectionMutants = []Mutant{
	{
		Name: "by-name", What: "Unclaimed accounts are tried by name: all claimers fight over the first one.",
		File: "internal/pool/selection.go", Tests: poolTests("TestClaimsSpreadOverTheFreeAccounts|TestTenantsSpreadOverTheFreeAccounts|TestOrderOfTheFreeAccounts"),
		Old: `rank(s.GlobalAccount, a.Name)`, New: `0`,
	},
	{
		Name: "order-by-chance", What: "Each process tries the unclaimed accounts in an order of its own: two processes of one tenant take one each.",
		File: "internal/pool/selection.go", Tests: poolTests("TestProcessesOfOneTenantEndOnOneAccount|TestProcessesOfOneTenantFillAccountAfterAccount"),
		Old: `rank(s.GlobalAccount, a.Name)`, New: `rank(fmt.Sprintf("%p", a), a.Name)`,
	},
	{
		Name: "held-before-is-forgotten", What: "An account that bears void records of the tenant is not tried before the others.",
		File: "internal/pool/selection.go", Tests: poolTests("TestVoidRecordIsNoClaim|TestAccountsThatTheTenantHeldBeforeComeFirst"),
		Old: `if a.remembers(s.GlobalAccount) {`, New: `if a.remembers(a.Name) {`,
	},
	{
		Name: "limit-off-by-one", What: "An account takes one cluster more than its limit.",
		File: "internal/pool/selection.go", Tests: poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit|TestReservationsKeepTheLimit"),
		Old: `case s.limit > 0 && c.Clusters+c.Reserved >= s.limit:`, New: `case s.limit > 0 && c.Clusters+c.Reserved > s.limit:`,
	},
	{
		Name: "pin-over-the-limit", What: "A pinned account takes one cluster more than its limit.",
		File: "internal/pool/selection.go", Tests: poolTests("TestPinnedSelection|TestRefusedPin"),
		Old: `if s.limit > 0 && c.Clusters+c.Reserved >= s.limit {`, New: `if s.limit > 0 && c.Clusters+c.Reserved > s.limit {`,
	},
	{
		Name: "reservations-ignored", What: "Places that claims have reserved do not count against the limit.",
		File: "internal/pool/selection.go", Tests: poolTests("TestReservedPlacesCount|TestReservationsKeepTheLimit"),
		Old: `Reserved: s.counts.Reserved(a), Limit`, New: `Reserved: 0, Limit`,
	},
	{
		Name: "reservations-for-ever", What: "A reservation still counts when its cluster is there and counted.",
		File: "internal/pool/counts.go", Tests: poolTests("TestReservedPlacesCount|TestCounts"),
		Old: `_, counted := c.names[name]; !counted {`, New: `_, counted := c.names[name]; !counted || name != "" {`,
	},
	{
		Name: "least-populated-first", What: "Of a tenant's accounts the emptiest is filled instead of the fullest.",
		File: "internal/pool/selection.go", Tests: poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit"),
		Old: `cmp.Compare(s.clusters(b), s.clusters(a))`, New: `cmp.Compare(s.clusters(a), s.clusters(b))`,
	},
	{
		Name: "most-used-shared", What: "Of the shared accounts the most used is chosen instead of the least used.",
		File: "internal/pool/selection.go", Tests: poolTests("TestSharedPoolUsesTheLeastUsedAccount"),
		Old: `cmp.Compare(s.counts.Clusters(a.Name), s.counts.Clusters(b.Name))`, New: `cmp.Compare(s.counts.Clusters(b.Name), s.counts.Clusters(a.Name))`,
	},
	{
		Name: "other-pools", What: "Accounts of other pools of the same type (shared, EU access) are taken as well.",
		File: "internal/pool/selection.go", Tests: poolTests("TestEveryCombinationOfLabels"),
		Old: `		if a.Target() != s.Target {
			continue`, New: `		if a.HyperscalerType != s.Target.HyperscalerType {
			continue`,
	},
	{
		Name: "pin-takes-from-a-tenant", What: "A pinned account is taken from the tenant who holds it.",
		File: "internal/pool/selection.go", Tests: poolTests("TestPinnedSelection|TestRefusedPin|TestPinnedAccountIsLost"),
		Old: `!a.Shared && a.Tenant != "" && a.Tenant != s.GlobalAccount`, New: `!a.Shared && a.Tenant == s.Pin`,
	},
	{
		Name: "guard-off-by-one", What: "The guard against a wrong count needs one account more than configured.",
		File: "internal/pool/selection.go", Tests: poolTests("TestGuardAgainstAWrongCount"),
		Old: `len(usable) >= n`, New: `len(usable) > n`,
	},
	{
		Name: "claim-internal", What: "An internal account is claimed.",
		File: "internal/pool/account.go", Tests: poolTests("TestEveryCombinationOfLabels|TestRefusedPin"),
		Old: `a.Internal && (a.Shared || a.Tenant == "" || a.Tenant != tenant)`, New: `a.Internal && (a.Shared || a.Tenant != tenant && a.Tenant != "")`,
	},
	{
		Name: "claim-terminating", What: "An account that is being deleted is claimed.",
		File: "internal/pool/account.go", Tests: poolTests("TestEveryCombinationOfLabels|TestRefusedPin"),
		Old: `case a.Terminating:`, New: `case a.Terminating && a.Tenant != "":`,
	},
	{
		Name: "claim-fenced", What: "An account whose release is under way gets another claim of its tenant.",
		File: "internal/pool/account.go", Tests: poolTests("TestEveryCombinationOfLabels|TestReuseSeesAFenceThatCameAfterTheList"),
		Old: `	case a.Dirty == Releasing:
`, New: `	case a.Dirty == Releasing && a.Tenant == tenant:
		return ""
	case a.Dirty == Releasing:
`,
	},
	{
		Name: "claim-dirty", What: "A dirty account that the tenant holds gets another claim.",
		File: "internal/pool/account.go", Tests: poolTests("TestEveryCombinationOfLabels|TestAccountGoesRound"),
		Old: `case a.Dirty != Clean:
		return VerdictDirty`, New: `case a.Dirty != Clean && a.Tenant == "":
		return VerdictDirty`,
	},
	{
		Name: "label-too-long", What: "A tenant's name of 64 characters passes for a label value.",
		File: "internal/pool/target.go", Tests: poolTests("TestCheckLabelValue"),
		Old: `len(v) > MaxLabelValueLength`, New: `len(v) > MaxLabelValueLength+1`,
	},
	{
		Name: "label-ends-anyhow", What: "A tenant's name that ends in a hyphen passes for a label value.",
		File: "internal/pool/target.go", Tests: poolTests("TestCheckLabelValue"),
		Old: `i == 0 || i == len(v)-1`, New: `i == 0`,
	},
}
