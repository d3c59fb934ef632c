package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

func shoot(name, account string) gardencore.Shoot {
	return gardencore.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: gardencore.ShootSpec{
			CredentialsBindingName: &account, Kubernetes: gardencore.Kubernetes{Version: "1.33.2"},
		},
	}
}

func TestPrintPool(t *testing.T) {
	t.Parallel()
	account := func(name string, labels, annotations map[string]string) securityv1alpha1.CredentialsBinding {
		labels["hyperscalerType"] = "aws"
		return securityv1alpha1.CredentialsBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Annotations: annotations},
		}
	}
	accounts := []securityv1alpha1.CredentialsBinding{
		account("a", map[string]string{"tenantName": "ga-1"}, map[string]string{
			claimPrefix + "2": `{"name":"red","globalAccount":"ga-1","clusterName":"c2","owner":"me","claimedAt":"2026-01-02T03:04:05Z"}`,
			claimPrefix + "1": `{"name":"blue","globalAccount":"ga-2"}`,
			"another":         "annotation",
		}),
		account("b", map[string]string{"tenantName": "ga-1", "dirty": "releasing"}, nil),
		account("c", map[string]string{"shared": "true", "euAccess": "true"}, nil),
		account("d", map[string]string{"internal": "true"}, nil),
		account("e", map[string]string{"tenantName": "ga-1"}, nil),
		account("f", map[string]string{}, map[string]string{claimPrefix + "3": "{"}),
		account("g", map[string]string{}, nil),
	}
	var out strings.Builder
	red, own, fresh := shoot("c2", "a"), shoot("own", "a"), shoot("new", "g")
	red.Status.LastOperation = &gardencore.LastOperation{
		Type: gardencore.LastOperationTypeReconcile, State: gardencore.LastOperationStateSucceeded, Progress: 100,
	}
	own.Status.LastOperation = &gardencore.LastOperation{
		Type: gardencore.LastOperationTypeDelete, State: gardencore.LastOperationStateProcessing, Progress: 40,
	}
	all := clustersOf([]gardencore.Shoot{red, own, fresh})
	if got := fmt.Sprint(all.states); got != "map[c2:runs Kubernetes 1.33.2 new:not begun own:Delete 40 %]" {
		t.Error(got)
	}
	if err := printPool(&out, accounts, all); err != nil {
		t.Fatal(err)
	}
	want := `
ACCOUNT  HYPERSCALER TYPE  GLOBAL ACCOUNT  FLAGS            CLUSTERS  WHY
a        aws               ga-1            -                2         claim blue (void: it is ga-2's)
                                                                      claim red for cluster c2 (runs Kubernetes 1.33.2), owner me, since 2026-01-02T03:04:05Z
b        aws               ga-1            dirty=releasing  0         given back, waits to be cleaned
c        aws               -               shared,euAccess  0         shared by all, never claimed
d        aws               -               internal         0         kept back, never given out
e        aws               ga-1            -                0         held, without a claim
f        aws               -               -                0         unreadable claim hap-project.io/claim-3: unexpected end of JSON input
g        aws               -               -                1         free
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got:%s\nwant:%s", got, want)
	}
}

func TestPrintClusters(t *testing.T) {
	t.Parallel()
	object := func(kind, name, uid string, finalizers ...string) unstructured.Unstructured {
		one := openmcp.New(kind, "team-a", name)
		one.SetUID(types.UID(uid))
		one.SetFinalizers(finalizers)
		one.Object["spec"] = map[string]any{"profile": "test.gardener.aws", "purpose": "workload"}
		return *one
	}
	adopted, workerless := shoot("s-1", "aws-1"), shoot("s-2", "aws-1")
	adopted.Labels = map[string]string{
		"gardener.clusters.openmcp.cloud/cluster-name": "first", "gardener.clusters.openmcp.cloud/cluster-namespace": "team-a",
	}
	workerless.Labels = map[string]string{
		"gardener.clusters.openmcp.cloud/cluster-name": "second", "gardener.clusters.openmcp.cloud/cluster-namespace": "team-a",
	}
	workerless.Spec.CredentialsBindingName = nil
	first := object("Cluster", "first", "", holds+"1", holds+"2")
	first.Object["status"] = map[string]any{"phase": "Ready"}
	clusters := []unstructured.Unstructured{first, object("Cluster", "second", "", holds+"3"), object("Cluster", "third", "")}
	requests := []unstructured.Unstructured{
		object("ClusterRequest", "red", "1", "clusters.openmcp.cloud/request"),
		object("ClusterRequest", "blue", "2", "another", "hap-project.io/builtin-scheduler"), object("ClusterRequest", "green", "3"),
	}
	var out strings.Builder
	if err := printClusters(&out, clusters, requests, []gardencore.Shoot{adopted, workerless}); err != nil {
		t.Fatal(err)
	}
	want := `
CLUSTER  PHASE  PROFILE            SHOOT  ACCOUNT           REQUESTS
first    Ready  test.gardener.aws  s-1    aws-1             blue, purpose workload, served by the provider
                                                            red, purpose workload, served by the operator
second   -      test.gardener.aws  s-2    none: no workers  green, purpose workload, served by no scheduler
third    -      test.gardener.aws  -      -                 none
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got:%s\nwant:%s", got, want)
	}
	out.Reset()
	if err := printClusters(&out, nil, nil, nil); err != nil || out.String() != "There is no Cluster.\n" {
		t.Error(out.String(), err)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	const output = `
Warning: Provider development overrides are in effect
  - hap-project/hap in bin

OpenTofu used the selected providers to generate the following execution
  # hap_rule_set.x will be created

Plan: 1 to add, 0 to change, 0 to destroy.

Changes to Outputs:
  + x = (known after apply)

Warning: Something to read
  in detail
data.hap_binding_selection.x: Reading...
data.hap_binding_selection.x: Read complete after 0s
ephemeral.hap_cluster_access.x: Configuration unknown, deferring...
ephemeral.hap_cluster_access.x: Deferred due to unknown configuration
ephemeral.hap_cluster_access.x: Opening...
ephemeral.hap_cluster_access.x: Closing...
hap_rule_set.y: Refreshing state... [id=1]
hap_rule_set.x: Creating...
Apply complete!
Outputs:
x = 1
report = <<-EOT
    # Pool
EOT`
	const want = `
Plan: 1 to add, 0 to change, 0 to destroy.

Warning: Something to read
  in detail
hap_rule_set.x: Creating...
Apply complete!
Outputs:
x = 1
`
	for _, program := range []string{"OpenTofu", "Terraform"} {
		output := strings.ReplaceAll(output, "OpenTofu", program)
		for _, size := range []int{1, 7, len(output)} {
			var out strings.Builder
			d := &digest{out: &out}
			for chunk := range slices.Chunk([]byte(output), size) {
				if _, err := d.Write(chunk); err != nil {
					t.Fatal(err)
				}
			}
			d.flush()
			if out.String() != want {
				t.Errorf("%s, in pieces of %d:\n%s", program, size, out.String())
			}
		}
	}
}
