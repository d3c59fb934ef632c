package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// What OpenTofu alone has in a lifecycle block does to an account what the guide "Claims" says: a claim that is not enabled is released, and
// one that is not to be destroyed leaves its state, and its next apply takes it up. A replacement leaves it behind, or is refused.
func TestAccClaim_lifecycleOfOpenTofu(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"})
	c := l.Folder(t)
	if !acceptance.AtLeast(t, c, 12, acceptance.Never) {
		t.Skip("enabled needs OpenTofu 1.11, destroy = false needs OpenTofu 1.12")
	}
	l.Configure(t, c, acceptance.RulesAWS+`
variable "enabled" { default = true }
variable "account" { default = "aws-2" }
variable "name" { default = "one" }
`+acceptance.ClaimOf("switched", "ga-1", `binding_name = "aws-1"`, "lifecycle {\n enabled = var.enabled\n}")+`
resource "hap_credentials_binding_claim" "left" {
  rule_set       = hap_rule_set.r
  plan           = "aws"
  global_account = "ga-1"
  name           = var.name
  binding_name   = var.account
  lifecycle { destroy = false }
}
`)
	apply := func(command, arguments string) string {
		t.Helper()
		return c.Run(t, append([]string{command, "-auto-approve"}, strings.Fields(arguments)...)...).Output
	}
	for _, step := range []struct {
		command, arguments string
		says               string
		accounts           [3]string // tenant, label dirty, and number of records of each
	}{
		{"apply", "", "3 added", [3]string{"ga-1  1", "ga-1  1", "  0"}},
		{"apply", "-var enabled=false", "1 destroyed", [3]string{"ga-1 true 0", "ga-1  1", "  0"}},
		{"apply", "-var enabled=false -var account=aws-3", diagnose.SummaryPin, [3]string{"ga-1 true 0", "ga-1  1", "  0"}},
		{"apply", "-var enabled=false", diagnose.SummaryClaimAdopted, [3]string{"ga-1 true 0", "ga-1  1", "  0"}},
		{"destroy", "-var enabled=false", "1 to forget", [3]string{"ga-1 true 0", "ga-1  1", "  0"}},
		{"apply", "-var enabled=false", diagnose.SummaryClaimAdopted, [3]string{"ga-1 true 0", "ga-1  1", "  0"}},
		{"apply", "-var enabled=false -var name=two", "1 to forget", [3]string{"ga-1 true 0", "ga-1  2", "  0"}},
	} {
		output := apply(step.command, step.arguments)
		if !strings.Contains(output, step.says) {
			t.Errorf("%s %s does not say %q:\n%s", step.command, step.arguments, step.says, output)
		}
		for i, want := range step.accounts {
			name := fmt.Sprintf("aws-%d", i+1)
			labels := l.GetAccount(t, name).Labels
			if got := fmt.Sprintf("%s %s %d", labels["tenantName"], labels["dirty"], l.Records(t, name)); got != want {
				t.Errorf("after %s %s: %s has tenant, dirty and records %q, want %q", step.command, step.arguments, name, got, want)
			}
		}
	}
}

var noActions = regexp.MustCompile(`Blocks of type "action" are not expected here`)

// ADR 021 decides against actions, also because OpenTofu loads no configuration that has one.
func TestAccCLI_actions(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	c := acceptance.Landscape{}.Folder(t)
	if acceptance.AtLeast(t, c, acceptance.Never, 14) {
		t.Skip("Terraform 1.14 has actions")
	}
	acceptance.WriteFile(t, c, "main.tf", "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"+
		"action \"hap_shoot_operation\" \"x\" {}\n")
	if r := c.Run(t, "validate", "-no-color"); r.ExitCode == 0 || !noActions.MatchString(r.Output) {
		t.Errorf("an action block is not refused any more: judge the operations of ADR 021 again (exit code %d)\n%s", r.ExitCode, r.Output)
	}
}
