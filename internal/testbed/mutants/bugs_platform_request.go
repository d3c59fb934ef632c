package main

// scenarioTests are tests of the provider as a program.
func scenarioTests(run string) Tests {
	return Tests{Package: "internal/testbed/scenarios", Run: "^(" + run + ")$"}
}

// platformRequestMutants are bugs in the way clusters are requested from openMCP, awaited and given back.
var platformRequestMutants = []Mutant{
	{
		Name: "request-of-another-seized", What: "A request that another configuration has made is taken over.",
		File: "internal/openmcp/api/make.go", Tests: openmcpTests("TestRequest_exists"), Acceptance: true,
		Old: `lookErr == nil && live.Annotations[MarkAnnotation] == mark &&`, New: `lookErr == nil &&`,
	},
	{
		Name: "lost-answer-is-an-error", What: "A request whose POST lost its answer is left to the next run.",
		File: "internal/openmcp/api/make.go", Tests: openmcpTests("TestRequest_answerLost"), Acceptance: true,
		Old: `if r := Reason(err); r != kube.Exists && r != kube.UnknownOutcome {`, New: `if r := Reason(err); r != kube.Exists {`,
	},
	{
		Name: "granted-request-given-up", What: "A request that was granted late is withdrawn, and its cluster with it.",
		File: "internal/openmcp/requests/withdraw.go", Tests: openmcpTests("TestGiveUp"), Acceptance: true,
		Old: "		case api.IsGranted(live):\n			return live, nil\n", New: "",
	},
	{
		Name: "given-up-by-uid-alone", What: "A request is withdrawn that is granted between the look at it and its deletion.",
		File: "internal/openmcp/api/kind.go", Tests: openmcpTests("TestGiveUp_grantedMeanwhile"), Acceptance: true,
		Old: `metav1.Preconditions{UID: &judged.UID, ResourceVersion: &judged.ResourceVersion}`, New: `metav1.Preconditions{UID: &judged.UID}`,
	},
	{
		Name: "withdrawn-by-name", What: "A request that another party has made under the same name is deleted.",
		File: "internal/openmcp/api/kind.go", Tests: openmcpTests("TestWithdraw_madeAnew"), Acceptance: true,
		Old: `metav1.Preconditions{UID: &judged.UID, ResourceVersion: &judged.ResourceVersion}`, New: `metav1.Preconditions{}`,
	},
	{
		Name: "cluster-of-the-last-not-awaited", What: "A destroy ends while the Cluster is still there that goes with its last request.",
		File: "internal/openmcp/requests/withdraw.go", Tests: openmcpTests("TestWithdraw"), Acceptance: true,
		Old: `	return o.AwaitEnd(ctx, ends, tell)
`, New: `	return nil
`,
	},
	{
		Name: "shared-cluster-awaited", What: "A destroy waits for a Cluster that other requests hold.",
		File: "internal/openmcp/requests/withdraw.go", Tests: openmcpTests("TestWithdraw"), Acceptance: true,
		Old: `case cluster.UID == before.UID && len(api.Tenants(cluster)) == 0 &&`, New: `case cluster.UID == before.UID &&`,
	},
	{
		Name: "slow-request-is-tainted", What: "A requested cluster that is slow is an error, and the next apply destroys it.",
		File: "internal/provider/clusterrequest/grant.go", Tests: providerTests("TestAccClusterRequest_slowCluster"), Acceptance: true,
		Old: "			warnNotReady(r.Diags, v.request, err)\n", New: "			return v, err\n",
	},
	{
		Name: "unseen-request-is-tainted", What: "A request that could be neither seen nor withdrawn is destroyed by the next apply, with its cluster.",
		File: "internal/provider/clusterrequest/grant.go", Tests: scenarioTests("TestPlatformServerGoneBeyondTheWait"), Acceptance: true,
		Old: "		warnKept(r.Diags, v.request, why, err)\n		return v, nil\n", New: "		warnKept(r.Diags, v.request, why, err)\n		return v, why\n",
	},
	{
		Name: "each-request-by-itself", What: "A plan reads each request by a request of its own.",
		File: "internal/openmcp/api/kind.go", Tests: openmcpTests("TestReads_shareLists"), Acceptance: true,
		Old: `k.recent.Few = 1 //`, New: `k.recent.Few = 1 << 20 //`,
	},
	{
		Name: "another-request-of-the-name", What: "A request that another party has made under the name of one in the state is taken for that one.",
		File: "internal/provider/connection/find.go", Tests: providerTests("TestAccClusterRequest_goneByHand"), Acceptance: true,
		Old: `|| err == nil && of.UID != "" && string(live.GetUID()) != of.UID {`, New: `|| err == nil && live.GetUID() == "" {`,
	},
}
