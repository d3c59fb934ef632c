package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

func poolStatusWith(attributes ...string) string {
	return "data \"hap_pool_status\" \"s\" {\n" + strings.Join(attributes, "\n") + "\n}\n"
}

// Each of these is an error at plan, at the attribute that caused it, and nothing is written.
func TestAccBadInput_atPlan(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	before := l.Versions(t)
	multi := func(limits string) string {
		return l.Provider("multi_account = {\n allowed_global_accounts = [\"*\"]\n limits = "+limits+"\n}") + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	}
	for name, c := range map[string]struct {
		config string
		want   *regexp.Regexp
	}{
		"malformed rule": {
			l.Provider() + acceptance.RulesOf(`"aws", "gcp(PR=)"`) + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike("Malformed rule", "rules = [", "Entry 2:", "gcp(PR=)", "^"),
		},
		"unknown plan in a rule": {
			l.Provider() + acceptance.RulesOf(`"awss"`) + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike("Rule for an unknown plan", "Entry 1:", `Did you mean "aws"?`),
		},
		"unknown plan in a request": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `plan = "asw"`),
			acceptance.ErrorLike("Unknown plan", `plan = "asw"`, `Did you mean "aws"?`),
		},
		"no rule matches": {
			l.Provider() + acceptance.RulesOf(`"gcp(PR=cf-sa30)"`) + acceptance.ClaimOf("blue", "ga-1", `plan = "gcp"`, `platform_region = "cf-eu10"`),
			acceptance.ErrorLike("No rule entry matches", "cf-eu10", "gcp(PR=cf-sa30)"),
		},
		"plan on several hyperscalers": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `plan = "trial"`),
			acceptance.ErrorLike("Hyperscaler required", "trial", "aws or azure"),
		},
		"Global Account that is no label value": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1,shared=true"),
			acceptance.ErrorLike(diagnose.SummaryInvalidGA, `global_account = "ga-1,shared=true"`, "','"),
		},
		"Global Account that is too long": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "a0123456789012345678901234567890123456789012345678901234567890123"),
			acceptance.ErrorLike(diagnose.SummaryInvalidGA, "global_account", "63 at most"),
		},
		"unknown limit key": {multi(`{ default = 3, awss = 4 }`),
			acceptance.ErrorLike(diagnose.SummaryUnknownLimit, `hyperscaler "awss"`, `Did you mean "aws"?`)},
		"limit of a pool": {multi(`{ default = 3, aws_cf-eu11 = 4 }`),
			acceptance.ErrorLike(diagnose.SummaryUnknownLimit, `hyperscaler "aws_cf-eu11"`, `Did you mean "aws"?`)},
		"limit below zero":           {multi(`{ default = 3, aws = -1 }`), acceptance.ErrorLike("Invalid Attribute Value", `must be at least 0`)},
		"default limit below zero":   {multi(`{ default = -1 }`), acceptance.ErrorLike("Invalid Attribute Value", `must be at least 0`)},
		"default limit that is null": {multi(`{ default = null }`), acceptance.ErrorLike("Null Map Value", "provider")},
		"limit that is null":         {multi(`{ default = 3, aws = null }`), acceptance.ErrorLike("Null Map Value", "provider")},
		"rule that is null": {
			l.Provider() + acceptance.RulesOf(`null, "aws"`) + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike("Null List Value", "rules = ["),
		},
		"claim name with a slash": {
			l.Provider() + acceptance.RulesAWS + strings.Replace(acceptance.ClaimOf("blue", "ga-1"), `= "blue"`, `= "b/lue"`, 1),
			acceptance.ErrorLike("Invalid Attribute Value Match", "must not contain a slash"),
		},
		"near miss of a type that is cleaned": {l.Provider(`clean_up_types = ["aws", "azrue"]`) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike(diagnose.SummaryUnknownType, `"azrue"`, `Did you mean "azure"?`)},
		"pool for a type that is cleaned": {l.Provider(`clean_up_types = ["aws_cf-eu11"]`) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike(diagnose.SummaryUnknownType, `"aws_cf-eu11"`, `Did you mean "aws"?`)},
		"unknown on_destroy": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "wipe"`),
			acceptance.ErrorLike("Invalid Attribute Value Match", "on_destroy", "mark_dirty"),
		},
		"rules by no expression": {
			l.Provider() + acceptance.RulesAWS + poolStatusWith("rule_set = { rules = [\"aws\"] }", `import_options = { rule_set = "my rules" }`),
			acceptance.ErrorLike("Invalid Attribute Value Match", "import_options.rule_set", "an expression such as hap_rule_set.broker"),
		},
		"rules of accounts without rules": {
			l.Provider() + acceptance.RulesAWS + poolStatusWith(`import_options = { account_rules = "all" }`),
			acceptance.ErrorLike("Invalid Attribute Combination", "import_options", "rule_set"),
		},
		"rules of other accounts": {
			l.Provider() + acceptance.RulesAWS + poolStatusWith("rule_set = { rules = [\"aws\"] }", `import_options = { account_rules = "eu" }`),
			acceptance.ErrorLike("Invalid Attribute Value Match", "import_options.account_rules", "eu_access"),
		},
		"two kubeconfigs": {
			fmt.Sprintf("provider \"hap\" {\n kubernetes = {\n config_path = %q\n config_paths = [\"a\"]\n }\n}\n",
				l.Kubeconfig) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike(diagnose.SummaryBadConnection, "config_path"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps:                    []resource.TestStep{{Config: c.config, PlanOnly: true, ExpectError: c.want}},
			})
		})
	}
	t.Cleanup(func() {
		if after := l.Versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("accounts were written: versions were %v, are %v", before, after)
		}
	})
}

// These show only when the Garden answers, or does not.
func TestAccBadInput_atApply(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Dirty: true},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure"})
	elsewhere := acceptance.NewLandscape(t)
	before := l.Versions(t)
	for name, c := range map[string]struct {
		config string
		want   *regexp.Regexp
	}{
		"no free account": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike(diagnose.SummaryExhausted, "1 in all: free 0, held 0, dirty 1, internal 0", "Add accounts to the pool"),
		},
		"no account of that pool at all": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `plan = "sap-converged-cloud"`, `hyperscaler_region = "eu-de-2"`),
			acceptance.ErrorLike(diagnose.SummaryExhausted, "pool openstack_eu-de-2,shared", "no account at all for pool openstack_eu-de-2,shared"),
		},
		"wrong namespace": {
			l.Provider(fmt.Sprintf("namespace = %q", elsewhere.Name)) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike(diagnose.SummaryForbidden, fmt.Sprintf("not allowed to get credentialsbindings in namespace %q", elsewhere.Name),
				"set the provider's namespace"),
		},
		"no connection": {
			"provider \"hap\" {}\n" + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			acceptance.ErrorLike(diagnose.SummaryNoConnection, "config_path (KUBE_CONFIG_PATH)", "host (KUBE_HOST)", "neither localhost"),
		},
		"pin to an account of another tenant": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `plan = "gcp"`, `binding_name = "gcp-1"`),
			acceptance.ErrorLike(diagnose.SummaryTaken, "account gcp-1 is held by Global Account ga-2, not by ga-1"),
		},
		"pin to an account of another pool": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `binding_name = "azure-1"`),
			acceptance.ErrorLike(diagnose.SummaryPin, "it belongs to pool azure, the rules lead to pool aws"),
		},
		"pin to nothing": {
			l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `binding_name = "nope"`),
			acceptance.ErrorLike(diagnose.SummaryAccountNotFound, "there is no account nope"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps:                    []resource.TestStep{{Config: c.config, ExpectError: c.want}},
			})
		})
	}
	t.Cleanup(func() {
		if after := l.Versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("accounts were written: versions were %v, are %v", before, after)
		}
	})
}

// A Role without list on Shoots must not be enough to claim or to release: what is on the accounts would not be known.
func TestAccBadInput_shootsCannotBeCounted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	blind := l.ServiceAccount(t, "blind", []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: blind}
rules:
- {apiGroups: [security.gardener.cloud], resources: [credentialsbindings], verbs: [get, list, patch]}
`))
	blindly := fmt.Sprintf("provider \"hap\" {\n kubernetes = { config_path = %q }\n}\n", blind.Kubeconfig(t)) + acceptance.RulesAWS + acceptance.ClaimOf("blue",
		"ga-1")
	want := acceptance.ErrorLike(diagnose.SummaryForbidden, fmt.Sprintf("not allowed to list shoots in namespace %q", l.Name),
		`Grant the verb "list" on shoots`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: blindly, ExpectError: want},
			{PreConfig: func() {
				if got := l.Tenant(t, "aws-1"); got != "" {
					t.Errorf("claimed for %s although nothing could be counted", got)
				}
			}, Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")},
			{Config: blindly, Destroy: true, ExpectError: want},
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"), PlanOnly: true},
		},
	})
}
