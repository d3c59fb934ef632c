package provider

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// The last request that holds a Cluster is neither destroyed nor replaced while it is protected, as it is where the configuration does not
// say; the value that was applied last counts.
func TestAccClusterRequest_protected(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	refused := func(config string) resource.TestStep {
		return resource.TestStep{Config: l.provider() + config, PlanOnly: true, ExpectError: errorLike(diagnose.SummaryShootProtected,
			"Request "+l.namespace+"/one has deletion_protection = true in the state, and it is the last that holds Cluster "+l.namespace,
			"Set deletion_protection = false and apply that first")}
	}
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config:            l.provider() + requestOf("one", "mcp", "deletion_protection = null"),
				ConfigPlanChecks:  emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{requestValue("deletion_protection", knownvalue.Bool(true))},
				Check: func(*terraform.State) error {
					uid = l.uid(t, "ClusterRequest", "one")
					return nil
				},
			},
			refused("# gone\n"),
			refused(requestOf("one", "workload", "deletion_protection = true")),
			refused(requestOf("one", "workload")),
			refused(strings.Replace(requestOf("one", "mcp"), `"one"`+"\n", `"two"`+"\n", 1)),
			{
				Config: l.provider() + requestOf("one", "mcp"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
				},
				Check: func(*terraform.State) error { return equal("uid", l.uid(t, "ClusterRequest", "one"), uid) },
			},
		},
	})
}

// A protected request can go while others hold its Cluster. One that is not protected does not take along the Cluster of one that is.
func TestAccClusterRequest_protectedBesideOthers(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	of := func(name, protection string) string {
		return requestOf(name, "onboarding", "deletion_protection = "+protection)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.provider() + of("one", "true") + of("two", "true")},
			{
				Config: l.provider() + "# all go\n", PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryShootProtected, "this run withdraws all requests that hold Cluster"),
			}, {
				Config: l.provider() + of("two", "true"),
				Check:  func(*terraform.State) error { return l.none("ClusterRequest", "one") },
			},
			{Config: l.provider() + of("one", "false") + of("two", "true")},
			{
				Config: l.provider() + "# both go\n", PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryShootProtected, l.namespace+"/two has deletion_protection = true in the state"),
			},
			{Config: l.provider() + of("one", "false") + of("two", "false")},
		},
	})
}

// A Cluster that is protected is neither destroyed nor replaced.
func TestAccCluster_protected(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	protected := func(attributes ...string) string {
		return l.provider() + clusterOf(append(attributes, "deletion_protection = null")...)
	}
	refused := func(config string) resource.TestStep {
		return resource.TestStep{Config: config, PlanOnly: true, ExpectError: errorLike(diagnose.SummaryShootProtected,
			"Cluster "+l.namespace+"/one has deletion_protection = true in the state: it is neither destroyed nor replaced")}
	}
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: protected(), ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{clusterValue("deletion_protection", knownvalue.Bool(true))},
				Check: func(*terraform.State) error {
					uid = l.uid(t, "Cluster", "one")
					return nil
				},
			},
			refused(l.provider() + "# gone\n"),
			refused(protected(`profile = "` + testbed.WorkerProfile + `"`)),
			refused(protected(`name = "two"`)),
			refused(l.provider() + clusterOf(`name = "two"`)),
			{Config: l.provider() + clusterOf(), Check: func(*terraform.State) error { return equal("uid", l.uid(t, "Cluster", "one"), uid) }},
		},
	})
}

// Protection holds against -replace, against a resource that is tainted, and in the state of a release that did not know it, which plans
// no change.
func TestAccProtection_replaceTaintAndOldStates(t *testing.T) {
	t.Parallel()
	l := newHeldLandscape(t)
	c := cli.New(t)
	block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.provider()
	says := func(exit int, words string, arguments ...string) {
		t.Helper()
		result := c.Run(t, append(arguments, "-no-color")...)
		said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
		if result.ExitCode != exit || !strings.Contains(said, words) {
			t.Errorf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
		}
	}
	c.Write(t, block+requestOf("one", "mcp", "deletion_protection = null")+clusterOf("deletion_protection = null"))
	says(0, "Apply complete", "apply", "-auto-approve")
	request, cluster := l.uid(t, "ClusterRequest", "one"), l.uid(t, "Cluster", "one")

	const protected = "/one has deletion_protection = true in the state"
	const ofRequest, ofCluster = protected + ", and it is the last", protected + ":"
	says(1, ofRequest, "plan", "-replace="+requestOne)
	says(1, ofCluster, "plan", "-replace="+clusterOne)
	for address, words := range map[string]string{requestOne: ofRequest, clusterOne: ofCluster} {
		says(0, "marked as tainted", "taint", address)
		says(1, words, "apply", "-auto-approve")
		says(0, "untainted", "untaint", address)
	}
	withoutProtection(t, filepath.Join(c.Folder, "terraform.tfstate"))
	says(0, "No changes", "plan", "-detailed-exitcode")
	says(1, "has deletion_protection = true in the state", "destroy", "-auto-approve")
	says(1, ofRequest, "destroy", "-auto-approve", "-refresh=false", "-target="+requestOne)
	if now := l.uid(t, "ClusterRequest", "one"); now != request {
		t.Errorf("the request was made anew: %s, not %s", now, request)
	}
	if now := l.uid(t, "Cluster", "one"); now != cluster {
		t.Errorf("the Cluster was made anew: %s, not %s", now, cluster)
	}
	c.Write(t, block+requestOf("one", "mcp")+clusterOf())
	says(0, "2 changed", "apply", "-auto-approve")
	says(0, "2 destroyed", "destroy", "-auto-approve")
	if err := l.noRequests(nil); err != nil {
		t.Error(err)
	}
}

// withoutProtection makes a state what a release without the attribute has written.
func withoutProtection(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	resources, _ := state["resources"].([]any)
	for _, r := range resources {
		one, _ := r.(map[string]any)
		instances, _ := one["instances"].([]any)
		for _, i := range instances {
			instance, _ := i.(map[string]any)
			attributes, _ := instance["attributes"].(map[string]any)
			if attributes["deletion_protection"] != true {
				t.Fatalf("the state has deletion_protection = %v", attributes["deletion_protection"])
			}
			delete(attributes, "deletion_protection")
			delete(instance, "private")
		}
	}
	if text, err = json.Marshal(state); err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
