package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// The built-in scheduler makes no Cluster for a request where a Shoot of another account has its labels already: the cluster provider would
// move that Shoot. The request is denied with the reason, and the Shoot stays where it is.
func TestAccBuiltin_movesNoShoot(t *testing.T) {
	t.Parallel()
	on := acceptance.NewClusterLandscape(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"})
	l := newGardenerPlatformOn(t, on)
	bind(t, l, "p1", "aws-1", strings.TrimPrefix(l.Name, "garden-"))
	staged := stagedLandscape{platform: l.PlatformCluster}
	request := dedicatedOn([]string{"one"})
	var cluster string
	named := func(*terraform.State) error {
		all := staged.of(t, "Cluster")
		if len(all) != 1 {
			return fmt.Errorf("there are %d Clusters", len(all))
		}
		cluster = all[0].GetName()
		return nil
	}
	stays := func(*terraform.State) error {
		if all := staged.of(t, "Cluster"); len(all) > 0 {
			return fmt.Errorf("Cluster %s is made", all[0].GetName())
		}
		live, err := on.Live("theirs")
		if err != nil || live == nil {
			return fmt.Errorf("the Shoot is %v, %w", live, err)
		}
		return acceptance.Equal("the account", *live.Spec.CredentialsBindingName, "aws-2")
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Builtin() + request, Check: named},
			{Config: l.Builtin()},
			{
				PreConfig: func() {
					spec := testbed.ShootSpec{Name: "theirs", Account: "aws-2", Cluster: [2]string{l.Requests, cluster}}
					if err := l.MakeShoots(t.Context(), spec); err != nil {
						t.Error(err)
					}
				},
				Config:      l.Builtin() + request,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "Shoot "+l.Name+"/theirs on CredentialsBinding \"aws-2\"", "aws-1"),
			},
			{Config: l.Builtin(), Check: stays},
		},
	})
}
