package claim_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// A claim that was made with the broker's database is not released without it: the row of a cluster would not be seen, and the account be
// wiped under it. A refresh without the database forgets nothing. What leaves the account with its Global Account needs no database.
func TestAccClaim_isNotReleasedWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		extra, counting string
		released        bool
	}{
		"both count":            {"", "", false},
		"Gardener counts":       {"", "\n  cluster_count = { source = \"gardener\" }", false},
		"the account is kept":   {`on_destroy = "keep"`, "", true},
		"the account goes free": {`on_destroy = "return_to_pool"`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			database := postgres.Shared(t).NewDatabase(t)
			rest := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", test.extra)
			with := l.Provider(fmt.Sprintf("database = { url = %q }%s", database.ReaderURL(), test.counting)) + rest
			without := l.Provider() + rest
			untouched := func(*terraform.State) error {
				labels := l.GetAccount(t, "aws-1").Labels
				return errors.Join(acceptance.Equal("tenant", labels["tenantName"], "ga-1"), acceptance.Equal("dirty", labels["dirty"], ""))
			}
			steps := []resource.TestStep{{Config: with, Check: untouched}, {Config: without, Check: untouched}}
			if !test.released {
				steps = append(steps,
					resource.TestStep{PreConfig: func() { database.Insert(t, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"}) },
						Config: without, Destroy: true, ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the clusters of the claim were counted "+
							"with the broker's database, and the provider has none", "Configure the database again")},
					resource.TestStep{PreConfig: func() { database.Exec(t, "DELETE FROM instances") }, Config: with, Check: untouched})
			}
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: steps})
		})
	}
}

// A run that finds the claim of one whose state is lost takes over that the broker's database counts, and one that imports it says so where
// it has no database.
func TestAccClaim_foundWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	database := postgres.Shared(t).NewDatabase(t)
	folder, importer := acceptance.NewFolder(t, l), acceptance.NewFolder(t, l)
	config := acceptance.Requiring + l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	folder.Write(t, config)
	folder.Setenv("HAP_DATABASE_URL", database.ReaderURL())
	acceptance.Run(t, folder, "apply", "-auto-approve")
	if err := os.Remove(filepath.Join(folder.Folder, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
	database.Insert(t, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"})
	folder.Setenv("HAP_DATABASE_URL", "")
	acceptance.Run(t, folder, "apply", "-auto-approve")
	refused := folder.Run(t, "destroy", "-auto-approve")
	if refused.ExitCode == 0 || !acceptance.SaysInOrder(refused.Output, []string{"Error: " + diagnose.SummarySettingsChanged}) {
		t.Errorf("exit code %d:\n%s", refused.ExitCode, refused.Output)
	}
	if is := l.GetAccount(t, "aws-1").Labels; is["tenantName"] != "ga-1" || is["dirty"] != "" {
		t.Errorf("aws-1 has the labels %v", is)
	}
	importer.Write(t, config)
	said := acceptance.Run(t, importer, "import", "hap_credentials_binding_claim.blue", "ga-1/aws-1/blue").Output
	for _, words := range []string{"Warning: " + diagnose.SummaryCountDoubt, "the clusters of the claim were counted with the broker's database"} {
		if !acceptance.SaysInOrder(said, []string{words}) {
			t.Errorf("no %q in\n%s", words, said)
		}
	}
}
