package shoot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// A Cluster whose Shoot goes, or loses the labels that name the Cluster, gets another one from its cluster provider: an empty one. So a
// plan reads the Cluster before it takes its Shoot from it, and the apply reads it once more.

// unseenCluster says what a plan does not know.
const unseenCluster = "Whether the Cluster is there is not known: the provider block has no platform, or it has not answered. Go on only " +
	"where the Cluster is gone, or goes as well."

// readCluster reads a Cluster that keeps its Shoot; nil = there is none, or it is being deleted, or none is named.
//
// Errors: those of [connection.Platform.API], and of the read.
func (r *shootResource) readCluster(ctx context.Context, of api.Ref) (*api.Cluster, error) {
	if of == (api.Ref{}) {
		return nil, nil //nolint:nilnil // as documented
	}
	platform, err := r.Backend.Platform.API()
	if err != nil {
		return nil, err
	}
	live, err := platform.Objects.Clusters.Get(ctx, of)
	none := api.Reason(err) == kube.NoAPI && !errors.As(err, new(*kube.LostPathError)) // a server without openMCP has no Clusters
	if none || api.IsGone(err) || err == nil && live.DeletionTimestamp != nil {
		return nil, nil //nolint:nilnil // as documented
	}
	return live, err
}

// clusterOf is readCluster for a plan. known = the platform cluster has answered.
func (r *shootResource) clusterOf(ctx context.Context, of api.Ref) (live *api.Cluster, known bool) {
	if of == (api.Ref{}) || r.Backend.Platform.Later() {
		return nil, of == (api.Ref{})
	}
	err := r.Backend.Previews.Try(ctx, connection.AskedPlatform, func(ctx context.Context) (err error) {
		live, err = r.readCluster(ctx, of)
		return err
	})
	if err == nil {
		return live, true
	}
	if !errors.As(err, new(*connection.NoPlatformError)) && r.Backend.Ledger.First(diagnose.SummaryPlatformUnlooked, "hap_shoot") {
		f := diagnose.Explain(err)
		r.Diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryPlatformUnlooked, fmt.Sprintf("Reading Cluster %s, whose Shoot this plan "+
			"takes: %s. Where the Cluster is there, it loses the Shoot with all that runs in it. The apply reads it again, and does not destroy "+
			"the Shoot while it cannot.\n\n%s", of, f.Brief, f.Remedy))
	}
	return nil, false
}

// mayBe are the Clusters of which a Shoot may be: the one that its labels name, and the one of the configuration, whose status may name the
// Shoot still where the labels are gone.
func (m shootModel) mayBe(labelled api.Ref) []api.Ref {
	return slices.Compact([]api.Ref{labelled, m.cluster()})
}

// reports says whether the Shoot of a place is the one of a Cluster: by its labels, or by the status of the Cluster.
func (p place) reports(live *api.Cluster, labelled api.Ref) bool {
	shoot, named := api.ShootOf(live)
	return live.Ref() == labelled || named && shoot == api.Ref{Namespace: p.Namespace, Name: p.Name}
}

// leaves refuses to plan that a Shoot loses the labels of a Cluster which is there, and reports whether there is nothing to refuse. A
// Cluster that goes in the same plan takes along what has its labels by then. One whose labels the Shoot has lost has another Shoot.
func (l look) leaves(ctx context.Context, plan, state shootModel, at place) bool {
	of := at.clusterOf(state)
	if of == plan.cluster() {
		return true
	}
	live, known := l.resource.clusterOf(ctx, of)
	loses := fmt.Sprintf("Shoot %s is that of Cluster %s. Without the labels that name the Cluster its cluster provider makes another Shoot "+
		"for it, an empty one, and this one goes on without it.", state.Name.ValueString(), of)
	switch {
	case live != nil:
		l.diags.AddAttributeError(clusterRefPath, diagnose.SummaryShootOfCluster, fmt.Sprintf("%s Nothing was written to it. Set cluster_ref = "+
			"{ namespace = %q, name = %q }. To leave the Shoot to its Cluster, take this resource out of the state (a removed block with "+
			"destroy = false).", loses, of.Namespace, of.Name))
		return false
	case !known:
		l.diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryShootOfCluster, loses+" "+unseenCluster)
	}
	return true
}

// takesFrom judges the destroy of a Shoot that is that of a Cluster which is there, and does not go in this plan, too; a replacement as
// well: the cluster provider would make a Shoot beside the new one. It reports whether it refuses that.
func (r *shootResource) takesFrom(ctx context.Context, name string, m shootModel, at place, replaces bool) bool {
	at.Name = cmp.Or(at.Name, name)
	labelled := at.clusterOf(m)
	for _, of := range m.mayBe(labelled) {
		live, known := r.clusterOf(ctx, of)
		switch {
		case !known && of == labelled:
			r.Diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryShootOfCluster, fmt.Sprintf("Shoot %s is that of Cluster %s. Where the "+
				"Cluster is there, its cluster provider makes another Shoot for it after the destroy, an empty one. %s", name, of, unseenCluster))
		case live == nil || !at.reports(live, labelled) || r.goes(ctx, live):
		default:
			return r.reportTaken(name, live, replaces)
		}
	}
	return false
}

// reportTaken says what the destroy of a Shoot takes from its Cluster, and reports whether that is refused.
func (r *shootResource) reportTaken(name string, live *api.Cluster, replaces bool) bool {
	loses := fmt.Sprintf("Shoot %s is that of Cluster %s, which is there", name, live.Ref())
	switch {
	case kube.IsProtected(live.Annotations):
		r.Diags.AddAttributeError(path.Root("deletion_protection"), diagnose.SummaryShootProtected, loses+" and has the annotation "+
			kube.ProtectionAnnotation+": it is neither destroyed nor replaced. Nothing was planned or written. Set deletion_protection = false "+
			"of the Cluster and apply that first, if it is to go with all that runs in it. To leave the Shoot to its Cluster, take this "+
			"resource out of the state (a removed block with destroy = false).")
	case replaces:
		r.Diags.AddAttributeError(clusterRefPath, diagnose.SummaryShootOfCluster, loses+". A replacement destroys the Shoot with all that runs "+
			"in it, and the cluster provider makes another one for the Cluster, beside the one that this plan makes. Nothing was planned or "+
			"written. Where the Cluster is to go, destroy it first, with destroy -target and -refresh=false, or take its block out "+
			"in the same plan. A Shoot that is tainted only: untaint it.")
	default:
		r.Diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryShootOfCluster, loses+". The destroy takes the Shoot with all that runs in "+
			"it, and the cluster provider makes another one for the Cluster, an empty one. Destroy the Cluster before, if it is to go.")
		return false
	}
	return true
}

// mayGo judges right before the delete what takesFrom has judged at plan: the Cluster may have come since, or its protection, and what was
// not known then may be known now.
//
// Errors: [*kube.ProtectedError]; those of the read of a Cluster.
func (r *shootResource) mayGo(ctx context.Context, m shootModel, at place, now shoots.Shoot) error {
	at.Name = now.Name
	labelled := api.Ref(now.OfCluster())
	for _, of := range m.mayBe(labelled) {
		live, err := r.readCluster(ctx, of)
		switch {
		case errors.As(err, new(*connection.NoPlatformError)): // the plan has said it
		case err != nil:
			return err
		case live != nil && at.reports(live, labelled) && kube.IsProtected(live.Annotations):
			return &kube.ProtectedError{Kind: api.KindCluster, Namespace: live.Namespace, Name: live.Name}
		}
	}
	return nil
}

// warnOfCluster says that a Shoot which is imported is that of a Cluster, where its cluster provider has made it.
func warnOfCluster(diags *diag.Diagnostics, now shoots.Shoot) {
	if of := now.OfCluster(); of.Name != "" && now.OurCluster() == (shoots.Cluster{}) {
		diags.AddWarning(diagnose.SummaryShootAlong, fmt.Sprintf("Shoot %s, which is imported, is that of Cluster %s. Another party than this "+
			"provider, as a rule the cluster provider, has made it and goes on to write it: what both set is theirs again after its next change, "+
			"and the Shoot goes with the Cluster. A hap_cluster is made for it, and hap_shoot for Shoots that no Cluster has.", now.Name,
			api.Ref(of)))
	}
}
