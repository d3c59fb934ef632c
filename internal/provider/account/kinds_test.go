package account_test

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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// supplyRoleOf is the Role that the error asks users of another kind to grant.
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
			l := acceptance.NewOlderLandscape(t, c.kind, acceptance.Labellings[c.labelling])
			l.Secret(t, "aws-1", map[string][]byte{"credential": []byte(testbed.Credential)})
			l.Kubeconfig = l.ServiceAccount(t, "supply", supplyRoleOf(t, c.kind)).Kubeconfig(t)
			accountLives(t, l)
		})
	}
}

func accountLives(t *testing.T, l acceptance.OlderLandscape) {
	t.Helper()
	var own []string
	if l.Kind == testbed.Secret {
		own = []string{`credentials_ref =`}
	}
	config := func(attributes ...string) string {
		return l.Provider(l.Block) + acceptance.AccountOf(append(own, attributes...)...)
	}
	labels := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if got := l.OwnLabels(t, "aws-1"); !maps.Equal(got, want) {
				return fmt.Errorf("labels are %v, want %v", got, want)
			}
			return nil
		}
	}
	patch := func(values map[string]any) func() {
		return func() { l.PatchObject(t, l.Kind, "aws-1", map[string]any{"labels": values}) }
	}
	anew := plancheck.ResourceActionDestroyBeforeCreate
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config:           config(`eu_access = true`, `labels = { team = "a" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				Check: resource.ComposeAggregateTestCheckFunc(acceptance.NoCredential,
					labels(map[string]string{l.Key("hyperscalerType"): "aws", "euAccess": "true", "team": "a"}),
					resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.kind", "Secret"),
					resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.name", "aws-1"),
					resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.namespace", l.Name)),
			},
			{Config: config(`shared = true`), Check: labels(map[string]string{l.Key("hyperscalerType"): "aws", l.Key("shared"): "true"})},
			{Config: l.Provider(l.Block)}, // a shared account stays shared until it is taken out
			{Config: config(`quarantine = "audit"`), Check: labels(map[string]string{l.Key("hyperscalerType"): "aws", l.Key("dirty"): "quarantine"})},
			{Config: config(`hyperscaler_type = "gcp"`), ConfigPlanChecks: wantAction(anew),
				Check: labels(map[string]string{l.Key("hyperscalerType"): "gcp"})},
			{PreConfig: patch(map[string]any{l.Key("tenantName"): "ga-1"}), Config: config(`hyperscaler_type = "gcp"`), Destroy: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryAccountHeld, "held by Global Account ga-1")},
			{PreConfig: func() { patch(map[string]any{l.Key("tenantName"): nil})(); l.PutShoot(t, "alive", "aws-1") },
				Config: config(`hyperscaler_type = "gcp"`), Destroy: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryInUse, "Shoot alive")},
			{PreConfig: func() { l.DeleteShoot(t, "alive") }, Config: config(`hyperscaler_type = "gcp"`)},
		},
		CheckDestroy: func(*terraform.State) error {
			if l.Kind != testbed.Secret {
				return nil // there is none: reading it fails the test
			}
			return errors.Join(labels(map[string]string{})(nil),
				acceptance.Equal("uid is there", fmt.Sprint(l.GetObject(t, l.Kind, "aws-1").GetUID() != ""), "true"))
		},
	})
}

// A Secret must be there and must not be an account already; its credentials are itself.
func TestAccAccount_badInputForASecret(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOlderLandscape(t, testbed.Secret, acceptance.Labellings["camel"], testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	l.Secret(t, "aws-1", nil)
	l.Kubeconfig = l.ServiceAccount(t, "supply", supplyRoleOf(t, testbed.Secret)).Kubeconfig(t)
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
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
				Config: l.Provider(l.Block) + acceptance.AccountOf(c.attributes...), PlanOnly: true, ExpectError: acceptance.ErrorLike(c.want[0], c.want[1:]...),
			}}})
		})
	}
	bindings := acceptance.NewOlderLandscape(t, testbed.SecretBinding, acceptance.Labellings["camel"])
	t.Run("an identity of a SecretBinding", func(t *testing.T) {
		t.Parallel()
		inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
			Config:   bindings.Provider(bindings.Block) + acceptance.AccountOf(`credentials_ref = { kind = "WorkloadIdentity", name = "w" }`),
			PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryCredentialsRef, "credentials_ref", "cannot refer to a WorkloadIdentity"),
		}}})
	})
}

// An account may be a WorkloadIdentity's.
func TestAccAccount_workloadIdentity(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t)
	l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "w"})
	l.DeleteAccount(t, "w") // the identity stays
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: l.Provider() + acceptance.AccountOf(`credentials_ref = { kind = "WorkloadIdentity", name = "w" }`),
		Check: func(*terraform.State) error {
			ref := l.GetAccount(t, "aws-1").CredentialsRef
			return acceptance.Equal("reference", ref.APIVersion+" "+ref.Kind+" "+ref.Name, "security.gardener.cloud/v1alpha1 WorkloadIdentity w")
		},
	}}})
}
