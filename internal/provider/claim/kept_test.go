package claim

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// A leak is reported: a destroy leaves the account for a claim that no state may have. Claims that the same run ends are none of that.
func TestReleaseWarnings_keptForOthers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	lost := account.OtherClaim{Account: "aws-1", Key: "lost", Record: account.Record{Name: "lost", ClaimedAt: now.Add(-72 * time.Hour),
		Details: account.Details{Owner: "team-a"}}}
	green := account.OtherClaim{Account: "aws-1", Key: "green", Record: account.Record{Name: "green", ClaimedAt: now.Add(-time.Hour)}}
	garbled := account.OtherClaim{Account: "SecretBinding aws-2", Key: "hap-project.io/claim-0001", Unreadable: true}

	r := &claimResource{Call: &family.Call{Backend: backend.New(settings.Settings{})}}
	reported := destroyed(r, func() {
		r.keep("aws-1", []account.OtherClaim{lost, green}, now)
		r.keep("aws-1", []account.OtherClaim{lost}, now)
		r.Backend.Releases.Ended("green")
	})
	wantDetail(t, reported, diagnose.SummaryAccountKept, "neither marked nor freed",
		"aws-1: claim lost (owner team-a) since 2026-03-07 12:00 UTC, for 3 days.", "import the claim into a configuration")

	r = &claimResource{Call: &family.Call{Backend: backend.New(settings.Settings{})}}
	if reported := destroyed(r, func() {
		r.keep("aws-1", []account.OtherClaim{green}, now)
		r.Backend.Releases.Ended("green")
	}); len(reported) > 0 {
		t.Errorf("all claims have ended: %v", reported)
	}

	r = &claimResource{Call: &family.Call{Backend: backend.New(settings.Settings{})}}
	wantDetail(t, destroyed(r, func() {
		r.keep("aws-1", []account.OtherClaim{green}, now)
		r.keep("aws-3", []account.OtherClaim{garbled}, now)
	}), diagnose.SummaryAccountKept, "2 other claims are on accounts that were neither marked nor freed", "aws-1: claim green (no owner is recorded)", "for 1 hour",
		"aws-3: a claim whose record cannot be read (annotation hap-project.io/claim-0001) on SecretBinding aws-2")
}
