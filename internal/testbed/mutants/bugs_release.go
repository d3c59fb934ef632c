package main

// releaseMutants are bugs in the way an account is given back.
var releaseMutants = []Mutant{
	{
		Name: "lost-end-leaves-the-fence", What: "A release whose last write may have taken effect says that its fence and its claim stand.",
		File: "internal/pool/release.go", Tests: poolTests("TestLastWriteAndTheLookBehindItAreLost"),
		Old: `Ended: r.ended != nil && lost`, New: `Ended: r.ended != nil && lost && r.up && !r.up`,
	},
	{
		Name: "no-fence", What: "The account is marked dirty without a fence before.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease|TestClustersStopARelease"),
		Old: `return r.fence(a)`, New: `return r.finish(a)`,
	},
	{
		Name: "no-second-look", What: "Clusters that come between the first look and the fence are not seen.",
		File: "internal/pool/release.go", Tests: poolTests("TestClustersStopARelease|TestFenceIsTakenBack"),
		Old: `case len(users) > 0:`, New: `case len(users) > 0 && !afterFence:`,
	},
	{
		Name: "release-in-use", What: "An account with clusters on it is fenced.",
		File: "internal/pool/release.go", Tests: poolTests("TestClustersStopARelease|TestInUseErrorListsTwentyAndTheTotal"),
		Old: `case len(users) > 0:`, New: `case len(users) > 0 && (afterFence || r.Mode == ReturnToPool):`,
	},
	{
		Name: "waits-for-what-stays", What: "A release waits although one user of the account is no cluster that is being deleted.",
		File: "internal/pool/errors.go", Tests: poolTests("TestReleaseDoesNotWait|TestReleaseWaitsForDeletion"),
		Old: `return !slices.ContainsFunc(e.Users, func(u User) bool { return !u.Deleting })`,
		New: `return slices.ContainsFunc(e.Users, func(u User) bool { return u.Deleting })`,
	},
	{
		Name: "fence-before-the-wait", What: "The fence stands while a release waits for clusters that are being deleted.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseWaitsForDeletion|TestF19ReleaseIsCancelledWhileItWaits"),
		Old: `	if err := r.unused(a.Name, false); err != nil {
		return "", err
	}
	result, fenced, err := r.sendFence(r.ctx, a)
`,
		New: `	result, fenced, err := r.sendFence(r.ctx, a)
	if err := r.unused(a.Name, false); err != nil {
		r.up = false
		return "", err
	}
`,
	},
	{
		Name: "outage-ends-a-release", What: "A release that waits for clusters ends with the first look that gets no answer.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseThatWaitsOutlastsAnOutage|TestWaitThatEndsWithAFailedLook"),
		Old: `err = patience.retry(err)`, New: `_ = patience`,
	},
	{
		Name: "waits-past-its-deadline", What: "An operation goes on waiting until its caller's time is over, and cannot say what it waited for.",
		File: "internal/pool/waiting.go", Tests: poolTests("TestReleaseWaitsUntilItsDeadline|TestTwoClaimsWaitForOneAccount"),
		Old: `left := p.until.Sub(now)`, New: `left := p.until.Sub(now) + time.Hour`,
	},
	{
		Name: "waits-through-the-grace-time", What: "A release that waits for clusters leaves no time for its grace time.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseWaitsUntilItsDeadline|TestReleaseDoesNotWait"),
		Old: `r.patience(r.Grace, r.Tell)`, New: `r.patience(0, r.Tell)`,
	},
	{
		Name: "waits-under-the-lock", What: "A release that waits for clusters holds up the other claims of its tenant.",
		File: "internal/pool/release.go", Tests: poolTests("TestOthersOfTheTenantGoOnWhileAReleaseWaits"),
		Old: `	patience := r.patience(r.Grace, r.Tell)
`,
		New: `	patience := r.patience(r.Grace, r.Tell)
	unlock, err := r.pool.tenants.lock(r.ctx, "waiting "+r.Identity.GlobalAccount)
	if err != nil {
		return "", err
	}
	defer unlock()
`,
	},
	{
		Name: "returned-after-the-wait", What: "An account on which a release has waited for clusters goes back to the pool unwiped.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseDoesNotWait"),
		Old: `	if r.Mode == ReturnToPool {
		return &ReturnRefusedError{`,
		New: `	if r.Mode == Keep {
		return &ReturnRefusedError{`,
	},
	{
		Name: "uncounted-is-unused", What: "An error of the count of users counts as: nothing uses it.",
		File: "internal/pool/release.go", Tests: poolTests("TestClustersStopARelease|TestFenceIsTakenBack"),
		Old: `return fmt.Errorf("whether clusters are on account %s is not known: %w", account, err)`,
		New: `return nil`,
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
		Name:  "void-record-stays",
		What:  "A release leaves its record on an account that was stripped: it comes alive when the tenant gets the account again.",
		File:  "internal/pool/release.go",
		Tests: poolTests("TestReleaseTakesItsVoidRecordAway|TestVoidRecordDoesNotComeAlive|TestDestroyedClaimDoesNotComeAlive"),
		Old:   `case r.leftBehind(a):`, New: `case r.leftBehind(a) && r.Mode == "":`,
	},
	{
		Name: "void-record-stays-on-a-foreign-account", What: "A release leaves its record on an account that another tenant has by now.",
		File: "internal/pool/release.go", Tests: poolTests("TestDestroyedClaimDoesNotComeAlive"),
		Old: `a.strays(r.key, r.Owner) &&`, New: `a.strays(r.key, r.Owner) && a.Tenant == "" &&`,
	},
	{
		Name: "void-record-stays-on-a-dirty-account",
		What: "A release leaves its record on an account that no tenant has and that is dirty.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseTakesItsVoidRecordAway"),
		Old: `return a.UID == r.UID && a.strays`,
		New: `return a.UID == r.UID && a.Dirty == Clean && a.strays`,
	},
	{
		Name: "void-record-with-the-fence",
		What: "A release that takes its record from an account of another tenant takes that tenant's fence down as well.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseTakesItsVoidRecordAway"),
		Old: `return r.write(a, r.withoutRecord(), OutcomeNotHeld)`, New: `return r.dropRecord(a, OutcomeNotHeld)`,
	},
	{
		Name: "void-record-of-another-claim",
		What: "A release takes a void record that a later claim of the same name has left: when it was claimed is not compared.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseTakesItsVoidRecordAway"),
		Old: ` && a.Records[r.key].ClaimedAt.Unix() == r.ClaimedAt.Unix()`, New: ``,
	},
	{
		Name: "void-record-of-another-owner", What: "A release takes the void record that another owner has left.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseTakesItsVoidRecordAway"),
		Old: `a.strays(r.key, r.Owner)`, New: `a.strays(r.key, a.Records[r.key].Owner)`,
	},
	{
		Name: "fence-stays-up", What: "The fence is not taken back when the release is refused.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceIsTakenBack|TestRelease"),
		Old: `case !r.holds(a) || a.Dirty != Releasing &&`, New: `case !r.holds(a) || a.Dirty == Releasing ||`,
	},
	{
		Name: "fence-stays-up-uncounted", What: "The fence is not taken back when the second look fails.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceIsTakenBack|TestReleaseIsCancelled"),
		Old: `case err != nil && r.up && !errors.Is(err, errGone):`,
		New: `case err != nil && r.up && !errors.Is(err, errGone) && !errors.As(err, new(*ForbiddenError)):`,
	},
	{
		Name: "late-fence", What: "A fence whose answer was lost comes to stand after the release was refused.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceThatArrivesLate"),
		Old: `		r.late = a.Version
`, New: ``,
	},
	{
		Name: "old-fence-stays-up", What: "A release that is refused leaves the fence up that an earlier run has put up.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease|TestClustersStopARelease"),
		Old: `r.up = r.up || a.Dirty == Releasing`, New: `r.up = r.up && a.Dirty == Releasing`,
	},
	{
		Name: "fence-that-may-stand-is-forgotten", What: "A fence whose answer was lost counts as not put up: it stays where it stands.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceThatArrivesLate"),
		Old: `r.own || result == committed || r.late != ""`, New: `r.own || result == committed`,
	},
	{
		Name: "old-fence-refuses", What: "A release behind the fence of one that was killed is refused where a first one would wait.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseThatWasKilledBehindItsFence"),
		Old: `case r.up && !r.own && errors.As`, New: `case r.up && r.own && errors.As`,
	},
	{
		Name: "fence-left-untold", What: "A release that ends behind its fence for want of a look at the account leaves the fence without a word.",
		File: "internal/pool/release.go", Tests: poolTests("TestErrorBehindTheFenceTakesItDown"),
		Old: `case err != nil && r.up && !errors.Is(err, errGone):`, New: `case err != nil && r.up && r.ended != nil && !errors.Is(err, errGone):`,
	},
	{
		Name: "fence-stays-up-cancelled", What: "The fence is not taken back for a caller who has given up.",
		File: "internal/pool/release.go", Tests: poolTests("TestReleaseIsCancelled|TestFenceIsTakenBack"),
		Old: `ctx := r.detached()`, New: `ctx := r.ctx`,
	},
	{
		Name: "fence-taken-down-blindly",
		What: "A release takes its fence down by a write to the version that it judged before, without a look at what stands.",
		File: "internal/pool/release.go", Tests: poolTests("TestLastWriteAndTheLookBehindItAreLost"),
		Old: `		a, err := r.pool.look(r.operation, r.Account)
`,
		New: `		a, err := *r.pool.cache.snapshot().account(r.Account), error(nil)
`,
	},
	{
		Name: "no-look-after-the-last-write",
		What: "A release whose last write and the look behind it are lost does not look again: it fails although the mark stands.",
		File: "internal/pool/release.go", Tests: poolTests("TestLastWriteAndTheLookBehindItAreLost"),
		Old: `case r.ended != nil && r.ended(a):`, New: `case r.ended != nil && r.up && !r.up:`,
	},
	{
		Name: "fence-stays-up-kept", What: "A fence stays up on an account that another claim goes on to use.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease|TestTwoReleasesAtOnce|TestClaimComesDuringARelease"),
		Old: `		clean := Clean
		change.Dirty = &clean
	} else if _, ok := a.Records[r.key]; !ok {`, New: `		return outcome, nil
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
		Old: `(!record.NewlyClaimed || r.Used)`, New: `(record.Name == "" || r.Used)`,
	},
	{
		Name: "return-what-was-used", What: "An account on which this claim has seen clusters goes back without a clean-up.",
		File: "internal/pool/release.go", Tests: poolTests("TestUsedAccountIsNotReturned"),
		Old: `(!record.NewlyClaimed || r.Used)`, New: `!record.NewlyClaimed`,
	},
	{
		Name: "internal-is-marked", What: "The destroy of a claim on an internal account marks it for the clean-up job.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease"),
		Old: `case a.Internal:`, New: `case a.Internal && r.Mode != MarkDirty:`,
	},
	{
		Name: "internal-is-freed", What: "The destroy of a claim on an internal account returns it to the pool.",
		File: "internal/pool/release.go", Tests: poolTests("TestRelease"),
		Old: `case a.Internal:`, New: `case a.Internal && r.Mode != ReturnToPool:`,
	},
	{
		Name: "mark-beside-the-brokers",
		What: "A release goes on to mark an account that the broker has marked meanwhile, behind the fence.",
		File: "internal/pool/release.go", Tests: poolTests("TestGraceTime"),
		Old: `case a.Dirty != Clean && a.Dirty != Releasing:`,
		New: `case a.Dirty != Clean && a.Dirty != Releasing && !r.waited:`,
	},
	{
		Name: "grace-by-the-clock",
		What: "A fence counts as old enough by the time in its record, which another machine's clock has written.",
		File: "internal/pool/release.go", Tests: poolTests("TestFenceOfADeadProcessStandsItsGraceTimeToo"),
		Old: `case r.Grace > 0 && (!r.waited`,
		New: `case r.Grace > 0 && time.Since(record.ReleasingSince) < r.Grace && (!r.waited`,
	},
	{
		Name: "return-with-the-fence", What: "An account that goes back to the pool stays fenced, so that no claim can take it.",
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
		Old: `	if errors.As(err, new(*NotFoundError)) {
		err = errGone`,
		New: `	if err != nil {
		err = errGone`,
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
