package claim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// binding_name asks for another binding of the claim's own cloud account, which lacks the label of its hyperscaler type: that is an error, and
// no replacement. A replacement would mark the cloud account dirty, and end nowhere.
func TestAccClaim_bindingNameOfAnUnlabelledBinding(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.Account(t, testbed.AccountSpec{Name: "aws-2", Secret: l.GetAccount(t, "aws-1").CredentialsRef.Name})
	of := func(name string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", fmt.Sprintf("binding_name = %q", name))
	}
	var before string
	untouched := func(*terraform.State) error {
		return acceptance.Equal("version of aws-1", l.GetAccount(t, "aws-1").ResourceVersion, before)
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: of("aws-1"), Check: func(*terraform.State) error {
			before = l.GetAccount(t, "aws-1").ResourceVersion
			return nil
		}},
		{Config: of("aws-2"), ExpectError: acceptance.ErrorLike(diagnose.SummaryNoMove, "account aws-2, which it is to go to, has the same "+
			"credentials and cannot take it: it lacks the label of the hyperscaler type", "Nothing was written")},
		{Config: of("aws-1"), Check: untouched},
	}})
}

// A claim whose old binding is gone stays in the state while its cloud account has other bindings, although it is not known which of them it is
// to go to. Once there is one it goes there, in place.
func TestAccClaim_severalBindingsInPlaceOfTheOldOne(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOlderLandscape(t, testbed.SecretBinding, acceptance.Labellings["camel"], testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	other := strings.Replace(string(testbed.DocumentedRoleOf(t, testbed.SecretBinding)), "name: hap-provider", "name: other", 1)
	both := l.ServiceAccount(t, "both", []byte(string(testbed.DocumentedRole(t))+"\n---\n"+other))
	l.Kubeconfig = both.Kubeconfig(t)
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider(l.Block) + config},
		{
			PreConfig: func() {
				for _, name := range []string{"aws-1", "aws-2"} {
					l.Account(t, testbed.AccountSpec{Name: name, Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
				}
				l.DeleteObject(t, testbed.SecretBinding, "aws-1")
			},
			Config: l.Provider() + config, ExpectError: acceptance.ErrorLike(diagnose.SummaryNoMove,
				"several accounts of the pool refer to its credentials: aws-1, aws-2"),
		},
		{
			PreConfig: func() { l.DeleteAccount(t, "aws-2") },
			Config:    l.Provider() + config,
			Check: func(*terraform.State) error {
				return errors.Join(acceptance.Equal("records on aws-1", fmt.Sprint(l.Records(t, "aws-1")), "1"),
					acceptance.Equal("dirty", l.GetAccount(t, "aws-1").Labels["dirty"], ""))
			},
		},
	}})
}
