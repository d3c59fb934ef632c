package shoot

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// warnTaken looks whether the account of a cluster that was just made is still its tenant's, and says what to do where it is not. A
// release that began after the last look before the POST, and counted before it, has not seen the cluster.
func (r *shootResource) warnTaken(ctx context.Context, diags *diag.Diagnostics, made shoots.Shoot, tenant string) {
	if made.Account == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	p, err := r.backend.Selecting()
	if err == nil {
		err = p.StillHosts(ctx, pool.HostRequest{Account: made.Account, Tenant: tenant})
	}
	journal.LogShoot(ctx, "account of the cluster looked at once more", made.Name, err)
	if backend.RefusesShoot(err) {
		diags.AddAttributeWarning(accountPath, diagnose.SummaryShootTaken, fmt.Sprintf("While cluster %s (UID %s) was made, account %s was "+
			"taken from it: %s. The cluster was made all the same, and is in the state. Another tenant may come to the account, or a clean-up job "+
			"may wipe it under the cluster. Act at once. To keep the cluster, where no other Global Account holds the account: put the account's "+
			"label %s back by hand, with the Global Account of the cluster%s, take its label %s away, and apply the claim. Otherwise destroy the "+
			"cluster.", made.Name, made.UID, made.Account, strings.TrimRight(err.Error(), "."), r.backend.Keys.TenantName, besideTenant(tenant),
			r.backend.Keys.Dirty))
	}
}

// besideTenant names a Global Account where it is known.
func besideTenant(tenant string) string {
	if tenant == "" {
		return ""
	}
	return " (" + tenant + ")"
}

// reportKept refuses to destroy a cluster that another object of the state has.
func reportKept(diags *diag.Diagnostics, state shootModel) {
	diags.AddError(diagnose.SummaryShootKept, fmt.Sprintf("Cluster %s (UID %s) is in the state twice, once to be kept and once to be "+
		"destroyed: a replacement with create_before_destroy, of its own or of a resource that depends on it, has found the very cluster that "+
		"it was to replace, and has kept it. Nothing was destroyed. Take the resource out of the state with `state rm`, which changes "+
		"nothing in Gardener, and import it as %s. Then leave out create_before_destroy: two clusters cannot have one name. With it, a "+
		"replacement needs another name.",
		state.Name.ValueString(), state.UID.ValueString(), state.Name.ValueString()))
}

// reportProtected refuses to destroy a cluster.
func reportProtected(diags *diag.Diagnostics, name types.String) {
	diags.AddAttributeError(path.Root("deletion_protection"), diagnose.SummaryShootProtected, fmt.Sprintf(
		"Cluster %s has deletion_protection = true in the state: it is neither destroyed nor replaced. Nothing was planned or written for it. "+
			"Set deletion_protection = false and apply that first, if the cluster is to go with all that runs in it.", name.ValueString()))
}

// warnNotReady says what keeps a cluster from being ready, and how dependents are kept waiting.
func warnNotReady(diags *diag.Diagnostics, s shoots.Shoot, err error) {
	why, next := "Gardener names no error: it needs more time.", "The cluster is kept, with ready = false; the next apply waits on."
	if troubles := s.Status.Troubles(); len(troubles) > 0 {
		why = "What stands in the way:\n  - " + strings.Join(troubles, "\n  - ")
	}
	if s.Deleting {
		next = "Another party has deleted the cluster, and Gardener cannot take that back. The state has it, with ready = false, until it is " +
			"gone; the next apply waits for that."
	}
	diags.AddWarning(diagnose.SummaryShootNotReady, fmt.Sprintf("%s.\n\n%s\n\n%s What depends on it must not run: a postcondition with "+
		"condition = self.ready in its lifecycle block fails the apply there.", strings.TrimRight(err.Error(), "."), why, next))
}
