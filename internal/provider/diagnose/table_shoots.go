package diagnose

import (
	"errors"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// PastPlan says how a cluster is destroyed whose plan has errors.
const PastPlan = "To destroy the cluster all the same, run destroy with -refresh=false, which plans nothing else."

// ofShoots has the errors of clusters. Some of them wrap an answer of the server, which has a row of its own.
var ofShoots = []row{
	{
		summary: SummaryTemplate, at: "template", effect: nothingWritten, match: is[*shoots.TemplateError],
		remedy: "Correct the template: it has metadata.labels, metadata.annotations and spec of a Shoot, as Gardener's API has them. " + PastPlan,
	}, {
		summary: SummaryTemplate, effect: nothingWritten, match: is[*shoots.ReservedError],
		part: func(err error) string {
			reserved, _ := errors.AsType[*shoots.ReservedError](err)
			return reserved.Attribute
		},
		remedy: "Take it out of the configuration.",
	}, {
		summary: SummaryShootMoved, at: "credentials_binding_name", effect: nothingWritten, match: is[*shoots.MovedError],
		remedy: "Gardener would leave behind all that the cluster has in the account where it is. Set credentials_binding_name back; to have " +
			"the cluster on another account, make another one there.",
	}, {
		summary: SummaryShootRefused, at: "template", effect: nothingWritten, match: is[*shoots.RefusedError],
		remedy: "Correct what Gardener names. " + PastPlan,
	}, {
		summary: SummaryShootDeleting, match: when(func(e *shoots.ExistsError) bool { return e.Deleting }),
		effect: nothingWritten, at: "name", remedy: "Run the same command again when it is gone, or take another name.",
	}, {
		summary: SummaryShootExists, at: "name", effect: nothingWritten,
		match: with(func(e *shoots.ExistsError) []any { return []any{e.Name} }),
		remedy: "To manage that cluster here, import it: an import block with the id %q. Otherwise take another name. If this very " +
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
		summary: SummaryShootStays, match: is[*shoots.WaitError],
		remedy: "Gardener goes on with it. Run the same command again to wait on, with a longer timeouts.delete where Gardener needs it.",
	}, {
		summary: SummaryShootElsewhere, effect: nothingWritten, match: is[*backend.ShootElsewhereError],
		remedy: "Set the provider back to where the cluster was made. If the cluster is really gone, take it out of the state with `state rm`.",
	},

	// Accounts that take no cluster.
	{
		summary: SummaryAccountFull, at: "credentials_binding_name", effect: nothingWritten, match: hosts(pool.HostFull),
		remedy: "Make another claim for this cluster, with its name as cluster_name: it finds an account with room. Clusters that are going " +
			"free their place when they are gone.",
	}, {
		summary: SummaryNoHost, at: "credentials_binding_name", effect: nothingWritten, match: hosts(pool.HostForeign),
		remedy: "Take binding_name and global_account of one and the same hap_credentials_binding_claim. Run plan again, where the claim has " +
			"lost its account to another Global Account meanwhile.",
	}, {
		summary: SummaryNoHost, at: "credentials_binding_name", effect: nothingWritten, match: hosts(pool.HostUnheld, pool.HostUnclaimed),
		remedy: "A cluster comes to an account that a claim got: take binding_name of a hap_credentials_binding_claim of this Global Account. " +
			"Run plan again, where the claim has lost its account meanwhile.",
	}, {
		summary: SummaryNoHost, at: "credentials_binding_name", effect: nothingWritten, match: is[*pool.HostError],
		remedy: "Take the account of another claim. Run plan again to see what the claim of this account says.",
	},
}

// hosts matches an account that takes no cluster for one of the reasons.
func hosts(reasons ...pool.HostReason) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		refused, ok := errors.AsType[*pool.HostError](err)
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
