package main

// placesMutants are bugs in what counts as taken on an account: the clusters counted, the places reserved, and the
// placements of a run.
var placesMutants = []Mutant{
	{
		Name: "reservations-ignored", What: "Places that claims have reserved do not count against the limit.",
		File: "internal/pool/places.go", Tests: poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit"),
		Old: `return p.Reservations(a, p.now) + p.placed[p.CountedAs(a.Name)]`, New: `return p.placed[p.CountedAs(a.Name)]`,
	},
	{
		Name: "reservations-for-ever", What: "A reservation still counts when its cluster is there and counted.",
		File: "internal/pool/places.go", Tests: poolTests("TestSelectionFillsTheFullestAccountBelowTheLimit|TestCounts"),
		Old: `return !c.has(record.ClusterName)`,
		New: `return !c.has(record.ClusterName) || record.Name != ""`,
	},
	{
		Name: "reservations-beside-rows-for-ever",
		What: "Where the database alone counts, a reservation never ends: each claim counts beside the row of its cluster.",
		File: "internal/pool/places.go", Tests: poolTests("TestRowsSettleNoReservation|TestNoClusterIsCountedTwice"),
		Old: `return now.Sub(record.ClaimedAt) < reservationLife`,
		New: `return now.After(record.ClaimedAt) || now.Sub(record.ClaimedAt) < reservationLife`,
	},
	{
		Name: "reservations-end-by-the-clock",
		What: "A reservation ends after an hour although Gardener counts, and its cluster is not there.",
		File: "internal/pool/places.go", Tests: poolTests("TestInspect|TestSelectionFillsTheFullestAccountBelowTheLimit|TestRowsSettleNoReservation"),
		Old: `case c.source == SourceDatabase:`, New: `case c.source != SourceGardener:`,
	},
	{
		Name: "end-of-a-reservation-untold", What: "No claim says that its place is reserved for an hour only.",
		File: "internal/pool/claim.go", Tests: poolTests("TestReservationByTheDatabaseSaysThatItEnds"),
		Old: `counting.source() != SourceDatabase || req`,
		New: `counting.source() == SourceDatabase || req`,
	},
	{
		Name: "end-of-a-reservation-told-by-each", What: "Each claim of a run says that its place is reserved for an hour only.",
		File: "internal/pool/claim.go", Tests: poolTests("TestReservationByTheDatabaseSaysThatItEnds"),
		Old: `p.reservationsEnd.Do(func() {`,
		New: `func(warn func()) { warn() }(func() {`,
	},
	{
		Name: "placements-ignored",
		What: "Claims of one run without a cluster name do not see each other: all go to one account, over its limit.",
		File: "internal/pool/places.go", Tests: poolTests("TestClaimsOfARunKeepTheLimit"),
		Old: `return p.Reservations(a, p.now) + p.placed[p.CountedAs(a.Name)]`, New: `return p.Reservations(a, p.now)`,
	},
	{
		Name: "placements-ignored-on-shared-accounts",
		What: "Claims of one run on shared accounts do not see each other: all go to the same one.",
		File: "internal/pool/places.go", Tests: poolTests("TestClaimsOfARunSpreadOverSharedAccounts"),
		Old: `return p.sharedUse(a.Name) + p.placed[p.CountedAs(a.Name)]`, New: `return p.sharedUse(a.Name)`,
	},
	{
		Name: "nameless-placements-ignored", What: "Of the claims of a run those without a cluster name take no place.",
		File: "internal/pool/places.go", Tests: poolTests("TestClaimsOfARunKeepTheLimit|TestClaimsOfARunSpreadOverSharedAccounts"),
		Old: `placed[account] += len(claims) - matched(`, New: `placed[account] += 0 * matched(`,
	},
	{
		Name: "adopted-takes-no-place", What: "A claim that is taken up again takes no place in its run.",
		File: "internal/pool/claim_steps.go", Tests: poolTests("TestPlacementsEndWithTheRun"),
		Old: `case !c.placed:`,
		New: `case !c.placed && !c.claim.Adopted:`,
	},
	{
		Name: "failed-claim-keeps-its-place", What: "A claim on a shared account that fails keeps the place that it chose.",
		File: "internal/pool/engine.go", Tests: poolTests("TestClaimsOfARunSpreadOverSharedAccounts"),
		Old: `		e.pool.cache.unplace(p.key())
`,
		New: ``,
	},
	{
		Name: "place-taken-late",
		What: "A claim on a shared account takes its place when it stands: claims side by side do not see each other.",
		File: "internal/pool/engine.go", Tests: poolTests("TestClaimsSideBySideSpreadOverSharedAccounts"),
		Old: `	case stepPlace: // in the moment in which the account is chosen: the next claim to choose has to see the place
		c.take(p.key(), s.account, s.cluster)
`,
		New: `	case stepPlace:
`,
	},
	{
		Name: "own-place-counts", What: "A claim that is judged anew counts the place that it has taken itself.",
		File:  "internal/pool/places.go",
		Tests: poolTests("TestClaimsOfARunSpreadOverSharedAccounts|TestClaimsSideBySideSpreadOverSharedAccounts"),
		Old:   `case key == except ||`, New: `case key == "" ||`,
	},
	{
		Name: "place-beside-its-row",
		What: "The row of a claim with a cluster name on a shared account counts beside its place: the database knows no names.",
		File: "internal/pool/places.go", Tests: poolTests("TestPlacesOfARun"),
		Old: `return p.cluster == "" || counts.source == SourceDatabase`, New: `return p.cluster == ""`,
	},
	{
		Name: "placement-beside-its-reservation",
		What: "A claim with a cluster name on a dedicated account takes two places: its reservation and its placement.",
		File: "internal/pool/places.go", Tests: poolTests("TestClaimsOfARunKeepTheLimit"),
		Old: `case key == except || !claim.shared && claim.cluster != "":`, New: `case key == but:`,
	},
	{
		Name: "placement-beside-its-cluster",
		What: "A claim on a shared account still takes a place when its cluster is there and counted.",
		File: "internal/pool/places.go", Tests: poolTests("TestPlacesOfARun"),
		Old: `case !counts.has(claim.cluster):`, New: `default:`,
	},
	{
		Name: "cluster-beside-its-placement",
		What: "A cluster that comes up counts beside the placement of the claim without a cluster name that it is for.",
		File: "internal/pool/places.go", Tests: poolTests("TestPlacesOfARun"),
		Old: `if clusters-claim.baseline > matched {`, New: `if clusters-claim.baseline > matched && clusters < 0 {`,
	},
	{
		Name: "named-cluster-ends-a-placement",
		What: "The cluster of a claim that names it ends the placement of another claim, which names none.",
		File: "internal/pool/places.go", Tests: poolTests("TestPlacesOfARun"),
		Old: `			clusters--`, New: `			clusters -= 0`,
	},
	{
		Name: "named-cluster-anywhere-ends-a-placement",
		What: "A cluster on another account, which a claim names, has a place of this account counted beside its cluster.",
		File: "internal/pool/places.go", Tests: poolTests("TestPlacesOfARun"),
		Old: `if counts.hasOn(account, name) {`, New: `if counts.has(name) {`,
	},
	{
		Name: "older-cluster-ends-a-placement", What: "A cluster that was there before a claim was made is taken for the claim's.",
		File:  "internal/pool/cache.go",
		Tests: poolTests("TestPlacesOfARun"),
		Old:   `claim.baseline = c.newest.unclaimed(`, New: `claim.baseline = 0 * c.newest.unclaimed(`,
	},
	{
		Name: "gone-cluster-keeps-its-place", What: "A cluster that goes while a run lasts keeps its place: the next one is not taken for a claim's.",
		File: "internal/pool/cache.go", Tests: poolTests("TestPlacesOfARun"),
		Old: `			c.placed.recount(next)
`, New: ``,
	},
	{
		Name: "placements-outlive-the-run",
		What: "What an account is said to have reserved contains the placements of the run, which end with it.",
		File: "internal/pool/cache.go", Tests: poolTests("TestPlacementsEndWithTheRun"),
		Old: `return s.counts.Clusters(a.Name), s.counts.Reservations(s.whole(a), time.Now())`,
		New: `return s.counts.Clusters(a.Name), s.counts.Reservations(s.whole(a), time.Now()) + c.placed.byAccount(s, s.counts, "")[a.Name]`,
	},
	{
		Name: "default-is-the-database", What: "By default the database alone counts where there is one.",
		File: "internal/pool/counting.go", Tests: poolTests("TestF11CountingAsksTheChosenSourcesAlone"),
		Old: `return SourceBoth`, New: `return SourceDatabase`,
	},
	{
		Name: "default-is-gardener", What: "By default Gardener alone counts, also where there is a database.",
		File: "internal/pool/counting.go", Tests: poolTests("TestF11CountingAsksTheChosenSourcesAlone"),
		Old: `return SourceBoth`, New: `return SourceGardener`,
	},
	{
		Name: "shared-by-rows", What: "The least used shared account is found by the rows of the database although Gardener is asked.",
		File: "internal/pool/counts.go", Tests: poolTests("TestLeastUsedSharedAccountByShoots"),
		Old: `return usage.Shoots`, New: `return usage.Clusters`,
	},
	{
		Name: "shared-by-shoots-alone",
		What: "The least used shared account is found by Shoots where the database alone counts: none has any.",
		File: "internal/pool/counts.go", Tests: poolTests("TestLeastUsedSharedAccountByShoots"),
		Old: `if c.source == SourceBoth {
		return usage.Shoots`,
		New: `if c.source == SourceBoth || c.source == SourceDatabase {
		return usage.Shoots`,
	},
	{
		Name: "lower-number-counts", What: "Where both sources count, the rows of the database hide the Shoots made beside the broker.",
		File: "internal/pool/counts.go", Tests: poolTests("TestF13CountingTakesTheHigherNumberAndTellsEveryDifference"),
		Old: `max(usage.Clusters, of.Clusters)`, New: `of.Clusters`,
	},
	{
		Name: "waits-for-the-other-source", What: "A count by two sources waits for the second one although the first has failed.",
		File: "internal/pool/counting.go", Tests: poolTests("TestCountingFailsWithEitherSource"),
		Old: `group, ctx := errgroup.WithContext(ctx)`, New: `group := new(errgroup.Group)`,
	},
}
