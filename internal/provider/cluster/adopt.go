package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// planAdoption refuses to plan a Cluster that would move a Shoot which bears its labels. It returns why it could not look: the apply looks
// again.
func (r *clusterResource) planAdoption(ctx context.Context, diags *diag.Diagnostics, platform *openmcp.Platform, plan clusterModel) error {
	if !tfvalue.Known(plan.Namespace, plan.Name, plan.Profile) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	var bound []configs.BoundShoot
	err := r.Backend.Previews.Try(ctx, connection.AskedBound, func(ctx context.Context) (err error) {
		bound, err = r.Backend.Garden.Bound(ctx, plan.Ref())
		return err
	})
	if err == nil {
		err = platform.Profiles.MayAdopt(ctx, plan.Ref(), plan.Profile.ValueString(), bound)
	}
	if errors.As(err, new(*configs.AdoptError)) {
		diagnose.Report(diags, r.Attempt(family.Planning, plan), err)
		return nil
	}
	return err
}

// adopts looks whether the Cluster would move a Shoot that bears its labels, just before it is made. A provider block that leads to no
// Garden, or that may not see Shoots there, knows of none.
func (r *clusterResource) adopts(ctx context.Context, platform *openmcp.Platform, plan clusterModel) error {
	bound, err := r.Backend.Garden.Bound(ctx, plan.Ref())
	if err != nil {
		journal.LogRequest(ctx, "look for the Shoot of a cluster", plan.Ref().String(), err)
		failed, asked := errors.AsType[*kube.Error](err)
		blind := []kube.Reason{kube.Forbidden, kube.Unauthorized, kube.NoAPI, kube.Rejected, kube.NotFound}
		if !asked || slices.Contains(blind, failed.Reason) {
			return nil
		}
		return err
	}
	return platform.Profiles.MayAdopt(ctx, plan.Ref(), plan.Profile.ValueString(), bound)
}

// warnShoot says that a Shoot goes with its Cluster which a hap_shoot has made: deletion_protection is kept in the state of that alone.
func (r *clusterResource) warnShoot(ctx context.Context, diags *diag.Diagnostics, state clusterModel) {
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	_, live := r.look(ctx, state)
	if live == nil {
		return
	}
	all, err := r.Backend.Garden.Behind(ctx, live)
	if err != nil { // what the Cluster itself tells has to do
		journal.LogRequest(ctx, "look for the Shoot of a cluster", state.Ref().String(), err)
	}
	for _, s := range all {
		if s.Made && r.Backend.Ledger.First("along", state.UID.ValueString(), s.Namespace, s.Name) {
			diags.AddWarning(diagnose.SummaryShootAlong, fmt.Sprintf("Cluster %s is destroyed, and Shoot %s/%s goes with it, which a hap_shoot has "+
				"made and the Cluster has adopted: the cluster provider deletes it, with all that runs there, whatever deletion_protection of "+
				"the hap_shoot says. To keep the Shoot, keep the Cluster: take hap_cluster out of the state with `state rm`, which changes "+
				"nothing on the platform cluster.", state.Ref(), s.Namespace, s.Name))
		}
	}
}
