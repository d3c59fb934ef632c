package main

// openmcpTests are tests of openMCP against the real operator.
func openmcpTests(run string) Tests {
	return Tests{Package: "internal/openmcp", Run: "^(" + run + ")$"}
}

// platformAccessMutants are bugs in the way access to Clusters of openMCP is asked for, awaited and read.
var platformAccessMutants = []Mutant{
	{
		Name: "access-of-before-counts", What: "An edited AccessRequest counts as granted by the answer to what it said before.",
		File: "internal/openmcp/access/access.go", Tests: openmcpTests("TestAccessIsExactlyWhatWasAskedFor"), Acceptance: true,
		Old: `r.Status.Phase == api.Granted && r.Status.ObservedGeneration == r.Generation && r`, New: `r.Status.Phase == api.Granted && r`,
	},
	{
		Name: "access-by-an-older-watch", What: "What a watch has seen of before a change answers for it.",
		File: "internal/openmcp/access/access.go", Tests: openmcpTests("TestAwaitAccess_withAnOlderWatch"), Acceptance: true,
		Old: `case live.Generation < from.Generation:`, New: `case live.Generation < 0:`,
	},
	{
		Name: "rights-stay", What: "Rights that the configuration takes away stay in the AccessRequest.",
		File: "internal/openmcp/access/access.go", Tests: openmcpTests("TestChangeAccess_leavesNothingBehind"), Acceptance: true,
		Old: `			patch[key] = json.RawMessage("null")
`, New: ``,
	},
	{
		Name: "ended-access-is-given", What: "A token that has ended is given out as if it could be used.",
		File: "internal/openmcp/access/secret.go", Tests: openmcpTests("TestAccess_secrets"), Acceptance: true,
		Old: `if !access.ExpiresAt.IsZero() && !time.Now().Before(access.ExpiresAt) {`, New: `if access.ExpiresAt.Unix() < 0 && !access.ExpiresAt.IsZero() {`,
	},
	{
		Name: "kubeconfig-in-an-error", What: "An error quotes what it has read of a Secret.",
		File: "internal/openmcp/access/secret.go", Tests: openmcpTests("TestAccess_secrets"), Acceptance: true,
		Old: `		return access, &BadSecretError{Key: kubeconfigKey}
`, New: `		return access, &BadSecretError{Key: string(kubeconfig)}
`,
	},
	{
		Name: "slow-access-is-tainted", What: "Access that is slow is an error, and the next apply begins anew.",
		File: "internal/provider/clusteraccess/resource.go", Tests: providerTests("TestAccAccessRequest_slow"), Acceptance: true,
		Old: `	if err != nil {
		warnWaiting(r.Diags, err)
	}
`, New: `	if err != nil {
		r.Diags.AddError("Access is not granted", err.Error())
	}
`,
	},
	{
		Name: "lost-secret-stops-a-destroy", What: "Access whose Secret is gone counts as granted, and stops every plan.",
		File: "internal/provider/clusteraccess/resource.go", Tests: providerTests("TestAccAccessRequest_secretsThatCannotBeUsed"), Acceptance: true,
		Old: `		warn(r.Diags, err)
		return m
`, New: `		warn(r.Diags, err)
`,
	},
	{
		Name: "drift-of-rights-unseen", What: "Rights that another party has given to access are not seen.",
		File: "internal/provider/clusteraccess/model.go", Tests: providerTests("TestAccAccessRequest_changedByHand"), Acceptance: true,
		Old: `	if m.Token, err = asSeen(m.Token, r.Spec.Token); err != nil {`, New: `	if _, err = asSeen(m.Token, r.Spec.Token); err != nil {`,
	},
	{
		Name: "other-server-is-gone", What: "An AccessRequest that another platform cluster has not leaves the state.",
		File: "internal/provider/connection/find.go", Tests: providerTests("TestAccAccessRequest_anotherServer"), Acceptance: true,
		Old: `settings.Same("the "+of.Kind, "API server", of.Server, p.Server())`, New: `settings.Same("", "", "", "")`,
	},
}
