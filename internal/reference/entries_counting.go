package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// database has the entries about the connection to the broker's database.
var database = group{
	title: "The broker's database",
	entries: []entry{
		{
			title: diagnose.SummaryNoDatabase,
			cause: "The provider is to count clusters in the database, and no setting names its host.",
		},
		{
			title: diagnose.SummaryBadDatabase,
			cause: "The URL, or a `PG*` variable or file that it refers to, cannot be read. A URL is " +
				"`postgres://user:password@host:5432/database?sslmode=verify-full`, with a percent-encoded password.",
		},
		{
			title: diagnose.SummaryDatabaseClear,
			cause: "Warning: `sslmode` is not set, or is `disable`, `allow` or `prefer`, and the server is another machine. A party in " +
				"between can read the data, and get the password.",
			remedy: "Write `sslmode=verify-full` and `sslrootcert=` with the file of the authority into `database.url`, or set `PGSSLMODE` and " +
				"`PGSSLROOTCERT`.",
		},
		{
			title: diagnose.SummaryDatabaseDown,
			cause: "There is no connection, or no answer within `connect_timeout` and `query_timeout`.",
		},
		{
			title: diagnose.SummaryDatabaseLogin,
			cause: "The server refuses the login. Try the same URL with `psql`: a role that `database.sql` made has no password at first.",
		},
		{
			title: diagnose.SummaryDatabaseDenied,
			cause: "The role may read neither the view `hap.clusters` nor all six columns of the table, see " +
				"[Permissions](permissions.md#the-brokers-database).",
		},
		{
			title: diagnose.SummaryNotTheBrokers,
			cause: "The role sees neither the view `hap.clusters` nor a table `instances`, a column is missing (an old broker), or the view does " +
				"not fit the table any more: run `examples/rbac/database.sql` again.",
		},
		{
			title: diagnose.SummaryDatabaseError,
			cause: "The server answered with an error of its own.",
		},
	},
}

// counting has the entries about the counts of clusters.
var counting = group{
	title: "Counting",
	entries: []entry{
		{
			title: diagnose.SummaryDisagreement,
			cause: "`on_disagreement` is `error`, and Gardener and the database count differently, see [When the counts " +
				"differ](counting.md#when-the-counts-differ).",
		},
		{
			title: diagnose.SummaryCountDoubt,
			cause: "Warning: the numbers differ, rows name no account or another Global Account, or clusters could not be counted.",
			remedy: "See [Counting](counting.md). Rows of other Global Accounts may mean that two tenants share an account: find out whose " +
				"clusters they are.",
		},
		{
			title: diagnose.SummaryGuard,
			cause: "The Global Account holds at least `min_bindings_for_guard` accounts of the pool, and not one has a cluster. A database " +
				"that is only half restored shows that.",
		},
		{
			title: diagnose.SummaryLostBinding,
			cause: "In a pool of Secrets, a Shoot names a binding that does not exist, so the Secret of its cluster is not known.",
		},
	},
}
