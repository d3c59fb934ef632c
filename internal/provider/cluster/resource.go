// Package cluster offers clusters that are made on the platform cluster of openMCP by themselves: the resource hap_cluster.
package cluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// Family registers the resource.
var Family = family.Family{Resources: []func() resource.Resource{family.New(family.Resource[clusterModel, family.Guarded, *api.Cluster]{
	Type: "cluster", Schema: clusterSchema, Identity: family.NamedSchema(kind.Kind), Private: "place",
	Timeouts: func(m clusterModel) timeouts.Value { return m.Timeouts },
	IsGone:   api.IsGone,
	Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout,
	Hooks: func(call *family.Call) family.Hooks[clusterModel, family.Guarded, *api.Cluster] {
		return &clusterResource{onPlatform: onPlatform{Call: call, Of: &kind}}
	},
})}}

// kind is what Clusters are called, and how they are read.
var kind = family.PlatformKind[*api.Cluster]{
	Kind: "Cluster", Type: "hap_cluster", Form: "<namespace>/<name>, for example team-a/blue",
	Adopted: diagnose.SummaryShootAdopted, Lost: diagnose.SummaryShootGone, Twice: diagnose.SummaryShootTwice,
	Reads: func(p *openmcp.Platform) (recent, now family.PlatformRead[*api.Cluster]) {
		return p.Objects.Clusters.Read, p.Objects.Clusters.Get
	},
	Remove:  func(p *openmcp.Platform) family.PlatformRemove { return p.Clusters.Remove },
	Removed: "cluster deleted",
}

type (
	onPlatform = family.OnPlatform[clusterModel, family.Guarded, *api.Cluster]
	kept       = family.Kept[clusterModel, family.Guarded]
)

// clusterResource is a Cluster on the platform cluster.
type clusterResource struct {
	onPlatform
	found bool // for the place that is kept next, see [family.Guarded]
}

// Report reports an error: at the profile, where its account takes no cluster.
func (r *clusterResource) Report(doing family.Doing, m clusterModel, err error) {
	report(r.Diags, r.Attempt(doing, m), err)
}

// Check refuses to destroy a Cluster that is protected, and checks the labels: some values are known only at an apply.
func (r *clusterResource) Check(_ context.Context, doing family.Doing, m clusterModel) {
	if doing != family.Destroying {
		checkLabels(r.Diags, m)
	} else if m.Protection.ValueBool() {
		reportProtected(r.Diags, m.Ref())
	}
}

// Restore protects a Cluster of the state of a release that knew no protection, and completes the place where private state is lost.
func (r *clusterResource) Restore(of *kept) {
	family.RestoreProtection(&of.Model.Protection)
	if of.Place.UID == "" { // private state is lost: the update that was cut short may have protected it
		of.Place.Found = true
	}
}

// kept is what Terraform keeps of a Cluster that was just made or seen.
func (r *clusterResource) kept(m clusterModel) kept {
	at := r.guarded(m)
	at.Found = r.found
	return kept{Model: m, Place: at}
}

func (r *clusterResource) guarded(m clusterModel) family.Guarded {
	return r.Guard(m, m.Protection, m.Shoot)
}

// Create makes the Cluster, in the provider's namespace where the configuration names none.
func (r *clusterResource) Create(ctx context.Context, plan *clusterModel, _ clusterModel) (*api.Cluster, error) {
	if err := r.Connect(); err != nil {
		return nil, err
	}
	r.Put(&plan.Namespace)
	var made *api.Cluster
	found := false
	err := family.MakeJudged(ctx, func(ctx context.Context) error {
		if err := r.adopts(ctx, r.API, *plan); err != nil {
			return err
		}
		return r.hosted(ctx, r.API, *plan)
	}, func(ctx context.Context) (err error) {
		made, found, err = r.API.Clusters.Make(ctx, plan.wanted())
		r.Log(ctx, "cluster made", *plan, err)
		return err
	})
	r.Found(found, made, *plan)
	r.found = err == nil &&
		family.WarnProtectionKept(r.Diags, plan.Protection, found, kube.IsProtected(made.Annotations), r.Of.Kind, plan.Ref().String())
	if found && err == nil { // it may be of a release that did not write the protection
		made, err = r.protect(ctx, *plan, clusterModel{}, made)
	}
	if err == nil {
		r.warnTaken(ctx, made)
	}
	return made, err
}

// protect writes whether a Cluster is protected, where that is the apply's to write.
func (r *clusterResource) protect(ctx context.Context, plan, state clusterModel, live *api.Cluster) (*api.Cluster, error) {
	if !family.ChangesProtection(plan.Protection, state.Protection) {
		return live, nil
	}
	now, err := r.API.Clusters.Protect(ctx, live, plan.Protection.ValueBool())
	r.Log(ctx, "protection of a cluster", plan, err)
	return now, err
}

// Delete deletes the Cluster, unless a protected Shoot goes with it, and waits until it is gone.
func (r *clusterResource) Delete(ctx context.Context, state kept, live *api.Cluster) error {
	if err := family.MayEnd(ctx, r.Backend, live); err != nil {
		return err
	}
	return r.onPlatform.Delete(ctx, state, live)
}

// Made is the state of a Cluster that was just made.
func (r *clusterResource) Made(plan clusterModel, made *api.Cluster) kept {
	return r.kept(plan.seen(made))
}

// Settle waits for what the configuration says. The only error is that the Cluster is gone: any other would taint it, and the next apply
// would destroy it. What keeps it from being ready is a warning.
func (r *clusterResource) Settle(ctx context.Context, plan clusterModel, from *api.Cluster) (*kept, error) {
	last, err := from, error(nil)
	if plan.WaitFor.ValueString() != waitCreated {
		last, err = r.API.Clusters.AwaitReady(ctx, from, r.Tell(ctx, plan))
		r.Log(ctx, "wait for a cluster", plan, err)
	}
	if api.IsGone(err) {
		return nil, err
	}
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connection.PreviewTimeout)
		defer cancel()
		unknown, _ := unknownProfile(ctx, r.API, last.Spec.Profile)
		warnNotReady(r.Diags, last, unknown, err)
	}
	family.WarnVersion(r.Diags, versionPath, last, plan.Version.ValueString())
	r.Saw(last)
	now := r.kept(plan.seen(last))
	return &now, nil
}

// Refresh is the state of a Cluster as it was seen last; from an import, all that it says.
func (r *clusterResource) Refresh(_ context.Context, state kept, live *api.Cluster) (kept, error) {
	imported := state.Model.UID.IsNull()
	if imported {
		state.Model = state.Model.imported(live)
	}
	warnEnds(r.Diags, live)
	family.WarnVersion(r.Diags, versionPath, live, state.Model.Version.ValueString())
	r.Saw(live)
	protected := kube.IsProtected(live.Annotations)
	r.found = (imported || state.Place.Found) && protected
	if r.found { // see [family.WarnProtectionKept]
		state.Model.Protection = types.BoolValue(true)
	}
	now := r.kept(state.Model.refreshed(live).seen(live))
	now.Place.Imported, now.Place.Stays = imported, !api.GoesAlong(live)
	now.Place.Lost = !imported && family.LacksProtection(now.Model.Protection, protected, live.DeletionTimestamp != nil)
	return now, nil
}

// Update writes what differs, and waits.
func (r *clusterResource) Update(ctx context.Context, plan clusterModel, state kept, live *api.Cluster) (_ *kept, err error) {
	before := kube.IsProtected(live.Annotations)
	r.found = state.Place.Found && plan.Protection.ValueBool() && before
	if plan.Protection.ValueBool() { // before what may fail; taken away after it
		if live, err = r.protect(ctx, plan, state.Model, live); err != nil {
			return nil, err
		}
	}
	protects := !before && kube.IsProtected(live.Annotations)
	if plan.protectsAlone(state.Model) && !state.Place.Imported {
		if _, err = r.protect(ctx, plan, state.Model, live); err != nil {
			return nil, err
		}
		plan.computed = state.Model.computed
		now := r.kept(plan)
		return &now, nil
	}
	if !plan.sendsAs(state.Model) {
		live, err = r.API.Clusters.Change(ctx, state.Model.UID.ValueString(), plan.wanted(), state.Model.wanted())
		r.Log(ctx, "cluster changed", plan, err)
	}
	if err == nil {
		live, err = r.protect(ctx, plan, state.Model, live)
	}
	if err != nil && protects { // a configuration that takes it back finds it in the state
		state.Model.Protection, state.Place.Protected, state.Place.Lost = plan.Protection, true, false
		return &state, r.ReportBesideProtection(func() { r.Report(family.Changing, state.Model, err) })
	}
	if err != nil {
		return nil, err
	}
	if !plan.Ready.IsUnknown() { // nothing is waited for: the plan says all, and the next refresh what has come since
		if plan.Conditions.IsUnknown() { // see [family.PlanLostProtection]
			plan.Conditions = state.Model.Conditions
		}
		now := r.kept(plan)
		return &now, nil
	}
	now, err := r.Settle(ctx, plan, live)
	if now != nil {
		now.Model = now.Model.asPlanned(plan)
	}
	return now, err
}
