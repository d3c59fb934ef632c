package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// An account on which this configuration had a cluster through the platform cluster does not go back to the pool without a clean-up, also
// where no refresh has counted the cluster.
func TestAccCluster_itsAccountIsNotReturned(t *testing.T) {
	t.Parallel()
	on := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l := newGardenerPlatformOn(t, on)
	c := cli.New(t)
	c.Write(t, acceptance.Requiring+l.Builtin()+acceptance.RulesAWS+acceptance.ClaimOf("one", "ga-1", `on_destroy = "return_to_pool"`)+
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")), "wait_for_profile = true")+
		l.ClusterOn("depends_on = [hap_gardener_provider_config.one]"))
	if r := c.Run(t, "apply", "-auto-approve", "-no-color"); r.ExitCode != 0 {
		t.Fatal(r.Output)
	}
	r := c.Run(t, "destroy", "-auto-approve", "-no-color", "-refresh=false")
	if r.ExitCode == 0 || !strings.Contains(r.Output, diagnose.SummaryReturnRefused) {
		t.Errorf("the destroy does not refuse to return the account: exit %d\n%s", r.ExitCode, r.Output)
	}
	labels := l.GetAccount(t, "aws-1").Labels
	if err := acceptance.Equal("tenant, dirty", labels["tenantName"]+" "+labels["dirty"], "ga-1 "); err != nil {
		t.Error(err)
	}
	if err := on.NoShoot(nil); err != nil {
		t.Error(err)
	}
}
