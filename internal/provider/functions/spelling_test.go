package functions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// proposed is an example of the proposal of the Cluster API, word for word, as JSON.
func proposed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "proposal", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	asJSON, problems := strict.ToJSON(string(text))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", name, problems)
	}
	return string(asJSON)
}

// Each example of the proposal that a function has a use for is handed over as it is, by yamldecode, and means what the proposal says. The
// ProviderConfig and the AccessRequest are no business of a function. A warning says how the functions spell it.
func TestFunction_examplesOfTheProposal(t *testing.T) {
	t.Parallel()
	provider, cluster, request := proposed(t, "cluster_provider"), proposed(t, "cluster"), proposed(t, "cluster_request")
	grant, purpose := proposed(t, "cluster_request_grant"), proposed(t, "purpose")
	inner := func(name string) string {
		return strings.TrimSuffix(strings.TrimPrefix(proposed(t, name), `{"traits":`), "}")
	}
	simple := func(name string) string {
		return `{"kind": "Purpose", "metadata": {"name": "` + name + `"}, "spec": {"dedicated": false}}`
	}
	purposes := `"purposes": [` + purpose + `, ` + simple("platform") + `, ` + simple("onboarding") + `]`
	wants := func(traits string) string {
		return `{"kind": "ClusterRequest", "metadata": {"namespace": "bar", "name": "other"}, "spec": {"purposes": ["platform"], "traits": ` + traits + `}}`
	}
	for name, e := range map[string]proposalExample{
		"request, purposes and profiles: no profile has the version": {
			call: scheduleCluster, request: request, context: `{` + purposes + `, "profiles": [` + provider + `]}`,
			want: `{"decision": "deny"}`, says: "UnsupportedVersion: No deployed profile meets Kubernetes 1.30",
		},
		"an older version": {
			call: scheduleCluster, request: strings.Replace(request, `"1.30"`, `"1.20"`, 1),
			context: `{` + purposes + `, "profiles": [` + provider + `]}`,
			want:    `{"decision": "create", "profile": "aws", "version": "1.20.3", "prefix": "foo-"}`, says: "meets 0 of 1 optional trait",
		},
		"the hint of a request": {
			call: scheduleCluster, request: request, context: `{` + purposes + `}`, want: `{"decision": "deny"}`,
			says: "request is spelled as in the proposal of the Cluster API. The keys of this function are name for metadata.name, namespace for " +
				"metadata.namespace, dedicated for spec.dedicated, kubernetes_version for spec.kubernetes.version, prefix for spec.prefix",
		},
		"a purpose makes the Cluster dedicated, and its trait chooses": {
			call: scheduleCluster, request: requestFor(`["mcp"]`, ""), context: `{` + purposes + `, "profiles": [` + provider + `]}`,
			want: `{"decision": "create", "profile": "aws-workerless", "prefix": ""}`, says: "because mcp is",
		},
		"a Cluster": {
			call: scheduleCluster, request: requestFor(`["mcp"]`, `, "dedicated": false`),
			context: `{` + purposes + `, "profiles": [` + provider + `], "clusters": [` + cluster + `]}`,
			want:    `{"decision": "reuse", "cluster": {"namespace": "abcdefg", "name": "my-mcp"}, "version": "1.20.3", "profile": "aws-workerless"}`,
			says:    "SharedClusterFits",
		},
		"a grant": {
			call: scheduleCluster, request: request,
			context: `{"clusters": [{"namespace": "my-project", "name": "my-cluster"}], "grants": [` + grant + `]}`,
			want:    `{"decision": "reuse", "cluster": {"namespace": "my-project", "name": "my-cluster"}, "prefix": "foo-"}`, says: "AlreadyGranted",
		},
		"profiles alone": {
			call: scheduleCluster, request: requestFor(`["mcp"]`, ""),
			context: `{` + purposes + `, "profiles": [{"name": "k", "providerConfigRef": {"name": "k"}, "supportedVersions": [{"version": "1.31.0"}],
				"supportedTraits": [{"name": "a"}, {"trait": "b"}, "c"]}]}`,
			want: `{"decision": "create", "profile": "k", "version": "1.31.0"}`,
			says: "traits for supportedTraits and versions for supportedVersions",
		},
		"two names, both optional: likely workerless": {
			call: scheduleCluster, request: wants(inner("traits")), context: `{` + purposes + `, "profiles": [` + provider + `]}`,
			want: `{"decision": "create", "profile": "aws-workerless"}`, says: "meets 1 of 2 optional traits",
		},
		"or: one of the two is enough": {
			call: scheduleCluster, request: wants(inner("traits_or")), context: `{` + purposes + `, "profiles": [` + provider + `]}`,
			want: `{"decision": "create", "profile": "aws-workerless"}`, says: "The keys of this function are any_of for or",
		},
		"or: one of the two is required": {
			call: scheduleCluster, request: wants(inner("traits_or")), context: `{` + purposes + `, "profiles": [` + kindProfile + `]}`,
			want: `{"decision": "deny"}`, says: "request.spec.traits[0].or[0].optional does not count",
		},
		"and, xor": {
			call:    scheduleCluster,
			request: wants(`[{"xor": [{"name": "infrastructure/vendor/aws"}, {"name": "x"}]}, {"and": ["cluster.openmcp.cloud/workerless"]}]`),
			context: `{` + purposes + `, "profiles": [` + provider + `]}`,
			want:    `{"decision": "create", "profile": "aws-workerless"}`, says: "one_of for xor",
		},
		"the aggregation of a request and purposes by name": {
			call: aggregatePurposes, request: request, context: `{"platform": ` + simple("platform") + `, "onboarding": ` + purpose + `}`,
			want: `{"dedicated": false, "traits": [
				{"trait": "cluster.openmcp.cloud/workerless", "optional": true, "negated": false, "sources": ["onboarding"]},
				{"trait": "foo/bar/baz", "optional": true, "negated": false, "sources": ["request"]}]}`,
			says: "purposes.onboarding.spec.traits[0] is spelled as in the proposal of the Cluster API. The keys of this function are trait for name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, wrong := callFunction(t, e.call, e.request, e.context)
			if wrong != nil {
				t.Fatal(wrong.Text)
			}
			if err := e.compare(result); err != nil {
				t.Error(err)
			}
		})
	}
}

// What says one thing twice, or is another object than is asked for, is an error at its place; an unknown key is one wherever it is.
func TestFunction_wrongSpelling(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call, request, context, word string
		position                     int64
	}{
		"both spellings": {scheduleCluster, `{"namespace": "n", "name": "a", "kubernetes_version": "1.30", "kubernetes": {"version": "1.31"}}`, `{}`,
			"request.kubernetes_version: it means the same as request.kubernetes.version; leave one of the two out", 0},
		"trait and name":   {scheduleCluster, wanting(`{"trait": "x", "name": "y"}`), `{}`, "request.traits[0].trait: it means the same as request.traits[0].name", 0},
		"any_of and or":    {scheduleCluster, wanting(`{"any_of": ["x"], "or": ["y"]}`), `{}`, "it means the same as request.traits[0].any_of", 0},
		"another object":   {scheduleCluster, `{"kind": "Purpose", "metadata": {"name": "a"}}`, `{}`, "request.kind: a ClusterRequest is needed, not a Purpose", 0},
		"an unknown key":   {scheduleCluster, `{"spec": {"purpose": "a"}}`, `{}`, `request.spec: there is no key "purpose". Did you mean "purposes"?`, 0},
		"negated in or":    {scheduleCluster, wanting(`{"or": [{"name": "x", "negated": true}]}`), `{}`, "request.traits[0].or[0]: negated belongs beside any_of", 0},
		"or in a purpose":  {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"spec": {"traits": [{"or": ["x"]}]}}}`, "any_of is allowed in requests alone", 1},
		"a nameless one":   {aggregatePurposes, `{"purposes": ["a"]}`, `[{"spec": {}}]`, "purposes[0]: each purpose of a list needs a name of its own", 1},
		"one twice":        {aggregatePurposes, `{"purposes": ["a"]}`, `[{"metadata": {"name": "a"}}, {"metadata": {"name": "a"}}]`, "purposes[1]: each purpose of a list needs a name of its own", 1},
		"a lost Cluster":   {scheduleCluster, wanting(""), `{"grants": [{"metadata": {"namespace": "n", "name": "a"}, "spec": {"clusterRef": {"name": "c"}}}]}`, "landscape.grants[0]: spec.clusterRef names the Cluster n/c, which clusters does not have", 1},
		"a nameless grant": {scheduleCluster, wanting(""), `{"grants": [{"spec": {"clusterRef": {"name": "c"}}}]}`, "the keys metadata.namespace and metadata.name are needed", 1},
		"no version":       {scheduleCluster, `{"namespace": "n", "name": "a", "spec": {"kubernetes": "1.30"}}`, `{}`, "request.spec.kubernetes: an object is needed, not a string", 0},
		"a null trait":     {scheduleCluster, wanting(""), `{"profiles": [{"name": "p", "supportedTraits": [null]}]}`, "landscape.profiles[0].supportedTraits[0]: a string is needed, not null", 1},
	} {
		_, wrong := callFunction(t, c.call, c.request, c.context)
		if wrong == nil || !strings.Contains(wrong.Text, c.word) || wrong.FunctionArgument == nil || *wrong.FunctionArgument != c.position {
			t.Errorf("%s: %+v, want %q", name, wrong, c.word)
		}
	}
}
