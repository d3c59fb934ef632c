package main

// selectionMutants are bugs in the choice of an account.
var selectionMutants = []Mutant{
	{
		Name: "by-name", What: "Unclaimed accounts are tried by name: all claimers fight over the first one.",
		File: "internal/pool/select.go", Tests: poolTests("TestTenantsSpreadOverTheFreeAccounts|TestOrderOfTheFreeAccounts"),
		Old: `rank(s.GlobalAccount, a.Name)`, New: `0`,
	},
	{
		Name: "order-by-chance", What: "Each process tries the unclaimed accounts in an order of its own: two processes of one tenant take one each.",
		File: "internal/pool/select.go", Tests: explorer,
		Old: `rank(s.GlobalAccount, a.Name)`, New: `rank(fmt.Sprintf("%p", a), a.Name)`,
	},
	{
		Name: "held-before-is-forgotten", What: "An account that bears void records of the tenant is not tried before the others.",
		File: "internal/pool/select.go", Tests: poolTests("TestVoidRecordIsNoClaim|TestAccountsThatTheTenantHeldBeforeComeFirst"),
		Old: `if a.Remembers(s.GlobalAccount) {`, New: `if a.Remembers(a.Name) {`,
	},
	{
		Name: "limit-off-by-one", What: "An account takes one cluster more than its limit.",
		File: "internal/pool/select.go", Tests: poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit"),
		Old: `case s.limit > 0 && c.Clusters+c.Reserved >= s.limit:`, New: `case s.limit > 0 && c.Clusters+c.Reserved > s.limit:`,
	},
	{
		Name: "pin-over-the-limit", What: "A pinned account takes one cluster more than its limit.",
		File: "internal/pool/select.go", Tests: poolTests("TestPinnedSelection|TestRefusedPin"),
		Old: `if s.limit > 0 && c.Clusters+c.Reserved >= s.limit {`, New: `if s.limit > 0 && c.Clusters+c.Reserved > s.limit {`,
	},
	{
		Name: "least-populated-first", What: "Of a tenant's accounts the emptiest is filled instead of the fullest.",
		File: "internal/pool/select.go", Tests: poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit"),
		Old: `cmp.Compare(s.places.taken(b), s.places.taken(a))`, New: `cmp.Compare(s.places.taken(a), s.places.taken(b))`,
	},
	{
		Name: "most-used-shared", What: "Of the shared accounts the most used is chosen instead of the least used.",
		File: "internal/pool/select.go", Tests: poolTests("TestSharedPoolUsesTheLeastUsedAccount"),
		Old: `cmp.Compare(s.places.takenShared(a), s.places.takenShared(b))`,
		New: `cmp.Compare(s.places.takenShared(b), s.places.takenShared(a))`,
	},
	{
		Name: "other-pools", What: "Accounts of other pools of the same type (shared, EU access) are taken as well.",
		File: "internal/pool/select.go", Tests: poolTests("TestEveryCombinationOfLabels"),
		Old: `		if a.Target() != s.Target {
			continue`, New: `		if a.HyperscalerType != s.Target.HyperscalerType {
			continue`,
	},
	{
		Name: "pin-takes-from-a-tenant", What: "A pinned account is taken from the tenant who holds it.",
		File: "internal/pool/select.go", Tests: poolTests("TestPinnedSelection|TestRefusedPin"),
		Old: `!a.Shared && a.Tenant != "" && a.Tenant != s.GlobalAccount`, New: `!a.Shared && a.Tenant == s.Pin`,
	},
	{
		Name: "guard-off-by-one", What: "The guard against a wrong count needs one account more than configured.",
		File: "internal/pool/select.go", Tests: poolTests("TestGuardAgainstAWrongCount"),
		Old: `len(usable) >= n`, New: `len(usable) > n`,
	},
	{
		Name: "claim-internal", What: "An internal account is claimed.",
		File: "internal/pool/classify.go", Tests: poolTests("TestClassify|TestEveryCombinationOfLabels|TestRefusedPin"),
		Old: `	case a.internalBy() != nil:`, New: `	case a.internalBy() != nil && a.Tenant != "":`,
	},
	{
		Name: "claim-terminating", What: "An account that is being deleted is claimed.",
		File: "internal/pool/classify.go", Tests: poolTests("TestClassify|TestEveryCombinationOfLabels|TestRefusedPin"),
		Old: `case a.Terminating:`, New: `case a.Terminating && a.Tenant != "":`,
	},
	{
		Name: "claim-fenced", What: "An account whose release is under way gets another claim of its tenant.",
		File:  "internal/pool/classify.go",
		Tests: poolTests("TestClassify|TestEveryCombinationOfLabels"),
		Old: `	case dirt == Releasing:
`,
		New: `	case dirt == Releasing && a.Tenant == tenant:
		return ClassHeld
	case dirt == Releasing:
`,
	},
	{
		Name: "claim-dirty", What: "A dirty account that the tenant holds gets another claim.",
		File: "internal/pool/classify.go", Tests: poolTests("TestClassify|TestEveryCombinationOfLabels"),
		Old: `	case dirt != Clean:
`,
		New: `	case dirt != Clean && a.Tenant == "":
`,
	},
	{
		Name: "claim-quarantined", What: "An account that its owner has put aside gets another claim of its tenant.",
		File: "internal/pool/classify.go", Tests: poolTests("TestClassify"),
		Old: `	case dirt == Quarantined:
		return ClassQuarantined
	case dirt != Clean:`,
		New: `	case dirt != Clean && dirt != Quarantined:`,
	},
	{
		Name: "claim-occupied", What: "An account without a tenant is claimed although living clusters are on it.",
		File: "internal/pool/classify.go", Tests: poolTests("TestClassify|TestAccountWithClustersIsNotClaimed"),
		Old: `case usage.living() > 0:`, New: `case usage.living() > 0 && a.Tenant != "":`,
	},
	{
		Name: "own-record-opens-the-account",
		What: "An account with living clusters is claimed because a void record of the tenant lies on it.",
		File: "internal/pool/classify.go", Tests: poolTests("TestClassify|TestAccountWithClustersIsNotClaimed"),
		Old: `case usage.living() > 0:`, New: `case usage.living() > 0 && !a.Remembers(tenant):`,
	},
	{
		Name: "claim-unreachable",
		What: "An account is claimed that a label hides from the broker, which claims a second one for the tenant then.",
		File: "internal/pool/classify.go", Tests: poolTests("TestClassify|TestRefusedPin"),
		Old: `case len(a.Unseen) > 0:`, New: `case len(a.Unseen) > 0 && a.Tenant != "":`,
	},
	{
		Name: "unclaimed-with-occupied", What: "The unclaimed accounts of a selection include those with clusters on them.",
		File: "internal/pool/select.go", Tests: poolTests("TestUnclaimedIsOneNumber"),
		Old: `Unclaimed: len(s.free), `, New: `Unclaimed: len(s.free) + s.tally[ClassOccupied], `,
	},
	{
		Name: "unclaimed-with-unreachable", What: "The unclaimed accounts of a selection include those that the broker does not see.",
		File: "internal/pool/select.go", Tests: poolTests("TestUnclaimedIsOneNumber"),
		Old: `Unclaimed: len(s.free), `, New: `Unclaimed: len(s.free) + s.tally[ClassUnreachable], `,
	},
	{
		Name: "pool-unclaimed-with-occupied", What: "The unclaimed accounts of a pool include those with clusters on them.",
		File: "internal/overview/overview.go", Tests: overviewTests("TestUnclaimedIsOneNumber"),
		Old: `return p.Tally[pool.ClassFree] }`, New: `return p.Tally[pool.ClassFree] + p.Tally[pool.ClassOccupied] }`,
	},
	{
		Name: "pool-unclaimed-with-unreachable", What: "The unclaimed accounts of a pool include those that the broker does not see.",
		File: "internal/overview/overview.go", Tests: overviewTests("TestUnclaimedIsOneNumber|TestOverviewOfPools"),
		Old: `return p.Tally[pool.ClassFree] }`, New: `return p.Tally[pool.ClassFree] + p.Tally[pool.ClassUnreachable] }`,
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
	{
		Name: "own-claim-is-elsewhere", What: "A destroy warns of the claim that the same run has made on another account.",
		File: "internal/pool/inspect.go", Tests: poolTests("TestLocate"),
		Old: `made && own == listed.Name {`, New: `made && own != listed.Name {`,
	},
	{
		Name: "missing-by-an-old-list", What: "A pool counts as missing although its account was made since the list.",
		File: "internal/pool/inspect.go", Tests: poolTests("TestMissingLooksAgain"),
		Old: `if len(missing) == 0 || !s.listed.Before(begun) {`, New: `if len(missing) >= 0 || !s.listed.Before(begun) {`,
	},
}
