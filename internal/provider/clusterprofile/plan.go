package clusterprofile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var (
	templatePath   = path.Root("shoot_template")
	accountPath    = path.Root("credentials_binding_name")
	extensionsPath = path.Root("enforced_shoot_extensions")
)

// Validate checks what needs no server; unknown values pass.
func (r *configResource) Validate(config configModel) {
	attempt := "Reading ProviderConfig " + tfvalue.Name(config.Name)
	if !config.Extensions.IsUnknown() && !config.Extensions.IsNull() {
		if _, err := shoots.ReadExtensions(config.Extensions.ValueString()); err != nil {
			reportText(r.Diags, extensionsPath, attempt, err)
		}
	}
	if config.ShootTemplate.IsUnknown() || config.ShootTemplate.IsNull() {
		return
	}
	template, err := shoots.ReadTemplate(config.ShootTemplate.ValueString())
	if err != nil {
		reportText(r.Diags, templatePath, attempt, err)
		return
	}
	diagnose.CheckShootAccount(r.Diags, templatePath, accountPath, template, config.CredentialsBindingName)
	checkTraits(r.Diags, template, config.Traits)
}

// named says the profile's name, and checks what needs no server; false = there is an error.
func (r *configResource) named(plan *configModel) bool {
	plan.profiled()
	r.checkField(r.Diags, *plan)
	r.warnProject(r.Diags, *plan)
	return !r.Diags.HasError()
}

// soon notes the profile that a plan has published, for the requests of the plan: with what its clusters have, as far as that is known.
func (r *configResource) soon(plan configModel) {
	var profile adr.Profile
	defer func() { r.Backend.Ledger.PlanProfile(profile) }()
	if !tfvalue.Known(plan.ProfileName, plan.ShootTemplate) {
		return
	}
	template, err := shoots.ReadTemplate(plan.ShootTemplate.ValueString())
	if err != nil { // reported at validation
		return
	}
	content, err := json.Marshal(template.Object("", ""))
	if facts, ok := configs.FactsOf(content); err == nil && ok && tfvalue.Known(plan.Traits) {
		facts.Own = tfvalue.SetTexts(plan.Traits)
		profile = adr.Profile{Name: plan.ProfileName.ValueString(), Provider: plan.ProviderRef.ValueString(), Traits: facts.Traits()}
		if facts.Version != "" {
			profile.Versions = []adr.Version{{Version: facts.Version}}
		}
	}
}

// PlanCreate plans a new ProviderConfig, and looks whether the account takes clusters.
func (r *configResource) PlanCreate(ctx context.Context, plan, _ configModel, _ place) configModel {
	if plan.ID = plan.Name; r.named(&plan) {
		r.soon(plan)
		look{resource: r, diags: r.Diags}.create(ctx, plan)
	}
	return plan
}

// PlanUpdate plans a change of a ProviderConfig, and refuses to move clusters that live.
func (r *configResource) PlanUpdate(ctx context.Context, plan, _ configModel, of kept) (_ configModel, by path.Paths) {
	state := of.Model
	if plan.Name.IsUnknown() {
		plan.ID = types.StringUnknown()
	}
	renamed, named := !plan.Name.Equal(state.Name), r.named(&plan)
	if !r.Same || state.Phase.ValueString() != api.Ready { // its profile may be published, or change, in this run
		r.soon(plan)
		r.Backend.Ledger.NoteChange(kind.Type)
	}
	if !named || renamed && r.Clash(r.Backend.Ledger.Destroy(r.Noted(state), false), state) {
		return plan, nil
	}
	by = look{resource: r, diags: r.Diags}.update(ctx, of.Place, &plan, state)
	switch {
	case renamed: // it was noted before
	case len(by) > 0 || !plan.ProviderRef.Equal(state.ProviderRef):
		r.Clash(r.Backend.Ledger.Destroy(r.Noted(state), true), state)
	default:
		r.Clash(r.Backend.Ledger.Retain(r.Noted(state)), state)
	}
	return plan, by
}

// noSecretBinding is the first minor version of Kubernetes 1 for which Gardener takes no secretBindingName.
const noSecretBinding = 34

// checkField checks that a Shoot can name an account of this pool.
func (r *configResource) checkField(diags *diag.Diagnostics, m configModel) {
	if m.CredentialsBindingName.IsNull() || m.ShootTemplate.IsUnknown() {
		return
	}
	switch template, err := shoots.ReadTemplate(m.ShootTemplate.ValueString()); {
	case err != nil: // reported at validation
	case r.Backend.Settings.Kind == garden.Secret:
		diags.AddAttributeError(accountPath, diagnose.SummaryNoHost, "The accounts of this pool are Secrets (pool.kind), and a Shoot names a "+
			"binding. Use a provider block with pool.kind = \"CredentialsBinding\" or \"SecretBinding\" for clusters.")
	case r.Backend.Settings.Kind == garden.SecretBinding && minorOf(template.KubernetesVersion()) >= noSecretBinding:
		diags.AddAttributeError(templatePath, diagnose.SummaryShootAccount, fmt.Sprintf("The accounts of this pool are SecretBindings "+
			"(pool.kind), and the template asks for Kubernetes %s: from 1.%d on Gardener takes no secretBindingName. Use accounts that are "+
			"CredentialsBindings, or an older version.", template.KubernetesVersion(), noSecretBinding))
	}
}

// warnProject says that the account is looked at in another project than that which the clusters come to.
func (r *configResource) warnProject(diags *diag.Diagnostics, m configModel) {
	if m.CredentialsBindingName.IsNull() || m.Project.IsUnknown() {
		return
	}
	p, err := r.Backend.Garden.Selecting()
	if err != nil { // reported where the account is read
		return
	}
	if (configs.Home{Project: m.Project.ValueString()}).MayHold(p.Namespace()) {
		return
	}
	diags.AddAttributeWarning(path.Root("project"), diagnose.SummaryConfigProject, fmt.Sprintf("The clusters come to project %s, and the "+
		"account is looked at in namespace %s, which is usually another project's. A binding of the same name in another project is another "+
		"account, and no claim guards it there. Set project to the one whose accounts are claimed, or lead the provider block to the other "+
		"namespace.", m.Project.ValueString(), p.Namespace()))
}

// minorOf is the minor version of a version of Kubernetes 1; 0 where it says none.
func minorOf(version string) int {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) < 2 || parts[0] != "1" { //nolint:mnd // major and minor
		return 0
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0
	}
	return minor
}

// look is what a plan reads, and where it reports what it finds.
type look struct {
	resource *configResource
	diags    *diag.Diagnostics
}

// create looks at what an apply would meet.
func (l look) create(ctx context.Context, plan configModel) {
	if !plan.Name.IsUnknown() && l.resource.Clash(l.resource.Backend.Ledger.Plan(l.resource.Noted(plan), l.resource.Anew), plan) {
		return
	}
	if !l.resource.Later() {
		if err := l.resource.Connect(); err != nil {
			diagnose.ReportUnlooked(l.diags, l.resource.Backend, kind.Type, l.resource.Attempt(family.Planning, plan), err)
			if l.diags.HasError() {
				return
			}
		}
	}
	l.warnUnnamed(plan)
	coming := false
	if l.returns(ctx, plan); !l.diags.HasError() {
		coming = l.account(ctx, plan)
	}
	attempt := l.resource.Attempt(family.Planning, plan)
	if l.resource.newer(ctx, l.diags, attempt, diagnose.AskedByApply, plan) && !coming && !l.diags.HasError() {
		l.resource.refused(ctx, l.diags, attempt, plan, nil, pastDestroy)
	}
}

// returns refuses to plan a ProviderConfig again that was deleted under its Clusters, where it would move them. What cannot be looked at
// is a warning: the apply looks.
func (l look) returns(ctx context.Context, plan configModel) {
	if !tfvalue.Known(plan.Name, plan.ProviderRef, plan.Project, plan.CredentialsBindingName) || l.resource.Backend.Platform.Later() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	var standing error
	err := l.resource.Backend.Previews.Try(ctx, connection.AskedPlatform, func(ctx context.Context) error {
		err := l.resource.mayReturn(ctx, plan, (*api.ClusterKind).Recent)
		if errors.As(err, new(*configs.StandingError)) {
			standing, err = err, nil
		}
		return err
	})
	attempt := l.resource.Attempt(family.Planning, plan)
	if errors.As(err, new(*kube.Error)) && !errors.As(err, new(*api.ServerError)) { // of the Garden, where the Shoots are
		diagnose.ReportPoolUnlooked(l.diags, l.resource.Backend, kind.Type, attempt, err)
	}
	diagnose.ReportPlatformUnreachable(l.diags, l.resource.Backend, kind.Type, attempt, err)
	if ctx.Err() == nil && standing != nil {
		l.resource.Report(family.Planning, plan, standing)
	}
}

// account looks whether the account takes clusters. A refusal is an error already, what went wrong on the way a warning. It returns whether
// this run makes the account before it is claimed: Gardener does not know it yet.
func (l look) account(ctx context.Context, plan configModel) (coming bool) {
	if !tfvalue.Known(plan.CredentialsBindingName, plan.GlobalAccount) {
		return false
	}
	attempt := l.resource.Attempt(family.Planning, plan)
	claim := l.resource.Backend.Ledger.PlannedClaim(plan.CredentialsBindingName.ValueString())
	err := l.resource.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error {
		return l.resource.mayHost(ctx, plan, claim)
	})
	switch {
	case claim != nil && errors.As(err, new(*account.NotFoundError)):
		return true
	case connection.RefusesShoot(err):
		diagnose.ReportAt(l.diags, accountPath, attempt, err)
	default:
		diagnose.ReportPoolUnlooked(l.diags, l.resource.Backend, kind.Type, attempt, err)
	}
	return false
}

// warnUnnamed says that clusters of no named Global Account come to an account that is not known yet.
func (l look) warnUnnamed(plan configModel) {
	if plan.GlobalAccount.IsNull() && plan.CredentialsBindingName.IsUnknown() {
		l.diags.AddAttributeWarning(tenantPath, diagnose.SummaryNoTenant, fmt.Sprintf("The clusters of ProviderConfig %s "+
			"come to an account that "+
			"is not known yet, and global_account is not set. Where the account is dedicated the apply refuses to make it. Set it to "+
			"global_account of the claim.", tfvalue.Name(plan.Name)))
	}
}

// stays looks whether a profile may keep its account: what is written again is refused where it may not, and otherwise it is a warning.
func (l look) stays(ctx context.Context, plan, state configModel, sends bool) {
	plan.UID = state.UID
	if !sends || plan.CredentialsBindingName.ValueString() == "" || plan.GlobalAccount.IsUnknown() {
		l.resource.compare(ctx, l.diags, plan, true)
		return
	}
	err := l.resource.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error {
		return l.resource.mayWrite(ctx, plan, false)
	})
	attempt := l.resource.Attempt("Planning a change of", state)
	if connection.RefusesShoot(err) {
		diagnose.ReportAt(l.diags, accountPath, attempt, err)
		return
	}
	diagnose.ReportPoolUnlooked(l.diags, l.resource.Backend, kind.Type, attempt, err)
}

// update plans an existing ProviderConfig. What would move clusters makes another, where there are none.
func (l look) update(ctx context.Context, at place, plan *configModel, state configModel) (by path.Paths) {
	another := !plan.Name.Equal(state.Name) || !plan.ProviderRef.Equal(state.ProviderRef)
	moved, rebound := plan.moved(state), at.rebound(*plan, l.resource.Backend.Settings.Kind)
	plan.asWritten(state)
	specifies := at.respecifies(*plan, state, l.resource.Backend.Settings.Kind)
	sends := specifies || !plan.describesAs(state)
	if len(at.Drift) > 0 {
		warnDrift(l.diags, state, at.Drift)
	}
	attempt := l.resource.Attempt("Planning a change of", state)
	if sends && l.resource.newer(ctx, l.diags, attempt, diagnose.AskedByApply, *plan) {
		l.refusesChange(ctx, attempt, *plan, state)
	}
	if !another && len(moved) == 0 && !rebound {
		plan.inPlace(state, specifies || at.awaits(*plan))
		l.stays(ctx, *plan, state, sends)
		return nil
	}
	err := l.unused(ctx, at, *plan, state, another)
	switch {
	case err == nil:
		if len(moved) == 0 && !another { // the field of the account alone
			plan.inPlace(state, specifies)
		}
		by = moved
		l.account(ctx, *plan)
	case !another && !rebound && !plan.movedKnown(state) && errors.As(err, new(*configs.UsedError)):
		// What is not known yet may turn out to be the same: the plan of the apply refuses it where it does not.
		plan.inPlace(state, specifies)
	default:
		l.reportMoved(moved, another, attempt, err)
	}
	return by
}

// refusesChange has Gardener check a template that changes. It may not know an account yet that this run claims.
func (l look) refusesChange(ctx context.Context, attempt string, plan, state configModel) {
	if !plan.specifiesAs(state) && l.resource.Backend.Ledger.PlannedClaim(plan.CredentialsBindingName.ValueString()) == nil {
		l.resource.refused(ctx, l.diags, attempt, plan, &state, pastDestroy)
	}
}

// pastDestroy is added to a refusal by Gardener, which stops a destroy as well.
const pastDestroy = " Where this error stops a destroy of other things, run destroy with -refresh=false, which plans nothing else."

// inPlace plans what a cluster provider says of a ProviderConfig: it may say something else of another spec.
func (m *configModel) inPlace(state configModel, specifies bool) {
	m.Phase, m.Conditions = state.Phase, state.Conditions
	if specifies {
		m.Phase, m.Conditions = types.StringUnknown(), types.MapUnknown(types.StringType)
	}
}

// homes are the attributes that say where clusters come to be, each as it is planned and as it is now.
func (m configModel) homes(state configModel) map[string][2]types.String {
	return map[string][2]types.String{
		"credentials_binding_name": {m.CredentialsBindingName, state.CredentialsBindingName},
		"project":                  {m.Project, state.Project},
		"landscape_ref":            {m.LandscapeRef, state.LandscapeRef},
	}
}

// moved are the attributes that say where clusters come to be, and that differ, or may, because they are not known yet.
func (m configModel) moved(state configModel) (moved path.Paths) {
	for name, home := range m.homes(state) {
		if !home[0].Equal(home[1]) {
			moved.Append(path.Root(name))
		}
	}
	return moved
}

// movedKnown reports whether it is known already that clusters would come to be elsewhere.
func (m configModel) movedKnown(state configModel) bool {
	for _, home := range m.homes(state) {
		if !home[0].IsUnknown() && !home[0].Equal(home[1]) {
			return true
		}
	}
	return false
}

// home is where the clusters of a plan come to be; what is not known yet is taken to stay as it is.
func (m configModel) home(now configs.Home, kind garden.Kind) configs.Home {
	home := configs.Home{Bindings: m.bindings(kind), Project: m.Project.ValueString(), Landscape: m.LandscapeRef.ValueString()}
	if m.CredentialsBindingName.IsUnknown() {
		home.Bindings = now.Bindings
	}
	if m.Project.IsUnknown() {
		home.Project = now.Project
	}
	if m.LandscapeRef.IsUnknown() {
		home.Landscape = now.Landscape
	}
	return home
}

// unused returns an error where Clusters use the profile that a plan is about to move or take away.
func (l look) unused(ctx context.Context, at place, plan, state configModel, another bool) error {
	if l.resource.Backend.Platform.Later() {
		return nil // the apply looks before it deletes
	}
	kind := l.resource.Backend.Settings.Kind
	now := configs.Home{Bindings: state.bindings(kind), Project: state.Project.ValueString(), Landscape: state.LandscapeRef.ValueString()}
	if at.Bindings != nil {
		now.Bindings = *at.Bindings
	}
	what := now.Moves(plan.home(now, kind))
	if another {
		what = "it cannot be replaced by another"
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	err := l.resource.Connect()
	if err == nil {
		err = l.resource.API.Profiles.Unused(ctx, state.ProviderRef.ValueString(), state.Name.ValueString(), what)
	}
	return err
}
