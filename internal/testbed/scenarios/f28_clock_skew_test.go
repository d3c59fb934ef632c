package scenarios

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// clocks are the times that pipelines with wrong clocks have written. The process of the test has the right one: what
// counts is the difference, whichever clock is wrong.
var clocks = map[string]time.Time{
	"right":        time.Now().UTC().Truncate(time.Second),
	"a-day-ahead":  time.Now().UTC().Truncate(time.Second).AddDate(0, 0, 1),
	"a-day-behind": time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -1),
	"never-set":    time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
	"year-one":     {},
	"end-of-time":  time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
}

// recordedOn is an account with a claim of a Global Account of its own, with these times.
func (s stage) recordedOn(t *testing.T, accountName string, record account.Record, dirty account.Dirt) account.Identity {
	t.Helper()
	record.Name, record.GlobalAccount, record.Pool, record.Version = "blue", "ga-"+accountName, awsPool.String(), account.RecordVersion
	record.NewlyClaimed = true
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	id := record.Identity(s.Name)
	labels := map[string]string{}
	if dirty != account.Clean {
		labels["dirty"] = string(dirty)
	}
	s.Account(t, testbed.AccountSpec{Name: accountName, HyperscalerType: "aws", Tenant: record.GlobalAccount, Labels: labels,
		Annotations: map[string]string{id.Key(): string(text)}})
	return id
}

// F28: clocks differ between pipelines. Whatever times a record has, the same is decided: they are information only.
func TestF28Clocks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for clock, at := range clocks {
		// A claim that exists is found, and taken up without a write.
		id := s.recordedOn(t, "adopted-"+clock, account.Record{ClaimedAt: at}, account.Clean)
		before := s.versions(t)
		got := s.held(t, s.process(t, "adopter"), protocol.ClaimRequest{Name: id.Name, GlobalAccount: id.GlobalAccount, Target: awsPool})
		if !got.Adopted || got.Account.Name != "adopted-"+clock || !got.Record.ClaimedAt.Equal(at) || !got.Record.NewlyClaimed {
			t.Errorf("%s: adopted %t on %s, recorded %+v", clock, got.Adopted, got.Account.Name, got.Record)
		}
		s.unwritten(t, before)

		for end, test := range map[string]struct {
			mode    account.Mode
			fenced  account.Dirt
			outcome protocol.Outcome
			tenant  bool
			dirty   string
		}{
			"marked":   {account.MarkDirty, account.Clean, protocol.OutcomeDirtied, true, "true"},
			"returned": {account.ReturnToPool, account.Clean, protocol.OutcomeReturned, false, ""},
			"kept":     {account.Keep, account.Clean, protocol.OutcomeKept, true, ""},
			// A release was killed after its fence, by a clock of its own.
			"finished": {account.MarkDirty, account.Releasing, protocol.OutcomeDirtied, true, "true"},
		} {
			accountName := end + "-" + clock
			record := account.Record{ClaimedAt: at}
			if test.fenced == account.Releasing {
				record.ReleasingSince = at
			}
			id := s.recordedOn(t, accountName, record, test.fenced)
			s.ended(id.Key(), standing{accountName, test.mode == account.Keep})
			outcome, err := s.process(t, "releaser").Release(t.Context(), protocol.ReleaseRequest{
				Identity: id, Account: accountName, UID: string(s.GetAccount(t, accountName).UID), Mode: test.mode,
			})
			if err != nil || outcome != test.outcome {
				t.Errorf("%s, %s: %q (%v), want %q", clock, end, outcome, err, test.outcome)
			}
			tenant := ""
			if test.tenant {
				tenant = id.GlobalAccount
			}
			s.wantLabels(t, accountName, tenant, test.dirty)
		}
	}
}

// The grace period of a fence runs by the clock of the process that releases, from the moment at which it does: a fence that
// claims to be from tomorrow does not hold the release up until then, one from long ago saves it nothing.
func TestF28GraceTimeIsByTheClockOfTheRelease(t *testing.T) {
	t.Parallel()
	const grace = 2 * time.Second
	s := newStage(t)
	for clock, at := range clocks {
		accountName := "fenced-" + clock
		id := s.recordedOn(t, accountName, account.Record{ClaimedAt: at, ReleasingSince: at}, account.Releasing)
		p, uid := s.process(t, "releaser"), string(s.GetAccount(t, accountName).UID)
		t.Run(clock, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			s.Released(id.Key(), accountName)
			outcome, err := p.Release(t.Context(), protocol.ReleaseRequest{Identity: id, Account: accountName, UID: uid, Mode: account.MarkDirty, Grace: grace})
			if err != nil || outcome != protocol.OutcomeDirtied {
				t.Errorf("%q (%v)", outcome, err)
			}
			if waited := time.Since(began); waited < grace || waited > 5*time.Minute {
				t.Errorf("waited %s, the grace time is %s", waited, grace)
			}
		})
	}
}
