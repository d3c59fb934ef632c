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
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Validate checks what needs no read of the pool; unknown values pass.
func (r *accountResource) Validate(config accountModel) {
	for _, key := range config.labelKeys() {
		at := labelsPath.AtMapKey(key)
		if err := garden.CheckLabelKey(key); err != nil {
			r.Diags.AddAttributeError(at, diagnose.SummaryBadLabelKey, fmt.Sprintf("%q cannot be the key of a label: %s.", key, err))
		}
		if garden.OfGardener(key) {
			r.Diags.AddAttributeError(at, diagnose.SummaryBadLabelKey, fmt.Sprintf("The label %s is Gardener's own.", key))
		}
		if value := config.labels()[key]; value != "" { // a label may be empty
			if err := account.CheckLabelValue(value); err != nil {
				r.Diags.AddAttributeError(at, diagnose.SummaryInvalidLabel, fmt.Sprintf("%q cannot be the value of a label: %s.", value, err))
			}
		}
	}
	config.checkQuotas(r.Diags)
	if config.Shared.ValueBool() && !config.Quarantine.IsNull() && !config.Quarantine.IsUnknown() {
		refusal := &account.SupplyError{Account: config.Name.ValueString(), Part: account.PartQuarantine, Obstacle: account.ObstacleShared}
		diagnose.Report(r.Diags, "Quarantining an account", refusal)
	}
}

// PlanCreate looks whether the account can be put into the pool. Nothing of what it sees becomes a planned value: Terraform plans twice.
func (r *accountResource) PlanCreate(ctx context.Context, plan, config accountModel, replaced holder) accountModel {
	if !r.settle(&plan, config, accountModel{}, true) || r.refuseLost(plan) {
		return plan
	}
	if !plan.Name.IsUnknown() && r.Clash(r.Backend.Ledger.Plan(plan.object(), r.Anew), plan) {
		return plan
	}
	r.declareCredentials(r.Diags, plan, true)
	r.look().create(ctx, plan.asking(config), replaced)
	return plan
}

// PlanUpdate looks whether the account can be what the configuration says, in place or made anew.
func (r *accountResource) PlanUpdate(ctx context.Context, plan, config accountModel, of kept) (_ accountModel, by path.Paths) {
	state := of.Model
	if !r.settle(&plan, config, state, false) {
		return plan, nil
	}
	changed := replaces(plan, state, of.Place, r.Backend.Settings.Kind)
	for _, c := range changed {
		by = append(by, c.at)
	}
	clash := r.Backend.Ledger.Retain
	if len(changed) > 0 {
		clash = func(o ledger.Object) ledger.Clash { return r.Backend.Ledger.Destroy(o, plan.Name.Equal(state.Name)) }
	}
	if r.Clash(clash(state.object()), state) {
		return plan, by
	}
	r.declareCredentials(r.Diags, plan, len(changed) > 0)
	switch {
	case len(changed) > 0:
		r.look().replace(ctx, plan.asking(config), state, changed[0])
	case !r.Same:
		plan.keep(state)
		r.look().amend(ctx, plan, state, of.Place)
	}
	return plan, by
}

// settle plans what follows from the configuration alone, and checks it; false = there is an error.
func (r *accountResource) settle(plan *accountModel, config, state accountModel, made bool) bool {
	p, err := r.Backend.Garden.Pool()
	if connection.Unusable(err) {
		diagnose.ReportPoolUnlooked(r.Diags, r.Backend, "hap_account", "Planning account "+tfvalue.Name(plan.Name), err)
		return false
	}
	if err == nil { // else a setting is unknown yet
		r.pool = p
	}
	r.checkLabelKeys(r.Diags, *plan)
	warnUnruled(r.Diags, *plan, config.RuleSet)
	warnMisplaced(r.Diags, *plan)
	plan.CredentialsRef = config.CredentialsRef
	if plan.CredentialsRef, err = r.planRef(*plan, r.pool); err != nil {
		diagnose.Report(r.Diags, r.Backend.Garden.Attempt("Planning account %s", tfvalue.Name(plan.Name)), err)
	}
	if r.Diags.HasError() {
		return false
	}
	plan.Quotas = r.planQuotas(r.Diags, config, state, made)
	return !r.Diags.HasError()
}

// asking is a plan with what the configuration says of the quotas.
func (m accountModel) asking(config accountModel) accountModel {
	m.Quotas = config.Quotas
	return m
}

func (r *accountResource) look() look { return look{pool: r.pool, backend: r.Backend, diags: r.Diags} }

// declareCredentials refuses credentials that another account of the configuration has, where one of the two is to be made.
func (r *accountResource) declareCredentials(diags *diag.Diagnostics, plan accountModel, made bool) {
	if r.Backend.Settings.Kind == garden.Secret || !tfvalue.Known(plan.CredentialsRef, plan.Name) {
		return
	}
	name, ref := plan.Name.ValueString(), plan.ref()
	if other := r.Backend.Ledger.PlanCredentials(name, ref, made); other != "" {
		diagnose.Report(diags, r.Backend.Garden.Attempt("Planning account %s", name),
			&account.SameCredentialsError{Account: name, Ref: ref, Others: []string{other}, Declared: true})
	}
}

// PlanDestroy warns where the account could not be taken out of the pool as it was last seen, and where it would leave the pool unwiped.
// What the same run destroys before may still clear the way, so it is no error.
func (r *accountResource) PlanDestroy(ctx context.Context, of kept) {
	p, err := r.poolOf(of.Place)
	if err != nil || r.Diags.HasError() { // the refresh or the destroy complains of it
		return
	}
	state := of.Model
	request := state.removeRequest(r.Backend.Settings.Grace, true, func(a account.Account) { warnUnwiped(r.Diags, a, "leaves") })
	err = r.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error { return p.MayRemove(ctx, request) })
	if !connection.RefusesAccount(err) {
		return
	}
	f := diagnose.Explain(err)
	r.Diags.AddWarning(diagnose.SummaryNotRemovable, fmt.Sprintf("%s. While that is so the destroy of account %s is refused, and "+
		"the account stays in the pool; what the same run destroys before may end it. An account that a claim of the same run leaves dirty goes "+
		"unwiped then: to have it wiped, destroy the claim first, and the account in a later run.\n\n%s", f.Brief, state.Name.ValueString(),
		f.Remedy))
}

// planRef plans the reference to the credentials as configured, with what it leaves out as far as that is known.
func (r *accountResource) planRef(m accountModel, p *pool.Pool) (types.Object, error) {
	of := &r.Backend.Settings
	if slices.Contains(of.Unknown, "pool") || slices.Contains(of.Unknown, "pool.kind") {
		return laterOf(m.CredentialsRef), nil
	}
	if m.CredentialsRef.IsUnknown() || m.CredentialsRef.IsNull() && (p == nil || m.Name.IsUnknown()) && of.Kind == garden.Secret {
		return types.ObjectUnknown(refTypes), nil
	}
	if !m.CredentialsRef.IsNull() {
		ref := refOf(m.CredentialsRef)
		if p == nil && ref.Namespace.IsNull() {
			ref.Namespace = types.StringUnknown()
		}
		if r.Backend.Settings.Kind == garden.Secret && ref.Name.IsNull() {
			ref.Name = m.Name
		}
		if !tfvalue.Known(ref.Kind, ref.Namespace, ref.Name, m.Name) {
			return ref.partly(p), nil
		}
	}
	m, err := r.settled(m, p)
	return m.CredentialsRef, err
}

// settled fills in what the reference to the credentials leaves out. A pool without a connection is only needed where the
// namespace is left out.
func (r *accountResource) settled(m accountModel, p *pool.Pool) (accountModel, error) {
	var given *account.CredentialsRef
	if !m.CredentialsRef.IsNull() && !m.CredentialsRef.IsUnknown() {
		ref := m.ref()
		given = &ref
	}
	namespace := ""
	if p != nil {
		namespace = p.Namespace()
	}
	full, err := r.Backend.Settings.Kind.CredentialsRef(namespace, m.Name.ValueString(), given)
	if err != nil {
		return m, err
	}
	m.CredentialsRef = refOf(m.CredentialsRef).settledAs(full)
	return m, nil
}

// checkLabelKeys refuses further labels that are labels of the pool, or look like one that a configuration never writes.
func (r *accountResource) checkLabelKeys(diags *diag.Diagnostics, m accountModel) {
	of := &r.Backend.Settings
	if of.KeysUnknown {
		return
	}
	for _, key := range m.labelKeys() {
		switch {
		case of.Keys.OfOthers(key):
			diags.AddAttributeError(labelsPath.AtMapKey(key), diagnose.SummaryBadLabelKey, fmt.Sprintf(
				"The label %s looks like the one of the Global Account or the mark dirty, under another key than the provider is set to (%s, %s). "+
					"A configuration never writes these. Take it out of labels; where the labels of the pool have that key, set label_scheme or "+
					"label_keys in the block pool of the provider.", key, of.Keys.TenantName, of.Keys.Dirty))
		case of.Keys.Has(key):
			diags.AddAttributeError(labelsPath.AtMapKey(key), diagnose.SummaryBadLabelKey, fmt.Sprintf(
				"The label %s says what the account is to the pool. Use the attribute that sets it; the tenant and the mark dirty are "+
					"never written by a configuration.", key))
		case of.Keys.Doubt(key, m.labels()[key]):
			diags.AddAttributeWarning(labelsPath.AtMapKey(key), diagnose.SummaryBadLabelKey, fmt.Sprintf(
				"The label %s looks like one that says what the account is to the pool, under another key than the provider reads. It leaves in "+
					"doubt whose the account is: the class is unclear, and no claim takes it. Use the attribute shared or internal, or another key.",
				key))
		}
	}
}

// change is an attribute that makes another account of it.
type change struct {
	at   path.Path
	part account.Part
}

// replaces lists what makes another account. What is unknown yet does not touch an account that is there.
func replaces(plan, state accountModel, h holder, kind garden.Kind) (changes []change) {
	differs := func(now, before attr.Value) bool { return tfvalue.Known(now) && !now.Equal(before) }
	if differs(plan.Name, state.Name) {
		changes = append(changes, change{namePath, account.PartName})
	}
	// A label that another has changed is put right in place.
	written := plan.HyperscalerType.ValueString() == h.HyperscalerType || h.HyperscalerType == ""
	if differs(plan.HyperscalerType, state.HyperscalerType) && !written {
		changes = append(changes, change{typePath, account.PartType})
	}
	if kind == garden.Secret { // it is its own credentials, and nothing says of which provider they are
		return changes
	}
	if differs(plan.ProviderType, state.ProviderType) && !state.ProviderType.IsNull() { // an old SecretBinding does not say it
		changes = append(changes, change{providerPath, account.PartProviderType})
	}
	if tfvalue.Known(plan.CredentialsRef) && plan.ref() != state.ref() {
		changes = append(changes, change{credentialsPath, account.PartCredentials})
	}
	if loses(plan.Quotas, state.Quotas) {
		changes = append(changes, change{quotasPath, account.PartQuotas})
	}
	return changes
}

// look is what a plan reads of the pool, and where it reports what it finds. Without a pool it reads nothing.
type look struct {
	pool    *pool.Pool
	backend *backend.Backend
	diags   *diag.Diagnostics
}

// create looks whether the account can be put into the pool. The holder is that of the account that it replaces.
func (l look) create(ctx context.Context, plan accountModel, replaced holder) {
	if unknown := plan.unknown(); len(unknown) > 1 || len(unknown) == 1 && unknown[0] != "credentials_ref" {
		l.warnUnknown(plan, unknown) // not of credentials that the same configuration makes
	}
	if l.pool == nil || plan.Name.IsUnknown() {
		return
	}
	attempt := l.backend.Garden.Attempt("Planning to put account %s into the pool", plan.Name.ValueString())
	l.report(ctx, attempt, func(ctx context.Context) error {
		err := l.pool.MayAdd(ctx, plan.supply(), replaced.UID)
		if !errors.As(err, new(*account.ExistsError)) {
			return err
		}
		if ends, _ := l.backend.Ledger.AwaitDestroyed(ctx, plan.object()); ends {
			return nil // the destroy says that it is the same account
		}
		return err
	})
	if tfvalue.Known(plan.CredentialsRef) && l.backend.Settings.Kind != garden.Secret {
		l.report(ctx, attempt, func(ctx context.Context) error { return l.pool.FindCredentials(ctx, plan.supply()) })
	}
}

// replace looks whether the account may be taken out of the pool, to be made anew. A held or used account never is.
func (l look) replace(ctx context.Context, asked, state accountModel, because change) {
	if l.pool == nil {
		return
	}
	attempt := l.backend.Garden.Attempt("Planning to make account %s anew", state.Name.ValueString())
	l.report(ctx, attempt, func(ctx context.Context) error {
		err := l.pool.MayReplace(ctx, state.Name.ValueString(), state.UID.ValueString(), asked.supply())
		if refused, ok := errors.AsType[*account.SupplyError](err); ok {
			refused.Part = because.part
		}
		return err
	})
}

// amend looks whether the account can be changed in place. What only takes back the change of another party, and cannot be done as the
// account is, is no error.
func (l look) amend(ctx context.Context, plan, state accountModel, h holder) {
	if unknown := plan.unknown(); len(unknown) > 0 {
		l.warnUnknown(plan, unknown)
		return
	}
	if l.pool == nil {
		return
	}
	ask := func(request protocol.AmendRequest) error {
		return l.backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error { return l.pool.MayAmend(ctx, request) })
	}
	err := ask(plan.amendRequest(state))
	if errors.As(err, new(*account.SupplyError)) {
		alone, quarantine := plan.quarantineAlone(state, h)
		if quarantine = quarantine && ask(alone) == nil; quarantine || plan.putsBack(h) {
			l.warnDrift(plan, state, quarantine, err)
			return
		}
	}
	l.tell(plan.attempting(l.backend.Garden.Attempt("Planning to change account %s", plan.Name.ValueString()), state, err), err)
}

// report reads, and reports what an apply would meet.
func (l look) report(ctx context.Context, attempt string, at func(context.Context) error) {
	l.tell(attempt, l.backend.Previews.Try(ctx, connection.AskedPool, at))
}

// tell says what an apply would meet: what the pool says is an error already, what went wrong on the way a warning.
func (l look) tell(attempt string, err error) {
	switch {
	case connection.RefusesAccount(err):
		diagnose.ReportAt(l.diags, namePath, attempt, err)
	default:
		diagnose.ReportPoolUnlooked(l.diags, l.backend, "hap_account", attempt, err)
	}
}

// warnUnknown says what the plan could not check.
func (l look) warnUnknown(plan accountModel, unknown []string) {
	l.diags.AddAttributeWarning(path.Root(unknown[0]), diagnose.SummaryAccountUnknown, fmt.Sprintf(
		"Of account %s these inputs are known only after apply: %s. The plan does not look whether the account can be so, or whether its "+
			"credentials exist. Should the account that is there have to be made anew for it, the apply stops and touches nothing: plan "+
			"again.", tfvalue.Name(plan.Name), strings.Join(unknown, ", ")))
}

// unknown names the inputs that are not known yet.
func (m accountModel) unknown() (names []string) {
	for _, input := range []struct {
		name  string
		value attr.Value
	}{
		{"name", m.Name}, {"provider_type", m.ProviderType}, {"hyperscaler_type", m.HyperscalerType}, {"credentials_ref", m.CredentialsRef},
		{"shared", m.Shared}, {"eu_access", m.EUAccess}, {"internal", m.Internal}, {"quarantine", m.Quarantine}, {"labels", m.Labels},
		{"quotas", m.Quotas},
	} {
		if !tfvalue.Known(input.value) {
			names = append(names, input.name)
		}
	}
	return names
}
