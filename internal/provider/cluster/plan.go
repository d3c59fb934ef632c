package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Validate checks what needs no server; unknown values pass.
func (r *clusterResource) Validate(config clusterModel) { checkLabels(r.Diags, config) }

// PlanCreate plans a new Cluster, as far as the platform cluster is known. One that takes the place of a protected one, or of one
// with which a protected Shoot goes, is refused.
func (r *clusterResource) PlanCreate(ctx context.Context, plan, config clusterModel, predecessor family.Guarded) clusterModel {
	if r.mayReplace(ctx, predecessor); r.Diags.HasError() || !r.PlanMade(&plan, config.Namespace, plan.Name, &plan.Namespace, &plan.ID) {
		return plan
	}
	if at, tainted := r.Predecessor(plan.Ref()); tainted && predecessor.UID == "" {
		if r.mayReplace(ctx, at); r.Diags.HasError() {
			return plan
		}
	}
	r.warnOverwritten(ctx, plan)
	for _, ask := range []func(context.Context) error{
		func(ctx context.Context) error { return r.planSuccessor(ctx, plan, predecessor) },
		func(ctx context.Context) error { return r.warnAdopts(ctx, plan, predecessor) },
		func(ctx context.Context) error { return r.warnProfile(ctx, r.Diags, plan) },
		func(ctx context.Context) error { return r.planAdoption(ctx, r.Diags, r.API, plan) },
		func(ctx context.Context) error { return r.planHost(ctx, r.Diags, r.API, plan) },
		func(ctx context.Context) error { return r.planVersion(ctx, plan) },
	} {
		err := r.Backend.Previews.Try(ctx, connection.AskedPlatform, ask)
		if diagnose.ReportPlatformUnreachable(r.Diags, r.Backend, kind.Type, r.Attempt(family.Planning, plan), err) {
			break
		}
	}
	return plan
}

// planSuccessor refuses a Cluster in the place of another one that could not be made. One whose spec is not known yet is not checked.
//
// Errors: those of [family.OnPlatform.PlanSuccessor].
func (r *clusterResource) planSuccessor(ctx context.Context, plan clusterModel, predecessor family.Guarded) error {
	if !tfvalue.Known(plan.Profile, plan.Tenancy, plan.Purposes, plan.Version, plan.ConfigRefs) {
		return nil
	}
	w := plan.wanted()
	return r.PlanSuccessor(ctx, plan, predecessor, w.Mark(), func(ctx context.Context) error { return r.API.Clusters.Check(ctx, w) })
}

// mayReplace refuses to end a Cluster for a new one, where that is protected, or a Shoot is that goes with it.
func (r *clusterResource) mayReplace(ctx context.Context, predecessor family.Guarded) {
	switch {
	case predecessor.Protected:
		reportProtected(r.Diags, predecessor.Ref())
	case predecessor.UID != "":
		r.planEnd(ctx, predecessor)
	}
}

// warnAdopts says that the Cluster is there, and that the apply takes it into the state. One that this plan replaces goes before.
//
// Errors: those of [clusters.Clusters.Left].
func (r *clusterResource) warnAdopts(ctx context.Context, plan clusterModel, predecessor family.Guarded) error {
	if predecessor.UID != "" || !tfvalue.Known(plan.Namespace, plan.Name) {
		return nil
	}
	live, err := r.API.Clusters.Left(ctx, plan.wanted())
	if live != nil && !r.Backend.Ledger.InState(ledger.Object{Type: kind.Type, UID: string(live.UID)}) {
		diagnose.WarnAdopts(r.Diags, diagnose.SummaryShootAdopts, r.Of.Kind, plan.Ref().String(), string(live.UID), live.CreationTimestamp.Time)
	}
	return err
}

// PlanUpdate plans what an apply waits for, and refuses what requests that hold the Cluster are against. What replaces it is in the
// schema.
func (r *clusterResource) PlanUpdate(ctx context.Context, plan, _ clusterModel, of kept) (clusterModel, path.Paths) {
	state := of.Model
	switch {
	case plan.another(state):
		if r.Clash(r.Backend.Ledger.Destroy(r.Noted(state), plan.sameName(state)), state) {
			break
		}
		if state.Protection.ValueBool() {
			reportProtected(r.Diags, state.Ref())
			break
		}
		r.refuseHeld(ctx, r.Diags, state, clusters.NotReplaced)
		r.planEnd(ctx, r.guarded(state))
		r.refuseProfile(ctx, plan, state)
	case r.Clash(r.Backend.Ledger.Retain(r.Noted(state)), state):
	default:
		if plan.update(state); plan.protectsAlone(state) && !of.Place.Imported { // it may be on its way out: nothing is waited for
			plan.computed = state.unready()
		}
		warnUnknown(r.Diags, plan, state)
		if !plan.Purposes.Equal(state.Purposes) && !r.Later() && r.Connect() == nil {
			r.warnOverwritten(ctx, plan)
		}
		r.refuseChange(ctx, r.Diags, plan, state)
		r.guard(ctx, of)
		if !r.Later() && r.Connect() == nil && (!plan.Version.Equal(state.Version) || !state.Ready.ValueBool()) {
			_ = r.planVersion(ctx, plan) // what cannot be seen now is compared once the Cluster is ready
		}
		if !r.Diags.HasError() {
			family.WarnProtectionFound(r.Diags, plan.Protection, state.Protection, of.Place.Found, r.Of.Kind, state.Ref().String())
			family.PlanLostProtection(r.Diags, plan.Protection, state.Protection, of.Place.Lost, r.Of.Kind, state.Ref().String(), &plan.Conditions)
		}
	}
	return plan, nil
}

// guard refuses a plan that withdraws all requests of a protected Cluster which goes with them. The plan of a request that comes later sees
// what this notes.
func (r *clusterResource) guard(ctx context.Context, at kept) {
	state := at.Model
	if !state.Protection.ValueBool() {
		return
	}
	of := state.Ref()
	r.Backend.Ledger.Protect(of.String(), "Cluster "+of.String())
	if !at.Place.Stays {
		r.Backend.Ledger.Protect(family.MayGo(of.String()), "Cluster "+of.String())
		if ends := r.Backend.Ledger.TakenAlong(family.MayGo(of.String())); ends != "" { // by a request whose plan could not look
			family.ReportUnseen(r.Diags, ends, "Cluster "+of.String())
			return
		}
	}
	_, live, _ := r.look(ctx, of, state.ObjectUID())
	if live == nil || !api.GoesAlong(live) || len(api.Tenants(live)) == 0 {
		return
	}
	stays := func(uid string) bool {
		return !r.Backend.Ledger.Destroyed(ledger.Object{Type: "hap_cluster_request", UID: uid})
	}
	if !slices.ContainsFunc(api.Tenants(live), stays) {
		family.ReportProtected(r.Diags, ", and this plan withdraws all requests that hold it, with which it goes", "Cluster "+of.String())
	}
}

// PlanDestroy refuses to destroy a Cluster that is protected, or that requests hold, and says what goes with it. One that the same plan
// makes at another address is not to lose its protection for that.
func (r *clusterResource) PlanDestroy(ctx context.Context, state kept) {
	switch {
	case r.Diags.HasError():
	case state.Model.Protection.ValueBool():
		if !r.Backend.Ledger.AwaitPlanned(ctx, r.Noted(state.Model)) {
			reportProtected(r.Diags, state.Model.Ref())
		}
	default:
		r.refuseHeld(ctx, r.Diags, state.Model, clusters.NotDeleted)
		r.planEnd(ctx, r.guarded(state.Model))
	}
}

// refuseProfile refuses to replace a Cluster by one of another profile that is not published: it would never become ready. What cannot be
// seen is no hindrance, nor a profile that this plan publishes.
func (r *clusterResource) refuseProfile(ctx context.Context, plan, state clusterModel) {
	var said diag.Diagnostics
	if plan.Profile.Equal(state.Profile) || r.warnProfile(ctx, &said, plan) != nil || len(said) == 0 ||
		r.Backend.Ledger.AwaitPlanned(ctx, configOf(plan.Profile)) {
		return
	}
	r.Diags.AddAttributeError(path.Root("profile"), diagnose.SummaryNoProfile, fmt.Sprintf("%s\n\nNothing was planned: the plan would "+
		"destroy Cluster %s for one that never becomes ready. Where the profile is about to be published, plan again when it is.",
		said[0].Detail(), state.Ref()))
}

// configOf is the ProviderConfig that a profile comes from: <environment>.<provider>.<name>.
func configOf(profile types.String) ledger.Object {
	name := profile.ValueString()
	return ledger.Object{Type: "hap_gardener_provider_config", ID: name[strings.LastIndex(name, ".")+1:]}
}

// warnProfile says that no ClusterProfile has the name of the profile, unless this plan makes what publishes it.
//
// Errors: those of [configs.Profiles.Names].
func (r *clusterResource) warnProfile(ctx context.Context, diags *diag.Diagnostics, plan clusterModel) error {
	if plan.Profile.IsUnknown() || r.Backend.Ledger.Planned(configOf(plan.Profile)) {
		return nil
	}
	platform, err := r.Backend.Platform.API()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	unknown, err := unknownProfile(ctx, platform, plan.Profile.ValueString())
	if unknown != "" {
		diags.AddAttributeWarning(path.Root("profile"), diagnose.SummaryNoProfile,
			unknown+" Correct profile, unless it is about to be published.")
	}
	return err
}

// planVersion says that a Cluster does not get the version of Kubernetes that is wanted.
//
// Errors: those of [kube.Group.List].
func (r *clusterResource) planVersion(ctx context.Context, plan clusterModel) error {
	wanted, profile := plan.Version.ValueString(), plan.Profile.ValueString()
	if wanted == "" || profile == "" { // or not known yet
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	config, err := r.API.Profiles.ConfigBehind(ctx, profile)
	if err != nil || config == nil {
		return err
	}
	if facts, ok := configs.FactsOf(config.Spec.ShootTemplate); ok {
		if other := facts.OtherVersion(wanted); other != "" {
			family.WarnUndelivered(r.Diags, versionPath, profile, wanted, other)
		}
	}
	return nil
}

// versionPath is the attribute with the version of Kubernetes that is wanted.
var versionPath = path.Root("kubernetes_version")

// warnOverwritten says that requests wait for whose Cluster the operator takes this one by its name. Without the right to list
// requests there is no warning.
func (r *clusterResource) warnOverwritten(ctx context.Context, plan clusterModel) {
	if !tfvalue.Known(plan.Name, plan.Namespace, plan.Purposes) || r.Backend.Platform.Builtin() ||
		slices.Contains(textsOf(plan.Purposes.Elements()), plan.Name.ValueString()) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	if uses, err := r.API.Requests.PendingFor(ctx, plan.Namespace.ValueString(), plan.Name.ValueString()); err == nil {
		warnName(r.Diags, plan, uses)
	}
}

// another reports whether a plan makes another Cluster. What is not known yet does not: it may turn out to be the same.
func (m clusterModel) another(state clusterModel) bool {
	differs := func(planned, now types.String) bool { return !planned.IsUnknown() && !planned.Equal(now) }
	return differs(m.Namespace, state.Namespace) || differs(m.Name, state.Name) || differs(m.Profile, state.Profile)
}

// sameName reports whether what takes the place of a Cluster has its name.
func (m clusterModel) sameName(state clusterModel) bool {
	return m.Namespace.Equal(state.Namespace) && m.Name.Equal(state.Name)
}

// update plans an existing Cluster: an apply waits where its spec changes, or where it is not ready. Labels and annotations change
// nothing of what it has.
func (m *clusterModel) update(state clusterModel) {
	m.computed = state.computed
	waits := m.WaitFor.ValueString() != waitCreated && !state.Ready.ValueBool() // it may turn out to be ready
	if waits || !m.specifies(state) {
		m.computed = state.awaiting(!m.Version.Equal(state.Version))
	}
}

// look reads the Cluster by its UID for a plan; nil = it is gone, or where there is an error it cannot be seen now, and the apply reads it
// before it writes.
//
// Errors: those of [connection.Platform.API] and of the read.
func (r *clusterResource) look(ctx context.Context, of api.Ref, uid string) (*openmcp.Platform, *api.Cluster, error) {
	platform, err := r.Backend.Platform.API()
	if err != nil {
		return nil, nil, err
	}
	live, err := platform.Objects.Clusters.Read(ctx, of)
	switch {
	case api.IsGone(err):
		return platform, nil, nil
	case err != nil:
		return platform, nil, err
	case string(live.UID) != uid:
		return platform, nil, nil
	}
	return platform, live, nil
}

// refuseHeld refuses to take a Cluster away that requests hold which this plan does not withdraw.
func (r *clusterResource) refuseHeld(ctx context.Context, diags *diag.Diagnostics, state clusterModel, what string) {
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	platform, live, _ := r.look(ctx, state.Ref(), state.ObjectUID())
	if live == nil || len(api.Tenants(live)) == 0 {
		return
	}
	request := func(uid string) ledger.Object { return ledger.Object{Type: "hap_cluster_request", UID: uid} }
	var tenants []ledger.Object
	for _, uid := range api.Tenants(live) {
		tenants = append(tenants, request(uid))
	}
	all, sure := r.Backend.Ledger.AwaitDestroyed(ctx, tenants...)
	if all {
		return
	}
	held := platform.Clusters.HoldersOf(ctx, live, what, func(uid string) bool { return r.Backend.Ledger.Destroyed(request(uid)) })
	switch {
	case held == nil:
	case sure:
		diagnose.Report(diags, r.Attempt("Planning the end of", state), held)
	default:
		f := diagnose.Explain(held)
		diags.AddWarning(f.Summary, fmt.Sprintf("%s. As it looks now the apply will fail.\n\n%s", f.Brief, f.Remedy))
	}
}

// refuseChange refuses to take from requests what they hold the Cluster for.
func (r *clusterResource) refuseChange(ctx context.Context, diags *diag.Diagnostics, plan, state clusterModel) {
	if plan.specifies(state) || !tfvalue.Known(plan.Purposes, plan.Tenancy) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	platform, live, _ := r.look(ctx, state.Ref(), state.ObjectUID())
	if live == nil {
		return
	}
	if held := platform.Clusters.Refusal(ctx, live, plan.wanted(), state.wanted()); held != nil {
		diagnose.Report(diags, r.Attempt("Planning a change of", state), held)
	}
}
