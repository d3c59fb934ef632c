package cluster_test

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// An apply does not wait for a Cluster that another party has deleted, and that goes slowly: it says so at once.
func TestAccCluster_deletedByAnotherParty(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	provider := testbed.SharedProvider()
	folder := cli.New(t)
	folder.Write(t, acceptance.Requiring+l.Provider()+acceptance.ClusterOf())
	acceptance.Run(t, folder, "apply", "-auto-approve")
	provider.Set(l.Namespace, "", testbed.Course{Deletes: time.Hour})
	live, err := l.Live("Cluster", "one")
	if err == nil {
		err = l.Client().Delete(t.Context(), live)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder.Write(t, acceptance.Requiring+l.Provider()+acceptance.ClusterOf(`labels = { team = "a" }`))
	said := acceptance.Run(t, folder, "apply", "-auto-approve")
	for _, words := range []string{"Warning: " + diagnose.SummaryShootNotReady, "is being deleted", "another party has deleted it. It stays in the state until it is gone"} {
		if !acceptance.SaysInOrder(said.Output, []string{words}) {
			t.Errorf("no %q in\n%s", words, said.Output)
		}
	}
	provider.Set(l.Namespace, "", testbed.Course{})
	acceptance.Run(t, folder, "destroy", "-auto-approve")
}
