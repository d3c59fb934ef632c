package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// Each attribute that names an object of Kubernetes refuses a text that no object can have as its name, at that attribute: a request with
// such a name asks for another path, and its answer says nothing of the name.
func TestObjectNames(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t)
	for _, attribute := range []string{
		"hap_credentials_binding_claim.binding_name", "hap_account.name", "hap_account.credentials_ref.namespace",
		"hap_account.credentials_ref.name", "hap_shoot.name", "hap_shoot.credentials_binding_name", "hap_shoot.cluster_ref.namespace",
		"hap_shoot.cluster_ref.name", "hap_cluster.namespace", "hap_cluster.name", "hap_cluster_request.namespace", "hap_cluster_request.name",
		"hap_access_request.namespace", "hap_access_request.name", "hap_access_request.cluster_ref.name",
		"hap_access_request.request_ref.namespace", "hap_gardener_provider_config.name", "hap_gardener_provider_config.credentials_binding_name",
		"ephemeral.hap_shoot_access.shoot_name", "ephemeral.hap_credentials.binding_name", "ephemeral.hap_credentials.credentials_ref.namespace",
		"ephemeral.hap_credentials.credentials_ref.name",
	} {
		for _, name := range []string{"a/b", "..", ".", "%2e%2e", "A B", "blue?x=1", "ü", ""} {
			t.Run(attribute+" "+name, func(t *testing.T) {
				t.Parallel()
				of, ephemeral := strings.CutPrefix(attribute, "ephemeral.")
				parts := strings.Split(of, ".")
				at := tftypes.NewAttributePath()
				var value any = name
				for _, part := range parts[1:] {
					at = at.WithAttributeName(part)
				}
				for _, part := range slices.Backward(parts[1:]) {
					value = map[string]any{part: value}
				}
				values, _ := value.(map[string]any)
				var said []*tfprotov6.Diagnostic
				if ephemeral {
					resp, err := newTestServer().ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{
						TypeName: parts[0], Config: acceptance.Object(t, schema.EphemeralResourceSchemas[parts[0]].ValueType(), values)})
					if err != nil {
						t.Fatal(err)
					}
					said = resp.Diagnostics
				} else {
					resp, err := newTestServer().ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
						TypeName: parts[0], Config: acceptance.Object(t, schema.ResourceSchemas[parts[0]].ValueType(), values)})
					if err != nil {
						t.Fatal(err)
					}
					said = resp.Diagnostics
				}
				if !slices.ContainsFunc(said, func(d *tfprotov6.Diagnostic) bool {
					return strings.HasPrefix(d.Summary, "Invalid Attribute Value") && d.Attribute.Equal(at)
				}) {
					t.Errorf("%q is taken for a name", name)
				}
			})
		}
	}
}
