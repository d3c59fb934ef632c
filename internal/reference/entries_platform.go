package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// openMCP has the entries about objects on the platform cluster.
var openMCP = group{
	title: "Clusters through openMCP",
	entries: []entry{
		{
			title: diagnose.SummaryNoPlatform,
			cause: "A resource of openMCP is used, and the provider block leads to no platform cluster.",
		},
		{
			title: diagnose.SummaryPlatformUnlooked,
			cause: "Warning, once for each kind of resource: the platform cluster cannot be read yet, for example because its kubeconfig does not " +
				"exist, or it does not answer; of a `hap_shoot`, the `Cluster` of `cluster_ref` may not be read.",
			remedy: "None where the same apply makes the kubeconfig first. Otherwise correct `platform` of the provider block.",
		},
		{
			title: diagnose.SummaryNoOpenMCP,
			cause: "The server answers, and does not know ClusterRequests.",
		},
		{
			title: diagnose.SummaryPlatformForbidden,
			cause: "The user of the connection lacks a right, see [Permissions](permissions.md#clusters-through-openmcp).",
		},
		{
			title: diagnose.SummaryPlatformUnauthorized,
			cause: "The server answers 401, or the connection has a user name and a password, which it does not take.",
		},
		{
			title: diagnose.SummaryNotPlatform,
			cause: "As for [the Garden](#not-the-api-server-of-the-garden), at the address of the platform cluster.",
		},
		{
			title: diagnose.SummaryPlatformUnreachable,
			cause: "No usable answer came, also after further tries, or the certificate of the server is not trusted.",
		},
		{
			title: diagnose.SummaryPlatformQuota,
			cause: "The server answers 403 with \"exceeded quota\": a `ResourceQuota` of the namespace is full. No right is missing.",
		},
		{
			title: diagnose.SummaryPlatformFailed,
			cause: "The server answered 500 twice, before it wrote anything. Often an admission webhook does not answer.",
		},
		{
			title: diagnose.SummaryPlatformRejected,
			cause: "The server finds the object invalid, does not know one of its fields, or does not find the namespace.",
		},
		{
			title: diagnose.SummaryPlatformUnknown,
			cause: "The answer to a write was lost, and a later read failed too.",
		},
		{
			title: diagnose.SummaryPlatformBusy,
			cause: "The server turned a write away before it processed it (429).",
		},
		{
			title: diagnose.SummaryPlatformConflict,
			cause: "The object has changed since it was read, or is another one by now.",
		},
		{
			title: diagnose.SummaryRequestExists,
			cause: "An object of this name is on the platform cluster, and this configuration did not make it; or it is being deleted. A " +
				"request of the built-in scheduler that is being deleted is ended by another state only where no `Cluster` is deleted with it.",
		},
		{
			title:  diagnose.SummaryRequestAdopted,
			cause:  "Warning: the request has the mark of this configuration, from a run that was cut short. The state has it as it was.",
			remedy: "None after such a run. If another state has the request too, take it out of one of them with `state rm`.",
		},
		{
			title: diagnose.SummaryObjectKept,
			cause: "One object or account is in the state twice, to be kept and to be destroyed, after an import or a replacement with " +
				"`create_before_destroy`. Nothing was destroyed.",
			remedy: "Take the address that is to go out of the state with `state rm`; after a replacement take the whole resource out, and " +
				"import it as the message says. Leave out `create_before_destroy`.",
		},
		{
			title: diagnose.SummaryMadeAndEnded,
			cause: "One plan makes an object at one address and destroys it at another: a resource was renamed without a `moved` block, or " +
				"elements of a list changed places. Nothing was made.",
			remedy: "Write the `moved` block of the message; give elements of a list keys with `for_each`. To destroy or replace the object, " +
				"do that in an apply of its own. Where the message comes from an apply that has destroyed it, apply again.",
		},
		{
			title: diagnose.SummaryWithoutNotes,
			cause: "An object is to be destroyed without the private state in which the provider keeps where it was made and who counted its " +
				"clusters: it is tainted, or the provider was killed in an update. Nothing was written.",
			remedy: "Where it is tainted, `untaint` it, and apply with `-replace` to have it made anew. Otherwise plan without `-refresh=false`.",
		},
		{
			title: diagnose.SummaryRequestGone,
			cause: "What the state has is not on the platform cluster any more, or another object has its name.",
		},
		{
			title: diagnose.SummaryNoSuchRequest,
			cause: "What is imported, or read by an ID that was written out, does not exist.",
		},
		{
			title: diagnose.SummaryRequestStays,
			cause: "The request, or the Cluster that goes with its last request, is not gone in time. The message names the finalizers.",
		},
		{
			title: diagnose.SummaryInvalidAccess,
			cause: "No party could grant what a `hap_access_request` asks for: a rule without verbs, a token that allows nothing, a Role " +
				"without a namespace. Or the ID of a `hap_cluster_access` is none.",
			remedy: "Correct what the message names.",
		},
		{
			title: diagnose.SummaryReservedKey,
			cause: "`labels` or `annotations` have a key that the operator or this provider writes, or an operation that a controller carries " +
				"out once and removes.",
			remedy: "Take it out of the configuration. To have a controller process the object again, write the operation by hand.",
		},
		{
			title: diagnose.SummaryAccessNotGranted,
			cause: "The operator or the cluster provider has not granted the AccessRequest as it is now. It is a warning of " +
				"`hap_access_request`, an error of `hap_cluster_access`.",
		},
		{
			title: diagnose.SummaryAccessMoved,
			cause: "The request of `request_ref` has another `Cluster` by now, or none. The operator keeps the first one, so the access would " +
				"lead into the old `Cluster`.",
		},
		{
			title: diagnose.SummaryAccessSecretGone,
			cause: "The AccessRequest is granted, and another party has deleted its Secret.",
		},
		{
			title: diagnose.SummaryAccessSecretBad,
			cause: "The Secret has no readable kubeconfig, or one that refers to files or programs of the machine which reads it, other than " +
				"the program of OIDC.",
		},
		{
			title: diagnose.SummaryAccessEnded,
			cause: "The token of a granted AccessRequest has ended, by its Secret.",
		},
		{
			title: diagnose.SummaryNoScheduler,
			cause: "The operator puts its finalizer on each request that it serves, within milliseconds. This request has none after half a " +
				"minute.",
		},
		{
			title: diagnose.SummaryNotGranted,
			cause: "The operator has seen the request, and has not granted it in time. A request of this apply is withdrawn; an older one is " +
				"as it was.",
		},
		{
			title: diagnose.SummaryClusterUnready,
			cause: "The request is granted, and the cluster provider is not done with the Cluster. The state is kept.",
		},
		{
			title:  diagnose.SummaryClusterLost,
			cause:  "Warning: another party has deleted the Cluster of the request.",
			remedy: "Run apply: the scheduler makes the Cluster anew, without what was in it. To be without it, destroy the request.",
		},
		{
			title: diagnose.SummaryClusterEnds,
			cause: "Warning of a plan that withdraws a request: no other request holds its Cluster, and the operator deletes it.",
			remedy: "None, if the Cluster is to go. To keep it, set its label `clusters.openmcp.cloud/delete-without-requests` to `\"false\"` " +
				"before.",
		},
		{
			title: diagnose.SummaryEndUnannounced,
			cause: "The request is the last that holds its Cluster, which goes with it. At plan other requests held the Cluster: another state, " +
				"or another provider block, has withdrawn them since.",
			remedy: "Plan again: the plan shows what goes. To keep the Cluster, have another request hold it before.",
		},
		{
			title:  diagnose.SummaryRequestTwice,
			cause:  "Two resources of this configuration are one request.",
			remedy: "Give each a name of its own. If a resource was renamed, write a `moved` block.",
		},
		{
			title: diagnose.SummaryPrefix,
			cause: "Warning: two requests on one shared Cluster have the same derived prefix, or one has the prefix that the built-in " +
				"scheduler granted another.",
		},
		{
			title: diagnose.SummaryPrefixEmpty,
			cause: "Warning: the operator made the exclusive Cluster for this request, so its prefix is empty; by now other requests hold the " +
				"Cluster, or may come.",
			remedy: "Take the other purposes from the Cluster, and have the other requests made anew.",
		},
		{
			title: diagnose.SummaryUnreached,
			cause: "Warning: annotations of a request go on to its exclusive `Cluster`, which has no annotation yet. openmcp-operator v1.3.0 " +
				"fails at that, again and again, and brings labels neither; so it was not asked to.",
			remedy: "Put any annotation on the `Cluster`, then `openmcp.cloud/operation: reconcile` on the request: the warning has both " +
				"commands. " +
				"Where a request has such an annotation when it is made, the operator brings later ones.",
		},
		{
			title: diagnose.SummaryConfigExists,
			cause: "A `ProviderConfig` of this name is on the platform cluster, and this configuration did not make it; or it is being " +
				"deleted.",
		},
		{
			title: diagnose.SummaryConfigProject,
			cause: "Warning: `project` of a profile is not the project of the provider's namespace, by the name `garden-<project>`.",
			remedy: "Set `project` to the one whose accounts are claimed, or lead the provider block there. None where the namespace of the " +
				"project has another name.",
		},
		{
			title: diagnose.SummaryConfigTraits,
			cause: "`traits` of a `hap_gardener_provider_config` have one that contradicts its template, such as another " +
				"`infrastructure/vendor/…`, or one without a name.",
			remedy: "Take the trait out, or change the template.",
		},
		{
			title:  diagnose.SummaryConfigDrift,
			cause:  "Warning: another party has changed the Shoot template of a `ProviderConfig`, at the paths that the warning names.",
			remedy: "Apply to take the change back for clusters to come. To keep it, write it into the template.",
		},
		{
			title: diagnose.SummaryConfigAdopted,
			cause: "Warning: the `ProviderConfig` has the mark of this configuration, from a run that was cut short. The state has it as it " +
				"was.",
			remedy: "None after such a run. If another state has it too, take it out of one of them with `state rm`.",
		},
		{
			title: diagnose.SummaryConfigGone,
			cause: "What the state has is not on the platform cluster any more, or another object has its name.",
		},
		{
			title:  diagnose.SummaryConfigTwice,
			cause:  "Two resources of this configuration are one `ProviderConfig`.",
			remedy: "Give each a name of its own. If a resource was renamed, write a `moved` block.",
		},
		{
			title: diagnose.SummaryProfileUnpublished,
			cause: "The `ProviderConfig` is there, and the cluster provider has not published its profile, or under another name. The message " +
				"has the provider's own conditions.",
		},
		{
			title: diagnose.SummaryConfigStays,
			cause: "The `ProviderConfig` was deleted, and is not gone in time.",
		},
		{
			title: diagnose.SummaryProfileUsed,
			cause: "The account, the project or the landscape of a profile would change, or the profile would go, and the Clusters that the " +
				"message names use it.",
		},
		{
			title: diagnose.SummaryClusterHeld,
			cause: "Requests hold the Cluster for its purposes and its tenancy. The message names them, those of the openmcp-operator from " +
				"other namespaces by their UID alone (`kubectl get clusterrequests -A`).",
		},
		{
			title: diagnose.SummaryClusterName,
			cause: "Warning at plan: requests wait for a Cluster of the purpose that a `hap_cluster` has as its name, and not among its purposes. " +
				"The operator takes it for the shared Cluster of that purpose, and overwrites its spec.",
			remedy: "Give the Cluster the purpose, or another name, such as `platform-1`.",
		},
		{
			title: diagnose.SummaryNoProfile,
			cause: "No ClusterProfile has the name. The API server takes any name, and no cluster provider makes such a Cluster ready. It is a " +
				"warning, and an error where a live Cluster would be replaced for it.",
			remedy: "Correct `profile`; the message has the profiles that exist, and `hap_cluster_providers` the cluster providers that run. " +
				"None, if the profile is about to be published.",
		},
		{
			title: diagnose.SummaryVersionUndelivered,
			cause: "Warning at plan: the wanted version is not that of the profile's Shoot template. Gardener's cluster provider takes that of " +
				"the template alone, whatever versions the profile lists.",
			remedy: "Write the version of the template, take another profile, or change the template, which raises all of its clusters.",
		},
		{
			title: diagnose.SummaryVersionOther,
			cause: "Warning of every plan: the cluster is ready, and runs another version than the wanted one. The template has another, it has " +
				"changed since, or maintenance has raised the version.",
			remedy: "Write the version that runs, or its first two numbers alone. Or change the version in the template of the profile.",
		},
		{
			title: diagnose.SummaryShootAlong,
			cause: "Warning at plan: the `hap_cluster` has adopted the Shoot of a `hap_shoot`, and the cluster provider deletes it, too. " +
				"The Shoot has no annotation `hap-project.io/deletion-protection`, which `deletion_protection = true` of its `hap_shoot` writes.",
			remedy: "Apply, if that is meant. To keep the Shoot, take the `hap_cluster` out of the state with `state rm`.",
		},
		{
			title: diagnose.SummaryClusterUnknown,
			cause: "Warning at plan: the namespace, the name or the profile is known only after apply. If it changes, the apply stops with " +
				"[Input turned out to be another](#input-turned-out-to-be-another).",
			remedy: "None, if the value stays the same. Otherwise plan again.",
		},
		{
			title: diagnose.SummaryExtensions,
			cause: "`enforced_shoot_extensions` is no list of extensions as Gardener has them.",
		},
		{
			title: diagnose.SummaryNoProvider,
			cause: "The server answers, and does not know the kind `ProviderConfig`.",
		},
		{
			title: diagnose.SummarySchedulerConfig,
			cause: "`scheduler_config` has a field that the operator does not know, or a value with which it would not start. The message has " +
				"the nearest known field.",
		},
		{
			title: diagnose.SummaryScheduleCaveat,
			cause: "Warning of a preview: the operator would give an exclusive Cluster to a shared request, or overwrite the spec of a " +
				"Cluster. With `engine = \"adr\"`: a version is deprecated or no version, or prefixes collide.",
			remedy: "Give the Cluster or the request another name or purpose; with `adr` correct what the warning names.",
		},
		{
			title: diagnose.SummaryADRRequest,
			cause: "A request of the built-in scheduler, or of a preview with `engine = \"adr\"`, contradicts itself or lacks something, or " +
				"holds two grants.",
		},
		{
			title: diagnose.SummaryDenied,
			cause: "The built-in scheduler finds no Cluster for the request, and no profile from which one can be made; the message names the " +
				"unmet requirement. A plan that changes profiles says so by a warning; one that makes what fits, or a `hap_cluster`, does not.",
		},
		{
			title:  diagnose.SummaryGrantLost,
			cause:  "Warning: another party has removed the finalizer of the request from its Cluster, or has made the Cluster anew.",
			remedy: "Run apply: the request is granted the Cluster again, where it still fits; the prefix may be another.",
		},
		{
			title: diagnose.SummaryUnserved,
			cause: "Warning: the handover of the request to the openmcp-operator was cut short, and `platform.scheduler` is `\"builtin\"`. Do " +
				"not delete the request by hand: its Cluster would stay held.",
			remedy: "Run apply: the built-in scheduler serves it again. Or set `platform.scheduler = \"operator\"` and apply: the handover " +
				"goes on.",
		},
		{
			title: diagnose.SummaryNotInStatus,
			cause: "The built-in scheduler has granted the request, and could not write that into its status. The grant counts: the Cluster " +
				"has it.",
			remedy: "Do what the warning says, and run the same command again.",
		},
		{
			title: diagnose.SummaryOperatorRuns,
			cause: "The provider block has `platform.scheduler = \"builtin\"`, and a request of the namespace has the finalizer of the " +
				"openmcp-operator. Two schedulers would not see each other's decisions.",
		},
		{
			title: diagnose.SummaryRequestLost,
			cause: "A request of the built-in scheduler lacks the annotation `hap-project.io/request`, or it cannot be read.",
		},
		{
			title: diagnose.SummaryRequestAnew,
			cause: "Warning at plan: a request of the built-in scheduler asks for something that its Cluster does not serve. It would be " +
				"withdrawn, and another one made; where it is the last that holds the Cluster, `deletion_protection` refuses that.",
			remedy: "Take the change back; or have the Cluster serve it, such as with another purpose of a `hap_cluster`.",
		},
		{
			title: diagnose.SummaryPrefixKept,
			cause: "Warning at plan: `prefix_proposal` has changed, and the request has a prefix already, which it keeps.",
			remedy: "None, where the prefix may stay. For another one, apply `deletion_protection = false`, and then with `-replace`: the request " +
				"is made anew.",
		},
		{
			title: diagnose.SummaryTraitsDisagree,
			cause: "Warning: purposes of a request, or the request and a purpose, want a trait present and absent. The request counts, else the " +
				"first purpose in the list.",
			remedy: "Correct `purpose_definitions`, or say in `traits` what is meant.",
		},
		{
			title: diagnose.SummaryRequestUnknown,
			cause: "What the request asks for comes from a resource that this plan changes, or changes while the platform cluster is out of " +
				"reach. With the operator a warning: if it changes, the apply stops with [Input turned out to be " +
				"another](#input-turned-out-to-be-another).",
			remedy: "Apply what the values come from first, with `-target`, and then all.",
		},
		{
			title: diagnose.SummaryOtherScheduler,
			cause: "`purpose` and the operator's configuration belong to the operator; `purposes`, `dedicated`, `traits`, " +
				"`prefix_proposal`, `kubernetes_version_wanted`, `purpose_definitions`, `global_account` and `trait_equivalences` to the built-in " +
				"one and `engine = \"adr\"`.",
			remedy: "Take the attribute out, or set the scheduler, or the engine, that it belongs to.",
		},
		{
			title:  diagnose.SummaryMissingForScheduler,
			cause:  "The openmcp-operator decides by `purpose`, and a preview of it by `scheduler_config` too.",
			remedy: "Set the attribute, or set the scheduler, or the engine, that does without it.",
		},
		{
			title: diagnose.SummaryAccountUnlooked,
			cause: "Warning of a preview: the clusters on the account of the profile could not be counted. The decision does not depend on " +
				"them.",
			remedy: "See the error in the warning.",
		},
	},
}
