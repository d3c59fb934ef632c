package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// generated imports a Shoot into a folder of its own with a generated configuration, and returns that.
func generated(t *testing.T, provider, name string) (folder *cli.CLI, text string, said cli.Result) {
	t.Helper()
	folder = cli.New(t)
	folder.Write(t, acceptance.Requiring+provider+fmt.Sprintf("import {\n  to = hap_shoot.one\n  id = %q\n}\n", name))
	said = acceptance.Run(t, folder, "plan", "-generate-config-out=generated.tf")
	content, err := os.ReadFile(filepath.Join(folder.Folder, "generated.tf"))
	if err != nil {
		t.Fatal(err)
	}
	return folder, strings.Replace(string(content), "global_account           = null", `global_account = "ga-1"`, 1), said
}

// shootsNow are the Shoots of a namespace, by name, with their UID and the Cluster of their labels.
func shootsNow(t *testing.T, on acceptance.ClusterLandscape) map[string]string {
	t.Helper()
	list := &gardencore.ShootList{}
	if err := on.Garden().AdminClient().List(t.Context(), list, client.InNamespace(on.Name)); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for i := range list.Items {
		s := &list.Items[i]
		all[s.Name] = fmt.Sprintf("%s of %q, deleting: %t", s.UID, s.Labels["gardener.clusters.openmcp.cloud/cluster-name"], s.DeletionTimestamp != nil)
	}
	return all
}

// says reports what of these words an output does not have, whatever lines it is in.
func says(t *testing.T, output string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !acceptance.SaysInOrder(output, []string{word}) {
			t.Errorf("no %q in\n%s", word, output)
		}
	}
}

// withOneShoot is a platform cluster beside a landscape, and a configuration of it that has made one Shoot: before is that one.
func withOneShoot(t *testing.T, more func(acceptance.ProfileLandscape) string) (
	on acceptance.ClusterLandscape, l acceptance.ProfileLandscape, first *cli.CLI, before map[string]string,
) {
	t.Helper()
	on = acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l = newGardenerPlatformOn(t, on)
	first = cli.New(t)
	first.Write(t, acceptance.Requiring+l.Builtin()+acceptance.RulesAWS+l.ConfigOf(acceptance.TemplateWith(),
		fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")), "wait_for_profile = true")+
		acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`)+more(l))
	acceptance.Run(t, first, "apply", "-auto-approve")
	if before = shootsNow(t, on); len(before) != 1 {
		t.Fatalf("the Shoots are %v", before)
	}
	return on, l, first, before
}

// A Shoot that a Cluster has adopted is imported, and changed: it stays the Shoot of its Cluster, which gets no other one. A configuration
// that names the Cluster no longer is refused while the Cluster is there.
func TestAccShoot_importedStaysOfItsCluster(t *testing.T) {
	t.Parallel()
	on, l, first, before := withOneShoot(t, func(l acceptance.ProfileLandscape) string {
		return acceptance.ShootOf(acceptance.TemplateWith(), fmt.Sprintf("cluster_ref = { namespace = %q, name = \"one\" }", l.Requests)) +
			l.ClusterOn("depends_on = [hap_gardener_provider_config.one, hap_shoot.one]")
	})
	if !strings.Contains(before["blue"], `of "one"`) {
		t.Fatalf("the Cluster has not adopted the Shoot: %v", before)
	}

	heir, text, _ := generated(t, l.Builtin(), "blue")
	acceptance.WriteFile(t, heir, "generated.tf", strings.Replace(text, "maximum: 2", "maximum: 3", 1))
	acceptance.Run(t, heir, "apply", "-auto-approve")
	time.Sleep(5 * time.Second) // some rounds of the cluster provider
	if now := shootsNow(t, on); len(now) != 1 || now["blue"] != before["blue"] {
		t.Errorf("the Shoots are %v, and were %v", now, before)
	}
	if s, err := on.Live("blue"); err != nil || s.Spec.Provider.Workers[0].Maximum != 3 {
		t.Errorf("the change has not come: %v, %v", s.Spec.Provider.Workers, err)
	}

	from, to := strings.Index(text, "cluster_ref"), strings.Index(text, "credentials_binding_name")
	acceptance.WriteFile(t, heir, "generated.tf", text[:from]+text[to:])
	refused := heir.Run(t, "apply", "-auto-approve")
	if refused.ExitCode == 0 {
		t.Error("the Shoot was taken from its Cluster")
	}
	says(t, refused.Output, "Error: "+diagnose.SummaryShootOfCluster, "Shoot blue is that of Cluster "+l.Requests+"/one", "Nothing was written to it")
	acceptance.WriteFile(t, heir, "generated.tf", strings.Replace(text, "deletion_protection      = true", "deletion_protection = false", 1))
	acceptance.Run(t, heir, "apply", "-auto-approve")
	says(t, acceptance.Run(t, heir, "plan", "-destroy").Output, "Warning: "+diagnose.SummaryShootOfCluster, "makes another one for the Cluster")
	if now := shootsNow(t, on); len(now) != 1 || now["blue"] != before["blue"] {
		t.Errorf("the Shoots are %v, and were %v", now, before)
	}
	first.Run(t, "destroy", "-auto-approve") // of all: the Cluster goes in the same plan
	if now := shootsNow(t, on); len(now) != 0 {
		t.Errorf("the Shoots %v are left", now)
	}
}

// The Shoot that a cluster provider has made for a protected Cluster is imported with a word of that, and not destroyed under the Cluster.
func TestAccShoot_importedOfAProtectedCluster(t *testing.T) {
	t.Parallel()
	on, l, _, before := withOneShoot(t, func(l acceptance.ProfileLandscape) string {
		return l.ClusterOn("depends_on = [hap_gardener_provider_config.one]", "deletion_protection = true")
	})
	for name, is := range before {
		heir, text, said := generated(t, l.Builtin(), name)
		says(t, said.Output, "Warning: "+diagnose.SummaryShootAlong, "Shoot "+name+", which is imported, is that of Cluster "+l.Requests+"/one")
		acceptance.WriteFile(t, heir, "generated.tf", strings.Replace(text, "deletion_protection      = true", "deletion_protection = false", 1))
		acceptance.Run(t, heir, "apply", "-auto-approve")
		for _, command := range [][]string{{"destroy", "-auto-approve"}, {"apply", "-auto-approve", "-replace=hap_shoot.one"}} {
			refused := heir.Run(t, command...)
			if refused.ExitCode == 0 {
				t.Errorf("%s: the Shoot of a protected Cluster was destroyed", command)
			}
			says(t, refused.Output, "Error: "+diagnose.SummaryShootProtected, "Shoot "+name+" is that of Cluster "+l.Requests+"/one", "removed block")
		}
		if now := shootsNow(t, on); now[name] != is {
			t.Errorf("the Shoots are %v, and were %v", now, before)
		}
	}
}
