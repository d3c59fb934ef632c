package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// A destroy of the last request of a Cluster with -target shows the provider nothing of the protected hap_cluster: the operator deletes the
// Cluster, and the plan says so. With the label that keeps it from that the Cluster stays.
func TestAccCluster_protectedBeyondTheTarget(t *testing.T) {
	t.Parallel()
	for label, stays := range map[string]bool{
		"": false, `labels = { "clusters.openmcp.cloud/delete-without-requests" = "false" }`: true,
	} {
		t.Run(fmt.Sprintf("stays %t", stays), func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewHeldLandscape(t)
			c := cli.New(t)
			run := func(words string, arguments ...string) {
				t.Helper()
				result := c.Run(t, append(arguments, "-no-color", "-auto-approve")...)
				said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
				if result.ExitCode != 0 || !strings.Contains(said, words) {
					t.Fatalf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
				}
			}
			name := "mcp-" + operator.NameHash(l.Namespace, "one")
			block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.Provider()
			cluster := func(protected bool) string {
				return acceptance.ClusterOf(fmt.Sprintf("name = %q", name), `purposes = ["mcp"]`, fmt.Sprintf("deletion_protection = %t", protected), label)
			}
			c.Write(t, block+acceptance.RequestOf("one", "mcp"))
			run("Apply complete", "apply")
			uid := l.UID(t, "Cluster", name)
			c.Write(t, block+acceptance.RequestOf("one", "mcp")+cluster(true)+fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n",
				acceptance.ClusterOne, l.Namespace+"/"+name))
			run("Apply complete", "apply")
			words := "Destroy complete"
			if !stays {
				words = "Protection in another state, or of what this plan leaves out (-target), does not keep it"
			}
			run(words, "destroy", "-target="+acceptance.RequestOne)
			live, err := l.Live("Cluster", name)
			switch {
			case err != nil:
				t.Fatal(err)
			case !stays && live != nil && live.GetDeletionTimestamp() == nil:
				t.Error("the Cluster stays without the label")
			case stays && (live == nil || string(live.GetUID()) != uid || live.GetDeletionTimestamp() != nil):
				t.Error("the Cluster is gone, or going")
			case stays:
				c.Write(t, block+cluster(false))
				run("Apply complete", "apply")
				run("Destroy complete", "destroy")
			}
		})
	}
}
