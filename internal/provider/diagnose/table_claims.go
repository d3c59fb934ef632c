package diagnose

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// notTheServer is what to do where something else answers than the API server of the Garden.
const notTheServer = "Something else answers at that address, such as a login page or a gateway: no redirect is followed, so nothing but " +
	"this server got the credentials. Check kubernetes.host, or the server of the kubeconfig, and the proxy; if the server has moved, write " +
	"its new address there."

// noMove is what to do where a claim finds no other binding of its cloud account.
const noMove = "Make a binding of the kind in pool.kind with the labels of the old one, the Global Account's among them, that refers to " +
	"the same credentials (the guide \"Moving to CredentialsBindings\" has the commands), and run the same apply again. Where there are " +
	"several, set binding_name to the one that is meant (where the old binding is gone, with -refresh=false). Where another Global Account " +
	"uses the cloud account by one of its bindings, find " +
	"out whose it is first."

// twoTenants is what to do where a move has met another Global Account in its cloud account, after its own write.
const twoTenants = "Both may bring clusters into the cloud account now. Find out at once whose it is: take the label of the other Global " +
	"Account off its binding, and move its clusters. hap_pool_status shows both bindings (same_credentials)."

// ofClaims has the errors of claims and their releases, of the Garden, and of which server and namespace the provider leads to.
var ofClaims = []row{
	// Claims and their identity.
	{
		summary: SummaryHalfMoved, effect: nothingWritten,
		match: on(func(e *protocol.UnfinishedMoveError) ([]any, bool) { return []any{e.Account}, e.There }),
		remedy: "An apply that takes the claim to account %s was interrupted before its first write. Run apply, which records the claim there, " +
			"and destroy it then.",
	}, {
		summary: SummaryHalfMoved, effect: nothingWritten,
		match: with(func(e *protocol.UnfinishedMoveError) []any { return []any{e.Other} }),
		remedy: "An apply that takes the claim from one of the two accounts to the other was interrupted, or is under way. Set binding_name = " +
			"%q, apply, and destroy the claim then. Where that apply fails, give the claim up and leave the account as it is: set on_destroy = " +
			`"keep", apply, and destroy.`,
	}, {
		summary: SummaryHalfMoved, match: with(func(e *protocol.HalfMovedError) []any { return []any{e.From} }),
		remedy: "Nothing was marked, and both bindings are the Global Account's. Grant get and patch on %s where that is what the text says, " +
			"and run the same apply again: it takes the record off.",
	}, {
		summary: SummaryClaimElsewhere, effect: nothingWritten,
		match: with(func(e *protocol.OtherBindingError) []any {
			return []any{e.Identity.GlobalAccount, cmp.Or(strings.Join(e.Accounts[:min(1, len(e.Accounts))], ""), "<account>"), e.Identity.Name}
		}),
		remedy: "A second claim would leave the first one without a configuration. If another configuration has that claim, give this one " +
			"another name. Else import the claim as %s/%s/%s, by the account of this pool that has the same credentials: the next apply takes the " +
			"record along. Where there is no such account, make one, or give the binding its label back (the guide \"Moving to " +
			"CredentialsBindings\" has the commands).",
	}, {
		summary: SummaryNoMove, at: "binding_name", effect: nothingWritten, match: is[*protocol.MoveError], remedy: noMove,
	}, {
		summary: SummaryClaimElsewhere, effect: nothingWritten,
		match: with(func(e *protocol.ElsewhereError) []any {
			return []any{e.Identity.GlobalAccount, e.Other, e.Identity.Name}
		}),
		remedy: "Take the claim out of the state with `state rm` and import it as %s/%s/%s.",
	}, {
		summary: SummaryOwner, at: "owner", effect: nothingWritten, match: is[*protocol.OwnerError],
		remedy: "Give this claim a name of its own, or, if it is meant to be the same one, set the same owner and keep it in one configuration " +
			"only. If it is recorded by the owner which an interrupted apply of this configuration was to set, run that apply again: it takes the " +
			"claim on, and a destroy goes through then.",
	}, {
		summary: SummaryOtherState, effect: nothingWritten,
		match: with(func(e *protocol.OtherStateError) []any {
			return []any{e.Identity.GlobalAccount, e.Account, e.Identity.Name}
		}),
		remedy: oneState,
	}, {
		summary: SummaryUnreadableRecord, effect: nothingWritten, match: is[*account.UnreadableRecordError], remedy: mendRecord,
	}, {
		summary: SummaryDuplicate, at: "name", match: is[*protocol.DuplicateError],
		remedy: "Give each claim of one Global Account on one pool a name of its own. Two providers with an alias have the pool in common.",
	},

	// Releasing.
	{
		summary: SummaryInUse, match: when(func(e *account.InUseError) bool { return e.AfterFence }),
		effect: "They came while the account was being released; it is as it was before, and the claim still exists.",
		remedy: giveUp,
	}, {
		summary: SummaryInUse, match: when(func(e *account.InUseError) bool { return e.Waited > 0 }), effect: unreleased,
		remedy: "Run the same command again: it goes on waiting, as long as timeouts.delete allows. Where a cluster does not go at all, look " +
			"at its status in Gardener.",
	}, {
		summary: SummaryInUse, match: is[*account.InUseError], effect: unreleased,
		remedy: giveUp,
	}, {
		summary: SummaryOtherBinding, effect: unreleased,
		match: with(func(e *protocol.StrayError) []any { return []any{account.SameAnnotation, e.Stray} }),
		remedy: "Have the pool's owner correct the annotation %s, so that it names the Secret of the account, or take it away where %s is " +
			"another cloud account, and run the same command again. To give this claim up and leave the account as it is, set on_destroy = " +
			`"keep", apply, and destroy.`,
	}, {
		summary: SummaryOtherBinding, effect: unreleased,
		match: on(func(e *protocol.TwinError) ([]any, bool) { return []any{e.Twin}, e.Outside }),
		remedy: "Find out which Shoots of that namespace name %s. Once none does, delete it, and run the same command again. To give this " +
			`claim up and leave the account as it is, set on_destroy = "keep", apply, and destroy.`,
	}, {
		summary: SummaryOtherBinding, effect: unreleased, match: with(func(e *protocol.TwinError) []any { return []any{e.Twin} }),
		remedy: "Find out whose the cloud account is. Where %s is no longer needed, move its clusters and take its label of the Global " +
			"Account off, or delete it, and run the same command again. To give this claim up and leave the account as it is, set on_destroy = " +
			`"keep", apply, and destroy.`,
	}, {
		summary: SummaryContested, effect: unreleased, match: is[*protocol.ContestedError],
		remedy: "Find out what each label means. Have the pool's owner take off what is not meant, and put what is meant under the key that " +
			"the provider reads, on the binding that has it. Then run the same command again. To give this claim up and leave the " +
			`account as it is, set on_destroy = "keep", apply, and destroy.`,
	}, {
		summary: SummaryReturnRefused, at: "on_destroy", effect: nothingWritten, match: is[*protocol.ReturnRefusedError],
		remedy: `Set on_destroy = "mark_dirty", apply, and destroy again: the clean-up job then wipes the account and frees it.`,
	}, {
		summary: SummaryNotGarden, match: both(is[*account.UnknownOutcomeError], foreign), remedy: notTheServer,
	}, {
		summary: SummaryUnknownOutcome, match: is[*account.UnknownOutcomeError],
		remedy: "Run the same command again: it finds what is on the account and goes on from there.",
	}, {
		summary: SummaryBusy, effect: nothingWritten, match: both(is[*account.BusyError], says(kube.OwnLimit)),
		remedy: "Run the same command again later: other runs write, too. " + ownLimit,
	}, {
		summary: SummaryBusy, effect: nothingWritten, match: is[*account.BusyError],
		remedy: "Run the same command again later, with fewer operations at a time (-parallelism). Where it lasts, have the priority and " +
			"fairness of the API server looked at.",
	}, {
		summary: SummaryConflict, effect: nothingWritten, match: is[*account.ConflictError],
		remedy: "Another program writes on the account all the time: find out which from the audit log, and run the same command again.",
	},

	// The Garden.
	{
		summary: SummaryUnauthorized, match: both(ofLogin, is[*kube.BasicAuthError]),
		remedy: fmt.Sprintf(otherLogin, "kubernetes") + " The variables KUBE_USER and KUBE_PASSWORD set them, too.",
	}, {
		summary: SummaryForbidden, effect: nothingWritten, match: both(is[*account.HiddenBindingsError], is[*account.ForbiddenError]),
		remedy: "The Shoots may be on this account, by a binding that is not seen. Grant the verb list for the bindings, and run the same " +
			"command again.",
	}, {
		summary: SummaryNotGarden, effect: nothingWritten, match: is[*account.HiddenBindingsError],
		remedy: "The Shoots may be on this account, by a binding that is not seen. Have the gateway or proxy in front of the API server pass " +
			"on all paths below /apis, or connect to the API server itself.",
	}, {
		summary: SummaryForbidden, match: both(is[*account.ForbiddenError], says(kube.AnonymousUser)),
		remedy: "The request carried no credentials, so the server took it for an anonymous one. Set kubernetes.token, kubernetes.exec or a " +
			"client certificate, or a kubeconfig by kubernetes.config_path.",
	}, {
		summary: SummaryForbidden, effect: nothingWritten,
		match: on(func(e *account.ForbiddenError) ([]any, bool) {
			return []any{e.Verb, e.Resource, e.Namespace}, e.Verb == "patch" || e.Verb == "create"
		}),
		remedy: "Grant the verb %q on %s in namespace %q, best by the whole Role of the provider's examples/rbac. Besides patch and create, " +
			"Gardener demands get on the Secret (or WorkloadIdentity) that the account refers to, even if only a label changes.",
	}, {
		summary: SummaryForbidden, match: with(func(e *account.ForbiddenError) []any { return []any{e.Verb, e.Resource, e.Namespace} }),
		remedy: "Grant the verb %q on %s in namespace %q, best by the whole Role of the provider's examples/rbac: where one verb is missing, " +
			"others mostly are. If that is not the namespace of the Gardener project, set the provider's namespace.",
	}, {
		summary: SummaryUnauthorized, match: is[*account.UnauthorizedError],
		remedy: "The token or certificate has expired, is malformed, or belongs to another landscape: renew it, check that the connection " +
			"leads to the Garden it was made for, or let the provider get it anew by kubernetes.exec.",
	}, {
		summary: SummaryAccountNotFound, at: "binding_name", match: is[*account.NotFoundError],
		remedy: "Check the name, and namespace and pool.kind of the provider; the account must carry the label of the hyperscaler type " +
			"(hyperscalerType, unless pool.label_scheme or pool.label_keys say otherwise).",
	}, {
		summary: SummaryRejected, effect: nothingWritten, match: when(lacksCredentials),
		remedy: "Gardener refuses each change of an account whose credentials do not exist, even if only a label changes: it demands get on " +
			"the Secret (or WorkloadIdentity). Make it again, or take the account out of the pool.",
	}, {
		summary: SummaryRejected, effect: nothingWritten, match: is[*account.RejectedError],
		remedy: "The same request would be refused again: see the answer above.",
	}, {
		summary: SummaryQuota, effect: nothingWritten, match: is[*account.QuotaError], remedy: quotaFull,
	}, {
		summary: SummaryNotGarden, match: is[*account.NoAPIError],
		remedy: "An API server answers there, and it has no such API: it is not that of a Garden, or an older one. Check kubernetes.host, or " +
			"the server and the context of the kubeconfig, and pool.kind.",
	}, {
		summary: SummaryFailed, match: when(func(e *account.FailedError) bool { return e.Webhook }), remedy: askWebhook,
	}, {
		summary: SummaryFailed, match: is[*account.FailedError],
		remedy: "Where the answer names something that is not there, correct that: Gardener answers so to what it refuses. Otherwise have the " +
			"API server looked at, and run the same command again.",
	}, {
		summary: SummaryNotGarden, match: both(is[*account.UnreachableError], is[*kube.LostPathError]),
		remedy: "Bindings that are not seen may make an account another Global Account's, so nothing is decided without them. Have the gateway " +
			"or proxy in front of the API server pass on all paths below /apis, or connect to the API server itself.",
	}, {
		summary: SummaryNotGarden, match: is[*kube.LostPathError],
		remedy: "What is not seen may be a live cluster, so nothing is decided without it. Have the gateway or proxy in front of the API " +
			"server pass on all paths below /apis, or connect to the API server itself.",
	}, {
		summary: SummaryNotGarden, match: both(is[*account.UnreachableError], foreign), remedy: notTheServer,
	}, {
		summary: SummaryUnreachable, match: both(is[*account.UnreachableError], is[*tls.CertificateVerificationError]),
		remedy: "The server was reached, and its certificate is not trusted. Set kubernetes.cluster_ca_certificate to the CA of the Garden, or " +
			"take the connection from a kubeconfig, which brings it along; where the certificate is for another host name, set " +
			"kubernetes.tls_server_name.",
	}, {
		summary: SummaryProgram, match: both(is[*account.UnreachableError], program), remedy: fmt.Sprintf(mendProgram, "kubernetes"),
	}, {
		summary: SummaryUnreachable, match: is[*account.UnreachableError],
		remedy: "Check the provider's kubernetes settings, the network and the API server, and run the same command again.",
	},

	// The version of the provider, and its settings.
	{
		summary: SummaryNewerRecord, effect: nothingWritten, match: is[*protocol.NewerRecordError],
		remedy: "Use the version of the provider that recorded the claim, or a later one.",
	}, {
		summary: SummarySettingsChanged, effect: nothingWritten,
		match: when(func(e *settings.ChangedError) bool { return e.What == "pool.kind" }),
		remedy: "Claims go along to CredentialsBindings, and to no other kind: run apply first, which takes the claim along, and then this " +
			"command (see the guide \"Moving to CredentialsBindings\"). Or set the provider block back. Take a hap_account out of the state with " +
			"`state rm`, which changes nothing in the Garden, and import it by the name of its new binding.",
	}, {
		summary: SummarySettingsChanged, effect: nothingWritten,
		match: when(func(e *settings.ChangedError) bool { return e.What == "database" }),
		remedy: "The rows of the broker's database say which clusters are on the account, and Gardener alone may not know them all. Configure " +
			"the database again, by database of the provider block or HAP_DATABASE_URL, and run the same command. If the landscape has no such " +
			"database any more, take the object out of the state with `state rm`, which changes nothing in the Garden, and import it: what is " +
			"imported is released by the sources that the provider has then.",
	}, {
		summary: SummarySettingsChanged, effect: nothingWritten,
		match: when(func(e *settings.ChangedError) bool { return e.What == "platform" }),
		remedy: "Clusters of the platform cluster come to the account before Gardener has their Shoots. Configure platform in the provider " +
			"block again, and run the same command. If the landscape has no platform cluster any more, take the object out of the state with " +
			"`state rm`, which changes nothing in the Garden, and import it: what is imported is released by the sources that the provider has " +
			"then.",
	}, {
		summary: SummarySettingsChanged, effect: nothingWritten,
		match: when(func(e *settings.ChangedError) bool { return e.What == settings.BindingKind }),
		remedy: "Another party has switched the cluster, and Gardener lets none go back to a SecretBinding. Set pool.kind = " +
			"\"CredentialsBinding\" in the provider block (see the guide \"Moving to CredentialsBindings\"). Do not replace the cluster.",
	}, {
		summary: SummarySettingsChanged, effect: nothingWritten, match: is[*settings.ChangedError],
		remedy: "Set the provider block back, or use one of its own for what was made with the old setting. If the API server has only got " +
			"another name, and the object is really gone, take it out of the state with `state rm`. If the landscape has renamed its labels, " +
			"rename those of the account first: a claim goes on by new keys of tenant and hyperscaler type, where its account says the same by " +
			"them. With another new key take the claim out of the state, and import it.",
	}, {
		summary: SummaryNoConnection, brief: "no connection to the Garden is configured",
		match:  when(func(e *kube.NotConfiguredError) bool { return e.KubeconfigVariable }),
		remedy: `Run export KUBE_CONFIG_PATH="$KUBECONFIG" (KUBE_CONFIG_PATHS for several files). ` + misspelt,
	}, {
		summary: SummaryNoConnection, brief: "no connection to the Garden is configured", match: is[*kube.NotConfiguredError],
		remedy: `Write kubernetes = { config_path = "~/.kube/config" } into the provider block, or export KUBE_CONFIG_PATH. ` + misspelt,
	}, {
		summary: SummaryBadConnection,
		match: on(func(e *kube.SettingError) ([]any, bool) {
			return []any{e.Variable, strings.Join(e.Path(), ".")}, e.Variable != ""
		}),
		remedy: "Correct the environment variable %s, or set %s in the provider block: that goes first.",
	}, {
		summary: SummaryBadConnection, match: with(func(e *kube.SettingError) []any { return []any{strings.Join(e.Path(), ".")} }),
		remedy: "Correct %s in the provider block.",
	}, {
		summary: SummaryUnknownConnection, match: is[*settings.UnknownError],
		remedy: "Apply what these values come from first (-target), or give the provider values that are known at plan.",
	}, {
		summary: SummaryTimeout,
		match:   both(one(context.DeadlineExceeded), when(func(e *pool.TimeoutError) bool { return e.Writing > e.After/2 })),
		remedy: "Run the same command again, with longer timeouts: it goes on from what is on the account. Most of the time went into " +
			"writes. " + ownLimit,
	}, {
		summary: SummaryTimeout, match: one(context.DeadlineExceeded),
		remedy: "Run the same command again, with longer timeouts if the pool is large or the API slow: it goes on from what is on the " +
			"account.",
	}, {
		summary: SummaryInterrupted, match: one(context.Canceled), remedy: interrupted,
	}, {
		summary: SummaryUnexpected, match: func(error) ([]any, bool) { return nil, true }, remedy: ReportIssue,
	},
}

// ownLimit says how long writes take where Gardener limits itself (admission plug-in ResourceReferenceManager).
const ownLimit = "For each write of a binding of a Secret gardener-apiserver sends two requests of its own, and each replica of it sends " +
	"five a second: all runs together have a write every 0.4 seconds, whatever -parallelism is. A claim takes one write, its destroy two."

// ofLogin matches what a Garden answers that does not know who asks, or does not allow it.
func ofLogin(err error) ([]any, bool) {
	return nil, errors.As(err, new(*account.ForbiddenError)) || errors.As(err, new(*account.UnauthorizedError))
}
