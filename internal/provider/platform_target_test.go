package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// A destroy of the last request of a Cluster with -target shows the provider nothing of the protected hap_cluster, and is refused all the same:
// the annotation of the Cluster says so. Without it, as an import leaves the Cluster, the operator deletes it, and the plan says so.
// With the label that keeps the operator from that the Cluster stays.
func TestAccCluster_protectedBeyondTheTarget(t *testing.T) {
	t.Parallel()
	const keeps = `labels = { "clusters.openmcp.cloud/delete-without-requests" = "false" }`
	for name, test := range map[string]struct {
		label           string
		imported, stays bool
		exit            int
		words           string
	}{
		"protected":                       {"", false, true, 1, "has the annotation hap-project.io/deletion-protection"},
		"protected since an import alone": {"", true, false, 0, "Nothing of it has the annotation hap-project.io/deletion-protection"},
		"the same, and kept by its label": {keeps, true, true, 0, "Destroy complete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewHeldLandscape(t)
			c := cli.New(t)
			runs := func(exit int, words string, arguments ...string) {
				t.Helper()
				result := c.Run(t, append(arguments, "-no-color", "-auto-approve")...)
				said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
				if result.ExitCode != exit || !strings.Contains(said, words) {
					t.Fatalf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
				}
			}
			run := func(words string, arguments ...string) {
				t.Helper()
				runs(0, words, arguments...)
			}
			name := "mcp-" + operator.NameHash(l.Namespace, "one")
			block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.Provider()
			cluster := func(protected bool) string {
				return acceptance.ClusterOf(fmt.Sprintf("name = %q", name), `purposes = ["mcp"]`, fmt.Sprintf("deletion_protection = %t", protected), test.label)
			}
			c.Write(t, block+acceptance.RequestOf("one", "mcp"))
			run("Apply complete", "apply")
			uid := l.UID(t, "Cluster", name)
			c.Write(t, block+acceptance.RequestOf("one", "mcp")+cluster(true)+fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n",
				acceptance.ClusterOne, l.Namespace+"/"+name))
			run("Apply complete", "apply")
			if !test.imported { // an import changes nothing
				for _, protected := range []bool{false, true} {
					c.Write(t, block+acceptance.RequestOf("one", "mcp")+cluster(protected))
					run("Apply complete", "apply")
				}
			}
			runs(test.exit, test.words, "destroy", "-target="+acceptance.RequestOne)
			live, err := l.Live("Cluster", name)
			switch {
			case err != nil:
				t.Fatal(err)
			case !test.stays && live != nil && live.GetDeletionTimestamp() == nil:
				t.Error("the Cluster stays without the label")
			case test.stays && (live == nil || string(live.GetUID()) != uid || live.GetDeletionTimestamp() != nil):
				t.Error("the Cluster is gone, or going")
			case test.exit == 0 && test.stays:
				c.Write(t, block+cluster(false))
				run("Apply complete", "apply")
				run("Destroy complete", "destroy")
			}
		})
	}
}
