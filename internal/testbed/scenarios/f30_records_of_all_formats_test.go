package scenarios

import (
	"errors"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// The records of each format as annotations have them: of today's, of one with fields that this version does not know, and of
// the format that comes after.
const (
	recordStart = `{"name":"blue","globalAccount":"ga-1","pool":"aws","owner":"pipeline-7","claimedAt":"2026-03-01T12:00:00Z"`

	recordOfToday     = recordStart + `,"version":1,"newlyClaimed":true,"request":{"plan":"aws"},"onDestroy":"mark_dirty"}`
	recordOfTheFirst  = recordStart + `,"version":1}`
	recordWithStrange = recordStart +
		`,"version":1,"newlyClaimed":true,"request":{"plan":"aws","zone":"z1"},"onDestroy":"mark_dirty","costCentre":"4711"}`
	recordOfTomorrow = recordStart +
		`,"version":2,"newlyClaimed":true,"request":{"plan":"aws"},"onDestroy":"mark_dirty","lease":{"until":"2027-01-01T00:00:00Z"}}`
)

// recorded is a pool in which a claim has this record, and a pipeline that has taken it into its state.
func recorded(t *testing.T, record string) (stage, configuration) {
	t.Helper()
	s := newStage(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	s.Account(t, testbed.AccountSpec{
		Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: map[string]string{s.key("blue", "ga-1", nil): record},
	})
	c := s.configure(t, claim("blue", "ga-1", `owner = "pipeline-7"`))
	c.write(t, "", claim("blue", "ga-1", `owner = "pipeline-7"`), importBlock(`id = "ga-1/aws-1/blue"`))
	return s, c
}

// importBlock takes a claim into the state of the claim blue.
func importBlock(from string) string {
	return "import {\n  to = " + address("blue") + "\n  " + from + "\n}\n"
}

// recordText is the record of the claim blue on aws-1 as it is.
func (s stage) recordText(t *testing.T) string {
	t.Helper()
	return s.GetAccount(t, "aws-1").Annotations[s.key("blue", "ga-1", nil)]
}

// F30: a claim whose record is of another format is read, and not rewritten by reading, by a plan or by an apply that
// changes nothing. Its release goes by the record's key and takes it away, whatever its format.
func TestF30RecordsOfAllFormats(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]string{
		"of today": recordOfToday, "with unknown fields": recordWithStrange, "of tomorrow": recordOfTomorrow,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := recorded(t, record)
			before := s.versions(t)
			c.apply(t)
			if result := c.Run(t, "plan", "-detailed-exitcode"); result.ExitCode != 0 {
				t.Errorf("something is to be done:\n%s", result.Output)
			}
			s.unwritten(t, before)
			state := c.State(t)
			at, owner := state.Attribute(address("blue"), "claimed_at"), state.Attribute(address("blue"), "owner")
			if at != "2026-03-01T12:00:00Z" || owner != "pipeline-7" {
				t.Errorf("read: claimed at %v by %v", at, owner)
			}
			c.destroy(t)
			s.wantLabels(t, "aws-1", "ga-1", "true")
			if records := s.records(t, "aws-1"); len(records) > 0 {
				t.Errorf("destroyed, the account bears %v", records)
			}
		})
	}
}

// What a newer provider has recorded is not written anew, because that could lose what this one does not know: the text
// stays as it is, to the letter.
func TestF30RecordOfTomorrowIsNotRewritten(t *testing.T) {
	t.Parallel()
	s, c := recorded(t, recordOfTomorrow)
	c.apply(t)
	c.write(t, "", claim("blue", "ga-1", `owner = "another-owner"`))
	c.fails(t, applying, "Claim was recorded by a newer provider", "aws-1", "format 2", "writes format 1", "Nothing was written.")
	if text := s.recordText(t); text != recordOfTomorrow {
		t.Errorf("the record has become %s", text)
	}

	// A configuration that has lost its state takes the claim up only where nothing about it has changed.
	request := protocol.ClaimRequest{
		Name: "blue", GlobalAccount: "ga-1", Target: awsPool,
		Details: account.Details{Owner: "pipeline-7", Request: account.Request{Plan: "aws"}, ReleaseMode: account.MarkDirty},
	}
	if got := s.held(t, s.process(t, "heir"), request); !got.Adopted || got.Account.Name != "aws-1" {
		t.Errorf("adopted %t on %s", got.Adopted, got.Account.Name)
	}
	request.ClusterName = "c-1"
	_, err := s.process(t, "changer").Claim(t.Context(), request)
	var newer *protocol.NewerRecordError
	if !errors.As(err, &newer) || newer.Version != 2 {
		t.Errorf("a changed claim: %v", err)
	}
	if text := s.recordText(t); text != recordOfTomorrow || len(s.committed()) > 0 {
		t.Errorf("the record has become %s, written %v", text, s.committed())
	}
}

// A record that cannot be read may be the claim of another party: the destroy of another claim leaves the account to its tenant and names the
// record, and the claim whose record it is is refused, until the record is gone.
func TestF30RecordThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	green := s.key("green", "ga-1", nil)
	s.Account(t, testbed.AccountSpec{
		Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: map[string]string{green: `{"name":"green","globalAccount`},
	})
	c := s.configure(t, claim("blue", "ga-1"))
	c.apply(t)
	if account := c.account(t, "blue"); account != "aws-1" {
		t.Fatalf("the claim is on %s", account)
	}
	warns(t, c.destroy(t), "Account stays with its Global Account", "aws-1", "cannot be read", green)
	s.wantLabels(t, "aws-1", "ga-1", "")
	s.Kept(s.key("blue", "ga-1", nil), "aws-1") // its account stays with the tenant, for a claim that cannot be read
	before := s.versions(t)

	c.write(t, "", claim("green", "ga-1"))
	c.fails(t, applying, "Claim record cannot be read", `claim "green" of Global Account ga-1`, "aws-1", "Nothing was written.")
	s.unwritten(t, before)
	if records := s.records(t, "aws-1"); len(records) != 1 || records[0] != green {
		t.Errorf("the records are %v", records)
	}
}

// A record of the first days, which says no more than it has to, is completed by the next change of the claim; when the
// claim was made stays what it was.
func TestF30RecordOfTheFirstDays(t *testing.T) {
	t.Parallel()
	s, c := recorded(t, recordOfTheFirst)
	c.apply(t)
	if text := s.recordText(t); text != recordOfTheFirst {
		t.Errorf("an import has rewritten the record: %s", text)
	}
	c.write(t, "", claim("blue", "ga-1", `owner = "pipeline-8"`))
	c.apply(t)
	for _, part := range []string{`"owner":"pipeline-8"`, `"claimedAt":"2026-03-01T12:00:00Z"`, `"request":{"plan":"aws"}`, `"version":1`} {
		if text := s.recordText(t); !strings.Contains(text, part) {
			t.Errorf("the record lacks %s: %s", part, text)
		}
	}
}
