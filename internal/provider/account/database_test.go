package account_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// An account that was counted with the broker's database does not leave the pool without it: the row of a cluster would not be seen. A
// refresh and a change without the database forget nothing.
func TestAccAccount_staysWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	for name, counting := range map[string]string{"both count": "", "Gardener counts": "\n  cluster_count = { source = \"gardener\" }"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewSupply(t, "aws-1")
			database := postgres.Shared(t).NewDatabase(t)
			with := l.Provider(fmt.Sprintf("database = { url = %q }%s", database.ReaderURL(), counting))
			var uid string
			stays := func(*terraform.State) error {
				return acceptance.Equal("uid", string(l.GetAccount(t, "aws-1").UID), uid)
			}
			changed := acceptance.AccountOf(`labels = { team = "blue" }`)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: with + acceptance.AccountOf(), Check: func(*terraform.State) error {
						uid = string(l.GetAccount(t, "aws-1").UID)
						return nil
					}},
					{Config: l.Provider() + acceptance.AccountOf(), Check: stays},
					{Config: l.Provider() + changed, Check: stays},
					{
						Config: l.Provider() + acceptance.AccountOf(`labels = { team = "blue" }`, `hyperscaler_type = "gcp"`),
						ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the clusters of the account were counted with the broker's database", "none",
							"Configure the database again"),
						Check: stays,
					},
					{
						PreConfig: func() { database.Insert(t, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"}) },
						Config:    l.Provider() + changed, Destroy: true,
						ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the clusters of the account were counted with the broker's database, "+
							"and the provider has none", "Configure the database again"),
					},
					{PreConfig: func() { database.Exec(t, "DELETE FROM instances") }, Config: with + changed, Check: stays},
				},
				CheckDestroy: func(*terraform.State) error { return acceptance.Equal("there", fmt.Sprint(l.There(t)), "false") },
			})
		})
	}
}
