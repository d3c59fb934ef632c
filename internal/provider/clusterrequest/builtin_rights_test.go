package clusterrequest_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// The rights of examples/rbac/platform-builtin.yaml suffice for the built-in scheduler, and a verb less does not: the step that needs it
// fails, and names it.
func TestAccBuiltin_roleIsTheLeast(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	p := openmcp.Shared(t)
	role := string(testbed.RoleExample(t, "platform-builtin.yaml"))
	for name, test := range map[string]struct{ resource, verb, step string }{
		"whole": {},
		"0":     {"clusterrequests", "get", "apply"}, "1": {"clusterrequests", "list", "apply"}, "2": {"clusterrequests", "watch", "destroy"},
		"3": {"clusterrequests", "create", "apply"}, "4": {"clusterrequests", "patch", "destroy"}, "5": {"clusterrequests", "delete", "destroy"},
		"6": {"clusterrequests/status", "patch", "apply"}, "7": {"clusters", "get", "destroy"}, "8": {"clusters", "list", "apply"},
		"9": {"clusters", "watch", "apply"}, "10": {"clusters", "create", "apply"}, "11": {"clusters", "patch", "apply"},
		"12": {"clusters", "delete", "destroy"}, "13": {"clusterprofiles", "list", "apply"}, "14": {"providerconfigs", "list", "apply"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := p.NewNamespace(t)
			user := func(name, role string) string { return p.ServiceAccount(t, namespace, name, []byte(role)).Kubeconfig }
			kubeconfigs := map[string]string{"whole": user("whole", role)}
			kubeconfigs["less"] = kubeconfigs["whole"]
			if test.verb != "" {
				kubeconfigs["less"] = user("less", withoutVerb(t, role, test.resource, test.verb))
			}
			traits, beside := "null", ""
			if test.resource == "clusterrequests/status" { // a denial is there alone; a grant is on the Cluster too
				traits = `[{ trait = "no/such" }]`
				beside = acceptance.ClusterOf() // no plan is certain of a denial while it makes a Cluster
			}
			here := strings.NewReplacer("workload", "own-"+namespace, "no_such", traits) // the Clusters of the other cases are seen too
			if beside != "" {
				here = strings.NewReplacer("workload", "own-"+namespace, "no_such", traits+"\n  depends_on = [hap_cluster.one]",
					"  depends_on          = [hap_cluster_request.one]\n", "")
			}
			folder := cli.New(t)
			as := func(who, step string) cli.Result {
				acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+acceptance.PlatformLandscape{Kubeconfig: kubeconfigs[who]}.Builtin()+beside+here.Replace(`
resource "hap_cluster_request" "one" {
  name                = "one"
  purposes            = ["workload"]
  traits              = no_such
  purpose_definitions = { workload = {} }
  deletion_protection = false
}
resource "hap_cluster_request" "two" {
  name                = "two"
  purposes            = ["workload"]
  traits              = no_such
  purpose_definitions = { workload = {} }
  deletion_protection = false
  depends_on          = [hap_cluster_request.one]
}
`))
				arguments := []string{step, "-auto-approve"}
				if step == "destroy" && beside != "" { // its plan would make the denied requests anew, which is refused
					arguments = append(arguments, "-refresh=false")
				}
				return folder.Run(t, arguments...)
			}
			defer func() {
				if result := as("whole", "destroy"); result.ExitCode != 0 {
					t.Errorf("destroy with all rights: %s", result.Output)
				}
			}()
			told, object := "", strings.TrimSuffix(test.resource, "/status")
			for _, step := range []string{"apply", "destroy"} {
				result := as("less", step)
				if test.verb != "" && strings.Contains(strings.Join(strings.Fields(result.Output), " "), "not allowed: "+test.verb+" "+object) {
					told = step
					break
				}
				if result.ExitCode != 0 {
					t.Fatalf("%s without %s on %s fails for another reason:\n%s", step, test.verb, test.resource, result.Output)
				}
				t.Logf("%s without %s on %s:\n%s", step, test.verb, test.resource, result.Output)
			}
			if told != test.step {
				t.Errorf("what is missing without %s on %s is reported by %q, want %q", test.verb, test.resource, told, test.step)
			}
		})
	}
}

// withoutVerb is a file of roles without one verb on a resource.
func withoutVerb(t *testing.T, role, resource, verb string) string {
	t.Helper()
	rules := strings.SplitAfter(role, "resources: ["+resource+"]")
	if len(rules) != 2 {
		t.Fatalf("the file has %d rules for %s", len(rules)-1, resource)
	}
	less := strings.Replace(rules[1], "- "+verb+"\n", "- deletecollection\n", 1)
	if less == rules[1] {
		t.Fatalf("there is no verb %s on %s", verb, resource)
	}
	return rules[0] + less
}
