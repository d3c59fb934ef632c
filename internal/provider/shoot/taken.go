package shoot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var tenantPath = path.Root("global_account")

// warnTaken looks whether the account of a cluster that was just made is still its tenant's, and says what to do where it is not. A
// release that began after the last read before the POST, and counted before it, has not seen the cluster.
func (r *shootResource) warnTaken(ctx context.Context, diags *diag.Diagnostics, made shoots.Shoot, tenant string) {
	if made.Account == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	err := r.stillHosts(ctx, made.Account, tenant)
	journal.LogShoot(ctx, "account of the cluster looked at once more", made.Name, err)
	if connection.RefusesShoot(err) {
		diags.AddAttributeWarning(accountPath, diagnose.SummaryShootTaken, fmt.Sprintf("While cluster %s (UID %s) was made, account %s was "+
			"taken from it: %s. The cluster was made all the same, and is in the state. %s", made.Name, made.UID, made.Account,
			strings.TrimRight(err.Error(), "."), r.takenRemedy(tenant)))
	}
}

// stillHosts looks whether an account is still its tenant's; empty = the cluster needs none.
func (r *shootResource) stillHosts(ctx context.Context, name, tenant string) error {
	if name == "" {
		return nil
	}
	p, err := r.Backend.Garden.Selecting()
	if err != nil {
		return err
	}
	return p.StillTakes(ctx, account.HostRequest{Account: name, Tenant: tenant})
}

// liveAccount is the account that a cluster names, as the pool calls it.
func liveAccount(m shootModel, at place) string {
	if at.Older != "" {
		return account.BindingOf(string(garden.SecretBinding), at.Older)
	}
	return m.CredentialsBindingName.ValueString()
}

// takenRemedy says what to do where a cluster lives on an account that is not its tenant's.
func (r *shootResource) takenRemedy(tenant string) string {
	return fmt.Sprintf("Another tenant may come to the account, or a clean-up job may wipe it under the cluster. Act at once. To keep the "+
		"cluster, where no other Global Account holds the account: put the account's label %s back by hand, with the Global Account of the "+
		"cluster%s, take its label %s away, and apply the claim. Otherwise destroy the cluster.", r.Backend.Settings.Keys.TenantName,
		besideTenant(tenant), r.Backend.Settings.Keys.Dirty)
}

// besideTenant names a Global Account where it is known.
func besideTenant(tenant string) string {
	if tenant == "" {
		return ""
	}
	return " (" + tenant + ")"
}

// compare compares the account of a live cluster with its Global Account, and says where the two do not belong together: once for a cluster
// in a run. planned = by a configuration, which has to name the Global Account; a state may come from an import.
func (r *shootResource) compare(ctx context.Context, diags *diag.Diagnostics, m shootModel, at place, planned bool) {
	if m.CredentialsBindingName.ValueString() == "" || m.GlobalAccount.IsUnknown() || r.Backend.Settings.Kind == garden.Secret {
		return
	}
	req := account.HostRequest{
		Account: liveAccount(m, at), Tenant: m.GlobalAccount.ValueString(), Unnamed: planned && m.GlobalAccount.IsNull(),
	}
	err := r.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error {
		return r.Backend.Garden.Holds(ctx, req)
	})
	refused, judged := errors.AsType[*account.HostError](err)
	switch {
	case judged && refused.Reason == account.HostUnnamed:
		diags.AddAttributeWarning(tenantPath, diagnose.SummaryNoTenant, fmt.Sprintf("Cluster %s lives on account %s, which is dedicated, and "+
			"global_account is not set: whether the account is still that of the cluster's Global Account cannot be determined. Set it to "+
			"global_account of the claim.", m.Name.ValueString(), refused.Account))
	case judged && r.Backend.Ledger.First(diagnose.SummaryShootTaken, m.UID.ValueString()):
		diags.AddAttributeWarning(accountPath, diagnose.SummaryShootTaken, fmt.Sprintf("Cluster %s (UID %s) lives on an account that is not its "+
			"own any more: %s. Every plan says so until it is mended. %s", m.Name.ValueString(), m.UID.ValueString(), refused.Error(),
			r.takenRemedy(req.Tenant)))
	case !judged && connection.Unlooked(err) && r.Backend.Ledger.First("the accounts of clusters were not compared"):
		diags.AddWarning(diagnose.SummaryPoolUnchecked, fmt.Sprintf("Comparing account %s of cluster %s: %s. Whether the "+
			"accounts of clusters are "+
			"still those of their Global Accounts is not known.", req.Account, m.Name.ValueString(), diagnose.Explain(err).Brief))
	}
}

// warnUnnamed says that a cluster on an account that is not known yet names no Global Account.
func (l look) warnUnnamed(plan shootModel) {
	if plan.GlobalAccount.IsNull() && plan.CredentialsBindingName.IsUnknown() {
		l.diags.AddAttributeWarning(tenantPath, diagnose.SummaryNoTenant, fmt.Sprintf("Cluster %s comes to an account that "+
			"is not known yet, and "+
			"global_account is not set. Where the account is dedicated the apply refuses to make the cluster. Set it to "+
			"global_account of the claim.",
			tfvalue.Name(plan.Name)))
	}
}

// newer asks Gardener for the fields of a template that this provider does not know, and reports whether there is no error.
func (l look) newer(ctx context.Context, plan shootModel) bool {
	if !tfvalue.Known(plan.Template) {
		return true
	}
	template, err := shoots.ReadTemplate(plan.Template.ValueString())
	if err != nil || len(template.Newer()) == 0 { // an error is reported where all of it is read
		return true
	}
	err = l.resource.Backend.Previews.Try(ctx, connection.AskedGardener, func(ctx context.Context) error {
		return l.resource.Backend.Garden.Knows(ctx, plan.Name.ValueString(), template)
	})
	attempt := l.resource.Backend.Garden.Attempt("Planning cluster %s", tfvalue.Name(plan.Name))
	return diagnose.ReportNewer(l.diags, templatePath, attempt, diagnose.AskedByApply, template, err)
}

// lookTime bounds the reads that follow what was done, whose time may be over.
const lookTime = 10 * time.Second

// mayHost looks whether the account of a cluster takes it; fresh = a write follows.
func (r *shootResource) mayHost(ctx context.Context, w shoots.Wanted, tenant types.String, fresh bool) (room account.Room, err error) {
	if w.Account == "" {
		return room, nil
	}
	p, err := r.Backend.Garden.Selecting()
	if err == nil {
		req := account.HostRequest{
			Account: w.Account, Cluster: w.Name, Tenant: tenant.ValueString(), Unnamed: tenant.IsNull(),
			Planned: r.Backend.Ledger.PlanShoot(w.Account, w.Name), Fresh: fresh,
		}
		if !fresh { // before a write the claim exists
			req.Coming = r.Backend.Ledger.PlannedClaim(w.Account)
		}
		room, err = p.MayHost(ctx, req)
	}
	if err == nil {
		journal.LogShoot(ctx, room.String(), w.Name, nil)
	}
	return room, err
}
