package main

// snapshotMutants are bugs in what one process knows of the accounts.
var snapshotMutants = []Mutant{
	{
		Name: "claim-without-a-count", What: "A claim goes on when the clusters could not be counted.",
		File: "internal/pool/cache.go", Tests: poolTests("TestNothingIsClaimedWithoutACountOrAList"),
		Old: `counts, err = count(ctx)`, New: `counts, _ = count(ctx)`,
	},
	{
		Name: "loser-keeps-its-list", What: "A claim that loses one account after the other goes on with its old list.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestLoserListsAnew"),
		Old: `return c.list(v) // by a list`,
		New: `return c.judge(v) // by a list`,
	},
	{
		Name: "list-undoes-writes", What: "A slow list undoes what this process has written meanwhile.",
		File: "internal/pool/snapshot.go", Tests: poolTests("TestSnapshotIsImmutable|TestSlowListDoesNotBringBackWhatIsGone"),
		Old: `!known || before != a {`, New: `!known && before != a {`,
	},
	{
		Name: "read-undoes-writes", What: "A slow read undoes what this process has written meanwhile.",
		File: "internal/pool/snapshot.go", Tests: poolTests("TestSnapshotIsImmutable"),
		Old: `s.list != begun.list || s.account(name) != begun.account(name)`, New: `s.list != begun.list`,
	},
	{
		Name: "list-of-the-past", What: "A list that some cache has answered with the past is believed.",
		File: "internal/pool/snapshot.go", Tests: poolTests("TestListOfThePastIsNotBelieved"),
		Old: `known != nil && a.olderThan(known)`, New: `known != nil && known.olderThan(a)`,
	},
	{
		Name: "view-never-ages", What: "A long apply goes by the list and the count of its beginning.",
		File: "internal/pool/cache.go", Tests: poolTests("TestFreeAccountIsTakenByAFreshList"),
		Old: `c.load(ctx, time.Now().Add(-maxAge))`, New: `c.load(ctx, time.Time{})`,
	},
	{
		Name: "free-account-by-an-old-list",
		What: "A free account is taken by a list of a minute ago: the broker may have claimed for the same tenant since.",
		File: "internal/pool/cache.go", Tests: poolTests("TestFreeAccountIsTakenByAFreshList"),
		Old: `maxFreeAge = 2 * time.Second`, New: `maxFreeAge = maxAge`,
	},
	{
		Name: "free-account-by-any-list", What: "A free account is taken by whatever list there is.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestFreeAccountIsTakenByAFreshList"),
		Old: `case d.Account.Tenant == "" && !v.fresh(c.listSince):`,
		New: `case d.Account.Name == "" && !v.fresh(c.listSince):`,
	},
	{
		Name: "account-taken-back-by-any-list", What: "An account is taken back by whatever list there is: a second one is not told.",
		File: "internal/pool/update_steps.go", Tests: poolTests("TestFreeAccountIsTakenByAFreshList"),
		Old: `if !v.fresh(u.listSince) {`,
		New: `if u.listSince.IsZero() {`,
	},
	{
		Name: "held-account-by-a-fresh-list", What: "A claim on an account that its tenant holds waits for a fresh list, too.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestHeldAccountNeedsNoFreshList"),
		Old: `case d.Account.Tenant == "" && !v.fresh(c.listSince):`,
		New: `case !v.fresh(c.listSince):`,
	},
	{
		Name: "shared-account-by-a-fresh-list", What: "A claim on a shared account waits for a fresh list, too.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestHeldAccountNeedsNoFreshList"),
		Old: `	case d.Action == ActionShare:
		return c.share(v, d)
`,
		New: `	case d.Action == ActionShare && v.fresh(c.listSince):
		return c.share(v, d)
`,
	},
	{
		Name: "age-from-the-answer", What: "The age of a list counts from its last page: what came while it was read is not seen.",
		File: "internal/pool/cache.go", Tests: poolTests("TestAgeOfAListCountsFromItsFirstRequest"),
		Old: `next.listed, next.arrived, next.hidden = began, arrived, hidden`, New: `next.listed, next.arrived, next.hidden = arrived, arrived, hidden`,
	},
	{
		Name: "list-arrives-with-the-count", What: "A list counts as fresh when the count behind it has come, however long that took.",
		File: "internal/pool/cache.go", Tests: poolTests("TestSlowCountMakesTheListOld"),
		Old: `	arrived := time.Now()
	var counts Counts
	if count != nil {
		counts, err = count(ctx)
	}`,
		New: `	var counts Counts
	if count != nil {
		counts, err = count(ctx)
	}
	arrived := time.Now()`,
	},
	{
		Name: "list-of-its-own", What: "Each claim that waits for a fresh list makes one, also where one was begun since it waits.",
		File: "internal/pool/cache.go", Tests: poolTests("TestOneListServesAllThatWait"),
		Old: `return !c.snapshot().listed.Before(notBefore)`, New: `return c.snapshot().listed.After(time.Now())`,
	},
	{
		Name: "slow-list-is-never-fresh",
		What: "A list that takes longer than it is fresh does not do for the claims that waited for it: they list for ever.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestOneListServesAllThatWait"),
		Old: `case stepRecent:
		c.recent = came.err == nil`,
		New: `case stepList:
		c.listSince = time.Now()
	case stepRecent:
		c.recent = came.err == nil`,
	},
	{
		Name: "list-with-a-count", What: "Each fresh list counts all clusters as well.",
		File: "internal/pool/cache.go", Tests: poolTests("TestFreeAccountIsTakenByAFreshList"),
		Old: `return c.fetch(ctx, nil)`, New: `return c.fetch(ctx, c.counter.Count)`,
	},
	{
		Name: "waiting-since-the-start", What: "A claim that has waited for another one takes a free account by a list of before that.",
		File: "internal/pool/view.go", Tests: poolTests("TestSlowCountMakesTheListOld"),
		Old: ` && v.now.Sub(v.arrived) <= maxFreeAge`,
		New: ``,
	},
	{
		Name: "second-account-untold", What: "A refresh does not say that the tenant holds two accounts of a pool and may have one.",
		File: "internal/provider/claim/warnings.go", Tests: unitTests("claim", "TestClaimWarnings_severalAccounts"),
		Old: `len(s.Held) < 2 ||`, New: `len(s.Held) < 3 ||`,
	},
	{
		Name: "several-allowed-are-told", What: "A refresh warns of several accounts although the tenant is allowed several.",
		File: "internal/pool/inspect.go", Tests: poolTests("TestSecondAccountIsTold"),
		Old: `if !target.Shared && !p.policy.Enabled(globalAccount) {`, New: `if !target.Shared {`,
	},
	{
		Name: "unreadable-is-gone", What: "Any error of a look at a claim's account counts as: it is gone, and the claim leaves the state.",
		File: "internal/pool/inspect.go", Tests: poolTests("TestInspectOfAnAccountThatIsGone"),
		Old: `case errors.As(err, new(*NotFoundError)):`, New: `case errors.As(err, new(*NotFoundError)) || err != nil:`,
	},
	{
		Name: "foreign-record-is-no-problem", What: "A claim record on an account of another tenant is no problem.",
		File: "internal/overview/problem.go", Tests: overviewTests("TestProblemsOfAnAccount|TestRecordsThatCannotCountAreProblems"),
		Old: `	case valid:
		return ""`,
		New: `	case valid, a.Tenant != "":
		return ""`,
	},
	{
		Name: "claim-on-two-accounts-is-no-problem", What: "A claim that is recorded on two accounts is no problem.",
		File: "internal/overview/problem.go", Tests: overviewTests("TestRecordsThatCannotCountAreProblems"),
		Old: `s.void(a, key, r) == "" && len(others) > 0 {`, New: `s.void(a, key, r) == "" && len(others) > len(s.bearers[key]) {`,
	},
	{
		Name: "dirty-is-no-drift", What: "A refresh does not say that the account of a claim was marked dirty.",
		File: "internal/pool/inspect.go", Tests: poolTests("TestInspect"),
		Old: `case a.Dirty != Clean:`, New: `case a.Dirty != Clean && a.Tenant == "":`,
	},
	{
		Name: "exhausted-by-an-old-list", What: "A claim is refused on a list that is older than the claim.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestRefusalsAreJudgedAgainOnOneFreshList"),
		Old: `return v.counted.Before(c.notBefore) && !lasts`,
		New: `return v.counted.IsZero() && !lasts`,
	},
	{
		Name: "list-for-every-refusal", What: "In an exhausted pool each claim costs a list and a count.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestExhaustedPoolIsListedOnceForManyClaims"),
		Old: `lasts := !c.again && errors`,
		New: `lasts := c.again && errors`,
	},
	{
		Name: "list-for-every-edit", What: "Each write that a harmless edit has crossed costs a list of all accounts.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestLoserListsAnew"),
		Old: `now == nil || now.UID != lost.UID || now.Tenant != lost.Tenant {`,
		New: `now != nil || lost != nil {`,
	},
}
