package clusteraccess

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// waitsOn says what becomes of an AccessRequest whose access cannot be used, and how dependents are kept waiting.
const waitsOn = "The AccessRequest is kept, with granted = false; the next apply waits on. What depends on the access must not run: a " +
	"postcondition with condition = self.granted in its lifecycle block fails the apply there."

// warnWaiting says why there is no access yet.
func warnWaiting(diags *diag.Diagnostics, err error) {
	f := diagnose.Explain(err)
	diags.AddWarning(f.Summary, fmt.Sprintf("%s.\n\n%s\n\n%s", f.Brief, waitsOn, f.Remedy))
}

// warnDenied says, in a plan, that an AccessRequest was denied, and what the apply does about it.
func warnDenied(diags *diag.Diagnostics, state accessModel) {
	diags.AddWarning(diagnose.SummaryAccessNotGranted, fmt.Sprintf("AccessRequest %s was denied, and its cluster provider leaves it alone. "+
		"This apply has it looked at again (annotation %s: reconcile), and waits. Mend the cause first: otherwise it is denied again.",
		state.Ref(), api.OperationAnnotation))
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
