package shoot

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// object is the cluster for the ledger.
func (m shootModel) object() ledger.Object {
	return ledger.Object{Type: "hap_shoot", ID: m.Name.ValueString(), UID: m.UID.ValueString()}
}

// Clash reports what else a plan wants with a cluster; false = nothing.
func (r *shootResource) Clash(clash ledger.Clash, m shootModel) bool {
	switch clash {
	case ledger.ClashTwice:
		diagnose.ReportTwice(r.Diags, diagnose.SummaryShootTwice, "Cluster "+m.Name.ValueString())
	case ledger.ClashBoth:
		diagnose.ReportBoth(r.Diags, diagnose.SummaryShootTwice, "Cluster "+m.Name.ValueString())
	case ledger.ClashEnded:
		diagnose.ReportRenamed(r.Diags, m.object().Type, "Cluster "+m.Name.ValueString())
	case ledger.ClashKept:
		reportKept(r.Diags, m)
	case ledger.NoClash:
	}
	return clash != ledger.NoClash
}

// reportKept refuses to destroy a cluster that another object of the state has.
func reportKept(diags *diag.Diagnostics, state shootModel) {
	diags.AddError(diagnose.SummaryShootKept, fmt.Sprintf("Cluster %s (UID %s) is in the state twice, once to be kept and once to be "+
		"destroyed: a replacement with create_before_destroy, of its own or of a resource that depends on it, has found the same cluster that "+
		"it was to replace, and has kept it. Nothing was destroyed. Take the resource out of the state with `state rm`, which changes "+
		"nothing in Gardener, and import it as %s. Then leave out create_before_destroy: two clusters cannot have one name. With it, a "+
		"replacement needs another name.",
		state.Name.ValueString(), state.UID.ValueString(), state.Name.ValueString()))
}

// reportProtected refuses to destroy a cluster; changed are the fields for which it would be made anew.
func reportProtected(diags *diag.Diagnostics, name types.String, changed ...string) {
	because := ""
	if len(changed) > 0 {
		because = ", and would have to be made anew, because it cannot change in " + strings.Join(changed, ", ")
	}
	family.ReportProtected(diags, because, "Cluster "+name.ValueString())
}

// stopsDestroy are the errors of the plan of a cluster that exists which stop a destroy of it as well.
var stopsDestroy = []string{
	diagnose.SummaryTemplate, diagnose.SummaryShootRefused, diagnose.SummaryShootMoved, diagnose.SummaryShootImmutable,
}

// pastPlan adds to these errors how the cluster is destroyed all the same.
func pastPlan(said diag.Diagnostics) (all diag.Diagnostics) {
	for _, d := range said {
		at, ok := d.(diag.DiagnosticWithPath)
		if !ok || d.Severity() != diag.SeverityError || !slices.Contains(stopsDestroy, d.Summary()) {
			all.Append(d)
			continue
		}
		all.AddAttributeError(at.Path(), d.Summary(), d.Detail()+
			" To destroy the cluster all the same, run destroy with -refresh=false, which plans nothing else.")
	}
	return all
}

// retries is how a cluster goes on that Gardener has given up.
const retries = "asks Gardener to go on (annotation gardener.cloud/operation: retry)"

// warnNotReady says what keeps a cluster from being ready, and how dependents are kept waiting.
func warnNotReady(diags *diag.Diagnostics, s shoots.Shoot, err error) {
	summary, why := diagnose.SummaryShootNotReady, "Gardener names no error: it needs more time."
	next := "The cluster is kept, with ready = false; the next apply waits on."
	failed, givenUp := errors.AsType[*shoots.GivenUpError](err)
	switch {
	case givenUp:
		summary, why = diagnose.SummaryShootGivenUp, "Gardener names no error: its time for tries is over."
		next = "The cluster is kept, with ready = false. Mend the cause first; the next apply " + retries + ", and waits on."
		if failed.Pending != "" {
			next = "The cluster is kept, with ready = false. Take the annotation of the other party away, or wait until that party has; the next " +
				"apply " + retries + ", and waits on."
		}
		if failed.Deleting {
			next = "Another party has deleted the cluster, and Gardener cannot take that back. The state has it, with ready = false, until it is " +
				"gone. Mend the cause; a destroy " + retries + "."
		}
	case s.Deleting:
		next = "Another party has deleted the cluster, and Gardener cannot take that back. The state has it, with ready = false, until it is " +
			"gone; the next apply waits for that."
	}
	if troubles := s.Status.Troubles(); len(troubles) > 0 {
		why = "What is in the way:\n  - " + strings.Join(troubles, "\n  - ")
	}
	diags.AddWarning(summary, fmt.Sprintf("%s.\n\n%s\n\n%s What depends on it must not run: a postcondition with "+
		"condition = self.ready in its lifecycle block fails the apply there.", strings.TrimRight(err.Error(), "."), why, next))
}

// warnStopped says, in a plan, that Gardener had given a cluster up when it was last seen, and what the apply does about it.
func warnStopped(diags *diag.Diagnostics, name types.String, at stopped, destroys bool) {
	text := fmt.Sprintf("Gardener has given up cluster %s (%s): it does nothing more for it by itself. This apply %s. Mend the cause first: "+
		"otherwise Gardener gives up again.", name.ValueString(), at.At, retries)
	if at.Deleting {
		does := "an apply leaves that as it is, and a destroy "
		if destroys {
			does = "this destroy "
		}
		text = fmt.Sprintf("Gardener has given up the deletion of cluster %s (%s): it does nothing more for it by itself; %s%s. Mend the cause "+
			"first: otherwise Gardener gives up again.", name.ValueString(), at.At, does, retries)
	}
	diags.AddWarning(diagnose.SummaryShootGivenUp, text)
}

// warnDropped says what an apply does with the fields that the configuration names no longer, and another party has set, too.
func (l look) warnDropped(state shootModel, dropped shoots.Dropped) {
	if len(dropped.Taken) > 0 {
		l.diags.AddAttributeWarning(templatePath, diagnose.SummaryShootDropped, fmt.Sprintf("The configuration names these fields of cluster %s "+
			"no longer, and another party (field manager %s) has set them, too. The apply takes them off the Shoot:\n  - %s\n\nName those that "+
			"are to stay.", state.Name.ValueString(), strings.Join(dropped.By, ", "), strings.Join(dropped.Taken, "\n  - ")))
	}
	if len(dropped.Left) > 0 {
		l.diags.AddAttributeWarning(templatePath, diagnose.SummaryShootLeft, fmt.Sprintf("Cluster %s was imported, and the configuration does "+
			"not name these fields, which another party (field manager %s) has set. The apply leaves them on the Shoot, and no later plan shows "+
			"them:\n  - %s\n\nTo have them taken off, name them, apply, and take them out of the configuration then. Or have the other party "+
			"take them off.", state.Name.ValueString(), strings.Join(dropped.By, ", "), strings.Join(dropped.Left, "\n  - ")))
	}
}

// warnLeft says that the account of a cluster, which is known only after the apply, seems to be another one than it lives on. It is no
// error, and no reason to make the cluster anew: what a plan does not know may be the account that the cluster has.
func (l look) warnLeft(plan, state shootModel) {
	name, account := state.Name.ValueString(), state.CredentialsBindingName.ValueString()
	if !plan.CredentialsBindingName.IsUnknown() || !l.resource.Backend.Ledger.LeavesAccount(account) {
		return
	}
	l.diags.AddAttributeWarning(accountPath, diagnose.SummaryShootLeaves, fmt.Sprintf("Cluster %s lives on account %s. This plan ends all "+
		"claims on it that it knows, and leads the new ones to another pool or another Global Account; which account the cluster is to have is "+
		"known after the apply. If it is another one, the apply stops before it changes the cluster; with create_before_destroy it has made the "+
		"new claim by then. To keep the cluster, take the change of the claim back. To have it made anew with all that runs in it, apply "+
		"deletion_protection = false first, and then apply with -replace for the cluster.", name, account))
}
