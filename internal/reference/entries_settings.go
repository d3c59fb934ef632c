package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// settings has the entries about the provider block.
var settings = group{
	title: "Provider settings",
	entries: []entry{
		{
			title:  diagnose.SummaryUnknownLimit,
			cause:  "A key of `multi_account.limits` names a pool, or looks like a misspelt `default` or hyperscaler.",
			remedy: "Take the key that the message proposes. A limit goes by hyperscaler: `aws`, not `aws_cf-eu11`.",
		},
		{
			title:  diagnose.SummaryStrayLimit,
			cause:  "Warning, once in a run: a key of `multi_account.limits` is no hyperscaler of a plan or of an account.",
			remedy: "Correct the name, or remove the limit. Keep it where the accounts of this hyperscaler are still to come.",
		},
		{
			title: diagnose.SummaryMissingLimit,
			cause: "Warning: `limits` has no `default`, or 0. Accounts of a hyperscaler without a limit of its own take any number of " +
				"clusters, here and in the broker.",
			remedy: "Set `default`, unless no limit is meant.",
		},
		{
			title:  diagnose.SummaryZeroLimit,
			cause:  "Warning: a key of `multi_account.limits` is 0. The broker and the provider read that as the default.",
			remedy: "Leave the key out, or set the number that is meant.",
		},
		{
			title:  diagnose.SummaryUnknownType,
			cause:  "`clean_up_types` has a name that names a pool, or looks like a misspelt provider type.",
			remedy: "Take the type that the message proposes: `aws`, not `aws_cf-eu11`.",
		},
		{
			title:  diagnose.SummaryFeatureOff,
			cause:  "Warning: `multi_account` has no `allowed_global_accounts`, so it has no effect. Terraform drops a misspelt name.",
			remedy: "Name the Global Accounts, or `[\"*\"]` for all. Write `allowed_global_accounts = []` if off is meant.",
		},
		{
			title: diagnose.SummarySettingsChanged,
			cause: "The object was made in another namespace, with another `pool.kind`, other `pool.label_keys` or `pool.label_scheme`, or behind " +
				"another API server; or with a `database` or `platform` that the provider block lacks. Not found there does not mean gone.",
		},
		{
			title:  diagnose.SummaryInvalidGrace,
			cause:  "`release_grace` is no duration, or not within 0 and one hour.",
			remedy: "Write a duration such as `90s` or `5m`.",
		},
		{
			title: diagnose.SummaryBadLabelKey,
			cause: "`pool.label_keys` has a key that Kubernetes does not allow, or one key for two meanings; or `labels` of a `hap_account` " +
				"has a key that the pool or Gardener writes.",
			remedy: "Correct the key that the message names. In `labels` use the attribute of the pool in its place.",
		},
		{
			title: diagnose.SummaryInvalidTimeout,
			cause: "A timeout of `database` or of `timeouts`, `pool.min_free_time`, or `cluster_overdue_after` of `hap_pool_status`, is no " +
				"duration, or not within its bounds.",
			remedy: "Write a duration such as `10s`: at most `10m` for `database`, `1s` to `24h` for `timeouts`, at most `8760h` for " +
				"`pool.min_free_time`, `1m` to `8760h` for `cluster_overdue_after`.",
		},
		{
			title:  diagnose.SummaryInvalidLease,
			cause:  "The `lease` of a claim is no duration, or not within `1s` and ten years.",
			remedy: "Write a duration such as `90m` or `720h`. Go durations have no days: `168h` is a week.",
		},
		{
			title:  diagnose.SummaryBadCount,
			cause:  "`cluster_count.on_disagreement` is set, and only one source counts.",
			remedy: "Remove it, or set `source = \"both\"`.",
		},
		{
			title:  diagnose.SummaryInvalidGA,
			cause:  "The text cannot be the value of a label.",
			remedy: "Write the ID of the Global Account as the label `tenantName` has it.",
		},
	},
}
