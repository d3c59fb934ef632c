package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// The Garden of the provider block may be that of another landscape, with a namespace of the same name: a protected Shoot that is not there
// protects its Cluster, whatever the ProviderConfigs say, until the cluster provider has written its status anew.
func TestAccCluster_protectedShootOfAnotherLandscape(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"),
		[]byte("\n---\n"), testbed.RoleExample(t, "platform-clusters.yaml")))
	project, other := strings.TrimPrefix(l.Name, "garden-"), l.Config+"-live"
	configure(t, l, l.Config, "aws-1", project)
	configure(t, l, other, "aws-1", project, "live")
	config := l.On(l.PlatformUser) + acceptance.ClusterOf(fmt.Sprintf("namespace = %q", l.Requests),
		fmt.Sprintf("profile = \"test.gardener.%s\"", other), `wait_for = "created"`)
	drop := func(name string) {
		config := openmcp.New("ProviderConfig", "", name)
		config.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
		if err := l.PlatformCluster.Client().Delete(t.Context(), config); err != nil {
			t.Error(err)
		}
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootProtected, "Shoot "+l.Name+"/s-one", l.Requests+"/one")
	on := acceptance.PlatformLandscape{Platform: l.PlatformCluster, Namespace: l.Requests}
	reported := func(protected bool) { reportProtection(t, l, "s-one", protected) }
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             func(*terraform.State) error { return on.None("Cluster", "one") },
		Steps: []resource.TestStep{
			{Config: config},
			{PreConfig: func() { reported(true) }, Config: config, Destroy: true, ExpectError: refused},
			{PreConfig: func() { drop(other) }, Config: config, Destroy: true, ExpectError: refused},
			{
				PreConfig: func() { // the profiles of the Cluster's landscape alone
					configure(t, l, other, "aws-1", project, "live")
					drop(l.Config)
				},
				Config: config, Destroy: true, ExpectError: refused,
			},
			{Config: config, Check: func(*terraform.State) error {
				_, err := on.Live("Cluster", "one")
				return err
			}},
			{PreConfig: func() { reported(false) }, Config: config, Destroy: true},
		},
	})
}

// reportProtection has the status of the Cluster one report a Shoot, as its cluster provider writes it.
func reportProtection(t *testing.T, l acceptance.ProfileLandscape, name string, protected bool) {
	t.Helper()
	shoot := map[string]any{
		"metadata": map[string]any{"namespace": l.Name, "name": name, "annotations": kube.Protected(protected)},
		"spec":     map[string]any{"credentialsBindingName": "aws-1"},
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{
		"phase": "Ready", "observedGeneration": 1, "providerStatus": map[string]any{"shoot": shoot},
	}})
	if err == nil {
		err = l.PlatformCluster.Client().Status().Patch(t.Context(), openmcp.New("Cluster", l.Requests, "one"),
			client.RawPatch("application/merge-patch+json", patch))
	}
	if err != nil {
		t.Error(err)
	}
}

// A destroy that takes the Shoot first goes on to its Cluster, although the status of that is a copy of before and shows the protection that
// was taken away.
func TestAccCluster_shootSeenToGo(t *testing.T) {
	t.Parallel()
	on := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l := acceptance.NewProfileLandscapeOn(t, on.Landscape)
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"),
		[]byte("\n---\n"), testbed.RoleExample(t, "platform-clusters.yaml")))
	configure(t, l, l.Config, "aws-1", strings.TrimPrefix(l.Name, "garden-"))
	claim := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`)
	config := claim +
		acceptance.ClusterOf(fmt.Sprintf("namespace = %q", l.Requests), fmt.Sprintf("profile = \"test.gardener.%s\"", l.Config),
			`wait_for = "created"`, "depends_on = [hap_credentials_binding_claim.one]") +
		acceptance.ShootOf(acceptance.TemplateWith(), "deletion_protection = false",
			"cluster_ref = { namespace = hap_cluster.one.namespace, name = hap_cluster.one.name }")
	gone := acceptance.PlatformLandscape{Platform: l.PlatformCluster, Namespace: l.Requests}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             func(*terraform.State) error { return gone.None("Cluster", "one") },
		Steps: []resource.TestStep{
			{Config: claim}, // a profile is planned on an account that is claimed
			{Config: config},
			{PreConfig: func() { reportProtection(t, l, "blue", true) }, Config: config, Destroy: true},
		},
	})
}
