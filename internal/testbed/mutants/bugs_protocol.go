package main

// protocolMutants are bugs in the way an account is claimed, changed and given back: one for each thing that the protocol must not leave out.
// The explorer of internal/pool notices each of them by itself, in the sample of schedules that make unit visits.
var protocolMutants = []Mutant{
	{
		Name: "own-claim-not-found", What: "A claim does not look for its own record, and takes a second account.",
		File: "internal/pool/claim_steps.go", Tests: explorer,
		Old: `if bearer := v.claim(c.key()); bearer != nil {`, New: `if bearer := v.claim(c.key()); bearer != nil && bearer.Name == "" {`,
	},
	{
		Name: "conflict-not-judged", What: "A change that meets a conflict is sent again to the account as it is then, unjudged.",
		File: "internal/pool/commit.go", Tests: explorer,
		Old: `		case result == unknown:
			return unknown, now, nil
`,
		New: `		case result == changed:
			judged = now
		case result == unknown:
			return unknown, now, nil
`,
	},
	{
		Name: "next-run-leaves-its-records", What: "A claim leaves the records of its earlier runs where they are.",
		File: "internal/pool/claim_steps.go", Tests: explorer,
		Old: `if a.Name != c.claim.Account.Name && !left {`, New: `if a.Name != c.claim.Account.Name && !left && a.Name == "" {`,
	},
	{
		Name: "void-records-stay", What: "A claim that takes a free account leaves the records there that count again with their tenant.",
		File: "internal/pool/claim_steps.go", Tests: explorer,
		Old: `		v.clearVoid(&d.Account, c.key(), c.GlobalAccount, change)
`, New: ``,
	},
	{
		Name: "no-fence", What: "The account is marked dirty without a fence before.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `return r.unused(a, func() step { return r.write(a, writeFence, r.mark(a, Releasing)) })`,
		New: `return r.unused(a, func() step { return r.finish(a) })`,
	},
	{
		Name: "no-second-look", What: "Clusters that come between the first look and the mark are not seen.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `	return r.unused(a, func() step { return r.finish(a) })
}`,
		New: `	return r.finish(a)
}`,
	},
	{
		Name: "no-grace-time", What: "The account is marked at once behind the fence.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `case r.Grace > 0 && !(`, New: `case r.Grace < 0 && !(`,
	},
	{
		Name: "released-under-another-claim", What: "An account is marked dirty although another claim is on it.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `case a.othersThan(r.key()) > 0:`, New: `case a.othersThan(r.key()) > 99:`,
	},
	{
		Name: "dead-record-stays", What: "The release of a claim whose account was lost leaves its record, which may count again.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `case r.leftBehind(a):`, New: `case r.leftBehind(a) && a.Name == "":`,
	},
	{
		Name: "fence-stays", What: "A release that cannot go on leaves its fence, and does not say so.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `if !r.fence.up {`, New: `if !r.fence.up || r.fence.own {`,
	},
	{
		Name: "end-is-forgotten", What: "A mark that arrives while the fence is taken down is taken for none.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `if s.to == writeEnd {
			r.ending = nil`,
		New: `if s.to != "" {
			r.ending = nil`,
	},
	{
		Name: "twin-unfenced", What: "Another binding of the same credentials is left open while the account is released.",
		File: "internal/pool/release_steps.go", Tests: explorer,
		Old: `case len(open) > 0:`, New: `case len(open) > 99:`,
	},
	{
		Name: "recorded-on-a-marked-account", What: "An update records a claim anew on an account that its release has marked.",
		File: "internal/pool/update.go", Tests: explorer,
		Old: `&& verdict != "", released:`, New: `&& verdict != "", released && account.Name == "":`,
	},
	{
		Name: "taken-back-under-clusters", What: "An account is taken back on which another tenant's clusters are.",
		File: "internal/pool/update_steps.go", Tests: poolTests("TestReclaimLooksAtTheClusters"),
		Old: `case class == "" && !v.mayReturn(&a, id.GlobalAccount):`, New: `case class == "-":`,
	},
}

// explorer are the tests that visit the schedules of the protocol.
var explorer = poolTests("TestExplore")

// poolTests are tests of internal/pool.
func poolTests(run string) Tests { return Tests{"internal/pool", run} }

// overviewTests are tests of internal/overview.
func overviewTests(run string) Tests { return Tests{"internal/overview", run} }
