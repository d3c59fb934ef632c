package account_test

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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// importingAccount is an import block for the account one.
func importingAccount(by string) string {
	return "import {\n  to = hap_account.one\n  " + by + "\n}\n"
}

// An account that exists, free or held, is taken over as it is: nothing to change, nothing written.
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
			l := acceptance.NewSupply(t)
			c.spec.Name, c.spec.HyperscalerType = "aws-1", "aws"
			l.Accounts(t, c.spec)
			before := l.Versions(t)
			config := l.Provider() + acceptance.AccountOf(c.attributes...)
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
				{
					Config: config + importingAccount(`id = "aws-1"`),
					ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.AccountOne, plancheck.ResourceActionNoop)},
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					},
					Check: func(*terraform.State) error {
						return acceptance.Equal("versions", fmt.Sprint(l.Versions(t)), fmt.Sprint(before))
					},
				},
				{PreConfig: l.Put(t, nil), Config: config}, // so that it may be destroyed
			}})
		})
	}
}

func TestAccAccountImport_byIdentity(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t)
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.Provider() + acceptance.AccountOf()
	inprocess.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config + importingAccount(`identity = { namespace = "garden-other", name = "aws-1" }`),
				ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the namespace of the account is garden-other", "the provider's is "+l.Name)},
			{
				Config:           config + importingAccount(`identity = { name = "aws-1" }`),
				ConfigPlanChecks: wantAction(plancheck.ResourceActionNoop),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(acceptance.AccountOne, map[string]knownvalue.Check{
					"namespace": knownvalue.StringExact(l.Name), "name": knownvalue.StringExact("aws-1"),
				})},
			},
			{Config: l.Provider() + acceptance.AccountOf(`labels = { team = "a" }`)}, // an update keeps the identity
		},
	})
}

// What cannot be imported, and where an account is looked for.
func TestAccAccountImport_refused(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	config := l.Provider() + acceptance.AccountOf()
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: config + importingAccount(`id = "ga-1/aws-1"`), ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidImport, `"ga-1/aws-1" is not the name`)},
		{Config: config + importingAccount(`id = "aws-1"`), ExpectError: acceptance.ErrorLike(diagnose.SummaryImportMissing, `by the ID "aws-1": there is no CredentialsBinding aws-1 in namespace`)},
	}})
}

// A provider that leads elsewhere finds no account, and must not take that for "gone".
func TestAccAccount_otherNamespace(t *testing.T) {
	t.Parallel()
	l, other := acceptance.NewSupply(t, "aws-1"), acceptance.NewSupply(t, "aws-1")
	wrong := acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the namespace of the account is "+l.Name, "the provider's is "+other.Name)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + acceptance.AccountOf()},
		{Config: other.Provider() + acceptance.AccountOf(), ExpectError: wrong},
		{Config: other.Provider(), ExpectError: wrong},
		{Config: l.Provider() + acceptance.AccountOf(), PlanOnly: true},
	}})
}

// A list of the accounts needs no count of the clusters on them: a user who may not list Shoots has it.
func TestAccAccountList_uncounted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	user := l.ServiceAccount(t, "bindings", []byte(`apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: bindings
rules:
  - apiGroups: [security.gardener.cloud]
    resources: [credentialsbindings]
    verbs: [get, list]
  - apiGroups: [core.gardener.cloud]
    resources: [secretbindings]
    verbs: [list]
`))
	accounts, diagnostics := acceptance.NewAsker(t, user.Kubeconfig(t)).ListOf(t, accountType, nil, false, 0)
	if len(accounts) != 1 || len(diagnostics) > 0 {
		t.Errorf("the accounts are %v: %v", accounts, diagnostics)
	}
}

// The list has all accounts, those of other configurations too. What is found can be imported as it is.
func TestAccAccountList(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t)
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", EUAccess: true, Labels: map[string]string{"team": "a"}},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"}, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"},
		testbed.AccountSpec{Name: "no-account"})
	a := acceptance.NewAsker(t, l.Kubeconfig)
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
		accounts, diagnostics := a.ListOf(t, accountType, c.config, false, c.limit)
		names := []string{}
		for _, f := range accounts {
			names = append(names, f.Name)
			if f.Identity["namespace"] != l.Name || !strings.HasPrefix(f.Name, f.Identity["name"]+" ") {
				t.Errorf("%s has the identity %v", f.Name, f.Identity)
			}
		}
		if fmt.Sprint(names) != c.want || len(diagnostics) > 0 {
			t.Errorf("%s: %v %v, want %s", name, names, diagnostics, c.want)
		}
	}
	accounts, diagnostics := a.ListOf(t, accountType, map[string]any{"hyperscaler_type": "aws"}, true, 1)
	if len(accounts) != 1 || len(diagnostics) > 0 {
		t.Fatal(accounts, diagnostics)
	}
	got := accounts[0].Resource
	delete(got, "uid")
	if want := map[string]string{"name": "aws-1", "provider_type": "aws", "hyperscaler_type": "aws", "class": "free"}; !maps.Equal(got, want) {
		t.Errorf("the resource is %v, want %v", got, want)
	}
	stranger := l.ServiceAccount(t, "stranger", testbed.RoleExample(t, "role-credentials.yaml"))
	_, diagnostics = acceptance.NewAsker(t, stranger.Kubeconfig(t)).ListOf(t, accountType, nil, false, 0)
	if len(diagnostics) != 1 || diagnostics[0].Summary != diagnose.SummaryForbidden ||
		!strings.Contains(diagnostics[0].Detail, "Listing the accounts in namespace "+l.Name) {
		t.Errorf("diagnostics are %+v", diagnostics)
	}
}

// What others write on the account is no drift; what is the owner's own is put right in place, and a flag that is false leaves
// no label, also where another party has set it. For shared=true see TestAccAccount_sharedStaysShared.
func TestAccAccount_drift(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	config := l.Provider() + acceptance.AccountOf(`labels = { team = "a" }`)
	set := func(labels map[string]*string) func() { return func() { l.PatchLabels(t, "aws-1", labels) } }
	var uid string
	repaired := func(labels map[string]*string) resource.TestStep {
		return resource.TestStep{
			PreConfig: set(labels), Config: config, ConfigPlanChecks: wantAction(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				return errors.Join(wantLabels(t, l, map[string]string{"hyperscalerType": "aws", "team": "a", "foreign": "x"}),
					acceptance.Equal("uid", string(l.GetAccount(t, "aws-1").UID), uid))
			},
		}
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
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
				return wantLabels(t, l, map[string]string{"hyperscalerType": "aws", "team": "a", "tenantName": "ga-1"})
			},
		},
		{PreConfig: set(map[string]*string{"tenantName": nil}), Config: config},
	}})
}
