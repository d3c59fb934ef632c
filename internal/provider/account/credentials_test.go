package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// sameCredentials are aws-1 and aws-2 with the same credentials, as they are written.
func sameCredentials(credentials string) string {
	second := strings.NewReplacer(`"one"`, `"two"`, `name = "aws-1"`+"\n", `name = "aws-2"`+"\n")
	first := acceptance.AccountOf("credentials_ref = " + credentials)
	return first + second.Replace(first)
}

// Two accounts with the same credentials are one cloud account: at plan and at apply the second is an error, and nothing is written.
func TestAccAccount_credentialsOfAnother(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	l.Accounts(t, testbed.AccountSpec{Name: "other", Secret: "aws-1", HyperscalerType: "gcp", Shared: true})
	used := acceptance.ErrorLike(diagnose.SummarySameCredentials, "credentials_ref", "are used already by other", "its import ID is its name, other")
	twice := acceptance.ErrorLike(diagnose.SummarySameCredentials, "credentials_ref", "are declared for account", "one of the two blocks")
	given := "variable \"given\" { type = string }\nresource \"terraform_data\" \"later\" { input = var.given }\n"
	unknown := given + sameCredentials(`{ name = terraform_data.later.output }`)
	before := fmt.Sprint(l.Versions(t))
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + acceptance.AccountOf(), PlanOnly: true, ExpectError: used},
		{PreConfig: func() {
			if after := fmt.Sprint(l.Versions(t)); after != before {
				t.Errorf("accounts were %s, and are %s", before, after)
			}
			l.DeleteAccount(t, "other")
		}, Config: l.Provider() + sameCredentials(`{ name = "aws-1" }`), PlanOnly: true, ExpectError: twice},
		{Config: l.Provider() + unknown, ConfigVariables: config.Variables{"given": config.StringVariable("aws-1")}, ExpectError: twice},
		{PreConfig: func() {
			if n := len(l.ListAccounts(t)); n != 1 {
				t.Errorf("%d accounts were made, want one", n)
			}
		}, Config: l.Provider()},
	}})
}

// What comes between the plan and the apply is found just before the account is made, and accounts that share credentials are
// reported.
func TestAccAccount_credentialsComeIntoUse(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "plan", "-out=saved")
	l.Accounts(t, testbed.AccountSpec{Name: "other", Secret: "aws-1", HyperscalerType: "aws"})
	result := folder.Run(t, "apply", "saved")
	if result.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummarySameCredentials, "are used already by other").MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	if l.There(t) {
		t.Error("the account was made")
	}
	l.Accounts(t, testbed.AccountSpec{Name: "third", Secret: "aws-1", HyperscalerType: "aws"})
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.StatusBlock("")+
		"output \"problems\" { value = "+acceptance.StatusNow+".prometheus }\n")
	out := acceptance.Run(t, folder, "apply", "-auto-approve").Output
	for _, want := range []string{"One cloud account twice", "are also those of third", "are also those of other", `hap_problems{kind="same_credentials",namespace="` + l.Name + `"} 2`} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
}

// Credentials that are gone when the apply comes are reported as gone, although Gardener reports a missing right.
func TestAccAccount_credentialsAreGone(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	ns := testbed.SharedStrict(t).NewNamespace(t)
	ns.Secret(t, "aws-1", nil)
	user := ns.ServiceAccount(t, "supply", testbed.RoleExample(t, "role-supply.yaml"))
	l := acceptance.Landscape{Namespace: ns, User: user, Kubeconfig: user.Kubeconfig(t)}
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "plan", "-out=saved")
	ns.DeleteSecret(t, "aws-1")
	result := folder.Run(t, "apply", "saved")
	if want := acceptance.ErrorLike(diagnose.SummaryNoCredentials, "credentials_ref", "there is no Secret aws-1"); result.ExitCode == 0 ||
		!want.MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
}
