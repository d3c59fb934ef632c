package shoot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// An account on which this configuration had a cluster does not go back to the pool without a clean-up: neither where no refresh has counted
// the cluster, nor where a source counts that does not know it.
func TestAccShoot_itsAccountIsNotReturned(t *testing.T) {
	t.Parallel()
	counting := func(t *testing.T) string {
		t.Helper()
		return fmt.Sprintf("database = { url = %q }\n  cluster_count = { source = \"database\" }", postgres.Shared(t).NewDatabase(t).ReaderURL())
	}
	for name, test := range map[string]struct {
		provider func(*testing.T) string
		before   []string // a run between the apply and the destroy
		destroy  []string
	}{
		"destroyed without a refresh":      {destroy: []string{"-refresh=false"}},
		"the database alone counts":        {provider: counting},
		"the same, and without a refresh":  {provider: counting, destroy: []string{"-refresh=false"}},
		"the same, and seen by a refresh":  {provider: counting, before: []string{"apply", "-auto-approve", "-refresh-only"}, destroy: []string{"-refresh=false"}},
		"the cluster goes in a run before": {provider: counting, before: []string{"destroy", "-auto-approve", "-target=" + acceptance.ShootOne}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			block, shoot := l.Provider(), acceptance.ShootOf(acceptance.TemplateWith())
			if test.provider != nil {
				block = l.Provider(test.provider(t))
			}
			c := cli.New(t)
			c.Write(t, acceptance.Requiring+block+acceptance.RulesAWS+acceptance.ClaimOf("one", "ga-1", `on_destroy = "return_to_pool"`)+shoot)
			if r := c.Run(t, "apply", "-auto-approve", "-no-color"); r.ExitCode != 0 {
				t.Fatal(r.Output)
			}
			if test.before != nil {
				if r := c.Run(t, append(test.before, "-no-color")...); r.ExitCode != 0 {
					t.Fatal(r.Output)
				}
			}
			r := c.Run(t, append([]string{"destroy", "-auto-approve", "-no-color"}, test.destroy...)...)
			if r.ExitCode == 0 || !strings.Contains(r.Output, diagnose.SummaryReturnRefused) {
				t.Errorf("the destroy does not refuse to return the account: exit %d\n%s", r.ExitCode, r.Output)
			}
			labels := l.GetAccount(t, "aws-1").Labels
			if err := acceptance.Equal("tenant, dirty", labels["tenantName"]+" "+labels["dirty"], "ga-1 "); err != nil {
				t.Error(err)
			}
			if err := l.NoShoot(nil); err != nil {
				t.Error(err)
			}
		})
	}
}
