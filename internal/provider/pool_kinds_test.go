package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// label returns a label of the account aws-1, by its usual key.
func label(t *testing.T, l acceptance.OlderLandscape, key string) string {
	t.Helper()
	return l.GetObject(t, l.Kind, "aws-1").GetLabels()[l.Key(key)]
}

// On older landscapes a claim lives as it does on any other: it takes a free account, a second one uses the same, a
// shared one is chosen and not written, nothing is released under a live cluster, and in the end the clean-up job is
// called.
func TestAccPool_olderLandscapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, labelling string }{
		"CredentialsBindings, kebab": {testbed.CredentialsBinding, "kebab"},
		"SecretBindings, camel":      {testbed.SecretBinding, "camel"},
		"SecretBindings, kebab":      {testbed.SecretBinding, "kebab"},
		"SecretBindings, own keys":   {testbed.SecretBinding, "own"},
		"Secrets, kebab":             {testbed.Secret, "kebab"},
		"Secrets, own keys":          {testbed.Secret, "own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewOlderLandscape(t, c.kind, acceptance.Labellings[c.labelling],
				testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"},
				testbed.AccountSpec{Name: "aws-all", HyperscalerType: "aws", Shared: true})
			claimLives(t, l)
		})
	}
}

func claimLives(t *testing.T, l acceptance.OlderLandscape) {
	t.Helper()
	untouched := map[string]any{"aws-2": l.GetObject(t, l.Kind, "aws-2"), "aws-all": l.GetObject(t, l.Kind, "aws-all")}
	config := l.Provider(l.Block) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1") + acceptance.ClaimOf("green", "ga-1") +
		acceptance.ClaimOf("common", "ga-1", `plan = "trial"`, `hyperscaler = "aws"`) + selectionOf("ga-1")
	const (
		blue, green  = "hap_credentials_binding_claim.blue", "hap_credentials_binding_claim.green"
		common, next = "hap_credentials_binding_claim.common", "data.hap_binding_selection.next"
	)
	providerType := resource.TestCheckResourceAttr(blue, "provider_type", "aws")
	if l.Kind == testbed.Secret {
		providerType = resource.TestCheckNoResourceAttr(blue, "provider_type")
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config, Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(blue, "binding_name", "aws-1"), resource.TestCheckResourceAttr(green, "binding_name", "aws-1"),
				resource.TestCheckResourceAttr(common, "binding_name", "aws-all"), resource.TestCheckResourceAttr(common, "shared", "true"),
				resource.TestCheckResourceAttr(blue, "credentials_ref.kind", "Secret"), resource.TestCheckResourceAttr(blue, "credentials_ref.name",
					"aws-1"),
				resource.TestCheckResourceAttr(blue, "credentials_ref.namespace", l.Name), providerType,
				resource.TestCheckResourceAttr(next, "label_selector",
					l.Key("hyperscalerType")+"=aws,!euAccess,"+l.Key("shared")+"!=true,!"+l.Key("dirty")+","+l.Key("tenantName")+"=ga-1"),
				resource.TestCheckResourceAttr("hap_rule_set.r", "entries.0.label_selector",
					l.Key("hyperscalerType")+"=aws,!euAccess,"+l.Key("shared")+"!=true,!"+l.Key("dirty")),
				acceptance.NoCredential,
				func(*terraform.State) error {
					return errors.Join(acceptance.Equal("tenant of aws-1", label(t, l, "tenantName"), "ga-1"),
						acceptance.Equal("records on aws-1", fmt.Sprint(l.RecordsOn(t, "aws-1")), "2"))
				},
			)},
			{Config: config, PlanOnly: true},
			{PreConfig: func() { l.PutShoot(t, "alive", "aws-1") }, Config: config, Destroy: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryInUse, "Shoot alive")},
			{Config: config, Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(blue, "binding_name", "aws-1"), resource.TestCheckResourceAttr(blue, "cluster_count", "1"),
				func(*terraform.State) error { return acceptance.Equal("dirty", label(t, l, "dirty"), "") },
			)},
			{PreConfig: func() { l.DeleteShoot(t, "alive") }, Config: config, Destroy: true},
		},
		CheckDestroy: func(*terraform.State) error {
			return errors.Join(acceptance.Equal("dirty", label(t, l, "dirty"), "true"), acceptance.Equal("tenant of aws-1", label(t, l, "tenantName"), "ga-1"),
				acceptance.Equal("records on aws-1", fmt.Sprint(l.RecordsOn(t, "aws-1")), "0"))
		},
	})
	for name, before := range untouched {
		if after := l.GetObject(t, l.Kind, name); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s was %v, is %v", name, before, after)
		}
	}
}

// selectionOf asks where the next cluster of a Global Account goes to, once the claims are made.
func selectionOf(ga string) string {
	return fmt.Sprintf(`
data "hap_binding_selection" "next" {
  rule_set       = hap_rule_set.r
  plan           = "aws"
  global_account = %q
  depends_on     = [hap_credentials_binding_claim.blue]
}
`, ga)
}

// A provider that is configured for another kind of account must not take a claim for ended that it does not find there. It follows the
// claim to an account of the same credentials, and to no other one of the same name.
func TestAccPool_kindOfAStandingClaimChanges(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOlderLandscape(t, testbed.SecretBinding, acceptance.Labellings["camel"], testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	sameName := l.Account(t, testbed.AccountSpec{Name: "aws-1", Secret: "other", HyperscalerType: "aws"})
	other := strings.Replace(string(testbed.DocumentedRoleOf(t, testbed.SecretBinding)), "name: hap-provider", "name: other", 1)
	both := l.ServiceAccount(t, "both", []byte(string(testbed.DocumentedRole(t))+"\n---\n"+other))
	l.Kubeconfig = both.Kubeconfig(t)
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	wrong := acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the pool.kind of the claim is SecretBinding", "the provider's is CredentialsBinding")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider(l.Block) + config},
			{Config: l.Provider() + config, ExpectError: acceptance.ErrorLike(diagnose.SummaryNoMove, "no other account of the pool refers to its credentials")},
			{Config: l.Provider() + config, Destroy: true, ExpectError: wrong},
			{Config: l.Provider(l.Block) + config, PlanOnly: true},
		},
		CheckDestroy: func(*terraform.State) error {
			return errors.Join(acceptance.Equal("dirty", label(t, l, "dirty"), "true"),
				acceptance.Equal("version of the other aws-1", l.GetAccount(t, "aws-1").ResourceVersion, sameName.ResourceVersion))
		},
	})
}

// By wrong label keys every account looks free, clean and of its tenant alone: an existing claim is neither made again nor given up then.
// Where the labels of the tenant and of the type were renamed, it goes on by the new keys.
func TestAccPool_labelKeysOfAStandingClaimChange(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	kebab := l.Provider(`pool = { label_scheme = "kebab" }`) + config
	other := func(key string) string { return l.Provider(`pool = { label_keys = { `+key+` = "other" } }`) + config }
	refused := acceptance.ErrorLike(diagnose.SummarySettingsChanged, "pool.label_keys of the claim on account aws-1", "tenantName", "Nothing was written")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + config},
			{Config: other("tenant_name"), ExpectError: refused},
			{Config: other("hyperscaler_type"), ExpectError: refused},
			{Config: other("dirty"), ExpectError: refused},
			{Config: other("dirty"), Destroy: true, ExpectError: refused},
			{Config: other("internal"), ExpectError: refused},
			{Config: other("shared"), ExpectError: refused},
			{Config: other("eu_access"), ExpectError: refused},
			{Config: kebab, ExpectError: refused},
			{Config: kebab, Destroy: true, ExpectError: refused},
			{PreConfig: func() {
				l.PatchLabels(t, "aws-1", map[string]*string{
					"hyperscalerType": nil, "tenantName": nil, "hyperscaler-type": acceptance.Text("aws"), "tenant-name": acceptance.Text("ga-1"),
				})
			}, Config: kebab},
			{Config: l.Provider() + config, ExpectError: refused},
			{Config: kebab},
		},
		CheckDestroy: func(*terraform.State) error {
			labels := l.GetAccount(t, "aws-1").Labels
			return errors.Join(acceptance.Equal("tenant", labels["tenant-name"], "ga-1"), acceptance.Equal("dirty", labels["dirty"], "true"))
		},
	})
}

// By other label keys an account that is gone is gone all the same: the claim ends.
func TestAccPool_labelKeysOfAClaimWhoseAccountIsGone(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + config},
			{PreConfig: func() { l.DeleteAccount(t, "aws-1") }, Config: l.Provider(`pool = { label_scheme = "kebab" }`) + config, Destroy: true},
		},
	})
}

// Mistakes in pool are found before anything is looked at.
func TestAccPool_mistakes(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	for name, c := range map[string]struct {
		pool string
		want []string
	}{
		"unknown kind":   {`kind = "ConfigMap"`, []string{"Invalid Attribute Value Match", `"SecretBinding"`}},
		"unknown scheme": {`label_scheme = "snake"`, []string{"Invalid Attribute Value Match", `"kebab"`}},
		"same key twice": {`label_keys = { dirty = "shared" }`,
			[]string{diagnose.SummaryBadLabelKey, `label_keys.dirty = "shared" is the key of shared already`}},
		"no label key": {`label_keys = { tenant_name = "tenant name" }`,
			[]string{diagnose.SummaryBadLabelKey, `label_keys.tenant_name = "tenant name" cannot be the key of a label`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{{
					Config: l.Provider("pool = {\n"+c.pool+"\n}") + acceptance.RulesAWS + acceptance.ClaimOf("blue",
						"ga-1"), PlanOnly: true, ExpectError: acceptance.ErrorLike(c.want[0], c.want[1:]...),
				}},
			})
		})
	}
	// The older kinds need another Role: the error names the resource that is missing in it.
	t.Run("Role of another kind", func(t *testing.T) {
		t.Parallel()
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acceptance.Factories,
			Steps: []resource.TestStep{{
				Config:      l.Provider(`pool = { kind = "SecretBinding" }`) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryForbidden, fmt.Sprintf("secretbindings in namespace %q", l.Name)),
			}},
		})
	})
}
