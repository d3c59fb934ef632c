package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// The example of the guide, from an empty namespace and back: one pipeline fills the pool, another one with another service
// account claims, uses and destroys, and the first takes its accounts out again. No key comes into a state or a plan.
func TestAccExamples_poolFilledAndEmptied(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	pipeline := func(name, role, file string) *cli.CLI {
		folder := cli.New(t, "HAP_NAMESPACE="+l.Name)
		user := l.ServiceAccount(t, name, []byte(role))
		config := user.Config()
		for variable, value := range map[string]string{
			"KUBE_HOST": config.Host, "KUBE_TOKEN": user.Token, "KUBE_CLUSTER_CA_CERT_DATA": string(config.CAData), "TF_VAR_keys": suppliedKeys,
			"TF_VAR_namespace": l.Name,
		} {
			folder.Setenv(variable, value)
		}
		installFakes(t, folder)
		acceptance.WriteFile(t, folder, "main.tf", strings.ReplaceAll(withoutGrace(t, exampleFile(t, file)), exampleNamespace, l.Name))
		return folder
	}
	supply := pipeline("supply", string(testbed.RoleExample(t, "role-supply.yaml"))+secretsRole, "guides/filling-the-pool/main.tf")
	tenants := pipeline("tenants", string(testbed.DocumentedRole(t)), "guides/filling-the-pool/claims/main.tf")

	plan := acceptance.Run(t, supply, "plan", "-out=saved")
	acceptance.Run(t, supply, "apply", "saved")
	acceptance.Run(t, supply, "plan", "-detailed-exitcode")
	pool := fmt.Sprint(acceptance.Run(t, supply, "output", "-json", "pool").Stdout)
	for name, class := range map[string]string{
		"aws-account-21": "free", "aws-account-22": "quarantined", "aws-account-31": "free", "aws-shared-41": "shared",
	} {
		if !strings.Contains(strings.ReplaceAll(pool, " ", ""), fmt.Sprintf("%q:%q", name, class)) {
			t.Errorf("%s is not %s: %s", name, class, pool)
		}
	}
	acceptance.Run(t, tenants, "apply", "-auto-approve")
	const claimed = "aws-account-21" // the only one of its pool in circulation
	if tenant := l.Tenant(t, claimed); tenant != "ga-acme" {
		t.Fatalf("%s is held by %q", claimed, tenant)
	}
	if out := acceptance.Run(t, supply, "plan").Output; strings.Contains(out, "\nPlan: ") {
		t.Errorf("that an account is held is drift:\n%s", out)
	}
	refused := func(words ...string) {
		t.Helper()
		result := supply.Run(t, "destroy", "-auto-approve", "-target=hap_account.pool[\""+claimed+"\"]")
		if result.ExitCode == 0 || !acceptance.ErrorLike(words[0], words[1:]...).MatchString(result.Output) {
			t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
		}
	}
	refused(diagnose.SummaryAccountHeld, "bears 1 claim of Global Account ga-acme (blue)")
	l.Shoot(t, "used", claimed)
	if result := tenants.Run(t, "destroy", "-auto-approve"); result.ExitCode == 0 {
		t.Errorf("the claim was destroyed under a cluster:\n%s", result.Output)
	}
	l.DeleteShoot(t, "used")
	acceptance.Run(t, tenants, "destroy", "-auto-approve")
	job := &rivals.CleanupJob{Config: l.Garden().AdminConfig(), Namespace: l.Name}
	if err := job.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	acceptance.Run(t, supply, "destroy", "-auto-approve")
	if left := l.ListAccounts(t); len(left) > 0 {
		t.Errorf("%d accounts are left", len(left))
	}
	for _, file := range []string{"terraform.tfstate", "terraform.tfstate.backup", "saved"} {
		content, err := os.ReadFile(filepath.Join(supply.Folder, file))
		if err == nil && strings.Contains(string(content), "PLANTED") || strings.Contains(plan.Output, "PLANTED") {
			t.Errorf("%s holds a key", file)
		}
	}
}
