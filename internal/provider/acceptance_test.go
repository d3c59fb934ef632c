package provider

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fakes"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

func TestMain(m *testing.M) {
	if fakes.Serve() { // started as another provider, see installFakes
		return
	}
	if os.Getenv(resource.EnvTfAcc) != "" {
		printCLI()
	}
	code := testbed.Main(m)
	if err := openmcp.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// printCLI says in the log which program the acceptance tests run on.
func printCLI() {
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if cli == "" {
		cli = "terraform"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, cli, "version").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	if err != nil {
		line = err.Error()
	}
	fmt.Printf("acceptance tests run on %s (%s)\n", line, cli)
}

var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"hap": func() (tfprotov6.ProviderServer, error) {
		server, err := providerserver.NewProtocol6WithError(New("test")())()
		return replanning(server), err
	},
}

// landscape is one test's pool in the real Garden, and the connection of a service account that has the documented
// Role and nothing else.
type landscape struct {
	*testbed.Namespace
	user *testbed.User
	// kubeconfig is the path of that service account's kubeconfig.
	kubeconfig string
	// platform is a namespace on a platform cluster, and the path of a kubeconfig to it; empty = the test needs none.
	platform struct{ namespace, kubeconfig string }
}

// needsGarden skips a test that needs a local Garden or platform cluster where none is wanted.
func needsGarden(t *testing.T) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skip("an acceptance test, it needs a local Garden or platform cluster: set TF_ACC=1 (make testacc does)")
	}
}

// newLandscape makes a namespace with a pool of these accounts.
func newLandscape(t *testing.T, accounts ...testbed.AccountSpec) landscape {
	t.Helper()
	needsGarden(t)
	ns := testbed.Shared(t).NewNamespace(t)
	user := ns.ServiceAccount(t, "hap", testbed.DocumentedRole(t))
	ns.Accounts(t, accounts...)
	return landscape{Namespace: ns, user: user, kubeconfig: user.Kubeconfig(t)}
}

// provider is the provider block that leads to the landscape; extra goes into it.
func (l landscape) provider(extra ...string) string {
	return fmt.Sprintf("provider \"hap\" {\n  kubernetes = { config_path = %q }\n  release_grace = \"0s\"\n%s\n}\n", l.kubeconfig,
		strings.Join(extra, "\n"))
}

// tenant returns who holds an account, by its label.
func (l landscape) tenant(t *testing.T, account string) string {
	t.Helper()
	return l.GetAccount(t, account).Labels["tenantName"]
}

// records returns how many claim records stand on an account.
func (l landscape) records(t *testing.T, accountName string) int {
	t.Helper()
	n := 0
	for key := range l.GetAccount(t, accountName).Annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			n++
		}
	}
	return n
}

// versions returns the resourceVersion of every account, to see what was written.
func (l landscape) versions(t *testing.T) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for _, a := range l.ListAccounts(t) {
		versions[a.Name] = a.ResourceVersion
	}
	return versions
}

// rulesAWS leads plan aws to pool aws, and gcp to gcp.
const rulesAWS = `
resource "hap_rule_set" "r" {
  rules = ["aws", "gcp", "gcp(PR=cf-sa30)", "azure(euAccess=*)", "trial(shared)", "openstack(CR=*,shared)"]
  pool_check = "off"
}
`

// claimOf writes a claim of a Global Account on plan aws; extra attributes go into it.
func claimOf(label, ga string, extra ...string) string {
	return fmt.Sprintf(`
resource "hap_credentials_binding_claim" %q {
  rule_set       = hap_rule_set.r
  global_account = %q
  name           = %q
  %s
}
`, label, ga, label, strings.Join(withPlan(extra), "\n  "))
}

// withPlan adds plan aws where the attributes name none.
func withPlan(attributes []string) []string {
	for _, a := range attributes {
		if strings.HasPrefix(strings.TrimSpace(a), "plan ") {
			return attributes
		}
	}
	return append([]string{`plan = "aws"`}, attributes...)
}

// errorLike matches an error by its fixed summary and by words of its detail, in this order; the program wraps lines
// as it likes.
func errorLike(summary string, words ...string) *regexp.Regexp {
	pattern := "Error: " + regexp.QuoteMeta(summary)
	for _, w := range words {
		parts := strings.Fields(w)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern += `[\s\S]*?` + strings.Join(parts, `[\s│]+`)
	}
	return regexp.MustCompile(pattern)
}
