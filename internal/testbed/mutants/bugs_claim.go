package main

// claimMutants are bugs in the way a claim comes to stand on an account.
var claimMutants = []Mutant{
	{
		Name: "waiting-claim-lists-alone", What: "Each claim that waits for an account has lists and counts of its own.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimsThatWaitShareTheirLists"),
		Old: `		if err != nil {
			return Claim{}, op.result(err)
		}
	}
}
`,
		New: `		if err != nil {
			return Claim{}, op.result(err)
		}
		notBefore = time.Now()
	}
}
`,
	},
	{
		Name: "waiting-claim-does-not-look", What: "A claim that waits for an account goes by the list that it was refused by.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimThatWaitsLooksAnew"),
		Old: `notBefore = p.cache.snapshot().counted.Add(1)`, New: `notBefore = p.cache.snapshot().counted`,
	},
	{
		Name: "outage-ends-a-claim", What: "A claim that waits for an account ends with the first look that gets no answer.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimThatWaitsOutlastsAnOutage|TestWaitThatEndsWithAFailedLook"),
		Old: `err = patience.retry(err)`, New: `_ = patience`,
	},
	{
		Name: "failed-look-takes-all-the-time", What: "A look that hangs takes all the time that a wait has left.",
		File: "internal/pool/operation.go", Tests: poolTests("TestClaimThatWaitsOutlastsAnOutage|TestReleaseThatWaitsOutlastsAnOutage"),
		Old: `if !op.waited {`, New: `if op.ctx != nil {`,
	},
	{
		Name: "waits-for-rights", What: "A claim or a release that waits goes on although it may not look any more.",
		File: "internal/pool/waiting.go", Tests: poolTests("TestFailedLookThatEndsAWait|TestReleaseThatWaitsCannotSeeAnyMore"),
		Old: `unanswered := errors.Is(failed, ErrNoAnswer)`, New: `unanswered := failed != nil`,
	},
	{
		Name: "first-look-is-waited-for", What: "A claim that gets no answer to its first look waits, though a setting may be wrong.",
		File: "internal/pool/waiting.go", Tests: poolTests("TestFailedLookThatEndsAWait|TestClaimThatWaitsOutlastsAnOutage"),
		Old: `case p.begun.IsZero(): // it`, New: `case p.begun.IsZero() && p.until.IsZero(): // it`,
	},
	{
		Name: "failed-look-untold", What: "A wait that ends after a failed look does not say by what it failed.",
		File: "internal/pool/errors.go", Tests: poolTests("TestWaitThatEndsWithAFailedLook"),
		Old: `func (e *WaitError) Unwrap() error { return e.Err }`, New: `func (e *WaitError) Unwrap() error { return nil }`,
	},
	{
		Name: "own-claim-not-found", What: "A claim does not look for itself first: after a crash it takes a second account.",
		File: "internal/pool/claim.go", Tests: poolTests("TestProcessDiesAfterTheWrite|TestClaimThatStandsIsAdopted"),
		Old: `snapshot().claim(c.key); account != nil {`, New: `snapshot().claim(c.key); account != nil && c.req.Pin != "" {`,
	},
	{
		Name: "void-record-is-proof", What: "A record left behind on an account without a tenant, or of another tenant, counts as a claim.",
		File: "internal/pool/account.go", Tests: poolTests("TestVoidRecordIsNoClaim|TestRelease|TestClaimsOfAnAccount"),
		Old: `!ok || a.Tenant == "" || record.GlobalAccount != a.Tenant`, New: `!ok`,
	},
	{
		Name: "conflict-not-judged", What: "After a 409 the same write is sent again with the new version, without judging anew.",
		File: "internal/pool/claim.go", Tests: poolTests("TestAnotherPartyComesBetweenListAndWrite|TestLastAccountIsLost"),
		Old: `		case result != unknown:
			return now, result == committed, nil`,
		New: `		case result == changed:
			judged = now
		case result != unknown:
			return now, result == committed, nil`,
	},
	{
		Name: "lost-claim-leaves-its-record",
		What: "A claim whose answer was lost goes to another account and leaves its record on the first, which may come alive.",
		File: "internal/pool/claim.go", Tests: poolTests("TestRecordOnAnAccountThatIsLostIsNoClaim"),
		Old: `err == nil && result == changed && change.strays(now)`,
		New: `false`,
	},
	{
		Name: "lost-claim-goes-elsewhere",
		What: "A claim whose answer was lost goes to another account while the first write may still arrive.",
		File: "internal/pool/claim.go", Tests: poolTests("TestWriteThatComesLateDoesNotLeaveASecondClaim|TestLostAnswerToAClaim"),
		Old: `		case result != unknown:
`,
		New: `		default:
`,
	},
	{
		Name: "no-rights-asked", What: "A claim or a release begins without asking whether accounts may be written.",
		File: "internal/pool/pool.go", Tests: poolTests("TestWhoMayNotWriteIsToldBefore"),
		Old: `		err := p.store.Allowed(ctx)
		return err == nil, err
`, New: `		return ctx != nil, nil
`,
	},
	{
		Name: "void-records-stay", What: "A void record of another tenant stays on an account that is claimed, and comes alive one day.",
		File: "internal/pool/snapshot.go", Tests: poolTests("TestClaimClearsVoidRecordsOfOthers"),
		Old: `			change.Records[key] = nil
`,
		New: `			continue
`,
	},
	{
		Name:  "void-record-of-a-standing-claim-stays",
		What:  "A void record of a claim that stands elsewhere stays on an account that its tenant takes again.",
		File:  "internal/pool/snapshot.go",
		Tests: poolTests("TestClaimDoesNotReviveOneThatStandsElsewhere|TestReclaimDoesNotReviveOneThatStandsElsewhere"),
		Old:   `other != nil && other.Name != a.Name {`, New: `other != nil && other.Name == a.Name {`,
	},
	{
		Name: "clears-a-held-account",
		What: "A claim that comes to an account which its tenant holds removes the records of others there.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimClearsVoidRecordsOfOthers"),
		Old: `		change.Tenant = &c.req.GlobalAccount
		c.cache.snapshot().clearVoid(&d.Account, c.key, c.req.GlobalAccount, change)
	}`,
		New: `		change.Tenant = &c.req.GlobalAccount
	}
	c.cache.snapshot().clearVoid(&d.Account, c.key, c.req.GlobalAccount, change)`,
	},
	{
		Name: "own-records-are-cleared",
		What: "A claim that takes a free account removes the records that other claims of its tenant have there, too.",
		File: "internal/pool/snapshot.go", Tests: poolTests("TestClaimClearsVoidRecordsOfOthers|TestClaimDoesNotReviveOneThatStandsElsewhere"),
		Old: `if record.GlobalAccount != globalAccount || other`, New: `if record.GlobalAccount != "" || other`,
	},
	{
		Name: "writes-into-other-records", What: "A claim writes into the records of the other claims on its account.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimLeavesTheRecordsOfOthersAlone"),
		Old: `	change := Change{Records: map[string]*Record{c.key: &record}}
	if free {`,
		New: `	change := Change{Records: map[string]*Record{c.key: &record}}
	for key, other := range d.Account.Records {
		other.NewlyClaimed = false
		change.Records[key] = &other
	}
	if free {`,
	},
	{
		Name: "taken-unseen", What: "An account that is to go back as it is is not looked at once it is taken.",
		File: "internal/pool/claim.go", Tests: poolTests("TestTakenAccountIsLookedAt"),
		Old: `if free && c.req.ReleaseMode == ReturnToPool {`, New: `if !free && c.req.ReleaseMode == ReturnToPool {`,
	},
	{
		Name: "failed-look-is-empty", What: "A look at a taken account that fails counts as: nothing is on it.",
		File: "internal/pool/pool.go", Tests: poolTests("TestTakenAccountIsLookedAt"),
		Old: `return err == nil && counts`, New: `return err != nil || counts`,
	},
	{
		Name: "look-by-one-source", What: "A taken account is looked at by the source that counts alone, not by every source there is.",
		File: "internal/pool/pool.go", Tests: poolTests("TestTakenAccountIsLookedAt"),
		Old: `counter = counting.everywhere()`, New: `counter = counting`,
	},
	{
		Name: "look-of-its-own", What: "Each claim that takes an account which is to go back as it is counts all clusters by itself.",
		File: "internal/pool/sharedcall.go", Tests: poolTests("TestTakenAccountIsLookedAt"),
		Old: `!s.asked.Before(notBefore)`, New: `!s.asked.Before(notBefore) && (notBefore.IsZero() || s.asked.After(time.Now()))`,
	},
	{
		Name: "adopted-is-unused",
		What: "A claim that is taken up again may return its account unwiped, although what came meanwhile is not known.",
		File: "internal/pool/claim.go", Tests: poolTests("TestClaimThatStandsIsAdopted"),
		Old: `claim.Adopted, claim.Used = true, true`, New: `claim.Adopted = true`,
	},
	{
		Name: "update-makes-a-second-claim", What: "An update records a claim on the account of the state although it stands on another one.",
		File: "internal/pool/update.go", Tests: poolTests("TestUpdateDoesNotPutAClaimOnASecondAccount"),
		Old: `bearer != nil && bearer.Name != account.Name {`, New: `bearer != nil && bearer.Name == account.Name {`,
	},
	{
		Name: "reclaim-under-clusters", What: "A claim is made again on an account that has clusters of another tenant by now.",
		File: "internal/pool/update.go", Tests: poolTests("TestReclaimLooksAtTheClusters"),
		Old: `account.Tenant == "" && !s.mayReturn`, New: `account.Tenant != "" && !s.mayReturn`,
	},
	{
		Name: "own-record-is-proof", What: "A claim takes its account back although the database knows clusters of another tenant there.",
		File: "internal/pool/counts.go", Tests: poolTests("TestReclaimLooksAtTheClusters"),
		Old: `usage.living() <= own`, New: `usage.living() >= own`,
	},
	{
		Name: "foreign-record-is-nothing", What: "A claim takes its account back from under a claim of another tenant that is recorded there.",
		File: "internal/pool/snapshot.go", Tests: poolTests("TestReclaimLooksAtTheClusters"),
		Old: `!a.remembersOthers(globalAccount) && s.counts`, New: `s.counts`,
	},
	{
		Name: "rights-asked-by-each", What: "Each claim asks anew whether accounts may be written.",
		File: "internal/pool/pool.go", Tests: poolTests("TestManyClaimsAskOnce|TestYesIsRememberedForTheWholeRun"),
		Old: `_, err := p.rights.get(`, New: `_, err := new(sharedAnswer[bool]).get(`,
	},
	{
		Name: "busy-account-is-passed-over", What: "An account that another claim is about to take counts as taken: two processes of one tenant take one each.",
		File: "internal/pool/cache.go", Tests: poolTests("TestTwoProcessesMeetBesideAnotherTenant|TestClaimWaitsForItsFirstChoice|TestPinnedClaimWaitsForItsAccount"),
		Old: `	return choose(s.candidates(q), places{`, New: `	var others []*Account
	for _, a := range s.candidates(q) {
		if c.pending[a.Name] == "" {
			others = append(others, a)
		}
	}
	return choose(others, places{`,
	},
	{
		Name: "busy-account-is-written", What: "An account that another claim of this process is about to take is written beside it, and one of the two is lost.",
		File: "internal/pool/cache.go", Tests: poolTests("TestClaimWaitsForItsFirstChoice|TestClaimWaitsForTheLastAccount"),
		Old: `reserved && by != key {`, New: `reserved && by == key {`,
	},
	{
		Name: "waits-for-ever", What: "A claim that waits for another one does not hear that its caller gives up.",
		File: "internal/pool/claim.go", Tests: poolTests("TestGivingUpWhileAnotherClaimIsAboutToTakeTheAccount"),
		Old: `case <-c.ctx.Done():`, New: `case <-context.WithoutCancel(c.ctx).Done():`,
	},
	{
		Name: "reuse-is-newly-claimed", What: "A claim on an account that the tenant held before says that it took it from the pool.",
		File: "internal/pool/claim.go", Tests: poolTests("TestReuseWritesOnlyTheRecord|TestClaimWritesTenantAndRecordInOneWrite"),
		Old: `record := c.record(free)`, New: `record := c.record(true)`,
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
		Old: `return c.share(d)`, New: `return c.take(d)`,
	},
	{
		Name: "reclaim-from-a-tenant", What: "An update that makes the claim again takes the account from the tenant who has it by now.",
		File: "internal/pool/update.go", Tests: poolTests("TestUpdateReclaims|TestUpdate"),
		Old: `case account.Tenant != ga && (account.Tenant != "" || !r.Reclaim):`, New: `case account.Tenant != ga && !r.Reclaim:`,
	},
	{
		Name: "reclaim-is-a-new-claim", What: "A claim that takes its account back and is killed does not know its own record any more.",
		File: "internal/pool/update.go", Tests: poolTests("TestReclaimKeepsItsTime|TestReclaimThatWasKilledLeavesItsOwnRecord"),
		Old: `	if r.ClaimedAt.IsZero() {`, New: `	if account.Tenant == "" || r.ClaimedAt.IsZero() {`,
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
		Old: `digest(id.Namespace, id.GlobalAccount, id.Pool, id.Name)`, New: `digest(id.Namespace, id.Pool, id.Name)`,
	},
	{
		Name: "key-without-lengths", What: "The parts of a claim's identity run into each other in its key.",
		File: "internal/pool/record.go", Tests: poolTests("TestKeysOfNeighboursDiffer"),
		Old: `		text = append(append(text, part...), ',')
`, New: `		text = append(text[:len(text)-len(strconv.Itoa(len(part)))-1], part...)
`,
	},
	{
		Name: "record-field-renamed", What: "A field of the record gets another name: the claims of released versions lose it.",
		File: "internal/pool/record.go", Tests: poolTests("TestRecordAsJSON"),
		Old: `json:"claimedAt"`, New: `json:"since"`,
	},
}

// poolTests names tests of the package pool.
func poolTests(names string) Tests { return Tests{Package: "internal/pool", Run: "^(" + names + ")$"} }

// overviewTests names tests of the package overview.
func overviewTests(names string) Tests {
	return Tests{Package: "internal/overview", Run: "^(" + names + ")$"}
}
