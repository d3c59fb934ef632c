package diagnose

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
)

// ofPlatform has the errors of requests on the platform cluster of openMCP. Errors of the server come last: others wrap them.
var ofPlatform = []row{
	{
		summary: SummaryNoPlatform, match: is[*connection.NoPlatformError], effect: nothingRead,
		remedy: "Write platform = { config_path = \"…\", namespace = \"…\" } into the provider block.",
	}, {
		summary: SummaryNoPlatform, match: when(func(e *kube.NotConfiguredError) bool { return e.Place.Object == "platform" }),
		effect: nothingRead,
		remedy: "Name the API server in platform of the provider block: config_path, config_raw or host. The platform cluster has no " +
			"environment variables. If something is set there already, look for a misspelt name: Terraform drops an attribute that it does not " +
			"know inside platform = { } without a word.",
	}, {
		summary: SummaryAnnotated, at: "deletion_protection", effect: "The cluster was not deleted.",
		match: when(func(e *kube.ProtectedError) bool { return e.Reported }),
		remedy: "The Garden of the provider block does not show the Shoot, which may be in the Garden of another landscape: set kubernetes and " +
			"namespace of the provider block to that Garden. If the cluster may go, set deletion_protection = false in the resource that " +
			"protects the Shoot, and apply. Where the Shoot is really gone, the cluster provider writes the status of the Cluster anew: run " +
			"the same command again then.",
	}, {
		summary: SummaryAnnotated, at: "deletion_protection", effect: "The cluster was not deleted.",
		match: with(func(e *kube.ProtectedError) []any {
			return []any{strings.ToLower(e.Kind) + "s", e.Namespace, e.Name, kube.ProtectionAnnotation}
		}),
		remedy: "Another resource, of this state or of another one, protects it, or a person does. Set deletion_protection = false there, and " +
			"apply. Where a run of this configuration that was cut short has written it, apply after a refresh before. Where no configuration " +
			"has it any more, take the annotation away: kubectl annotate %s -n %s %s %s-.",
	}, {
		summary: SummaryRequestExists, at: "name", effect: nothingWritten, match: existing(true),
		remedy: "Run the same command again when it is gone, or take another name.",
	}, {
		summary: SummaryRequestExists, at: "name", effect: nothingWritten, match: existing(false),
		remedy: "To manage it here, import it: an import block with the id %q. Otherwise take another name. Where another state has it, leave " +
			"it there.",
	}, {
		summary: SummaryNoScheduler, match: when(func(e *requests.NoSchedulerError) bool { return e.Ignored }),
		remedy: "Take the annotation away, from annotations or by hand, and run the same command again.",
	}, {
		summary: SummaryNoScheduler, match: when(func(e *requests.NoSchedulerError) bool { return e.Blind != nil }),
		remedy: "Let the account list Clusters in all namespaces, as the ClusterRole of examples/rbac/platform.yaml does: without it a " +
			"scheduler that is busy with other namespaces looks like one that does not run. Check that the openmcp-operator runs with its " +
			"scheduler. Then run the same command again.",
	}, {
		summary: SummaryNoScheduler, match: is[*requests.NoSchedulerError],
		remedy: "Check that the openmcp-operator runs with its scheduler (--controllers scheduler), that it serves this platform cluster, and " +
			"that its scheduler.selectors.requests, where it has any, match the labels of the request. Then run the same command again.",
	}, {
		summary: SummaryNotGranted, match: when((*api.NotGrantedError).Denied),
		remedy: "Time alone does not help: the scheduler has denied it. Mend what it names, in the conditions or in its log. Then run apply " +
			"again: it makes a request that was withdrawn anew, and has an existing one looked at again (annotation " +
			"openmcp.cloud/operation: reconcile).",
	}, {
		summary: SummaryNotGranted, match: is[*api.NotGrantedError],
		remedy: "The operator says why in its log alone: look there for the name of the request. A purpose has to be in its " +
			"scheduler.purposeMappings; a name that is taken is freed by the requests that hold the Cluster, by deleting a Cluster that none " +
			"holds, or by another name of this request. Then run the same command again.",
	}, {
		summary: SummaryRequestStays, match: when(func(e *api.WaitError) bool { return e.For == api.UntilGone }),
		remedy: "It goes on without this run. Run the same command again to wait on, with a longer timeouts.delete where that takes longer. " +
			"Look whether the owners of its finalizers run: each takes off its own.",
	}, {
		summary: SummaryClusterUnready, match: is[*api.WaitError],
		remedy: "The cluster provider goes on with it. Run the same command again to wait on, with longer timeouts where it needs them.",
	}, {
		summary: SummaryPrefix, match: is[*requests.PrefixError],
		remedy: "Give one of the two requests another name: the prefix is derived from it.",
	}, {
		summary: SummaryNoSuchRequest, match: when(func(e *api.GoneError) bool { return e.UID == "" }), effect: nothingWritten,
		remedy: "Check the namespace and the name, and that platform in the provider block leads to the platform cluster where it lies.",
	}, {
		summary: SummaryRequestGone, match: is[*api.GoneError], effect: nothingWritten,
		remedy: "Another party has deleted it, or the provider leads to another platform cluster. Run plan: what is gone leaves the state, and " +
			"the next apply makes it again.",
	},

	// The server itself.
	{
		summary: SummaryNoOpenMCP, match: both(is[*api.ServerError], says("custom resource definition is terminating")),
		effect: nothingWritten,
		remedy: "openMCP is being taken down there, with all that was requested: run the same command again when its custom resource " +
			"definitions exist again, or correct platform in the provider block.",
	}, {
		summary: SummaryNotPlatform, match: both(is[*api.ServerError], is[*kube.LostPathError]), effect: nothingWritten,
		remedy: "What is not seen may be a live cluster, so nothing is decided without it. Have the gateway or proxy in front of the API " +
			"server pass on all paths below /apis, or connect to the API server itself.",
	}, {
		summary: SummaryNoOpenMCP, match: atPlatform(kube.NoAPI), effect: nothingWritten,
		remedy: "The API server does not know openMCP: install the openmcp-operator there (its custom resource definitions come with it), or " +
			"correct platform in the provider block.",
	}, {
		summary: SummaryPlatformUnauthorized, effect: nothingWritten,
		match:  both(atPlatform(kube.Forbidden, kube.Unauthorized), is[*kube.BasicAuthError]),
		remedy: fmt.Sprintf(otherLogin, "platform"),
	}, {
		summary: SummaryPlatformForbidden, effect: nothingWritten, match: atPlatform(kube.Forbidden),
		remedy: "Grant the verb %q on %s in %s, best by the whole file examples/rbac/platform.yaml, or with scheduler = \"builtin\" by " +
			"platform-builtin.yaml.",
	}, {
		summary: SummaryPlatformUnauthorized, effect: nothingWritten, match: atPlatform(kube.Unauthorized),
		remedy: "The token or certificate has expired, is malformed, or belongs to another cluster: renew it, or let the provider get it anew " +
			"by platform.exec.",
	}, {
		summary: SummaryPlatformQuota, effect: nothingWritten, match: atPlatform(kube.OverQuota), remedy: quotaFull,
	}, {
		summary: SummaryPlatformFailed, match: atPlatform(kube.WebhookDown), remedy: askWebhook,
	}, {
		summary: SummaryPlatformFailed, match: atPlatform(kube.Failed),
		remedy: "Where the answer names something that is not there, correct that. Otherwise have the API server looked at, and run the same " +
			"command again.",
	}, {
		summary: SummaryNotPlatform, match: both(atPlatform(kube.Unreachable, kube.UnknownOutcome), foreign),
		remedy: "Something else answers at that address, such as a login page or a gateway: no redirect is followed, so nothing but this " +
			"server got the credentials. Check platform.host, or the server of its kubeconfig, and the proxy; if the server has moved, write " +
			"its new address there.",
	}, {
		summary: SummaryPlatformUnreachable, match: both(atPlatform(kube.Unreachable, kube.NotSent), is[*tls.CertificateVerificationError]),
		remedy: "The server was reached, and its certificate is not trusted. Set platform.cluster_ca_certificate to its CA, or take the " +
			"connection from a kubeconfig, which brings it along.",
	}, {
		summary: SummaryProgram, match: both(atPlatform(kube.Unreachable, kube.NotSent), program), remedy: fmt.Sprintf(mendProgram, "platform"),
	}, {
		summary: SummaryPlatformUnreachable, match: atPlatform(kube.Unreachable, kube.NotSent, kube.Expired),
		remedy: "Check platform in the provider block, the network and the API server, and run the same command again.",
	}, {
		summary: SummaryPlatformUnknown, match: atPlatform(kube.UnknownOutcome),
		remedy: "Run the same command again: it looks what became of the write, and goes on from there.",
	}, {
		summary: SummaryPlatformBusy, effect: nothingWritten, match: atPlatform(kube.Throttled),
		remedy: "Run the same command again in a while, with less -parallelism if this happens often.",
	}, {
		summary: SummaryPlatformConflict, effect: nothingWritten, match: atPlatform(kube.Conflict),
		remedy: "Run plan again: it reads what is there now.",
	}, {
		summary: SummaryPlatformRejected, effect: nothingWritten, match: atPlatform(kube.Denied),
		remedy: "The same request would be refused again: see the answer above.",
	}, {
		summary: SummaryPlatformRejected, effect: nothingWritten, match: both(is[*api.ServerError], says(`: namespaces "`)),
		remedy: "Make the namespace on the platform cluster, or name another one: namespace, or platform.namespace of the provider block.",
	}, {
		summary: SummaryPlatformRejected, effect: nothingWritten, match: is[*api.ServerError],
		remedy: "The same request would be refused again: see the answer above. A field that the server does not know is refused, never " +
			"dropped: the platform cluster may have another version of openMCP.",
	},
}

// existing matches an object that exists where another was to be made, and that is being deleted or not.
func existing(deleting bool) func(error) ([]any, bool) {
	return on(func(e *api.ExistsError) ([]any, bool) {
		if deleting {
			return nil, e.Deleting
		}
		return []any{e.Ref.String()}, !e.Deleting
	})
}

// grantOf is what a refused request needs: a verb, a resource, and where.
func grantOf(failed *kube.Error) []any {
	where := "all namespaces"
	if failed.Namespace != "" {
		where = fmt.Sprintf("namespace %q", failed.Namespace)
	}
	return []any{failed.Verb, failed.Of(), where}
}

// refusedWait matches a wait that the server did not allow.
func refusedWait(err error) ([]any, bool) {
	waited := errors.As(err, new(*api.WaitError)) || errors.As(err, new(*api.NotGrantedError))
	failed, ok := errors.AsType[*kube.Error](err)
	if !waited || !ok || failed.Reason != kube.Forbidden || failed.Resource == configResource {
		return nil, false
	}
	return grantOf(failed), true
}

// atPlatform matches an error of the platform cluster's server for one of the reasons.
func atPlatform(reasons ...kube.Reason) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		if !errors.As(err, new(*api.ServerError)) {
			return nil, false
		}
		failed, ok := errors.AsType[*kube.Error](err)
		if !ok || !slices.Contains(reasons, failed.Reason) {
			return nil, false
		}
		if failed.Reason == kube.Forbidden {
			return grantOf(failed), true
		}
		return nil, true
	}
}
