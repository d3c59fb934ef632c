package claim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// An account that the broker holds is imported under another name, tenant or account than the configuration says: nothing is planned, and
// the account is not released for another claim.
func TestAccClaim_importedAsAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by, ga string
		extra  []string
		words  []string // of the refusal; none = the import fits
	}{
		"it fits":               {by: `id = "ga-1/aws-1/blue"`},
		"no name in the ID":     {by: `id = "ga-1/aws-1"`, words: []string{`for claim "default" of Global Account ga-1`, "another name.", "the ID is ga-1/aws-1/blue"}},
		"no name, kept":         {by: `id = "ga-1/aws-1"`, extra: []string{`on_destroy = "keep"`}, words: []string{"another name.", "the ID is ga-1/aws-1/blue"}},
		"another account":       {by: `id = "ga-1/aws-1/blue"`, extra: []string{`binding_name = "aws-2"`}, words: []string{"another binding_name.", "the ID is ga-1/aws-2/blue"}},
		"another tenant":        {by: `id = "ga-1/aws-1/blue"`, ga: "ga-2", words: []string{"another global_account.", "the ID is ga-2/aws-1/blue"}},
		"no name in identities": {by: `identity = { global_account = "ga-1", binding_name = "aws-1" }`, words: []string{"another name.", "the ID is ga-1/aws-1/blue"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
				testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
			folder := acceptance.NewFolder(t, l)
			if strings.HasPrefix(c.by, "identity") && !acceptance.AtLeast(t, folder, 12, 12) {
				t.Skip("identities need OpenTofu 1.12 or Terraform 1.12")
			}
			if c.ga == "" {
				c.ga = "ga-1"
			}
			folder.Write(t, acceptance.Requiring+l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("blue", c.ga, c.extra...)+
				fmt.Sprintf("import {\n  to = hap_credentials_binding_claim.blue\n  %s\n}\n", c.by))
			result := folder.Run(t, "apply", "-auto-approve")
			if fits := len(c.words) == 0; fits != (result.ExitCode == 0) {
				t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
			}
			for _, word := range c.words {
				if !acceptance.SaysInOrder(result.Output, []string{"Error: " + diagnose.SummaryOtherImport}) || !acceptance.SaysInOrder(result.Output, []string{word}) {
					t.Errorf("no %q in\n%s", word, result.Output)
				}
			}
			for account, tenant := range map[string]string{"aws-1": "ga-1", "aws-2": ""} {
				if is := l.GetAccount(t, account).Labels; is["tenantName"] != tenant || is["dirty"] != "" {
					t.Errorf("%s has the labels %v", account, is)
				}
			}
		})
	}
}

// heldLandscape is a landscape whose account aws-1 the Global Account ga-1 holds: by the claim blue of a configuration whose state is lost, or by
// the broker.
func heldLandscape(t *testing.T, recorded bool) acceptance.Landscape {
	t.Helper()
	spec := testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}
	if !recorded {
		spec.Tenant = "ga-1"
	}
	l := acceptance.NewLandscape(t, spec)
	if recorded {
		lost := acceptance.NewFolder(t, l)
		lost.Write(t, acceptance.Requiring+l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("blue", "ga-1"))
		acceptance.Run(t, lost, "apply", "-auto-approve")
	}
	return l
}

// A claim that two provider blocks import is that of the one that changes it: the other one, which never has, does not release the account
// under it.
func TestAccClaim_importedTwice(t *testing.T) {
	t.Parallel()
	for name, recorded := range map[string]bool{"recorded": true, "held by the broker": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := heldLandscape(t, recorded)
			base := acceptance.Requiring + l.Provider() + strings.Replace(l.Provider(), "{", "{\n  alias = \"b\"", 1) + acceptance.RulesAWS
			blue := acceptance.ClaimOf("blue", "ga-1", `on_destroy = "keep"`)
			imports := func(label, more string) string {
				return fmt.Sprintf("import {\n  to = hap_credentials_binding_claim.%s\n  id = \"ga-1/aws-1/blue\"\n%s}\n", label, more)
			}
			folder := acceptance.NewFolder(t, l)
			green := strings.Replace(acceptance.ClaimOf("blue", "ga-1", "provider = hap.b"), `"blue" {`, `"green" {`, 1)
			folder.Write(t, base+blue+green+imports("blue", "")+imports("green", "  provider = hap.b\n"))
			acceptance.Run(t, folder, "apply", "-auto-approve")
			folder.Write(t, base+blue)
			refused := folder.Run(t, "apply", "-auto-approve")
			if refused.ExitCode == 0 || !acceptance.SaysInOrder(refused.Output, []string{"Error: " + diagnose.SummaryOtherState}) {
				t.Errorf("exit code %d:\n%s", refused.ExitCode, refused.Output)
			}
			if is := l.GetAccount(t, "aws-1").Labels; is["tenantName"] != "ga-1" || is["dirty"] != "" {
				t.Errorf("aws-1 has the labels %v", is)
			}
			acceptance.Run(t, folder, "state", "rm", "hap_credentials_binding_claim.green")
			acceptance.Run(t, folder, "plan", "-detailed-exitcode")
		})
	}
}

// The first change of an imported claim whose state is lost is known again: it is that of no other state.
func TestAccClaim_importedStateLost(t *testing.T) {
	t.Parallel()
	for name, recorded := range map[string]bool{"recorded": true, "held by the broker": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := heldLandscape(t, recorded)
			base := acceptance.Requiring + l.Provider() + acceptance.RulesAWS
			folder := acceptance.NewFolder(t, l)
			folder.Write(t, base+acceptance.ClaimOf("blue", "ga-1"))
			acceptance.Run(t, folder, "import", "hap_credentials_binding_claim.blue", "ga-1/aws-1/blue")
			path := filepath.Join(folder.Folder, "terraform.tfstate")
			imported, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			folder.Write(t, base+acceptance.ClaimOf("blue", "ga-1", `owner = "me"`))
			acceptance.Run(t, folder, "apply", "-auto-approve")
			if err := os.WriteFile(path, imported, 0o600); err != nil {
				t.Fatal(err)
			}
			again := acceptance.Run(t, folder, "apply", "-auto-approve")
			if acceptance.SaysInOrder(again.Output, []string{diagnose.SummaryOtherState}) {
				t.Errorf("its own change is said to be that of another state:\n%s", again.Output)
			}
			acceptance.Run(t, folder, "destroy", "-auto-approve")
			if is := l.GetAccount(t, "aws-1").Labels["dirty"]; is != "true" || l.Records(t, "aws-1") != 0 {
				t.Errorf("aws-1 has the label dirty=%q and %d records", is, l.Records(t, "aws-1"))
			}
		})
	}
}
