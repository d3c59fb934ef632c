// Package diagnose turns what went wrong into diagnostics: a fixed summary, the attribute that caused it, what was tried,
// what came back, and what to do next.
package diagnose

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Finding is what an error means to the user.
type Finding struct {
	Summary   string // the first line of the diagnostic
	Attribute string // the attribute of the object that caused the error; empty = none did
	Effect    string // what the failed operation has done; empty where the error says so itself
	Remedy    string // what to do next
	Brief     string // the error for a warning: without the lists of all that was judged, and without a full stop
}

// Explain says what an error means, by the first row of the table that matches.
func Explain(err error) Finding {
	for i := range table {
		row := &table[i]
		verbs, ok := row.match(err)
		if !ok {
			continue
		}
		if row.summary == SummaryUnexpected {
			if asked := ofGarden(err); asked != nil {
				f := Explain(asked)
				if f.Effect == nothingWritten && half(err) {
					f.Effect = ""
				}
				return f
			}
		}
		f := Finding{Summary: row.summary, Attribute: row.attribute(err), Effect: row.effect, Remedy: row.remedy, Brief: row.brief}
		if f.Effect == nothingWritten && half(err) {
			f.Effect = ""
		}
		if len(verbs) > 0 {
			f.Remedy = fmt.Sprintf(row.remedy, verbs...)
		}
		if f.Brief == "" {
			f.Brief = words.WithoutStop(err)
		}
		return f.withFence(err)
	}
	return Finding{Summary: SummaryUnexpected, Remedy: ReportIssue, Brief: words.WithoutStop(err)}
}

// Remedy is what an error with the summary says to do next in the ordinary case, with the verbs of fmt in place of what differs from error
// to error: the remedy of the last row, because the special cases come first. It is empty where no error has the summary.
func Remedy(summary string) string {
	for i := len(table) - 1; i >= 0; i-- {
		if table[i].summary == summary {
			return table[i].remedy
		}
	}
	return ""
}

// ofGarden is what the Garden answered to a request that was not about an account, such as one for a Shoot; nil = it was something else.
func ofGarden(err error) error {
	failed, ok := errors.AsType[*kube.Error](err)
	if !ok || errors.As(err, new(*api.ServerError)) {
		return nil
	}
	switch failed.Reason {
	case kube.NotFound, kube.Exists, kube.Conflict: // pool has these of accounts alone
		return nil
	}
	return garden.Translate(failed)
}

// half reports whether an operation may have written something before the write that failed: a Shoot has an annotation before it is
// deleted.
func half(err error) bool {
	failed, ok := errors.AsType[*kube.Error](err)
	return ok && failed.Verb == "delete" && failed.Resource == "shoots"
}

// withFence says what became of the fence of a release, and what a move has written before it. Where it stays, or may stay, the cause has
// remedies of its own.
func (f Finding) withFence(err error) Finding {
	moved, _ := errors.AsType[*protocol.MovedBeforeError](err)
	taken, _ := errors.AsType[*protocol.RecordTakenError](err)
	cut, _ := errors.AsType[*protocol.MoveCutError](err)
	switch {
	case f.Effect != nothingWritten:
	case errors.As(err, new(*protocol.FenceLoweredError)):
		f.Effect = fenceLowered
	case taken != nil:
		f.Effect = fmt.Sprintf(recordTaken, taken.From)
	case cut != nil && cut.Labelled != "":
		f.Effect, f.Remedy = fmt.Sprintf(moveLabelled, cut.Labelled), twoTenants
	case cut != nil:
		f.Effect = moveCut
	case moved != nil:
		f.Effect = ""
	}
	if moved != nil {
		f.Effect = strings.TrimSpace(f.Effect + " " + fmt.Sprintf(movedBefore, moved.To))
	}
	var left *protocol.FenceLeftError
	if !errors.As(err, &left) {
		return f
	}
	for _, cause := range []error{left.Cause, left.Err} {
		if cause == nil {
			continue
		}
		if remedy := Explain(cause).Remedy; remedy != ReportIssue && !strings.Contains(f.Remedy, remedy) {
			f.Remedy += " " + remedy
		}
	}
	return f
}

// Next says what was done and what to do.
func (f Finding) Next() string { return strings.TrimSpace(f.Effect + " " + f.Remedy) }

// Report adds an error at the attribute that caused it: a fixed summary; what was tried, what came back, and what to do next.
func Report(diags *diag.Diagnostics, attempt string, err error) {
	f := Explain(err)
	detail := fmt.Sprintf("%s: %s\n\n%s", attempt, words.Ended(err), f.Next())
	if f.Attribute == "" {
		diags.AddError(f.Summary, detail)
		return
	}
	diags.AddAttributeError(path.Root(f.Attribute), f.Summary, detail)
}

// ReportAt is Report for an object that names its account by another attribute than a claim: an error that there is no such
// account is named there.
func ReportAt(diags *diag.Diagnostics, account path.Path, attempt string, err error) {
	var own diag.Diagnostics
	Report(&own, attempt, err)
	for _, d := range own {
		if f := Explain(err); f.Summary == SummaryAccountNotFound {
			d = diag.NewAttributeErrorDiagnostic(account, d.Summary(), d.Detail())
		}
		diags.Append(d)
	}
}

// WarnDoubts says what is in doubt about a count, in one warning: of several with the same summary only one is shown.
func WarnDoubts(diags *diag.Diagnostics, doubts []string) {
	if len(doubts) > 0 {
		diags.AddWarning(SummaryCountDoubt, strings.Join(doubts, "\n\n"))
	}
}

// WrittenBefore has errors say what was written before them, in place of that nothing was.
func WrittenBefore(said diag.Diagnostics, what string) (all diag.Diagnostics) {
	for _, d := range said {
		text := strings.Replace(d.Detail(), nothingWritten, what, 1)
		at, hasPath := d.(diag.DiagnosticWithPath)
		switch {
		case d.Severity() != diag.SeverityError || text == d.Detail():
			all.Append(d)
		case hasPath:
			all.AddAttributeError(at.Path(), d.Summary(), text)
		default:
			all.AddError(d.Summary(), text)
		}
	}
	return all
}
