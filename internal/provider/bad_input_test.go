package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

func rulesOf(entries string) string {
	return fmt.Sprintf("resource \"hap_rule_set\" \"r\" {\n rules = [%s]\n pool_check = \"off\"\n}\n", entries)
}

// Each of these is an error at plan, at the attribute that caused it, and nothing is written.
func TestAccBadInput_atPlan(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	before := l.versions(t)
	multi := func(limits string) string {
		return l.provider("multi_account = {\n allowed_global_accounts = [\"*\"]\n limits = "+limits+"\n}") + rulesAWS + claimOf("blue", "ga-1")
	}
	for name, c := range map[string]struct {
		config string
		want   *regexp.Regexp
	}{
		"malformed rule": {
			l.provider() + rulesOf(`"aws", "gcp(PR=)"`) + claimOf("blue", "ga-1"),
			errorLike("Malformed rule", "rules = [", "Entry 2:", "gcp(PR=)", "^"),
		},
		"unknown plan in a rule": {
			l.provider() + rulesOf(`"awss"`) + claimOf("blue", "ga-1"),
			errorLike("Rule for an unknown plan", "Entry 1:", `Did you mean "aws"?`),
		},
		"unknown plan in a request": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1", `plan = "asw"`),
			errorLike("Unknown plan", `plan = "asw"`, `Did you mean "aws"?`),
		},
		"no rule matches": {
			l.provider() + rulesOf(`"gcp(PR=cf-sa30)"`) + claimOf("blue", "ga-1", `plan = "gcp"`, `platform_region = "cf-eu10"`),
			errorLike("No rule entry matches", "cf-eu10", "gcp(PR=cf-sa30)"),
		},
		"plan on several hyperscalers": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1", `plan = "trial"`),
			errorLike("Hyperscaler required", "trial", "aws or azure"),
		},
		"Global Account that is no label value": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1,shared=true"),
			errorLike(diagnose.SummaryInvalidGA, `global_account = "ga-1,shared=true"`, "','"),
		},
		"Global Account that is too long": {
			l.provider() + rulesAWS + claimOf("blue", "a0123456789012345678901234567890123456789012345678901234567890123"),
			errorLike(diagnose.SummaryInvalidGA, "global_account", "63 at most"),
		},
		"unknown limit key": {multi(`{ default = 3, awss = 4 }`),
			errorLike(diagnose.SummaryUnknownLimit, `hyperscaler "awss"`, `Did you mean "aws"?`)},
		"limit of a pool": {multi(`{ default = 3, aws_cf-eu11 = 4 }`),
			errorLike(diagnose.SummaryUnknownLimit, `hyperscaler "aws_cf-eu11"`, `Did you mean "aws"?`)},
		"limit below zero":           {multi(`{ default = 3, aws = -1 }`), errorLike("Invalid Attribute Value", `must be at least 0`)},
		"default limit below zero":   {multi(`{ default = -1 }`), errorLike("Invalid Attribute Value", `must be at least 0`)},
		"default limit that is null": {multi(`{ default = null }`), errorLike("Null Map Value", "provider")},
		"limit that is null":         {multi(`{ default = 3, aws = null }`), errorLike("Null Map Value", "provider")},
		"rule that is null": {
			l.provider() + rulesOf(`null, "aws"`) + claimOf("blue", "ga-1"),
			errorLike("Null List Value", "rules = ["),
		},
		"claim name with a slash": {
			l.provider() + rulesAWS + strings.Replace(claimOf("blue", "ga-1"), `= "blue"`, `= "b/lue"`, 1),
			errorLike("Invalid Attribute Value Match", "must not contain a slash"),
		},
		"near miss of a type that is cleaned": {l.provider(`clean_up_types = ["aws", "azrue"]`) + rulesAWS + claimOf("blue", "ga-1"),
			errorLike(diagnose.SummaryUnknownType, `"azrue"`, `Did you mean "azure"?`)},
		"pool for a type that is cleaned": {l.provider(`clean_up_types = ["aws_cf-eu11"]`) + rulesAWS + claimOf("blue", "ga-1"),
			errorLike(diagnose.SummaryUnknownType, `"aws_cf-eu11"`, `Did you mean "aws"?`)},
		"unknown on_destroy": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1", `on_destroy = "wipe"`),
			errorLike("Invalid Attribute Value Match", "on_destroy", "mark_dirty"),
		},
		"two kubeconfigs": {
			fmt.Sprintf("provider \"hap\" {\n kubernetes = {\n config_path = %q\n config_paths = [\"a\"]\n }\n}\n",
				l.kubeconfig) + rulesAWS + claimOf("blue", "ga-1"),
			errorLike(diagnose.SummaryBadConnection, "config_path"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps:                    []resource.TestStep{{Config: c.config, PlanOnly: true, ExpectError: c.want}},
			})
		})
	}
	t.Cleanup(func() {
		if after := l.versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("accounts were written: versions were %v, are %v", before, after)
		}
	})
}

// These show only when the Garden answers, or does not.
func TestAccBadInput_atApply(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Dirty: true},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure"})
	elsewhere := newLandscape(t)
	before := l.versions(t)
	for name, c := range map[string]struct {
		config string
		want   *regexp.Regexp
	}{
		"no free account": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1"),
			errorLike(diagnose.SummaryExhausted, "1 in all: free 0, held 0, dirty 1, internal 0", "Add accounts to the pool"),
		},
		"no account of that pool at all": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1", `plan = "sap-converged-cloud"`, `hyperscaler_region = "eu-de-2"`),
			errorLike(diagnose.SummaryExhausted, "pool openstack_eu-de-2,shared", "no account at all for pool openstack_eu-de-2,shared"),
		},
		"wrong namespace": {
			l.provider(fmt.Sprintf("namespace = %q", elsewhere.Name)) + rulesAWS + claimOf("blue", "ga-1"),
			errorLike(diagnose.SummaryForbidden, fmt.Sprintf("not allowed to get credentialsbindings in namespace %q", elsewhere.Name),
				"set the provider's namespace"),
		},
		"no connection": {
			"provider \"hap\" {}\n" + rulesAWS + claimOf("blue", "ga-1"),
			errorLike(diagnose.SummaryNoConnection, "config_path (KUBE_CONFIG_PATH)", "host (KUBE_HOST)", "neither localhost"),
		},
		"pin to an account of another tenant": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1", `plan = "gcp"`, `binding_name = "gcp-1"`),
			errorLike(diagnose.SummaryTaken, "account gcp-1 is held by Global Account ga-2, not by ga-1"),
		},
		"pin to an account of another pool": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1", `binding_name = "azure-1"`),
			errorLike(diagnose.SummaryPin, "it belongs to pool azure, the rules lead to pool aws"),
		},
		"pin to nothing": {
			l.provider() + rulesAWS + claimOf("blue", "ga-1", `binding_name = "nope"`),
			errorLike(diagnose.SummaryAccountNotFound, "there is no account nope"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps:                    []resource.TestStep{{Config: c.config, ExpectError: c.want}},
			})
		})
	}
	t.Cleanup(func() {
		if after := l.versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("accounts were written: versions were %v, are %v", before, after)
		}
	})
}

// A Role without list on Shoots must not be enough to claim or to release: what is on the accounts would not be known.
func TestAccBadInput_shootsCannotBeCounted(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	blind := l.ServiceAccount(t, "blind", []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: blind}
rules:
- {apiGroups: [security.gardener.cloud], resources: [credentialsbindings], verbs: [get, list, patch]}
`))
	blindly := fmt.Sprintf("provider \"hap\" {\n kubernetes = { config_path = %q }\n}\n", blind.Kubeconfig(t)) + rulesAWS + claimOf("blue",
		"ga-1")
	want := errorLike(diagnose.SummaryForbidden, fmt.Sprintf("not allowed to list shoots in namespace %q", l.Name),
		`Grant the verb "list" on shoots`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: blindly, ExpectError: want},
			{PreConfig: func() {
				if got := l.tenant(t, "aws-1"); got != "" {
					t.Errorf("claimed for %s although nothing could be counted", got)
				}
			}, Config: l.provider() + rulesAWS + claimOf("blue", "ga-1")},
			{Config: blindly, Destroy: true, ExpectError: want},
			{Config: l.provider() + rulesAWS + claimOf("blue", "ga-1"), PlanOnly: true},
		},
	})
}
