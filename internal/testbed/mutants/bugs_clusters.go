package main

// clustersMutants are bugs in which Cluster a request gets, and with which prefix.
var clustersMutants = []Mutant{
	{
		Name: "prefix-one-way", What: "A proposal that a granted prefix begins with is granted: two tenants can give one name.",
		File: "internal/clusters/adr/prefixes.go", Tests: clustersTests("TestPrefix|TestPrefixesNeverCollide"),
		Old: `if i < len(x.sorted) && strings.HasPrefix(x.sorted[i], prefix) {`, New: `if i < len(x.sorted) && x.sorted[i] == prefix {`,
	},
	{
		Name: "drawn-prefix-unchecked", What: "A drawn prefix is compared for being the same alone: a short one that is granted begins it.",
		File: "internal/clusters/adr/prefixes.go", Tests: clustersTests("TestDrawPrefixAround"),
		Old: `if _, collides := index.collision(prefix); !collides {`,
		New: `if granted, collides := index.collision(prefix); !collides || granted != prefix {`,
	},
	{
		Name: "requirement-weakened", What: "A request that makes a trait optional takes away the requirement of a purpose.",
		File: "internal/clusters/adr/aggregation.go", Tests: clustersTests("TestAggregateTraits|TestDecisionsAgreeWithTheText"),
		Old: `t.Optional = t.Optional && o.optional`, New: `t.Optional = said[0].optional`,
	},
	{
		Name: "last-negation-counts", What: "The last purpose in the list decides whether a trait must be absent, also against the request.",
		File: "internal/clusters/adr/aggregation.go", Tests: clustersTests("TestAggregateTraits|TestDecisionsAgreeWithTheText"),
		Old: `t.Negated, t.Optional = said[0].negated, true`, New: `t.Negated, t.Optional = said[len(said)-1].negated, true`,
	},
	{
		Name: "equivalence-without-negation", What: "A negated trait is looked for under its own name alone: the Cluster has it under another one.",
		File: "internal/clusters/adr/aggregation.go", Tests: clustersTests("TestAggregateEquivalences|TestScheduleTraits"),
		Old: "\t\tif key := same.of(name); keys[key] == \"\" {\n",
		New: "\t\tkey := same.of(name)\n\t\tif t.Negated {\n\t\t\tkey = name\n\t\t}\n\t\tif keys[key] == \"\" {\n",
	},
	{
		Name: "negated-group-as-one", What: "A negated any_of is a trait of its own: the request does not overrule what a purpose says of its traits.",
		File: "internal/clusters/adr/aggregation.go", Tests: clustersTests("TestAggregateTraits|TestAggregateErrors|TestDecisionsAgreeWithTheText"),
		Old: `if t.Negated || len(keys) == 1 {`, New: `if len(keys) == 1 {`,
	},
	{
		Name: "control-character-in-trait", What: "A trait with the separator of groups in its name is taken for a group, and met by a part of it.",
		File: "internal/clusters/adr/request.go", Tests: clustersTests("TestAggregateErrors|TestScheduleErrors"),
		Old: `case strings.ContainsFunc(name, unicode.IsControl):`, New: `case strings.ContainsFunc(name, unicode.IsSpace):`,
	},
	{
		Name: "deprecated-for-a-part", What: "A deprecated version is taken for a request that names a part of it.",
		File: "internal/clusters/adr/versions.go", Tests: clustersTests("TestVersions|TestDecisionsAgreeWithTheText"),
		Old: `if o.deprecated && (d.any || !d.full()) {`, New: `if o.deprecated && d.any {`,
	},
	{
		Name: "pre-release-shared", What: "A Cluster that runs a pre-release is given to a request that asks for no version.",
		File: "internal/clusters/adr/schedule_clusters.go", Tests: clustersTests("TestScheduleClusterVersions"),
		Old: `case s.demand.any && v.prerelease():`, New: `case s.demand.any && v.prerelease() && !readable:`,
	},
	{
		Name: "version-as-text", What: "Versions are compared as texts: 1.3 means 1.30 too.",
		File: "internal/clusters/adr/versions.go", Tests: clustersTests("TestVersions|TestDecisionsAgreeWithTheText"),
		Old: `if v.numbers[i] != o.numbers[i] {`,
		New: `if !strings.HasPrefix(strconv.Itoa(o.numbers[i]), strconv.Itoa(v.numbers[i])) {`,
	},
	{
		Name: "one-purpose-is-enough", What: "A Cluster is shared that has the first purpose of the request and lacks another one.",
		File: "internal/clusters/adr/schedule_clusters.go", Tests: clustersTests("TestSchedulePreferences|TestDecisionsAgreeWithTheText"),
		Old: `if !purposes[purpose] && !c.Dedicated {`, New: `if purpose == s.request.Purposes[0] && !purposes[purpose] {`,
	},
	{
		Name: "free-dedicated-reused", What: "A dedicated Cluster that is free is shared, with what its last tenant left.",
		File: "internal/clusters/adr/schedule_clusters.go", Tests: clustersTests("TestScheduleFourPurposes|TestDecisionsAgreeWithTheText"),
		Old: `case c.Dedicated:`, New: `case c.Dedicated && len(c.Grants) > 0:`,
	},
	{
		Name: "grant-of-a-namesake", What: "A request gets the grant of the request of the same name in another namespace.",
		File: "internal/clusters/adr/landscape.go", Tests: clustersTests("TestScheduleKeepsAGrant"),
		Old: `if g.Request != request {`, New: `if g.Request.Name != request.Name {`,
	},
	{
		Name: "access-across-namespaces", What: "An AccessRequest is granted through a ClusterRequest in another namespace.",
		File: "internal/clusters/adr/access.go", Tests: clustersTests("TestDecideAccess"),
		Old: `if ref.Namespace != a.Ref.Namespace {`, New: `if a.Request == nil && ref.Namespace != a.Ref.Namespace {`,
	},
}

func clustersTests(names string) Tests {
	return Tests{Package: "internal/clusters/adr", Run: "^(" + names + ")$"}
}
