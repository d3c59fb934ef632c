package provider

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// refuses runs a command that has to fail with these words.
func refuses(t *testing.T, c *cli.CLI, words []string, command ...string) {
	t.Helper()
	result := c.Run(t, command...)
	if result.ExitCode == 0 {
		t.Errorf("%s went through", command)
	}
	says(t, result.Output, words...)
}

// merge merges a patch into the Cluster one, or into its status.
func merge(t *testing.T, l acceptance.ProfileLandscape, patch string) {
	t.Helper()
	object, body := openmcp.New("Cluster", l.Requests, "one"), client.RawPatch("application/merge-patch+json", []byte(patch))
	err := l.PlatformCluster.Client().Patch(t.Context(), object, body)
	if strings.HasPrefix(patch, `{"status"`) {
		err = l.PlatformCluster.Client().Status().Patch(t.Context(), object, body)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const (
	annotate   = `{"metadata":{"annotations":{"hap-project.io/deletion-protection":"true"}}}`
	unannotate = `{"metadata":{"annotations":{"hap-project.io/deletion-protection":null}}}`
)

// The apply does not take the Shoot of a protected Cluster either: not that of a tainted resource of which the plan knows nothing, nor where
// the Cluster has got its protection since the plan. A replacement under a Cluster that stays is refused also where that is not protected.
func TestAccShoot_isNotTakenByTheApply(t *testing.T) {
	t.Parallel()
	on, l, first, before := withOneShoot(t, func(l acceptance.ProfileLandscape) string {
		return acceptance.ShootOf(acceptance.TemplateWith(), fmt.Sprintf("cluster_ref = { namespace = %q, name = \"one\" }", l.Requests)) +
			l.ClusterOn("depends_on = [hap_gardener_provider_config.one, hap_shoot.one]", "deletion_protection = false")
	})
	stays := func(when string) {
		t.Helper()
		if now := shootsNow(t, on); !maps.Equal(now, before) {
			t.Errorf("%s: the Shoots are %v, and were %v", when, now, before)
		}
	}
	annotated := []string{"Error: " + diagnose.SummaryAnnotated, "Cluster " + l.Requests + "/one", "The cluster was not deleted."}

	acceptance.Run(t, first, "plan", "-destroy", "-target=hap_shoot.one", "-out=p")
	refuses(t, first, []string{"Error: " + diagnose.SummaryShootOfCluster, "beside the one that this plan makes"}, "plan", "-replace=hap_shoot.one")
	merge(t, l, annotate)
	refuses(t, first, annotated, "apply", "p")
	stays("a plan from before the protection")

	acceptance.Run(t, first, "taint", "hap_shoot.one")
	refuses(t, first, annotated, "apply", "-auto-approve", "-refresh=false", "-target=hap_shoot.one")
	acceptance.Run(t, first, "untaint", "hap_shoot.one")
	stays("a tainted one")

	merge(t, l, unannotate)
	acceptance.Run(t, first, "destroy", "-auto-approve")
	if now := shootsNow(t, on); len(now) != 0 {
		t.Errorf("the Shoots %v are left", now)
	}
}

// A Shoot that another party has labelled for a Cluster is not taken from it by the cluster_ref of another one; one whose labels a person has
// taken off is still that of the Cluster whose status names it. A Cluster that is being deleted gets no Shoot.
func TestAccShoot_labelledByAnotherParty(t *testing.T) {
	t.Parallel()
	on := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l := newGardenerPlatformOn(t, on)
	for _, name := range []string{"one", "gone"} {
		object := openmcp.New("Cluster", l.Requests, name)
		object.Object["spec"] = map[string]any{"profile": "other.x.y", "tenancy": "Exclusive", "purposes": []any{"x"}}
		object.SetFinalizers([]string{"example.com/held"})
		if err := l.PlatformCluster.Client().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = l.PlatformCluster.Client().Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
		})
	}
	if err := l.PlatformCluster.Client().Delete(t.Context(), openmcp.New("Cluster", l.Requests, "gone")); err != nil {
		t.Fatal(err)
	}
	folder := cli.New(t)
	write := func(ref string, more ...string) {
		if ref != "" {
			more = append(more, fmt.Sprintf("cluster_ref = { namespace = %q, name = %q }", l.Requests, ref))
		}
		folder.Write(t, acceptance.Requiring+l.Builtin()+acceptance.RulesAWS+acceptance.ClaimOf("one", "ga-1")+acceptance.ShootOf(acceptance.TemplateWith(), more...))
	}
	labelled := func(name string) {
		on.Edit(t, "blue", func(s *gardencore.Shoot) {
			if s.Labels == nil {
				s.Labels = map[string]string{}
			}
			for key, value := range map[string]string{"cluster-name": name, "cluster-namespace": l.Requests} {
				if key = "gardener.clusters.openmcp.cloud/" + key; name != "" {
					s.Labels[key] = value
				} else {
					delete(s.Labels, key)
				}
			}
		})
	}
	write("gone")
	refuses(t, folder, []string{"Error: " + diagnose.SummaryShootDeleting, "Cluster " + l.Requests + "/gone is being deleted"}, "apply", "-auto-approve")
	write("")
	acceptance.Run(t, folder, "apply", "-auto-approve")
	before := shootsNow(t, on)["blue"]

	labelled("one")
	write("two")
	refuses(t, folder, []string{"Error: " + diagnose.SummaryShootOfCluster, "Shoot blue is that of Cluster " + l.Requests + "/one"}, "apply", "-auto-approve")
	if is := shootsNow(t, on)["blue"]; is != strings.Replace(before, `of ""`, `of "one"`, 1) {
		t.Errorf("the Shoot is %s", is)
	}

	write("one")
	acceptance.Run(t, folder, "apply", "-auto-approve")
	merge(t, l, annotate)
	merge(t, l, fmt.Sprintf(`{"status":{"providerStatus":{"apiVersion":"gardener.clusters.openmcp.cloud/v1alpha1","kind":"ClusterStatus","shoot":`+
		`{"metadata":{"namespace":%q,"name":"blue"},"spec":{"credentialsBindingName":"aws-1","provider":{"type":"aws","workers":[{"name":"a"}]}}}}}}`, l.Name))
	labelled("")
	refuses(t, folder, []string{"Error: " + diagnose.SummaryShootProtected, "Shoot blue is that of Cluster " + l.Requests + "/one"}, "destroy", "-auto-approve")
	if is := shootsNow(t, on)["blue"]; is != before {
		t.Errorf("the Shoot is %s", is)
	}
}
