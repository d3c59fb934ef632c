package diagnose

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// NoMatch reports why a request has no pool, at the attribute of the request that is at fault.
func NoMatch(diags *diag.Diagnostics, err error) {
	wrong, ok := errors.AsType[*rules.RequestError](err)
	if !ok {
		diags.AddError(SummaryUnexpected, fmt.Sprintf("Matching the request: %s. %s", err, ReportIssue))
		return
	}
	diags.AddAttributeError(path.Root(wrong.Field), string(wrong.Reason), wrong.Message)
}

// problemSummaries gives each kind of problem its fixed summary.
var problemSummaries = map[rules.Kind]string{
	rules.KindParse:       SummaryMalformed,
	rules.KindUnknownPlan: SummaryRulePlan,
	rules.KindMissingPlan: SummaryMissingPlan,
	rules.KindDuplicate:   SummaryDuplicateRule,
	rules.KindAmbiguous:   SummaryAmbiguous,
	rules.KindShadowed:    SummaryShadowed,

	rules.KindUnknownRegion: SummaryRuleRegion,
	rules.KindEUAccess:      SummaryEUAccess,
	rules.KindOtherReading:  SummaryOtherReading,
}

// Problems reports each problem of a rule set at its own entry.
func Problems(diags *diag.Diagnostics, problems rules.Problems) {
	for i := range problems {
		p := &problems[i]
		where, summary := problemPath(p), problemSummary(p)
		if p.Severity == rules.SeverityWarning {
			diags.AddAttributeWarning(where, summary, p.Detail())
			continue
		}
		diags.AddAttributeError(where, summary, p.Detail())
	}
}

// problemPath is where a problem is reported: at the element at fault where there is one.
func problemPath(p *rules.Problem) path.Path {
	where := path.Empty()
	for _, step := range strings.Split(p.Field, ".") {
		where = where.AtName(step)
	}
	switch {
	case len(p.Entries) > 0:
		return where.AtListIndex(p.Entries[0] - 1)
	case p.Field == "plans" && p.Text != "":
		return where.AtMapKey(p.Text)
	case (p.Field == "required_plans" || p.Field == "eu_access_platform_regions" || p.Field == "platform_regions") && p.Text != "":
		return where.AtSetValue(types.StringValue(p.Text))
	}
	return where
}

// problemSummary distinguishes the faults of a rule from those of the set, or of a plan that is required.
func problemSummary(p *rules.Problem) string {
	ofRule := len(p.Entries) > 0 || strings.HasPrefix(p.Field, "legacy.")
	switch {
	case p.Kind == rules.KindParse && !ofRule:
		return SummaryInvalidRuleSet
	case p.Kind == rules.KindParse && p.Severity == rules.SeverityWarning:
		return SummaryNotForBroker
	case p.Kind == rules.KindUnknownPlan && !ofRule:
		return string(rules.ReasonUnknownPlan)
	case p.Kind == rules.KindUnknownRegion && !ofRule:
		return string(rules.ReasonUnknownRegion)
	}
	return problemSummaries[p.Kind]
}

// InvalidSet writes all errors of a rule set in one text.
func InvalidSet(problems rules.Problems) string {
	return ErrorsOf("The rule set cannot be used:", problems)
}

// ErrorsOf writes all errors after a first line.
func ErrorsOf(text string, problems rules.Problems) string {
	for _, p := range problems {
		if p.Severity == rules.SeverityError {
			text += "\n\n" + p.Detail()
		}
	}
	return text
}
