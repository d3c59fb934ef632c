package diagnose

import (
	"errors"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// clusterKind is the kind of a Cluster, clusterResource how the API calls them.
const (
	clusterKind     = "Cluster"
	clusterResource = "clusters"
)

// ofClusters has the errors of Clusters on the platform cluster that are made by themselves.
var ofClusters = []row{
	{
		summary: SummaryClusterHeld, effect: nothingWritten, match: is[*clusters.HeldError],
		part: func(err error) string {
			if held, ok := errors.AsType[*clusters.HeldError](err); ok {
				return held.Attribute
			}
			return ""
		},
		remedy: "Take the change back, or withdraw these requests first. Requests of one configuration go before the Cluster where they depend " +
			"on it (depends_on). To give the Cluster up and leave it as it is, take it out of the state with state rm. Where this error stops a " +
			"destroy of other things, run destroy with -refresh=false.",
	}, {
		summary: SummaryShootMoved, at: "profile", effect: nothingWritten, match: is[*configs.AdoptError],
		remedy: "The cluster provider would merge the template of the profile into the Shoot, and leave behind all that it has in the account " +
			"where it is. Name a profile of the account and the project where the Shoot is, or give the Cluster another name. Where the " +
			"Shoot is not to be its own, take cluster_ref out of the hap_shoot.",
	}, {
		summary: SummaryShootDeleting, at: "cluster_ref", effect: nothingWritten, match: when(func(e *configs.JoinError) bool { return e.Ends }),
		remedy: "Run the same command again when the Cluster is gone, or name another one.",
	}, {
		summary: SummaryShootMoved, at: "cluster_ref", effect: nothingWritten, match: is[*configs.JoinError],
		remedy: "The cluster provider would merge the template of the profile into the Shoot, and leave behind all that it has in the account " +
			"where it is. Take cluster_ref out, name another Cluster, or take the account and the project of the profile.",
	}, {
		summary: SummaryShootDeleting, at: "name", effect: nothingWritten,
		match:  when(func(e *api.ExistsError) bool { return e.Kind == clusterKind && e.Deleting }),
		remedy: "Run the same command again when it is gone, or take another name.",
	}, {
		summary: SummaryShootExists, at: "name", effect: nothingWritten,
		match:  on(func(e *api.ExistsError) ([]any, bool) { return []any{e.Ref.String()}, e.Kind == clusterKind }),
		remedy: "To manage that cluster here, import it: an import block with the id %q. Otherwise take another name.",
	}, {
		summary: SummaryShootStays, match: when(func(e *api.WaitError) bool { return e.For == clusters.UntilDeleted }),
		remedy: "The cluster provider goes on with it. Run the same command again to wait on, with a longer timeouts.delete where it needs that.",
	}, {
		summary: SummaryShootDeleting, match: is[*api.EndsError],
		remedy: "Another party has deleted it. Wait until it is gone; then a plan makes it again.",
	}, {
		summary: SummaryShootGone, effect: nothingWritten,
		match: when(func(e *api.GoneError) bool { return e.Kind == clusterKind && e.UID != "" }),
		remedy: "Another party has deleted it, or the provider leads to another platform cluster. Run plan: a cluster that is gone leaves the " +
			"state, and the next apply makes it again.",
	}, {
		summary: SummaryPlatformForbidden, effect: nothingWritten, match: writesClusters,
		remedy: "Grant the verb %q on %s in %s, best by the whole file examples/rbac/platform-clusters.yaml, or for requests with " +
			"scheduler = \"builtin\" by platform-builtin.yaml.",
	},
}

// writesClusters matches a write to a Cluster that the server did not allow.
func writesClusters(err error) ([]any, bool) {
	verbs, forbidden := atPlatform(kube.Forbidden)(err)
	failed, ok := errors.AsType[*kube.Error](err)
	if !forbidden || !ok || failed.Resource != clusterResource || !slices.Contains([]string{"create", "patch", "delete"}, failed.Verb) {
		return nil, false
	}
	return verbs, true
}

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
		remedy: "Run apply where its hap_access_request is declared: it makes the access anew, for the Cluster that the request has now. To " +
			"have both replaced in one apply, write cluster_ref = hap_cluster_request.….cluster in place of request_ref.",
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
