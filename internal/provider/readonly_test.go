package provider

import (
	"maps"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// role-readonly.yaml is enough for plans, selections and reports; a claim and a release are refused with it, and nothing is written.
func TestAccReadonlyRole(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	reader := l
	reader.Kubeconfig = l.ServiceAccount(t, "reader", testbed.RoleExample(t, "role-readonly.yaml")).Kubeconfig(t)
	const asked = `
terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}
data "hap_pool_status" "s" {}
data "hap_binding_selection" "s" {
  rule_set       = hap_rule_set.r
  global_account = "ga-2"
  plan           = "aws"
}
output "free" { value = data.hap_pool_status.s.report }
output "next" { value = data.hap_binding_selection.s.reason }
`
	folder := cli.New(t)
	acceptance.WriteFile(t, folder, "main.tf", l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("c", "ga-1")+asked)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	acceptance.Run(t, folder, "apply", "-auto-approve") // the outputs are those after the claim now
	before := l.Versions(t)

	acceptance.WriteFile(t, folder, "main.tf", reader.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("c", "ga-1")+asked)
	acceptance.Run(t, folder, "plan", "-detailed-exitcode")
	acceptance.WriteFile(t, folder, "main.tf", reader.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("c", "ga-1")+acceptance.ClaimOf("d", "ga-2")+asked)
	acceptance.Run(t, folder, "plan")
	for _, command := range []string{"apply", "destroy"} {
		result := folder.Run(t, command, "-auto-approve")
		if result.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryForbidden, "not allowed to patch").MatchString(result.Output) {
			t.Errorf("%s: exit code %d\n%s", command, result.ExitCode, result.Output)
		}
	}
	if after := l.Versions(t); !maps.Equal(before, after) {
		t.Errorf("written: %v, before %v", after, before)
	}
}
