package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// Landscape is one test's pool in the real Garden, and the connection of a service account that has the documented
// Role and nothing else.
type Landscape struct {
	*testbed.Namespace
	// User is that service account.
	User *testbed.User
	// Kubeconfig is the path of its kubeconfig.
	Kubeconfig string
	// Platform is a namespace on a platform cluster, and the path of a kubeconfig to it; empty = the test needs none.
	Platform Place
}

// Place is a namespace, and the path of a kubeconfig to it.
type Place struct{ Namespace, Kubeconfig string }

// NeedsGarden skips a test that needs a local Garden or platform cluster where none is wanted.
func NeedsGarden(t *testing.T) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skip("an acceptance test, it needs a local Garden or platform cluster: set TF_ACC=1 (make testacc does)")
	}
}

// NewLandscape makes a namespace with a pool of these accounts.
func NewLandscape(t *testing.T, accounts ...testbed.AccountSpec) Landscape {
	t.Helper()
	NeedsGarden(t)
	return NewLandscapeIn(t, testbed.Shared(t).NewNamespace(t), accounts...)
}

// NewLandscapeIn is [NewLandscape] in a namespace that is there.
func NewLandscapeIn(t *testing.T, ns *testbed.Namespace, accounts ...testbed.AccountSpec) Landscape {
	t.Helper()
	user := ns.ServiceAccount(t, "hap", testbed.DocumentedRole(t))
	ns.Accounts(t, accounts...)
	return Landscape{Namespace: ns, User: user, Kubeconfig: user.Kubeconfig(t)}
}

// Provider is the provider block that leads to the landscape; extra goes into it.
func (l Landscape) Provider(extra ...string) string {
	return fmt.Sprintf("provider \"hap\" {\n  kubernetes = { config_path = %q }\n  release_grace = \"0s\"\n%s\n}\n", l.Kubeconfig,
		strings.Join(extra, "\n"))
}

// Tenant returns who holds an account, by its label.
func (l Landscape) Tenant(t *testing.T, account string) string {
	t.Helper()
	return l.GetAccount(t, account).Labels["tenantName"]
}

// Records returns how many claim records are on an account.
func (l Landscape) Records(t *testing.T, accountName string) int {
	t.Helper()
	n := 0
	for key := range l.GetAccount(t, accountName).Annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			n++
		}
	}
	return n
}

// Versions returns the resourceVersion of every account, to see what was written.
func (l Landscape) Versions(t *testing.T) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for _, a := range l.ListAccounts(t) {
		versions[a.Name] = a.ResourceVersion
	}
	return versions
}

// AdminKubeconfig is the path of the administrator's kubeconfig of the Garden.
func (l Landscape) AdminKubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "garden")
	if err := l.Garden().WriteKubeconfig(path, l.Name); err != nil {
		t.Fatal(err)
	}
	return path
}
