package account_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
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
