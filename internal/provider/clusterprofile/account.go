package clusterprofile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var tenantPath = path.Root("global_account")

// hosting asks whether clusters may come to the account.
func (m configModel) hosting(coming *account.ComingClaim) account.HostRequest {
	return account.HostRequest{
		Account: m.CredentialsBindingName.ValueString(), Tenant: m.GlobalAccount.ValueString(), Unnamed: m.GlobalAccount.IsNull(), Coming: coming,
	}
}

// mayHost judges whether clusters may come to the account, as for one of hap_shoot; how many there are is not counted. A plan knows of a
// claim that the run is going to make before; nil = none.
func (r *configResource) mayHost(ctx context.Context, m configModel, coming *account.ComingClaim) error {
	if m.CredentialsBindingName.IsNull() {
		return nil
	}
	p, err := r.Backend.Garden.Pool()
	if err == nil {
		err = p.Takes(ctx, m.hosting(coming))
	}
	return err
}

// mayWrite judges the account right before the ProviderConfig is written: a new account as for new clusters, and that of before by holder
// and dirt alone, because the clusters that live there need their configuration.
func (r *configResource) mayWrite(ctx context.Context, m configModel, moves bool) error {
	if moves || m.CredentialsBindingName.IsNull() {
		return r.mayHost(ctx, m, nil)
	}
	req := m.hosting(nil)
	req.Fresh = true
	return r.Backend.Garden.Holds(ctx, req)
}

// compare compares the account of a profile with its Global Account, by the list of accounts that a plan shares, and says where the two do
// not belong together: once for a profile in a run. planned = by a configuration, which has to name the Global Account; a state may come
// from an import.
func (r *configResource) compare(ctx context.Context, diags *diag.Diagnostics, m configModel, planned bool) {
	if m.CredentialsBindingName.ValueString() == "" || m.GlobalAccount.IsUnknown() || r.Backend.Settings.Kind == garden.Secret {
		return
	}
	req := m.hosting(nil)
	req.Unnamed = req.Unnamed && planned
	err := r.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error {
		return r.Backend.Garden.Holds(ctx, req)
	})
	refused, judged := errors.AsType[*account.HostError](err)
	switch {
	case judged && refused.Reason == account.HostUnnamed:
		diags.AddAttributeWarning(tenantPath, diagnose.SummaryNoTenant, fmt.Sprintf("The clusters of ProviderConfig %s come "+
			"to account %s, which "+
			"is dedicated, and global_account is not set: whether the account is still that of their Global Account cannot be determined. Set it "+
			"to global_account of the claim.", m.Name.ValueString(), refused.Account))
	case judged && r.Backend.Ledger.First(diagnose.SummaryProfileTaken, m.UID.ValueString()):
		diags.AddAttributeWarning(accountPath, diagnose.SummaryProfileTaken, fmt.Sprintf("ProviderConfig %s brings clusters "+
			"to an account that is "+
			"not their own any more: %s. Every plan says so until it is mended. A cluster that is made by the profile now comes into another "+
			"tenant's account, or is wiped with it. Make no Cluster of the profile. Where clusters live there and no other "+
			"Global Account holds the "+
			"account: put its label %s back by hand, take its label %s away, and apply the claim. Otherwise delete the Clusters of the profile, "+
			"and give it the account of another claim.", m.Name.ValueString(), strings.TrimRight(err.Error(), "."),
			r.Backend.Settings.Keys.TenantName, r.Backend.Settings.Keys.Dirty))
	case !judged && connection.Unlooked(err) && r.Backend.Ledger.First("the accounts of profiles were not compared"):
		diags.AddWarning(diagnose.SummaryPoolUnchecked, fmt.Sprintf("Comparing account %s of ProviderConfig %s: %s. Whether the accounts of "+
			"profiles are still those of their Global Accounts is not known.", req.Account, m.Name.ValueString(), diagnose.Explain(err).Brief))
	}
}

// writtenUnasked is what comes next where an apply could not ask Gardener for fields of a template.
const writtenUnasked = "The template is written all the same: the platform cluster does not check it, and the cluster " +
	"provider may not know " +
	"the fields either. See what comes to the clusters."

// newer asks Gardener for the fields of a template that this provider does not know, and reports whether there is no error.
func (r *configResource) newer(ctx context.Context, diags *diag.Diagnostics, attempt, next string, m configModel) bool {
	if !tfvalue.Known(m.ShootTemplate) {
		return true
	}
	template, err := shoots.ReadTemplate(m.ShootTemplate.ValueString())
	if err != nil || len(template.Newer()) == 0 {
		return true
	}
	err = r.Backend.Previews.Try(ctx, connection.AskedGardener, func(ctx context.Context) error {
		return r.Backend.Garden.Knows(ctx, "", template)
	})
	return diagnose.ReportNewer(diags, templatePath, attempt, next, template, err)
}

// mayReturn judges by a list of the Clusters whether a ProviderConfig may be made as it is planned: one that was deleted under its Clusters
// must not come back with another account.
func (r *configResource) mayReturn(
	ctx context.Context, m configModel, list func(*api.ClusterKind, context.Context) ([]*api.Cluster, error),
) error {
	if err := r.Connect(); err != nil {
		return err
	}
	all, err := list(r.API.Objects.Clusters, ctx)
	if err != nil {
		return err
	}
	home := m.home(configs.Home{}, r.Backend.Settings.Kind)
	return r.API.Profiles.MayReturn(ctx, m.ProviderRef.ValueString(), m.Name.ValueString(), home, all,
		func(ctx context.Context, c *api.Cluster) ([]configs.BoundShoot, error) {
			all, err := r.Backend.Garden.Behind(ctx, c)
			if err != nil {
				journal.LogRequest(ctx, "look for the Shoot of a cluster", c.Ref().String(), err)
			}
			if connection.MayNotSee(err) { // what the status of the Cluster itself says has to do
				err = nil
			}
			return all, err
		})
}
