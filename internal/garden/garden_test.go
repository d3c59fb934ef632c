package garden

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// acceptance skips a test that needs a real Gardener API unless acceptance tests are asked for.
func acceptance(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs the local Garden: set TF_ACC=1 (make testacc does)")
	}
}

// project is a namespace of the local Garden and the user that the provider is there: a service account that has the
// documented Role and nothing else.
type project struct {
	*testbed.Namespace
	user *testbed.User
}

func newProject(t *testing.T) project {
	t.Helper()
	acceptance(t)
	return projectIn(t, testbed.Shared(t))
}

func projectIn(t *testing.T, g *testbed.Garden) project {
	t.Helper()
	ns := g.NewNamespace(t)
	return project{Namespace: ns, user: ns.ServiceAccount(t, "provider", documentedRole(t))}
}

func documentedRole(t *testing.T) []byte {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	role, err := os.ReadFile(filepath.Join(root, "examples", "rbac", "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return role
}

// garden is what the provider sees of the project, over a connection with changes.
func (p project) garden(t *testing.T, changes ...func(*rest.Config)) *Garden {
	t.Helper()
	return connect(t, p.user.Config(), p.Name, changes...)
}

// protocols are those that clients and servers may agree on; cut connections differ between them.
var protocols = map[string]fault.ProxyOptions{"HTTP/2": {}, "HTTP/1.1": {HTTP1: true}}

// front is a proxy before the Garden of the project that spoils what the rules name.
func (p project) front(t *testing.T, options fault.ProxyOptions, rules ...fault.Rule) *fault.Proxy {
	t.Helper()
	proxy := fault.NewProxy(t, p.Garden(), options)
	for _, rule := range rules {
		proxy.Spoil(rule)
	}
	return proxy
}

// requests counts what came to a proxy, as in "list shoots"; questions about rights are left out.
func requests(p *fault.Proxy) map[string]int {
	counts := map[string]int{}
	for _, x := range p.Log() {
		if x.Resource != "selfsubjectaccessreviews" {
			counts[x.Verb+" "+x.Resource]++
		}
	}
	return counts
}

func connect(t *testing.T, config *rest.Config, namespace string, changes ...func(*rest.Config)) *Garden {
	t.Helper()
	for _, change := range changes {
		change(config)
	}
	g, err := New(config, namespace, DefaultLabelKeys())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// get reads an account that must exist.
func get(t *testing.T, g *Garden, name string) account.Account {
	t.Helper()
	a, err := g.Get(t.Context(), name)
	if err != nil {
		t.Fatalf("reading the account %s: %v", name, err)
	}
	return a
}

// claimed is the change that a claim of the Global Account ga-1 makes, and the key of its record.
func claimed() (change account.Change, key string) {
	globalAccount := "ga-1"
	record := account.Record{Name: "cluster", GlobalAccount: globalAccount, Pool: "aws", Version: account.RecordVersion, NewlyClaimed: true}
	key = record.Identity("garden").Key()
	return account.Change{Tenant: &globalAccount, Records: map[string]*account.Record{key: &record}}, key
}

// as returns the error of the wanted type, or ends the test.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	var wanted E
	if !errors.As(err, &wanted) {
		t.Fatalf("got error %T (%v), want a %T", err, err, wanted)
	}
	return wanted
}

// fails wants an error of the type.
func fails[E error](t *testing.T, err error) {
	t.Helper()
	_ = as[E](t, err)
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}
