package diagnose

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// AskedByApply is what comes next where a plan could not ask Gardener for fields of a template.
const AskedByApply = "The apply asks before it writes. Run plan again to have it asked now."

// ReportNewer says what came of asking Gardener for the fields of a template that this provider's types do not know: what Gardener does not
// know either is an error, and a question that was not answered a warning, which says what comes next. It returns whether there is no
// error.
func ReportNewer(diags *diag.Diagnostics, at path.Path, attempt, next string, t shoots.Template, err error) bool {
	switch {
	case err == nil:
	case connection.RefusesShoot(err):
		f := Explain(err)
		diags.AddAttributeError(at, f.Summary, fmt.Sprintf("%s: %s.\n\n%s", attempt, f.Brief, f.Next()))
		return false
	default:
		fields := make([]string, len(t.Newer()))
		for i, p := range t.Newer() {
			p.Text = "this provider knows no such field"
			fields[i] = p.String()
		}
		diags.AddAttributeWarning(at, SummaryNewerFields, fmt.Sprintf("%s: the template has fields that are mistyped, or newer than this "+
			"provider:\n  - %s\n\nGardener could not be asked which: %s. %s", attempt, strings.Join(fields, "\n  - "), withoutStop(err), next))
	}
	return true
}
