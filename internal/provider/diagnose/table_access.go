package diagnose

import (
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// lookAgain is what an apply does about granted access that cannot be used, and what is left where that does not help.
const lookAgain = "Run apply: it has the cluster provider look at the AccessRequest again, and waits. Where that does not help, make the " +
	"access anew: apply with -replace."

// ofAccess has the errors of access to Clusters of openMCP.
var ofAccess = []row{
	{
		summary: SummaryPlatformForbidden, match: refusedWait,
		remedy: "Grant the verb %q on %s in %s, best by the whole file examples/rbac/platform.yaml, or with scheduler = \"builtin\" by " +
			"platform-builtin.yaml: without it nothing can be waited for.",
	}, {
		summary: SummaryAccessNotGranted,
		match:   when(func(e *api.NotGrantedError) bool { return e.Kind == "AccessRequest" && e.Denied() }),
		remedy: "Time alone does not help: the cluster provider leaves a denied AccessRequest alone. Mend what it names, in its conditions or " +
			"in its log; then run apply again: it has the AccessRequest looked at again (annotation openmcp.cloud/operation: reconcile).",
	}, {
		summary: SummaryAccessNotGranted, match: when(func(e *api.NotGrantedError) bool { return e.Kind == "AccessRequest" }),
		remedy: "The operator and the cluster provider say why in their logs alone: look there for the name of the AccessRequest. They go on " +
			"without this run: run the same command again to wait on, with longer timeouts where it needs them.",
	}, {
		summary: SummaryAccessMoved, match: is[*access.MovedError],
		remedy: "Run apply where its hap_access_request stands: it makes the access anew, for the Cluster that the request has now. To have " +
			"both replaced in one apply, write cluster_ref = hap_cluster_request.….cluster in place of request_ref.",
	}, {
		summary: SummaryAccessSecretGone, match: is[*access.SecretGoneError], remedy: lookAgain,
	}, {
		summary: SummaryAccessSecretBad, match: is[*access.BadSecretError],
		remedy: "The cluster provider writes the Secret: look there. " + lookAgain,
	}, {
		summary: SummaryAccessEnded, match: is[*access.ExpiredError],
		remedy: "The cluster provider renews a token before it ends: look whether it runs. " + lookAgain,
	},
}
