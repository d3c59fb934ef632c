package clusterprofile

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// reportText reports an error at an attribute.
func reportText(diags *diag.Diagnostics, at path.Path, attempt string, err error) {
	var own diag.Diagnostics
	diagnose.Report(&own, attempt, err)
	for _, d := range own {
		diags.Append(diag.NewAttributeErrorDiagnostic(at, d.Summary(), d.Detail()))
	}
}

// warnDrift says what another party has changed of a ProviderConfig.
func warnDrift(diags *diag.Diagnostics, state configModel, drift []string) {
	diags.AddWarning(diagnose.SummaryConfigDrift, fmt.Sprintf("The Shoot template of ProviderConfig %s is not as the configuration says: "+
		"another party has changed it, or the provider block has another pool.kind by now:\n  - %s\n\nAn apply makes it what the "+
		"configuration says. Values are not shown, because there may be secrets among them: "+
		"kubectl shows them. To keep such a change, write it into the template.", state.Name.ValueString(), strings.Join(drift, "\n  - ")))
}

// reportMoved reports at the attribute that would move clusters why they cannot be moved.
func (l look) reportMoved(moved path.Paths, another bool, attempt string, err error) {
	switch {
	case len(moved) == 1:
		reportText(l.diags, moved[0], attempt, err)
	case len(moved) == 0 && !another:
		reportText(l.diags, accountPath, attempt, err)
	default:
		diagnose.Report(l.diags, attempt, err)
	}
}
