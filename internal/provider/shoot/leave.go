package shoot

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// A Cluster whose Shoot goes, or loses the labels that name the Cluster, gets another one from its cluster provider: an empty one. So a
// plan reads the Cluster before it takes its Shoot from it.

// unseenCluster says what a plan does not know.
const unseenCluster = "Whether the Cluster is there is not known: the provider block has no platform, or it has not answered. Go on only " +
	"where the Cluster is gone, or goes as well."

// clusterOf reads the Cluster of a Shoot; nil = there is none, or it cannot be read. known = the platform cluster has answered.
func (r *shootResource) clusterOf(ctx context.Context, of api.Ref) (live *api.Cluster, known bool) {
	if of == (api.Ref{}) || r.Backend.Platform.Later() {
		return nil, of == (api.Ref{})
	}
	err := r.Backend.Previews.Try(ctx, connection.AskedPlatform, func(ctx context.Context) error {
		platform, err := r.Backend.Platform.API()
		if err != nil {
			return err
		}
		live, err = platform.Objects.Clusters.Get(ctx, of)
		return err
	})
	switch {
	case api.IsGone(err):
		return nil, true
	case err == nil:
		return live, true
	}
	if !errors.As(err, new(*connection.NoPlatformError)) && r.Backend.Ledger.First(diagnose.SummaryPlatformUnlooked, "hap_shoot") {
		f := diagnose.Explain(err)
		r.Diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryPlatformUnlooked, fmt.Sprintf("Reading Cluster %s, whose Shoot this plan "+
			"takes: %s.\n\n%s", of, f.Brief, f.Remedy))
	}
	return nil, false
}

// leaves refuses to plan that a Shoot loses the labels of a Cluster which is there, and reports whether there is nothing to refuse. A
// Cluster that goes in the same plan takes along what has its labels by then. One whose labels the Shoot has lost has another Shoot.
func (l look) leaves(ctx context.Context, state shootModel, at place) bool {
	of := state.cluster()
	if at.clusterOf(state) != of {
		return true
	}
	live, known := l.resource.clusterOf(ctx, of)
	loses := fmt.Sprintf("Shoot %s is that of Cluster %s. Without the labels that cluster_ref sets the cluster provider makes another "+
		"Shoot for the Cluster, an empty one, and this one goes on without it.", state.Name.ValueString(), of)
	switch {
	case live != nil:
		l.diags.AddAttributeError(clusterRefPath, diagnose.SummaryShootOfCluster, fmt.Sprintf("%s Nothing was planned for it. Set cluster_ref = "+
			"{ namespace = %q, name = %q }. To part the two all the same, take the labels gardener.clusters.openmcp.cloud/cluster-name and "+
			"…/cluster-namespace off the Shoot by hand before.", loses, of.Namespace, of.Name))
		return false
	case !known:
		l.diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryShootOfCluster, loses+" "+unseenCluster)
	}
	return true
}

// takesFrom judges the destroy of a Shoot that is that of a Cluster which is there, and does not go in this plan, too. It reports whether
// it refuses that.
func (r *shootResource) takesFrom(ctx context.Context, name string, of api.Ref) bool {
	live, known := r.clusterOf(ctx, of)
	if !known {
		r.Diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryShootOfCluster, fmt.Sprintf("Shoot %s is that of Cluster %s. Where the "+
			"Cluster is there, its cluster provider makes another Shoot for it after the destroy, an empty one. %s", name, of, unseenCluster))
	}
	if live == nil || r.goes(ctx, live) {
		return false
	}
	loses := fmt.Sprintf("Shoot %s is that of Cluster %s, which is there", name, live.Ref())
	if kube.IsProtected(live.Annotations) {
		r.Diags.AddAttributeError(path.Root("deletion_protection"), diagnose.SummaryShootProtected, loses+" and has the annotation "+
			kube.ProtectionAnnotation+": it is neither destroyed nor replaced. Nothing was planned or written. Set deletion_protection = false "+
			"of the Cluster and apply that first, if it is to go with all that runs in it. To leave the Shoot to its Cluster, take this "+
			"resource out of the state (a removed block with destroy = false).")
		return true
	}
	r.Diags.AddAttributeWarning(clusterRefPath, diagnose.SummaryShootOfCluster, loses+". The destroy takes the Shoot with all that runs in "+
		"it, and the cluster provider makes another one for the Cluster, an empty one. Destroy the Cluster before, if it is to go.")
	return false
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
