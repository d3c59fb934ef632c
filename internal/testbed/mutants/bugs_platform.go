package main

// platformMutants are bugs in the way clusters, and access to them, are asked for through openMCP.
var platformMutants = []Mutant{
	{"request-of-another-seized", "A request that another configuration has made is not taken over.",
		"internal/openmcp/api", "Left", forget("MarkAnnotation"), acceptance(openmcpCode, "TestRequest_exists")},
	{"given-up-at-the-grant", "A request that is granted while it is given up keeps its cluster.",
		"internal/openmcp/api", "Kind.Remove", omit("ResourceVersion"), acceptance(openmcpCode, "TestGiveUp_grantedMeanwhile")},
	{"access-of-before-counts", "An edited AccessRequest is granted by the answer to what it says now.",
		"internal/openmcp/access", "IsGranted", forget("ObservedGeneration"), acceptance(openmcpCode, "TestAccessIsExactlyWhatWasAskedFor")},
	{"profile-deleted-in-use", "A profile stays while Clusters use it.",
		"internal/openmcp/configs", "Profiles.Unused", never("users"),
		acceptance(providerCode+"/clusterprofile", "TestAccProviderConfig_usedMeanwhile")},
}

// schedulerMutants are bugs in which Cluster a request gets, and with which prefix.
var schedulerMutants = []Mutant{
	{"grant-without-version", "A grant is written under the version that was judged.",
		"internal/openmcp/api", "versionOf", omit("resourceVersion"), schedulerExplorer},
	{"freed-before-deleted", "A request is being deleted before it leaves its Cluster.",
		builtinCode, "Scheduler.release", instead("beginRelease", "errors.Join(s.leave(ctx, r), s.beginRelease(ctx, r))"), schedulerExplorer},
	{"withdrawn-while-granted", "A request that is gone holds nothing, also where a grant was on its way.",
		builtinCode, "Scheduler.grant", instead("unlessGone", "nil"), schedulerExplorer},
	{"prefix-one-way", "No prefix on a Cluster begins another one.",
		adrCode, "prefixIndex.collision", never("len"), unit(adrCode, "TestPrefix|TestPrefixesNeverCollide")},
	{"requirement-weakened", "A request does not weaken what a purpose requires.",
		adrCode, "Aggregated.addTraits", forget("optional"), unit(adrCode, "TestAggregateTraits|TestDecisionsAgreeWithTheText")},
	{"tenancy-off-by-one", "The preview of the operator heeds tenancyCount.",
		"internal/clusters/operator", "scheduling.unfit", flip("limit", ">=", ">"), unit("internal/clusters/operator", "TestSchedule")},
}

const (
	openmcpCode = "internal/openmcp"
	builtinCode = "internal/openmcp/builtin"
	adrCode     = "internal/clusters/adr"
)

// schedulerExplorer visits the schedules of the built-in scheduler.
var schedulerExplorer = unit(builtinCode, "TestExplore")
