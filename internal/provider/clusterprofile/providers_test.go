package clusterprofile_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// The cluster providers of a platform cluster are shown with what keeps them from running, and with what they have published.
func TestAccClusterProviders(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	runs, fails, user := "runs-"+l.Requests, "fails-"+l.Requests, l.PlatformCluster.ServiceAccount(t, l.Requests, "reader",
		testbed.RoleExample(t, "platform.yaml"))
	condition := func(kind, status, reason, message string) map[string]any {
		return map[string]any{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z"}
	}
	l.PlatformCluster.Install(t, runs, map[string]any{"phase": "Ready", "observedGeneration": int64(1), "conditions": []any{}})
	l.PlatformCluster.Install(t, fails, map[string]any{"phase": "Progressing", "observedGeneration": int64(1), "conditions": []any{
		condition("Ready", "False", "DeploymentFailed", "image cannot be pulled"), condition("Installed", "True", "Done", ""),
	}})
	profile := openmcp.New("ClusterProfile", "", "test."+runs+".aws")
	profile.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": runs}, "providerConfigRef": map[string]any{"name": "aws"},
		"supportedVersions": []any{map[string]any{"version": "1.9.1", "deprecated": true}, map[string]any{"version": "1.33.4"}},
	}
	if err := l.PlatformCluster.Client().Create(t.Context(), profile); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`
data "hap_cluster_providers" "all" {}
output "runs" {
  value = [for p in data.hap_cluster_providers.all.providers : p if p.name == %q][0]
}
output "fails" {
  value = [for p in data.hap_cluster_providers.all.providers : p if p.name == %q][0]
}
`, runs, fails)
	text := knownvalue.StringExact
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: l.On(user) + config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("runs", knownvalue.ObjectExact(map[string]knownvalue.Check{
						"name": text(runs), "ready": knownvalue.Bool(true), "phase": text("Ready"), "conditions": knownvalue.ListExact(nil),
						"profiles": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
							"name": text("test." + runs + ".aws"), "versions": knownvalue.ListExact([]knownvalue.Check{
								knownvalue.ObjectExact(map[string]knownvalue.Check{"version": text("1.33.4"), "deprecated": knownvalue.Bool(false)}),
								knownvalue.ObjectExact(map[string]knownvalue.Check{"version": text("1.9.1"), "deprecated": knownvalue.Bool(true)}),
							}),
						})}),
					})),
					statecheck.ExpectKnownOutputValue("fails", knownvalue.ObjectExact(map[string]knownvalue.Check{
						"name": text(fails), "ready": knownvalue.Bool(false), "phase": text("Progressing"), "profiles": knownvalue.ListExact(nil),
						"conditions": knownvalue.ListExact([]knownvalue.Check{
							knownvalue.ObjectExact(map[string]knownvalue.Check{
								"type": text("Installed"), "status": text("True"), "reason": text("Done"), "message": knownvalue.Null(),
							}),
							knownvalue.ObjectExact(map[string]knownvalue.Check{
								"type": text("Ready"), "status": text("False"), "reason": text("DeploymentFailed"), "message": text("image cannot be pulled"),
							}),
						}),
					})),
				},
			}, {
				Config:      l.On(l.PlatformUser) + config, // who has no right to list them
				ExpectError: acceptance.ErrorLike(diagnose.SummaryPlatformForbidden, `Grant the verb "list" on clusterproviders in all namespaces`),
			},
		},
	})
}
