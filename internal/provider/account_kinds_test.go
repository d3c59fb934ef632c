package provider

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// supplyRoleOf is the Role that users of another kind are told to grant.
func supplyRoleOf(t *testing.T, kind string) []byte {
	t.Helper()
	role := testbed.RoleExample(t, "role-supply.yaml")
	switch kind {
	case testbed.Secret:
		return testbed.RoleExample(t, "role-secret.yaml")
	case testbed.CredentialsBinding:
		return role
	}
	ours := "apiGroups: [security.gardener.cloud]\n    resources: [credentialsbindings]"
	theirs := "apiGroups: [core.gardener.cloud]\n    resources: [secretbindings]"
	return []byte(strings.NewReplacer(ours, theirs, theirs, ours).Replace(string(role)))
}

// ownLabels are the labels of an account of any kind but Gardener's.
func (l olderLandscape) ownLabels(t *testing.T, name string) map[string]string {
	t.Helper()
	labels := l.GetObject(t, l.kind, name).GetLabels()
	maps.DeleteFunc(labels, func(key, _ string) bool { return strings.Contains(key, "gardener.cloud/") })
	return labels
}

// On older landscapes an account is put into the pool as on any other, with the labels of that landscape.
func TestAccAccount_olderLandscapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, labelling string }{
		"CredentialsBindings, kebab": {testbed.CredentialsBinding, "kebab"},
		"SecretBindings, camel":      {testbed.SecretBinding, "camel"},
		"SecretBindings, own keys":   {testbed.SecretBinding, "own"},
		"Secrets, kebab":             {testbed.Secret, "kebab"},
		"Secrets, own keys":          {testbed.Secret, "own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newOlderLandscape(t, c.kind, labellings[c.labelling])
			l.Secret(t, "aws-1", map[string][]byte{"credential": []byte(testbed.Credential)})
			l.kubeconfig = l.ServiceAccount(t, "supply", supplyRoleOf(t, c.kind)).Kubeconfig(t)
			accountLives(t, l)
		})
	}
}

func accountLives(t *testing.T, l olderLandscape) {
	t.Helper()
	var own []string
	if l.kind == testbed.Secret {
		own = []string{`credentials_ref =`}
	}
	config := func(attributes ...string) string {
		return l.provider(l.block) + accountOf(append(own, attributes...)...)
	}
	labels := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if got := l.ownLabels(t, "aws-1"); !maps.Equal(got, want) {
				return fmt.Errorf("labels are %v, want %v", got, want)
			}
			return nil
		}
	}
	patch := func(values map[string]any) func() {
		return func() { l.PatchObject(t, l.kind, "aws-1", map[string]any{"labels": values}) }
	}
	anew := plancheck.ResourceActionDestroyBeforeCreate
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config:           config(`eu_access = true`, `labels = { team = "a" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				Check: resource.ComposeAggregateTestCheckFunc(noCredential,
					labels(map[string]string{l.key("hyperscalerType"): "aws", "euAccess": "true", "team": "a"}),
					resource.TestCheckResourceAttr(accountOne, "credentials_ref.kind", "Secret"),
					resource.TestCheckResourceAttr(accountOne, "credentials_ref.name", "aws-1"),
					resource.TestCheckResourceAttr(accountOne, "credentials_ref.namespace", l.Name)),
			},
			{Config: config(`shared = true`), Check: labels(map[string]string{l.key("hyperscalerType"): "aws", l.key("shared"): "true"})},
			{Config: l.provider(l.block)}, // a shared account stays shared until it is taken out
			{Config: config(`quarantine = "audit"`), Check: labels(map[string]string{l.key("hyperscalerType"): "aws", l.key("dirty"): "quarantine"})},
			{Config: config(`hyperscaler_type = "gcp"`), ConfigPlanChecks: wantAction(anew),
				Check: labels(map[string]string{l.key("hyperscalerType"): "gcp"})},
			{PreConfig: patch(map[string]any{l.key("tenantName"): "ga-1"}), Config: config(`hyperscaler_type = "gcp"`), Destroy: true,
				ExpectError: errorLike(diagnose.SummaryAccountHeld, "held by Global Account ga-1")},
			{PreConfig: func() { patch(map[string]any{l.key("tenantName"): nil})(); l.putShoot(t, "alive", "aws-1") },
				Config: config(`hyperscaler_type = "gcp"`), Destroy: true, ExpectError: errorLike(diagnose.SummaryInUse, "Shoot alive")},
			{PreConfig: func() { l.DeleteShoot(t, "alive") }, Config: config(`hyperscaler_type = "gcp"`)},
		},
		CheckDestroy: func(*terraform.State) error {
			if l.kind != testbed.Secret {
				return nil // there is none: reading it fails the test
			}
			return errors.Join(labels(map[string]string{})(nil),
				equal("uid is there", fmt.Sprint(l.GetObject(t, l.kind, "aws-1").GetUID() != ""), "true"))
		},
	})
}

// A Secret must be there and must not be an account already; its credentials are itself.
func TestAccAccount_badInputForASecret(t *testing.T) {
	t.Parallel()
	l := newOlderLandscape(t, testbed.Secret, labellings["camel"], testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	l.Secret(t, "aws-1", nil)
	l.kubeconfig = l.ServiceAccount(t, "supply", supplyRoleOf(t, testbed.Secret)).Kubeconfig(t)
	for name, c := range map[string]struct {
		attributes []string
		want       []string
	}{
		"missing":           {[]string{`name = "aws-9"`, `credentials_ref =`}, []string{diagnose.SummaryNoCredentials, "no Secret aws-9 in namespace"}},
		"an account":        {[]string{`name = "aws-2"`, `credentials_ref =`}, []string{diagnose.SummaryAccountExists, "aws-2 exists already"}},
		"other credentials": {[]string{`credentials_ref = { name = "aws-2" }`}, []string{diagnose.SummaryCredentialsRef, "can only name the Secret aws-1"}},
		"quotas": {[]string{`credentials_ref =`, `quotas = [{ namespace = "garden", name = "one" }]`},
			[]string{diagnose.SummaryNoQuotas, "an account that is a Secret has none"}},
		"another namespace": {[]string{`credentials_ref = { name = "aws-1", namespace = "other" }`},
			[]string{diagnose.SummaryCredentialsRef, "can only name the Secret aws-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{{
				Config: l.provider(l.block) + accountOf(c.attributes...), PlanOnly: true, ExpectError: errorLike(c.want[0], c.want[1:]...),
			}}})
		})
	}
	bindings := newOlderLandscape(t, testbed.SecretBinding, labellings["camel"])
	t.Run("an identity of a SecretBinding", func(t *testing.T) {
		t.Parallel()
		inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{{
			Config:   bindings.provider(bindings.block) + accountOf(`credentials_ref = { kind = "WorkloadIdentity", name = "w" }`),
			PlanOnly: true, ExpectError: errorLike(diagnose.SummaryCredentialsRef, "credentials_ref", "cannot refer to a WorkloadIdentity"),
		}}})
	})
}

// An account may be a WorkloadIdentity's.
func TestAccAccount_workloadIdentity(t *testing.T) {
	t.Parallel()
	l := newSupply(t)
	l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "w"})
	l.DeleteAccount(t, "w") // the identity stays
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{{
		Config: l.provider() + accountOf(`credentials_ref = { kind = "WorkloadIdentity", name = "w" }`),
		Check: func(*terraform.State) error {
			ref := l.GetAccount(t, "aws-1").CredentialsRef
			return equal("reference", ref.APIVersion+" "+ref.Kind+" "+ref.Name, "security.gardener.cloud/v1alpha1 WorkloadIdentity w")
		},
	}}})
}
