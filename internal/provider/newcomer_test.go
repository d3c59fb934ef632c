package provider

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// mistake is something that goes wrong in the first hour, and what is said about it.
type mistake struct {
	// environment are the variables that the provider sees.
	environment map[string]string
	config      string
	// summary and attribute (where the provider says it belongs) are exact; empty = the resource, or the provider block, as
	// a whole.
	summary, attribute string
	// cause and remedy are words of the detail, one after the other.
	cause, remedy string
	// more are other summaries that come along.
	more []string
	// atPlan says that it shows before anything is applied.
	atPlan bool
}

// try makes the mistake with the real program and looks at what the user reads, and at where the provider put it.
func (m mistake) try(t *testing.T) {
	t.Helper()
	ear := acceptance.NewEar(m.environment)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{{Config: m.config, PlanOnly: m.atPlan,
			ExpectError: acceptance.ErrorLike(m.summary, m.cause, m.remedy)}},
	})
	ear.Want(t, tfprotov6.DiagnosticSeverityError, m.summary, m.attribute, m.cause, m.remedy)
	want := slices.Sorted(slices.Values(append(m.more, m.summary)))
	if got := ear.Summaries(tfprotov6.DiagnosticSeverityError); !slices.Equal(got, want) {
		t.Errorf("errors are %q, want %q alone", got, want)
	}
}

// tryAllAtPlan makes each mistake on the landscape, which has to show at plan.
func tryAllAtPlan(t *testing.T, l acceptance.Landscape, mistakes map[string]mistake) {
	t.Helper()
	for name, m := range mistakes {
		m.atPlan = true
		mistakes[name] = m
	}
	tryAll(t, l, mistakes)
}

// tryAll makes each mistake on the landscape, of which nothing may be written.
func tryAll(t *testing.T, l acceptance.Landscape, mistakes map[string]mistake) {
	t.Helper()
	before := l.Versions(t)
	t.Cleanup(func() {
		if after := l.Versions(t); !maps.Equal(before, after) {
			t.Errorf("accounts were written: versions were %v, are %v", before, after)
		}
	})
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m.try(t)
		})
	}
}

// block is a provider block with these attributes.
func block(attributes string) string { return "provider \"hap\" {\n" + attributes + "\n}\n" }

// kubernetes is the object kubernetes with what leads to the Garden and, where there is one, a token.
func kubernetes(l acceptance.Landscape, token string, extra ...string) string {
	config := l.User.Config()
	if token != "" {
		extra = append(extra, fmt.Sprintf("token = %q", token))
	}
	return fmt.Sprintf("kubernetes = {\n host = %q\n cluster_ca_certificate = %q\n %s\n}\nnamespace = %q\n",
		config.Host, config.CAData, strings.Join(extra, "\n "), l.Name)
}

const claimAWS = acceptance.RulesAWS + `
resource "hap_credentials_binding_claim" "c" {
  rule_set       = hap_rule_set.r
  global_account = "ga-1"
  plan           = "aws"
}
`

// The way to the Garden. Settings that lead nowhere show at plan.
func TestAccNewcomer_connection(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	missing := t.TempDir() + "/kubeconfig"
	context := fmt.Sprintf(`kubernetes = { config_path = %q, config_context = "prod" }`, l.Kubeconfig)
	tryAll(t, l, map[string]mistake{
		"no kubeconfig": {
			atPlan: true,
			config: block("") + claimAWS, summary: diagnose.SummaryNoConnection,
			cause: "nothing says where its API server is", remedy: `Write kubernetes = { config_path = "~/.kube/config" } into the provider ` +
				`block, or export KUBE_CONFIG_PATH.`,
		},
		"no provider block": {
			atPlan: true,
			config: claimAWS, summary: diagnose.SummaryNoConnection,
			cause: "config_path (KUBE_CONFIG_PATH): not set", remedy: "Write kubernetes = {",
		},
		"KUBECONFIG instead of KUBE_CONFIG_PATH": {
			atPlan:      true,
			environment: map[string]string{"KUBECONFIG": l.Kubeconfig}, config: block("") + claimAWS, summary: diagnose.SummaryNoConnection,
			cause: "KUBECONFIG is set, but it is not read", remedy: `Run export KUBE_CONFIG_PATH="$KUBECONFIG"`,
		},
		"attribute of kubernetes misspelt": {
			atPlan: true,
			config: block(fmt.Sprintf(`kubernetes = { config_pth = %q }`, l.Kubeconfig)) + claimAWS, summary: diagnose.SummaryNoConnection,
			cause: "config_path (KUBE_CONFIG_PATH): not set", remedy: "look for a misspelt name: Terraform drops an attribute that it does not " +
				"know inside kubernetes = { } without a word",
		},
		"no such file": {
			atPlan: true,
			config: block(fmt.Sprintf(`kubernetes = { config_path = %q }`, missing)) + claimAWS, summary: diagnose.SummaryBadConnection,
			cause: fmt.Sprintf("kubernetes.config_path: the file %q does not exist",
				missing), remedy: "Correct kubernetes.config_path in the provider block.",
		},
		"wrong context": {
			atPlan: true,
			config: block(context) + claimAWS, summary: diagnose.SummaryBadConnection,
			cause: `kubernetes.config_context: the context "prod" is not in the kubeconfig`, remedy: "Correct kubernetes.config_context in the " +
				"provider block.",
		},
		"wrong context in the environment": {
			atPlan: true,
			environment: map[string]string{"KUBE_CONFIG_PATH": l.Kubeconfig,
				"KUBE_CTX": "prod"}, config: claimAWS, summary: diagnose.SummaryBadConnection,
			cause: `(from the environment variable KUBE_CTX): the context "prod" is not in the kubeconfig`, remedy: "Correct the environment " +
				"variable KUBE_CTX, or set kubernetes.config_context",
		},
		"host without https": {
			config: block(`kubernetes = { host = "garden.example.com", token = "t" `+
				`}`) + claimAWS, summary: diagnose.SummaryBadConnection, attribute: "kubernetes.host", atPlan: true,
			cause: "kubernetes.host: the value is not the URL of an API server", remedy: "write https://<host>[:<port>]",
		},
		"no namespace": {
			atPlan: true,
			config: block(strings.Replace(kubernetes(l, l.User.Token), "namespace =", "# namespace =",
				1)) + claimAWS, summary: diagnose.SummaryBadConnection,
			cause: "the namespace of the Gardener project is not known", remedy: "Correct namespace in the provider block.",
		},
		"CA left out": {
			config: block(strings.Replace(kubernetes(l, l.User.Token), "cluster_ca_certificate =", "# cluster_ca_certificate "+
				"=", 1)) + claimAWS, summary: diagnose.SummaryUnreachable,
			cause: "failed to verify certificate", remedy: "Set kubernetes.cluster_ca_certificate to the CA of the Garden",
		},
		"program of exec not installed": {
			config: block(kubernetes(l, "", `exec = { command = "no-such-login" }`)) + claimAWS, summary: diagnose.SummaryProgram,
			cause: "executable no-such-login not found", remedy: "Install it where the provider runs, check kubernetes.exec",
		},
		"rules alone, without a Garden": {
			atPlan: true,
			config: strings.Replace(acceptance.RulesAWS, `pool_check = "off"`, "", 1), summary: diagnose.SummaryNoConnection, attribute: "pool_check",
			cause: "Checking that each rule has a pool: no connection to the Garden API is configured", remedy: `To check the rules alone, ` +
				`without a Garden, set pool_check = "off".`,
		},
	})
}

// What the Garden thinks of the one who asks.
func TestAccNewcomer_rights(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	elsewhere := acceptance.NewLandscape(t)
	bare := l.ServiceAccount(t, "bare", []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: bare}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get]}
`))
	tryAll(t, l, map[string]mistake{
		"wrong namespace": {
			config: block(fmt.Sprintf("kubernetes = { config_path = %q }\nnamespace = "+
				"%q", l.Kubeconfig, elsewhere.Name)) + claimAWS, summary: diagnose.SummaryForbidden,
			cause: fmt.Sprintf("in namespace %q", elsewhere.Name), remedy: "If that is not the namespace of the Gardener project, set the " +
				"provider's namespace.",
		},
		"another namespace that may be read": {
			config: elsewhere.Provider() + claimAWS, summary: diagnose.SummaryExhausted, attribute: "plan",
			cause:  fmt.Sprintf("in namespace %s none matches hyperscalerType=aws", elsewhere.Name),
			remedy: "No other pool has an account there either: set the provider's namespace to that of the Gardener project",
		},
		"another namespace, and rules alone": {
			config:  elsewhere.Provider() + "resource \"hap_rule_set\" \"r\" {\n rules = [\"aws\"]\n}\n",
			summary: diagnose.SummaryPoolMissing, attribute: "rules[0]",
			cause: "The namespace has no account of any pool", remedy: "set the provider's namespace (HAP_NAMESPACE)",
		},
		"token expired": {
			config: block(kubernetes(l, unsigned(l.User.Token))) + claimAWS, summary: diagnose.SummaryUnauthorized,
			cause: "the credentials were not accepted", remedy: "The token or certificate has expired, is malformed, or belongs to another " +
				"landscape: renew it",
		},
		"no credentials": {
			config: block(kubernetes(l, "")) + claimAWS, summary: diagnose.SummaryForbidden,
			cause: `User "system:anonymous"`, remedy: "The request carried no credentials, so the server took it for an anonymous one. Set " +
				"kubernetes.token",
		},
		"user name and password": {
			config:  block(kubernetes(l, "", `username = "ada"`, `password = "lovelace-1815"`)) + claimAWS,
			summary: diagnose.SummaryUnauthorized, cause: "the server did not take the user name and the password",
			remedy: "An API server of Kubernetes takes no user name and password. Set kubernetes.token, kubernetes.exec or a client certificate",
		},
		"Role missing": {
			config: block(kubernetes(l, bare.Token)) + claimAWS, summary: diagnose.SummaryForbidden,
			cause: "not allowed to get credentialsbindings", remedy: "best by the whole Role of the provider's examples/rbac",
		},
	})
}

// unsigned is a token whose signature does not hold any more, which the server answers as it answers an expired one.
func unsigned(token string) string { return token[:strings.LastIndexByte(token, '.')] + ".AAAA" }

// Mistakes in rules, plans and the rest of the configuration: all of them show at plan.
func TestAccNewcomer_rules(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	set := func(attributes string) string {
		return "resource \"hap_rule_set\" \"r\" {\n" + attributes + "\n pool_check = \"off\"\n}\n"
	}
	claim := func(attributes ...string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("c", "ga-1", attributes...)
	}
	mistakes := map[string]mistake{
		"typo in an attribute of a rule": {
			config: set(`rules = ["aws", "azure(euAcces)"]`), summary: "Malformed rule", attribute: "rules[1]",
			cause: `Unknown attribute: found "euAcces"`, remedy: `Did you mean "euAccess"?`,
		},
		"typo in the plan of a rule": {
			config: set(`rules = ["aws", "gpc"]`), summary: "Rule for an unknown plan", attribute: "rules[1]",
			cause: `"gpc" is not in the plans table`, remedy: `Did you mean "gcp"? Known plans: alicloud, aws`,
		},
		"arrow in the other syntax": {
			config: set(`rules = ["aws(PR=cf-eu11) -> EU"]`), summary: "Malformed rule", attribute: "rules[0]",
			cause: "Arrow in attribute syntax", remedy: `Set syntax = "arrow"`,
		},
		"no rules": {
			config: set(""), summary: diagnose.SummaryInvalidRuleSet, attribute: "rules",
			cause: "No rules: the rule set has no entry", remedy: "Add at least one",
		},
		"rules misspelt in a claim": {
			config:  l.Provider() + strings.Replace(acceptance.ClaimOf("c", "ga-1"), "hap_rule_set.r", `{ rule = ["aws"] }`, 1),
			summary: diagnose.SummaryInvalidRuleSet, attribute: "rule_set",
			cause: "No rules: the rule set has no entry",
			remedy: "look for a misspelt name: Terraform silently drops an attribute that it does not know inside rule_set = { }. The names are " +
				"eu_access_platform_regions, legacy, plans, platform_regions, required_plans, rules, syntax.",
		},
		"typo in a required plan": {
			config: set(`rules = ["aws"]` + "\n" + `required_plans = ["asw"]`), summary: "Unknown plan", attribute: `required_plans{"asw"}`,
			cause: `"asw" is not in the plans table`, remedy: `Did you mean "aws"?`,
		},
		"no rule for a required plan": {
			config: set(`rules = ["aws"]` + "\n" + `required_plans = ["gcp"]`), summary: "Plan without a rule", attribute: `required_plans{"gcp"}`,
			cause: "no entry names the required plan gcp", remedy: `Add an entry for it, such as "gcp"`,
		},
		"plan of the table without hyperscaler": {
			config: set(`rules = ["mine"]` + "\n" + `plans = { mine = [] }`), summary: diagnose.SummaryInvalidRuleSet, attribute: `plans["mine"]`,
			cause: `plan "mine" has none`, remedy: `Write the hyperscalers that it runs on, such as ["aws"]`,
		},
		"plan taken out that is not there": {
			config: set(`rules = ["aws"]` + "\n" + `plans = { azurelite = null }`), summary: diagnose.SummaryInvalidRuleSet,
			attribute: `plans["azurelite"]`,
			cause:     `"azurelite" = null, and the built-in table has no such plan`, remedy: `Did you mean "azure_lite"?`,
		},
		"rule for a plan that is taken out": {
			config: set(`rules = ["gdch"]` + "\n" + `plans = { gdch = null }`), summary: "Rule for an unknown plan", attribute: "rules[0]",
			cause: "plans takes it out (gdch = null)", remedy: "Remove that, or the entry.",
		},
		"rule for a plan that is not in the table": {
			config: set(`rules = ["stackit"]`), summary: "Rule for an unknown plan", attribute: "rules[0]",
			cause: `"stackit" is not in the plans table`, remedy: `write plans = { "stackit" = ["<hyperscaler>"] }; the built-in plans stay.`,
		},
		"typo in a platform region": {
			config:    set(`rules = ["gcp(PR=cf-sa3O, shared)"]` + "\n" + `platform_regions = ["cf-sa30"]`),
			summary:   "Rule for an unknown platform region",
			attribute: "rules[0]", cause: `found "cf-sa3O", which platform_regions does not have`, remedy: `Did you mean "cf-sa30"?`,
		},
		"typo in a platform region with EU access that the landscape does not have": {
			config:  set(`rules = ["gcp"]` + "\n" + `platform_regions = ["cf-eu11"]` + "\n" + `eu_access_platform_regions = ["cf-eu1l"]`),
			summary: "Unknown platform region", attribute: `eu_access_platform_regions{"cf-eu1l"}`,
			cause: "which platform_regions does not have", remedy: `Did you mean "cf-eu11"?`,
		},
		"typo in a platform region with EU access": {
			config: set(`rules = ["aws"]` + "\n" + `eu_access_platform_regions = ["cf ` +
				`eu11"]`), summary: diagnose.SummaryInvalidRuleSet, attribute: `eu_access_platform_regions{"cf eu11"}`,
			cause: `"cf eu11" can be no platform region`, remedy: "Write a region such as cf-eu11",
		},
		"plan without hyperscaler": {
			config: claim(`plan = "trial"`), summary: "Hyperscaler required", attribute: "hyperscaler",
			cause: "trial runs on aws or azure", remedy: "set hyperscaler to one of them",
		},
		"region left out": {
			config: claim(`plan = "sap-converged-cloud"`), summary: "No rule entry matches", attribute: "hyperscaler_region",
			cause: "no hyperscaler region", remedy: "Set hyperscaler_region",
		},
		"typo in the plan of a claim": {
			config: claim(`plan = "asw"`), summary: "Unknown plan", attribute: "plan",
			cause: `"asw" is not in the plans table`, remedy: `Did you mean "aws"?`,
		},
		"Global Account with a blank": {
			config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("c", "ga 1"), summary: diagnose.SummaryInvalidGA, attribute: "global_account",
			cause: `Global Account "ga 1" is not a valid label value`, remedy: "Write it exactly as the accounts carry it",
		},
		"timeout without a unit": {
			config: claim(`timeouts = { create = "5" }`), summary: diagnose.SummaryInvalidTimeout, attribute: "timeouts.create",
			cause: `"5" is not usable: the timeouts.create must be a duration`, remedy: "e.g. 90s or 5m",
		},
		"one claim twice": {
			config: l.Provider() + acceptance.RulesAWS + strings.ReplaceAll(acceptance.ClaimOf("a", "ga-1")+acceptance.ClaimOf("b", "ga-1"), `name           = "b"`,
				`name           = "a"`),
			summary: diagnose.SummaryDuplicate, attribute: "name",
			cause: "is declared twice in this configuration", remedy: "Give each claim of one Global Account on one pool a name of its own",
		},
	}
	tryAllAtPlan(t, l, mistakes)
}

// The provider's own settings.
func TestAccNewcomer_settings(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	multi := func(attributes string) string {
		return l.Provider("multi_account = {\n"+attributes+"\n}") + claimAWS
	}
	mistakes := map[string]mistake{
		"typo in the key of a limit": {
			config:  multi(`allowed_global_accounts = ["*"]` + "\n" + `limits = { default = 3, awss = 4 }`),
			summary: diagnose.SummaryUnknownLimit, attribute: `multi_account.limits["awss"]`,
			cause: `multi_account.limits: there is no hyperscaler "awss" to limit`, remedy: `Did you mean "aws"?`,
		},
		"typo in a type that is cleaned": {
			config:  l.Provider(`clean_up_types = ["aws", "AZURE"]`) + claimAWS,
			summary: diagnose.SummaryUnknownType, attribute: `clean_up_types{"AZURE"}`,
			cause: `clean_up_types: there is no provider type "AZURE"`, remedy: `Did you mean "azure"?`,
		},
		"allowed Global Account with a blank": {
			config:  multi(`allowed_global_accounts = ["ga 1"]` + "\n" + `limits = { default = 3 }`),
			summary: diagnose.SummaryInvalidGA, attribute: `multi_account.allowed_global_accounts{"ga 1"}`,
			cause: `multi_account.allowed_global_accounts: Global Account "ga 1" is not a valid label value`, remedy: "Write it exactly as the " +
				"accounts carry it",
		},
		"grace time without a unit": {
			config: strings.Replace(l.Provider(), `release_grace = "0s"`, `release_grace = "60"`,
				1) + claimAWS, summary: diagnose.SummaryInvalidGrace, attribute: "release_grace",
			cause: `"60" is not usable`, remedy: "must be a duration from 0s to 1h0m0s, e.g. 90s",
		},
		"a policy for sources that cannot disagree": {
			config:  l.Provider(`cluster_count = { source = "gardener", on_disagreement = "error" }`) + claimAWS,
			summary: diagnose.SummaryBadCount, attribute: "cluster_count.on_disagreement",
			cause: "only two sources can disagree", remedy: `Remove on_disagreement, or configure the database and count by "both"`,
		},
		"database URL that is none": {
			config: l.Provider(`database = { url = "mysql://reader:s3cr3t@db/broker" `+
				`}`) + claimAWS, summary: diagnose.SummaryBadDatabase, attribute: "database.url",
			cause: "database.url: it is neither a URL", remedy: "percent-encode special characters",
		},
	}
	tryAllAtPlan(t, l, mistakes)
}

// The broker's database.
func TestAccNewcomer_database(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	reader := postgres.Shared(t).NewDatabase(t).ReaderURL()
	with := func(change func(*url.URL)) string {
		u, err := url.Parse(reader)
		if err != nil {
			t.Fatal(err)
		}
		change(u)
		return l.Provider(fmt.Sprintf("database = { url = %q, connect_timeout = \"3s\" }", u)) + claimAWS
	}
	const nothing = "Nothing was claimed or released"
	tryAll(t, l, map[string]mistake{
		"wrong port": {
			config: with(func(u *url.URL) { u.Host = "127.0.0.1:1" }), summary: diagnose.SummaryDatabaseDown,
			cause: "connection refused", remedy: nothing + ": without a count it is not known where there is room, or whether an account is in " +
				"use. Check host and port in database.url",
		},
		"wrong password": {
			config: with(func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "n0tthe0ne") }), summary: diagnose.SummaryDatabaseLogin,
			cause: "password authentication failed", remedy: "Check the name of the database, the user and the password",
		},
		"wrong database": {
			config: with(func(u *url.URL) { u.Path = "/nosuch" }), summary: diagnose.SummaryDatabaseLogin,
			cause: `database "nosuch" does not exist`, remedy: "Check the name of the database",
		},
		"another database of the server": {
			config: with(func(u *url.URL) { u.Path = "/postgres" }), summary: diagnose.SummaryNotTheBrokers,
			cause: "instances", remedy: "Check that database.url names the broker's database",
		},
		"counting by a database that is not named": {
			config: l.Provider(`cluster_count = { source = "database" }`) + claimAWS, summary: diagnose.SummaryNoDatabase,
			cause: "nothing names its host", remedy: "Set database.url in the provider block, or count by Gardener alone",
		},
	})
}

// The pool itself.
func TestAccNewcomer_pool(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-9"}, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"},
		testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure", EUAccess: true})
	tryAll(t, l, map[string]mistake{
		"pool empty": {
			config: l.Provider() + claimAWS, summary: diagnose.SummaryExhausted, attribute: "plan",
			cause: "(1 in all: free 0, held 1, dirty 0, internal 0)", remedy: "Add accounts to the pool, or release claims that are no longer " +
				"needed.",
		},
		"accounts without the labels": {
			config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("c", "ga-1", `plan = "azure"`,
				`platform_region = "cf-us10"`), summary: diagnose.SummaryExhausted, attribute: "plan",
			cause:  "none matches hyperscalerType=azure,!euAccess",
			remedy: "There are accounts of other pools: aws (1); azure,euAccess (1); gcp (1). Check the request and its rule",
		},
		"typo in the pin": {
			config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("c", "ga-1", `plan = "gcp"`,
				`binding_name = "gpc-1"`), summary: diagnose.SummaryAccountNotFound, attribute: "binding_name",
			cause: "there is no account gpc-1", remedy: "Check the name, and namespace and pool.kind of the provider",
		},
		"rule without a pool": {
			config: l.Provider() + "resource \"hap_rule_set\" \"r\" {\n rules = [\"aws\", " +
				"\"alicloud\"]\n}\n", summary: diagnose.SummaryPoolMissing, attribute: "rules[1]",
			cause: `There is no account for rule 2, "alicloud"`, remedy: "Add one to the pool, or remove the rule.",
		},
	})
}

func TestAccNewcomer_importID(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-9"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	for name, m := range map[string]struct{ id, summary, attribute, cause, remedy string }{
		"name of the account alone": {"aws-1", diagnose.SummaryInvalidImport, "", `"aws-1" is not of the form`,
			"for example ga-1/aws-account-7"},
		"account of another": {"ga-1/aws-1", diagnose.SummaryImportRefused, "", "aws-1 is there, and Global Account ga-1 does not hold it",
			"that of Global Account ga-9. If its claim is meant, the import ID is ga-9/aws-1/default"},
		"account without a tenant": {"ga-1/aws-2", diagnose.SummaryImportRefused, "", "aws-2 is there, and Global Account ga-1 does not hold it",
			"No Global Account holds the account"},
		"account that does not exist": {"ga-1/aws-3", diagnose.SummaryImportMissing, "", `by the ID "ga-1/aws-3/default": there is no account aws-3 (CredentialsBinding`,
			"for example ga-1/aws-account-7"},
		"the two of them the wrong way": {"aws-1/ga-9", diagnose.SummaryImportMissing, "", "there is no account ga-9", "The import ID is <global_account>/<binding_name>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ear := acceptance.NewEar(nil)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: ear.Factories(),
				Steps: []resource.TestStep{{
					Config: l.Provider() + claimAWS, ResourceName: "hap_credentials_binding_claim.c", ImportState: true, ImportStateId: m.id,
					ExpectError: acceptance.ErrorLike(m.summary, m.cause, m.remedy),
				}},
			})
			ear.Want(t, tfprotov6.DiagnosticSeverityError, m.summary, m.attribute, m.cause, m.remedy)
		})
	}
}

// What is allowed, but hardly meant, is a warning; and so is at plan what an apply is going to fail on.
func TestAccNewcomer_warnings(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"})
	for name, m := range map[string]struct{ config, summary, attribute, cause, remedy string }{
		"plan of an empty pool": {
			l.Provider() + claimAWS, diagnose.SummaryPoolEmpty, "plan", "As it looks now the apply will fail", "There are accounts of other " +
				"pools: gcp (1)",
		},
		"attribute of multi_account misspelt": {
			l.Provider(`multi_account = { allowed = ["*"] }`) + acceptance.RulesAWS, diagnose.SummaryFeatureOff, "multi_account", "multi_account is set " +
				"without allowed_global_accounts, so it does nothing", "Name the Global Accounts",
		},
		"property of legacy misspelt": {
			"resource \"hap_rule_set\" \"r\" {\n legacy = { region_rule = \"aws\" }\n pool_check = " +
				"\"off\"\n}\n", diagnose.SummaryLegacyEmpty, "legacy",
			"None of the four properties is set", "Look for a misspelt name, too",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ear := acceptance.NewEar(nil)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: ear.Factories(),
				Steps:                    []resource.TestStep{{Config: m.config, PlanOnly: true, ExpectNonEmptyPlan: true}},
			})
			ear.Want(t, tfprotov6.DiagnosticSeverityWarning, m.summary, m.attribute, m.cause, m.remedy)
		})
	}
}
