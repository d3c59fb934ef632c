package main

// protocolMutants leave out one step each by which an account is claimed, changed or given back. The explorer of internal/pool notices each
// of them by itself, in the sample of schedules that make unit visits.
var protocolMutants = []Mutant{
	{"own-claim-not-found", "A claim finds its own record, and takes no second account.",
		poolCode, "Claiming.judge", never("Claim"), explorer},
	{"refused-is-written", "A write that the server refuses is judged again, and never taken for done.",
		poolCode, "Pool.try", always("ArrivedOn"), explorer},
	{"lost-is-forgotten", "An error after a write whose answer is lost says that the write may be there.",
		poolCode, "operation.withLost", returns("err"), explorer},
	{"next-run-leaves-its-records", "A claim takes the records of its earlier runs away.",
		poolCode, "Claiming.end", never("left"), explorer},
	{"void-records-stay", "A claim that takes a free account clears the records there that would count again with their tenant.",
		poolCode, "Claiming.take", drop("clearVoid"), explorer},
	{"no-fence", "A fence is up before an account is marked or freed.",
		poolCode, "Releasing.giveBack", never("Clean"), explorer},
	{"no-second-list", "The clusters are listed again once the fence is up.",
		poolCode, "Releasing.giveBack", instead("unused", "r.finish(a)").at(2), explorer},
	{"no-list-after-the-grace-time", "The bindings of the credentials are listed again after the grace time.",
		poolCode, "Releasing.Learn", drop("forget"), explorer},
	{"no-grace-time", "A release waits its grace time after the fence.",
		poolCode, "Releasing.giveBack", never("Grace"), explorer},
	{"released-under-another-claim", "An account is kept while another claim is on it.",
		poolCode, "Account.OtherClaims", instead("Claims", "[]string(nil)"), explorer},
	{"dead-record-stays", "The release of a claim whose account was lost takes its record away.",
		poolCode, "Releasing.judge", never("leftBehind"), explorer},
	{"fence-stays", "A release that cannot go on takes its fence down, or says that it is up.",
		poolCode, "Releasing.fail", always("up"), explorer},
	{"twin-unfenced", "All bindings of the credentials are fenced while the account is released.",
		poolCode, "Releasing.giveBack", never("open"), explorer},
	{"recorded-on-a-marked-account", "An update records no claim on an account that its release has marked.",
		poolCode, "UpdateRequest.change", never("released"), explorer},
	{"taken-back-under-clusters", "An account is not taken back under the clusters of another tenant.",
		poolCode, "Updating.mayRecord", never("mayReturn"), poolTests("TestReclaimCountsTheClusters")},
}

// selectionMutants choose another account than the one that is right, or judge the room on it by other numbers.
var selectionMutants = []Mutant{
	{"other-pools", "A claim takes accounts of its own pool alone.",
		poolCode, "selection.file", never("Target"), poolTests("TestEveryCombinationOfLabels")},
	{"limit-off-by-one", "An account takes no cluster beyond its limit.",
		poolCode, "selection.judge", flip("limit", ">=", ">"), poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit")},
	{"claim-occupied", "A free account with living clusters is not claimed.",
		poolCode, "Classify", never("living"), poolTests("TestClassify|TestAccountWithClustersIsNotClaimed")},
	{"claim-dirty", "A dirty account gets no claim.",
		poolCode, "Classify", never("Clean").at(2), poolTests("TestClassify|TestEveryCombinationOfLabels")},
	{"claim-without-a-count", "Nothing is claimed where the clusters cannot be counted.",
		poolCode, "cache.count", never("err").at(1), poolTests("TestNothingIsClaimedWithoutACountOrAList")},
	{"free-account-by-any-list", "A free account is taken by a fresh list alone.",
		poolCode, "Claiming.judge", never("fresh"), poolTests("TestFreeAccountIsTakenByAFreshList")},
	{"reservations-ignored", "Places that claims have reserved count against the limit.",
		poolCode, "Places.reserved", instead("Reservations", "0"), poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit")},
	{"lower-number-counts", "Where both sources count, the higher number does.",
		poolCode, "Combine", instead("max", "of.Clusters"), poolTests("TestF13CountingTakesTheHigherNumberAndTellsEveryDifference")},
	{"cluster-on-anothers-account", "No cluster comes to an account that another Global Account holds.",
		poolCode, "HostRequest.reason", never("Tenant").at(2), poolTests("TestMayHost|TestTakes")},
	{"full-account-takes-a-cluster", "No cluster comes to an account that is full.",
		poolCode, "Pool.MayHost", never("Place"), poolTests("TestMayHost")},
}

// supplyMutants put accounts into the pool, or take them out, where that must not be.
var supplyMutants = []Mutant{
	{"deleted-under-clusters", "An account with clusters stays in the pool.",
		poolCode, "Removing.judge", never("unused"), poolTests("TestRemove")},
	{"deleted-under-its-tenant", "An account that a tenant holds stays in the pool.",
		poolCode, "Account.KeptBy", never("Dirtied").at(1), poolTests("TestRemove")},
	{"credentials-twice", "One cloud account does not come into the pool twice.",
		poolCode, "Adding.sameCredentials", never("replaced"), poolTests("TestCredentialsOfAnotherAccountAreRefused")},
}

// poolCode is where the functions of the pool are, in whichever of its packages.
const poolCode = "internal/pool/..."

// explorer are the tests that visit the schedules of the protocol.
var explorer = poolTests("TestExplore")

func poolTests(names string) Tests { return unit(poolCode, names) }

// unit are tests that need no server, acceptance those on the local Garden.
func unit(folder, names string) Tests { return Tests{Package: folder, Run: "^(" + names + ")$"} }
func acceptance(folder, names string) Tests {
	return Tests{Package: folder, Run: "^(" + names + ")$", Garden: true}
}
