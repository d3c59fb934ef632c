package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// stackRules lead to the pools openstack and stackit; the latter's name tells no provider type.
const stackRules = `
resource "hap_rule_set" "r" {
  rules      = ["sap-converged-cloud", "own", "aws", "trial(shared)"]
  plans      = { sap-converged-cloud = ["openstack"], own = ["stackit"], aws = ["aws"], trial = ["aws", "openstack"] }
  pool_check = "off"
}
`

// told counts the warnings with a summary that have these words.
func (e *ear) told(summary, words string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.heard {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning && d.Summary == summary && strings.Contains(d.Detail, words) {
			n++
		}
	}
	return n
}

// A plan warns where a destroy would mark an account dirty that no clean-up job wipes: of the claims that it makes by what is
// known of the pool, and of those that stand by what is known of their accounts.
func TestAccClaimStranded_toldAtPlan(t *testing.T) {
	t.Parallel()
	l := newLandscape(t,
		testbed.AccountSpec{Name: "openstack-1", HyperscalerType: "openstack"},
		testbed.AccountSpec{Name: "stackit-1", HyperscalerType: "stackit", ProviderType: "openstack"},
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "shared-1", HyperscalerType: "openstack", Shared: true},
	)
	keyless := newLandscape(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Credentials: "InternalSecret", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"})
	keyless.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "stackit-1", HyperscalerType: "stackit", ProviderType: "gcp"})
	identity := newLandscape(t)
	identity.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	misnamed := newLandscape(t, testbed.AccountSpec{Name: "openstack-1", HyperscalerType: "openstack", ProviderType: "gcp"})
	nowhere := `provider "hap" {
  namespace  = "garden-nowhere"
  kubernetes = { host = "https://127.0.0.1:1", token = "t", insecure = true }
}`
	for name, test := range map[string]struct{ provider, claim, told string }{
		"by the name of the pool":                       {l.provider(), `plan = "sap-converged-cloud"`, "provider type openstack"},
		"by an account of the pool":                     {l.provider(), `plan = "own"`, "provider type openstack"},
		"by the name, without a look":                   {nowhere, `plan = "sap-converged-cloud"`, "provider type openstack"},
		"by the pinned account":                         {l.provider(), "plan = \"own\"\n binding_name = \"stackit-1\"", "provider type openstack"},
		"not where the name says nothing":               {nowhere, `plan = "own"`, ""},
		"not where the name misleads":                   {misnamed.provider(), `plan = "sap-converged-cloud"`, ""},
		"not where a job wipes it":                      {l.provider(), `plan = "aws"`, ""},
		"not by another on_destroy":                     {l.provider(), "plan = \"own\"\n on_destroy = \"keep\"", ""},
		"not on a shared account":                       {l.provider(), "plan = \"trial\"\n hyperscaler = \"openstack\"", ""},
		"not where the job wipes this type":             {l.provider(`clean_up_types = ["openstack"]`), `plan = "own"`, ""},
		"without a Secret, by the account that is held": {keyless.provider(), `plan = "aws"`, "credentials are of kind InternalSecret"},
		"without a Secret, by the pool":                 {identity.provider(), `plan = "aws"`, "credentials are of kind WorkloadIdentity"},
		"without a Secret, by the pinned account": {keyless.provider(), "plan = \"own\"\n binding_name = \"stackit-1\"",
			"marks the account stackit-1 dirty, and the clean-up job reads Secrets alone"},
		"without a Secret, whatever is wiped":   {identity.provider(`clean_up_types = ["aws"]`), `plan = "aws"`, "kind WorkloadIdentity"},
		"not without a Secret, to be kept":      {identity.provider(), "plan = \"aws\"\n on_destroy = \"keep\"", ""},
		"not with a Secret beside":              {keyless.provider(), "plan = \"aws\"\n binding_name = \"aws-3\"", ""},
		"where no job wipes anything":           {l.provider(`clean_up_types = []`), `plan = "aws"`, "clean_up_types has no type at all"},
		"where the job wipes other types alone": {l.provider(`clean_up_types = ["gcp", "azure"]`), `plan = "aws"`, "has azure, gcp."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ear := newEar(nil)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: ear.factories(),
				Steps: []resource.TestStep{{
					Config:   test.provider + stackRules + claimOf("blue", "ga-1", test.claim),
					PlanOnly: true, ExpectNonEmptyPlan: true,
				}},
			})
			if test.told == "" {
				if n := ear.told(diagnose.SummaryStranded, ""); n != 0 {
					t.Errorf("told %d times", n)
				}
				return
			}
			ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryStranded, "on_destroy", test.told)
		})
	}
}

// Many claims on accounts of one type are told of once in each run, before they are made, while they stand, and when they end.
func TestAccClaimStranded_toldOnce(t *testing.T) {
	t.Parallel()
	const claims = 5
	var accounts []testbed.AccountSpec
	config := ""
	for i := range claims {
		accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("stackit-%d", i), HyperscalerType: "stackit", ProviderType: "openstack"})
		config += claimOf(fmt.Sprintf("c%d", i), fmt.Sprintf("ga-%d", i), `plan = "own"`)
	}
	l := newLandscape(t, accounts...)
	runs := 0
	ear := newEar(nil)
	factories := ear.factories()
	start := factories["hap"]
	factories["hap"] = func() (tfprotov6.ProviderServer, error) { runs++; return start() }
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider() + stackRules + config},
			{Config: l.provider() + stackRules + config, PlanOnly: true},
			{Config: l.provider() + stackRules, PlanOnly: true, ExpectNonEmptyPlan: true},
		},
	})
	if n := ear.told(diagnose.SummaryStranded, "provider type openstack"); n == 0 || n > runs {
		t.Errorf("told %d times in %d runs", n, runs)
	}
}

// A claim that stands on an account without a Secret is warned of by what its state knows: when it is planned, and when it is destroyed.
func TestAccClaimStranded_standing(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	c := l.folder(t)
	l.configure(t, c, rulesAWS+claimOf("blue", "ga-1", `on_destroy = "keep"`))
	run(t, c, "apply", "-auto-approve")
	if out := run(t, c, "plan").Output; strings.Contains(out, diagnose.SummaryStranded) {
		t.Errorf("a claim that keeps its account is warned of:\n%s", out)
	}
	l.configure(t, c, rulesAWS+claimOf("blue", "ga-1"))
	for _, command := range [][]string{{"plan"}, {"apply", "-auto-approve"}, {"plan", "-destroy"}} {
		out := run(t, c, command...).Output
		if !strings.Contains(out, diagnose.SummaryStranded) || !saysInOrder(out, strings.Fields("marks the account aws-1 dirty, and the clean-up job "+
			"reads Secrets alone")) {
			t.Errorf("%v does not warn:\n%s", command, out)
		}
	}
}

func TestAccClaimStranded_invalidSetting(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	for setting, words := range map[string]string{`[""]`: "string length must be at least 1", `[null]`: "null", `"aws"`: "set of string required"} {
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: factories,
			Steps: []resource.TestStep{{Config: l.provider("clean_up_types = "+setting) + rulesAWS + claimOf("blue", "ga-1"),
				ExpectError: regexp.MustCompile(words)}},
		})
	}
}
