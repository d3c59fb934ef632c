package diagnose

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kubeconn"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// Each error of a count has a summary of its own and says what to do next.
func TestExplainCounting(t *testing.T) {
	t.Parallel()
	inner := errors.New("cause")
	for summary, err := range map[string]error{
		SummaryDisagreement:   &pool.DisagreementError{},
		SummaryNoDatabase:     &kebdb.NotConfiguredError{},
		SummaryBadDatabase:    &kebdb.SettingError{},
		SummaryDatabaseDown:   &kebdb.UnreachableError{Err: inner},
		SummaryDatabaseLogin:  &kebdb.UnauthorizedError{Err: inner},
		SummaryDatabaseDenied: &kebdb.ForbiddenError{Err: inner},
		SummaryNotTheBrokers:  &kebdb.MissingError{Err: inner},
		SummaryDatabaseError:  &kebdb.RefusedError{Err: inner},
	} {
		if d := Explain(err); d.Summary != summary || d.Next == "" || d.at != nil {
			t.Errorf("%T gives %+v, want the summary %q, a remedy and no attribute of the resource", err, d, summary)
		}
	}
}

// Each error that a pool or a connection can give has a summary of its own kind and says what to do next.
func TestExplain_everyErrorHasASummaryAndARemedy(t *testing.T) {
	t.Parallel()
	inner := errors.New("cause")
	target := pool.Target{HyperscalerType: "aws"}
	for summary, err := range map[string]error{
		SummaryExhausted:         &pool.ExhaustedError{Query: pool.Query{Target: target}},
		SummaryGuard:             &pool.GuardError{},
		SummaryTaken:             &pool.TakenError{Account: "a", Tenant: "b", Wanted: "c"},
		SummaryPin:               &pool.PinError{Account: "a", Why: "b"},
		SummaryUnusable:          &pool.UnusableError{Verdict: pool.Verdict(pool.ClassDirty)},
		SummaryOwner:             &pool.OwnerError{},
		SummaryClaimElsewhere:    &pool.ElsewhereError{},
		SummaryDuplicate:         &pool.DuplicateError{},
		SummaryInUse:             &pool.InUseError{Account: "a", Users: []pool.User{{Kind: "Shoot", Name: "s"}}},
		SummaryReturnRefused:     &pool.ReturnRefusedError{Account: "a"},
		SummaryConflict:          &pool.ConflictError{Account: "a", Tries: 3},
		SummaryUnknownOutcome:    &pool.UnknownOutcomeError{Account: "a", Err: &pool.UnreachableError{Err: inner}},
		SummaryForbidden:         &pool.ForbiddenError{Verb: "patch", Resource: "r", Namespace: "n", Err: inner},
		SummaryUnauthorized:      &pool.UnauthorizedError{Err: inner},
		SummaryAccountNotFound:   &pool.NotFoundError{Account: "a"},
		SummaryRejected:          &pool.RejectedError{Err: inner},
		SummaryUnreachable:       &pool.UnreachableError{Err: context.DeadlineExceeded},
		SummaryNoConnection:      &kubeconn.NotConfiguredError{},
		SummaryBadConnection:     &kubeconn.SettingError{Attribute: "host", Problem: "p"},
		SummaryUnknownConnection: &backend.UnknownSettingsError{Attributes: []string{"namespace"}},
		SummaryTimeout:           context.DeadlineExceeded,
		SummaryNotSecret:         &garden.NotSecretError{},
		SummarySecretNotFound:    &garden.SecretNotFoundError{},
		SummaryUnexpected:        inner,
	} {
		var diags diag.Diagnostics
		Report(&diags, "Trying", fmt.Errorf("wrapped: %w", err))
		if len(diags) != 1 || diags[0].Summary() != summary {
			t.Errorf("%T gives %v, want the summary %q", err, diags, summary)
			continue
		}
		if detail := diags[0].Detail(); !strings.HasPrefix(detail, "Trying: wrapped: ") {
			t.Errorf("%T: the detail does not say what was tried and what came back: %s", err, detail)
		}
		if Explain(err).Next == "" && summary != SummaryNoConnection { // that one lists what to set itself
			t.Errorf("%T does not say what to do next", err)
		}
	}
}
