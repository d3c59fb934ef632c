package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

const claimType = "hap_credentials_binding_claim"

// asker asks a server of the provider what Terraform's query would ask.
type asker struct {
	tfprotov6.ProviderServerWithListResource
	schema *tfprotov6.GetProviderSchemaResponse
}

// newAsker configures a server with the landscape's connection.
func newAsker(t *testing.T, kubeconfig string) asker {
	t.Helper()
	server, err := factories["hap"]()
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
	a := asker{lists, schema}
	connection := object(t, schema.Provider.ValueType(), map[string]any{"kubernetes": map[string]any{"config_path": kubeconfig}})
	configured, err := server.ConfigureProvider(t.Context(),
		&tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.0", Config: connection})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatal(err, configured)
	}
	return a
}

// object fills a configuration; what is not named is null.
func object(t testing.TB, of tftypes.Type, values map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := tfprotov6.NewDynamicValue(of, filled(t, of, values))
	if err != nil {
		t.Fatal(err)
	}
	return &value
}

func filled(t testing.TB, of tftypes.Type, values map[string]any) tftypes.Value {
	t.Helper()
	objectType, ok := of.(tftypes.Object)
	if !ok {
		t.Fatalf("%s is no object", of)
	}
	all := map[string]tftypes.Value{}
	for name, inner := range objectType.AttributeTypes {
		switch value := values[name].(type) {
		case map[string]any:
			all[name] = filled(t, inner, value)
		case tftypes.Value:
			all[name] = value
		default:
			all[name] = tftypes.NewValue(inner, value)
		}
	}
	return tftypes.NewValue(of, all)
}

// found is one object of a list: its identity, and the resource where it was asked for.
type found struct {
	name               string
	identity, resource map[string]string
}

// list lists the claims with this configuration; limit 0 = all.
func (a asker) list(t *testing.T, config map[string]any, whole bool, limit int64) (claims []found, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	return a.listOf(t, claimType, config, whole, limit)
}

// listOf is list for any resource.
func (a asker) listOf(t *testing.T, of string, config map[string]any, whole bool, limit int64) (all []found,
	diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	stream, err := a.ListResource(t.Context(), &tfprotov6.ListResourceRequest{
		TypeName: of, Config: object(t, a.schema.ListResourceSchemas[of].ValueType(), config), IncludeResource: whole, Limit: limit,
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
		f := found{name: result.DisplayName, identity: texts(t, identities.IdentitySchemas[of].ValueType(), result.Identity.IdentityData)}
		if whole {
			f.resource = texts(t, a.schema.ResourceSchemas[of].ValueType(), result.Resource)
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

// Claims are found by what is recorded on the accounts, by any configuration. What is found can be imported as it is.
func TestAccClaimList_findsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	l := newLandscape(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-3"}, // held without a claim
		testbed.AccountSpec{Name: "trial", HyperscalerType: "aws", Shared: true},
	)
	config := l.provider() + rulesAWS + claimOf("blue", "ga-1", `plan = "aws"`, `platform_region = "cf-eu10"`, `owner = "pipeline"`,
		`on_destroy = "keep"`) +
		claimOf("green", "ga-1") + claimOf("red", "ga-1", `plan = "gcp"`) + claimOf("lone", "ga-2") + claimOf("lent", "ga-1",
		`plan = "trial"`, `hyperscaler = "aws"`)
	ids := func(claims []found) []string {
		all := make([]string, len(claims))
		for i, c := range claims {
			id := c.identity
			all[i] = fmt.Sprintf("%s/%s/%s", id["global_account"], id["binding_name"], id["name"])
			if id["namespace"] != l.Name || !strings.HasPrefix(c.name, all[i]) {
				t.Errorf("%s: identity %v, called %q", all[i], id, c.name)
			}
		}
		return all
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{{
		Config: config,
		Check: func(*terraform.State) error {
			l.strayRecords(t, "aws-1", "aws-3")
			a := newAsker(t, l.kubeconfig)
			for name, c := range map[string]struct {
				config map[string]any
				limit  int64
				want   []string
			}{
				"all":         {nil, 0, []string{"ga-1/aws-1/blue", "ga-1/aws-1/green", "ga-1/gcp-1/red", "ga-2/aws-2/lone"}},
				"of a tenant": {map[string]any{"global_account": "ga-1"}, 0, []string{"ga-1/aws-1/blue", "ga-1/aws-1/green", "ga-1/gcp-1/red"}},
				"of a pool": {map[string]any{"hyperscaler_type": "aws"}, 0,
					[]string{"ga-1/aws-1/blue", "ga-1/aws-1/green", "ga-2/aws-2/lone"}},
				"of both":            {map[string]any{"global_account": "ga-1", "hyperscaler_type": "gcp"}, 0, []string{"ga-1/gcp-1/red"}},
				"of a stranger":      {map[string]any{"global_account": "ga-9"}, 0, nil},
				"no more than asked": {nil, 2, []string{"ga-1/aws-1/blue", "ga-1/aws-1/green"}},
			} {
				claims, diagnostics := a.list(t, c.config, false, c.limit)
				if got := ids(claims); !slices.Equal(got, c.want) || len(diagnostics) > 0 {
					t.Errorf("%s: %v %v, want %v", name, got, diagnostics, c.want)
				}
			}
			claims, diagnostics := a.list(t, map[string]any{"hyperscaler_type": "aws", "global_account": "ga-1"}, true, 0)
			if len(diagnostics) > 0 || len(claims) != 2 {
				t.Fatal(claims, diagnostics)
			}
			want := map[string]string{
				"id": "ga-1/aws-1/blue", "name": "blue", "global_account": "ga-1", "binding_name": "aws-1", "plan": "aws", "platform_region": "cf-eu10",
				"owner": "pipeline", "on_destroy": "keep", "provider_type": "aws", "hyperscaler_type": "aws",
			}
			got := claims[0].resource
			maps.DeleteFunc(got, func(name, _ string) bool { return name == "binding_uid" || name == "claimed_at" })
			if !maps.Equal(got, want) {
				t.Errorf("the resource is %v, want %v", got, want)
			}
			return nil
		},
	}}})
}

// strayRecords puts records on an account that are no claims: a copy of another tenant's, and one of its own tenant's under
// a key that no claim has.
func (l landscape) strayRecords(t *testing.T, from, to string) {
	t.Helper()
	tenant := l.tenant(t, to)
	strays := map[string]*string{}
	for key, value := range l.GetAccount(t, from).Annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			own := strings.ReplaceAll(value, l.tenant(t, from), tenant)
			strays[key], strays[key[:len(key)-1]+"x"] = &value, &own
		}
	}
	l.PatchAnnotations(t, to, strays)
}

// What goes wrong is an error like everywhere else.
func TestAccClaimList_errors(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	stranger := l.ServiceAccount(t, "stranger", testbed.RoleExample(t, "role-credentials.yaml"))
	_, diagnostics := newAsker(t, stranger.Kubeconfig(t)).list(t, nil, false, 0)
	if len(diagnostics) != 1 || diagnostics[0].Summary != diagnose.SummaryForbidden ||
		!strings.Contains(diagnostics[0].Detail, "Listing the claims in namespace "+l.Name) {
		t.Errorf("diagnostics are %+v", diagnostics)
	}
}
