package testbed

import (
	"maps"
	"net/http"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
)

func TestAccountLabels(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{
		Name: "account", HyperscalerType: "openstack_eu-de-1", Tenant: "ga-acme", Shared: true, EUAccess: true,
		Dirty: true, Internal: true, Labels: map[string]string{"dirty": "releasing", "colour": "blue"},
		Annotations: map[string]string{"note": "kept"},
	})
	account := ns.GetAccount(t, "account")
	if account.Provider.Type != "openstack" || account.Annotations["note"] != "kept" {
		t.Errorf("provider %q, annotations %v", account.Provider.Type, account.Annotations)
	}
	want := map[string]string{
		"hyperscalerType": "openstack_eu-de-1", "tenantName": "ga-acme", "shared": "true", "euAccess": "true",
		"dirty": "releasing", "internal": "true", "colour": "blue",
		// Gardener's own, as on every account of production.
		"provider.extensions.gardener.cloud/openstack": "true",
	}
	if !maps.Equal(account.Labels, want) {
		t.Errorf("labels %v", account.Labels)
	}

	ns.PatchLabels(t, "account", map[string]*string{"tenantName": nil, "dirty": ptr.To("true")})
	ns.PatchAnnotations(t, "account", map[string]*string{"note": nil})
	delete(want, "tenantName")
	want["dirty"] = "true"
	account = ns.GetAccount(t, "account")
	if !maps.Equal(account.Labels, want) || len(account.Annotations) != 0 {
		t.Errorf("after the patch: labels %v, annotations %v", account.Labels, account.Annotations)
	}
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	first := ns.Account(t, AccountSpec{Name: "account"})
	ns.DeleteAccountHeld(t, "account")
	if ns.GetAccount(t, "account").DeletionTimestamp == nil {
		t.Error("a held account has no deletion timestamp")
	}
	ns.DeleteAccount(t, "account")
	if left := ns.ListAccounts(t); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if second := ns.Account(t, AccountSpec{Name: "account"}); second.UID == first.UID {
		t.Error("the new account of the same name has the old one's UID")
	}
}

func TestShoots(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	for _, providerType := range ProviderTypes() {
		ns.Account(t, AccountSpec{Name: providerType, ProviderType: providerType})
		ns.Shoot(t, "one-on-"+providerType, providerType)
	}
	ns.Shoots(t, "aws", 3)
	ns.LargeShoots(t, "gcp", 2)
	expectCounts(t, ns, map[string]int{"alicloud": 1, "aws": 4, "azure": 1, "gcp": 3, "openstack": 1})

	ns.DeleteShootHeld(t, "aws-0")
	held := &gardencorev1beta1.Shoot{}
	if err := ns.client.Get(t.Context(), ns.key("aws-0"), held); err != nil || held.DeletionTimestamp == nil {
		t.Errorf("a held Shoot: deleted at %v, %v", held.DeletionTimestamp, err)
	}
	ns.DeleteShoot(t, "aws-0")
	ns.DeleteShoot(t, "gcp-1")
	expectCounts(t, ns, map[string]int{"alicloud": 1, "aws": 3, "azure": 1, "gcp": 2, "openstack": 1})
}

func TestServerWantsShootDeletionConfirmed(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "account"})
	ns.Shoot(t, "shoot", "account")
	err := ns.client.Delete(t.Context(), &gardencorev1beta1.Shoot{ObjectMeta: ns.named("shoot")})
	expect.Status(t, err, http.StatusForbidden, metav1.StatusReasonForbidden)
}

func TestServerKeepsAccountsInUse(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "account"})
	ns.Shoot(t, "shoot", "account")
	ns.DeleteAccountHeld(t, "account")
	account := &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named("account")}
	err := ns.patchMetadata(t.Context(), account, map[string]any{"finalizers": nil})
	expect.Status(t, err, http.StatusForbidden, metav1.StatusReasonForbidden)
	if err := ns.client.Get(t.Context(), client.ObjectKeyFromObject(account), account); err != nil {
		t.Errorf("an account in use is gone: %v", err)
	}
}

func expectCounts(t *testing.T, ns *Namespace, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, shoot := range ns.ListShoots(t) {
		got[shoot.Account]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("Shoots by account: %v instead of %v", got, want)
	}
}
