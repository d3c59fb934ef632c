package clusterprofile

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
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

// warnAdopted says that a run which was cut short has made the ProviderConfig.
func warnAdopted(diags *diag.Diagnostics, c *openmcp.ProviderConfig) {
	diags.AddAttributeWarning(namePath, diagnose.SummaryConfigAdopted, fmt.Sprintf("ProviderConfig %s (UID %s) was there, and bears the "+
		"mark of this very configuration: a run that was cut short has left it. It was taken into the state as it is. If another state has it "+
		"too, take it out of one of them with `state rm`: a destroy there would delete it here.", c.Name, c.UID))
}

// warnGone says that a ProviderConfig left the state.
func warnGone(diags *diag.Diagnostics, err error) {
	text := strings.TrimRight(err.Error(), ".")
	diags.AddWarning(diagnose.SummaryConfigGone, fmt.Sprintf("%s. It is removed from the state; the next apply makes it again.",
		strings.ToUpper(text[:1])+text[1:]))
}

// warnDrift says what another party has changed of a ProviderConfig.
func warnDrift(diags *diag.Diagnostics, state configModel, drift []string) {
	diags.AddWarning(diagnose.SummaryConfigDrift, fmt.Sprintf("The Shoot template of ProviderConfig %s is not as the configuration says: "+
		"another party has changed it, or the provider block has another pool.kind by now:\n  - %s\n\nAn apply makes it what the "+
		"configuration says. Values are not told, because there may be secrets among them: "+
		"kubectl shows them. To keep such a change, write it into the template.", state.Name.ValueString(), strings.Join(drift, "\n  - ")))
}

// reportTwice refuses two resources for one ProviderConfig.
func reportTwice(diags *diag.Diagnostics, m configModel) {
	diags.AddAttributeError(namePath, diagnose.SummaryConfigTwice, fmt.Sprintf("ProviderConfig %s stands twice in this configuration. Give "+
		"each a name of its own. If a resource was renamed, say so with a moved block.", m.Name.ValueString()))
}
