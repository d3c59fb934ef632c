package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// credentials has the entries about the credentials of an account.
var credentials = group{
	title: "Credentials",
	entries: []entry{
		{
			title: diagnose.SummaryNotSecret,
			cause: "The account refers to a `WorkloadIdentity`.",
		},
		{
			title: diagnose.SummarySecretNotFound,
			cause: "The Secret that the account refers to does not exist.",
		},
	},
}

// faults has the entry about what cannot happen.
var faults = group{
	title: "Faults of the provider",
	entries: []entry{
		{
			title: diagnose.SummaryUnexpected,
			cause: "The provider does not know the error, guesses nothing, and stops. Send the message and the [log](#the-log).",
		},
	},
}
