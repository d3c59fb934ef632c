package claim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// refusesClaim wants a claim of ga-1 to end with an error, and nothing to be written on the accounts.
func refusesClaim(t *testing.T, l acceptance.Landscape, block string, words ...string) {
	t.Helper()
	before := l.Versions(t)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config:      l.Provider(block) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			ExpectError: acceptance.ErrorLike(diagnose.SummaryExhausted, words...),
		}},
	})
	if now := l.Versions(t); fmt.Sprint(now) != fmt.Sprint(before) {
		for _, a := range l.ListAccounts(t) {
			t.Errorf("account %s was written: %v, %v", a.Name, a.Labels, a.Annotations)
		}
	}
}

// A label that says under another key than the provider is set to that an account is held, shared, dirty or internal leaves the account in
// doubt: a claim does not take it, and names the label.
func TestAccClaim_labelsUnderOtherKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys     string
		accounts []testbed.AccountSpec
		doubt    string
	}{
		"tenant, mistyped key": {`tenant_name = "tenantname"`,
			[]testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-2"}}, "aws-1 (tenantName=ga-2)"},
		"tenant, key of the other scheme": {`tenant_name = "tenant-name"`,
			[]testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-2"}}, "aws-1 (tenantName=ga-2)"},
		"tenant, a key unlike": {`tenant_name = "held-by"`,
			[]testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-2"}}, "aws-1 (tenantName=ga-2)"},
		"shared": {`shared = "for-all"`, []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws", Shared: true}}, "aws-1 (shared=true)"},
		"dirty":  {`dirty = "unclean"`, []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws", Dirty: true}}, "aws-1 (dirty=true)"},
		"internal, mistyped by hand": {"", []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws",
			Labels: map[string]string{"Internal": "True"}}}, "aws-1 (Internal=True)"},
		"another binding of the Secret, in the older scheme": {"", []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws"}, {
			Name: "sb-1", Kind: testbed.SecretBinding, Secret: "aws-1", Labels: map[string]string{"hyperscaler-type": "aws", "tenant-name": "ga-2"},
		}}, "aws-1 (tenant-name=ga-2 of SecretBinding sb-1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusesClaim(t, acceptance.NewLandscape(t, c.accounts...), "pool = { label_keys = { "+c.keys+" } }",
				"whose these are is in doubt", c.doubt, "Nothing was claimed", "label_keys")
		})
	}
}

// Two provider blocks with different label schemes see one pool: a claim by one of them does not take what a claim by the other one holds.
func TestAccClaim_twoSchemesOnOnePool(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Labels: map[string]string{"hyperscaler-type": "aws"}})
	older := l.Provider(`pool = { label_scheme = "kebab" }`) + acceptance.RulesAWS + acceptance.ClaimOf("green", "ga-2")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: older},
			{PreConfig: func() { refusesClaim(t, l, "", "aws-1 (tenant-name=ga-2)") }, Config: older, PlanOnly: true},
		},
	})
}

// A label under another key that gives the account of a claim to another Global Account keeps new clusters away, and a release. The errors
// and the warning of a plan name the label.
func TestAccClaim_heldAccountInDoubt(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	ear, rules := acceptance.NewEar(nil), l.Provider()+acceptance.RulesAWS
	var versions string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: rules + acceptance.ClaimOf("blue", "ga-1")},
			{
				PreConfig: func() {
					l.PatchLabels(t, "aws-1", map[string]*string{"tenant-name": acceptance.Text("ga-2")})
					versions = fmt.Sprint(l.Versions(t))
				},
				Config: rules + acceptance.ClaimOf("blue", "ga-1"), ConfigPlanChecks: acceptance.EmptyAfterwards,
			},
			{
				PreConfig: func() {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryDrift, "", "leave in doubt whose it is (tenant-name=ga-2)", "no new cluster comes to it")
				},
				Config:      rules + acceptance.ClaimOf("blue", "ga-1") + acceptance.ClaimOf("red", "ga-1"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryExhausted, "aws-1: unclear", "(tenant-name=ga-2)"),
			},
			{
				Config:      rules,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryContested, "whose account aws-1 is (tenant-name=ga-2)", "neither marked nor freed"),
			},
			{
				PreConfig: func() {
					if now := fmt.Sprint(l.Versions(t)); now != versions {
						t.Errorf("the account was written: version %s, was %s", now, versions)
					}
					l.PatchLabels(t, "aws-1", map[string]*string{"tenant-name": nil})
				},
				Config: rules,
			},
		},
	})
}

// What the annotation account-of-secret says is read without blanks around it, so that the account is known to be another Global Account's. What
// can be no name of a Secret leaves the account in doubt. Either way a claim does not take it.
func TestAccClaim_accountOfSecretMistyped(t *testing.T) {
	t.Parallel()
	const joined = "duplicate 1"
	for name, c := range map[string]struct{ said, word string }{
		"a line break, as a block of YAML has it": {"aws-1\n", joined},
		"a blank":                          {" aws-1", joined},
		"blanks around the slash":          {"NAMESPACE / aws-1", joined},
		"no namespace before the slash":    {"/aws-1", `wi-1 (hap-project.io/account-of-secret="/aws-1")`},
		"no name after the slash":          {"NAMESPACE/", "wi-1 (hap-project.io/account-of-secret="},
		"nothing":                          {"", `wi-1 (hap-project.io/account-of-secret="")`},
		"a kind in front of the name":      {"Secret aws-1", `wi-1 (hap-project.io/account-of-secret="Secret aws-1")`},
		"a name with an upper-case letter": {"AWS-1", `wi-1 (hap-project.io/account-of-secret="AWS-1")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t)
			l.Accounts(t, testbed.AccountSpec{Name: "binding-1", Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-2"},
				testbed.AccountSpec{Name: "wi-1", Credentials: testbed.WorkloadIdentity, HyperscalerType: "aws",
					Annotations: map[string]string{account.SameAnnotation: strings.ReplaceAll(c.said, "NAMESPACE", l.Name)}})
			refusesClaim(t, l, "", c.word)
		})
	}
}

// The same on a binding that another Global Account holds: the binding of the Secret has no label of a Global Account, and whether it is the
// same cloud account cannot be known. A claim does not take it, and names the annotation.
func TestAccClaim_accountOfSecretMistypedOnTheHeldOne(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"a name with an upper-case letter": "AWS-1", "nothing": "", "a kind in front of the name": "Secret aws-1",
		"the name of the binding": "binding-1", "another namespace": "elsewhere/aws-1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t)
			l.Accounts(t, testbed.AccountSpec{Name: "binding-1", Secret: "aws-1", HyperscalerType: "aws"},
				testbed.AccountSpec{Name: "wi-1", Credentials: testbed.WorkloadIdentity, HyperscalerType: "aws", Tenant: "ga-2",
					Annotations: map[string]string{account.SameAnnotation: said}})
			refusesClaim(t, l, "", "whose these are is in doubt", "binding-1 (hap-project.io/account-of-secret=", "of wi-1)")
		})
	}
}
