package account_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// readsSecrets is what Gardener demands of a user who makes an account with the credentials of another namespace.
const readsSecrets = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: secrets}, rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]}`

// Credentials of another namespace are for an account only where no binding of another namespace uses them: at plan nothing is written, and
// what the user may not list is not assumed to be absent.
func TestAccAccount_credentialsOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	owner, l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "own"}), acceptance.NewSupply(t)
	config := l.Provider() + acceptance.AccountOf(fmt.Sprintf(`credentials_ref = { name = "own", namespace = %q }`, owner.Name))
	l.User.Grant(t, owner.Namespace, []byte(readsSecrets))
	absent := func(step func()) func() {
		return func() {
			if l.There(t) {
				t.Error("the account was made")
			}
			step()
		}
	}
	third := acceptance.NewLandscape(t)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: config, ExpectError: acceptance.ErrorLike(diagnose.SummaryOutsideUnseen, "credentials_ref", owner.Name, "is not known", "Nothing was written",
			"role-outside.yaml")},
		{PreConfig: absent(func() { l.User.Grant(t, nil, testbed.RoleExample(t, "role-outside.yaml")) }), Config: config,
			ExpectError: acceptance.ErrorLike(diagnose.SummarySameCredentials, "credentials_ref", "are used already by CredentialsBinding "+owner.Name+"/own")},
		{PreConfig: absent(func() {
			owner.DeleteAccount(t, "own")
			third.Accounts(t, testbed.AccountSpec{Name: "theirs", Secret: "own", SecretNamespace: owner.Name})
		}), Config: config, ExpectError: acceptance.ErrorLike(diagnose.SummarySameCredentials, "CredentialsBinding "+third.Name+"/theirs")},
		{PreConfig: absent(func() { third.DeleteAccount(t, "theirs") }), Config: config},
	}})
}
