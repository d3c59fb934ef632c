package account_test

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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// Bad input is an error at plan, at the attribute that caused it, and nothing is written.
func TestAccAccount_badInput(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1", "aws-2")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"})
	other := acceptance.NewLandscape(t)
	other.Secret(t, "elsewhere", nil)
	before := l.Versions(t)
	long := strings.Repeat("a", 64)
	//nolint:paralleltest // after the last one the accounts are looked at
	for name, c := range map[string]struct {
		attributes []string
		want       *regexp.Regexp
	}{
		"type too long":             {[]string{`hyperscaler_type = "` + long + `"`}, acceptance.ErrorLike(diagnose.SummaryInvalidLabel, "hyperscaler_type", "64 characters")},
		"type no label":             {[]string{`hyperscaler_type = "aws/eu"`}, acceptance.ErrorLike(diagnose.SummaryInvalidLabel, "hyperscaler_type", "aws/eu")},
		"label too long":            {[]string{`labels = { team = "` + long + `" }`}, acceptance.ErrorLike(diagnose.SummaryInvalidLabel, "labels", "64 characters")},
		"label key":                 {[]string{`labels = { "a b" = "x" }`}, acceptance.ErrorLike(diagnose.SummaryBadLabelKey, "labels", "a b")},
		"label of the pool":         {[]string{`labels = { tenantName = "ga-1" }`}, acceptance.ErrorLike(diagnose.SummaryBadLabelKey, "labels", "The label tenantName")},
		"label of Gardener":         {[]string{`labels = { "gardener.cloud/x" = "y" }`}, acceptance.ErrorLike(diagnose.SummaryBadLabelKey, "labels", "Gardener's own")},
		"name":                      {[]string{`name = "AWS_1"`}, acceptance.ErrorLike("Invalid Attribute Value Match", "name")},
		"no credentials":            {[]string{`credentials_ref =`}, acceptance.ErrorLike(diagnose.SummaryCredentialsRef, "needs a reference", "Correct credentials_ref")},
		"no such Secret":            {[]string{`credentials_ref = { name = "lost" }`}, acceptance.ErrorLike(diagnose.SummaryNoCredentials, "credentials_ref", "no Secret lost in namespace", l.Name)},
		"quota without a name":      {[]string{`quotas = [{ namespace = "garden", name = "" }]`}, acceptance.ErrorLike(diagnose.SummaryNoQuotas, "quotas", `name = ""`)},
		"quota without a namespace": {[]string{`quotas = [{ name = "one" }]`}, acceptance.ErrorLike("Incorrect attribute value type", "quotas", "namespace")},
		"quota that is null":        {[]string{`quotas = [null]`}, acceptance.ErrorLike("Null Set Value", "quotas")},
		"no such identity":          {[]string{`credentials_ref = { kind = "WorkloadIdentity", name = "lost" }`}, acceptance.ErrorLike(diagnose.SummaryNoCredentials, "no WorkloadIdentity lost")},
		"an id that is no name":     {[]string{`credentials_ref = { id = "a/.." }`}, acceptance.ErrorLike("Invalid Attribute Value Match", "credentials_ref.id", "a namespace and a name")},
		"other kind":                {[]string{`credentials_ref = { kind = "ConfigMap", name = "aws-1" }`}, acceptance.ErrorLike("Invalid Attribute Value Match", "credentials_ref.kind")},
		"another namespace":         {[]string{fmt.Sprintf(`credentials_ref = { name = "elsewhere", namespace = %q }`, other.Name)}, acceptance.ErrorLike(diagnose.SummaryNoCredentials, "credentials_ref", "must not be read", "Grant get on it in namespace", other.Name)},
		"exists":                    {[]string{`name = "aws-2"`, `credentials_ref = { name = "aws-2" }`, `labels = { team = "a" }`}, acceptance.ErrorLike(diagnose.SummaryAccountExists, "name", "account aws-2 exists already.", "import ID is its name, aws-2")},
		"exists just so":            {[]string{`name = "aws-2"`, `credentials_ref = { name = "aws-2" }`}, acceptance.ErrorLike(diagnose.SummaryAccountExists, "just as it was to be made")},
		"exists and is held":        {[]string{`name = "aws-3"`}, acceptance.ErrorLike(diagnose.SummaryAccountExists, "account aws-3 exists already.")},
		"quarantined shared":        {[]string{`shared = true`, `quarantine = "why"`}, acceptance.ErrorLike(diagnose.SummaryNoQuarantine, "quarantine", "whatever its label dirty says")},
		"quarantined mutely":        {[]string{`quarantine = ""`}, acceptance.ErrorLike("Invalid Attribute Value Length", "quarantine")},
		"timeouts":                  {[]string{`timeouts = { delete = "never" }`}, acceptance.ErrorLike(diagnose.SummaryInvalidTimeout, "timeouts.delete")},
	} {
		t.Run(name, func(t *testing.T) {
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
				{Config: l.Provider() + acceptance.AccountOf(c.attributes...), PlanOnly: true, ExpectError: c.want},
			}})
		})
	}
	if after := l.Versions(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("accounts were %v, and are %v", before, after)
	}
}

// A pool that no rule leads to is a warning; one that a rule leads to is none.
func TestAccAccount_poolWithoutRule(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	for hyperscalerType, warns := range map[string]bool{"aws": false, "gcp_cf-sa30": false, "openstack_eu-de-1": true, "aws_cf-eu11": true} {
		out := planned(t, l, acceptance.RulesAWS+acceptance.AccountOf(`rule_set = hap_rule_set.r`, fmt.Sprintf("hyperscaler_type = %q", hyperscalerType)))
		if got := strings.Contains(out, diagnose.SummaryUnruledPool); got != warns {
			t.Errorf("%s: warned is %t:\n%s", hyperscalerType, got, out)
		}
	}
	out := planned(t, l, acceptance.RulesAWS+acceptance.AccountOf(`rule_set = hap_rule_set.r`, `hyperscaler_type = "openstack_eu-de-1"`, `shared = true`))
	if strings.Contains(out, diagnose.SummaryUnruledPool) {
		t.Errorf("openstack(CR=*,shared) leads there:\n%s", out)
	}
}

// An account of another provider type than the clusters of its pool is warned of, whether it is there already or not.
func TestAccAccount_providerTypeOfAnotherPool(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	for pair, warns := range map[[2]string]bool{
		{"aws", "aws_cf-eu11"}: false, {"aws", "gcp_cf-sa30"}: true, {"openstack", "openstack_eu-de-1"}: false, {"gcp", "gdch"}: true,
		{"openstack", "stackit"}: false,
	} {
		out := planned(t, l, acceptance.AccountOf(fmt.Sprintf("provider_type = %q", pair[0]), fmt.Sprintf("hyperscaler_type = %q", pair[1])))
		if got := strings.Contains(out, diagnose.SummaryMisplaced); got != warns {
			t.Errorf("%v: warned is %t:\n%s", pair, got, out)
		}
	}
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(`hyperscaler_type = "gcp_cf-sa30"`))
	acceptance.Run(t, folder, "apply", "-auto-approve")
	out := acceptance.Run(t, folder, "plan").Output
	if !strings.Contains(out, "No changes") || !acceptance.SaysInOrder(out, strings.Fields("Account aws-1 is of provider type aws, and the clusters of pool "+
		"gcp_cf-sa30 are of provider type gcp")) {
		t.Errorf("the account that is there is not warned of:\n%s", out)
	}
}

// planned plans a configuration and returns what the program says.
func planned(t *testing.T, l acceptance.Landscape, content string) string {
	t.Helper()
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+content)
	return acceptance.Run(t, folder, "plan").Output
}

// What is unknown at plan costs no call and is said; the apply then knows it.
func TestAccAccount_unknownAtPlan(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	given := `
variable "given" { type = string }
resource "terraform_data" "later" { input = var.given }
`
	conf := l.Provider() + given + acceptance.AccountOf(`credentials_ref = { name = terraform_data.later.output }`)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{
			Config: conf, ConfigVariables: config.Variables{"given": config.StringVariable("aws-1")},
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.namespace", l.Name),
		},
	}})
}

// What an account that is held, used, being released or being deleted says to a change: an error at plan, no replacement, and
// nothing is written.
func TestAccAccount_changesThatAreRefused(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1", "other")
	held, releasing, dirty := map[string]string{"tenantName": "ga-1"}, map[string]string{"tenantName": "ga-1", "dirty": "releasing"},
		map[string]string{"dirty": "true"}
	refused := func(before func(), want *regexp.Regexp, attributes ...string) resource.TestStep {
		return resource.TestStep{PreConfig: before, Config: l.Provider() + acceptance.AccountOf(attributes...), PlanOnly: true, ExpectError: want}
	}
	isHeld := func(at string) *regexp.Regexp {
		return acceptance.ErrorLike(diagnose.SummaryAccountHeld, at, "account aws-1 is held by Global Account ga-1")
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + acceptance.AccountOf()},
		refused(l.Put(t, held), isHeld("shared"), `shared = true`),
		refused(nil, isHeld("eu_access"), `eu_access = true`),
		refused(nil, isHeld("internal"), `internal = true`),
		refused(nil, isHeld("labels"), `labels = { team = "a" }`),
		refused(nil, isHeld("hyperscaler_type"), `hyperscaler_type = "gcp"`),
		refused(nil, isHeld("provider_type"), `provider_type = "gcp"`),
		refused(nil, isHeld("credentials_ref"), `credentials_ref = { name = "other" }`),
		refused(nil, isHeld("name"), `name = "aws-9"`),
		{Config: l.Provider() + acceptance.AccountOf(), PlanOnly: true}, // that it is held is no drift
		refused(l.Put(t, releasing), acceptance.ErrorLike(diagnose.SummaryAccountReleasing, "quarantine"), `quarantine = "why"`),
		refused(l.Put(t, dirty), acceptance.ErrorLike(diagnose.SummaryAccountDirty, "quarantine", "marked dirty"), `quarantine = "why"`),
		refused(nil, acceptance.ErrorLike(diagnose.SummaryAccountDirty, "shared", "marked dirty"), `shared = true`),
		refused(func() { l.Put(t, nil)(); l.Shoot(t, "alive", "aws-1") }, acceptance.ErrorLike(diagnose.SummaryInUse, "shared", "Shoot alive"), `shared = true`),
		refused(nil, acceptance.ErrorLike(diagnose.SummaryInUse, "hyperscaler_type", "Shoot alive"), `hyperscaler_type = "gcp"`),
		{Config: l.Provider() + acceptance.AccountOf(`labels = { team = "a" }`)}, // no tenant holds it, and it stays in its pool
		{PreConfig: func() { l.DeleteShoot(t, "alive") }, Config: l.Provider() + acceptance.AccountOf()},
	}})
}

// A claim that comes between the plan and the apply is not overrun: the apply is refused like the plan would be.
func TestAccAccount_claimComesBeforeTheApply(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	write := func(attributes ...string) {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
	}
	write()
	acceptance.Run(t, folder, "apply", "-auto-approve")
	write(`shared = true`)
	acceptance.Run(t, folder, "plan", "-out=saved")
	tenant := "ga-1"
	l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": &tenant})
	result := folder.Run(t, "apply", "saved")
	if want := acceptance.ErrorLike(diagnose.SummaryAccountHeld, "account aws-1 is held by Global Account ga-1"); result.ExitCode == 0 ||
		!want.MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	if err := wantLabels(t, l, map[string]string{"hyperscalerType": "aws", "tenantName": "ga-1"}); err != nil {
		t.Error(err)
	}
}

// Under other label keys every account looks free: the provider refuses to go on with accounts that were put into the pool under others.
func TestAccAccount_otherLabelKeys(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	kebab := l.Provider(`pool = { label_scheme = "kebab" }`) + acceptance.AccountOf()
	refused := acceptance.ErrorLike(diagnose.SummarySettingsChanged, "pool.label_keys", "tenantName", "tenant-name")
	before := l.Versions(t)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + acceptance.AccountOf()},
		{PreConfig: func() {
			l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": new("ga-1")})
			before = l.Versions(t)
		}, Config: kebab, ExpectError: refused},
		{Config: kebab, Destroy: true, ExpectError: refused},
		{PreConfig: func() {
			if after := l.Versions(t); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("accounts were %v, and are %v", before, after)
			}
			l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": nil})
		}, Config: l.Provider() + acceptance.AccountOf()},
	}})
}

// The account of a Global Account that looks free by a mistyped key does not leave the pool: neither by a destroy, nor made anew.
func TestAccAccount_removalByAMistypedKey(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-2"})
	provider := l.Provider(`pool = { label_keys = { tenant_name = "tenantname" } }`)
	imports := "import {\n to = hap_account.one\n id = \"aws-1\"\n}\n"
	before := l.Versions(t)
	refused := acceptance.ErrorLike(diagnose.SummaryAccountUnclear, "aws-1", "(tenantName=ga-2)", "Nothing was written", "label_keys")
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: provider + imports + acceptance.AccountOf()},
		{Config: provider + acceptance.AccountOf(), Destroy: true, ExpectError: refused},
		{Config: provider + acceptance.AccountOf(`provider_type = "gcp"`), ExpectError: refused},
		{Config: provider + acceptance.AccountOf(`internal = true`), ExpectError: refused},
		{PreConfig: func() {
			if after := l.Versions(t); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("accounts were %v, and are %v", before, after)
			}
			l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": nil})
		}, Config: provider + acceptance.AccountOf()},
	}})
}

// The label of the Global Account is never written by a configuration, nor taken away by one, under the key of the other scheme neither.
func TestAccAccount_tenantOfTheOtherSchemeIsNoLabel(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws",
		Labels: map[string]string{"hyperscaler-type": "aws", "tenant-name": "ga-2"}})
	imports := "import {\n to = hap_account.one\n id = \"aws-1\"\n}\n"
	before := l.Versions(t)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{
			Config: l.Provider() + imports + acceptance.AccountOf(`labels = { "hyperscaler-type" = "aws", "tenant-name" = "ga-1" }`),
			ExpectError: acceptance.ErrorLike(diagnose.SummaryBadLabelKey, "The label tenant-name looks like", "never writes these",
				"label_scheme"),
		},
		{Config: l.Provider() + imports + acceptance.AccountOf(`labels = { "hyperscaler-type" = "aws" }`)},
		{PreConfig: func() {
			if after := l.Versions(t); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("accounts were %v, and are %v", before, after)
			}
			l.PatchLabels(t, "aws-1", map[string]*string{"tenant-name": nil})
		}, Config: l.Provider() + acceptance.AccountOf(`labels = { "hyperscaler-type" = "aws" }`)},
	}})
}

// A label that the account's owner may write, and that leaves in doubt whose the account is, is warned of: no claim takes it.
func TestAccAccount_labelsInDoubt(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	for labels, warned := range map[string]bool{
		`{ SHARED = "true" }`: true, `{ Internal = "true" }`: true, `{ SHARED = "false" }`: false, `{ "hyperscaler-type" = "x" }`: false,
	} {
		out := planned(t, l, acceptance.AccountOf("labels = "+labels))
		if warns := acceptance.SaysInOrder(out, strings.Fields("leaves in doubt whose the account is")); warns != warned || !strings.Contains(out, "1 to add") {
			t.Errorf("%s: it is warned of: %v\n%s", labels, warns, out)
		}
	}
}

// A Secret with the labels of an account that a Global Account holds, or that is dirty, gets no binding without them: it would be free.
func TestAccAccount_bindingOfALabelledSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		secret testbed.AccountSpec
		words  []string
	}{
		"held":                      {testbed.AccountSpec{Tenant: "ga-2"}, []string{"held by Global Account ga-2"}},
		"dirty":                     {testbed.AccountSpec{Tenant: "ga-2", Dirty: true}, []string{"held by Global Account ga-2, dirty=true"}},
		"held, in the older scheme": {testbed.AccountSpec{Tenant: "ga-2", Keys: acceptance.Labellings["kebab"].Keys}, []string{"tenant-name=ga-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewSupply(t)
			c.secret.Name, c.secret.Kind, c.secret.HyperscalerType = "aws-1", testbed.Secret, "aws"
			l.Accounts(t, c.secret)
			refused := acceptance.ErrorLike(diagnose.SummaryLabelled, append([]string{"credentials_ref", "Secret aws-1 in namespace"}, c.words...)...)
			// The second Secret is known by its name only after apply: no plan sees its labels.
			late := "resource \"terraform_data\" \"name\" {\n  input = \"aws-1\"\n}\n" +
				acceptance.AccountOf(`credentials_ref = { name = terraform_data.name.output }`)
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
				{Config: l.Provider() + acceptance.AccountOf(), PlanOnly: true, ExpectError: refused},
				{Config: l.Provider() + late, ExpectError: refused},
			}})
			if l.There(t) {
				t.Error("the account was made")
			}
		})
	}
}
