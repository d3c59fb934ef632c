package clusteraccess

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// kept says what becomes of an AccessRequest whose access cannot be used, and how dependents are kept waiting.
const kept = "The AccessRequest is kept, with granted = false; the next apply waits on. What depends on the access must not run: a " +
	"postcondition with condition = self.granted in its lifecycle block fails the apply there."

// warnAdopted says that a run which was cut short has made the AccessRequest.
func warnAdopted(diags *diag.Diagnostics, r *openmcp.AccessRequest) {
	diags.AddAttributeWarning(path.Root("name"), diagnose.SummaryRequestAdopted, fmt.Sprintf("AccessRequest %s (UID %s) was there, and bears "+
		"the mark of this very configuration: a run that was cut short has left it. It was taken into the state as it is. If another state has "+
		"it too, take it out of one of them with `state rm`: a destroy there would withdraw it here.", r.Ref(), r.UID))
}

// warnGone says that an AccessRequest left the state.
func warnGone(diags *diag.Diagnostics, err error) {
	diags.AddWarning(diagnose.SummaryRequestGone, fmt.Sprintf("%s. It is removed from the state; the next apply asks for access again.",
		words.Capitalized(words.WithoutStop(err))))
}

// warnWaiting says why there is no access yet.
func warnWaiting(diags *diag.Diagnostics, err error) {
	f := diagnose.Explain(err)
	diags.AddWarning(f.Summary, fmt.Sprintf("%s.\n\n%s\n\n%s", f.Brief, kept, f.Remedy))
}

// warnUnusable says that access was granted and cannot be used any more.
func warnUnusable(diags *diag.Diagnostics, err error) {
	f := diagnose.Explain(err)
	diags.AddWarning(f.Summary, fmt.Sprintf("%s. So granted is false, and a plan shows an update in place.\n\n%s", f.Brief, f.Remedy))
}

// warnMoved says that access leads to a Cluster that its request has not any more.
func warnMoved(diags *diag.Diagnostics, err error) {
	diags.AddWarning(diagnose.SummaryAccessMoved, fmt.Sprintf("%s. So granted is false, and a plan replaces it. To have both replaced in one "+
		"apply, write cluster_ref = hap_cluster_request.….cluster in place of request_ref.", words.WithoutStop(err)))
}

// warnUnread says that it is not known when access ends.
func warnUnread(diags *diag.Diagnostics, err error) {
	f := diagnose.Explain(err)
	diags.AddWarning(f.Summary, fmt.Sprintf("The Secrets with granted access cannot be read: %s. So it is not known whether the access can "+
		"be used, nor when it ends; it counts as granted.\n\n%s", f.Brief, f.Remedy))
}

// reportTwice refuses two resources for one AccessRequest.
func reportTwice(diags *diag.Diagnostics, of openmcp.Ref) {
	diags.AddAttributeError(path.Root("name"), diagnose.SummaryRequestTwice, fmt.Sprintf("AccessRequest %s stands twice in this "+
		"configuration. Give each a name of its own. If a resource was renamed, say so with a moved block.", of))
}
