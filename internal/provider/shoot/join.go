package shoot

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var clusterRefPath = path.Root("cluster_ref")

// mayJoin judges whether a Shoot may have the labels of the Cluster that it names. Where the Cluster is there its provider takes the Shoot
// over at once, and moves it to the account of its profile. live is the Cluster; nil = there is none, or it cannot be read.
//
// Errors: [*configs.JoinError]; those of [connection.Platform.API] but that there is no platform cluster; those of [kube.Read].
func (r *shootResource) mayJoin(ctx context.Context, w shoots.Wanted) (live *api.Cluster, err error) {
	platform, err := r.Backend.Platform.API()
	if w.ClusterName == "" || errors.As(err, new(*connection.NoPlatformError)) {
		return live, nil
	}
	if err != nil {
		return nil, err
	}
	live, err = platform.Objects.Clusters.Get(ctx, api.Ref{Namespace: w.ClusterNamespace, Name: w.ClusterName})
	switch {
	case api.IsGone(err):
		return live, nil
	case err != nil:
		return nil, err
	case live.DeletionTimestamp != nil:
		return live, &configs.JoinError{Ref: live.Ref(), Ends: true}
	}
	all, err := r.Backend.Garden.Shoots()
	if err != nil {
		return live, err
	}
	shoot := configs.BoundShoot{Namespace: all.Namespace(), Name: w.Name}
	if on := w.Binding(); on.Kind() == string(garden.SecretBinding) {
		shoot.Bindings.Secret = on.Name
	} else {
		shoot.Bindings.Credentials = on.Name
	}
	return live, platform.Profiles.MayJoin(ctx, live, shoot)
}

// joins judges that right before a write. A user who may not read the Cluster is warned.
//
// Errors: those of mayJoin and of [shoots.Shoots.MayBind].
func (r *shootResource) joins(ctx context.Context, w shoots.Wanted) error {
	if err := r.all.MayBind(ctx, w); err != nil {
		return err
	}
	live, err := r.mayJoin(ctx, w)
	if live == nil && connection.MayNotSee(err) {
		r.warnUnread(r.Diags, w, err)
		return nil
	}
	return err
}

// single refuses to plan two Shoots for a Cluster, and reports whether there is nothing to refuse.
func (l look) single(plan shootModel) bool {
	of := plan.cluster()
	if !tfvalue.Known(plan.Name, plan.ClusterRef) || of.Name == "" || of.Namespace == "" {
		return true
	}
	other := l.resource.Backend.Ledger.PlanShootOf(of.String(), plan.Name.ValueString())
	if other != "" {
		diagnose.Report(l.diags, "Planning cluster "+tfvalue.Name(plan.Name), &shoots.BoundError{Cluster: shoots.Cluster(of), Shoot: other})
	}
	return other == ""
}

// only refuses to plan a further Shoot for a Cluster, and reports whether there is nothing to refuse. The one in whose place this one comes
// does not count. One that goes at another address does: an apply destroys and makes them side by side.
func (l look) only(ctx context.Context, attempt string, w shoots.Wanted, replaced string) bool {
	var refused error
	l.askGardener(ctx, attempt, func(ctx context.Context) error {
		all, err := l.resource.Backend.Garden.Shoots()
		if err == nil {
			err = all.MayBind(ctx, w)
		}
		if bound, is := errors.AsType[*shoots.BoundError](err); is {
			err = nil
			if bound.Shoot != replaced {
				refused = bound
			}
		}
		return err
	})
	if refused != nil {
		diagnose.Report(l.diags, attempt, refused)
	}
	return refused == nil
}

// joins refuses to plan a Shoot that its Cluster would move, or that is not its only one, and reports whether there is nothing to refuse. A
// Cluster that the same plan takes away moves none. What cannot be read is a warning: the apply reads before it writes.
func (l look) joins(ctx context.Context, attempt string, w shoots.Wanted, replaced string) bool {
	r := l.resource
	if w.ClusterName == "" {
		return true
	}
	if !l.only(ctx, attempt, w, replaced) {
		return false
	}
	if r.Backend.Platform.Later() {
		return true
	}
	var live *api.Cluster
	var refused error
	err := r.Backend.Previews.Try(ctx, connection.AskedPlatform, func(ctx context.Context) (err error) {
		if live, err = r.mayJoin(ctx, w); errors.As(err, new(*configs.JoinError)) {
			refused, err = err, nil
		}
		return err
	})
	if refused != nil && (live.DeletionTimestamp != nil || !r.goes(ctx, live)) {
		diagnose.Report(l.diags, attempt, refused)
		return false
	}
	if err != nil {
		r.warnUnread(l.diags, w, err)
	}
	return true
}

// changesCluster is joins for a cluster that lives, where it gets the labels of another Cluster, or of none.
func (l look) changesCluster(ctx context.Context, plan, state shootModel, at place) bool {
	if !plan.known() || plan.ClusterRef.Equal(state.ClusterRef) {
		return true
	}
	if !l.single(plan) || !l.leaves(ctx, plan, state, at) {
		return false
	}
	w, err := plan.wanted(l.resource.Backend.Settings.Kind)
	return err != nil || l.joins(ctx, l.resource.Backend.Garden.Attempt("Planning a change of cluster %s", w.Name), w, "")
}

// goes reports whether this plan takes a Cluster away: by itself, or with the last request that holds it.
func (r *shootResource) goes(ctx context.Context, live *api.Cluster) bool {
	of := ledger.Object{Type: "hap_cluster", ID: live.Ref().String(), UID: string(live.UID)}
	if ends, _ := r.Backend.Ledger.AwaitDestroyed(ctx, of); ends {
		return true
	}
	var tenants []ledger.Object
	for _, uid := range api.Tenants(live) {
		tenants = append(tenants, ledger.Object{Type: "hap_cluster_request", UID: uid})
	}
	ends, _ := r.Backend.Ledger.AwaitDestroyed(ctx, tenants...)
	return ends && len(tenants) > 0 && api.GoesAlong(live)
}

// warnUnread says once in a run that it is not known what the Cluster of a Shoot does with it.
func (r *shootResource) warnUnread(diags *diag.Diagnostics, w shoots.Wanted, err error) {
	if !r.Backend.Ledger.First(diagnose.SummaryPlatformUnlooked, "hap_shoot") {
		return
	}
	f := diagnose.Explain(err)
	diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryPlatformUnlooked, fmt.Sprintf("Reading Cluster %s/%s, whose labels cluster %s "+
		"gets: %s. So it is not known to which account the profile of the Cluster brings it: from another one the cluster provider moves it "+
		"there, and leaves behind all that it has. The same holds for others of the run.\n\n%s", w.ClusterNamespace, w.ClusterName, w.Name,
		f.Brief, f.Remedy))
}
