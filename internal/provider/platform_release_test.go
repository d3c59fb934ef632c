package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// order has another party make a Cluster by the profile of a ProviderConfig. It has no Shoot. The returned function deletes it, and returns
// once it is gone, as its cluster provider lets it go later; one with finalizers of its own stays.
func order(t *testing.T, l acceptance.ProfileLandscape, config string, finalizers ...string) (cancel func()) {
	t.Helper()
	c := l.PlatformCluster.Client()
	cluster := openmcp.New("Cluster", l.Requests, "live")
	cluster.SetFinalizers(finalizers)
	cluster.Object["spec"] = map[string]any{"profile": "test.gardener." + config, "tenancy": "Exclusive", "purposes": []any{"mcp"}}
	if err := c.Create(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := c.Delete(t.Context(), cluster); err != nil {
			t.Error(err)
		}
		if len(finalizers) == 0 {
			expect.Eventually(t, "the Cluster is gone", func() bool {
				return apierrors.IsNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster))
			})
		}
	}
}

// An account is not given back under Clusters whose profile leads to it, although no Shoot says so yet: neither by a claim nor by the owner
// of the account. Once they are gone it is.
func TestAccPlatform_accountKeptUnderClusters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		object func(acceptance.ProfileLandscape) string
		kept   string // labels of the account in the pool: dirty, tenantName
		given  string // the same after the destroy
	}{
		"a claim": {func(acceptance.ProfileLandscape) string {
			return acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
		}, " ga-1", "true ga-1"},
		"its owner": {func(acceptance.ProfileLandscape) string { return acceptance.AccountOf() }, " ", "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l acceptance.ProfileLandscape
			owned := strings.Contains(name, "owner")
			if owned {
				l = acceptance.NewProfileLandscape(t)
				l.Landscape = acceptance.NewSupply(t, "aws-1")
			} else {
				l = acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			}
			labels := func() string {
				for _, a := range l.ListAccounts(t) {
					if a.Name == "aws-1" {
						return a.Labels["dirty"] + " " + a.Labels["tenantName"]
					}
				}
				return "gone"
			}
			is := func(want string) resource.TestCheckFunc {
				return func(*terraform.State) error { return acceptance.Equal("dirty, tenantName", labels(), want) }
			}
			config := l.On(l.PlatformUser) + test.object(l)
			var cancel func()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: config, Check: is(test.kept)},
					{
						PreConfig: func() {
							configure(t, l, l.Config, "aws-1", strings.TrimPrefix(l.Name, "garden-"))
							cancel = order(t, l, l.Config)
						},
						Config:      config,
						Destroy:     true,
						ExpectError: acceptance.ErrorLike("Account is in use", "account aws-1 is used by 1 cluster: Cluster "+l.Requests+"/live"),
					},
					{Config: config, Check: is(test.kept)},
					{ // without the platform cluster the Cluster would not be seen
						Config: l.Landscape.Provider() + test.object(l), Destroy: true,
						ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "were counted with a platform cluster, and the provider has none",
							"Configure platform in the provider block again"),
					},
					{Config: config, Check: is(test.kept)},
					{PreConfig: func() { cancel() }, Config: config, Destroy: true},
				},
			})
			if got := labels(); got != test.given {
				t.Errorf("in the end: dirty, tenantName = %q, want %q", got, test.given)
			}
		})
	}
}

// A destroy waits for a Cluster that is being deleted, and lists it anew until it is gone.
func TestAccPlatform_releaseWaitsForClusters(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					configure(t, l, l.Config, "aws-1", strings.TrimPrefix(l.Name, "garden-"))
					order(t, l, l.Config, "example.com/kept")()
					time.AfterFunc(2*time.Second, func() {
						if dirty := l.GetAccount(t, "aws-1").Labels["dirty"]; dirty != "" {
							t.Errorf("while the Cluster is there the account is marked %q", dirty)
						}
						cluster := openmcp.New("Cluster", l.Requests, "live")
						if err := l.PlatformCluster.Client().Patch(t.Context(), cluster,
							client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
							t.Error(err)
						}
					})
				},
				Config: config, Destroy: true,
			},
		},
	})
	if dirty := l.GetAccount(t, "aws-1").Labels["dirty"]; dirty != "true" {
		t.Errorf("in the end the account is marked %q", dirty)
	}
}

// A destroy that cannot read the Clusters leaves the account as it is and says why; one that must not read them says so and goes on.
func TestAccPlatform_releaseCannotReadClusters(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	object := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	forbidden := l.On(l.PlatformCluster.ServiceAccount(t, l.Requests, "none", nil)) + object
	nowhere := l.Landscape.Provider(`  platform = { host = "https://127.0.0.1:1", namespace = "x", token = "x", insecure = true }`) + object
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: nowhere},
			{
				Config: nowhere, Destroy: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryPlatformUnreachable, "whether clusters are on account aws-1 is not known",
					"platform of the provider block leads to Clusters"),
			},
			{
				Config: forbidden,
				Check: func(*terraform.State) error {
					labels := l.GetAccount(t, "aws-1").Labels
					return acceptance.Equal("dirty, tenantName", fmt.Sprint(labels["dirty"], labels["tenantName"]), "ga-1")
				},
			},
			{Config: forbidden, Destroy: true},
		},
	})
	if dirty := l.GetAccount(t, "aws-1").Labels["dirty"]; dirty != "true" {
		t.Errorf("in the end the account is marked %q", dirty)
	}
	if n := ear.Warnings(diagnose.SummaryCountDoubt, "Clusters that have no Shoot yet are not seen"); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
}
