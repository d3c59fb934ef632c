package main

// schedulerExplorer is the explorer of the built-in scheduler. It notices a bug in the sample of schedules that make unit visits.
var schedulerExplorer = builtinTests("TestExplore")

// builtinTests are tests of the built-in scheduler.
func builtinTests(run string) Tests {
	return Tests{Package: "internal/openmcp/builtin", Run: "^(" + run + ")$"}
}

// builtinMutants are bugs in how the built-in scheduler grants requests, frees what they hold, and hands them over.
var builtinMutants = []Mutant{
	{
		Name: "grant-without-version", What: "A grant is written without the version that was judged: of two at once one loses its finalizer.",
		File: "internal/openmcp/api/kind.go", Tests: schedulerExplorer,
		Old: `"uid": string(judged.UID), "resourceVersion": judged.ResourceVersion}`,
		New: `"uid": string(judged.UID)}`,
	},
	{
		Name: "freed-before-deleted", What: "A request leaves its Cluster before it is being deleted: cut short there, it lives and holds nothing.",
		File: "internal/openmcp/builtin/release.go", Tests: schedulerExplorer,
		Old: "	if err := s.beginRelease(ctx, r); err != nil {\n		return err\n	}\n	return s.endRelease(ctx, r)\n",
		New: "	if err := s.leaveInTurn(ctx, r); err != nil {\n		return err\n	}\n	if err := s.beginRelease(ctx, r); err != nil {\n		return err\n	}\n" +
			"	return s.endRelease(ctx, r)\n",
	},
	{
		Name: "left-once", What: "A request that is withdrawn leaves its Cluster, and not again when it is gone: a grant on its way stays.",
		File: "internal/openmcp/builtin/release.go", Tests: schedulerExplorer,
		Old: `	return s.leaveInTurn(ctx, r) // a grant`, New: `	return nil // a grant`,
	},
	{
		Name: "random-prefix-unchecked", What: "A prefix is drawn without a look at those that are granted on the Cluster.",
		File: "internal/openmcp/builtin/schedule.go", Tests: builtinTests("TestBuiltin_drawsAround"), Acceptance: true,
		Old: `adr.DrawPrefix(rand.Reader, grants)`, New: `adr.DrawPrefix(rand.Reader, grants[:0])`,
	},
	{
		Name: "last-leaves-the-cluster", What: "The last request leaves its Cluster without deleting it.",
		File: "internal/openmcp/builtin/release.go", Tests: builtinTests("TestBuiltin_shared"), Acceptance: true,
		Old: `if goes && c.DeletionTimestamp == nil {`, New: `if goes && c.DeletionTimestamp != nil {`,
	},
	{
		Name: "bare-grants-overlooked", What: "A Cluster is deleted under a request that lives, off which another party has taken the finalizer.",
		File: "internal/openmcp/builtin/records.go", Tests: builtinTests("TestBuiltin_finalizersTakenOffShared"), Acceptance: true,
		Old: `return string(live.UID) == g.UID, nil`, New: `return string(live.UID) != g.UID, nil`,
	},
	{
		Name: "handed-over-untold", What: "A request is handed over whose status does not tell its Cluster: the operator makes a second one.",
		File: "internal/openmcp/builtin/handover.go", Tests: builtinTests("TestHandOver_unfinished"), Acceptance: true,
		Old: "	case cluster != nil:\n		r, err = s.tellDecision(", New: "	case cluster != nil && api.IsGranted(r):\n		r, err = s.tellDecision(",
	},
	{
		Name: "handover-kept", What: "A request that no operator takes is left without a scheduler.",
		File: "internal/openmcp/builtin/handover.go", Tests: builtinTests("TestHandOver_withoutAnOperator"), Acceptance: true,
		Old: `back, serveErr := s.serve(ctx, from)`, New: `back, serveErr := from, error(nil)`,
	},
	{
		Name: "beside-the-operator", What: "The built-in scheduler grants requests beside the operator.",
		File: "internal/openmcp/builtin/schedule.go", Tests: builtinTests("TestBuiltin_besideTheOperator"), Acceptance: true,
		Old: `return &OperatorRunsError{Ref: r.Ref(), Served: one.Ref()}`, New: `return nil`,
	},
	{
		Name: "dedicated-with-purpose", What: "A dedicated Cluster bears its purposes: the operator gives it to requests that share.",
		File: "internal/openmcp/builtin/schedule.go", Tests: builtinTests("TestBuiltin_dedicated"), Acceptance: true,
		Old: `Kubernetes: api.Kubernetes{Version: d.Version}, Tenancy: api.Exclusive}`,
		New: `Kubernetes: api.Kubernetes{Version: d.Version}, Tenancy: api.Exclusive, Purposes: asked.Purposes}`,
	},
}
