package main

// shootTests are tests of the package shoots on the local Garden.
func shootTests(run string) Tests { return Tests{Package: "internal/shoots", Run: "^(" + run + ")$"} }

// shootMutants are bugs in the way clusters are made, changed, awaited and destroyed.
var shootMutants = []Mutant{
	{
		Name: "cluster-seized", What: "A cluster of the name that another party has made counts as our own.",
		File: "internal/shoots/make.go", Tests: shootTests("TestMakeFindsItsOwn"), Acceptance: true,
		Old: `case live.Annotations[markAnnotation] != w.mark(s.namespace) || live.DeletionTimestamp != nil, `,
		New: `case live.DeletionTimestamp != nil, `,
	},
	{
		Name: "check-gives-up", What: "A plan that Gardener cannot answer at once says that its check may have made a cluster.",
		File: "internal/shoots/shoots.go", Tests: shootTests("TestCheckOutlastsABrokenServer"), Acceptance: true,
		Old: `return kube.Read(ctx, call, send)`, New: `return kube.Write(ctx, call, send)`,
	},
	{
		Name: "cluster-made-again", What: "A change is sent without the UID, and makes a cluster again that was deleted.",
		File: "internal/shoots/shoots.go", Tests: shootTests("TestChangeOfTheVeryShoot"), Acceptance: true,
		Old: `metadata["uid"], metadata["resourceVersion"] = string(judged.UID), judged.ResourceVersion`, New: `_ = metadata`,
	},
	{
		Name: "cluster-moves-back", What: "A change moves a cluster back that another party has moved since it was judged.",
		File: "internal/shoots/shoots.go", Tests: shootTests("TestWritesBearWhatWasJudged"), Acceptance: true,
		Old: `metadata["uid"], metadata["resourceVersion"] = string(judged.UID), judged.ResourceVersion`,
		New: `metadata["uid"] = string(judged.UID)`,
	},
	{
		Name: "cluster-moved", What: "A live cluster is moved to another account.",
		File: "internal/shoots/make.go", Tests: shootTests("TestChangeMovesNoCluster"), Acceptance: true,
		Old: `if now := accountOf(live.Spec); now != w.Account {`, New: `if now := accountOf(live.Spec); now == "" && w.Account != "" {`,
	},
	{
		Name: "post-is-never-taken-back", What: "What a template names no longer stays in the cluster, because the POST has written it.",
		File: "internal/shoots/owned.go", Tests: shootTests("TestChangeTakesBack"), Acceptance: true,
		Old: `if !slices.ContainsFunc(live.ManagedFields, isPost) {`, New: `if slices.ContainsFunc(live.ManagedFields, isPost) || true {`,
	},
	{
		Name: "version-goes-back", What: "A version that maintenance has raised is sent as the template has it, and Gardener refuses every plan.",
		File: "internal/shoots/drift.go", Tests: shootTests("TestFollowing"),
		Old: `		see(k, "version", live.Spec.Kubernetes.Version)
`, New: `		see(k, "version", t.shoot.Spec.Kubernetes.Version)
`,
	},
	{
		Name: "version-is-taken-away", What: "A version that the template has raised is left out of the next change, and Gardener takes the newest.",
		File: "internal/shoots/drift.go", Tests: shootTests("TestChangeKeepsTheVersion"), Acceptance: true,
		Old: `		in[key] = now
`, New: `		delete(in, key)
`,
	},
	{
		Name: "ready-of-yesterday", What: "A cluster counts as ready before Gardener has looked at the change.",
		File: "internal/shoots/status.go", Tests: shootTests("TestStatusOf_ready"),
		Old: `shoot.Status.ObservedGeneration == shoot.Generation && `, New: ``,
	},
	{
		Name: "ready-whatever-the-conditions", What: "A cluster counts as ready while its API server is down.",
		File: "internal/shoots/status.go", Tests: shootTests("TestStatusOf_ready"),
		Old: `len(s.Failing) == 0 &&`, New: `len(s.Failing) < 99 &&`,
	},
	{
		Name: "full-account-takes-a-cluster", What: "A cluster comes to an account that is full.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHost"),
		Old: `room.Place > room.Limit {`, New: `room.Place > room.Limit+1 {`,
	},
	{
		Name: "unclaimed-account-takes-a-cluster", What: "A cluster comes to an account that no claim got.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHost"),
		Old: `case !claimed:`, New: `case !claimed && comes:`,
	},
	{
		Name: "cluster-on-anothers-account", What: "A cluster comes to an account that another Global Account holds.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHost|TestStillHosts"),
		Old: `case req.Tenant != "" && holder != "" && holder != req.Tenant:`, New: `case req.Tenant != "" && holder == "":`,
	},
	{
		Name: "claim-to-come-takes-anothers-account", What: "A plan takes a claim that is to be made for one that gets another Global Account's account.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHost"),
		Old: `a.Tenant == "" || c.Tenant == "" || a.Tenant == c.Tenant`, New: `true`,
	},
	{
		Name: "name-has-its-place-anywhere", What: "A cluster has its place on an account because one of its name is on another.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHost"),
		Old: `!counts.hasOn(a.Name, name) {`, New: `!counts.has(name) {`,
	},
	{
		Name: "room-beside-rows-for-ever",
		What: "Where the database alone counts, a claim of yesterday and the row of its cluster take two places from a new cluster.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHostByTheDatabaseAlone"),
		Old: `counts.reserves(record, time.Now()) {`, New: `counts.reserves(record, record.ClaimedAt) {`,
	},
	{
		Name: "named-cluster-has-a-nameless-claim", What: "The cluster that a claim names takes the place of a claim that names none.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHostByTheDatabaseAlone"),
		Old: `if !given[name] {`, New: `if !given[name] || name != "" {`,
	},
	{
		Name: "room-by-another-count", What: "A new cluster is judged by the placements of an older count than its account.",
		File: "internal/pool/host.go", Tests: poolTests("TestMayHostBesideClaimsOfTheRun"),
		Old: `c.placed.byAccount(c.newest, counts, "")`, New: `c.placed.byAccount(c.newest, c.newest.counts, "")`,
	},
	{
		Name: "emptiness-by-the-source-of-room", What: "Whether an account is empty is answered by one source of two.",
		File: "internal/pool/host.go", Tests: poolTests("TestRoomAndEmptinessAreQuestionsOfTheirOwn"),
		Old: `p.hosting.get(ctx`, New: `p.usage.get(ctx`,
	},
	{
		Name: "slow-cluster-is-tainted", What: "A cluster that is slow is an error, and the next apply destroys it.",
		File: "internal/provider/shoot/resource.go", Tests: providerTests("TestAccShoot_slow"), Acceptance: true,
		Old: `		warnNotReady(r.Diags, last, err)
`, New: `		warnNotReady(r.Diags, last, err)
		r.Diags.AddError("Cluster is not ready", err.Error())
`,
	},
	{
		Name: "drift-unseen", What: "What another party has changed in a cluster is not seen.",
		File: "internal/provider/shoot/resource.go", Tests: providerTests("TestAccShoot_drift"), Acceptance: true,
		Old: `for _, change := range w.Drift(now) {`, New: `for _, change := range w.Drift(now)[:0] {`,
	},
	{
		Name: "account-change-is-an-update", What: "Another account for a live cluster is planned as an update in place.",
		File: "internal/provider/shoot/plan.go", Tests: providerTests("TestAccShoot_protected"), Acceptance: true,
		Old: `if differs(plan.CredentialsBindingName, state.CredentialsBindingName) {`,
		New: `if differs(plan.CredentialsBindingName, state.CredentialsBindingName) && state.CredentialsBindingName.IsNull() {`,
	},
}
