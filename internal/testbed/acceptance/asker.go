package acceptance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ClaimType is the type of claims.
const ClaimType = "hap_credentials_binding_claim"

// Asker asks a server of the provider what Terraform's query would ask.
type Asker struct {
	tfprotov6.ProviderServerWithListResource
	schema *tfprotov6.GetProviderSchemaResponse
}

// NewAsker configures a server with the landscape's connection.
func NewAsker(t *testing.T, kubeconfig string) Asker {
	t.Helper()
	server, err := Factories["hap"]()
	if err != nil {
		t.Fatal(err)
	}
	lists, ok := server.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // until the interfaces are one
	if !ok {
		t.Fatalf("%T lists nothing", server)
	}
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	a := Asker{lists, schema}
	connection := Object(t, schema.Provider.ValueType(), map[string]any{"kubernetes": map[string]any{"config_path": kubeconfig}})
	configured, err := server.ConfigureProvider(t.Context(),
		&tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.0", Config: connection})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatal(err, configured)
	}
	return a
}

// Object fills a configuration; what is not named is null.
func Object(t testing.TB, of tftypes.Type, values map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := tfprotov6.NewDynamicValue(of, Filled(t, of, values))
	if err != nil {
		t.Fatal(err)
	}
	return &value
}

// Filled is a configuration; what is not named is null.
func Filled(t testing.TB, of tftypes.Type, values map[string]any) tftypes.Value {
	t.Helper()
	objectType, ok := of.(tftypes.Object)
	if !ok {
		t.Fatalf("%s is no object", of)
	}
	all := map[string]tftypes.Value{}
	for name, inner := range objectType.AttributeTypes {
		switch value := values[name].(type) {
		case map[string]any:
			all[name] = Filled(t, inner, value)
		case tftypes.Value:
			all[name] = value
		default:
			all[name] = tftypes.NewValue(inner, value)
		}
	}
	return tftypes.NewValue(of, all)
}

// Found is one object of a list: its identity, and the resource where it was asked for.
type Found struct {
	Name               string
	Identity, Resource map[string]string
}

// ListOf is list for any resource.
func (a Asker) ListOf(t *testing.T, of string, config map[string]any, whole bool, limit int64) (all []Found,
	diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	stream, err := a.ListResource(t.Context(), &tfprotov6.ListResourceRequest{
		TypeName: of, Config: Object(t, a.schema.ListResourceSchemas[of].ValueType(), config), IncludeResource: whole, Limit: limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	identities, err := a.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for result := range stream.Results {
		diagnostics = append(diagnostics, result.Diagnostics...)
		if result.Identity == nil {
			continue
		}
		f := Found{Name: result.DisplayName, Identity: texts(t, identities.IdentitySchemas[of].ValueType(), result.Identity.IdentityData)}
		if whole {
			f.Resource = texts(t, a.schema.ResourceSchemas[of].ValueType(), result.Resource)
		}
		all = append(all, f)
	}
	return all, diagnostics
}

// texts are the attributes of an object that are no objects themselves; null is absent.
func texts(t *testing.T, of tftypes.Type, value *tfprotov6.DynamicValue) map[string]string {
	t.Helper()
	decoded, err := value.Unmarshal(of)
	if err != nil {
		t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := decoded.As(&attributes); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for name, attribute := range attributes {
		var text string
		if !attribute.IsNull() && attribute.As(&text) == nil {
			all[name] = text
		}
	}
	return all
}
