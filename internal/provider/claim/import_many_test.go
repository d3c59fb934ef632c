package claim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// Many imports of accounts that the broker has claimed say in one warning that there are no records, each with its import ID: of many
// warnings the program shows one, and none has the address of a resource.
func TestAccClaimImport_manyWithoutARecordWarnOnce(t *testing.T) {
	t.Parallel()
	const n = 15
	accounts, config := make([]testbed.AccountSpec, n), ""
	for i := range accounts {
		accounts[i] = testbed.AccountSpec{Name: fmt.Sprintf("aws-%d", i), HyperscalerType: "aws", Tenant: fmt.Sprintf("ga-%d", i)}
		label := fmt.Sprintf("c%d", i)
		config += acceptance.ClaimOf(label, accounts[i].Tenant) +
			fmt.Sprintf("import {\n  to = hap_credentials_binding_claim.%s\n  id = \"%s/%s/%s\"\n}\n", label, accounts[i].Tenant, accounts[i].Name, label)
	}
	l := acceptance.NewLandscape(t, accounts...)
	ear := acceptance.NewEar(nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps:                    []resource.TestStep{{Config: l.Provider() + acceptance.RulesAWS}, {Config: l.Provider() + acceptance.RulesAWS + config}},
	})
	runs := 0
	for _, detail := range ear.DetailsOf(diagnose.SummaryClaimUnrecorded) {
		runs++
		for i := range n {
			if id := fmt.Sprintf("\n  ga-%d/aws-%d/c%d", i, i, i); !strings.Contains(detail, id) {
				t.Errorf("the warning does not name %q: %s", id, detail)
			}
		}
	}
	if runs == 0 || runs > 2 { // the plan, and the apply
		t.Errorf("%d warnings, want one in each run", runs)
	}
}
