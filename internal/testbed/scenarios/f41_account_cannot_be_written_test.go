package scenarios

import (
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// newStrictStage is newStage with n free accounts in a Garden whose admission looks for their credentials.
func newStrictStage(t *testing.T, n int) stage {
	t.Helper()
	acceptance(t)
	return newStageIn(t, testbed.SharedStrict(t), fault.ProxyOptions{}, awsAccounts(n)...)
}

// loseSecrets deletes the Secrets of accounts. The admission goes by a cache, which learns of it a moment later: that is waited for.
func (s stage) loseSecrets(t *testing.T, accounts ...string) {
	t.Helper()
	for _, account := range accounts {
		s.DeleteSecret(t, account)
	}
	admin := s.Garden().AdminClient()
	label := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"probe":"true"}}}`))
	for _, account := range accounts {
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
			err := admin.Patch(t.Context(), s.GetAccount(t, account), label, client.DryRunAll)
			if err != nil && strings.Contains(err.Error(), "not found") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("account %s can be written without its Secret: %v", account, err)
			}
		}
	}
}

// F41: the Secret of an account is gone, and Gardener's admission refuses each write on the account. A claim goes to the next one and says so;
// the status lists the account.
func TestF41SecretOfTheFirstAccountIsGone(t *testing.T) {
	t.Parallel()
	s := newStrictStage(t, 3)
	choice, err := s.process(t, "looker").Preview(t.Context(), awsPool, "ga-1")
	if err != nil {
		t.Fatal(err)
	}
	first := choice.Account.Name
	s.loseSecrets(t, first)
	before := s.versions(t)[first]

	c := s.configure(t, claim("blue", "ga-1"))
	warns(t, c.apply(t), "Account cannot be written", "Account "+first+" came first", "the write on it was refused")
	if account := c.wantClaimed(t, "blue", "ga-1"); account == first {
		t.Errorf("the claim is on %s", account)
	}
	c.destroy(t)
	c.write(t, "", `data "hap_pool_status" "all" {}
output "unwritable" {
  value = join("; ", [for p in data.hap_pool_status.all.problems : "unwritable: ${p.account}: ${p.text}" if p.kind == "unwritable"])
}
`)
	wantMessage(t, c.apply(t).Output, "unwritable: "+first+": It cannot be written: there is no Secret "+first)
	if s.versions(t)[first] != before {
		t.Errorf("%s was written", first)
	}
}

// F41: no account can be written. The claim fails, with the answer and the right that Gardener demands.
func TestF41NoAccountCanBeWritten(t *testing.T) {
	t.Parallel()
	s := newStrictStage(t, 2)
	s.loseSecrets(t, "aws-1", "aws-2")
	before := s.versions(t)
	c := s.configure(t, claim("blue", "ga-1"))
	c.fails(t, applying, "Refused by the Garden", "Nothing was written.", "it demands get on the Secret", "Make it again")
	s.unwritten(t, before)
	c.wantState(t)
}
