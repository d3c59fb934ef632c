package main

// claimMutants are bugs in the way a claim comes to stand on an account.
var claimMutants = []Mutant{
	{
		Name: "own-claim-not-found", What: "A claim does not look for itself first: after a crash it takes a second account.",
		File: "internal/pool/claim.go", Tests: poolTests("TestProcessDiesAfterTheWrite|TestClaimThatStandsIsAdopted"),
		Old: `c.view.findClaim(c.key); ok {`, New: `c.view.findClaim(c.key); ok && c.req.Pin != "" {`,
	},
	{
		Name: "void-record-is-proof", What: "A record left behind on an account of nobody, or of another tenant, counts as a claim.",
		File: "internal/pool/account.go", Tests: poolTests("TestVoidRecordIsNoClaim|TestRelease|TestClaimsOfAnAccount"),
		Old: `!ok || a.Tenant == "" || record.GlobalAccount != a.Tenant`, New: `!ok`,
	},
	{
		Name: "conflict-not-judged", What: "After a 409 the same write is sent again with the new version, without judging anew.",
		File: "internal/pool/claim.go", Tests: poolTests("TestAnotherPartyComesBetweenListAndWrite|TestLastAccountIsLost"),
		Old: `		case lost == nil || now.UID != judged.UID:
			return now, false, nil`, New: `		case lost == nil || now.UID != judged.UID:
			judged = now`,
	},
	{
		Name: "lost-claim-goes-elsewhere", What: "A claim whose answer was lost goes to another account while the first write may still arrive.",
		File: "internal/pool/claim.go", Tests: poolTests("TestWriteThatComesLateDoesNotLeaveASecondClaim|TestLostAnswerToAClaim"),
		Old: `		case now.Version != judged.Version:
			return now, false, nil`, New: `		default:
			return now, false, nil`,
	},
	{
		Name: "lost-write-stands", What: "A write whose answer was lost counts as done without a look at the account.",
		File: "internal/pool/pool.go", Tests: poolTests("TestEachWriteOfAReleaseGoesWrong|TestAnswerToAnUpdateIsLost"),
		Old: `case lost != nil && now.UID == judged.UID && change.standsOn(now):`, New: `case lost != nil && now.UID == judged.UID:`,
	},
	{
		Name: "no-detached-check", What: "A caller who gives up in mid-write ends the look at what stands, too.",
		File: "internal/pool/pool.go", Tests: poolTests("TestCallerGivesUpInMidWrite|TestLookAfterALostAnswerOutlivesTheCaller"),
		Old: `return p.read(lasting(ctx), name)`, New: `return p.read(ctx, name)`,
	},
	{
		Name: "write-after-cancel", What: "A write is sent for a caller who has given up before.",
		File: "internal/pool/pool.go", Tests: poolTests("TestClaimCancelledBeforeTheWriteWritesNothing|TestReleaseIsCancelled"),
		Old: `	if ctx.Err() != nil {
		return Account{}, false, nil, context.Cause(ctx)
	}
	after, err`, New: `	after, err`,
	},
	{
		Name: "no-rights-asked", What: "A claim or a release begins without asking whether accounts may be written.",
		File: "internal/pool/pool.go", Tests: poolTests("TestWhoMayNotWriteIsToldBefore"),
		Old: `		return p.allowed
`, New: `		return true
`,
	},
	{
		Name: "second-claim-unnoticed", What: "A claim that took the account does not learn that another one has come.",
		File: "internal/pool/claim.go", Tests: poolTests("TestSecondClaimOnAnAccountIsRemembered"),
		Old: `record.NewlyClaimed && !record.Used && record.Version`, New: `record.NewlyClaimed && record.Used && record.Version`,
	},
	{
		Name: "void-records-stay", What: "A void record of another tenant stays on an account that is claimed, and comes alive one day.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimClearsVoidRecordsOfOthers"),
		Old: `			records[key] = nil
`, New: `			continue
`,
	},
	{
		Name: "void-record-of-a-standing-claim-stays", What: "A void record of a claim that stands elsewhere stays on an account that its tenant takes again.",
		File: "internal/pool/view.go", Tests: poolTests("TestClaimDoesNotReviveOneThatStandsElsewhere"),
		Old: `other.Name != a.Name && key`, New: `other.Name == a.Name && key`,
	},
	{
		Name: "taken-unseen", What: "An account that is to go back as it is is not looked at once it is taken.",
		File: "internal/pool/claim.go", Tests: poolTests("TestTakenAccountIsLookedAt"),
		Old: `d.Action == ActionClaim && c.req.OnDestroy == ReturnToPool`, New: `d.Action == ActionShare && c.req.OnDestroy == ReturnToPool`,
	},
	{
		Name: "record-is-a-claim", What: "A lost write counts as done where the record stands, whoever holds the account by then.",
		File: "internal/pool/claim.go", Tests: poolTests("TestRecordOnAnAccountThatIsLostIsNoClaim"),
		Old: `own := Change{Tenant: &c.req.GlobalAccount, Records`, New: `own := Change{Tenant: change.Tenant, Records`,
	},
	{
		Name: "told-is-changed", What: "A claim whose answer was lost is not known again once another one has told it of itself.",
		File: "internal/pool/ports.go", Tests: poolTests("TestClaimIsToldOfAnotherWhileItsAnswerIsLost"),
		Old: `	r.Used = r.Used && written.Used
`, New: ``,
	},
	{
		Name: "update-makes-a-second-claim", What: "An update records a claim on the account of the state although it stands on another one.",
		File: "internal/pool/update.go", Tests: poolTests("TestUpdateDoesNotPutAClaimOnASecondAccount"),
		Old: `stands && other.Name != account.Name {`, New: `stands && other.Name == account.Name {`,
	},
	{
		Name: "reclaim-under-clusters", What: "A claim is made again on an account that has clusters of another tenant by now.",
		File: "internal/pool/update.go", Tests: poolTests("TestReclaimLooksAtTheClusters"),
		Old: `account.Tenant == "" && p.view.occupied`, New: `account.Tenant != "" && p.view.occupied`,
	},
	{
		Name: "own-record-is-proof", What: "A record that a tenant has left on a free account outweighs the clusters of another one.",
		File: "internal/pool/counts.go", Tests: poolTests("TestAccountWithClustersIsNotClaimed"),
		Old: `tenant != globalAccount && rows >`, New: `tenant == globalAccount && rows >`,
	},
	{
		Name: "rights-asked-by-each", What: "Each claim asks anew whether accounts may be written.",
		File: "internal/pool/pool.go", Tests: poolTests("TestManyClaimsAskOnce|TestYesIsRememberedForTheWholeRun"),
		Old: `p.allowed = err == nil`, New: `p.allowed = false`,
	},
	{
		Name: "busy-account-is-passed-over", What: "An account that another claim is about to take counts as taken: two processes of one tenant take one each.",
		File: "internal/pool/view.go", Tests: poolTests("TestTwoProcessesMeetBesideAnotherTenant|TestClaimWaitsForItsFirstChoice|TestPinnedClaimWaitsForItsAccount"),
		Old: `		accounts = append(accounts, a)
`, New: `		if v.busy[a.Name] == "" {
			accounts = append(accounts, a)
		}
`,
	},
	{
		Name: "busy-account-is-written", What: "An account that another claim of this process is about to take is written beside it, and one of the two is lost.",
		File: "internal/pool/view.go", Tests: poolTests("TestClaimWaitsForItsFirstChoice|TestClaimWaitsForTheLastAccount"),
		Old: `marked && by != key {`, New: `marked && by == key {`,
	},
	{
		Name: "waits-for-ever", What: "A claim that waits for another one does not hear that its caller gives up.",
		File: "internal/pool/claim.go", Tests: poolTests("TestGivingUpWhileAnotherClaimIsAboutToTakeTheAccount"),
		Old: `	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// settle`, New: `	case <-context.WithoutCancel(ctx).Done():
		return context.Cause(ctx)
	}
}

// settle`,
	},
	{
		Name: "reuse-is-newly-claimed", What: "A claim on an account that the tenant held before says that it took it from the pool.",
		File: "internal/pool/claim.go", Tests: poolTests("TestReuseWritesOnlyTheRecord|TestClaimWritesTenantAndRecordInOneWrite"),
		Old: `c.record(d.Action == ActionClaim)`, New: `c.record(true)`,
	},
	{
		Name: "adopted-is-newly-claimed", What: "A claim that is taken up again says that it took its account from the pool.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimThatStandsIsAdopted"),
		Old: `c.record(record.NewlyClaimed)`, New: `c.record(true)`,
	},
	{
		Name: "adopt-from-another-owner", What: "The claim of another owner is taken over.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimThatStandsButCannotBeAdopted"),
		Old: `case record.Owner != c.req.Owner:`, New: `case record.Owner == "" && c.req.Owner != "":`,
	},
	{
		Name: "shared-is-written", What: "A claim is written on a shared account.",
		File: "internal/pool/claim.go", Tests: poolTests("TestSharedClaimWritesNothing|TestSharedAccountChangesAfterTheList"),
		Old: `return c.share(ctx, d)`, New: `return c.take(ctx, d)`,
	},
	{
		Name: "reclaim-from-a-tenant", What: "An update that makes the claim again takes the account from the tenant who has it by now.",
		File: "internal/pool/update.go", Tests: poolTests("TestUpdateReclaims|TestUpdate"),
		Old: `case account.Tenant != ga && (account.Tenant != "" || !r.Reclaim):`, New: `case account.Tenant != ga && !r.Reclaim:`,
	},
	{
		Name: "update-of-another-uid", What: "An update writes on an account that was deleted and made anew under its name.",
		File: "internal/pool/update.go", Tests: poolTests("TestUpdate|TestAnotherPartyComesBetweenReadAndUpdate"),
		Old: `	case account.UID != r.UID:
`, New: `	case account.UID == "":
`,
	},
	{
		Name: "key-without-tenant", What: "Claims of two tenants with the same name share one key.",
		File: "internal/pool/record.go", Tests: poolTests("TestKeysOfNeighboursDiffer|TestKeyStaysTheSame"),
		Old: `[]string{id.Namespace, id.GlobalAccount, id.Pool, id.Name}`, New: `[]string{id.Namespace, id.Pool, id.Name}`,
	},
	{
		Name: "key-without-lengths", What: "The parts of a claim's identity run into each other in its key.",
		File: "internal/pool/record.go", Tests: poolTests("TestKeysOfNeighboursDiffer"),
		Old: `fmt.Fprintf(h, "%d:%s,", len(part), part)`, New: `fmt.Fprint(h, part)`,
	},
}

// poolTests names tests of the package pool.
func poolTests(names string) Tests { return Tests{Package: "internal/pool", Run: "^(" + names + ")$"} }
