package main

// commitMutants are bugs in the way one change is sent and its fate is found out, and in what an operation says that ran
// out of time.
var commitMutants = []Mutant{
	{
		Name: "lost-write-stands", What: "A write whose answer was lost counts as done without a look at the account.",
		File: "internal/pool/commit.go", Tests: poolTests("TestEachWriteOfAReleaseGoesWrong|TestAnswerToAnUpdateIsLost"),
		Old: `case (lost || op.lost > 0) && change.arrivedOn(judged, now):`,
		New: `case lost && now.UID == judged.UID:`,
	},
	{
		Name: "record-is-a-claim", What: "A lost write counts as done where the record stands, whichever tenant holds the account by then.",
		File: "internal/pool/store.go", Tests: poolTests("TestRecordOnAnAccountThatIsLostIsNoClaim"),
		Old: `written != nil && now.Tenant != written.GlobalAccount {`,
		New: `written != nil && written.GlobalAccount == "" {`,
	},
	{
		Name: "no-detached-check", What: "A caller who gives up in mid-write ends the look at what stands, too.",
		File: "internal/pool/commit.go", Tests: poolTests("TestCallerGivesUpInMidWrite|TestLookAfterALostAnswerOutlivesTheCaller"),
		Old: `return p.read(op.detached(), name)`, New: `return p.read(op.ctx, name)`,
	},
	{
		Name: "write-after-cancel", What: "A write is sent for a caller who has given up before.",
		File: "internal/pool/commit.go", Tests: poolTests("TestClaimCancelledBeforeTheWriteWritesNothing|TestReleaseIsCancelled"),
		Old: `	if ctx.Err() != nil {
		return 0, Account{}, op.withLost(context.Cause(ctx))
	}
	now, err`,
		New: `	now, err`,
	},
	{
		Name: "one-write-more", What: "A server that fails every write is sent more of them than one operation may lose.",
		File: "internal/pool/operation.go", Tests: poolTests("TestWritesThatAllFailEnd"),
		Old: `case op.lost >= retryBudget:`, New: `case op.lost > retryBudget:`,
	},
	{
		Name: "tail-per-request", What: "Each request after Ctrl-C gets ten seconds of its own, so that the end takes many times as long.",
		File:  "internal/pool/operation.go",
		Tests: poolTests("TestInterruptedWhileTheServerIsSilent|TestOldFenceIsTakenDownWithinTheDeadline"),
		Old:   `if op.cleanUp == nil {`, New: `if op.cleanUp == nil || op.cleanUp != op.caller {`,
	},
	{
		Name: "no-time-kept-back", What: "An operation works until its deadline, and no time is left to take its fence down.",
		File:  "internal/pool/operation.go",
		Tests: poolTests("TestGivingUpInTheGraceTimeTakesTheFenceDown|TestTimeoutSaysWhereTheTimeWent"),
		Old:   `end.Add(-min(cleanUpTime, time.Until(end)/4))`, New: `end`,
	},
	{
		Name: "bare-deadline-of-a-release", What: "A release that runs out of time does not say where the time went.",
		File: "internal/pool/release.go", Tests: poolTests("TestTimeoutSaysWhereTheTimeWent"),
		Old: `return outcome, op.result(err)`, New: `return outcome, err`,
	},
	{
		Name: "bare-deadline-of-a-claim", What: "A claim that runs out of time does not say where the time went.",
		File: "internal/pool/claim.go", Tests: poolTests("TestTimeoutSaysWhereTheTimeWent"),
		Old: `			return Claim{}, op.result(err)
`, New: `			return Claim{}, err
`,
	},
	{
		Name: "bare-deadline-of-an-update", What: "An update that runs out of time does not say where the time went.",
		File: "internal/pool/update.go", Tests: poolTests("TestTimeoutSaysWhereTheTimeWent"),
		Old: `return status, op.result(err)`, New: `return status, err`,
	},
	{
		Name: "timeout-without-steps", What: "An operation that runs out of time says how long it took, and not by what.",
		File: "internal/pool/operation.go", Tests: poolTests("TestTimeoutSaysWhereTheTimeWent"),
		Old: `Steps: op.longest(), `, New: ``,
	},
}
