package cluster

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
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
		if connection.MayNotSee(err) {
			return nil
		}
		return err
	}
	return platform.Profiles.MayAdopt(ctx, plan.Ref(), plan.Profile.ValueString(), bound)
}

// planEnd notes the Shoots that go with a Cluster which this plan ends. It refuses to end one with which the Shoot of a protected hap_shoot
// goes: the cluster provider deletes that, and does not know deletion_protection. Where no protected one of this plan is among them it says
// what goes. A plan of a protected hap_shoot that comes later sees what this notes. Where the Cluster cannot be seen, it goes by the state.
func (r *clusterResource) planEnd(ctx context.Context, at family.Guarded) {
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	of := at.Ref()
	_, live, err := r.look(ctx, of, at.UID)
	switch {
	case err != nil:
		r.ReportUnseenEnd(at, endsCluster(of), err)
		return
	case live == nil:
		return
	}
	all := r.behind(ctx, live)
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = family.ShootName(s.Namespace, s.Name)
		r.Backend.Ledger.TakeAlong(names[i], endsCluster(of))
	}
	if guards := r.Backend.Ledger.Protected(names); len(guards) > 0 {
		family.ReportProtected(r.Diags, ", and "+endsCluster(of)+", with which it goes", guards...)
		return
	}
	if err := family.Keeps(live, all); err != nil {
		diagnose.Report(r.Diags, r.Backend.Platform.Attempt("Planning the end of %s %s", r.Of.Kind, of), err)
		return
	}
	for _, s := range all {
		if s.Made && r.Backend.Ledger.First("along", at.UID, s.Namespace, s.Name) {
			warnAlong(r.Diags, of, s)
		}
	}
}

// endsCluster says what this plan does with a Cluster.
func endsCluster(of api.Ref) string { return "this plan ends Cluster " + of.String() }

// behind are the Shoots that go with a Cluster, as far as they can be seen.
func (r *clusterResource) behind(ctx context.Context, c *api.Cluster) []configs.BoundShoot {
	all, err := r.Backend.Garden.Behind(ctx, c)
	if err != nil { // fall back to the Cluster's own status
		journal.LogRequest(ctx, "look for the Shoot of a cluster", c.Ref().String(), err)
	}
	return all
}
