package cluster_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// Two resources under two provider blocks that say the same make one object: the second is refused, where it is not taken for what a run has
// left that was cut short. In the state twice, one of them would destroy what the other protects.
func TestAccTwice_underTwoBlocks(t *testing.T) {
	t.Parallel()
	garden := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	own := acceptance.NewOwnLandscape(t)
	for name, test := range map[string]struct{ provider, base, resource, address string }{
		"a Shoot": {garden.Provider(), acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1"),
			acceptance.ShootOf(acceptance.TemplateWith()), "hap_shoot."},
		"a Cluster": {own.Provider(), "", acceptance.ClusterOf(), "hap_cluster."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := cli.New(t)
			second := strings.Replace(strings.TrimSuffix(test.resource, "}\n"), `" "one"`, `" "two"`, 1) + "  provider = hap.b\n}\n"
			block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + test.provider +
				strings.Replace(test.provider, "{\n", "{\n  alias = \"b\"\n", 1) + test.base
			c.Write(t, block+test.resource+second)
			twice := c.Run(t, "apply", "-auto-approve", "-no-color")
			if twice.ExitCode != 1 || !strings.Contains(twice.Output, diagnose.SummaryShootExists) {
				t.Errorf("the apply ends with %d: %s", twice.ExitCode, twice.Output)
			}
			if have := c.Run(t, "state", "list"); strings.Count(have.Output, test.address) != 1 {
				t.Errorf("the state has %s", have.Output)
			}
			if gone := c.Run(t, "destroy", "-auto-approve", "-no-color"); gone.ExitCode != 0 {
				t.Errorf("the destroy ends with %d: %s", gone.ExitCode, gone.Output)
			}
		})
	}
}
