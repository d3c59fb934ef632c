package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// shoots has the entries about clusters in Gardener.
var shoots = group{
	title: "Clusters",
	intro: "A plan that ends with one of these errors also stops a `destroy`: with `-refresh=false` it plans nothing else.",
	entries: []entry{
		{
			title: diagnose.SummaryTemplate,
			cause: "The template is no YAML or JSON, has more than 1 MiB, a value of another type, or parts that are no part of a template, " +
				"such as `metadata.name`, `status` or `gardener.cloud/operation`. The message has their paths.",
		},
		{
			title: diagnose.SummaryNewerFields,
			cause: "Warning: this provider's types do not know fields of the template, and Gardener could not be asked. They are misspelt, or " +
				"Gardener is newer than the provider.",
			remedy: "Run plan again to have it asked now. Compare the fields with the names that the message proposes.",
		},
		{
			title: diagnose.SummaryShootAccount,
			cause: "The template has workers and no account, an account and no workers, or a Kubernetes version that takes no account of this " +
				"kind.",
			remedy: "Set `credentials_binding_name` to `binding_name` of a claim where there are workers, and leave it out otherwise. For " +
				"Kubernetes 1.34 and later claim CredentialsBindings.",
		},
		{
			title:  diagnose.SummaryTemplateAccount,
			cause:  "The template of a cluster or a profile has `credentialsBindingName` or `secretBindingName`, even if it is the right one.",
			remedy: "Take both fields out of the template, and set `credentials_binding_name` to `binding_name` of a claim.",
		},
		{
			title: diagnose.SummaryShootRefused,
			cause: "Gardener refuses what the template asks for: a machine type, zone, region or version that the CloudProfile lacks, too long " +
				"a name, a quota. The message has the allowed values.",
		},
		{
			title: diagnose.SummaryNoTenant,
			cause: "A Global Account holds the account, and `global_account` is not set. It is a warning for a cluster that exists, and where " +
				"the account is not known yet.",
		},
		{
			title: diagnose.SummaryNoHost,
			cause: "No Global Account holds the account, or another one; no claim is on it; it is dirty, being released or deleted; or the " +
				"pool has Secrets, which no Shoot can name.",
		},
		{
			title: diagnose.SummaryHostUnchecked,
			cause: "Warning, once in a run: the user may not read accounts in the Garden. The account behind the profile of a new Cluster may be " +
				"held by another Global Account, be dirty or have no claim.",
			remedy: "Grant `role-readonly.yaml` in the Garden, see [Permissions](permissions.md#which-role).",
		},
		{
			title: diagnose.SummaryAccountFull,
			cause: "The account is at the limit of `multi_account`. Clusters on it, those of this run and the places that claims reserve " +
				"count.",
		},
		{
			title: diagnose.SummaryShootExists,
			cause: "A Shoot or a Cluster of this name exists, and this configuration did not make it. The provider did not change it.",
		},
		{
			title: diagnose.SummaryShootAdopted,
			cause: "Warning: the cluster has the mark of this configuration, from a run that was cut short or a replacement with " +
				"`create_before_destroy`. The state has it as it was.",
			remedy: "None after such a run. If another state has the cluster too, take it out of one of them with `state rm`.",
		},
		{
			title: diagnose.SummaryShootAdopts,
			cause: "Warning at plan: the cluster is there for at most 24 hours, has the mark of this configuration, and is not in this state. " +
				"A run was cut short, or another state has the cluster.",
			remedy: "None after such a run. Otherwise do not apply the plan: give one of the two another name. A destroy from one of two states " +
				"destroys the cluster of both.",
		},
		{
			title: diagnose.SummaryShootTaken,
			cause: "Warning: the account of the cluster was released, came to another Global Account, or went out of circulation. Another " +
				"tenant may come to it, or a clean-up job may wipe it.",
			remedy: "Act at once. Where no other Global Account holds the account, set its label `tenantName` by hand, remove its label " +
				"`dirty`, and apply the claim; otherwise destroy the cluster. See [the grace time](claims.md#the-grace-time).",
		},
		{
			title: diagnose.SummaryProfileTaken,
			cause: "Warning: the account of the profile was released, came to another Global Account, or went out of circulation. A new " +
				"Cluster of the profile comes into what another tenant has.",
			remedy: "Make no Cluster of the profile. Treat the account as for [Account was taken from the " +
				"cluster](#account-was-taken-from-the-cluster), or delete the Clusters and give the profile another account.",
		},
		{
			title: diagnose.SummaryShootKept,
			cause: "One cluster is in the state twice, to be kept and to be destroyed, after a replacement with `create_before_destroy`. " +
				"Nothing was destroyed.",
			remedy: "Take the resource out of the state with `state rm`, and import it as the message says. Leave out `create_before_destroy`, " +
				"or give the replacement another name.",
		},
		{
			title: diagnose.SummaryShootUnchecked,
			cause: "Warning, once in a run: Gardener did not answer whether it takes a cluster or the template of a profile, or the user may not " +
				"create Shoots.",
			remedy: "Run plan again, or grant the right, see [Permissions](permissions.md#clusters). The apply asks before it " +
				"writes.",
		},
		{
			title:  diagnose.SummaryShootTwice,
			cause:  "Two resources of one configuration make the same Shoot or the same Cluster, or the state has it at two addresses.",
			remedy: "Give each a name of its own. If a resource was renamed, write a `moved` block. Of two addresses take one out with `state rm`.",
		},
		{
			title: diagnose.SummaryShootDeleting,
			cause: "A Shoot or a Cluster of this name is being deleted, or `cluster_ref` names a Cluster that is.",
		},
		{
			title: diagnose.SummaryShootNotReady,
			cause: "Warning: the time of `timeouts` is over, or the wait was interrupted, and the cluster is not up. The message has the " +
				"errors of Gardener with their codes and what to do, or the conditions of the Cluster.",
			remedy: "Correct what the message names, and apply again: that waits on. See Waiting for [Shoots](../resources/shoot.md#waiting) " +
				"and [Clusters](../resources/cluster.md#waiting).",
		},
		{
			title:  diagnose.SummaryShootDrift,
			cause:  "Warning at plan: another party has changed fields that the configuration names.",
			remedy: "Apply to change them back, or write them into the configuration. See [Drift](../resources/shoot.md#drift).",
		},
		{
			title: diagnose.SummaryShootLeaves,
			cause: "Warning at plan: all claims on the account of the cluster end, and the new ones lead elsewhere. The apply stops before it " +
				"changes the cluster if its account is another one by then.",
			remedy: "Take the change of the claim back, or have the cluster made anew with `-replace`.",
		},
		{
			title: diagnose.SummaryShootOfCluster,
			cause: "A plan takes the Shoot of a `Cluster` that is there: by a destroy, a replacement, or a change of `cluster_ref`. The cluster " +
				"provider would make another one, an empty one.",
			remedy: "Leave `cluster_ref` as it is. A Cluster that goes takes its Shoot along. To leave the Shoot to its Cluster, take the " +
				"resource out of the state.",
		},
		{
			title: diagnose.SummaryShootSecond,
			cause: "`cluster_ref` of a `hap_shoot` names a `Cluster` whose labels another Shoot has, or gets in the same plan. A cluster provider " +
				"takes one of the two for the Cluster.",
		},
		{
			title: diagnose.SummaryShootDropped,
			cause: "Warning at plan: the configuration names fields no longer that another party has set, too. The apply takes them off the " +
				"Shoot.",
			remedy: "None, if that is meant. Name the fields that are to stay.",
		},
		{
			title: diagnose.SummaryShootLeft,
			cause: "Warning at plan: the first apply after an import leaves on the Shoot what its maker has set and the configuration does not " +
				"name.",
			remedy: "None, if that is meant. To have a field taken off, name it, apply, and take it out of the configuration.",
		},
		{
			title: diagnose.SummaryShootGone,
			cause: "The Shoot or the Cluster does not exist any more, or another one has its name. At refresh it is a warning, and the cluster " +
				"leaves the state.",
		},
		{
			title: diagnose.SummaryShootImmutable,
			cause: "The name, the account, or a field that Gardener calls immutable has changed.",
			remedy: "Take the change back. To replace the cluster with all that runs in it, apply `deletion_protection = false`, then set " +
				"`on_immutable_change = \"replace\"`.",
		},
		{
			title: diagnose.SummaryShootRebound,
			cause: "Warning at plan: the cluster names another binding of its cloud account than the configuration, and the apply switches it, as " +
				"Gardener allows.",
			remedy: "None, if that is meant. See [Moving to CredentialsBindings](moving-to-credentialsbindings.md).",
		},
		{
			title: diagnose.SummaryShootMoved,
			cause: "The Shoot is on another account than the configuration wants, or the profile of a `hap_cluster` would move the Shoot that " +
				"it adopts, or `cluster_ref` of a `hap_shoot` names a `Cluster` that is there and would move the Shoot.",
		},
		{
			title: diagnose.SummaryShootProtected,
			cause: "A `hap_shoot`, a `hap_cluster`, or the last `hap_cluster_request` that holds a Cluster is to be destroyed or replaced, and " +
				"the state has `deletion_protection = true`. The state of an older release counts as `true`.",
			remedy: "Set `deletion_protection = false` and apply that first. Of a resource that is tainted take the mark away before, with " +
				"`untaint`.",
		},
		{
			title: diagnose.SummaryAnnotated,
			cause: "A Cluster or a Shoot is to be deleted, or to go along, and its annotation `hap-project.io/deletion-protection` is " +
				"`\"true\"`: a resource of any state has written it, or a person has. For a Shoot that the Garden does not show, the status of " +
				"its Cluster counts.",
		},
		{
			title: diagnose.SummaryProtectionFound,
			cause: "The cluster had the annotation `hap-project.io/deletion-protection` when it was imported, or taken up, and the plan has " +
				"`deletion_protection = false`, which takes it away.",
			remedy: "None, if this state alone has the cluster. Leave `true` while another state, or a person, relies on the annotation.",
		},
		{
			title: diagnose.SummaryProtectionKept,
			cause: "A run that was cut short has left the cluster with the annotation `hap-project.io/deletion-protection`, and the configuration " +
				"says `deletion_protection = false` by now.",
			remedy: "Run plan: it shows that the annotation goes. Apply that before a destroy.",
		},
		{
			title: diagnose.SummaryProtectionLost,
			cause: "Warning at plan: the state has `deletion_protection = true`, and the cluster has no annotation for it: another party has " +
				"taken it away, or no apply has written it since an import or an older release. The plan is an update in place.",
			remedy: "Apply: that writes the annotation. Until then another state may end the cluster.",
		},
		{
			title: diagnose.SummaryShootGivenUp,
			cause: "The Shoot is in state `Failed`: time alone does not help, so mend the cause that the message names. At create and update " +
				"it is a warning: the cluster is kept, with `ready = false`.",
		},
		{
			title: diagnose.SummaryShootStays,
			cause: "The destroy has run out of time, or was interrupted. The message names the finalizers that are left, and whose they are.",
		},
		{
			title:  diagnose.SummaryExpiration,
			cause:  "`expiration` of `hap_shoot_access` is no duration, or not within `10m` and `720h`.",
			remedy: "Write a duration such as `2h`. Gardener issues nothing below ten minutes.",
		},
		{
			title: diagnose.SummaryShootNotFound,
			cause: "`shoot_name` of `hap_shoot_access` names no Shoot in the namespace of the provider block.",
			remedy: "Check the name, and the Gardener project that the provider block leads to. Where the same configuration makes the cluster, " +
				"take `access_name` of its `hap_shoot`.",
		},
		{
			title: diagnose.SummaryKubeconfigBad,
			cause: "The kubeconfig that the Garden has issued for `hap_shoot_access` cannot be read, its YAML aliases expand to more than 1 MiB, " +
				"or it refers to files or programs of the machine which reads it. No value of it is handed on.",
		},
	},
}
