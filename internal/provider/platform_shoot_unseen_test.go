package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// A plan that gets no answer from the platform cluster goes by the Shoot that the state knows: a Cluster with which that of a protected
// hap_shoot goes is neither destroyed nor replaced, and where the Shoot is not protected the plan says what it could not see.
func TestAccCluster_protectedShootUnseen(t *testing.T) {
	t.Parallel()
	on := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l := newGardenerPlatformOn(t, on)
	kubeconfig, err := os.ReadFile(l.PlatformUser.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	text := regexp.MustCompile(`server: .*`).ReplaceAllString(string(kubeconfig), "server: https://127.0.0.1:1")
	if err := os.WriteFile(nowhere, []byte(text), 0o600); err != nil || text == string(kubeconfig) {
		t.Fatalf("the kubeconfig names no server: %v", err)
	}
	shoot := func(protected bool) string {
		return acceptance.ShootOf(acceptance.TemplateWith(), fmt.Sprintf("deletion_protection = %t", protected),
			fmt.Sprintf("cluster_ref = { namespace = %q, name = \"one\" }", l.Requests))
	}
	block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.Builtin()
	unseen := strings.Replace(block, l.PlatformUser.Kubeconfig, nowhere, 1)
	rest := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")), "wait_for_profile = true")
	cluster := l.ClusterOn("depends_on = [hap_gardener_provider_config.one, hap_shoot.one]")

	c := cli.New(t)
	says := func(exit int, words string, arguments ...string) {
		t.Helper()
		result := c.Run(t, append(arguments, "-no-color")...)
		said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
		if result.ExitCode != exit || !strings.Contains(said, words) {
			t.Errorf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
		}
	}
	of := l.Requests + "/one"
	c.Write(t, block+rest+shoot(true)+cluster)
	says(0, "Apply complete", "apply", "-auto-approve")
	refused := "Shoot " + l.Name + "/blue has deletion_protection = true in the state; this plan ends Cluster " + of +
		", and whether it goes with that is not known: the platform cluster could not be looked at"
	c.Write(t, unseen+rest+shoot(true))
	says(1, refused, "plan", "-refresh=false")
	c.Write(t, unseen+rest+shoot(true)+cluster)
	says(1, refused, "plan", "-refresh=false", "-replace=hap_cluster.one")
	c.Write(t, block+rest+shoot(true)+cluster)
	says(1, "Shoot "+l.Name+"/blue has the annotation hap-project.io/deletion-protection: \"true\", and would go with Cluster "+of,
		"destroy", "-auto-approve", "-target=hap_cluster.one") // which leaves the hap_shoot out

	c.Write(t, block+rest+shoot(false)+cluster)
	says(0, "Apply complete", "apply", "-auto-approve")
	c.Write(t, unseen+rest+shoot(false))
	says(0, "As far as the state knows it takes Shoot "+l.Name+"/blue along, which no hap_shoot of this plan protects", "plan", "-refresh=false")
	if live, err := on.Live("blue"); err != nil || live == nil || live.DeletionTimestamp != nil {
		t.Errorf("the Shoot is gone, or going: %v, %v", live, err)
	}
	c.Write(t, block+rest+shoot(false)+cluster)
	says(0, "Destroy complete", "destroy", "-auto-approve")
}
