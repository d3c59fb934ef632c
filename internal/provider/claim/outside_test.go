package claim_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// What an annotation in another namespace says is not believed: there each project writes its own.
func TestAccClaim_annotationOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	owner := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "own"})
	owner.DeleteAccount(t, "own")
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Secret: "own", SecretNamespace: owner.Name})
	acceptance.NewLandscape(t, testbed.AccountSpec{Name: "theirs", HyperscalerType: "aws", Tenant: "ga-2",
		Annotations: map[string]string{account.SameAnnotation: owner.Name + "/own"}})
	l.User.Grant(t, nil, testbed.RoleExample(t, "role-outside.yaml"))
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps:                    []resource.TestStep{{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")}},
	})
}

// newOutside is a landscape whose account aws-1 has credentials of another namespace, to which a binding of the namespace of the credentials,
// or of a third one, refers as well.
func newOutside(t *testing.T, third bool) (l acceptance.Landscape, binding string) {
	t.Helper()
	owner := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "own"})
	l = acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Secret: "own", SecretNamespace: owner.Name})
	if !third {
		return l, "CredentialsBinding " + owner.Name + "/own"
	}
	owner.DeleteAccount(t, "own")
	other := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "theirs", Kind: testbed.SecretBinding, Secret: "own", SecretNamespace: owner.Name})
	return l, "SecretBinding " + other.Name + "/theirs"
}

// A binding of another namespace that refers to the credentials of an account may bring clusters there, which are not counted: a free
// account is not claimed, and a held one is not released, while the binding is there.
func TestAccClaim_bindingOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	for name, third := range map[string]bool{"where the credentials are": false, "a third one": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, binding := newOutside(t, third)
			l.User.Grant(t, nil, testbed.RoleExample(t, "role-outside.yaml"))
			refusesClaim(t, l, "", "whose these are is in doubt: aws-1 ("+binding+" of another namespace)", "Nothing was claimed")
		})
	}
}

func TestAccClaim_isNotReleasedBesideABindingOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	l, binding := newOutside(t, true)
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "mark_dirty"`)
	keep := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "keep"`)
	var before string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config}, // the user sees no other namespace, and is warned
			{PreConfig: func() {
				l.User.Grant(t, nil, testbed.RoleExample(t, "role-outside.yaml"))
				before = fmt.Sprint(l.Versions(t))
			}, Config: config, Destroy: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryOtherBinding, binding, "it is of another namespace",
				"neither marked nor freed", "Once none does, delete it")},
			{PreConfig: func() {
				if after := fmt.Sprint(l.Versions(t)); after != before {
					t.Errorf("accounts were %s, and are %s", before, after)
				}
			}, Config: keep},
		},
	})
	if tenant := l.Tenant(t, "aws-1"); tenant != "ga-1" {
		t.Errorf("the account is held by %q", tenant)
	}
}

// A user who may not list the bindings of other namespaces is warned, once in a run.
func TestAccClaim_bindingsOfOtherNamespacesAreNotSeen(t *testing.T) {
	t.Parallel()
	l, _ := newOutside(t, false)
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps:                    []resource.TestStep{{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")}},
	})
	if n := ear.Warnings(diagnose.SummaryCountDoubt, "credentials of another namespace"); n == 0 {
		t.Errorf("no warning among %q", ear.Details(1))
	}
}
