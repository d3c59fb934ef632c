package account_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// An account that another party has deleted while it was held, dirty or quarantined by hand is not put into the pool again: it would be
// free, with all that is in the cloud account. Neither is another one with its credentials. Out of the state it is made by the next apply.
func TestAccAccount_deletedUnderItsTenant(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	for name, test := range map[string]struct {
		labels map[string]*string
		said   string
	}{
		"held":                {map[string]*string{"tenantName": new("ga-1")}, "Global Account ga-1 held it"},
		"dirty":               {map[string]*string{"dirty": new("true")}, "it was marked dirty or quarantined"},
		"quarantined by hand": {map[string]*string{"dirty": new("quarantine")}, "it was marked dirty or quarantined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewSupply(t, "aws-1")
			folder := acceptance.NewFolder(t, l)
			write := func(attributes ...string) {
				acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
			}
			write()
			acceptance.Run(t, folder, "apply", "-auto-approve")
			l.PatchLabels(t, "aws-1", test.labels)
			acceptance.Run(t, folder, "apply", "-auto-approve", "-refresh-only")
			l.DeleteAccount(t, "aws-1")
			for _, attributes := range [][]string{{}, {`name = "aws-9"`, `credentials_ref = { name = "aws-1" }`}} {
				write(attributes...)
				refused := folder.Run(t, "apply", "-auto-approve")
				text := strings.Join(strings.Fields(strings.ReplaceAll(refused.Output, "│", " ")), " ")
				if refused.ExitCode != 1 || !strings.Contains(text, diagnose.SummaryAccountLostInUse) || !strings.Contains(text, test.said) {
					t.Errorf("%v: the apply ends with %d: %s", attributes, refused.ExitCode, text)
				}
				if found := l.Versions(t); len(found) != 0 {
					t.Errorf("%v: there are accounts: %v", attributes, found)
				}
			}
			write()
			acceptance.Run(t, folder, "state", "rm", acceptance.AccountOne)
			acceptance.Run(t, folder, "apply", "-auto-approve")
			acceptance.Run(t, folder, "destroy", "-auto-approve")
		})
	}
}

// An account that clusters name is not put into the pool as a free one, also where the state knows nothing of the account that another party
// has deleted under them: the broker counts no clusters of a free account, and would give it to the next tenant. Once they are gone it is.
func TestAccAccount_madeUnderClusters(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "plan", "-out=saved")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.Shoot(t, "alive", "aws-1")
	l.DeleteAccount(t, "aws-1")
	for _, args := range [][]string{{"plan"}, {"apply", "saved"}} {
		refused := folder.Run(t, args...)
		if refused.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryInUse, "name", "clusters name account aws-1, which is not there (Shoot alive)",
			"any Global Account could get it", "Find out whose they are").MatchString(refused.Output) {
			t.Errorf("%v ends with %d:\n%s", args, refused.ExitCode, refused.Output)
		}
	}
	if l.There(t) {
		t.Fatal("the account was made")
	}
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}) // Gardener deletes no Shoot without it
	l.DeleteShoot(t, "alive")
	l.DeleteAccount(t, "aws-1")
	acceptance.Run(t, folder, "apply", "-auto-approve")
}
