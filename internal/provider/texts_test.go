package provider

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// textAttributes are the attributes that take a text of YAML or JSON, each with a document that it takes.
var textAttributes = map[string]string{
	"hap_shoot.template":                                     strings.TrimLeft(testbed.ShootTemplate, "\n"),
	"hap_gardener_provider_config.shoot_template":            strings.TrimLeft(testbed.ShootTemplate, "\n"),
	"hap_gardener_provider_config.enforced_shoot_extensions": "- type: shoot-oidc-service\n",
	"data.hap_cluster_schedule.scheduler_config":             "scheduler:\n  purposeMappings: {}\n",
	"provider.kubernetes.config_raw":                         kubeconfigText,
	"provider.platform.config_raw":                           kubeconfigText,
}

const kubeconfigText = "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: 'https://example.com'}}]\n" +
	"contexts: [{name: a, context: {cluster: a, namespace: garden-x}}]\ncurrent-context: a\n"

// Each attribute that takes a text of YAML or JSON takes one document. What follows it is an error at the attribute that names the line,
// and is never dropped. Empty documents are fine.
func TestTexts_areOneDocument(t *testing.T) {
	t.Parallel()
	for attribute, document := range textAttributes {
		lines := strings.Count(document, "\n")
		for name, test := range map[string]struct {
			text string
			says string // of the error; empty = there is none
		}{
			"one":                  {document, ""},
			"after a marker":       {"---\n" + document, ""},
			"before a marker":      {document + "---\n", ""},
			"between empty ones":   {"---\n# nothing\n---\n" + document + "---\n...\n", ""},
			"two":                  {document + "---\n" + document, "line " + strconv.Itoa(lines+2)},
			"two after empty ones": {"---\n---\n" + document + "---\n---\nmore: 1\n", "line " + strconv.Itoa(lines+5)},
			"JSON":                 {`{"a": 1}` + "\n" + `{"a": 2}`, "line 2"},
			"JSON and more":        {`{"a": 1} more`, "line 1"},
		} {
			t.Run(attribute+" "+name, func(t *testing.T) {
				t.Parallel()
				said := checkText(t, attribute, test.text)
				if test.says == "" {
					for _, d := range said {
						t.Errorf("%s: %s", d.Summary, d.Detail)
					}
					return
				}
				name := attribute[strings.LastIndexByte(attribute, '.')+1:]
				if len(said) != 1 || !regexp.MustCompile(test.says+`\b`).MatchString(said[0].Detail) || !strings.Contains(said[0].Attribute.String(), name) {
					t.Errorf("want one error at %s that names %s", name, test.says)
					for _, d := range said {
						t.Errorf("%s at %s: %s", d.Summary, d.Attribute, d.Detail)
					}
				}
			})
		}
	}
}

// Every attribute whose description says that it takes YAML or JSON is in the table, and so does each kubeconfig.
func TestTexts_areAllTested(t *testing.T) {
	t.Parallel()
	server := NewServer("test", os.Getenv)
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	var walk func(at string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			taken := a.Optional || a.Required
			if taken && a.NestedType == nil && (strings.Contains(a.Description, "YAML") || a.Name == "config_raw") {
				found = append(found, at+"."+a.Name)
			}
			if a.NestedType != nil {
				walk(at+"."+a.Name, a.NestedType.Attributes)
			}
		}
	}
	walk("provider", all.Provider.Block.Attributes)
	for name, s := range all.ResourceSchemas {
		walk(name, s.Block.Attributes)
	}
	for name, s := range all.DataSourceSchemas {
		walk("data."+name, s.Block.Attributes)
	}
	for name, s := range all.EphemeralResourceSchemas {
		walk("ephemeral."+name, s.Block.Attributes)
	}
	slices.Sort(found)
	var tested []string
	for name := range textAttributes {
		tested = append(tested, name)
	}
	slices.Sort(tested)
	if !slices.Equal(found, tested) {
		t.Errorf("the schema has %q, the table %q", found, tested)
	}
}

// checkText returns the errors of a configuration whose attribute has this text.
func checkText(t *testing.T, attribute, text string) []*tfprotov6.Diagnostic {
	t.Helper()
	server := NewServer("test", os.Getenv)
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(attribute, ".")
	name := parts[len(parts)-1]
	switch {
	case parts[0] == "provider": // read by the same code in both blocks, and reported when a connection is needed
		_, err := kube.Resolve(kube.Settings{ConfigRaw: &text, Place: kube.Place{API: "the Garden API", Object: parts[1]}}, "test")
		if err == nil {
			return nil
		}
		return []*tfprotov6.Diagnostic{{Summary: diagnose.SummaryBadConnection, Detail: err.Error(),
			Attribute: tftypes.NewAttributePath().WithAttributeName(parts[1]).WithAttributeName(name)}}
	case parts[0] == "data":
		config := acceptance.Object(t, all.DataSourceSchemas[parts[1]].ValueType(),
			map[string]any{name: text, "engine": "openmcp", "name": "one", "purpose": "mcp"})
		resp, err := server.ValidateDataResourceConfig(t.Context(),
			&tfprotov6.ValidateDataResourceConfigRequest{TypeName: parts[1], Config: config})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	values := map[string]any{"name": "one", "credentials_binding_name": "aws-1"}
	if parts[0] == "hap_gardener_provider_config" {
		for _, required := range []string{"provider_ref", "landscape_ref", "project", "environment"} {
			values[required] = "one"
		}
		values["shoot_template"] = testbed.ShootTemplate
	}
	values[name] = text
	config := acceptance.Object(t, all.ResourceSchemas[parts[0]].ValueType(), values)
	resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: parts[0], Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}
