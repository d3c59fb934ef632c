package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// nullsMeanSomething are the collections in which a null element has a meaning, each with that meaning.
var nullsMeanSomething = map[string]string{
	"resource hap_rule_set.plans":                           planTakenOut,
	"resource hap_credentials_binding_claim.rule_set.plans": planTakenOut,
	"resource hap_account.rule_set.plans":                   planTakenOut,
	"data hap_pool_status.rule_set.plans":                   planTakenOut,
	"data hap_binding_selection.rule_set.plans":             planTakenOut,
}

const planTakenOut = "the plan is taken out of the known ones"

// validator validates one configuration of a schema.
type validate func(t *testing.T, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error)

// A null element of a list, a set or a map that a user sets is an error at that collection: it is never sent as "", and never crashes.
// The test walks the schemas of all kinds, so that an attribute of a later version is in it.
func TestNullElements(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t)
	found := 0
	of := func(kind, name string, s *tfprotov6.Schema, validate validate) {
		for _, a := range s.Block.Attributes {
			for _, c := range collectionsOf(a) {
				at := kind + " " + name + "." + c.name
				found++
				t.Run(at, func(t *testing.T) {
					t.Parallel()
					refusesNull(t, at, s, a.Name, c, validate)
				})
			}
		}
	}
	of("provider", "hap", schema.Provider, func(t *testing.T, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		t.Helper()
		resp, err := newTestServer().ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
		return resp.Diagnostics, err
	})
	for name, s := range schema.ResourceSchemas {
		of("resource", name, s, func(t *testing.T, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			t.Helper()
			resp, err := newTestServer().ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config,
				ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}})
			return resp.Diagnostics, err
		})
	}
	for name, s := range schema.DataSourceSchemas {
		of("data", name, s, func(t *testing.T, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			t.Helper()
			resp, err := newTestServer().ValidateDataResourceConfig(t.Context(),
				&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		})
	}
	for name, s := range schema.EphemeralResourceSchemas {
		of("ephemeral", name, s, func(t *testing.T, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			t.Helper()
			resp, err := newTestServer().ValidateEphemeralResourceConfig(t.Context(),
				&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		})
	}
	for name, s := range schema.ListResourceSchemas {
		of("list", name, s, func(t *testing.T, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			t.Helper()
			lists, ok := newTestServer().(tfprotov6.ListResourceServer)
			if !ok {
				t.Fatal("the server has no lists")
			}
			resp, err := lists.ValidateListResourceConfig(t.Context(),
				&tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		})
	}
	if found < 60 { //nolint:mnd // the walk reaches nested attributes
		t.Errorf("only %d collections were found", found)
	}
}

func newTestServer() tfprotov6.ProviderServer {
	return NewServer("test", func(string) string { return "" })
}

// The keys that this provider writes are refused in the annotations of each object on the platform cluster: what goes by them would take a
// configuration's text for its own.
func TestReservedAnnotations(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t)
	for name, keys := range map[string][]string{
		"hap_cluster":                  {"hap-project.io/made-by", "hap-project.io/deletion-protection", "grant.hap-project.io/uid"},
		"hap_cluster_request":          {"hap-project.io/made-by"},
		"hap_access_request":           {"hap-project.io/made-by"},
		"hap_gardener_provider_config": {"hap-project.io/made-by", "hap-project.io/global-account", "hap-project.io/traits"},
	} {
		of := schema.ResourceSchemas[name].ValueType()
		for _, key := range keys {
			t.Run(name+" "+key, func(t *testing.T) {
				t.Parallel()
				texts := tftypes.Map{ElementType: tftypes.String}
				config := acceptance.Object(t, of, map[string]any{"annotations": tftypes.NewValue(texts,
					map[string]tftypes.Value{key: tftypes.NewValue(tftypes.String, "x")})})
				resp, err := newTestServer().ValidateResourceConfig(t.Context(),
					&tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
				if err != nil {
					t.Fatal(err)
				}
				at := tftypes.NewAttributePath().WithAttributeName("annotations").WithElementKeyString(key)
				if !slices.ContainsFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
					return d.Summary == diagnose.SummaryReservedKey && d.Attribute.Equal(at)
				}) {
					t.Errorf("it is taken: %v", resp.Diagnostics)
				}
			})
		}
	}
}

// collection is a place in an attribute where elements are: its name, and the attribute with one null element there.
type collection struct {
	name  string
	value tftypes.Value
}

// collectionsOf are the collections within an attribute that a configuration can set.
func collectionsOf(a *tfprotov6.SchemaAttribute) (all []collection) {
	if !a.Optional && !a.Required {
		return nil
	}
	if a.NestedType == nil {
		return collectionsIn(a.Name, a.Type)
	}
	of := a.NestedType
	object, _ := a.ValueType().(tftypes.Object)
	if of.Nesting != tfprotov6.SchemaObjectNestingModeSingle {
		all = append(all, collection{a.Name, only(a.ValueType(), nil)})
	}
	for _, inner := range of.Attributes {
		for _, c := range collectionsOf(inner) {
			element := elementOf(a.ValueType())
			if of.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
				element = object
			}
			value := withAttribute(element, inner.Name, c.value)
			if of.Nesting != tfprotov6.SchemaObjectNestingModeSingle {
				value = only(a.ValueType(), &value)
			}
			all = append(all, collection{a.Name + "." + c.name, value})
		}
	}
	return all
}

// collectionsIn are those of an attribute of a plain type.
func collectionsIn(name string, of tftypes.Type) (all []collection) {
	if object, ok := of.(tftypes.Object); ok {
		for inner, innerType := range object.AttributeTypes {
			for _, c := range collectionsIn(inner, innerType) {
				all = append(all, collection{name + "." + c.name, withAttribute(object, inner, c.value)})
			}
		}
		return all
	}
	element := elementOf(of)
	if element == nil {
		return nil
	}
	all = append(all, collection{name, only(of, nil)})
	for _, c := range collectionsIn("[]", element) {
		all = append(all, collection{name + c.name, only(of, &c.value)})
	}
	return all
}

func elementOf(of tftypes.Type) tftypes.Type {
	switch of := of.(type) {
	case tftypes.List:
		return of.ElementType
	case tftypes.Set:
		return of.ElementType
	case tftypes.Map:
		return of.ElementType
	}
	return nil
}

// only is a collection with this one element; nil = the element is null.
func only(of tftypes.Type, element *tftypes.Value) tftypes.Value {
	value := tftypes.NewValue(elementOf(of), nil)
	if element != nil {
		value = *element
	}
	if _, ok := of.(tftypes.Map); ok {
		return tftypes.NewValue(of, map[string]tftypes.Value{"example.com/a": value})
	}
	return tftypes.NewValue(of, []tftypes.Value{value})
}

// withAttribute is an object of which all but one attribute are null.
func withAttribute(of tftypes.Type, name string, value tftypes.Value) tftypes.Value {
	object, _ := of.(tftypes.Object)
	all := map[string]tftypes.Value{}
	for name, inner := range object.AttributeTypes {
		all[name] = tftypes.NewValue(inner, nil)
	}
	all[name] = value
	return tftypes.NewValue(of, all)
}

// refusesNull validates a configuration that has nothing but this null. Its other errors, such as a required attribute that is missing, do
// not matter.
func refusesNull(t *testing.T, at string, s *tfprotov6.Schema, attribute string, c collection, validate validate) {
	t.Helper()
	config, err := tfprotov6.NewDynamicValue(s.ValueType(), withAttribute(s.ValueType(), attribute, c.value))
	if err != nil {
		t.Fatal(err)
	}
	said, err := validate(t, &config)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.TrimSuffix(c.name[strings.LastIndexByte(c.name, '.')+1:], "[]")
	refused := slices.ContainsFunc(said, func(d *tfprotov6.Diagnostic) bool {
		return d.Severity == tfprotov6.DiagnosticSeverityError && strings.HasPrefix(d.Summary, "Null ") &&
			strings.Contains(fmt.Sprint(d.Attribute), fmt.Sprintf("AttributeName(%q)", last))
	})
	if meaning := nullsMeanSomething[at]; refused != (meaning == "") {
		t.Errorf("a null element is refused: %t, and it means: %q", refused, meaning)
		for _, d := range said {
			t.Logf("%s at %s: %s", d.Summary, d.Attribute, d.Detail)
		}
	}
}
