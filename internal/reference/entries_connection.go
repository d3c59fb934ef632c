package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// connection has the entries about the connection to the Garden.
var connection = group{
	title: "Connection to the Garden",
	entries: []entry{
		{
			title: diagnose.SummaryNoConnection,
			cause: "Neither the provider block nor a `KUBE_*` variable names an API server. The provider does not read `KUBECONFIG`.",
		},
		{
			title: diagnose.SummaryBadConnection,
			cause: "A kubeconfig cannot be read, a context is not in it, two settings exclude each other, or a text is no PEM or no URL. Often " +
				"a variable is left over in the shell: `env | grep KUBE_`. A kubeconfig of the same apply goes into `config_raw`.",
		},
		{
			title: diagnose.SummaryUnknownConnection,
			cause: "The provider block takes a value from a resource that does not exist yet, so a plan cannot read the pool.",
		},
		{
			title: diagnose.SummaryForbidden,
			cause: "The user lacks a right: [Permissions](permissions.md) has the Roles. `kubectl auth can-i patch credentialsbindings -n " +
				"<namespace>`, with the kubeconfig or the token of that user, shows it.",
		},
		{
			title: diagnose.SummaryUnauthorized,
			cause: "The server answers 401, or the connection has a user name and a password (`KUBE_USER`), which it does not take. A token " +
				"also ends where a run takes longer than the token lives.",
		},
		{
			title: diagnose.SummaryNotGarden,
			cause: "The server redirects, answers with a web page, or sends more than an API server does (64 MiB for a page of a list), or it " +
				"answers 404 to a list of bindings that it has by `/apis`. `curl -k -i <address>/version` shows what answers.",
		},
		{
			title: diagnose.SummaryUnreachable,
			cause: "No usable answer came, also after further tries, or the certificate of the server is not trusted.",
		},
		{
			title: diagnose.SummaryProgram,
			cause: "The connection has a program that prints its credentials (`exec`), and the program failed or is not there. The provider " +
				"sent no request.",
		},
		{
			title: diagnose.SummaryQuota,
			cause: "The server answers 403 with \"exceeded quota\" (a `ResourceQuota` of the namespace) or \"quota limits exceeded\" (a " +
				"`Quota` of the account). No right is missing.",
		},
		{
			title: diagnose.SummaryFailed,
			cause: "The server answered 500 twice, before it wrote anything. An admission webhook does not answer, or an admission plug-in of " +
				"Gardener does not find what an object names.",
		},
		{
			title: diagnose.SummaryNoProject,
			cause: "Gardener finds no project for the namespace of the provider, or the namespace does not exist.",
		},
		{
			title: diagnose.SummaryRejected,
			cause: "The API server finds the request invalid, or an admission plug-in, a webhook or a policy refuses it. All annotations of an " +
				"object have 256 KiB, which is room for some 500 claims on one account.",
		},
		{
			title: diagnose.SummaryTimeout,
			cause: "The operation took longer than its timeout.",
		},
		{
			title: diagnose.SummaryInterrupted,
			cause: "A person or a program stopped the operation, for example by Ctrl-C.",
		},
	},
}
