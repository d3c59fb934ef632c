package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A Cluster that has adopted the Shoot of a protected hap_shoot is neither destroyed nor replaced: its cluster provider would delete the
// Shoot. The claim below the Shoot is not released either. Nothing is written. The protection that was applied last counts.
func TestAccCluster_protectedShootStays(t *testing.T) {
	t.Parallel()
	on := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l := newGardenerPlatformOn(t, on)
	claim := acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`)
	base := l.Builtin() + acceptance.RulesAWS + l.ConfigOf(acceptance.TemplateWith(),
		fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")), "wait_for_profile = true")
	shoot := func(protected bool) string {
		return acceptance.ShootOf(acceptance.TemplateWith(), fmt.Sprintf("deletion_protection = %t", protected),
			fmt.Sprintf("cluster_ref = { namespace = %q, name = \"one\" }", l.Requests))
	}
	cluster := func(attributes ...string) string {
		return l.ClusterOn(append([]string{"depends_on = [hap_gardener_provider_config.one, hap_shoot.one]"}, attributes...)...)
	}
	var before string
	stays := func() (now string, err error) {
		live, err := on.Live("blue")
		adopter := openmcp.New("Cluster", l.Requests, "one")
		err = errors.Join(err, l.PlatformCluster.Client().Get(t.Context(), client.ObjectKeyFromObject(adopter), adopter))
		switch {
		case err != nil:
		case live == nil || live.DeletionTimestamp != nil || adopter.GetDeletionTimestamp() != nil:
			err = errors.New("the Shoot or the Cluster is gone, or going")
		default:
			now = fmt.Sprint(live.UID, adopter.GetUID(), l.GetAccount(t, "aws-1").ResourceVersion)
		}
		return now, err
	}
	untouched := func() {
		if now, err := stays(); err != nil || now != before {
			t.Errorf("UIDs, and the version of the account: %s, want %s, %v", now, before, err)
		}
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootProtected, "Shoot "+l.Name+"/blue has deletion_protection = true in the state, and this "+
		"plan ends Cluster "+l.Requests+"/one, with which it goes", "Nothing was planned or written")
	whole := base + claim + shoot(true) + cluster()
	unclaimed := strings.NewReplacer(claim, "", "hap_credentials_binding_claim.one.binding_name", `"aws-1"`,
		"hap_credentials_binding_claim.one.global_account", `"ga-1"`).Replace(whole)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: whole, Check: func(*terraform.State) (err error) { before, err = stays(); return err }},
		{Config: base + claim + shoot(true), ExpectError: refused},
		{PreConfig: untouched, Config: base + claim + shoot(true) + cluster(`name = "two"`), ExpectError: refused},
		{PreConfig: untouched, Config: base + claim + shoot(false), ExpectError: refused},
		{PreConfig: untouched, Config: unclaimed, ExpectError: acceptance.ErrorLike(diagnose.SummaryInUse, "Shoot blue")},
		{PreConfig: untouched, Config: base + claim + shoot(false) + cluster()},
	}})
}
