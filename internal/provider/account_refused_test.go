package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// Bad input is an error at plan, at the attribute that caused it, and nothing is written.
func TestAccAccount_badInput(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1", "aws-2")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"})
	other := newLandscape(t)
	other.Secret(t, "elsewhere", nil)
	before := l.versions(t)
	long := strings.Repeat("a", 64)
	//nolint:paralleltest // behind the last one the accounts are looked at
	for name, c := range map[string]struct {
		attributes []string
		want       *regexp.Regexp
	}{
		"type too long":             {[]string{`hyperscaler_type = "` + long + `"`}, errorLike(diagnose.SummaryInvalidLabel, "hyperscaler_type", "64 characters")},
		"type no label":             {[]string{`hyperscaler_type = "aws/eu"`}, errorLike(diagnose.SummaryInvalidLabel, "hyperscaler_type", "aws/eu")},
		"label too long":            {[]string{`labels = { team = "` + long + `" }`}, errorLike(diagnose.SummaryInvalidLabel, "labels", "64 characters")},
		"label key":                 {[]string{`labels = { "a b" = "x" }`}, errorLike(diagnose.SummaryBadLabelKey, "labels", "a b")},
		"label of the pool":         {[]string{`labels = { tenantName = "ga-1" }`}, errorLike(diagnose.SummaryBadLabelKey, "labels", "The label tenantName")},
		"label of Gardener":         {[]string{`labels = { "gardener.cloud/x" = "y" }`}, errorLike(diagnose.SummaryBadLabelKey, "labels", "Gardener's own")},
		"name":                      {[]string{`name = "AWS_1"`}, errorLike("Invalid Attribute Value Match", "name")},
		"no credentials":            {[]string{`credentials_ref =`}, errorLike(diagnose.SummaryCredentialsRef, "needs a reference", "Correct credentials_ref")},
		"no such Secret":            {[]string{`credentials_ref = { name = "lost" }`}, errorLike(diagnose.SummaryNoCredentials, "credentials_ref", "no Secret lost in namespace", l.Name)},
		"quota without a name":      {[]string{`quotas = [{ namespace = "garden", name = "" }]`}, errorLike(diagnose.SummaryNoQuotas, "quotas", `name = ""`)},
		"quota without a namespace": {[]string{`quotas = [{ name = "one" }]`}, errorLike("Incorrect attribute value type", "quotas", "namespace")},
		"quota that is null":        {[]string{`quotas = [null]`}, errorLike("Null Set Value", "quotas")},
		"no such identity":          {[]string{`credentials_ref = { kind = "WorkloadIdentity", name = "lost" }`}, errorLike(diagnose.SummaryNoCredentials, "no WorkloadIdentity lost")},
		"other kind":                {[]string{`credentials_ref = { kind = "ConfigMap", name = "aws-1" }`}, errorLike("Invalid Attribute Value Match", "credentials_ref.kind")},
		"another namespace":         {[]string{fmt.Sprintf(`credentials_ref = { name = "elsewhere", namespace = %q }`, other.Name)}, errorLike(diagnose.SummaryNoCredentials, "credentials_ref", "must not be read", "Grant get on it in namespace", other.Name)},
		"exists":                    {[]string{`name = "aws-2"`, `credentials_ref = { name = "aws-2" }`, `labels = { team = "a" }`}, errorLike(diagnose.SummaryAccountExists, "name", "account aws-2 exists already.", "import ID is its name, aws-2")},
		"exists just so":            {[]string{`name = "aws-2"`, `credentials_ref = { name = "aws-2" }`}, errorLike(diagnose.SummaryAccountExists, "just as it was to be made")},
		"exists and is held":        {[]string{`name = "aws-3"`}, errorLike(diagnose.SummaryAccountExists, "account aws-3 exists already.")},
		"quarantined shared":        {[]string{`shared = true`, `quarantine = "why"`}, errorLike(diagnose.SummaryNoQuarantine, "quarantine", "whatever its label dirty says")},
		"quarantined mutely":        {[]string{`quarantine = ""`}, errorLike("Invalid Attribute Value Length", "quarantine")},
		"timeouts":                  {[]string{`timeouts = { delete = "never" }`}, errorLike(diagnose.SummaryInvalidTimeout, "timeouts.delete")},
	} {
		t.Run(name, func(t *testing.T) {
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
				{Config: l.provider() + accountOf(c.attributes...), PlanOnly: true, ExpectError: c.want},
			}})
		})
	}
	if after := l.versions(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("accounts were %v, and are %v", before, after)
	}
}

// A pool that no rule leads to is a warning; one that a rule leads to is none.
func TestAccAccount_poolWithoutRule(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	for hyperscalerType, warns := range map[string]bool{"aws": false, "gcp_cf-sa30": false, "openstack_eu-de-1": true, "aws_cf-eu11": true} {
		out := planned(t, l, rulesAWS+accountOf(`rule_set = hap_rule_set.r`, fmt.Sprintf("hyperscaler_type = %q", hyperscalerType)))
		if got := strings.Contains(out, diagnose.SummaryUnruledPool); got != warns {
			t.Errorf("%s: warned is %t:\n%s", hyperscalerType, got, out)
		}
	}
	out := planned(t, l, rulesAWS+accountOf(`rule_set = hap_rule_set.r`, `hyperscaler_type = "openstack_eu-de-1"`, `shared = true`))
	if strings.Contains(out, diagnose.SummaryUnruledPool) {
		t.Errorf("openstack(CR=*,shared) leads there:\n%s", out)
	}
}

// An account of another provider type than the clusters of its pool is warned of, whether it is there already or not.
func TestAccAccount_providerTypeOfAnotherPool(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	for pair, warns := range map[[2]string]bool{
		{"aws", "aws_cf-eu11"}: false, {"aws", "gcp_cf-sa30"}: true, {"openstack", "openstack_eu-de-1"}: false, {"gcp", "gdch"}: true,
		{"openstack", "stackit"}: false,
	} {
		out := planned(t, l, accountOf(fmt.Sprintf("provider_type = %q", pair[0]), fmt.Sprintf("hyperscaler_type = %q", pair[1])))
		if got := strings.Contains(out, diagnose.SummaryMisplaced); got != warns {
			t.Errorf("%v: warned is %t:\n%s", pair, got, out)
		}
	}
	folder := newFolder(t, l)
	writeExample(t, folder, "main.tf", requiring+l.provider()+accountOf(`hyperscaler_type = "gcp_cf-sa30"`))
	run(t, folder, "apply", "-auto-approve")
	out := run(t, folder, "plan").Output
	if !strings.Contains(out, "No changes") || !saysInOrder(out, strings.Fields("Account aws-1 is of provider type aws, and the clusters of pool "+
		"gcp_cf-sa30 are of provider type gcp")) {
		t.Errorf("the account that is there is not warned of:\n%s", out)
	}
}

// planned plans a configuration and returns what the program says.
func planned(t *testing.T, l landscape, content string) string {
	t.Helper()
	folder := newFolder(t, l)
	writeExample(t, folder, "main.tf", requiring+l.provider()+content)
	return run(t, folder, "plan").Output
}

// What is unknown at plan costs no call and is said; the apply then knows it.
func TestAccAccount_unknownAtPlan(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	given := `
variable "given" { type = string }
resource "terraform_data" "later" { input = var.given }
`
	conf := l.provider() + given + accountOf(`credentials_ref = { name = terraform_data.later.output }`)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{
			Config: conf, ConfigVariables: config.Variables{"given": config.StringVariable("aws-1")},
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            resource.TestCheckResourceAttr(accountOne, "credentials_ref.namespace", l.Name),
		},
	}})
}

// What an account that is held, used, being released or being deleted says to a change: an error at plan, no replacement, and
// nothing is written.
func TestAccAccount_changesThatAreRefused(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1", "other")
	held, releasing, dirty := map[string]string{"tenantName": "ga-1"}, map[string]string{"tenantName": "ga-1", "dirty": "releasing"},
		map[string]string{"dirty": "true"}
	refused := func(before func(), want *regexp.Regexp, attributes ...string) resource.TestStep {
		return resource.TestStep{PreConfig: before, Config: l.provider() + accountOf(attributes...), PlanOnly: true, ExpectError: want}
	}
	isHeld := func(at string) *regexp.Regexp {
		return errorLike(diagnose.SummaryAccountHeld, at, "account aws-1 is held by Global Account ga-1")
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: l.provider() + accountOf()},
		refused(l.put(t, held), isHeld("shared"), `shared = true`),
		refused(nil, isHeld("eu_access"), `eu_access = true`),
		refused(nil, isHeld("internal"), `internal = true`),
		refused(nil, isHeld("labels"), `labels = { team = "a" }`),
		refused(nil, isHeld("hyperscaler_type"), `hyperscaler_type = "gcp"`),
		refused(nil, isHeld("provider_type"), `provider_type = "gcp"`),
		refused(nil, isHeld("credentials_ref"), `credentials_ref = { name = "other" }`),
		refused(nil, isHeld("name"), `name = "aws-9"`),
		{Config: l.provider() + accountOf(), PlanOnly: true}, // that it is held is no drift
		refused(l.put(t, releasing), errorLike(diagnose.SummaryAccountReleasing, "quarantine"), `quarantine = "why"`),
		refused(l.put(t, dirty), errorLike(diagnose.SummaryAccountDirty, "quarantine", "marked dirty"), `quarantine = "why"`),
		refused(nil, errorLike(diagnose.SummaryAccountDirty, "shared", "marked dirty"), `shared = true`),
		refused(func() { l.put(t, nil)(); l.Shoot(t, "alive", "aws-1") }, errorLike(diagnose.SummaryInUse, "shared", "Shoot alive"), `shared = true`),
		refused(nil, errorLike(diagnose.SummaryInUse, "hyperscaler_type", "Shoot alive"), `hyperscaler_type = "gcp"`),
		{Config: l.provider() + accountOf(`labels = { team = "a" }`)}, // no tenant holds it, and it stays in its pool
		{PreConfig: func() { l.DeleteShoot(t, "alive") }, Config: l.provider() + accountOf()},
	}})
}

// A claim that comes between the plan and the apply is not overrun: the apply is refused like the plan would be.
func TestAccAccount_claimComesBeforeTheApply(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	folder := newFolder(t, l)
	write := func(attributes ...string) {
		writeExample(t, folder, "main.tf", requiring+l.provider()+accountOf(attributes...))
	}
	write()
	run(t, folder, "apply", "-auto-approve")
	write(`shared = true`)
	run(t, folder, "plan", "-out=saved")
	tenant := "ga-1"
	l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": &tenant})
	result := folder.Run(t, "apply", "saved")
	if want := errorLike(diagnose.SummaryAccountHeld, "account aws-1 is held by Global Account ga-1"); result.ExitCode == 0 ||
		!want.MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	if err := l.wantLabels(t, map[string]string{"hyperscalerType": "aws", "tenantName": "ga-1"}); err != nil {
		t.Error(err)
	}
}

// Under other label keys every account looks free: the provider refuses to go on with accounts that were put into the pool under others.
func TestAccAccount_otherLabelKeys(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	kebab := l.provider(`pool = { label_scheme = "kebab" }`) + accountOf()
	refused := errorLike(diagnose.SummaryAccountElsewhere, "pool.label_keys", "tenantName", "tenant-name")
	before := l.versions(t)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: l.provider() + accountOf()},
		{PreConfig: func() {
			l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": new("ga-1")})
			before = l.versions(t)
		}, Config: kebab, ExpectError: refused},
		{Config: kebab, Destroy: true, ExpectError: refused},
		{PreConfig: func() {
			if after := l.versions(t); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("accounts were %v, and are %v", before, after)
			}
			l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": nil})
		}, Config: l.provider() + accountOf()},
	}})
}
