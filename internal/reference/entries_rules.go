package main

import (
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// ruleSets has the entries about rule sets.
var ruleSets = group{
	title: "Rules",
	entries: []entry{
		{
			title: diagnose.SummaryInvalidRuleSet,
			cause: "The set has neither or both of `rules` and `legacy`, an unknown `syntax`, a faulty table of plans, or too much of " +
				"something.",
			remedy: "Correct all that the message names, see [What the checker finds](writing-rules.md#what-the-checker-finds).",
		},
		{
			title:  diagnose.SummaryLegacyEmpty,
			cause:  "Warning: `legacy` has none of its four properties, so each plan leads to the plain pool of its hyperscaler.",
			remedy: "Set the properties that your broker has. If none is meant, write one of them as `\"\"`.",
		},
		{
			title: diagnose.SummaryOwnPlans,
			cause: "Warning, at each change of the rules: `plans` has a plan that KEB does not know, or with other hyperscalers. KEB refuses " +
				"`rule_file`, or reads it otherwise.",
			remedy: "Where KEB reads `rule_file`, let `plans` say what its table says.",
		},
		{
			title:  diagnose.SummaryMalformed,
			cause:  "The entry is not of the form of its syntax, or exceeds a bound. The caret shows the place.",
			remedy: "Write what the message says. An entry with `->` needs `syntax = \"arrow\"`.",
		},
		{
			title: diagnose.SummaryNotForBroker,
			cause: "Warning: KEB refuses the arrow entry, or reads it otherwise: the `*` of a region, `()`, the plan `openstack`, or a blank " +
				"such as a no-break space.",
			remedy: "Write what the message says, or give KEB the `rule_file` of the rule set.",
		},
		{
			title: diagnose.SummaryOtherReading,
			cause: "Warning: `syntax` is not set, and KEB reads the entries that name a region otherwise: `gcp(PR=cf-sa30)` leads to " +
				"`gcp_cf-sa30` here and to `gcp` there.",
			remedy: "Set `syntax = \"arrow\"` for a list of KEB, `\"attribute\"` for one of this provider.",
		},
		{
			title: diagnose.SummaryEUAccess,
			cause: "Warning: a rule leads a platform region to a pool with EU access, and `eu_access_platform_regions` does not have it. With " +
				"a misspelt region the rule never applies.",
			remedy: "Correct the region, or add it to `eu_access_platform_regions`.",
		},
		{
			title:  diagnose.SummaryRuleRegion,
			cause:  "A rule names a region that is not in `platform_regions`. In a legacy property only a near miss is an error.",
			remedy: "Correct the region, or add it to `platform_regions`.",
		},
		{
			title:  diagnose.SummaryRulePlan,
			cause:  "The plan is not in the table of plans.",
			remedy: "Correct it, or add the plan to `plans`: the built-in plans stay.",
		},
		{
			title:  diagnose.SummaryMissingPlan,
			cause:  "`required_plans` has a plan for which there is no entry.",
			remedy: "Add an entry for it, or take it out of `required_plans`.",
		},
		{
			title:  diagnose.SummaryDuplicateRule,
			cause:  "Two entries are for the same requests with the same attributes.",
			remedy: "Remove one.",
		},
		{
			title:  diagnose.SummaryAmbiguous,
			cause:  "Two entries with the same number of attributes match the same request, and no entry with more attributes settles it.",
			remedy: "Add the entry that the message proposes, or make one of the two narrower.",
		},
		{
			title:  diagnose.SummaryShadowed,
			cause:  "Warning: another entry always wins where this one matches.",
			remedy: "Remove it, or the other one.",
		},
		{
			title: diagnose.SummaryPoolMissing,
			cause: "No account has the labels of this entry's pool. A plan only warns, because the same apply may make the account, unless the " +
				"pool has vanished from under a rule set that exists.",
			remedy: "Add an account, remove the entry, or set `pool_check` to `warn` or `off`. A destroy goes through with `-refresh=false`.",
		},
		{
			title: diagnose.SummaryPoolUnchecked,
			cause: "Warning at plan, once for each kind of resource: the pool could not be read. An apply that has to read it fails where that " +
				"lasts, unless `pool_check` is `warn`.",
			remedy: "See the entry of the reason in the message. A rule set with `pool_check = \"off\"` needs no connection.",
		},
		{
			title:  diagnose.SummaryRulesUnknown,
			cause:  "The rule set or the request was still unknown when the claim was made.",
			remedy: "Please report this issue to the provider developers.",
		},
	},
}

// requests has the entries about requests that rules cannot match.
var requests = group{
	title: "Requests",
	entries: []entry{
		{
			title:  string(rules.ReasonUnknownPlan),
			cause:  "The plan is not in the table of plans. It is the name of the plan, such as `sap-converged-cloud`, not of the hyperscaler.",
			remedy: "Correct it, or add it to `plans` of the rule set.",
		},
		{
			title:  string(rules.ReasonUnknownRegion),
			cause:  "The request, or `eu_access_platform_regions`, names a region that is not in `platform_regions`.",
			remedy: "Correct the region, or add it to `platform_regions`.",
		},
		{
			title:  string(rules.ReasonNoEntry),
			cause:  "No entry of this plan matches the regions of the request. There is no fallback.",
			remedy: "Give the region that the entries ask for, or add an entry without attributes for the plan.",
		},
		{
			title:  string(rules.ReasonHyperscalerRequired),
			cause:  "The plan runs on several hyperscalers (`trial` and `free` on `aws` or `azure`), and the request names none.",
			remedy: "Set `hyperscaler`.",
		},
		{
			title:  string(rules.ReasonHyperscalerMismatch),
			cause:  "The plan does not run on the hyperscaler of the request.",
			remedy: "Leave `hyperscaler` out, or take one that the message names.",
		},
		{
			title:  string(rules.ReasonRegionRequired),
			cause:  "The entry adds a region to the hyperscaler type, and the request has none.",
			remedy: "Set the region that the message names.",
		},
		{
			title:  string(rules.ReasonInvalidLabel),
			cause:  "The text has characters that the value of a label cannot have, or is too long together with the rest.",
			remedy: "Write the region as its ID, such as `cf-eu11` or `eu-central-1`.",
		},
	},
}
