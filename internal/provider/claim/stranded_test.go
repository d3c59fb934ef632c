package claim_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// stackRules lead to the pools openstack and stackit; the latter's name has no provider type.
const stackRules = `
resource "hap_rule_set" "r" {
  rules      = ["sap-converged-cloud", "own", "aws", "trial(shared)"]
  plans      = { sap-converged-cloud = ["openstack"], own = ["stackit"], aws = ["aws"], trial = ["aws", "openstack"] }
  pool_check = "off"
}
`

// A plan warns where a destroy would mark an account dirty that no clean-up job wipes: of the claims that it makes by what is
// known of the pool, and of those that exist by what is known of their accounts.
func TestAccClaimStranded_toldAtPlan(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "openstack-1", HyperscalerType: "openstack"},
		testbed.AccountSpec{Name: "stackit-1", HyperscalerType: "stackit", ProviderType: "openstack"},
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "shared-1", HyperscalerType: "openstack", Shared: true},
	)
	keyless := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Credentials: "InternalSecret", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"})
	keyless.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "stackit-1", HyperscalerType: "stackit", ProviderType: "gcp"})
	identity := acceptance.NewLandscape(t)
	identity.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	misnamed := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "openstack-1", HyperscalerType: "openstack", ProviderType: "gcp"})
	nowhere := `provider "hap" {
  namespace  = "garden-nowhere"
  kubernetes = { host = "https://127.0.0.1:1", token = "t", insecure = true }
}`
	for name, test := range map[string]struct{ provider, claim, told string }{
		"by the name of the pool":                       {l.Provider(), `plan = "sap-converged-cloud"`, "provider type openstack"},
		"by an account of the pool":                     {l.Provider(), `plan = "own"`, "provider type openstack"},
		"by the name, without a read":                   {nowhere, `plan = "sap-converged-cloud"`, "provider type openstack"},
		"by the pinned account":                         {l.Provider(), "plan = \"own\"\n binding_name = \"stackit-1\"", "provider type openstack"},
		"not where the name says nothing":               {nowhere, `plan = "own"`, ""},
		"not where the name misleads":                   {misnamed.Provider(), `plan = "sap-converged-cloud"`, ""},
		"not where a job wipes it":                      {l.Provider(), `plan = "aws"`, ""},
		"not by another on_destroy":                     {l.Provider(), "plan = \"own\"\n on_destroy = \"keep\"", ""},
		"not on a shared account":                       {l.Provider(), "plan = \"trial\"\n hyperscaler = \"openstack\"", ""},
		"not where the job wipes this type":             {l.Provider(`clean_up_types = ["openstack"]`), `plan = "own"`, ""},
		"without a Secret, by the account that is held": {keyless.Provider(), `plan = "aws"`, "credentials are of kind InternalSecret"},
		"without a Secret, by the pool":                 {identity.Provider(), `plan = "aws"`, "credentials are of kind WorkloadIdentity"},
		"without a Secret, by the pinned account": {keyless.Provider(), "plan = \"own\"\n binding_name = \"stackit-1\"",
			"marks the account stackit-1 dirty, and the clean-up job reads Secrets alone"},
		"without a Secret, whatever is wiped":   {identity.Provider(`clean_up_types = ["aws"]`), `plan = "aws"`, "kind WorkloadIdentity"},
		"not without a Secret, to be kept":      {identity.Provider(), "plan = \"aws\"\n on_destroy = \"keep\"", ""},
		"not with a Secret beside":              {keyless.Provider(), "plan = \"aws\"\n binding_name = \"aws-3\"", ""},
		"where no job wipes anything":           {l.Provider(`clean_up_types = []`), `plan = "aws"`, "clean_up_types has no type at all"},
		"where the job wipes other types alone": {l.Provider(`clean_up_types = ["gcp", "azure"]`), `plan = "aws"`, "has azure, gcp."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ear := acceptance.NewEar(nil)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: ear.Factories(),
				Steps: []resource.TestStep{{
					Config:   test.provider + stackRules + acceptance.ClaimOf("blue", "ga-1", test.claim),
					PlanOnly: true, ExpectNonEmptyPlan: true,
				}},
			})
			if test.told == "" {
				if n := ear.Warnings(diagnose.SummaryStranded, ""); n != 0 {
					t.Errorf("reported %d times", n)
				}
				return
			}
			ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryStranded, "on_destroy", test.told)
		})
	}
}

// Many claims on accounts of one type make one warning in each run, before they are made, while they exist, and when they end.
func TestAccClaimStranded_toldOnce(t *testing.T) {
	t.Parallel()
	const claims = 5
	var accounts []testbed.AccountSpec
	config := ""
	for i := range claims {
		accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("stackit-%d", i), HyperscalerType: "stackit", ProviderType: "openstack"})
		config += acceptance.ClaimOf(fmt.Sprintf("c%d", i), fmt.Sprintf("ga-%d", i), `plan = "own"`)
	}
	l := acceptance.NewLandscape(t, accounts...)
	runs := 0
	ear := acceptance.NewEar(nil)
	factories := ear.Factories()
	start := factories["hap"]
	factories["hap"] = func() (tfprotov6.ProviderServer, error) { runs++; return start() }
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + stackRules + config},
			{Config: l.Provider() + stackRules + config, PlanOnly: true},
			{Config: l.Provider() + stackRules, PlanOnly: true, ExpectNonEmptyPlan: true},
		},
	})
	if n := ear.Warnings(diagnose.SummaryStranded, "provider type openstack"); n == 0 || n > runs {
		t.Errorf("reported %d times in %d runs", n, runs)
	}
}

// A claim on an account without a Secret is warned of by what its state knows: when it is planned, and when it is destroyed.
func TestAccClaimStranded_standing(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	c := l.Folder(t)
	l.Configure(t, c, acceptance.RulesAWS+acceptance.ClaimOf("blue", "ga-1", `on_destroy = "keep"`))
	acceptance.Run(t, c, "apply", "-auto-approve")
	if out := acceptance.Run(t, c, "plan").Output; strings.Contains(out, diagnose.SummaryStranded) {
		t.Errorf("a claim that keeps its account is warned of:\n%s", out)
	}
	l.Configure(t, c, acceptance.RulesAWS+acceptance.ClaimOf("blue", "ga-1"))
	for _, command := range [][]string{{"plan"}, {"apply", "-auto-approve"}, {"plan", "-destroy"}} {
		out := acceptance.Run(t, c, command...).Output
		if !strings.Contains(out, diagnose.SummaryStranded) || !acceptance.SaysInOrder(out, strings.Fields("marks the account aws-1 dirty, and the clean-up job "+
			"reads Secrets alone")) {
			t.Errorf("%v does not warn:\n%s", command, out)
		}
	}
}

func TestAccClaimStranded_invalidSetting(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	for setting, words := range map[string]string{`[""]`: "string length must be at least 1", `[null]`: "null", `"aws"`: "set of string required"} {
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acceptance.Factories,
			Steps: []resource.TestStep{{Config: l.Provider("clean_up_types = "+setting) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
				ExpectError: regexp.MustCompile(words)}},
		})
	}
}
