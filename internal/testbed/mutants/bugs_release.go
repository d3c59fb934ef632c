package main

// releaseMutants are bugs in the way an account is given back.
var releaseMutants = []Mutant{
	{
		Name: "no-fence", What: "The account is marked dirty without a fence before.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease|TestClustersStopARelease"),
		Old: `return r.fence(ctx, a)`, New: `return r.finish(ctx, a)`,
	},
	{
		Name: "no-second-look", What: "Clusters that come between the first look and the fence are not seen.",
		File: "internal/pool/release.go", Tests: poolTests("TestClustersStopARelease|TestFenceIsTakenBack"),
		Old: `	if len(users) > 0 {
		r.Used = true
`, New: `	if len(users) > 0 && a.Dirty == Clean {
		r.Used = true
`,
	},
	{
		Name: "release-in-use", What: "An account with clusters on it is fenced.",
		File: "internal/pool/release.go", Tests: poolTests("TestClustersStopARelease|TestInUseErrorListsTwentyAndTheTotal"),
		Old: `	if len(users) > 0 {
		r.pool.noteUsed(ctx, a, r.key, &r.losses) // also where its end is to be another one by then
`, New: `	if len(users) > 0 && r.Mode == ReturnToPool {
		r.pool.noteUsed(ctx, a, r.key, &r.losses) // also where its end is to be another one by then
`,
	},
	{
		Name: "uncounted-is-unused", What: "An error of the count of users counts as: nobody uses it.",
		File: "internal/pool/release.go", Tests: poolTests("TestClustersStopARelease|TestFenceIsTakenBack"),
		Old: `return nil, fmt.Errorf("nobody knows whether clusters are on account %s: %w", account, err)`, New: `return nil, nil`,
	},
	{
		Name: "no-grace", What: "The last look comes at once, although the fence has to stand for a while before it.",
		File: "internal/pool/release.go", Tests: poolTests("TestGraceTime|TestGraceTimeIsWaitedOnce"),
		Old: `case r.Grace > 0 && (!r.waited`, New: `case r.Grace < 0 && (!r.waited`,
	},
	{
		Name: "new-fence-without-grace", What: "A fence that was taken down and is put up again does not stand its grace time again.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceThatIsSetAgainStandsItsGraceTimeAgain"),
		Old: `	r.waited = false // this is a new fence, whatever became of an earlier one
`, New: ``,
	},
	{
		Name: "void-record-stays", What: "A release leaves its record on an account that was stripped: it comes alive when the tenant gets the account again.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseTakesItsVoidRecordFromAFreeAccount|TestVoidRecordDoesNotComeAlive"),
		Old: `case r.leftBehind(a):`, New: `case r.leftBehind(a) && r.Mode == "":`,
	},
	{
		Name: "void-record-of-another-owner", What: "A release takes the void record that another owner has left.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseTakesItsVoidRecordFromAFreeAccount"),
		Old: ` && record.Owner == r.Owner`, New: ``,
	},
	{
		Name: "void-record-on-a-foreign-account", What: "A release takes its void record from an account that another tenant holds by now.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseTakesItsVoidRecordFromAFreeAccount|TestRelease"),
		Old: `!a.Shared && a.Tenant == "" && a.Dirty == Clean`, New: `!a.Shared && a.Tenant != r.Identity.GlobalAccount && a.Dirty == Clean`,
	},
	{
		Name: "tail-per-request", What: "Each request after Ctrl-C gets ten seconds of its own, so that the end takes many times as long.",
		File: "internal/pool/deadline.go", Tests: poolTests("TestInterruptedWhileTheServerIsSilent|TestOldFenceIsTakenDownWithinTheDeadline"),
		Old: `	t.begin.Do(func() {
`, New: `	t.begin = sync.Once{}
	t.begin.Do(func() {
`,
	},
	{
		Name: "fence-stays-up", What: "The fence is not taken back when the release is refused.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceIsTakenBack|TestRelease"),
		Old: `if !r.holds(a) || a.Dirty != Releasing {`, New: `if !r.holds(a) || a.Dirty != Clean {`,
	},
	{
		Name: "fence-stays-up-uncounted", What: "The fence is not taken back when the second look fails.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceIsTakenBack|TestReleaseIsCancelled"),
		Old: `return r.unfence(ctx, a, err)
	}
	if len`, New: `return "", false, err
	}
	if len`,
	},
	{
		Name: "fence-stays-up-cancelled", What: "The fence is not taken back for a caller who has given up.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseIsCancelled|TestFenceIsTakenBack"),
		Old: `still := lasting(ctx)`, New: `still := ctx`,
	},
	{
		Name: "fence-stays-up-kept", What: "A fence stays up on an account that another claim goes on to use.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease|TestTwoReleasesAtOnce|TestClaimComesDuringARelease"),
		Old: `		clean := Clean
		change.Dirty = &clean
	} else if _, ok := a.Records[r.key]; !ok {`, New: `		return outcome, true, nil
	} else if _, ok := a.Records[r.key]; !ok {`,
	},
	{
		Name: "dirty-under-others", What: "The account is marked dirty although another claim of the tenant stands on it.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease|TestClaimComesDuringARelease"),
		Old: `case others > 0 || r.Mode == Keep:`, New: `case others > 1 || r.Mode == Keep:`,
	},
	{
		Name: "void-claims-count", What: "Void records of other tenants count as claims: the account is never given back.",
		File: "internal/pool/account.go", Tests: poolTests("TestRelease|TestClaimsOfAnAccount"),
		Old: `if record.GlobalAccount == a.Tenant {`, New: `if record.GlobalAccount != "" {`,
	},
	{
		Name: "return-what-was-held", What: "An account that the claim did not take from the pool goes back without a clean-up.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease"),
		Old: `(!record.NewlyClaimed || record.Used || r.Used)`, New: `(!recorded || record.Used || r.Used)`,
	},
	{
		Name: "return-what-was-used", What: "An account on which clusters or other claims were seen goes back without a clean-up.",
		File: "internal/pool/release.go", Tests: poolTests("TestUsedAccountIsNotReturned"),
		Old: `(!record.NewlyClaimed || record.Used || r.Used)`, New: `!record.NewlyClaimed`,
	},
	{
		Name: "return-with-the-fence", What: "An account that goes back to the pool stays fenced, so that nobody can take it.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease"),
		Old: `dirt, outcome = Clean, OutcomeReturned`, New: `dirt, outcome = Releasing, OutcomeReturned`,
	},
	{
		Name: "release-by-another-owner", What: "A claim that another owner has recorded is released.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseOfAnotherOwnersClaim"),
		Old: `recorded && record.Owner != r.Owner`, New: `recorded && record.Owner == ""`,
	},
	{
		Name: "unreadable-is-released", What: "Any error of reading the account counts as: it is gone, nothing is to be done.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseOfAnAccountThatCannotBeRead"),
		Old: `	if errors.As(err, &gone) {
		err = errGone
	}
	if err != nil {
		return "", false, err`, New: `	if err != nil || errors.As(err, &gone) {
		return "", false, errGone`,
	},
	{
		Name: "any-fence-is-mine", What: "The grace time of a fence that was taken down counts for the one that was put up since.",
		File: "internal/pool/release.go", Tests: poolTests("TestGraceTimeIsThatOfTheFenceThatStands"),
		Old: `(!r.waited || !record.ReleasingSince.Equal(r.fenced))`, New: `!r.waited`,
	},
	{
		Name: "release-of-another-uid", What: "An account that was deleted and made anew under its name is marked dirty.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseOfAnAccountThatIsGone"),
		Old: `return a.UID == r.UID && !a.Shared`, New: `return !a.Shared`,
	},
	{
		Name: "release-of-another-tenant", What: "The account of the tenant who has it by now is marked dirty.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease"),
		Old: `!a.Shared && a.Tenant == r.Identity.GlobalAccount`, New: `!a.Shared && a.Tenant != ""`,
	},
	{
		Name: "dirty-by-an-odd-value", What: "An account that is dirty by another value than true is released as if it were fenced.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease"),
		Old: `case a.Dirty != Clean && a.Dirty != Releasing:`, New: `case a.Dirty == Dirtied:`,
	},
	{
		Name: "replaced-is-released", What: "The destroy of a replaced claim releases the account that its successor has taken up.",
		File: "internal/pool/release.go", Tests: poolTests("TestClaimMadeAgainSurvivesTheDestroyOfTheOldOne"),
		Old: `made && account == r.Account`, New: `made && account != r.Account`,
	},
}
