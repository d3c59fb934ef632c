package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// ValidateConfig checks what needs no look at the pool; unknown values pass.
func (r *accountResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config accountModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	for _, key := range config.labelKeys() {
		at := labelsPath.AtMapKey(key)
		if err := garden.CheckLabelKey(key); err != nil {
			resp.Diagnostics.AddAttributeError(at, diagnose.SummaryBadLabelKey, fmt.Sprintf("%q cannot be the key of a label: %s.", key, err))
		}
		if garden.OfGardener(key) {
			resp.Diagnostics.AddAttributeError(at, diagnose.SummaryBadLabelKey, fmt.Sprintf("The label %s is Gardener's own.", key))
		}
		if value := config.labels()[key]; value != "" { // a label may be empty
			if err := pool.CheckLabelValue(value); err != nil {
				resp.Diagnostics.AddAttributeError(at, diagnose.SummaryInvalidLabel, fmt.Sprintf("%q cannot be the value of a label: %s.", value, err))
			}
		}
	}
	if config.Shared.ValueBool() && !config.Quarantine.IsNull() && !config.Quarantine.IsUnknown() {
		refusal := &pool.SupplyError{Account: config.Name.ValueString(), Part: pool.PartQuarantine, Obstacle: pool.ObstacleShared}
		diagnose.Report(&resp.Diagnostics, "Quarantining an account", refusal)
	}
}

// ModifyPlan looks at plan time already whether the account can be what the configuration says. Nothing of what it sees
// becomes a planned value, because Terraform plans twice.
func (r *accountResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	switch {
	case r.backend == nil:
		return
	case req.Plan.Raw.IsNull():
		r.planDestroy(ctx, req, resp)
		return
	}
	var plan, config accountModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	p, err := r.backend.Pool()
	if err != nil { // a setting that is unknown yet, or one that the refresh of any other object complains of
		p = nil
	}
	r.checkLabelKeys(&resp.Diagnostics, plan)
	warnUnruled(&resp.Diagnostics, plan, config.RuleSet)
	plan.CredentialsRef = config.CredentialsRef
	if plan.CredentialsRef, err = r.planRef(plan, p); err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Planning account %s", plan.Name.ValueString()), err)
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, credentialsPath, plan.CredentialsRef)...)
	if resp.Diagnostics.HasError() {
		return
	}
	look := look{pool: p, backend: r.backend, diags: &resp.Diagnostics}
	h := holderOf(ctx, req.Private, &resp.Diagnostics)
	if req.State.Raw.IsNull() {
		r.declareCredentials(&resp.Diagnostics, plan, true)
		look.create(ctx, plan, h)
		return
	}
	var state accountModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	changed := replaces(plan, state, h, r.backend.Kind)
	for _, c := range changed {
		resp.RequiresReplace.Append(c.at)
	}
	r.declareCredentials(&resp.Diagnostics, plan, len(changed) > 0)
	switch {
	case len(changed) > 0:
		look.replace(ctx, state, changed[0])
	case !req.Plan.Raw.Equal(req.State.Raw):
		look.amend(ctx, plan, state)
	}
}

// declareCredentials refuses credentials that another account of the configuration has, where one of the two is to be made.
func (r *accountResource) declareCredentials(diags *diag.Diagnostics, plan accountModel, made bool) {
	if r.backend.Kind == garden.Secret || !tfvalue.Known(plan.CredentialsRef, plan.Name) {
		return
	}
	name, ref := plan.Name.ValueString(), plan.ref()
	if other := r.backend.DeclareCredentials(name, ref, made); other != "" {
		diagnose.Report(diags, r.backend.Attempt("Planning account %s", name),
			&pool.SameCredentialsError{Account: name, Ref: ref, Others: []string{other}, Declared: true})
	}
}

// planDestroy warns where the account could not be taken out of the pool as it was last seen. What the same run destroys before may
// still clear the way, so it is no error.
func (r *accountResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state accountModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	p, _, err := r.poolOf(holderOf(ctx, req.Private, &resp.Diagnostics))
	if err != nil { // the refresh or the destroy complains of it
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	err = r.backend.Try(func() error { return p.MayRemove(ctx, state.removeRequest(r.backend.Grace)) })
	if !backend.RefusesAccount(err) {
		return
	}
	f := diagnose.Explain(err)
	resp.Diagnostics.AddWarning(diagnose.SummaryNotRemovable, fmt.Sprintf("%s. While that stands the destroy of account %s is refused, and "+
		"the account stays in the pool; what the same run destroys before may end it.\n\n%s", f.Brief, state.Name.ValueString(), f.Remedy))
}

// planRef plans the reference to the credentials as configured, with what it leaves out as far as that is known.
func (r *accountResource) planRef(m accountModel, p *pool.Pool) (types.Object, error) {
	unknown := m.CredentialsRef.IsUnknown() || slices.Contains(r.backend.Unknown, "pool") || slices.Contains(r.backend.Unknown, "pool.kind")
	var ref refModel
	if unknown || m.CredentialsRef.IsNull() && (p == nil || m.Name.IsUnknown()) && r.backend.Kind == garden.Secret {
		return types.ObjectUnknown(refTypes), nil
	}
	if !m.CredentialsRef.IsNull() {
		_ = m.CredentialsRef.As(context.Background(), &ref, basetypes.ObjectAsOptions{})
		if p == nil && ref.Namespace.IsNull() {
			ref.Namespace = types.StringUnknown()
		}
		if r.backend.Kind == garden.Secret && ref.Name.IsNull() {
			ref.Name = m.Name
		}
		if !tfvalue.Known(ref.Kind, ref.Namespace, ref.Name, m.Name) {
			return ref.partly(p), nil
		}
	}
	m, err := r.settled(m, p)
	return m.CredentialsRef, err
}

// partly is a reference of which something is unknown yet.
func (ref refModel) partly(p *pool.Pool) types.Object {
	if ref.Kind.IsNull() {
		ref.Kind = types.StringValue(garden.CredentialsKinds()[0])
	}
	if ref.Namespace.IsNull() {
		ref.Namespace = types.StringValue(p.Namespace())
	}
	return types.ObjectValueMust(refTypes, map[string]attr.Value{"kind": ref.Kind, "namespace": ref.Namespace, "name": ref.Name})
}

// settled fills in what the reference to the credentials leaves out. A pool without a connection is only needed where the
// namespace is left out.
func (r *accountResource) settled(m accountModel, p *pool.Pool) (accountModel, error) {
	var given *pool.CredentialsRef
	if !m.CredentialsRef.IsNull() && !m.CredentialsRef.IsUnknown() {
		ref := m.ref()
		given = &ref
	}
	namespace := ""
	if p != nil {
		namespace = p.Namespace()
	}
	full, err := r.backend.Kind.CredentialsRef(namespace, m.Name.ValueString(), given)
	if err != nil {
		return m, err
	}
	m.CredentialsRef = refValue(full.Kind, full.Namespace, full.Name)
	return m, nil
}

// checkLabelKeys refuses further labels that are labels of the pool.
func (r *accountResource) checkLabelKeys(diags *diag.Diagnostics, m accountModel) {
	for _, key := range m.labelKeys() {
		if !r.backend.KeysUnknown && r.backend.Keys.Has(key) {
			diags.AddAttributeError(labelsPath.AtMapKey(key), diagnose.SummaryBadLabelKey, fmt.Sprintf(
				"The label %s says what the account is to the pool. Use the attribute that stands for it; the tenant and the mark dirty are "+
					"never written by a configuration.", key))
		}
	}
}

// warnUnruled says that no rule leads to the pool of the account.
func warnUnruled(diags *diag.Diagnostics, plan accountModel, ruleSet types.Object) {
	if ruleSet.IsNull() || !tfvalue.Known(plan.HyperscalerType, plan.Shared, plan.EUAccess) {
		return
	}
	target := plan.supply().Target
	leads, known, more := request.LeadsTo(ruleSet, target)
	diags.Append(more...)
	if known && !leads {
		diags.AddAttributeWarning(typePath, diagnose.SummaryUnruledPool, fmt.Sprintf(
			"No rule of the rule set leads to pool %s: no claim and no cluster ever comes to account %s. Correct hyperscaler_type, shared and "+
				"eu_access, or add a rule.", target, plan.Name.ValueString()))
	}
}

// change is an attribute that makes another account of it.
type change struct {
	at   path.Path
	part pool.Part
}

// replaces lists what makes another account. What is unknown yet does not touch an account that is there.
func replaces(plan, state accountModel, h holder, kind garden.Kind) (changes []change) {
	differs := func(now, before attr.Value) bool { return tfvalue.Known(now) && !now.Equal(before) }
	if differs(plan.Name, state.Name) {
		changes = append(changes, change{namePath, pool.PartName})
	}
	// A label that another has changed is put right in place.
	written := plan.HyperscalerType.ValueString() == h.HyperscalerType || h.HyperscalerType == ""
	if differs(plan.HyperscalerType, state.HyperscalerType) && !written {
		changes = append(changes, change{typePath, pool.PartType})
	}
	if kind == garden.Secret { // it is its own credentials, and nothing says of which provider they are
		return changes
	}
	if differs(plan.ProviderType, state.ProviderType) && !state.ProviderType.IsNull() { // an old SecretBinding does not say it
		changes = append(changes, change{providerPath, pool.PartProviderType})
	}
	if differs(plan.CredentialsRef, state.CredentialsRef) {
		changes = append(changes, change{credentialsPath, pool.PartCredentials})
	}
	return changes
}

// look is what a plan looks at in the pool, and where it tells what it finds. Without a pool it looks at nothing.
type look struct {
	pool    *pool.Pool
	backend *backend.Backend
	diags   *diag.Diagnostics
}

// create looks whether the account can be put into the pool. The holder is that of the account that it replaces.
func (l look) create(ctx context.Context, plan accountModel, replaced holder) {
	if unknown := plan.unknown(); len(unknown) > 0 {
		l.warnUnknown(plan, unknown)
	}
	if l.pool == nil || plan.Name.IsUnknown() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	attempt := l.backend.Attempt("Planning to put account %s into the pool", plan.Name.ValueString())
	l.report(attempt, func() error { return l.pool.MayAdd(ctx, plan.supply(), replaced.UID) })
	if tfvalue.Known(plan.CredentialsRef) && l.backend.Kind != garden.Secret {
		l.report(attempt, func() error { return l.pool.FindCredentials(ctx, plan.ref()) })
	}
}

// replace looks whether the account may be taken out of the pool, to be made anew. A held or used account never is.
func (l look) replace(ctx context.Context, state accountModel, because change) {
	if l.pool == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	l.report(l.backend.Attempt("Planning to make account %s anew", state.Name.ValueString()), func() error {
		err := l.pool.MayReplace(ctx, state.Name.ValueString(), state.UID.ValueString())
		if refused, ok := errors.AsType[*pool.SupplyError](err); ok {
			refused.Part = because.part
		}
		return err
	})
}

// amend looks whether the account can be changed in place.
func (l look) amend(ctx context.Context, plan, state accountModel) {
	if unknown := plan.unknown(); len(unknown) > 0 {
		l.warnUnknown(plan, unknown)
		return
	}
	if l.pool == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	l.report(l.backend.Attempt("Planning to change account %s", plan.Name.ValueString()), func() error {
		return l.pool.MayAmend(ctx, plan.amendRequest(state))
	})
}

// report looks, and tells what an apply would meet: what the pool says is an error already, what went wrong on the way a
// warning.
func (l look) report(attempt string, at func() error) {
	err := l.backend.Try(at)
	switch {
	case backend.RefusesAccount(err):
		diagnose.ReportAt(l.diags, namePath, attempt, err)
	case backend.WillFail(err):
		f := diagnose.Explain(err)
		l.diags.AddWarning(diagnose.SummaryPoolUnchecked, fmt.Sprintf(
			"%s: %s. As it looks now the apply will fail.\n\n%s", attempt, f.Brief, f.Remedy))
	}
}

// warnUnknown says what the plan could not check.
func (l look) warnUnknown(plan accountModel, unknown []string) {
	l.diags.AddAttributeWarning(path.Root(unknown[0]), diagnose.SummaryAccountUnknown, fmt.Sprintf(
		"Of account %s what is known only after apply is %s: the plan does not look whether the account can be so, or whether its credentials "+
			"exist. Should the account that is there turn out to be another one, this apply stops with \"inconsistent final plan\" and touches "+
			"nothing: plan again.", plan.Name.ValueString(), strings.Join(unknown, ", ")))
}

// unknown names the inputs that are not known yet.
func (m accountModel) unknown() (names []string) {
	for _, input := range []struct {
		name  string
		value attr.Value
	}{
		{"name", m.Name}, {"provider_type", m.ProviderType}, {"hyperscaler_type", m.HyperscalerType}, {"credentials_ref", m.CredentialsRef},
		{"shared", m.Shared}, {"eu_access", m.EUAccess}, {"internal", m.Internal}, {"quarantine", m.Quarantine}, {"labels", m.Labels},
	} {
		if !tfvalue.Known(input.value) {
			names = append(names, input.name)
		}
	}
	return names
}
