package clusterprofile

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var (
	namePath       = path.Root("name")
	templatePath   = path.Root("shoot_template")
	accountPath    = path.Root("credentials_binding_name")
	extensionsPath = path.Root("enforced_shoot_extensions")
)

// ValidateConfig checks what needs no server; unknown values pass.
func (r *configResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config configModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	attempt := "Reading ProviderConfig " + config.Name.ValueString()
	if !config.Extensions.IsUnknown() && !config.Extensions.IsNull() {
		if _, err := shoots.ReadExtensions(config.Extensions.ValueString()); err != nil {
			reportText(&resp.Diagnostics, extensionsPath, attempt, err)
		}
	}
	if config.ShootTemplate.IsUnknown() || config.ShootTemplate.IsNull() {
		return
	}
	template, err := shoots.ReadTemplate(config.ShootTemplate.ValueString())
	if err != nil {
		reportText(&resp.Diagnostics, templatePath, attempt, err)
		return
	}
	diagnose.CheckShootAccount(&resp.Diagnostics, templatePath, accountPath, template, config.CredentialsBindingName)
}

// ModifyPlan says the profile's name, looks whether the account takes clusters, and refuses to move clusters that live.
func (r *configResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.backend == nil {
		return
	}
	var plan, state configModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		switch {
		case r.backend.EndObject(state.UID.ValueString()) || r.backend.AdoptedObject(state.UID.ValueString()):
			diagnose.ReportKept(&resp.Diagnostics, "ProviderConfig", state.Name.ValueString(), state.UID.ValueString())
		case r.backend.OpenMCP.Leave("ProviderConfig", state.ref()):
			diagnose.ReportRenamed(&resp.Diagnostics, "ProviderConfig", state.Name.ValueString())
		}
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.profiled()
	if plan.Name.IsUnknown() {
		plan.ID = types.StringUnknown()
	} else if req.State.Raw.IsNull() {
		plan.ID = plan.Name
	}
	r.checkField(&resp.Diagnostics, plan)
	r.warnProject(&resp.Diagnostics, plan)
	look := look{resource: r, diags: &resp.Diagnostics}
	switch {
	case resp.Diagnostics.HasError():
	case req.State.Raw.IsNull():
		look.create(ctx, plan)
	case r.backend.KeepObject(state.UID.ValueString()):
		diagnose.ReportKept(&resp.Diagnostics, "ProviderConfig", state.Name.ValueString(), state.UID.ValueString())
	default:
		look.update(ctx, at, &plan, state, resp)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// noSecretBinding is the first minor version of Kubernetes 1 for which Gardener takes no secretBindingName.
const noSecretBinding = 34

// checkField checks that a Shoot can name an account of this pool.
func (r *configResource) checkField(diags *diag.Diagnostics, m configModel) {
	if m.CredentialsBindingName.IsNull() || m.ShootTemplate.IsUnknown() {
		return
	}
	switch template, err := shoots.ReadTemplate(m.ShootTemplate.ValueString()); {
	case err != nil: // told at validation
	case r.backend.Kind == garden.Secret:
		diags.AddAttributeError(accountPath, diagnose.SummaryNoHost, "The accounts of this pool are Secrets (pool.kind), and a Shoot names a "+
			"binding. Use a provider block with pool.kind = \"CredentialsBinding\" or \"SecretBinding\" for clusters.")
	case r.backend.Kind == garden.SecretBinding && minorOf(template.KubernetesVersion()) >= noSecretBinding:
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
	p, err := r.backend.Selecting()
	if err != nil { // told where the account is looked at
		return
	}
	project, ok := strings.CutPrefix(p.Namespace(), openmcp.ProjectPrefix)
	if ok && project != m.Project.ValueString() {
		diags.AddAttributeWarning(path.Root("project"), diagnose.SummaryConfigProject, fmt.Sprintf("The clusters come to project %s, and the "+
			"account is looked at in namespace %s, which is usually that of project %s. A binding of the same name in another project is another "+
			"account, and no claim guards it there. Set project to the one whose accounts are claimed, or lead the provider block to the other "+
			"namespace.", m.Project.ValueString(), p.Namespace(), project))
	}
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

// look is what a plan looks at, and where it tells what it sees.
type look struct {
	resource *configResource
	diags    *diag.Diagnostics
}

// create looks at what an apply would meet.
func (l look) create(ctx context.Context, plan configModel) {
	if !plan.Name.IsUnknown() {
		if !l.resource.backend.OpenMCP.Declare("ProviderConfig", plan.ref()) {
			reportTwice(l.diags, plan)
			return
		}
		if l.resource.backend.OpenMCP.Leaves("ProviderConfig", plan.ref()) {
			diagnose.ReportRenamed(l.diags, "ProviderConfig", plan.Name.ValueString())
			return
		}
	}
	if !l.resource.backend.OpenMCP.Later() {
		if _, err := l.resource.backend.OpenMCP.API(); err != nil {
			diagnose.Report(l.diags, l.resource.attempt("Planning", plan), err)
			return
		}
	}
	if l.returns(ctx, plan); !l.diags.HasError() {
		l.account(ctx, plan)
	}
}

// returns refuses to plan a ProviderConfig again that was deleted under its Clusters, where it would move them. What cannot be looked at
// is not told: the apply looks.
func (l look) returns(ctx context.Context, plan configModel) {
	if !tfvalue.Known(plan.Name, plan.ProviderRef, plan.Project, plan.CredentialsBindingName) || l.resource.backend.OpenMCP.Later() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	err := l.resource.mayReturn(ctx, plan, (*openmcp.Platform).RecentClusters)
	if ctx.Err() == nil && errors.As(err, new(*openmcp.StandingError)) {
		report(l.diags, l.resource.attempt("Planning", plan), err)
	}
}

// account looks whether the account takes clusters. A refusal is an error already, what went wrong on the way a warning.
func (l look) account(ctx context.Context, plan configModel) {
	if !tfvalue.Known(plan.CredentialsBindingName, plan.GlobalAccount) {
		return
	}
	attempt, claim := l.resource.attempt("Planning", plan), l.resource.backend.Coming(plan.CredentialsBindingName.ValueString())
	err := l.resource.backend.Try(func() error {
		ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
		defer cancel()
		return l.resource.mayHost(ctx, plan, claim)
	})
	switch {
	case claim != nil && errors.As(err, new(*pool.NotFoundError)): // this run makes the account before it is claimed
	case backend.RefusesShoot(err):
		diagnose.ReportAt(l.diags, accountPath, attempt, err)
	case backend.WillFail(err):
		f := diagnose.Explain(err)
		l.diags.AddWarning(diagnose.SummaryPoolUnchecked, fmt.Sprintf("%s: %s. As it looks now the apply will fail.\n\n%s", attempt, f.Brief,
			f.Remedy))
	}
}

// update plans a ProviderConfig that stands. What would move clusters makes another, where there are none.
func (l look) update(ctx context.Context, at place, plan *configModel, state configModel, resp *resource.ModifyPlanResponse) {
	another := !plan.Name.Equal(state.Name) || !plan.ProviderRef.Equal(state.ProviderRef)
	moved, rebound := plan.moved(state), at.rebound(*plan, l.resource.backend.Kind)
	plan.asWritten(state)
	sends := !plan.sendsAs(state) || rebound || len(at.Drift) > 0
	if len(at.Drift) > 0 {
		warnDrift(l.diags, state, at.Drift)
	}
	if !another && len(moved) == 0 && !rebound {
		plan.inPlace(state, sends)
		return
	}
	err := l.unused(ctx, at, *plan, state, another)
	switch {
	case err == nil:
		if len(moved) == 0 && !another { // the field of the account alone
			plan.inPlace(state, sends)
		}
		resp.RequiresReplace.Append(moved...)
		l.account(ctx, *plan)
	case !another && !rebound && !plan.movedKnown(state) && errors.As(err, new(*openmcp.UsedError)):
		// What is not known yet may turn out to be the same: the plan of the apply refuses it where it does not.
		plan.inPlace(state, sends)
	case len(moved) == 1:
		reportText(l.diags, moved[0], l.resource.attempt("Planning a change of", state), err)
	case len(moved) == 0 && !another:
		reportText(l.diags, accountPath, l.resource.attempt("Planning a change of", state), err)
	default:
		diagnose.Report(l.diags, l.resource.attempt("Planning a change of", state), err)
	}
}

// inPlace plans what a cluster provider says of a ProviderConfig: it may say something else where anything is sent.
func (m *configModel) inPlace(state configModel, sends bool) {
	m.Phase, m.Conditions = state.Phase, state.Conditions
	if sends {
		m.Phase, m.Conditions = types.StringUnknown(), types.MapUnknown(types.StringType)
	}
}

// homes are the attributes that say where clusters come to be, each as it is planned and as it stands.
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
func (m configModel) home(now openmcp.Home, kind garden.Kind) openmcp.Home {
	home := openmcp.Home{Bindings: m.bindings(kind), Project: m.Project.ValueString(), Landscape: m.LandscapeRef.ValueString()}
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
	if l.resource.backend.OpenMCP.Later() {
		return nil // the apply looks before it deletes
	}
	kind := l.resource.backend.Kind
	now := openmcp.Home{Bindings: state.bindings(kind), Project: state.Project.ValueString(), Landscape: state.LandscapeRef.ValueString()}
	if at.Bindings != nil {
		now.Bindings = *at.Bindings
	}
	what := now.Moves(plan.home(now, kind))
	if another {
		what = "it cannot be replaced by another"
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	api, err := l.resource.backend.OpenMCP.API()
	if err == nil {
		err = api.Unused(ctx, state.ProviderRef.ValueString(), state.Name.ValueString(), what)
	}
	return err
}
