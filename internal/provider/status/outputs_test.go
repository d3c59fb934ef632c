package status_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A pipeline that shows the report alone has nothing else in its state.
func TestAccStatus_outputs(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: l.Provider("") + acceptance.StatusBlock(`outputs = ["report", "pools"]`),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.StatusOf("report", knownvalue.NotNull()), acceptance.StatusOf("pools", knownvalue.ListSizeExact(1)),
					acceptance.StatusOf("accounts", knownvalue.Null()), acceptance.StatusOf("global_accounts", knownvalue.Null()), acceptance.StatusOf("problems", knownvalue.Null()),
					acceptance.StatusOf("unused_pools", knownvalue.Null()), acceptance.StatusOf("prometheus", knownvalue.Null()), acceptance.StatusOf("import_config", knownvalue.Null()),
				},
			},
			{Config: l.Provider("") + acceptance.StatusBlock(`outputs = ["reports"]`), ExpectError: acceptance.ErrorLike("Invalid Attribute Value Match", `"report"`)},
			{Config: l.Provider("") + acceptance.StatusBlock(`outputs = []`), ExpectError: acceptance.ErrorLike("Invalid Attribute Value", "at least 1")},
			{Config: l.Provider("") + acceptance.StatusBlock(`hyperscaler_type = "aws/x"`), ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidLabel, "aws/x")},
		},
	})
}
