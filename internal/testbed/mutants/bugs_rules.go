package main

// rulesMutants are bugs in what a rule set is written as.
var rulesMutants = []Mutant{
	{
		Name: "rule-file-as-written",
		What: "Rules in attribute syntax stand in the rule file as written: to the broker they mean something else.",
		File: "internal/rules/rulefile.go", Tests: rulesTests("TestBrokerReadsTheRuleFileAlike|TestBrokerWithTheRuleFileOfAttributeSyntax"),
		Old: `return e.syntax.name != brokerSyntax || e.PlatformRegion == PatternAny`, New: `return e.PlatformRegion == PatternAny`,
	},
	{
		Name: "rule-file-without-pairs",
		What: "The rule file has no entry for a pair of regions with the pool of one of them: the broker takes the two for ambiguous.",
		File: "internal/rules/rulefile.go", Tests: rulesTests("TestBrokerReadsTheRuleFileAlike"),
		Old: `if rows[p] && columns[h] || g.pools[p][h] != wider {`, New: `if g.pools[p][h] != wider {`,
	},
	{
		Name: "convert-with-both-regions",
		What: "Converted rules are compared for requests with both regions alone: a request that lacks one is led elsewhere.",
		File: "internal/rules/convert_write.go", Tests: rulesTests("TestConvertedSetsAnswerAlike"),
		Old: `if w.rightAt(slices.Concat(wide, entries), lacking, given) {`, New: `if w.rightAt(slices.Concat(wide, entries), given) {`,
	},
	{
		Name: "convert-takes-the-first",
		What: "Of the entries that can be written for a region the first is taken, also where it does not go with other regions.",
		File: "internal/rules/convert_write.go", Tests: rulesTests("TestConvert"),
		Old: `if all, ok := w.settle(wide, fewer, copied(columns), tries); ok {`,
		New: `if all, ok := w.settle(wide, fewer, copied(columns), tries); ok && len(fewer) == 0 {`,
	},
	{
		Name: "convert-forgets-the-length", What: "Converted rules have entries whose hyperscaler type fits into no label.",
		File: "internal/rules/convert_write.go", Tests: rulesTests("TestConvert|TestConvertRefuses"),
		Old: `w.suffixLength(platform, hyperscaler, l) > w.entryRoom ||`, New: `w.suffixLength(platform, hyperscaler, l) > 2*w.entryRoom ||`,
	},
	{
		Name: "replaced-hyperscaler-untold", What: "A plan that the broker runs on another hyperscaler counts as one that its rule file is for.",
		File: "internal/rules/plans.go", Tests: rulesTests("TestOwnPlans"),
		Old: `(!known || !within(broker, p.hyperscalers) &&`, New: `(!known || within(broker, p.hyperscalers) &&`,
	},
	{
		Name: "remedy-grants-access", What: "The entry proposed for an ambiguity grants EU access that neither of the two grants.",
		File: "internal/rules/settle.go", Tests: rulesTests("TestAmbiguityMessages|TestAmbiguityExamples"),
		Old: `d.platform.pattern.literal() && !euAccess[string(d.platform.pattern)]`, New: `d.platform.pattern.literal()`,
	},
}

func rulesTests(names string) Tests {
	return Tests{Package: "internal/rules", Run: "^(" + names + ")$"}
}
