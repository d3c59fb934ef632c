package main

// gardenMutants take the answers of the Gardener API, and of the broker's database, for what they are not, or send what they must not.
var gardenMutants = []Mutant{
	{"write-without-version", "A write of an account names the version that was judged.",
		gardenCode, "LabelKeys.patch", omit("resourceVersion"), unit(gardenCode, "TestMergePatch|TestNoPatchWithoutPrecondition")},
	{"delete-without-version", "A deletion of an account names the version that was judged.",
		gardenCode, "Garden.Delete", omit("ResourceVersion"), unit(gardenCode, "TestDeleteNamesWhatWasJudged")},
	{"any-404-is-gone", "The 404 of a proxy is no deleted account.",
		kubeCode, "refusal", forget("isMissing"), unit(gardenCode, "TestNotEvery404IsAGoneAccount")},
	{"write-sent-again", "A write whose answer is lost is not sent again blindly.",
		kubeCode, "Write", forget("IsUnauthorized"), unit(gardenCode, "TestAnswersToAWrite")},
	{"first-page-of-clusters", "The clusters of all pages are counted.",
		gardenCode, "Garden.shoots", instead("Continue", `""`), acceptance(gardenCode, "TestCount|TestListIsWholeOrNotAtAll")},
	{"redirect-followed", "No redirect is followed: no credential goes to another server.",
		kubeCode, "refuse", never("StatusCode").at(1), unit(kubeCode, "TestRedirectIsRefused")},
	{"parser-quoted", "An error about a kubeconfig quotes nothing of it.",
		kubeCode, "parseKubeconfig", instead("FindString", "err.Error()"), unit(kubeCode, "TestResolve|TestProblems|TestNothingPrintsSecrets")},
	{"token-unmasked", "A token that a server sends back is masked.",
		kubeCode, "guard.RoundTrip", drop("Body").at(2), unit(kubeCode, "TestEchoedTokenIsMasked")},
	{"half-an-answer-counts", "A count of rows that breaks off is an error.",
		"internal/kebdb", "Database.Count", never("err"), acceptance("internal/kebdb", "TestF12SlowLine")},
}

// shootMutants are bugs in the way clusters are made, changed and awaited.
var shootMutants = []Mutant{
	{"cluster-seized", "A cluster that another party has made is not taken over.",
		shootCode, "Shoots.ours", forget("mark"), acceptance(shootCode, "TestMakeFindsItsOwn")},
	{"cluster-made-again", "A change never makes a cluster again that was deleted, nor moves one back.",
		shootCode, "Shoots.apply", drop("metadata"), acceptance(shootCode, "TestChangeOfTheVeryShoot|TestWritesBearWhatWasJudged")},
	{"cluster-moved", "A live cluster is not moved to another account.",
		shootCode, "Wanted.mayBind", always("Leaves"), acceptance(shootCode, "TestChangeMovesNoCluster")},
	{"ready-before-the-change", "A cluster is ready when Gardener has observed its last change.",
		shootCode, "StatusOf", forget("ObservedGeneration"), unit(shootCode, "TestStatusOf_ready")},
}

const (
	gardenCode = "internal/garden"
	kubeCode   = "internal/kube"
	shootCode  = "internal/shoots"
)
