package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// unchanged checks that a plan has nothing to do, and that nothing was written.
func (c configuration) unchanged(t *testing.T, since map[string]string) {
	t.Helper()
	if result := c.Run(t, "plan", "-detailed-exitcode"); result.ExitCode != 0 {
		t.Errorf("exit code %d, want 0 for nothing to do:\n%s", result.ExitCode, result.Output)
	}
	c.stage.unwritten(t, since)
}

// renamed is the claim blue under another address.
func renamed(to string) string {
	return strings.Replace(claim("blue", "ga-1"), `"blue" {`, fmt.Sprintf("%q {", to), 1)
}

// F30: a claim that gets another address, or another state, is the same claim.
func TestF30Moved(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	c := s.configure(t, claim("blue", "ga-1"))
	c.apply(t)
	before := s.versions(t)

	c.write(t, "", renamed("red"), "moved {\n  from = "+address("blue")+"\n  to   = "+address("red")+"\n}\n")
	c.apply(t)
	c.wantState(t, "red")
	c.unchanged(t, before)

	c.succeeds(t, "state", "mv", address("red"), address("green"))
	c.write(t, "", renamed("green"))
	c.unchanged(t, before)

	// The state goes to another pipeline, and nothing of it stays.
	heir := s.configure(t, renamed("green"))
	if err := os.Rename(filepath.Join(c.Folder, "terraform.tfstate"), filepath.Join(heir.Folder, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
	heir.unchanged(t, before)
	heir.tell(t)
	account := heir.claimedOn(t, "green")
	heir.destroy(t)
	s.wantLabels(t, account, "ga-1", "true")
	if records := s.records(t, account); len(records) > 0 {
		t.Errorf("destroyed, the account bears %v", records)
	}
}

// claimedOn is the account of a claim that has to be in the state.
func (c configuration) claimedOn(t *testing.T, label string) string {
	t.Helper()
	account := c.account(t, label)
	if account == "" {
		t.Fatalf("no claim %s in the state", label)
	}
	return account
}

// An account that the broker has claimed is taken over by an import, by its ID or by its identity: the plan after it is
// empty and nothing is written. From then on it is released as any other.
func TestF30Import(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]func(s stage, account string) string{
		"by id": func(_ stage, account string) string { return fmt.Sprintf(`id = "ga-1/%s/blue"`, account) },
		"by identity": func(_ stage, account string) string {
			return fmt.Sprintf(`identity = { global_account = "ga-1", binding_name = %q, name = "blue" }`, account)
		},
		"by identity, whole": func(s stage, account string) string {
			return fmt.Sprintf(`identity = { namespace = %q, global_account = "ga-1", binding_name = %q, name = "blue" }`, s.Name, account)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, twoFree()...)
			account, err := s.broker(t).Claim(t.Context(), "ga-1", "aws")
			if err != nil {
				t.Fatal(err)
			}
			before := s.versions(t)
			c := s.configure(t, claim("blue", "ga-1"))
			if version := c.Run(t, "version").Stdout; strings.HasPrefix(version, "Terraform v1.11.") && strings.HasPrefix(name, "by identity") {
				t.Skip("this program knows no identities")
			}
			c.write(t, "", claim("blue", "ga-1"), importBlock(from(s, account)))
			result := c.apply(t)
			warns(t, result, "Claim is not recorded on its account yet", account)
			if !strings.Contains(result.Output, "1 imported, 0 added, 0 changed, 0 destroyed") {
				t.Errorf("not an import alone:\n%s", result.Output)
			}
			c.write(t, "", claim("blue", "ga-1"))
			c.unchanged(t, before)
			s.Shoot(t, "live", account)
			c.fails(t, destroying, "Account is in use", account, "live", "neither marked nor freed")
			s.unwritten(t, before)
			s.DeleteShoot(t, "live")
			c.destroy(t)
			s.wantLabels(t, account, "ga-1", "true")
		})
	}
}

// An account that another Global Account holds, or that no tenant holds, cannot be imported.
func TestF30ImportOfWhatIsNotHeld(t *testing.T) {
	t.Parallel()
	s := newStage(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	before := s.versions(t)
	c := s.configure(t)
	for account, summary := range map[string]string{
		"aws-1": "Account cannot be imported",
		"aws-2": "Account cannot be imported",
		"aws-3": "Nothing to import",
	} {
		c.write(t, "", claim("blue", "ga-1"), importBlock(fmt.Sprintf(`id = "ga-1/%s/blue"`, account)))
		c.fails(t, applying, summary, account)
	}
	c.wantState(t)
	s.unwritten(t, before)
}
