package clusterrequest_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

const required = "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"

// run runs a command, and fails where it ends otherwise, or does not say what is wanted.
func run(t *testing.T, c *cli.CLI, exit int, words string, arguments ...string) {
	t.Helper()
	result := c.Run(t, append(arguments, "-no-color")...)
	said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
	if result.ExitCode != exit || !strings.Contains(said, words) {
		t.Fatalf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
	}
}

// clusterOf is the Cluster of the request one, with its UID.
func clusterOf(t *testing.T, l acceptance.PlatformLandscape) (name, uid string) {
	t.Helper()
	r, err := l.Live("ClusterRequest", "one")
	if err != nil || r == nil {
		t.Fatal(r, err)
	}
	name, _, _ = unstructured.NestedString(r.Object, "status", "cluster", "name")
	return name, l.UID(t, "Cluster", name)
}

// stays fails where a Cluster is gone, or going.
func stays(t *testing.T, l acceptance.PlatformLandscape, name, uid string) {
	t.Helper()
	c, err := l.Live("Cluster", name)
	if err != nil || c == nil || string(c.GetUID()) != uid || c.GetDeletionTimestamp() != nil {
		t.Fatalf("Cluster %s is gone, or going: %v, %v", name, c, err)
	}
}

// A protected request was deleted by hand, and hangs in its deletion. Another state that makes a request of its name does not end it with
// its Cluster. The state that has the request ends both once it is not protected any more; where no state has it, an import does, and the apply after
// it.
func TestAccBuiltin_nameOfALeavingRequest(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(t *testing.T, first, second *cli.CLI, unprotected string){
		"its own state ends it": func(t *testing.T, first, second *cli.CLI, unprotected string) {
			first.Write(t, unprotected)
			run(t, first, 0, "Apply complete", "apply", "-auto-approve")
			run(t, first, 0, "Destroy complete", "destroy", "-auto-approve")
			run(t, second, 0, "Apply complete", "apply", "-auto-approve")
		},
		"an import ends it": func(t *testing.T, _, second *cli.CLI, unprotected string) {
			second.Write(t, unprotected+"import {\n  to = hap_cluster_request.one\n  id = \"one\"\n}\n")
			run(t, second, 0, "Apply complete", "apply", "-auto-approve")
			run(t, second, 0, "Apply complete", "apply", "-auto-approve")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewPlatformLandscape(t)
			first, second := cli.New(t), cli.New(t)
			first.Write(t, required+l.Builtin()+l.ADRRequest("one", "deletion_protection = true"))
			run(t, first, 0, "Apply complete", "apply", "-auto-approve")
			cluster, uid := clusterOf(t, l)
			request, err := l.Live("ClusterRequest", "one")
			if err == nil {
				err = l.Client().Delete(t.Context(), request)
			}
			if err != nil {
				t.Fatal(err)
			}
			run(t, first, 1, "deletion_protection = true", "apply", "-auto-approve")
			second.Write(t, required+l.Builtin()+l.ADRRequest("one", "dedicated = true"))
			run(t, second, 1, "is being deleted, and it is the last that holds Cluster "+l.Namespace+"/"+cluster, "apply", "-auto-approve")
			stays(t, l, cluster, uid)
			ends(t, first, second, required+l.Builtin()+l.ADRRequest("one"))
			if now, err := l.Live("Cluster", cluster); err != nil || now != nil && string(now.GetUID()) == uid {
				t.Errorf("the Cluster was not ended: %v", err)
			}
			run(t, second, 0, "Destroy complete", "destroy", "-auto-approve")
			if err := l.NoRequests(nil); err != nil {
				t.Error(err)
			}
		})
	}
}
