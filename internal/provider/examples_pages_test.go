package provider

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/claim"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/shoot"
)

// pages are the pages of the registry, each with the files of examples/ that it shows.
func pages(t *testing.T) map[string]string {
	t.Helper()
	p := &hapProvider{}
	found := map[string]string{"provider": "provider/provider*.tf"}
	for _, build := range p.Resources(t.Context()) {
		var resp resource.MetadataResponse
		build().Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "hap"}, &resp)
		found["resource "+resp.TypeName] = "resources/" + resp.TypeName + "/resource*.tf"
	}
	for _, build := range p.DataSources(t.Context()) {
		var resp datasource.MetadataResponse
		build().Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: "hap"}, &resp)
		found["data source "+resp.TypeName] = "data-sources/" + resp.TypeName + "/data-source*.tf"
	}
	for _, build := range p.EphemeralResources(t.Context()) {
		var resp ephemeral.MetadataResponse
		build().Metadata(t.Context(), ephemeral.MetadataRequest{ProviderTypeName: "hap"}, &resp)
		found["ephemeral resource "+resp.TypeName] = "ephemeral-resources/" + resp.TypeName + "/ephemeral-resource*.tf"
	}
	for _, build := range p.ListResources(t.Context()) {
		var resp resource.MetadataResponse
		build().Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "hap"}, &resp)
		found["list resource "+resp.TypeName] = "list-resources/" + resp.TypeName + "/list-resource*.tfquery.hcl"
	}
	for _, build := range p.Functions(t.Context()) {
		var resp function.MetadataResponse
		build().Metadata(t.Context(), function.MetadataRequest{}, &resp)
		found["function "+resp.Name] = "functions/" + resp.Name + "/function*.tf"
	}
	guides, err := filepath.Glob(filepath.Join(repository(t), "templates", "guides", "*.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range guides {
		name := strings.TrimSuffix(filepath.Base(file), ".md.tmpl")
		if name == "performance" || name == "words" { // figures and terms alone
			continue
		}
		found["guide "+name] = "guides/" + name + "/*.tf"
	}
	return found
}

// Each page of the registry has an example, and a guide shows every file of its own.
func TestExamples_everyPageHasOne(t *testing.T) {
	t.Parallel()
	root := repository(t)
	all := pages(t)
	if len(all) < 15 {
		t.Errorf("only %d pages found: %q", len(all), slices.Sorted(maps.Keys(all)))
	}
	for page, pattern := range all {
		files, err := filepath.Glob(filepath.Join(root, "examples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Errorf("the page of %s has no example: add examples/%s", page, pattern)
		}
		guide, ok := strings.CutPrefix(page, "guide ")
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, "templates", "guides", guide+".md.tmpl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if shows := fmt.Sprintf("{{ tffile %q }}", "examples/guides/"+guide+"/"+filepath.Base(file)); !strings.Contains(string(text), shows) {
				t.Errorf("the guide %s does not show its example: add %s", guide, shows)
			}
		}
	}
}

// OpenTofu does not print the schemas of list resources, so the template of the page says what the schema says.
func TestExamples_listResourcePageSaysWhatItsSchemaSays(t *testing.T) {
	t.Parallel()
	for file, of := range map[string]family.Family{
		"account": account.Family, "credentials_binding_claim": claim.Family, "shoot": shoot.Family,
	} {
		page, err := os.ReadFile(filepath.Join(repository(t), "templates", "list-resources", file+".md.tmpl"))
		if err != nil {
			t.Fatal(err)
		}
		var resp list.ListResourceSchemaResponse
		of.ListResources[0]().ListResourceConfigSchema(t.Context(), list.ListResourceSchemaRequest{}, &resp)
		lines := []string{resp.Schema.MarkdownDescription}
		for name, attribute := range resp.Schema.Attributes {
			lines = append(lines, fmt.Sprintf("- %#q (String) %s", name, attribute.GetMarkdownDescription()))
		}
		for _, line := range lines {
			if !strings.Contains(string(page), "\n"+line+"\n") {
				t.Errorf("the page of %s has no line %q", file, line)
			}
		}
		if attributes := strings.Count(string(page), "\n- `"); attributes != len(resp.Schema.Attributes) {
			t.Errorf("the page of %s has %d attributes, the schema %d", file, attributes, len(resp.Schema.Attributes))
		}
	}
}
