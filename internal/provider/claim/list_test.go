package claim_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// listClaims lists the claims with this configuration; limit 0 = all.
func listClaims(t *testing.T, a acceptance.Asker, config map[string]any, whole bool, limit int64) (claims []acceptance.Found, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	return a.ListOf(t, acceptance.ClaimType, config, whole, limit)
}

// A list with a limit has as many claims as there are, also where one has gone since the accounts were listed.
func TestAccClaimList_limitBesideOneThatIsGone(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1") + acceptance.ClaimOf("green", "ga-2"),
		Check: func(*terraform.State) error {
			a := acceptance.NewAsker(t, l.Kubeconfig)
			all, _ := listClaims(t, a, nil, true, 0)
			if len(all) != 2 {
				t.Fatalf("the claims are %v", all)
			}
			first := all[0].Identity["binding_name"]
			for key := range l.GetAccount(t, first).Annotations {
				if strings.HasPrefix(key, account.AnnotationPrefix) {
					l.PatchAnnotations(t, first, map[string]*string{key: nil})
				}
			}
			one, diagnostics := listClaims(t, a, nil, true, 1)
			if len(one) != 1 || len(diagnostics) > 0 || one[0].Identity["binding_name"] == first {
				t.Errorf("a list of one claim has %v: %v", one, diagnostics)
			}
			return nil
		},
	}}})
}

// Claims are found by what is recorded on the accounts, by any configuration. What is found can be imported as it is.
func TestAccClaimList_findsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-3"}, // held without a claim
		testbed.AccountSpec{Name: "trial", HyperscalerType: "aws", Shared: true},
	)
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `plan = "aws"`, `platform_region = "cf-eu10"`, `owner = "pipeline"`,
		`on_destroy = "keep"`) +
		acceptance.ClaimOf("green", "ga-1") + acceptance.ClaimOf("red", "ga-1", `plan = "gcp"`) + acceptance.ClaimOf("lone", "ga-2") + acceptance.ClaimOf("lent", "ga-1",
		`plan = "trial"`, `hyperscaler = "aws"`)
	ids := func(claims []acceptance.Found) []string {
		all := make([]string, len(claims))
		for i, c := range claims {
			id := c.Identity
			all[i] = fmt.Sprintf("%s/%s/%s", id["global_account"], id["binding_name"], id["name"])
			if id["namespace"] != l.Name || !strings.HasPrefix(c.Name, all[i]) {
				t.Errorf("%s: identity %v, called %q", all[i], id, c.Name)
			}
		}
		return all
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: config,
		Check: func(*terraform.State) error {
			strayRecords(t, l, "aws-1", "aws-3")
			a := acceptance.NewAsker(t, l.Kubeconfig)
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
				claims, diagnostics := listClaims(t, a, c.config, false, c.limit)
				if got := ids(claims); !slices.Equal(got, c.want) || len(diagnostics) > 0 {
					t.Errorf("%s: %v %v, want %v", name, got, diagnostics, c.want)
				}
			}
			claims, diagnostics := listClaims(t, a, map[string]any{"hyperscaler_type": "aws", "global_account": "ga-1"}, true, 0)
			if len(diagnostics) > 0 || len(claims) != 2 {
				t.Fatal(claims, diagnostics)
			}
			want := map[string]string{
				"id": "ga-1/aws-1/blue", "name": "blue", "global_account": "ga-1", "binding_name": "aws-1", "plan": "aws", "platform_region": "cf-eu10",
				"owner": "pipeline", "on_destroy": "keep", "provider_type": "aws", "hyperscaler_type": "aws",
			}
			got := claims[0].Resource
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
func strayRecords(t *testing.T, l acceptance.Landscape, from, to string) {
	t.Helper()
	tenant := l.Tenant(t, to)
	strays := map[string]*string{}
	for key, value := range l.GetAccount(t, from).Annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			own := strings.ReplaceAll(value, l.Tenant(t, from), tenant)
			strays[key], strays[key[:len(key)-1]+"x"] = &value, &own
		}
	}
	l.PatchAnnotations(t, to, strays)
}

// What goes wrong is an error like everywhere else.
func TestAccClaimList_errors(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	stranger := l.ServiceAccount(t, "stranger", testbed.RoleExample(t, "role-credentials.yaml"))
	_, diagnostics := listClaims(t, acceptance.NewAsker(t, stranger.Kubeconfig(t)), nil, false, 0)
	if len(diagnostics) != 1 || diagnostics[0].Summary != diagnose.SummaryForbidden ||
		!strings.Contains(diagnostics[0].Detail, "Listing the claims in namespace "+l.Name) {
		t.Errorf("diagnostics are %+v", diagnostics)
	}
}
