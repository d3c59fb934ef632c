package main

// providerMutants are bugs in the claim as Terraform sees it.
var providerMutants = []Mutant{
	{
		Name: "error-after-claim", What: "An error after the claim stands taints it: the next apply would give the account away.",
		File: "internal/provider/claim/resource.go", Tests: providerTests("TestAccClaim_lostStateIsAdopted"), Acceptance: true,
		Old: `	warnClaim(r.Diags, claim)
`, New: `	if claim.Adopted {
		r.Diags.AddError(diagnose.SummaryClaimAdopted, claim.Reason)
	}
`,
	},
	{
		Name: "refresh-drops-claims", What: "Any error of a refresh counts as a deleted account and drops the claim from the state.",
		File: "internal/provider/family/engine.go", Tests: providerTests("TestAccClaimDrift_aForbiddenReadNeverDropsTheClaim"), Acceptance: true,
		Old: `		report(h, Reading, state.Model, err)`, New: `		resp.State.RemoveResource(ctx)`,
	},
	{
		Name: "release-for-the-label", What: "A destroy releases the account for the tenant that its label names, not for the one of the claim.",
		File: "internal/provider/claim/model.go", Tests: providerTests("TestAccClaimDrift_anotherTenantHoldsTheImported"), Acceptance: true,
		Old: `p.Identity(h.GlobalAccount, m.stateTarget()`, New: `p.Identity(m.GlobalAccount.ValueString(), m.stateTarget()`,
	},
	{
		Name: "on-destroy-ignored", What: "on_destroy is not heeded: every destroyed claim marks its account dirty.",
		File: "internal/provider/claim/model.go", Tests: providerTests("TestAccClaim_onDestroy"), Acceptance: true,
		Old: ` Mode: pool.Mode(m.OnDestroy.ValueString()), Grace`, New: ` Mode: pool.MarkDirty, Grace`,
	},
	{
		Name: "vanished-pool-only-warns", What: "A rule set that stands only warns at plan when one of its pools has vanished.",
		File: "internal/provider/ruleset/pools.go", Tests: providerTests("TestAccRuleSet_poolCheckOfAVanishedPool"), Acceptance: true,
		Old: `return slices.ContainsFunc(m.demands, func(d demand) bool { return standing[d] })`, New: `return len(m.demands) == 0`,
	},
	{
		Name: "replacement-is-the-old-claim", What: "A resource whose claim is replaced counts in the plan as the claim that it was.",
		File: "internal/provider/claim/plan.go", Tests: providerTests("TestClaimReplacement_declaredOnce"),
		Old: `r.declareReplaced(plan, of, rule)`, New: `r.declareKept(of)`,
	},
	{
		Name: "renamed-is-made", What: "A plan makes at one address what it destroys at another, where the destroy is planned first.",
		File: "internal/provider/ledger/ledger.go", Tests: providerTests("TestOnePlan"),
		Old: `case l.notes[note{destroyed, o.name()}]:`, New: `case l.notes[note{destroyed, Object{}}]:`,
	},
	{
		Name: "unrefreshed-pool-check", What: "A pool that has vanished stops a plan without a refresh as well: nothing goes past the check.",
		File: "internal/provider/ruleset/pools.go", Tests: unitTests("ruleset", "TestRuleSet_demandsOfTheStateCountAfterARefresh"),
		Old: `if diags.HasError() || !r.backend.Ledger.Noted(refreshed, model.ID.ValueString()) {`, New: `if diags.HasError() {`,
	},
	{
		Name: "unchecked-pools-have-vanished", What: "A pool that no apply has asked for counts as vanished once pool_check becomes error.",
		File: "internal/provider/ruleset/pools.go", Tests: unitTests("ruleset", "TestRuleSet_poolsOfAnUncheckedSetHaveNotVanished"),
		Old: `if model.PoolCheck.ValueString() != poolCheckError {`, New: `if model.PoolCheck.IsNull() {`,
	},
	{
		Name: "one-hyperscaler-is-enough", What: "A plan on several hyperscalers passes the pool check with a pool on one of them.",
		File: "internal/rules/pools.go", Tests: providerTests("TestAccRuleSet_poolCheckOnEachHyperscaler"), Acceptance: true,
		Old: `range s.Targets(e) {`, New: `range s.Targets(e)[:1] {`,
	},
	{
		Name: "warnings-one-by-one", What: "Each destroyed claim tells its own warning, of which the program shows the first.",
		File: "internal/provider/ledger/warnings.go", Tests: unitTests("ledger", "TestWarnings_oneForAllOfARun"),
		Old: `case w.inFlight > 1: // another one`, New: `case w.inFlight > 1 && len(pending) == 0: // another one`,
	},
	{
		Name: "internal-untold", What: "A claim on an internal account does not say that its destroy leaves the account as it is.",
		File: "internal/provider/claim/warnings.go", Tests: unitTests("claim", "TestClaimWarnings_internal"),
		Old: `if c.Account.Internal && !c.Account.Shared {`, New: `if c.Account.Internal && c.Account.Shared {`,
	},
	{
		Name: "lost-private-state-is-unused", What: "An account counts as never used where the provider died within an update.",
		File: "internal/provider/claim/private.go", Tests: unitTests("claim", "TestHolder_lost"),
		Old: `Used: !state.Shared.ValueBool()`, New: `Used: false`,
	},
	{
		Name: "killed-change-of-owner-unsettled", What: "A claim whose owner a killed apply has changed is another owner's for ever.",
		File: "internal/provider/claim/plan.go", Tests: scenarioTests("TestF01KilledAtAChangeOfTheOwner"), Acceptance: true,
		Old: `if h.unsettled(plan, state) {`, New: `if lost && h.unsettled(plan, state) {`,
	},
	{
		Name: "label-keys-forgotten", What: "By other label keys a claim that stands reads as lost, and is made again or given up.",
		File: "internal/provider/claim/private.go", Tests: providerTests("TestAccPool_labelKeysOfAStandingClaimChange"), Acceptance: true,
		Old: `if was == now {`, New: `if was != now || p != nil {`,
	},
	{
		Name: "internal-is-promised-a-release", What: "A plan says of an internal account what only a destroy that may mark or free does.",
		File: "internal/provider/claim/private.go", Tests: scenarioTests("TestF33InternalAccountIsNeverMarkedOrFreed"), Acceptance: true,
		Old: `h.Internal = s.Account.Internal`, New: `h.Internal = false`,
	},
	{
		Name: "several-accounts-told-by-each", What: "Each claim of a tenant says alike that the tenant holds several accounts.",
		File: "internal/provider/claim/warnings.go", Tests: unitTests("claim", "TestClaimWarnings_severalAccounts"),
		Old: `len(s.Held) < 2 || !r.Backend.Ledger.First("several accounts", globalAccount, target.String())`, New: `len(s.Held) < 2`,
	},
	{
		Name: "default-source-without-gardener", What: "By default a configured database counts alone.",
		File: "internal/provider/settings/counting.go", Tests: providerTests("TestCounting_source"),
		Old: `return cmp.Or(c.Source, pool.SourceBoth)`, New: `return cmp.Or(c.Source, pool.SourceDatabase)`,
	},
}

func unitTests(folder, name string) Tests {
	return Tests{Package: "internal/provider/" + folder, Run: "^" + name + "$"}
}

func providerTests(name string) Tests {
	return Tests{Package: "internal/provider", Run: "^" + name + "$"}
}
