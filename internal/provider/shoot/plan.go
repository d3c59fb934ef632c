package shoot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var (
	namePath     = path.Root("name")
	templatePath = path.Root("template")
	accountPath  = path.Root("credentials_binding_name")
)

// ValidateConfig checks what needs no server; unknown values pass.
func (r *shootResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config shootModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Template.IsUnknown() || config.Template.IsNull() {
		return
	}
	w, err := config.wanted(garden.CredentialsBinding)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, fmt.Sprintf("Reading the template of cluster %s", config.Name.ValueString()), err)
		return
	}
	diagnose.CheckShootAccount(&resp.Diagnostics, templatePath, accountPath, w.Template, config.CredentialsBindingName)
}

// ModifyPlan has Gardener check what an apply would send, and looks whether the account takes the cluster.
func (r *shootResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.backend == nil {
		return
	}
	var plan, state shootModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		if state.DeletionProtection.ValueBool() {
			reportProtected(&resp.Diagnostics, state.Name)
		}
		if r.backend.EndObject(state.UID.ValueString()) {
			reportKept(&resp.Diagnostics, state)
		}
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	at, kept := placeOf(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.Kind == garden.Secret {
		resp.Diagnostics.AddAttributeError(accountPath, diagnose.SummaryNoHost, "The accounts of this pool are Secrets (pool.kind), and a Shoot "+
			"names a binding. Use a provider block with pool.kind = \"CredentialsBinding\" or \"SecretBinding\" for clusters.")
		return
	}
	look := look{resource: r, diags: &resp.Diagnostics}
	if req.State.Raw.IsNull() {
		if kept && at.Protected { // it replaces one that is protected
			reportProtected(&resp.Diagnostics, plan.Name)
			return
		}
		look.create(ctx, plan, kept)
		return
	}
	look.update(ctx, &plan, state, at, resp)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// create looks whether the cluster can be made; replaces = in the place of one that is destroyed before.
func (l look) create(ctx context.Context, plan shootModel, replaces bool) {
	if !plan.Name.IsUnknown() && !l.resource.backend.DeclareShoot(plan.Name.ValueString()) {
		l.diags.AddAttributeError(namePath, diagnose.SummaryShootTwice, fmt.Sprintf("Cluster %s stands twice in this configuration. Give each a "+
			"name of its own. If a resource was renamed, say so with a moved block.", plan.Name.ValueString()))
		return
	}
	if !plan.known() {
		return
	}
	w, err := plan.wanted(l.resource.backend.Kind)
	if err != nil {
		diagnose.Report(l.diags, "Reading the template of cluster "+plan.Name.ValueString(), err)
		return
	}
	attempt, coming := l.resource.backend.Attempt("Planning cluster %s", w.Name), false
	if !l.askPool(ctx, attempt, func(ctx context.Context) error {
		_, err := l.resource.mayHost(ctx, w, plan.GlobalAccount, false)
		if coming = errors.As(err, new(*pool.NotFoundError)) && l.resource.backend.Coming(w.Account) != nil; coming {
			return nil
		}
		return err
	}) || coming { // Gardener does not know the account before the run has made it
		return
	}
	l.askGardener(ctx, attempt, func(ctx context.Context) error {
		all, err := l.resource.backend.Shoots()
		if err == nil {
			err = all.Check(ctx, w)
		}
		if replaces && errors.As(err, new(*shoots.ExistsError)) {
			return nil
		}
		return err
	})
}

// update plans a cluster that lives.
func (l look) update(ctx context.Context, plan *shootModel, state shootModel, at place, resp *resource.ModifyPlanResponse) {
	if l.resource.backend.KeepObject(state.UID.ValueString()) {
		reportKept(l.diags, state)
		return
	}
	if put := at.Account; put != nil && *put != state.CredentialsBindingName.ValueString() &&
		tfvalue.Known(plan.CredentialsBindingName) && !plan.CredentialsBindingName.Equal(state.CredentialsBindingName) {
		l.diags.AddAttributeError(accountPath, diagnose.SummaryShootMoved, fmt.Sprintf("This configuration has put cluster %s on account %s, "+
			"and it is on account %q now: another party has moved it. Nothing was planned for it, and it is not replaced: only a change of the "+
			"configuration replaces a cluster. Have it moved back, where all that it has in the account is; or set credentials_binding_name to "+
			"the account where it is. %s", state.Name.ValueString(), *put, state.CredentialsBindingName.ValueString(), diagnose.PastPlan))
		return
	}
	if len(at.Drift) > 0 {
		l.diags.AddWarning(diagnose.SummaryShootDrift, fmt.Sprintf("Cluster %s is not as the state says; another party has changed it, or a run "+
			"of this configuration was cut short:\n  - %s\n\nThe apply makes it what the configuration says.",
			state.Name.ValueString(), strings.Join(at.Drift, "\n  - ")))
	}
	sends := !plan.sendsAs(state) || len(at.Drift) > 0
	fixed := immutable(*plan, state)
	if sends && len(fixed) == 0 && plan.known() {
		fixed = l.check(ctx, *plan, state, at)
	}
	if len(fixed) > 0 {
		l.replace(*plan, state, fixed, resp)
		return
	}
	if sends || !state.Ready.ValueBool() && plan.WaitFor.ValueString() == waitReady {
		plan.forget()
		if state.Ready.ValueBool() { // what is inside goes on being reached
			plan.AccessName = state.AccessName
		}
		return
	}
	plan.keep(state)
}

// fixedField is a field that a live cluster keeps.
type fixedField struct {
	at   path.Path
	told string
}

// immutable lists the attributes that make another cluster.
func immutable(plan, state shootModel) (fields []fixedField) {
	differs := func(now, before types.String) bool { return tfvalue.Known(now) && !now.Equal(before) }
	if differs(plan.Name, state.Name) {
		fields = append(fields, fixedField{namePath, fmt.Sprintf("name (%s, now %s)", plan.Name.ValueString(), state.Name.ValueString())})
	}
	if differs(plan.CredentialsBindingName, state.CredentialsBindingName) {
		fields = append(fields, fixedField{accountPath, fmt.Sprintf("credentials_binding_name (%q, and the cluster lives on %q)",
			plan.CredentialsBindingName.ValueString(), state.CredentialsBindingName.ValueString())})
	}
	return fields
}

// check has the server check a change, and returns what of it cannot be done in place.
func (l look) check(ctx context.Context, plan, state shootModel, at place) (fixed []fixedField) {
	attempt := l.resource.backend.Attempt("Planning a change of cluster %s", state.Name.ValueString())
	l.askGardener(ctx, attempt, func(ctx context.Context) error {
		w, err := plan.wanted(l.resource.backend.Kind)
		if err != nil {
			return err
		}
		all, err := l.resource.shootsOf(at)
		if err != nil {
			return err
		}
		now, err := l.resource.find(ctx, all.Read, at, state.Name.ValueString(), state.UID.ValueString())
		if err == nil {
			err = all.CheckChange(ctx, w, state.before(l.resource.backend.Kind, w), now)
		}
		if refused, ok := errors.AsType[*shoots.RefusedError](err); ok {
			fixed = plan.fixedBy(refused, state)
		}
		if len(fixed) > 0 {
			return nil
		}
		return err
	})
	return fixed
}

// fixedBy lists what a refusal says of the configuration's change that it is for another cluster: none where another party has made the
// difference, and none where a replacement would meet a refusal, too.
func (m shootModel) fixedBy(refused *shoots.RefusedError, state shootModel) (fixed []fixedField) {
	at, changed := m.changedAt(state)
	fields := refused.Immutable()
	if !changed || m.OnImmutableChange.ValueString() == immutableReplace && len(fields) < len(refused.Problems) {
		return nil
	}
	for _, field := range fields {
		fixed = append(fixed, fixedField{at, field})
	}
	return fixed
}

// changedAt returns the first attribute of what is sent that differs: a replacement is planned only for a path that does.
func (m shootModel) changedAt(state shootModel) (path.Path, bool) {
	switch {
	case !m.Template.Equal(state.Template):
		return templatePath, true
	case !m.Labels.Equal(state.Labels):
		return path.Root("labels"), true
	case !m.Annotations.Equal(state.Annotations):
		return path.Root("annotations"), true
	case !m.ClusterRef.Equal(state.ClusterRef):
		return path.Root("cluster_ref"), true
	}
	return path.Path{}, false
}

// replace plans another cluster in place of this one, where the configuration wants that; otherwise it refuses.
func (l look) replace(plan, state shootModel, fixed []fixedField, resp *resource.ModifyPlanResponse) {
	names := make([]string, len(fixed))
	for i, f := range fixed {
		names[i] = f.told
	}
	switch {
	case plan.OnImmutableChange.ValueString() != immutableReplace:
		l.diags.AddAttributeError(fixed[0].at, diagnose.SummaryShootImmutable, fmt.Sprintf("Cluster %s cannot change in: %s. Nothing was "+
			"planned for it. Take the change back; or set on_immutable_change = \"replace\", with deletion_protection = false applied before, "+
			"which destroys the cluster with all that runs in it and makes another one. %s", state.Name.ValueString(), strings.Join(names, ", "),
			diagnose.PastPlan))
	case state.DeletionProtection.ValueBool():
		reportProtected(l.diags, state.Name)
	default:
		for _, f := range fixed {
			resp.RequiresReplace.Append(f.at)
		}
	}
}
