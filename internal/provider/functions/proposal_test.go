package functions

// The sentences of the sections "Concept: Traits" and "Concept: Purposes" of the proposal of the Cluster API, each with the example
// that shows it. The tests in clusters_test.go call the functions with them, directly and from a configuration.

// proposalExample is a sentence and what a function makes of it.
type proposalExample struct {
	section, sentence string
	// call is the function, request and context its two arguments as JSON, which HCL reads too.
	call, request, context string
	// want are keys of the result and their values as JSON; says has to be in its key "reason" or "warnings".
	want, says string
	// wrong has to be in the error, where there is one.
	wrong string
}

const (
	aggregatePurposes = "aggregate_purposes"
	scheduleCluster   = "schedule_cluster"

	traitsConcept, equivalence       = "Concept: Traits", "Concept: Traits/Do we need some kind of Equivalence Classes?"
	purposesConcept, purposesDefined = "Concept: Purposes", "Concept: Purposes/Where are Purposes and their Meaning Defined?"

	// The profiles of the proposal, one of the kind provider, and one of a third party.
	gardenerProfiles = `{"name": "aws", "provider": "gardener", "traits": ["infrastructure/vendor/aws", "kubernetes.io/apis/compute"],
		"versions": [{"version": "1.19.2", "deprecated": true}, {"version": "1.20.3"}]},
		{"name": "aws-workerless", "provider": "gardener", "traits": ["infrastructure/vendor/aws", "cluster.openmcp.cloud/workerless"],
		"versions": [{"version": "1.20.3"}]}`
	kindProfile     = `{"name": "kind", "provider": "kind", "versions": [{"version": "1.31.0"}]}`
	nodelessProfile = `{"name": "foreign", "provider": "third-party", "traits": ["foo.bar.baz/nodeless"], "versions": [{"version": "1.20.3"}]}`
	gcpProfile      = `{"name": "gcp", "provider": "gardener", "traits": ["infrastructure/vendor/gcp"], "versions": [{"version": "1.20.3"}]}`

	// The purposes of the landscape with their implicit properties.
	fourPurposes = `"purposes": {"platform": {}, "onboarding": {"traits": [{"trait": "cluster.openmcp.cloud/workerless", "optional": true}]},
		"workload": {"traits": [{"trait": "kubernetes.io/apis/compute"}]},
		"mcp": {"dedicated": true, "traits": [{"trait": "cluster.openmcp.cloud/workerless", "optional": true, "negated": false}]}}`
	gardenerLandscape = `{` + fourPurposes + `, "profiles": [` + gardenerProfiles + `]}`
	kindLandscape     = `{` + fourPurposes + `, "profiles": [` + kindProfile + `]}`
	sameTraits        = `"equivalences": [["cluster.openmcp.cloud/workerless", "foo.bar.baz/nodeless"]]`

	// Clusters that exist.
	platformCluster = `{"namespace": "landscape", "name": "core", "profile": "aws", "version": "1.20.3", "purposes": ["platform", "onboarding"],
		"grants": [{"request": "landscape/operators", "prefix": "ops-"}]}`
	crateCluster = `{"namespace": "landscape", "name": "crate", "profile": "aws-workerless", "version": "1.20.3", "purposes": ["onboarding"]}`
	workClusters = `{"namespace": "landscape", "name": "work-1", "profile": "aws", "version": "1.20.3", "purposes": ["workload"], "grants": [
		{"request": "a/a", "prefix": "aaaa-"}, {"request": "b/b", "prefix": "bbbb-"}]},
		{"namespace": "landscape", "name": "work-2", "profile": "aws", "version": "1.20.3", "purposes": ["workload"], "grants": [
		{"request": "c/c", "prefix": "cccc-"}]}`
	mcpCluster = `{"namespace": "landscape", "name": "mcp-1", "profile": "aws-workerless", "version": "1.20.3", "purposes": ["mcp"], "dedicated": true,
		"grants": [{"request": "d/d"}]}`
	fullLandscape = `{` + fourPurposes + `, "profiles": [` + gardenerProfiles + `], "clusters": [` + platformCluster + `, ` + crateCluster + `, ` +
		workClusters + `, ` + mcpCluster + `]}`
)

// requestFor is a request with these other keys.
func requestFor(purposes, more string) string {
	return `{"namespace": "bar", "name": "foo", "purposes": ` + purposes + more + `}`
}

func wanting(traits string) string { return requestFor(`["platform"]`, `, "traits": [`+traits+`]`) }

// proposalExamples are in the order of the text. Where a sentence has nothing to compute, its row says so with the nearest thing that has.
var proposalExamples = []proposalExample{
	{
		traitsConcept, "The entity that requests a cluster might have requirements regarding these properties.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless"}`), gardenerLandscape,
		`{"decision": "create", "profile": "aws-workerless"}`, "NewCluster", "",
	},
	{
		traitsConcept, "The entity that requests a cluster might have preferences regarding these properties.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless", "optional": true}`), gardenerLandscape,
		`{"decision": "create", "profile": "aws-workerless"}`, "it meets 1 of 1 optional trait", "",
	},
	{
		traitsConcept, "Gardener knows the concept of a 'workerless' cluster, while kind does not.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless"}`), kindLandscape,
		`{"decision": "deny", "profile": null, "cluster": null, "prefix": null, "prefix_rule": null}`,
		"UnsupportedTrait: No deployed profile meets the trait cluster.openmcp.cloud/workerless", "",
	},
	{
		traitsConcept, "Where kind does not know it, a preference for it is no hindrance.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless", "optional": true}`), kindLandscape,
		`{"decision": "create", "profile": "kind", "version": "1.31.0"}`, "it meets 0 of 1 optional trait", "",
	},
	{
		traitsConcept, "To keep the properties extensible, we use arbitrary strings for traits.",
		scheduleCluster, wanting(`{"trait": "Any text, really!"}`),
		`{` + fourPurposes + `, "profiles": [{"name": "p", "traits": ["Any text, really!"]}]}`,
		`{"decision": "create", "profile": "p", "version": null}`, "", "",
	},
	{
		traitsConcept, "The `infrastructure/vendor/aws` trait means that the cluster is hosted on AWS; kind has no understanding of it.",
		scheduleCluster, wanting(`{"trait": "infrastructure/vendor/aws"}`),
		`{` + fourPurposes + `, "profiles": [` + kindProfile + `, ` + gardenerProfiles + `]}`, `{"decision": "create", "profile": "aws"}`, "", "",
	},
	{
		traitsConcept, "A cluster provider that does not know a trait has no cluster with it, so it satisfies the negation.",
		scheduleCluster, wanting(`{"trait": "infrastructure/vendor/aws", "negated": true}`),
		`{` + fourPurposes + `, "profiles": [` + kindProfile + `, ` + gardenerProfiles + `]}`, `{"decision": "create", "profile": "kind"}`, "", "",
	},
	{
		traitsConcept, "The traits of the profiles are used by the scheduler to evaluate fitting clusters.",
		scheduleCluster, wanting(`{"trait": "kubernetes.io/apis/compute"}`), gardenerLandscape,
		`{"candidates": [
			{"kind": "profile", "namespace": null, "name": "aws", "chosen": true, "reason": "chosen: it meets what is asked for"},
			{"kind": "profile", "namespace": null, "name": "aws-workerless", "chosen": false,
				"reason": "it lacks the required trait kubernetes.io/apis/compute"}]}`, "", "",
	},
	{
		traitsConcept, "If provider A uses trait X and provider B uses trait Y for one property, an entity cannot express a hard requirement.",
		scheduleCluster, wanting(`{"trait": "X"}`), `{` + fourPurposes + `, "profiles": [{"name": "b", "traits": ["Y"]}]}`,
		`{"decision": "deny"}`, "UnsupportedTrait", "",
	},
	{
		traitsConcept, "A good technical documentation lists all known traits: nothing to compute, but a denial names the trait as written.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerles"}`), gardenerLandscape, `{"decision": "deny"}`,
		"the trait cluster.openmcp.cloud/workerles,", "",
	},
	{
		equivalence, "Both traits optional would likely result in a workerless cluster to be granted.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless", "optional": true}, {"trait": "foo.bar.baz/nodeless", "optional": true}`),
		gardenerLandscape, `{"decision": "create", "profile": "aws-workerless"}`, "it meets 1 of 2 optional traits", "",
	},
	{
		equivalence, "But that is not sure and there is no way to enforce this.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless", "optional": true}, {"trait": "foo.bar.baz/nodeless", "optional": true}`),
		kindLandscape, `{"decision": "create", "profile": "kind"}`, "it meets 0 of 2 optional traits", "",
	},
	{
		equivalence, "If `optional` is `false` for either option, the request will be denied if the corresponding provider is not deployed.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless", "optional": true}, {"trait": "foo.bar.baz/nodeless"}`),
		gardenerLandscape, `{"decision": "deny"}`, "UnsupportedTrait: No deployed profile meets the trait foo.bar.baz/nodeless", "",
	},
	{
		equivalence + "/Option 1", "A request with either of the two traits can be substituted with the other trait.",
		scheduleCluster, wanting(`{"trait": "foo.bar.baz/nodeless"}`),
		`{` + fourPurposes + `, "profiles": [` + gardenerProfiles + `], ` + sameTraits + `}`, `{"decision": "create", "profile": "aws-workerless"}`, "", "",
	},
	{
		equivalence + "/Option 1", "And the other way round.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless"}`),
		`{` + fourPurposes + `, "profiles": [` + nodelessProfile + `], ` + sameTraits + `}`, `{"decision": "create", "profile": "foreign"}`, "", "",
	},
	{
		equivalence + "/Option 1", "It could resolve requests that specify both traits into containing either one.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless"}, {"trait": "foo.bar.baz/nodeless"}`),
		`{` + fourPurposes + `, "profiles": [` + nodelessProfile + `], ` + sameTraits + `}`, `{"decision": "create", "profile": "foreign"}`, "", "",
	},
	{
		equivalence + "/Option 1", "A negated trait excludes all that mean the same.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless", "negated": true}`),
		`{` + fourPurposes + `, "profiles": [` + nodelessProfile + `], ` + sameTraits + `}`, `{"decision": "deny"}`,
		"the absence of the trait cluster.openmcp.cloud/workerless (also known as foo.bar.baz/nodeless)", "",
	},
	{
		equivalence + "/Option 2", "`optional: true` inside `or` would always be satisfied: it is an error, and belongs on the group.",
		scheduleCluster, wanting(`{"any_of": [{"trait": "cluster.openmcp.cloud/workerless", "optional": true},
			{"trait": "foo.bar.baz/nodeless", "optional": true}]}`), gardenerLandscape, "", "",
		"request.traits[0].any_of[0]: optional belongs beside any_of, for the whole group",
	},
	{
		equivalence + "/Option 2", "Either trait is enough, and one of them is required.",
		scheduleCluster, wanting(`{"any_of": [{"trait": "cluster.openmcp.cloud/workerless"}, {"trait": "foo.bar.baz/nodeless"}]}`),
		gardenerLandscape, `{"decision": "create", "profile": "aws-workerless"}`, "", "",
	},
	{
		equivalence + "/Option 2", "Neither is there: the request is denied.",
		scheduleCluster, wanting(`{"any_of": ["cluster.openmcp.cloud/workerless", "foo.bar.baz/nodeless"]}`), kindLandscape,
		`{"decision": "deny"}`, "the trait cluster.openmcp.cloud/workerless or foo.bar.baz/nodeless", "",
	},
	{
		equivalence + "/Option 2", "With `optional` on the group it is a preference.",
		scheduleCluster, wanting(`{"any_of": ["cluster.openmcp.cloud/workerless", "foo.bar.baz/nodeless"], "optional": true}`), kindLandscape,
		`{"decision": "create", "profile": "kind"}`, "it meets 0 of 1 optional trait", "",
	},
	{
		equivalence + "/Decision", "The entity that creates the request has to know that there exist multiple traits with the same meaning.",
		scheduleCluster, wanting(`{"trait": "cluster.openmcp.cloud/workerless"}`),
		`{` + fourPurposes + `, "profiles": [` + nodelessProfile + `]}`, `{"decision": "deny"}`, "UnsupportedTrait", "",
	},
	{
		equivalence + "/Decision", "A controller that needs a feature that is available on both AWS and GCP could request either one.",
		scheduleCluster, wanting(`{"any_of": ["infrastructure/vendor/aws", "infrastructure/vendor/gcp"]}`),
		`{` + fourPurposes + `, "profiles": [` + kindProfile + `, ` + gcpProfile + `]}`, `{"decision": "create", "profile": "gcp"}`, "", "",
	},
	{
		equivalence + "/Decision", "Further operators: `and`. Two traits in the list are one too, and as a preference all of them count as one.",
		scheduleCluster, wanting(`{"all_of": ["infrastructure/vendor/aws", "cluster.openmcp.cloud/workerless"], "optional": true}`),
		gardenerLandscape, `{"decision": "create", "profile": "aws-workerless"}`, "it meets 1 of 1 optional trait", "",
	},
	{
		equivalence + "/Decision", "Further operators: `xor`.",
		scheduleCluster, wanting(`{"one_of": ["infrastructure/vendor/aws", "cluster.openmcp.cloud/workerless"]}`), gardenerLandscape,
		`{"decision": "create", "profile": "aws", "candidates": [
			{"kind": "profile", "namespace": null, "name": "aws", "chosen": true, "reason": "chosen: it meets what is asked for"},
			{"kind": "profile", "namespace": null, "name": "aws-workerless", "chosen": false,
				"reason": "it does not have exactly one of the traits cluster.openmcp.cloud/workerless xor infrastructure/vendor/aws, as required"}]}`,
		"", "",
	},
	{
		equivalence + "/Decision", "Further operators: where nothing meets one, the denial says so.",
		scheduleCluster, wanting(`{"one_of": ["infrastructure/vendor/gcp", "foo.bar.baz/nodeless"]}`), gardenerLandscape,
		`{"decision": "deny"}`, "meets exactly one of the traits foo.bar.baz/nodeless xor infrastructure/vendor/gcp", "",
	},
	{
		equivalence + "/Decision", "Nothing prevents us from implementing both options simultaneously.",
		scheduleCluster, wanting(`{"any_of": ["foo.bar.baz/nodeless", "infrastructure/vendor/gcp"]}`),
		`{` + fourPurposes + `, "profiles": [` + gardenerProfiles + `], ` + sameTraits + `}`, `{"decision": "create", "profile": "aws-workerless"}`, "", "",
	},
	{
		purposesConcept, "`platform` clusters host the platform operators.",
		scheduleCluster, requestFor(`["platform"]`, ""), gardenerLandscape,
		`{"decision": "create", "profile": "aws", "version": "1.20.3", "cluster": null}`, "NewCluster: No shared Cluster fits", "",
	},
	{
		purposesConcept, "We plan on having only a single `platform` cluster that hosts all platform-relevant controllers.",
		scheduleCluster, requestFor(`["platform"]`, `, "prefix": "foo-"`), fullLandscape,
		`{"decision": "reuse", "cluster": {"namespace": "landscape", "name": "core"}, "prefix": "foo-"}`, "SharedClusterFits", "",
	},
	{
		purposesConcept, "We also want to have a single onboarding cluster. That could be the same one as the platform cluster.",
		scheduleCluster, requestFor(`["onboarding"]`, ""),
		`{` + fourPurposes + `, "profiles": [` + gardenerProfiles + `], "clusters": [` + platformCluster + `]}`,
		`{"decision": "reuse", "cluster": {"namespace": "landscape", "name": "core"}}`, "", "",
	},
	{
		purposesConcept, "It could also be a separate one, and in the latter case, it would be nice if it was workerless.",
		scheduleCluster, requestFor(`["onboarding"]`, ""), gardenerLandscape, `{"decision": "create", "profile": "aws-workerless"}`, "", "",
	},
	{
		purposesConcept, "Of two onboarding clusters, the nice one is taken.",
		scheduleCluster, requestFor(`["onboarding"]`, ""), fullLandscape,
		`{"decision": "reuse", "cluster": {"namespace": "landscape", "name": "crate"}}`, "it meets 1 of 1 optional trait", "",
	},
	{
		purposesConcept, "Workload clusters should be shared, but they need to be scaled up eventually.",
		scheduleCluster, requestFor(`["workload"]`, ""), fullLandscape,
		`{"decision": "reuse", "cluster": {"namespace": "landscape", "name": "work-2"}, "prefix": null,
			"prefix_rule": "random: no prefix is proposed"}`, "has 1 grant", "",
	},
	{
		purposesConcept, "Scaled up: where each has as many requests as the purpose allows, there will be one more.",
		scheduleCluster, requestFor(`["workload"]`, ""), `{"purposes": {"workload": {"tenancy_count": 1}}, "profiles": [` + gardenerProfiles +
			`], "clusters": [` + workClusters + `]}`,
		`{"decision": "create", "profile": "aws", "candidates": [
			{"kind": "cluster", "namespace": "landscape", "name": "work-1", "chosen": false,
				"reason": "it has 2 requests, and workload allows 1 at most"},
			{"kind": "cluster", "namespace": "landscape", "name": "work-2", "chosen": false,
				"reason": "it has 1 request, and workload allows 1 at most"},
			{"kind": "profile", "namespace": null, "name": "aws", "chosen": true, "reason": "chosen: it meets what is asked for"},
			{"kind": "profile", "namespace": null, "name": "aws-workerless", "chosen": false,
				"reason": "fits as well as aws, which comes first by its name"}]}`, "No shared Cluster fits", "",
	},
	{
		purposesConcept, "Of several purposes the smallest count is that of the request.",
		aggregatePurposes, `{"purposes": ["a", "b", "c"]}`, `{"a": {"tenancy_count": 20}, "b": {"tenancy_count": 5}, "c": {}}`,
		`{"tenancy_count": 5, "dedicated": false}`, "", "",
	},
	{
		purposesConcept, "MCP clusters are not shared and can be workerless.",
		scheduleCluster, requestFor(`["mcp"]`, `, "prefix": "foo-"`), fullLandscape,
		`{"decision": "create", "profile": "aws-workerless", "prefix": "", "prefix_rule": "empty: the Cluster is dedicated"}`,
		"The request is dedicated, because mcp is", "",
	},
	{
		purposesConcept, "They can be workerless, but not yet: where no such profile is, they are not.",
		scheduleCluster, requestFor(`["mcp"]`, ""), kindLandscape, `{"decision": "create", "profile": "kind", "prefix": ""}`, "", "",
	},
	{
		purposesDefined + "/Option 1", "The scheduler knows to create a separate workerless cluster for each request with purpose `mcp`.",
		scheduleCluster, requestFor(`["mcp"]`, ""), `{` + fourPurposes + `, "profiles": [` + gardenerProfiles + `], "clusters": [` + mcpCluster + `]}`,
		`{"decision": "create", "profile": "aws-workerless"}`, "", "",
	},
	{
		purposesDefined + "/Option 1", "It tries to use existing workload clusters for requests with purpose `workload`.",
		scheduleCluster, requestFor(`["workload"]`, ""), fullLandscape, `{"decision": "reuse"}`, "", "",
	},
	{
		purposesDefined + "/Option 1", "It is possible to specify multiple purposes, some combinations (`platform` and `onboarding`) are realistic.",
		scheduleCluster, requestFor(`["platform", "onboarding"]`, ""), fullLandscape,
		`{"decision": "reuse", "cluster": {"namespace": "landscape", "name": "core"}}`, "", "",
	},
	{
		purposesDefined + "/Option 1", "Others (`mcp` and `workload`) are less realistic.",
		aggregatePurposes, `{"purposes": ["mcp", "workload"]}`,
		`{"mcp": {"dedicated": true, "traits": [{"trait": "cluster.openmcp.cloud/workerless"}]},
			"workload": {"traits": [{"trait": "cluster.openmcp.cloud/workerless", "negated": true}]}}`,
		`{"dedicated": true, "dedicated_by": ["mcp"]}`,
		"Trait cluster.openmcp.cloud/workerless: mcp wants it present, workload absent: the first purpose in the list counts.", "",
	},
	{
		purposesDefined + "/Option 2", "A Purpose says whether a cluster may be shared and which traits it requests.",
		aggregatePurposes, `{"purposes": ["mcp"]}`,
		`{"mcp": {"dedicated": true, "traits": [{"trait": "cluster.openmcp.cloud/workerless", "optional": true, "negated": false}]}}`,
		`{"dedicated": true, "dedicated_by": ["mcp"], "warnings": [], "traits": [
			{"trait": "cluster.openmcp.cloud/workerless", "optional": true, "negated": false, "sources": ["mcp"]}]}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "The simplest `Purpose` would specify `dedicated: false` and not have any `traits`.",
		aggregatePurposes, `{"purposes": ["simple"]}`, `{"simple": {"dedicated": false}}`,
		`{"dedicated": false, "dedicated_by": [], "traits": [], "warnings": []}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "Purposes are extensible, and each is defined: one that is not is unknown.",
		scheduleCluster, requestFor(`["crate"]`, ""), gardenerLandscape, `{"decision": "deny", "candidates": []}`,
		"UnknownPurpose: The purpose crate is not defined. Defined are mcp, onboarding, platform and workload.", "",
	},
	{
		purposesDefined + "/Option 2", "A `ClusterRequest` can have multiple purposes.",
		aggregatePurposes, `{"purposes": ["a", "b"], "traits": [{"trait": "z"}]}`,
		`{"a": {"traits": [{"trait": "x"}]}, "b": {"traits": [{"trait": "y", "optional": true}]}}`,
		`{"traits": [{"trait": "x", "optional": false, "negated": false, "sources": ["a"]},
			{"trait": "y", "optional": true, "negated": false, "sources": ["b"]},
			{"trait": "z", "optional": false, "negated": false, "sources": ["request"]}]}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "(at least one)",
		aggregatePurposes, `{"purposes": []}`, `{}`, "", "", "request.purposes: a request has one purpose at least",
	},
	{
		purposesDefined + "/Option 2", "If the request specifies `dedicated`, all `dedicated` fields from all listed purposes are ignored.",
		aggregatePurposes, `{"purposes": ["a", "b"], "dedicated": false}`, `{"a": {"dedicated": true}, "b": {"dedicated": true}}`,
		`{"dedicated": false, "dedicated_by": []}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "And `true` counts as well.",
		aggregatePurposes, `{"purposes": ["a"], "dedicated": true}`, `{"a": {"dedicated": false}}`,
		`{"dedicated": true, "dedicated_by": ["request"]}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "If it does not, the request will result in a dedicated cluster if at least one of the purposes has it.",
		aggregatePurposes, `{"purposes": ["a", "b"]}`, `{"a": {"dedicated": true}, "b": {"dedicated": false}}`,
		`{"dedicated": true, "dedicated_by": ["a"]}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "And does not, if none has it.",
		aggregatePurposes, `{"purposes": ["a", "b"]}`, `{"a": {"dedicated": false}, "b": {"dedicated": false}}`,
		`{"dedicated": false, "dedicated_by": []}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "If the same trait is specified multiple times, their `optional` fields are ANDed.",
		aggregatePurposes, `{"purposes": ["a", "b"], "traits": [{"trait": "x", "optional": true}]}`,
		`{"a": {"traits": [{"trait": "x", "optional": true}]}, "b": {"traits": [{"trait": "x", "optional": false}]}}`,
		`{"traits": [{"trait": "x", "optional": false, "negated": false, "sources": ["request", "a", "b"]}]}`, "", "",
	},
	{
		purposesDefined + "/Option 2", "For different values of `negated`, the purpose that comes first in the list takes precedence.",
		aggregatePurposes, `{"purposes": ["b", "a"]}`,
		`{"a": {"traits": [{"trait": "x"}]}, "b": {"traits": [{"trait": "x", "negated": true}]}}`,
		`{"traits": [{"trait": "x", "optional": false, "negated": true, "sources": ["a", "b"]}]}`, "b wants it absent, a present", "",
	},
	{
		purposesDefined + "/Option 2", "Traits defined in the request directly take precedence regarding the `negated` field.",
		aggregatePurposes, `{"purposes": ["a"], "traits": [{"trait": "x", "negated": true}]}`, `{"a": {"traits": [{"trait": "x"}]}}`,
		`{"traits": [{"trait": "x", "optional": false, "negated": true, "sources": ["request", "a"]}]}`, "the request counts", "",
	},
	{
		purposesDefined + "/Option 2", "`optional` is ANDed across different values of `negated` too.",
		aggregatePurposes, `{"purposes": ["a"], "traits": [{"trait": "x", "negated": true, "optional": true}]}`, `{"a": {"traits": [{"trait": "x"}]}}`,
		`{"traits": [{"trait": "x", "optional": false, "negated": true, "sources": ["request", "a"]}]}`,
		"It is required to be absent, because a requires the opposite", "",
	},
	{
		purposesDefined + "/Option 2", "The result is a single boolean and a list of traits where each trait appears only once.",
		aggregatePurposes, `{"purposes": ["a", "b", "a"], "traits": [{"trait": "x"}]}`,
		`{"a": {"dedicated": true, "traits": [{"trait": "x"}]}, "b": {"dedicated": true, "traits": [{"trait": "x"}]}}`,
		`{"dedicated": true, "dedicated_by": ["a", "b"], "warnings": [], "traits": [
			{"trait": "x", "optional": false, "negated": false, "sources": ["request", "a", "b"]}]}`, "", "",
	},
	{
		purposesDefined + "/Decision", "The effects of purposes are limited to things we can express as traits.",
		aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"kubernetes_version": "1.30"}}`, "", "",
		`purposes.a: there is no key "kubernetes_version"`,
	},
}
