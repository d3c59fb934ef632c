package clusterrequest_test

import (
	"fmt"
	"os"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// The last request on a protected hap_cluster is not withdrawn with it where Terraform says nothing of the request to the plan, as for a
// tainted one, nor where the plan has no way to the platform cluster yet.
func TestAccBuiltin_lastOnAProtectedCluster(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	other := l.Kubeconfig + "-2"
	content, err := os.ReadFile(l.Kubeconfig)
	if err == nil {
		err = os.WriteFile(other, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	block := func(kubeconfig string) string {
		return required + fmt.Sprintf("resource \"terraform_data\" \"kubeconfig\" {\n  input = %q\n}\nprovider \"hap\" {\n  platform = { config_path = "+
			"terraform_data.kubeconfig.output, scheduler = \"builtin\", namespace = %q }\n}\n", kubeconfig, l.Namespace)
	}
	cluster := acceptance.ClusterOf(fmt.Sprintf("purposes = [%q]", l.Own()), `tenancy = "Shared"`, `wait_for = "created"`, "deletion_protection = true")
	request := l.ADRRequest("one", `wait_for = "granted"`, "depends_on = [hap_cluster.one]")
	c := cli.New(t)
	c.Write(t, block(l.Kubeconfig)+cluster+request)
	run(t, c, 0, "Apply complete", "apply", "-auto-approve")
	name, uid := clusterOf(t, l)
	if name != "one" {
		t.Fatalf("the request is on Cluster %s", name)
	}
	live, err := l.Live("Cluster", "one") // as one that a request has made and that was imported
	if err != nil || live == nil {
		t.Fatal(live, err)
	}
	base := live.DeepCopy()
	live.SetLabels(map[string]string{api.DeletedWithoutRequests: "true"})
	if err := l.Client().Patch(t.Context(), live, client.MergeFrom(base)); err != nil {
		t.Fatal(err)
	}

	protected := "Cluster " + l.Namespace + "/one has deletion_protection = true in the state"
	run(t, c, 0, "marked as tainted", "taint", acceptance.RequestOne)
	run(t, c, 1, protected+", and this run withdraws all requests that hold Cluster", "apply", "-auto-approve")
	stays(t, l, "one", uid)
	annotated := "Cluster " + l.Namespace + "/one has the annotation hap-project.io/deletion-protection: \"true\""
	run(t, c, 1, annotated, "apply", "-auto-approve", "-refresh=false") // which tells the plan nothing at all
	stays(t, l, "one", uid)
	run(t, c, 1, annotated, "apply", "-auto-approve", "-target="+acceptance.RequestOne, "-refresh=false")
	stays(t, l, "one", uid)
	run(t, c, 0, "untainted", "untaint", acceptance.RequestOne)

	second := cli.New(t) // another state has the request
	second.Write(t, block(l.Kubeconfig)+l.ADRRequest("one", `wait_for = "granted"`, "deletion_protection = false"))
	run(t, second, 0, "Apply complete", "apply", "-auto-approve", "-target=terraform_data.kubeconfig")
	run(t, second, 0, "Import successful", "import", acceptance.RequestOne, l.Namespace+"/one")
	run(t, second, 0, "Apply complete", "apply", "-auto-approve")
	run(t, second, 1, annotated, "destroy", "-auto-approve")
	stays(t, l, "one", uid)
	if request, err := l.Live("ClusterRequest", "one"); err != nil || request == nil || request.GetDeletionTimestamp() != nil {
		t.Errorf("the request is going, or gone: %v, %v", request, err)
	}

	c.Write(t, block(other)+cluster)
	run(t, c, 1, protected+"; this plan withdraws request "+l.Namespace+"/one, and whether it goes with that", "apply", "-auto-approve")
	stays(t, l, "one", uid)

	two := l.ADRRequest("two", `wait_for = "granted"`, "depends_on = [hap_cluster.one]")
	c.Write(t, block(l.Kubeconfig)+cluster+request+two)
	run(t, c, 0, "Apply complete", "apply", "-auto-approve")
	run(t, c, 0, "Apply complete", "apply", "-auto-approve", "-refresh-only") // the state of the first knows the second one
	c.Write(t, block(other)+cluster+two)
	run(t, c, 0, "Apply complete", "apply", "-auto-approve")
	stays(t, l, "one", uid)

	c.Write(t, block(l.Kubeconfig)+acceptance.ClusterOf(fmt.Sprintf("purposes = [%q]", l.Own()), `tenancy = "Shared"`, `wait_for = "created"`, "deletion_protection = false")+two)
	run(t, c, 0, "Apply complete", "apply", "-auto-approve")
	run(t, c, 0, "Destroy complete", "destroy", "-auto-approve")
}
