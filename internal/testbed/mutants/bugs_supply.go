package main

// gardenSupply are tests of the package garden, without a server, of what the pool's owner sends.
var gardenSupply = Tests{Package: "internal/garden",
	Run: "^(TestObjectOfANewAccount|TestDeleteNamesWhatWasJudged|TestMergePatch|TestAnswersToTheOwner|TestFindCredentials)$"}

// supplyMutants are bugs in the way accounts are put into the pool, changed and taken out.
var supplyMutants = []Mutant{
	{
		Name: "lost-addition-goes-on", What: "An account that may have been put into the pool is said to be found by the same command.",
		File: "internal/pool/supply_add.go", Tests: poolTests("TestAddMeetsTrouble"),
		Old: `if errors.As(err, new(*UnknownOutcomeError)) {`, New: `if errors.As(err, new(*UnknownOutcomeError)) && supply.Name == "" {`,
	},
	{
		Name: "dirty-account-replaced", What: "An account that is marked dirty is taken out by a replacement, and is made anew without its mark.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestRemove"),
		Old: `case a.unwiped() && !m.Alone:`,
		New: `case a.unwiped() && !m.Alone && a.Name == "":`,
	},
	{
		Name: "occupied-account-uncovered", What: "A label that hides an unclaimed account from the broker is taken away under clusters.",
		File: "internal/pool/supply_amend.go", Tests: poolTests("TestAmend"),
		Old: `case flagged && slices.Contains(a.FalseFlags, FlagEUAccess):`, New: `case flagged && false && len(slices.Clone(a.FalseFlags)) > 0:`,
	},
	{
		Name: "delete-without-version", What: "An account is deleted at whatever version it is: also one that a claim has taken since.",
		File: "internal/garden/supply.go", Tests: gardenSupply,
		Old: `&metav1.Preconditions{UID: &uid, ResourceVersion: &judged.Version}`, New: `&metav1.Preconditions{UID: &uid}`,
	},
	{
		Name: "delete-without-uid", What: "An account is deleted that was made anew under its name.",
		File: "internal/garden/supply.go", Tests: gardenSupply,
		Old: `&metav1.Preconditions{UID: &uid, ResourceVersion: &judged.Version}`,
		New: `&metav1.Preconditions{UID: map[bool]*types.UID{true: &uid}[uid == ""], ResourceVersion: &judged.Version}`,
	},
	{
		Name: "delete-blindly", What: "A delete goes out although the UID or the version is missing.",
		File: "internal/garden/supply.go", Tests: gardenSupply,
		Old: `judged.UID == "" || judged.Version == "" { // the server would delete`,
		New: `judged.UID == "" && judged.Version == "" { // the server would delete`,
	},
	{
		Name: "tenant-of-a-new-account", What: "A new account gets an empty tenant, which hides it from the broker for ever.",
		File: "internal/garden/supply.go", Tests: gardenSupply,
		Old: `meta.Labels[g.keys.HyperscalerType] = supply.HyperscalerType`,
		New: `meta.Labels[g.keys.HyperscalerType], meta.Labels[g.keys.TenantName] = supply.HyperscalerType, ""`,
	},
	{
		Name: "flag-that-says-no", What: "A flag that is taken away says false instead: the broker goes by the key.",
		File: "internal/garden/supply_labels.go", Tests: gardenSupply,
		Old: `		set[k.flag(flag)] = nil
`, New: `		set[k.flag(flag)] = "false"
`,
	},
	{
		Name: "secret-fetched", What: "The look for the credentials fetches them.",
		File: "internal/garden/supply.go", Tests: gardenSupply,
		Old: `group.Request(what).SetHeader("Accept", kube.AcceptMetadata).Do(ctx)`, New: `group.Request(what).Do(ctx)`,
	},
	{
		Name: "exists-is-unknown", What: "A name that is taken already counts as a lost answer.",
		File: "internal/kube/answer.go", Tests: gardenSupply,
		Old: `		return Exists
`, New: `		return UnknownOutcome
`,
	},
	{
		Name: "shared-beside-tenant", What: "An account that a tenant holds becomes shared.",
		File: "internal/pool/supply.go", Tests: poolTests("TestAmend"),
		Old: `case a.Tenant != "" && part != PartWhole && part != PartQuarantine:`, New: `case a.Tenant != "" && part == PartType:`,
	},
	{
		Name: "changed-unjudged", What: "A change is written without a look at what the account is by now.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestAmend"),
		Old: `	if err := m.refusal(a, change, part); err != nil {`,
		New: `	if err := m.refusal(a, change, part); err != nil && a.Name == "" {`,
	},
	{
		Name: "quarantine-lifts-the-fence", What: "An account that is given back loses the fence of a release, or its dirt.",
		File: "internal/pool/supply.go", Tests: poolTests("TestAmend"),
		Old: `a.Quarantine != "" && a.Dirty == Quarantined:`, New: `a.Quarantine != "" && a.Dirty != Clean:`,
	},
	{
		Name: "quarantine-over-dirt", What: "A dirty account is put aside: the clean-up job never comes.",
		File: "internal/pool/supply.go", Tests: poolTests("TestAmend"),
		Old: `case s.Quarantine != "" && a.Dirty == Clean:`, New: `case s.Quarantine != "" && a.Dirty != Quarantined:`,
	},
	{
		Name: "record-on-a-shared-account", What: "An account becomes shared on which the record of a claim lies: no release takes it away there.",
		File: "internal/pool/supply.go", Tests: poolTests("TestAmend"),
		Old: `case len(a.Records)+len(a.Unreadable) > 0:`, New: `case len(a.Claims()) > 0:`,
	},
	{
		Name: "clusters-change-pool", What: "An account with clusters of a tenant becomes shared.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestAmend"),
		Old: `if hidden || part.moves() {`,
		New: `if hidden || part == PartType {`,
	},
	{
		Name: "deleted-under-clusters", What: "An account with clusters on it is deleted.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestRemove"),
		Old: `if first := m.unused(&a, bindings, PartWhole); first != nil {`,
		New: `if first := m.unused(&a, bindings, PartWhole); first != nil && a.Name == "" {`,
	},
	{
		Name: "deleted-under-its-tenant", What: "A quarantined account is deleted under the tenant that holds it.",
		File: "internal/pool/supply_remove.go", Tests: poolTests("TestRemove"),
		Old: `case a.Tenant != "" && a.Dirty != Dirtied:`, New: `case a.Tenant != "" && a.Dirty == Clean:`,
	},
	{
		Name: "deleted-under-a-release", What: "An account is deleted while a release is under way.",
		File: "internal/pool/supply_remove.go", Tests: poolTests("TestRemove"),
		Old: `case a.Dirty == Releasing:
		refused.Obstacle = ObstacleReleasing
`, New: `case a.Dirty == Releasing && a.Tenant == "":
		refused.Obstacle = ObstacleReleasing
`,
	},
	{
		Name: "uncounted-is-removable", What: "An error of the count of users counts as: nothing uses the account.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestAmendIsRefused"),
		Old: `			return fmt.Errorf("whether clusters are on account %s is not known: %w", a.Name, came.err)`,
		New: `			u.counted = true
			return nil`,
	},
	{
		Name: "anothers-is-ours", What: "After a lost answer any account of the name is taken for the one that was to be made.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestAddMeetsTrouble"),
		Old: `case there != nil && m.lost && m.isOn(*there) && !there.Terminating:`,
		New: `case there != nil && m.lost:`,
	},
	{
		Name: "ours-is-anothers", What: "The account of a lost answer is taken for another's: the apply fails, and the state lacks it.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestAddMeetsTrouble"),
		Old: `case there != nil && m.lost && m.isOn(*there) && !there.Terminating:`,
		New: `case there != nil && m.lost && m.isOn(*there) && there.Terminating:`,
	},
	{
		Name: "credentials-twice", What: "An account is made with the credentials of another: one cloud account stands in the pool twice.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestCredentialsOfAnotherAccountAreRefused"),
		Old: `case replaced == "" || a.UID != replaced:`,
		New: `case a.HyperscalerType == "":`,
	},
	{
		Name: "credentials-by-version", What: "References to the same credentials by another version of their kind count as others.",
		File: "internal/pool/supply_credentials.go", Tests: poolTests("TestCredentialsOfItsOwn"),
		Old: `	r.APIVersion = ""
`, New: ``,
	},
	{
		Name: "credentials-by-an-old-list", What: "Of two accounts with the same credentials that a process makes, the second goes by a list of before.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestAccountsWithTheSameCredentialsAtOnce"),
		Old: `if m.lastMade.After(notBefore) {`,
		New: `if m.lastMade.After(v.now) {`,
	},
	{
		Name: "other-kind-has-no-credentials", What: "A cloud account that a SecretBinding leads into comes into the pool a second time.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestCredentialsOfAnotherKindOfBindingAreRefused"),
		Old: `same.Siblings = append(same.Siblings, a.Name)`,
		New: `same.Siblings = append(same.Siblings, []string{}...)`,
	},
	{
		Name: "credentials-listed-for-each", What: "Each account lists the credentials of all others for itself.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestCredentialsAreListedOnceForAll"),
		Old: `notBefore := v.now.Add(-m.age)`,
		New: `notBefore := v.now`,
	},
	{
		Name: "shared-no-more-in-place", What: "A shared account becomes a tenant's in place, while the broker brings a cluster of another tenant to it.",
		File: "internal/pool/supply.go", Tests: poolTests("TestAmend"),
		Old: `case a.Shared && !s.Shared && a.HyperscalerType != "":`, New: `case a.Shared && !s.Shared && a.HyperscalerType == "":`,
	},
	{
		Name: "removed-without-grace", What: "A shared account is made anew as a tenant's while the broker brings a cluster of another tenant to it.",
		File: "internal/pool/supply_remove.go", Tests: poolTests("TestRemovalOfASharedAccountTakesItsGraceTime"),
		Old: `if m.shared && req.Grace > 0 {`,
		New: `if m.shared && req.Grace < 0 {`,
	},
	{
		Name: "quarantine-waits-for-a-count", What: "An account that is suspected of misuse stays in circulation while clusters cannot be counted.",
		File: "internal/pool/supply_amend.go", Tests: poolTests("TestQuarantineNeedsNoCount"),
		Old: `recent: req.Quarantine != ""}`,
		New: `recent: false}`,
	},
	{
		Name: "refused-delete-without-a-pause", What: "A delete that is refused in conflict is sent again at once, again and again.",
		File: "internal/pool/supply_remove.go", Tests: poolTests("TestDeleteThatIsRefused"),
		Old: `lookErr == nil && now.UID == judged.UID`, New: `lookErr == nil && errors.As(err, new(*BusyError)) && now.UID == judged.UID`,
	},
	{
		Name: "outage-ends-a-removal", What: "A removal that waits for the end of an account ends with the first look that gets no answer.",
		File: "internal/pool/supply_remove.go", Tests: poolTests("TestRemoveWaits"),
		Old: `case err != nil && !passes(err):`, New: `case err != nil:`,
	},
	{
		Name: "not-awaited", What: "A removal ends although the object is still there: a new account of the name cannot be made.",
		File: "internal/pool/supply_steps.go", Tests: poolTests("TestRemoveWaits"),
		Old: `return stepGone{*m.account}`,
		New: `return stepDone{}`,
	},
}
