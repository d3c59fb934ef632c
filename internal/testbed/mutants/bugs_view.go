package main

// viewMutants are bugs in what one process knows of the accounts.
var viewMutants = []Mutant{
	{
		Name: "claim-without-a-count", What: "A claim goes on when the clusters could not be counted.",
		File: "internal/pool/view.go", Tests: poolTests("TestNothingIsClaimedWithoutACountOrAList"),
		Old: `counts, err = count(ctx)`, New: `counts, _ = count(ctx)`,
	},
	{
		Name: "loser-keeps-its-list", What: "A claim that loses one account after the other goes on with its old list.",
		File: "internal/pool/claim.go", Tests: poolTests("TestLoserListsAnew"),
		Old: `return c.view.relist(ctx, time.Now())`, New: `return nil`,
	},
	{
		Name: "list-undoes-writes", What: "A slow list undoes what this process has written meanwhile.",
		File: "internal/pool/view.go", Tests: poolTests("TestSlowListDoesNotUndoWhatWasWrittenMeanwhile|TestSlowListDoesNotBringBackWhatIsGone"),
		Old: `if at <= from {`, New: `if at <= max(from, v.clock) {`,
	},
	{
		Name: "read-undoes-writes", What: "A slow read undoes what this process has written meanwhile.",
		File: "internal/pool/view.go", Tests: poolTests("TestSlowReadDoesNotUndoWhatWasWrittenMeanwhile"),
		Old: `max(v.written[name], v.listed) > begun`, New: `v.listed > begun`,
	},
	{
		Name: "view-never-ages", What: "A long apply goes by the list and the count of its beginning.",
		File: "internal/pool/view.go", Tests: poolTests("TestViewAges"),
		Old: `v.load(ctx, time.Now().Add(-viewAge))`, New: `v.load(ctx, time.Time{})`,
	},
	{
		Name: "unreadable-is-gone", What: "Any error of a look at a claim's account counts as: it is gone, and the claim leaves the state.",
		File: "internal/pool/status.go", Tests: poolTests("TestInspectOfAnAccountThatIsGone"),
		Old: `if errors.As(err, &gone) {`, New: `if errors.As(err, &gone) || err != nil {`,
	},
	{
		Name: "exhausted-by-an-old-list", What: "A claim is refused on a list that is older than the claim.",
		File: "internal/pool/claim.go", Tests: poolTests("TestRefusalsAreJudgedAgainOnOneFreshList|TestClaimThatStoodWhenTheListWasMade"),
		Old: `case c.view.olderThan(c.start):`, New: `case c.view.olderThan(time.Time{}):`,
	},
	{
		Name: "list-for-every-edit", What: "Each write that a harmless edit has crossed costs a list of all accounts.",
		File: "internal/pool/claim.go", Tests: poolTests("TestWhoListsAnewAfterALostWrite"),
		Old: `if exists && now.UID == chosen.UID && now.Tenant == chosen.Tenant {`, New: `if !exists && now.UID == chosen.UID && now.Tenant == chosen.Tenant {`,
	},
}
