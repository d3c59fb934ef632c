package provider

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// What the examples name: their namespace, their rule set and their claim, the account of another configuration, and the
// provider's own example.
const (
	exampleNamespace = "garden-my-project"
	exampleRules     = `resource "hap_rule_set" "landscape"`
	exampleClaim     = `resource "hap_credentials_binding_claim" "blue"`
	exampleAccount   = "aws-account-7"
	exampleSpare     = "aws-account-9"
	exampleInside    = "my-apps" // a namespace within a cluster
	providerExample  = "provider/provider.tf"
)

// notApplied are files of examples/ that the test does not apply, each with the reason.
var notApplied = map[string]string{
	"guides/accounts.yaml": "the guides are followed on it",
	"guides/moving-to-credentialsbindings/bindings-template.yaml": "see its main.tf",
	"guides/moving-to-credentialsbindings/blue.yaml":              "see its main.tf",
	"guides/moving-to-credentialsbindings/identity.yaml":          "see its main.tf",
	"guides/moving-to-credentialsbindings/main.tf":                "TestAccMove moves the same, and the guide is followed",
	"guides/moving-to-credentialsbindings/older.yaml":             "see its main.tf",
	"guides/taking-over-a-landscape/broker/main.tf":               "the test of the guides follows the page with it",
	"guides/taking-over-a-landscape/decided.yaml":                 "the test of the guides follows the page with it",
	"guides/taking-over-a-landscape/look.tf":                      "the test of the guides follows the page with it",
	"guides/taking-over-a-landscape/main.tf":                      "the test of the guides follows the page with it",
	"guides/taking-over-a-landscape/pipeline.tf":                  "the test of the guides follows the page with it",
	"guides/taking-over-a-landscape/values.yaml":                  "the test of the guides follows the page with it",
	"monitoring/alerts.yaml":                                      "the tests of the metrics read it",
	"monitoring/dashboard.json":                                   "the tests of the metrics read it",
	"rbac/database.sql":                                           "every database of the testbed is granted by it",
	"rbac/platform-builtin.yaml":                                  "the example of the built-in scheduler runs with it",
	"rbac/platform-clusters.yaml":                                 "the tests of hap_cluster run with it",
	"rbac/platform-profiles.yaml":                                 "the tests of profiles run with it",
	"rbac/platform.yaml":                                          "the tests of openMCP run with it",
	"rbac/role-clusters.yaml":                                     "the tests of hap_shoot run with it",
	"rbac/role-credentials.yaml":                                  "the tests of hap_credentials run with it",
	"rbac/role-move.yaml":                                         "the tests of claims that move run with it",
	"rbac/role-outside.yaml":                                      "the tests of credentials of another namespace run with it",
	"rbac/role-readonly.yaml":                                     "a plan, a selection and a report run with it in a test",
	"rbac/role-secret.yaml":                                       "the tests of pools of Secrets run with it",
	"rbac/role-secretbinding.yaml":                                "the tests of pools of SecretBindings run with it",
	"rbac/role-supply.yaml":                                       "the tests of hap_account run with it",
	"rbac/role.yaml":                                              "every acceptance test runs with it",
	"rbac/rolebinding.yaml":                                       "a service account of the testbed gets a binding of its own, of the same content",
}

// example is what is applied in one go: a file, or all files of a folder.
type example struct {
	// name is the path in examples/.
	name string
	// files are the contents by name.
	files map[string]string
}

// wantOutputs are outputs of examples that are worth a check: what the page says must come out.
var wantOutputs = map[string]map[string]string{
	"functions/match_rules/function.tf":    {"pool": "gcp_cf-sa30, by entry 3: gcp(PR=cf-sa30)"},
	"functions/select_binding/function.tf": {"all_full": "claim"},
	"functions/aggregate_purposes/function.tf": {
		"dedicated": "true, by mcp",
		"traits": "[cluster.openmcp.cloud/workerless: required by request, mcp, onboarding " +
			"infrastructure/vendor/aws: required by request]",
	},
	"functions/schedule_cluster/function.tf": {
		"shared":     "reuse workload-1, prefix foob-",
		"colliding":  "random: the proposal foo- collides with foo-bar-, which is granted to team-a/controller",
		"dedicated":  "create aws-workerless 1.20.3",
		"other_name": "create aws-workerless",
		"either":     "create aws",
		"denied": "deny UnsupportedTrait: No deployed profile meets the trait infrastructure/vendor/gcp, and no shared Cluster " +
			"fits.",
	},
	"guides/purposes-traits-prefixes": {
		"shared": "true", "dedicated_by": "map[blue:[] core:[] customer-1:[mcp] green:[]]",
		"tenancy": "map[blue:Shared core:Shared customer-1:Exclusive green:Shared]",
	},
	"functions/convert_rules/function.tf": {
		"for_the_broker": "[azure azure(PR=cf-ch20) -> EU azure(PR=cf-eu11) -> EU aws aws(PR=cf-ch20) -> EU aws(PR=cf-eu11) -> EU trial -> S " +
			"gcp gcp(PR=cf-sa30) -> PR sap-converged-cloud -> HR,S]",
		"from_properties": "[aws gcp gcp(PR=cf-sa30) sap-converged-cloud(CR=*,shared) trial(shared)]",
	},
	"ephemeral-resources/hap_credentials/ephemeral-resource.tf": {"aws_account": fakeAWSAccount},
	"guides/counting": {"candidates": "map[" + exampleAccount + ":2 clusters (1 Shoots, 2 rows), 0 reserved, limit 180: chosen, " +
		"the fullest account of the Global Account that is below the limit]"},
}

// Each example is applied as it is shown but for release_grace, planned again, and destroyed. What comes in stages has a test of its own.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	for _, e := range examples(t) {
		if e.name == clusterStages || e.name == teamsStages { // in stages
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			e.try(t)
		})
	}
}

// try applies one example in a landscape of its own.
func (e example) try(t *testing.T) {
	t.Helper()
	l, after := e.landscape(t)
	cli := e.cli(t, l)
	e.write(t, cli, l)
	switch {
	case strings.HasSuffix(e.name, "import-by-identity.tf") && !acceptance.AtLeast(t, cli, 12, 12):
		t.Skip("identities need OpenTofu 1.12 or Terraform 1.12")
	case path.Ext(e.name) == ".hcl":
		e.query(t, cli)
		return
	case path.Ext(e.name) == ".sh":
		e.shell(t, cli, l)
	}
	acceptance.Run(t, cli, "apply", "-auto-approve")
	state := cli.State(t)
	for name, want := range wantOutputs[e.name] {
		if got := fmt.Sprint(state.Outputs[name]); got != want {
			t.Errorf("output %s is %q, want %q", name, got, want)
		}
	}
	// A data source in a check is read anew by each apply: that is a plan, and no change.
	again := acceptance.Run(t, cli, "plan").Output
	if strings.Contains(again, "\nPlan: ") && !strings.Contains(again, "\nPlan: 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("a second plan changes resources:\n%s", again)
	}
	if e.clusters() {
		e.expectCluster(t, l, state)
	}
	e.unprotect(t, cli)
	acceptance.Run(t, cli, "destroy", "-auto-approve")
	expectNoCluster(t, l)
	defer after()
	for _, a := range l.ListAccounts(t) {
		if a.Labels["dirty"] == "releasing" {
			t.Errorf("account %s is left fenced", a.Name)
		}
	}
}

// write writes the files of an example, and what it leaves out.
func (e example) write(t *testing.T, cli *cli.CLI, l acceptance.Landscape) {
	t.Helper()
	for name, content := range e.files {
		acceptance.WriteFile(t, cli, name, here(l, withoutGrace(t, content)))
	}
	acceptance.WriteFile(t, cli, "beside.tf", here(l, e.beside(t)))
}

// withoutGrace has releases wait for no broker: none runs here.
func withoutGrace(t *testing.T, content string) string {
	t.Helper()
	const block = `provider "hap" {`
	switch {
	case strings.Contains(content, "release_grace"):
		return content
	case strings.Count(content, `provider "hap"`) != strings.Count(content, block):
		t.Fatalf("the provider block is not written %q", block)
	}
	return strings.Replace(content, block, block+"\n  release_grace = \"0s\"\n", 1)
}

// query lists what an example asks for, where the program can. Elsewhere the file has to be harmless.
func (e example) query(t *testing.T, cli *cli.CLI) {
	t.Helper()
	acceptance.Run(t, cli, "plan")
	if acceptance.AtLeast(t, cli, acceptance.Never, 14) {
		acceptance.Run(t, cli, "query")
	}
}

// shell runs the commands of a file with the program under test.
func (e example) shell(t *testing.T, cli *cli.CLI, l acceptance.Landscape) {
	t.Helper()
	commands := 0
	for line := range strings.Lines(here(l, e.files[path.Base(e.name)])) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "terraform" {
			acceptance.Run(t, cli, words[1:]...)
			commands++
		}
	}
	if commands == 0 {
		t.Error("it has no command")
	}
}

// examples are all examples. A file that is none, and has no reason to be none, is an error.
func examples(t *testing.T) []example {
	t.Helper()
	root := filepath.Join(repository(t), "examples")
	found := map[string]example{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil || notApplied[name] != "" {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		// Landscapes and guides are one configuration each; everywhere else each file is a configuration of its own.
		unit := name
		if folder := path.Dir(name); folder == "landscape" || folder == clusterStages || strings.HasPrefix(folder, "guides/") {
			unit = folder
		} else if !slices.Contains([]string{".tf", ".hcl", ".sh"}, path.Ext(name)) {
			t.Errorf("examples/%s is neither applied nor in the list of what is not", name)
		}
		if found[unit].files == nil {
			found[unit] = example{name: unit, files: map[string]string{}}
		}
		found[unit].files[path.Base(name)] = string(content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range notApplied {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("the list of what is not applied names %s: %v", name, err)
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b example) int { return cmp.Compare(a.name, b.name) })
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// exampleFile reads a file of examples/.
func exampleFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository(t), "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// text is all that its files say.
func (e example) text() string { return strings.Join(slices.Collect(maps.Values(e.files)), "\n") }

// beside is what a page leaves out because another one has it: the source of the provider, its block, and the rule set
// and the claim that an example refers to.
func (e example) beside(t *testing.T) string {
	t.Helper()
	all, text := e.text(), ""
	if strings.Contains(all, "hap_shoot.blue") && !strings.Contains(all, exampleCluster) {
		text += exampleFile(t, "resources/hap_shoot/resource.tf")
	}
	if strings.Contains(all, "hap_gardener_provider_config.aws_blue") && !strings.Contains(all, exampleConfig) {
		text += exampleFile(t, "resources/hap_gardener_provider_config/resource.tf")
	}
	if needs := strings.Contains(all+text, "hap_credentials_binding_claim.blue") || e.name == providerExample; needs &&
		!strings.Contains(all, exampleClaim) {
		text += exampleFile(t, "resources/hap_credentials_binding_claim/resource.tf")
	}
	if strings.Contains(all, "hap_account.spare") || strings.Contains(e.name, "hap_account/import") {
		text += exampleFile(t, "resources/hap_account/resource.tf")
	}
	if strings.Contains(all, "hap_access_request.deploy") && !strings.Contains(all, exampleAccess) {
		text += exampleFile(t, "resources/hap_access_request/resource.tf")
	}
	if strings.Contains(all, "hap_cluster_request.workload") && !strings.Contains(all, exampleRequest) {
		text += exampleFile(t, "resources/hap_cluster_request/resource.tf")
	}
	if strings.Contains(all, "hap_cluster.first") && !strings.Contains(all, exampleFirst) {
		text += exampleFile(t, "resources/hap_cluster/resource.tf")
	}
	if strings.Contains(all+text, "hap_rule_set.landscape") && !strings.Contains(all, exampleRules) {
		text += exampleFile(t, "resources/hap_rule_set/resource.tf")
	}
	if !strings.Contains(all, "required_providers") {
		text += "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"
	}
	switch hap := strings.Contains(all, "hap_") && !strings.Contains(all, `provider "hap"`); {
	case hap && e.onPlatform():
		text += platformBlock
	case hap:
		text += "provider \"hap\" {\n  release_grace = \"0s\"\n}\n"
	}
	return text
}
