package requests_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
)

// What is strict about the operator's configuration: the file as it is, with every key of it.
func TestReadSchedulerConfig(t *testing.T) {
	t.Parallel()
	const file = `
accessRequest: {anything: goes}
scheduler:
  scope: Namespaced
  selectors: {requests: {matchExpressions: [{key: a, operator: In, values: [b]}]}}
  purposeMappings:
    mcp:
      selector: {matchLabels: {tier: gold}}
      template:
        metadata: {namespace: clusters, generateName: mcp-, labels: {tier: gold}, annotations: {a: b}}
        spec: {profile: p, tenancy: Exclusive, purposes: [x], kubernetes: {version: "1.33"}, clusterConfigs: [{name: c}]}
`
	config, err := requests.ReadSchedulerConfig(file)
	if err != nil || config.PurposeMappings["mcp"].Template.Metadata.Labels["tier"] != "gold" {
		t.Errorf("%+v, %v", config, err)
	}
	for text, want := range map[string]string{
		"":                            "it is no object with the key scheduler",
		"scheduler: {}\nschedular: 1": "schedular: openmcp-operator v1.3.0 knows no such field (did you mean scheduler?)",
		"scheduler: {purposeMappings: {a: {template: {spec: {profile: 1}}}}}": "it is a JSON number",
		"scheduler: {scope: x}":                     `scheduler.scope: "x" is neither Cluster nor Namespaced`,
		"scheduler: {purposeMappings: {mcp: null}}": "scheduler.purposeMappings[mcp]: it says nothing",
		"scheduler: {purposemappings: {}}":          "scheduler.purposemappings: the operator takes it for purposeMappings",
		"{":                                         "did not find",
		"scheduler: {scope: Cluster, scope: Cluster}": "scope",
	} {
		if _, err := requests.ReadSchedulerConfig(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
