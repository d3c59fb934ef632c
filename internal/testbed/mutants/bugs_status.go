package main

// reportTests names tests of the package report.
func reportTests(names string) Tests {
	return Tests{Package: "internal/report", Run: "^(" + names + ")$"}
}

// takeoverTests names tests of the package takeover.
func takeoverTests(names string) Tests {
	return Tests{Package: "internal/takeover", Run: "^(" + names + ")$"}
}

// statusMutants are bugs in what a look at the whole pool tells.
var statusMutants = []Mutant{
	{
		Name: "same-credentials-not-told", What: "Two accounts with the same credentials are no problem.",
		File: "internal/overview/problem.go", Tests: overviewTests("TestAccountsWithTheSameCredentials"),
		Old: `text := when(len(others) > 0, "Its credentials`, New: `text := when(len(others) > 1, "Its credentials`,
	},
	{
		Name: "record-on-a-shared-account-untold", What: "The record of a claim whose account is shared by now, and its tenant's, is no problem.",
		File: "internal/overview/problem.go", Tests: overviewTests("TestProblemsOfAnAccount"),
		Old: `case a.Shared:
		return ", while all`, New: `case a.Shared && !valid:
		return ", while all`,
	},
	{
		Name: "claim-on-two-accounts-told-on-one", What: "Of a claim that stands on two accounts the second by name alone says so.",
		File: "internal/overview/problem.go", Tests: overviewTests("TestRecordsThatCannotCountAreProblems"),
		Old: `if bearer != account {`, New: `if bearer < account {`,
	},
	{
		Name: "stray-not-told", What: "An object that lacks the label of the hyperscaler type is no problem.",
		File: "internal/overview/stuck.go", Tests: overviewTests("TestStrays"),
		Old: `object.Typed || s.facts.Secrets`, New: `object.Typed || text == "" || s.facts.Secrets`,
	},
	{
		Name: "secrets-are-strays", What: "In a pool of Secrets every other Secret of the namespace is a problem.",
		File: "internal/overview/stuck.go", Tests: overviewTests("TestStrays"),
		Old: `s.facts.Secrets && text == ""`, New: `s.facts.Secrets && text == "-"`,
	},
	{
		Name: "near-miss-of-anything", What: "Any label that differs from one of the pool's in two letters is taken for it.",
		File: "internal/overview/stuck.go", Tests: overviewTests("TestNearMissesOfKeys"),
		Old: `allowed := 1`, New: `allowed := 2`,
	},
	{
		Name: "age-of-another-label", What: "The age of the label dirty is that of any label of the object.",
		File: "internal/garden/objects.go", Tests: Tests{Package: "internal/garden", Run: "^(TestLabelWritten)$"},
		Old: `owns && (at.IsZero()`, New: `(owns || len(fields.Metadata.Labels) > 0) && (at.IsZero()`,
	},
	{
		Name: "stranded-waits", What: "A dirty account that no clean-up job wipes is said to wait for it.",
		File: "internal/overview/stuck.go", Tests: overviewTests("TestAccountsThatStayDirty"),
		Old: `a.Dirty == pool.Dirtied && s.facts.Strands != nil`, New: `a.Dirty == pool.Releasing && s.facts.Strands != nil`,
	},
	{
		Name: "every-lease-is-over", What: "A claim with a lease is told as expired before its lease ends.",
		File: "internal/overview/survey.go", Tests: overviewTests("TestClaimsBeyondTheirLease"),
		Old: `!end.IsZero() && s.now.After(end)`, New: `!end.IsZero()`,
	},
	{
		Name: "janitor-gets-all-claims", What: "The expired claims alone are asked for, and their neighbours come along.",
		File: "internal/overview/survey.go", Tests: overviewTests("TestClaimsBeyondTheirLease"),
		Old: `a.ValidRecords = a.Expired`, New: `_ = a.Expired`,
	},
	{
		Name: "unused-pool-not-told", What: "A pool that no rule leads to is no problem.",
		File: "internal/overview/pools.go", Tests: overviewTests("TestPoolsThatNoRuleLeadsTo"),
		Old: `!s.facts.Rules.LeadsTo(target)`, New: `false`,
	},
	{
		Name: "metric-without-a-class", What: "The metric of the accounts has no series for a class that no account is in.",
		File: "internal/report/prometheus.go", Tests: reportTests("TestPrometheusHasZeros"),
		Old: `if class != pool.ClassTaken {`, New: `if class != pool.ClassTaken && tallies[of][class] > 0 {`,
	},
	{
		Name: "metric-without-its-zeros", What: "The metric of the problems has no series for a kind without any.",
		File: "internal/report/prometheus.go", Tests: reportTests("TestPrometheusHasZeros|TestAlertsHaveTheirSeriesInAHealthyPool"),
		Old: `f.add(counts[kind], "kind", string(kind), "namespace", o.Namespace)`, New: `if counts[kind] > 0 {
			f.add(counts[kind], "kind", string(kind), "namespace", o.Namespace)
		}`,
	},
	{
		Name: "import-config-unescaped", What: "A text of a claim is a template in the configuration that takes it over.",
		File: "internal/takeover/hcl.go", Tests: takeoverTests("TestQuoted|TestConfig"),
		Old: `(r == '$' || r == '%') && strings`, New: `r == '%' && strings`,
	},
	{
		Name: "import-config-names-twice", What: "Two things of the configuration that takes a pool over have the same name.",
		File: "internal/takeover/hcl.go", Tests: takeoverTests("TestNames"),
		Old: `n[unique] = true`, New: `n[unique] = false`,
	},
	{
		Name: "janitor-frees-unwiped", What: "A claim that a janitor takes over is to go back to the pool without a clean-up.",
		File: "internal/takeover/takeover.go", Tests: takeoverTests("TestConfigOfExpiredClaims"),
		Old: `mode = pool.MarkDirty //`, New: `mode = r.ReleaseMode //`,
	},
	{
		Name: "import-config-releases", What: "A claim that is taken over is released for the clean-up job when it is destroyed.",
		File: "internal/takeover/takeover.go", Tests: takeoverTests("TestConfig"),
		Old: `mode := pool.Keep`, New: `mode := pool.MarkDirty`,
	},
}
