package provider

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// importingAccount is an import block for the account one.
func importingAccount(by string) string {
	return "import {\n  to = hap_account.one\n  " + by + "\n}\n"
}

// An account that stands, free or held, is taken over as it is: nothing to change, nothing written.
func TestAccAccountImport_byName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec       testbed.AccountSpec
		attributes []string
	}{
		"free": {testbed.AccountSpec{}, nil},
		"held": {testbed.AccountSpec{Tenant: "ga-1"}, nil},
		"held and dirty, with flags and labels": {testbed.AccountSpec{Tenant: "ga-1", Dirty: true, EUAccess: true, Internal: true,
			Labels: map[string]string{"team": "a"}}, []string{`eu_access = true`, `internal = true`, `labels = { team = "a" }`}},
		"shared": {testbed.AccountSpec{Shared: true}, []string{`shared = true`}},
		"quarantined": {testbed.AccountSpec{Labels: map[string]string{"dirty": "quarantine"},
			Annotations: map[string]string{account.QuarantineAnnotation: "audit"}}, []string{`quarantine = "audit"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newSupply(t)
			c.spec.Name, c.spec.HyperscalerType = "aws-1", "aws"
			l.Accounts(t, c.spec)
			before := l.versions(t)
			config := l.provider() + accountOf(c.attributes...)
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
				{
					Config: config + importingAccount(`id = "aws-1"`),
					ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(accountOne, plancheck.ResourceActionNoop)},
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					},
					Check: func(*terraform.State) error {
						return equal("versions", fmt.Sprint(l.versions(t)), fmt.Sprint(before))
					},
				},
				{PreConfig: l.put(t, nil), Config: config}, // so that it may be destroyed
			}})
		})
	}
}

func TestAccAccountImport_byIdentity(t *testing.T) {
	t.Parallel()
	l := newSupply(t)
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.provider() + accountOf()
	inprocess.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config + importingAccount(`identity = { namespace = "garden-other", name = "aws-1" }`),
				ExpectError: errorLike(diagnose.SummarySettingsChanged, "the namespace of the account is garden-other", "the provider's is "+l.Name)},
			{
				Config:           config + importingAccount(`identity = { name = "aws-1" }`),
				ConfigPlanChecks: wantAction(plancheck.ResourceActionNoop),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(accountOne, map[string]knownvalue.Check{
					"namespace": knownvalue.StringExact(l.Name), "name": knownvalue.StringExact("aws-1"),
				})},
			},
			{Config: l.provider() + accountOf(`labels = { team = "a" }`)}, // an update keeps the identity
		},
	})
}

// What cannot be imported, and where an account is looked for.
func TestAccAccountImport_refused(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	config := l.provider() + accountOf()
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: config + importingAccount(`id = "ga-1/aws-1"`), ExpectError: errorLike(diagnose.SummaryInvalidImport, `"ga-1/aws-1" is not the name`)},
		{Config: config + importingAccount(`id = "aws-1"`), ExpectError: errorLike(diagnose.SummaryImportMissing, `by the ID "aws-1": there is no CredentialsBinding aws-1 in namespace`)},
	}})
}

// A provider that leads elsewhere finds no account, and must not take that for "gone".
func TestAccAccount_otherNamespace(t *testing.T) {
	t.Parallel()
	l, other := newSupply(t, "aws-1"), newSupply(t, "aws-1")
	wrong := errorLike(diagnose.SummarySettingsChanged, "the namespace of the account is "+l.Name, "the provider's is "+other.Name)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: l.provider() + accountOf()},
		{Config: other.provider() + accountOf(), ExpectError: wrong},
		{Config: other.provider(), ExpectError: wrong},
		{Config: l.provider() + accountOf(), PlanOnly: true},
	}})
}

// The list has all accounts, those of other configurations too. What is found can be imported as it is.
func TestAccAccountList(t *testing.T) {
	t.Parallel()
	l := newSupply(t)
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", EUAccess: true, Labels: map[string]string{"team": "a"}},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"}, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"},
		testbed.AccountSpec{Name: "no-account"})
	a := newAsker(t, l.kubeconfig)
	for name, c := range map[string]struct {
		config map[string]any
		limit  int64
		want   string
	}{
		"all":           {nil, 0, "[aws-1 (aws,euAccess) aws-2 (aws) gcp-1 (gcp)]"},
		"of a type":     {map[string]any{"hyperscaler_type": "aws"}, 0, "[aws-1 (aws,euAccess) aws-2 (aws)]"},
		"two":           {nil, 2, "[aws-1 (aws,euAccess) aws-2 (aws)]"},
		"of no account": {map[string]any{"hyperscaler_type": "azure"}, 0, "[]"},
	} {
		accounts, diagnostics := a.listOf(t, accountType, c.config, false, c.limit)
		names := []string{}
		for _, f := range accounts {
			names = append(names, f.name)
			if f.identity["namespace"] != l.Name || !strings.HasPrefix(f.name, f.identity["name"]+" ") {
				t.Errorf("%s has the identity %v", f.name, f.identity)
			}
		}
		if fmt.Sprint(names) != c.want || len(diagnostics) > 0 {
			t.Errorf("%s: %v %v, want %s", name, names, diagnostics, c.want)
		}
	}
	accounts, diagnostics := a.listOf(t, accountType, map[string]any{"hyperscaler_type": "aws"}, true, 1)
	if len(accounts) != 1 || len(diagnostics) > 0 {
		t.Fatal(accounts, diagnostics)
	}
	got := accounts[0].resource
	delete(got, "uid")
	if want := map[string]string{"name": "aws-1", "provider_type": "aws", "hyperscaler_type": "aws", "class": "free"}; !maps.Equal(got, want) {
		t.Errorf("the resource is %v, want %v", got, want)
	}
	stranger := l.ServiceAccount(t, "stranger", testbed.RoleExample(t, "role-credentials.yaml"))
	_, diagnostics = newAsker(t, stranger.Kubeconfig(t)).listOf(t, accountType, nil, false, 0)
	if len(diagnostics) != 1 || diagnostics[0].Summary != diagnose.SummaryForbidden ||
		!strings.Contains(diagnostics[0].Detail, "Listing the accounts in namespace "+l.Name) {
		t.Errorf("diagnostics are %+v", diagnostics)
	}
}

// What others write on the account is no drift; what is the owner's own is put right in place, and a flag that is false leaves
// no label, also where another party has set it. For shared=true see TestAccAccount_sharedStaysShared.
func TestAccAccount_drift(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	config := l.provider() + accountOf(`labels = { team = "a" }`)
	set := func(labels map[string]*string) func() { return func() { l.PatchLabels(t, "aws-1", labels) } }
	var uid string
	repaired := func(labels map[string]*string) resource.TestStep {
		return resource.TestStep{
			PreConfig: set(labels), Config: config, ConfigPlanChecks: wantAction(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				return errors.Join(l.wantLabels(t, map[string]string{"hyperscalerType": "aws", "team": "a", "foreign": "x"}),
					equal("uid", string(l.GetAccount(t, "aws-1").UID), uid))
			},
		}
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: config, Check: func(*terraform.State) error { uid = string(l.GetAccount(t, "aws-1").UID); return nil }},
		{PreConfig: set(map[string]*string{"tenantName": new("ga-1"), "dirty": new("true"), "foreign": new("x")}), Config: config, PlanOnly: true},
		{PreConfig: set(map[string]*string{"tenantName": nil, "dirty": nil}), Config: config, PlanOnly: true},
		repaired(map[string]*string{"team": nil}),
		repaired(map[string]*string{"team": new("b")}),
		repaired(map[string]*string{"euAccess": new("false")}),
		repaired(map[string]*string{"shared": new("no"), "internal": new("")}),
		repaired(map[string]*string{"hyperscalerType": new("gcp")}),
		repaired(map[string]*string{"hyperscalerType": nil}),
		// The broker finds an account by the absence of the key: the label goes also where a tenant holds the account.
		{
			PreConfig: set(map[string]*string{"tenantName": new("ga-1"), "euAccess": new("false"), "foreign": nil}), Config: config,
			Check: func(*terraform.State) error {
				return l.wantLabels(t, map[string]string{"hyperscalerType": "aws", "team": "a", "tenantName": "ga-1"})
			},
		},
		{PreConfig: set(map[string]*string{"tenantName": nil}), Config: config},
	}})
}
