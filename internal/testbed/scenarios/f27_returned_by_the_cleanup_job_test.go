package scenarios

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// returned is a pipeline whose account the clean-up job has given back to the pool behind its back.
func returned(t *testing.T) (s stage, c configuration, broker *rivals.Broker, account string) {
	t.Helper()
	s = newStage(t, twoFree()...)
	broker = s.broker(t)
	c = s.configure(t, claim("blue", s.preferringFirst(t)))
	c.apply(t)
	account = c.account(t, "blue")
	s.label(t, account, "dirty", "true")
	if err := s.cleanupJob(t).Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantLabels(t, account, "", "")
	if records := s.records(t, account); len(records) != 1 {
		t.Fatalf("the clean-up job has left the records %v, want the one it knows nothing of", records)
	}
	return s, c, broker, account
}

// F27: the clean-up job has returned the account, its labels are gone and our record is still there; meanwhile another
// tenant gets it. The record proves nothing: no write of ours at refresh and apply, and a destroy removes the record alone.
func TestF27ReturnedAndGivenToAnother(t *testing.T) {
	t.Parallel()
	s, c, broker, account := returned(t)
	if err := brokerTakes(t.Context(), broker, account); err != nil {
		t.Fatal(err)
	}
	before := s.versions(t)
	warns(t, c.succeeds(t, "apply", "-refresh-only", "-auto-approve"), "Claimed account has changed", account, "Global Account "+brokersTenant+" holds it")
	c.fails(t, applying, "Account is held by another Global Account", account, brokersTenant, "Nothing was written.")
	s.unwritten(t, before)
	s.wantOnlyRecordGone(t, account, c.soleKey(t), func() {
		warns(t, c.destroy(t), "Account was left as it is", account, "does not hold it any more")
	})
	s.wantLabels(t, account, brokersTenant, "")
	s.wantLabels(t, other(account), "", "")
	c.wantState(t)
}

// The record also proves nothing to a pipeline that has lost its state: what it finds on the account of
// another tenant is not its claim, and it gets an account of its own. It takes that record away, and writes nothing else there.
func TestF27StateLostToo(t *testing.T) {
	t.Parallel()
	s, c, broker, account := returned(t)
	if err := brokerTakes(t.Context(), broker, account); err != nil {
		t.Fatal(err)
	}
	before := s.GetAccount(t, account)
	if err := os.Remove(filepath.Join(c.Folder, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
	c.apply(t)
	if got := c.account(t, "blue"); got != other(account) {
		t.Errorf("the claim is on %q, want %s", got, other(account))
	}
	s.wantLabels(t, account, brokersTenant, "")
	for key := range c.standing {
		s.Unknown(key) // no state knows any more that its record lies on the broker's account, too
	}
	if records := s.records(t, account); len(records) > 0 { // the dead record goes (F43): it was no state's
		t.Errorf("the broker's account bears %v", records)
	}
	now := s.GetAccount(t, account)
	now.Annotations, now.ResourceVersion, now.ManagedFields = before.Annotations, before.ResourceVersion, before.ManagedFields
	if !reflect.DeepEqual(now, before) {
		t.Errorf("more than the record was written on the broker's account: %v, was %v", now, before)
	}
}
