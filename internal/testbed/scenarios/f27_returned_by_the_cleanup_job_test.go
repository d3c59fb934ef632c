package scenarios

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
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
		t.Errorf("the claim stands on %q, want %s", got, other(account))
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

// The other way round: the claim is made again first, on the same account, and the broker gets another one.
func TestF27ReturnedAndClaimedAgain(t *testing.T) {
	t.Parallel()
	s, c, broker, account := returned(t)
	warns(t, c.apply(t), "Claimed account has changed", account, "no Global Account holds it any more")
	if got := c.account(t, "blue"); got != account {
		t.Errorf("the claim stands on %q, want %s again", got, account)
	}
	if err := brokerTakes(t.Context(), broker, other(account)); err != nil {
		t.Error(err)
	}
	if records := s.records(t, account); len(records) != 1 {
		t.Errorf("records %v, want one", records)
	}
}

// The record that was left behind must not come to life again when the same tenant gets the account for another claim:
// no claim would ever remove it, and the account would never be released.
func TestF27RecordLeftBehindStaysVoid(t *testing.T) {
	t.Parallel()
	s, c, _, accountName := returned(t)
	ga := s.preferringFirst(t)
	c.destroy(t) // gives up the claim, and takes its void record along
	p := s.process(t, "later", account.Policy{})
	green := s.held(t, p, protocol.ClaimRequest{Name: "green", GlobalAccount: ga, Target: awsPool})
	if green.Account.Name != accountName {
		t.Fatalf("green stands on %s, want %s", green.Account.Name, accountName)
	}
	s.Released(green.Identity.Key(), accountName)
	outcome, err := s.process(t, "last", account.Policy{}).Release(t.Context(), protocol.ReleaseRequest{
		Identity: green.Identity, Account: accountName, UID: green.Account.UID, Mode: account.MarkDirty,
	})
	if err != nil || outcome != protocol.OutcomeDirtied {
		t.Errorf("the last claim of the account ended as %q (%v), want it to be marked dirty", outcome, err)
	}
}
