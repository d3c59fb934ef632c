package claim_test

import (
	"fmt"
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
