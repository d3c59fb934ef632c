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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// The last request that holds a Cluster is neither destroyed nor replaced while it is protected, as it is where the configuration does not
// say; the value that was applied last counts.
func TestAccClusterRequest_protected(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	refused := func(config string) resource.TestStep {
		return resource.TestStep{Config: l.Provider() + config, PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryShootProtected,
			"Request "+l.Namespace+"/one has deletion_protection = true in the state, and it is the last that holds Cluster "+l.Namespace,
			"Set deletion_protection = false and apply that first")}
	}
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config:            l.Provider() + acceptance.RequestOf("one", "mcp", "deletion_protection = null"),
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("deletion_protection", knownvalue.Bool(true))},
				Check: func(*terraform.State) error {
					uid = l.UID(t, "ClusterRequest", "one")
					return nil
				},
			},
			refused("# gone\n"),
			refused(acceptance.RequestOf("one", "workload", "deletion_protection = true")),
			refused(acceptance.RequestOf("one", "workload")),
			refused(strings.Replace(acceptance.RequestOf("one", "mcp"), `"one"`+"\n", `"two"`+"\n", 1)),
			{
				Config: l.Provider() + acceptance.RequestOf("one", "mcp"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
				},
				Check: func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t, "ClusterRequest", "one"), uid) },
			},
		},
	})
}

// A protected request can go while others hold its Cluster. One that is not protected does not take along the Cluster of one that is.
func TestAccClusterRequest_protectedBesideOthers(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	of := func(name, protection string) string {
		return acceptance.RequestOf(name, "onboarding", "deletion_protection = "+protection)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + of("one", "true") + of("two", "true")},
			{
				Config: l.Provider() + "# all go\n", PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootProtected, "this run withdraws all requests that hold Cluster"),
			}, {
				Config: l.Provider() + of("two", "true"),
				Check:  func(*terraform.State) error { return l.None("ClusterRequest", "one") },
			},
			{Config: l.Provider() + of("one", "false") + of("two", "true")},
			{
				Config: l.Provider() + "# both go\n", PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootProtected, l.Namespace+"/two has deletion_protection = true in the state"),
			},
			{Config: l.Provider() + of("one", "false") + of("two", "false")},
		},
	})
}

// A Cluster that is protected is neither destroyed nor replaced.
func TestAccCluster_protected(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	protected := func(attributes ...string) string {
		return l.Provider() + acceptance.ClusterOf(append(attributes, "deletion_protection = null")...)
	}
	refused := func(config string) resource.TestStep {
		return resource.TestStep{Config: config, PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryShootProtected,
			"Cluster "+l.Namespace+"/one has deletion_protection = true in the state: it is neither destroyed nor replaced")}
	}
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: protected(), ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ClusterValue("deletion_protection", knownvalue.Bool(true))},
				Check: func(*terraform.State) error {
					uid = l.UID(t, "Cluster", "one")
					return nil
				},
			},
			refused(l.Provider() + "# gone\n"),
			refused(protected(`profile = "` + testbed.WorkerProfile + `"`)),
			refused(protected(`name = "two"`)),
			refused(l.Provider() + acceptance.ClusterOf(`name = "two"`)),
			{Config: l.Provider() + acceptance.ClusterOf(), Check: func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t, "Cluster", "one"), uid) }},
		},
	})
}

// Protection holds against -replace, against a resource that is tainted, and in the state of a release that did not know it, which plans
// no change.
func TestAccProtection_replaceTaintAndOldStates(t *testing.T) {
	t.Parallel()
	l := acceptance.NewHeldLandscape(t)
	c := cli.New(t)
	block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.Provider()
	says := func(exit int, words string, arguments ...string) {
		t.Helper()
		result := c.Run(t, append(arguments, "-no-color")...)
		said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
		if result.ExitCode != exit || !strings.Contains(said, words) {
			t.Errorf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
		}
	}
	c.Write(t, block+acceptance.RequestOf("one", "mcp", "deletion_protection = null")+acceptance.ClusterOf("deletion_protection = null"))
	says(0, "Apply complete", "apply", "-auto-approve")
	request, cluster := l.UID(t, "ClusterRequest", "one"), l.UID(t, "Cluster", "one")

	const protected = "/one has deletion_protection = true in the state"
	const ofRequest, ofCluster = protected + ", and it is the last", protected + ":"
	says(1, ofRequest, "plan", "-replace="+acceptance.RequestOne)
	says(1, ofCluster, "plan", "-replace="+acceptance.ClusterOne)
	for address, words := range map[string]string{acceptance.RequestOne: ofRequest, acceptance.ClusterOne: ofCluster} {
		says(0, "marked as tainted", "taint", address)
		says(1, words, "apply", "-auto-approve")
		says(0, "untainted", "untaint", address)
	}
	withoutProtection(t, filepath.Join(c.Folder, "terraform.tfstate"))
	says(0, "No changes", "plan", "-detailed-exitcode")
	says(1, "has deletion_protection = true in the state", "destroy", "-auto-approve")
	says(1, ofRequest, "destroy", "-auto-approve", "-refresh=false", "-target="+acceptance.RequestOne)
	if now := l.UID(t, "ClusterRequest", "one"); now != request {
		t.Errorf("the request was made anew: %s, not %s", now, request)
	}
	if now := l.UID(t, "Cluster", "one"); now != cluster {
		t.Errorf("the Cluster was made anew: %s, not %s", now, cluster)
	}
	c.Write(t, block+acceptance.RequestOf("one", "mcp")+acceptance.ClusterOf())
	says(0, "2 changed", "apply", "-auto-approve")
	says(0, "2 destroyed", "destroy", "-auto-approve")
	if err := l.NoRequests(nil); err != nil {
		t.Error(err)
	}
}

// withoutProtection makes a state what a release without the attribute has written.
func withoutProtection(t *testing.T, file string) {
	t.Helper()
	eachInstance(t, file, func(instance map[string]any) {
		attributes, _ := instance["attributes"].(map[string]any)
		if attributes["deletion_protection"] != true {
			t.Fatalf("the state has deletion_protection = %v", attributes["deletion_protection"])
		}
		delete(attributes, "deletion_protection")
		delete(instance, "private")
	})
}

// eachInstance changes the instances of a state.
func eachInstance(t *testing.T, file string, change func(instance map[string]any)) {
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
			change(instance)
		}
	}
	if text, err = json.Marshal(state); err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
