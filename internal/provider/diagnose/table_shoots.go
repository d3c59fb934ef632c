package diagnose

import (
	"cmp"
	"errors"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// ofShoots has the errors of clusters. Some of them wrap an answer of the server, which has a row of its own.
var ofShoots = []row{
	{
		summary: SummaryTemplate, effect: nothingWritten, match: is[*shoots.ReservedError],
		part: func(err error) string {
			reserved, _ := errors.AsType[*shoots.ReservedError](err)
			return reserved.Attribute
		},
		remedy: "Take it out of the configuration.",
	}, {
		summary: SummaryTemplate, at: "template", effect: nothingWritten, match: is[*shoots.TemplateError],
		remedy: "Correct the template: it has metadata.labels, metadata.annotations and spec of a Shoot, as Gardener's API has them.",
	}, {
		summary: SummaryShootMoved, at: "credentials_binding_name", effect: nothingWritten, match: is[*shoots.MovedError],
		remedy: "Gardener would leave behind all that the cluster has in the account where it is. Set credentials_binding_name back; to have " +
			"the cluster on another account, make another one there.",
	}, {
		summary: SummaryShootSecond, at: "cluster_ref", effect: nothingWritten, match: is[*shoots.BoundError],
		remedy: "A cluster provider takes one Shoot for a Cluster. Take cluster_ref out, or name another Cluster. Where this Shoot is to be in " +
			"the place of the other one, have that destroyed first, or take cluster_ref out of its hap_shoot, in an apply before. Where it is " +
			"replaced with create_before_destroy, leave that out.",
	}, {
		summary: SummaryNoProject, effect: nothingWritten, match: notProject,
		remedy: "Set the provider's namespace to that of a Gardener project (garden-<project>, unless the project says otherwise), or make the " +
			"project first.",
	}, {
		summary: SummaryShootRefused, effect: nothingWritten, match: is[*shoots.RefusedError],
		part: func(err error) string {
			refused, _ := errors.AsType[*shoots.RefusedError](err)
			return cmp.Or(refused.Attribute, "template")
		},
		remedy: "Correct what Gardener names.",
	}, {
		summary: SummaryShootDeleting, match: when(func(e *shoots.ExistsError) bool { return e.Deleting }),
		effect: nothingWritten, at: "name", remedy: "Run the same command again when it is gone, or take another name.",
	}, {
		summary: SummaryShootExists, at: "name", effect: nothingWritten,
		match: with(func(e *shoots.ExistsError) []any { return []any{e.Name} }),
		remedy: "To manage that cluster here, import it: an import block with the id %q. Where this state has it at another address, " +
			"write a moved block, and import nothing: it would be in the state twice. Otherwise take another name. If this " +
			"state has it, and it is tainted or named by -replace: its template has changed since it was made. Destroy it first, with " +
			"destroy -target and -refresh=false, which plans nothing else; then apply.",
	}, {
		summary: SummaryShootGone, match: is[*shoots.GoneError], effect: nothingWritten,
		remedy: "Another party has deleted it, or the provider leads to another project. Run plan: a cluster that is gone leaves the state, " +
			"and the next apply makes it again.",
	}, {
		summary: SummaryShootDeleting, match: is[*shoots.DeletingError],
		remedy: "Wait until it is gone; then a plan makes it again.",
	}, {
		summary: SummaryShootGivenUp, match: when(func(e *shoots.GivenUpError) bool { return e.Pending != "" }),
		remedy: "Take that annotation away, or wait until the other party has. Then run the same command again: it asks Gardener to go on " +
			"(annotation gardener.cloud/operation: retry).",
	}, {
		summary: SummaryShootGivenUp, match: on(func(e *shoots.GivenUpError) ([]any, bool) { return []any{troublesOf(e.Last)}, true }),
		remedy: "%sThen run the same command again: it asks Gardener to go on (annotation gardener.cloud/operation: retry), and waits.",
	}, {
		summary: SummaryKubeconfigBad, match: is[*shoots.KubeconfigError],
		remedy: "Gardener issues it, or what answers in its place: check that the provider block leads to the Garden. Then run the same " +
			"command again: it has another one issued.",
	}, {
		summary: SummaryShootStays, match: is[*shoots.WaitError],
		remedy: "Gardener goes on with it where a finalizer of its own is left. Run the same command again to wait on, with a longer " +
			"timeouts.delete where Gardener needs it. Any other finalizer is its owner's to take off: look whether that runs.",
	},

	// What the server answers to a write of a cluster.
	{
		summary: SummaryNotGarden, match: both(ofShoot(kube.UnknownOutcome), foreign), remedy: notTheServer,
	}, {
		summary: SummaryUnknownOutcome, match: ofShoot(kube.UnknownOutcome),
		remedy: "Run the same command again: it finds out what has become of the cluster, and goes on from there.",
	}, {
		summary: SummaryShootGone, match: ofShoot(kube.NotFound), effect: nothingWritten,
		remedy: "Another party has deleted it, or the provider leads to another project. Run plan: a cluster that is gone leaves the state, " +
			"and the next apply makes it again.",
	}, {
		summary: SummaryBusy, match: ofShoot(kube.Conflict),
		remedy: "Gardener and others write the cluster at the same time: run the same command again.",
	},

	// Accounts that take no cluster.
	{
		summary: SummaryAccountFull, at: "credentials_binding_name", effect: nothingWritten, match: hosts(account.HostFull),
		remedy: "Make another claim for this cluster, with its name as cluster_name: it finds an account with room. Clusters that are going " +
			"free their place when they are gone.",
	}, {
		summary: SummaryNoTenant, at: "global_account", effect: nothingWritten, match: hosts(account.HostUnnamed),
		remedy: "Set global_account to that of the hap_credentials_binding_claim whose binding_name is the account: a dedicated account takes " +
			"clusters of the Global Account that holds it, and of no other.",
	}, {
		summary: SummaryNoHost, at: "credentials_binding_name", effect: nothingWritten, match: hosts(account.HostForeign),
		remedy: "Take binding_name and global_account of one and the same hap_credentials_binding_claim. Run plan again, where the claim has " +
			"lost its account to another Global Account meanwhile.",
	}, {
		summary: SummaryNoHost, at: "credentials_binding_name", effect: nothingWritten, match: hosts(account.HostUnheld, account.HostUnclaimed),
		remedy: "A cluster comes to an account that a claim got: take binding_name of a hap_credentials_binding_claim of this Global Account. " +
			"Run plan again, where the claim has lost its account meanwhile.",
	}, {
		summary: SummaryNoHost, at: "credentials_binding_name", effect: nothingWritten, match: hosts(account.HostUnclear), remedy: contested,
	}, {
		summary: SummaryNoHost, at: "credentials_binding_name", effect: nothingWritten, match: is[*account.HostError],
		remedy: "Take the account of another claim. Run plan again to see what the claim of this account says.",
	},
}

// ofShoot matches an answer about a Shoot for a reason, where it has no error of its own.
func ofShoot(reason kube.Reason) func(error) ([]any, bool) {
	return when(func(e *kube.Error) bool { return e.Resource == "shoots" && e.Reason == reason })
}

// hosts matches an account that takes no cluster for one of the reasons.
func hosts(reasons ...account.HostReason) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		refused, ok := errors.AsType[*account.HostError](err)
		if !ok {
			return nil, false
		}
		for _, r := range reasons {
			if refused.Reason == r {
				return nil, true
			}
		}
		return nil, false
	}
}

// troublesOf says what has to be mended before Gardener can go on.
func troublesOf(s shoots.Status) string {
	troubles := s.Troubles()
	if len(troubles) == 0 {
		return "Gardener names no error: its time for tries is over. Look at what it said last. "
	}
	return "Mend the cause:\n  - " + strings.Join(troubles, "\n  - ") + "\n\n"
}
