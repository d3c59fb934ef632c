package provider

import (
	"fmt"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// A request is the last on a Cluster that has adopted the Shoot of a hap_shoot. A plan that ends the request is refused while the hap_shoot
// is protected. Where it is not, the plan names the Shoot.
func TestAccClusterRequest_takesShootAlong(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	c := cli.New(t)
	says := func(exit int, words string, arguments ...string) {
		t.Helper()
		result := c.Run(t, append(arguments, "-no-color")...)
		said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
		if result.ExitCode != exit || !strings.Contains(said, words) {
			t.Fatalf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
		}
	}
	config := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.Builtin() + acceptance.RulesAWS +
		acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) + l.ConfigOf(acceptance.TemplateWith(),
		fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")), "wait_for_profile = true")
	request := func(after string) string {
		return fmt.Sprintf("resource \"hap_cluster_request\" \"one\" {\n  name = \"one\"\n  purposes = [\"core\"]\n  "+
			"purpose_definitions = { core = {} }\n  traits = [{ trait = \"kubernetes.io/apis/compute\" }]\n  deletion_protection = false\n  "+
			"depends_on = [%s]\n}\n", after)
	}
	const profile = "hap_gardener_provider_config.one"
	c.Write(t, config+request(profile))
	says(0, "Apply complete", "apply", "-auto-approve")
	cluster, _ := c.State(t).Attribute(acceptance.RequestOne, "cluster").(map[string]any)
	c.Write(t, config)
	says(0, "Apply complete", "apply", "-auto-approve")
	shoot := func(protected bool) string {
		return strings.Replace(acceptance.ShootOf(acceptance.TemplateWith(), fmt.Sprintf("deletion_protection = %t", protected)), "\n}\n",
			fmt.Sprintf("\n  cluster_ref = { namespace = %q, name = %q }\n}\n", cluster["namespace"], cluster["name"]), 1)
	}
	c.Write(t, config+shoot(true)+request(profile+", hap_shoot.one"))
	says(0, "Apply complete", "apply", "-auto-approve")
	c.Write(t, config+shoot(true))
	says(1, "Shoot "+l.Name+"/blue has deletion_protection = true in the state", "apply", "-auto-approve")
	live := &gardencore.Shoot{}
	err := l.Garden().AdminClient().Get(t.Context(), client.ObjectKey{Namespace: l.Name, Name: "blue"}, live)
	if err != nil || live.DeletionTimestamp != nil {
		t.Errorf("the Shoot is gone, or going: %v", err)
	}
	c.Write(t, config+shoot(false)+request(profile+", hap_shoot.one"))
	says(0, "Apply complete", "apply", "-auto-approve")
	c.Write(t, config+shoot(false))
	says(0, "the scheduler deletes the Cluster and Shoot "+l.Name+"/blue with it", "plan")
}
