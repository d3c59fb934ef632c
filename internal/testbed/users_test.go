package testbed

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const accountRole = `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: left-out
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: accounts
  namespace: somewhere-else
rules:
  - apiGroups: [security.gardener.cloud]
    resources: [credentialsbindings]
    verbs: [get, list, patch]
`

const secretRole = `
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: secrets
rules:
  - apiGroups: [""]
    resources: [secrets]
    verbs: [get]
`

func TestRestrictedUser(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "account"})
	user := ns.ServiceAccount(t, "restricted", []byte(accountRole))
	asUser := clientOf(t, user.Config())
	account := &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named("account")}

	list := &securityv1alpha1.CredentialsBindingList{}
	if err := asUser.List(t.Context(), list, client.InNamespace(ns.Name)); err != nil || len(list.Items) != 1 {
		t.Errorf("listing: %d accounts, %v", len(list.Items), err)
	}
	patchLabel := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`))
	if err := asUser.Patch(t.Context(), account, patchLabel); err != nil {
		t.Errorf("patching: %v", err)
	}
	err := asUser.Delete(t.Context(), account)
	expect.Status(t, err, http.StatusForbidden, metav1.StatusReasonForbidden)
	err = asUser.List(t.Context(), &gardencorev1beta1.ShootList{}, client.InNamespace(ns.Name))
	expect.Status(t, err, http.StatusForbidden, metav1.StatusReasonForbidden)
	err = asUser.List(t.Context(), list, client.InNamespace(Shared(t).NewNamespace(t).Name))
	expect.Status(t, err, http.StatusForbidden, metav1.StatusReasonForbidden)
}

func TestUserKubeconfig(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	user := ns.ServiceAccount(t, "restricted", []byte(accountRole))
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: user.Kubeconfig(t)}, nil)
	if namespace, _, err := loader.Namespace(); err != nil || namespace != ns.Name {
		t.Errorf("namespace %q, %v", namespace, err)
	}
	config, err := loader.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	list := &securityv1alpha1.CredentialsBindingList{}
	if err := clientOf(t, config).List(t.Context(), list, client.InNamespace(ns.Name)); err != nil {
		t.Errorf("listing: %v", err)
	}
}

func TestRoleFiles(t *testing.T) {
	t.Parallel()
	roles, err := parseRoles([]byte(accountRole + secretRole))
	if err != nil || len(roles) != 2 || roles[0].Name != "accounts" || roles[1].Name != "secrets" {
		t.Errorf("%v, %v", roles, err)
	}
	_, err = parseRoles([]byte("kind: ServiceAccount\n"))
	expect.Error(t, err, "no document of kind Role")
	_, err = parseRoles([]byte("kind: Role\nrule: []\n"))
	expect.Error(t, err, `unknown field "rule"`)
}

// In production the right to patch an account is not enough: its Secret must be readable too. The
// documented Role allows both.
func TestReferenceChecks(t *testing.T) {
	t.Parallel()
	ns := New(t, Options{ReferenceChecks: true}).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "account"})
	ns.Shoot(t, "shoot", "account")
	patchLabel := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`))

	account := &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named("account")}
	user := ns.ServiceAccount(t, "patch-only", []byte(accountRole))
	err := clientOf(t, user.Config()).Patch(t.Context(), account, patchLabel)
	expect.Status(t, err, http.StatusForbidden, metav1.StatusReasonForbidden)
	expect.Error(t, err, "cannot reference a Secret you are not allowed to read")

	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	documented, err := os.ReadFile(filepath.Join(root, "examples", "rbac", "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	user = ns.ServiceAccount(t, "documented", documented)
	if err := clientOf(t, user.Config()).Patch(t.Context(), account, patchLabel); err != nil {
		t.Errorf("with the documented Role: %v", err)
	}
}

func clientOf(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	c, err := newClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
