package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A Cluster and a request of Gardener say which Shoot is behind them, by which its access and its account are found.
func TestAccCluster_shoot(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	shared := l.ClusterOn(`purposes = ["work"]`, `tenancy = "Shared"`)
	request := strings.Replace(requestsOn([]string{"one"}), "[hap_gardener_provider_config.one]", "[hap_cluster.one]", 1)
	shoot := tfjsonpath.New("shoot")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config:           l.Builtin() + l.Workerless() + shared + request,
			ConfigPlanChecks: acceptance.EmptyAfterwards,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.ClusterOne, shoot.AtMapKey("namespace"), knownvalue.StringExact(l.Name)),
				statecheck.CompareValuePairs(acceptance.ClusterOne, shoot, acceptance.RequestOne, shoot, compare.ValuesSame()),
			},
			Check: func(s *terraform.State) error {
				return acceptance.Equal("the Shoot", s.RootModule().Resources[acceptance.ClusterOne].Primary.Attributes["shoot.name"], onlyShoot(t, l))
			},
		}},
	})
}

// onlyShoot is the name of the one Shoot that there is.
func onlyShoot(t *testing.T, l acceptance.ProfileLandscape) string {
	t.Helper()
	var all gardencore.ShootList
	if err := l.Garden().AdminClient().List(t.Context(), &all, client.InNamespace(l.Name)); err != nil || len(all.Items) != 1 {
		t.Fatalf("there are %d Shoots, %v", len(all.Items), err)
	}
	return all.Items[0].Name
}

// An access says which Shoot is behind its Cluster; none where its cluster provider reports none.
func TestAccAccessRequest_shoot(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + l.AccessOf("one"), ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("shoot", knownvalue.Null())},
			}, {
				PreConfig: func() {
					cluster := testbed.New("Cluster", l.Namespace, l.Cluster)
					patch, err := json.Marshal(map[string]any{"status": map[string]any{"providerStatus": map[string]any{
						"shoot": map[string]any{"metadata": map[string]any{"namespace": "garden-x", "name": "s-one"}},
					}}})
					if err == nil {
						err = l.Client().Status().Patch(t.Context(), cluster, client.RawPatch("application/merge-patch+json", patch))
					}
					if err != nil {
						t.Error(fmt.Errorf("telling of a Shoot: %w", err))
					}
				},
				Config:           l.Provider() + l.AccessOf("one"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("shoot", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"namespace": knownvalue.StringExact("garden-x"), "name": knownvalue.StringExact("s-one"),
				}))},
			},
		},
	})
}
