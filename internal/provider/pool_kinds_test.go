package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// olderLandscape is a landscape whose accounts are of another kind, or labelled in another way. The user has the Role
// that is documented for that kind, and nothing else.
type olderLandscape struct {
	landscape
	kind string
	keys map[string]string // by the key that is usual
	// block is the attribute pool of the provider.
	block string
}

// labelling is a way to label accounts, as the provider is told of it and as the accounts have it.
type labelling struct {
	settings string
	keys     map[string]string
}

var labellings = map[string]labelling{
	"camel": {"", nil},
	"kebab": {`label_scheme = "kebab"`, map[string]string{"hyperscalerType": "hyperscaler-type", "tenantName": "tenant-name"}},
	"own": {
		`label_keys = { hyperscaler_type = "example.com/type", tenant_name = "held-by", shared = "for-all", dirty = "unclean" }`,
		map[string]string{"hyperscalerType": "example.com/type", "tenantName": "held-by", "shared": "for-all", "dirty": "unclean"},
	},
}

func newOlderLandscape(t *testing.T, kind string, as labelling, accounts ...testbed.AccountSpec) olderLandscape {
	t.Helper()
	l := newLandscape(t)
	for _, a := range accounts {
		a.Kind, a.Keys = kind, as.keys
		l.Accounts(t, a)
	}
	l.user = l.ServiceAccount(t, "older", testbed.DocumentedRoleOf(t, kind))
	l.kubeconfig = l.user.Kubeconfig(t)
	return olderLandscape{l, kind, as.keys, fmt.Sprintf("pool = {\n kind = %q\n %s\n}", kind, as.settings)}
}

// key is the key of a label here.
func (l olderLandscape) key(usual string) string {
	if own, ok := l.keys[usual]; ok {
		return own
	}
	return usual
}

// label returns a label of the account aws-1, by its usual key.
func (l olderLandscape) label(t *testing.T, key string) string {
	t.Helper()
	return l.GetObject(t, l.kind, "aws-1").GetLabels()[l.key(key)]
}

// putShoot makes a cluster on an account, as Shoots of its time name it: a Secret by the SecretBinding that refers to it.
func (l olderLandscape) putShoot(t *testing.T, name, account string) {
	t.Helper()
	if l.kind == testbed.Secret {
		l.Accounts(t, testbed.AccountSpec{Name: account + "-binding", Kind: testbed.SecretBinding, Secret: account})
		l.ShootBy(t, name, testbed.SecretBinding, account+"-binding")
		return
	}
	l.ShootBy(t, name, l.kind, account)
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
			l := newOlderLandscape(t, c.kind, labellings[c.labelling],
				testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"},
				testbed.AccountSpec{Name: "aws-all", HyperscalerType: "aws", Shared: true})
			claimLives(t, l)
		})
	}
}

func claimLives(t *testing.T, l olderLandscape) {
	t.Helper()
	untouched := map[string]any{"aws-2": l.GetObject(t, l.kind, "aws-2"), "aws-all": l.GetObject(t, l.kind, "aws-all")}
	config := l.provider(l.block) + rulesAWS + claimOf("blue", "ga-1") + claimOf("green", "ga-1") +
		claimOf("common", "ga-1", `plan = "trial"`, `hyperscaler = "aws"`) + selectionOf("ga-1")
	const (
		blue, green  = "hap_credentials_binding_claim.blue", "hap_credentials_binding_claim.green"
		common, next = "hap_credentials_binding_claim.common", "data.hap_binding_selection.next"
	)
	providerType := resource.TestCheckResourceAttr(blue, "provider_type", "aws")
	if l.kind == testbed.Secret {
		providerType = resource.TestCheckNoResourceAttr(blue, "provider_type")
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config, Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(blue, "binding_name", "aws-1"), resource.TestCheckResourceAttr(green, "binding_name", "aws-1"),
				resource.TestCheckResourceAttr(common, "binding_name", "aws-all"), resource.TestCheckResourceAttr(common, "shared", "true"),
				resource.TestCheckResourceAttr(blue, "credentials_ref.kind", "Secret"), resource.TestCheckResourceAttr(blue, "credentials_ref.name",
					"aws-1"),
				resource.TestCheckResourceAttr(blue, "credentials_ref.namespace", l.Name), providerType,
				resource.TestCheckResourceAttr(next, "label_selector",
					l.key("hyperscalerType")+"=aws,!euAccess,"+l.key("shared")+"!=true,!"+l.key("dirty")+","+l.key("tenantName")+"=ga-1"),
				resource.TestCheckResourceAttr("hap_rule_set.r", "entries.0.label_selector",
					l.key("hyperscalerType")+"=aws,!euAccess,"+l.key("shared")+"!=true,!"+l.key("dirty")),
				noCredential,
				func(*terraform.State) error {
					return errors.Join(equal("tenant of aws-1", l.label(t, "tenantName"), "ga-1"),
						equal("records on aws-1", fmt.Sprint(l.recordsOn(t, "aws-1")), "2"))
				},
			)},
			{Config: config, PlanOnly: true},
			{PreConfig: func() { l.putShoot(t, "alive", "aws-1") }, Config: config, Destroy: true,
				ExpectError: errorLike(diagnose.SummaryInUse, "Shoot alive")},
			{Config: config, Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(blue, "binding_name", "aws-1"), resource.TestCheckResourceAttr(blue, "cluster_count", "1"),
				func(*terraform.State) error { return equal("dirty", l.label(t, "dirty"), "") },
			)},
			{PreConfig: func() { l.DeleteShoot(t, "alive") }, Config: config, Destroy: true},
		},
		CheckDestroy: func(*terraform.State) error {
			return errors.Join(equal("dirty", l.label(t, "dirty"), "true"), equal("tenant of aws-1", l.label(t, "tenantName"), "ga-1"),
				equal("records on aws-1", fmt.Sprint(l.recordsOn(t, "aws-1")), "0"))
		},
	})
	for name, before := range untouched {
		if after := l.GetObject(t, l.kind, name); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s was %v, is %v", name, before, after)
		}
	}
}

// selectionOf asks where the next cluster of a Global Account goes to, once the claims stand.
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

// recordsOn returns how many claim records stand on an account.
func (l olderLandscape) recordsOn(t *testing.T, accountName string) int {
	t.Helper()
	n := 0
	for key := range l.GetObject(t, l.kind, accountName).GetAnnotations() {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			n++
		}
	}
	return n
}

// noCredential looks for the content of the Secrets in the state.
func noCredential(s *terraform.State) error {
	for name, r := range s.RootModule().Resources {
		for attribute, value := range r.Primary.Attributes {
			if strings.Contains(value, testbed.Credential) {
				return fmt.Errorf("%s.%s holds the credential", name, attribute)
			}
		}
	}
	return nil
}

// A provider that is told of another kind of account finds no claim there, and must not take that for an end of it; the
// same goes for a kind of which there is an account with the same name.
func TestAccPool_kindOfAStandingClaimChanges(t *testing.T) {
	t.Parallel()
	l := newOlderLandscape(t, testbed.SecretBinding, labellings["camel"], testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	sameName := l.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	other := strings.Replace(string(testbed.DocumentedRoleOf(t, testbed.SecretBinding)), "name: hap-provider", "name: other", 1)
	both := l.ServiceAccount(t, "both", []byte(string(testbed.DocumentedRole(t))+"\n---\n"+other))
	l.kubeconfig = both.Kubeconfig(t)
	config := rulesAWS + claimOf("blue", "ga-1")
	wrong := errorLike(diagnose.SummarySettingsChanged, "the pool.kind of the claim is SecretBinding", "the provider's is CredentialsBinding")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider(l.block) + config},
			{Config: l.provider() + config, PlanOnly: true, ExpectError: wrong},
			{Config: l.provider() + config, Destroy: true, ExpectError: wrong},
			{Config: l.provider(l.block) + config, PlanOnly: true},
		},
		CheckDestroy: func(*terraform.State) error {
			return errors.Join(equal("dirty", l.label(t, "dirty"), "true"),
				equal("version of the other aws-1", l.GetAccount(t, "aws-1").ResourceVersion, sameName.ResourceVersion))
		},
	})
}

// By wrong label keys every account looks free: a claim that stands is neither made again nor given up then. Where the labels themselves
// were renamed, it goes on by the new keys.
func TestAccPool_labelKeysOfAStandingClaimChange(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := rulesAWS + claimOf("blue", "ga-1")
	kebab := l.provider(`pool = { label_scheme = "kebab" }`) + config
	other := func(key string) string { return l.provider(`pool = { label_keys = { `+key+` = "other" } }`) + config }
	refused := errorLike(diagnose.SummarySettingsChanged, "pool.label_keys of the claim on account aws-1", "tenantName", "Nothing was written")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider() + config},
			{Config: other("tenant_name"), ExpectError: refused},
			{Config: other("hyperscaler_type"), ExpectError: refused},
			{Config: kebab, ExpectError: refused},
			{Config: kebab, Destroy: true, ExpectError: refused},
			{PreConfig: func() {
				l.PatchLabels(t, "aws-1", map[string]*string{
					"hyperscalerType": nil, "tenantName": nil, "hyperscaler-type": text("aws"), "tenant-name": text("ga-1"),
				})
			}, Config: kebab},
			{Config: l.provider() + config, ExpectError: refused},
			{Config: kebab},
		},
		CheckDestroy: func(*terraform.State) error {
			labels := l.GetAccount(t, "aws-1").Labels
			return errors.Join(equal("tenant", labels["tenant-name"], "ga-1"), equal("dirty", labels["dirty"], "true"))
		},
	})
}

// By other label keys an account that is gone is gone all the same: the claim ends.
func TestAccPool_labelKeysOfAClaimWhoseAccountIsGone(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := rulesAWS + claimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider() + config},
			{PreConfig: func() { l.DeleteAccount(t, "aws-1") }, Config: l.provider(`pool = { label_scheme = "kebab" }`) + config, Destroy: true},
		},
	})
}

// Mistakes in pool are found before anything is looked at.
func TestAccPool_mistakes(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
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
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{{
					Config: l.provider("pool = {\n"+c.pool+"\n}") + rulesAWS + claimOf("blue",
						"ga-1"), PlanOnly: true, ExpectError: errorLike(c.want[0], c.want[1:]...),
				}},
			})
		})
	}
	// The older kinds need another Role: the error names the resource that is missing in it.
	t.Run("Role of another kind", func(t *testing.T) {
		t.Parallel()
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: factories,
			Steps: []resource.TestStep{{
				Config:      l.provider(`pool = { kind = "SecretBinding" }`) + rulesAWS + claimOf("blue", "ga-1"),
				ExpectError: errorLike(diagnose.SummaryForbidden, fmt.Sprintf("secretbindings in namespace %q", l.Name)),
			}},
		})
	})
}
