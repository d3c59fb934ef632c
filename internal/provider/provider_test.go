package provider

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// A registration that was forgotten would only show when a user misses the object.
func TestProvider_offersExactlyTheseObjects(t *testing.T) {
	t.Parallel()
	server, err := acceptance.Factories["hap"]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.Diagnostics {
		t.Errorf("schema: %s: %s", d.Summary, d.Detail)
	}
	var names []string
	for name := range got.ResourceSchemas {
		names = append(names, "resource "+name)
	}
	for name := range got.DataSourceSchemas {
		names = append(names, "data "+name)
	}
	for name := range got.Functions {
		names = append(names, "function "+name)
	}
	for name := range got.EphemeralResourceSchemas {
		names = append(names, "ephemeral "+name)
	}
	for name := range got.ListResourceSchemas {
		names = append(names, "list "+name)
	}
	slices.Sort(names)
	want := []string{
		"data hap_binding_selection",
		"data hap_cluster_profiles",
		"data hap_cluster_providers",
		"data hap_cluster_schedule",
		"data hap_pool_status",
		"ephemeral hap_cluster_access",
		"ephemeral hap_credentials",
		"ephemeral hap_shoot_access",
		"function aggregate_purposes",
		"function broker_values", "function convert_rules",
		"function match_rules",
		"function schedule_cluster",
		"function select_binding",
		"function validate_rules",
		"list hap_account",
		"list hap_credentials_binding_claim",
		"list hap_shoot",
		"resource hap_access_request",
		"resource hap_account",
		"resource hap_cluster",
		"resource hap_cluster_request",
		"resource hap_credentials_binding_claim",
		"resource hap_gardener_provider_config",
		"resource hap_rule_set",
		"resource hap_shoot",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the provider offers %q, want %q", names, want)
	}
}

func TestProvider_secretsAreSensitive(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"token", "password", "client_key", "config_raw"} {
		if !connectionAttributes(gardenPlace.Prefix)[name].IsSensitive() {
			t.Errorf("kubernetes.%s is not sensitive", name)
		}
	}
}

func TestSettings_unknownValuesAreNamedAndNotRead(t *testing.T) {
	t.Parallel()
	var schemaResp frameworkprovider.SchemaResponse
	(&hapProvider{}).Schema(t.Context(), frameworkprovider.SchemaRequest{}, &schemaResp)
	nested, ok := schemaResp.Schema.Attributes["kubernetes"].(schema.SingleNestedAttribute)
	if !ok {
		t.Fatal("kubernetes is no nested attribute")
	}
	values := map[string]attr.Value{}
	attrTypes := map[string]attr.Type{}
	for name, a := range nested.Attributes {
		attrTypes[name] = a.GetType()
		null, err := a.GetType().ValueFromTerraform(t.Context(), tftypes.NewValue(a.GetType().TerraformType(t.Context()), nil))
		if err != nil {
			t.Fatal(err)
		}
		values[name] = null
	}
	values["host"], values["token"] = types.StringValue("https://example.com"), types.StringUnknown()
	object := types.ObjectValueMust(attrTypes, values)
	_, unknown, diags := kubernetesFrom(t.Context(), providerModel{Kubernetes: object, Namespace: types.StringUnknown()})
	if diags.HasError() || fmt.Sprint(unknown) != "[kubernetes.token namespace]" {
		t.Errorf("unknown are %v (%v), want kubernetes.token and namespace", unknown, diags)
	}
	values["token"] = types.StringValue("t0ps3cret")
	settings, unknown, diags := kubernetesFrom(t.Context(),
		providerModel{Kubernetes: types.ObjectValueMust(attrTypes, values), Namespace: types.StringValue("n")})
	if diags.HasError() || len(unknown) != 0 {
		t.Fatalf("unknown are %v (%v), want none", unknown, diags)
	}
	if *settings.Host != "https://example.com" || *settings.Token != "t0ps3cret" || *settings.Namespace != "n" || settings.Password != nil {
		t.Errorf("settings are %+v", settings)
	}
}
