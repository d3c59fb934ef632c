package ruleset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// checkPools looks at the pools at apply: by then they have to be there.
func (r *ruleSetResource) checkPools(ctx context.Context, diags *diag.Diagnostics, set *rules.Set, model *ruleSetResourceModel) {
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	missing, err := r.missing(ctx, set, model.Rules.IsNull())
	switch warn := model.PoolCheck.ValueString() == poolCheckWarn; {
	case err != nil && warn:
		diags.AddAttributeWarning(path.Root("pool_check"), diagnose.SummaryPoolUnchecked, unchecked(err, diagnose.Explain(err).Brief))
	case err != nil:
		diags.AddAttributeError(path.Root("pool_check"), diagnose.Explain(err).Summary, unchecked(err, strings.TrimRight(err.Error(), ".")))
	default:
		for _, m := range missing {
			if warn {
				diags.AddAttributeWarning(m.at, diagnose.SummaryPoolMissing, m.detail)
			} else {
				diags.AddAttributeError(m.at, diagnose.SummaryPoolMissing, m.detail)
			}
		}
	}
}

// unchecked says why the pools could not be looked at. Many rule sets are written far from any Garden.
func unchecked(err error, cause string) string {
	return strings.Join([]string{
		fmt.Sprintf("Checking that each rule has a pool: %s.", cause), diagnose.Explain(err).Next(),
		`To check the rules alone, without a Garden, set pool_check = "off".`,
	}, "\n\n")
}

// planPools looks at the pools at plan. What is missing may still be to come in this apply: a warning. A pool that a standing
// entry demands has to be there already: an error.
func (r *ruleSetResource) planPools(
	ctx context.Context, diags *diag.Diagnostics, set *rules.Set, model *ruleSetResourceModel, standing demands,
) {
	timeout := backend.PreviewTimeout
	if len(standing) > 0 {
		timeout = backend.ReadTimeout
	}
	looking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	missing, err := r.missing(looking, set, model.Rules.IsNull())
	if backend.WillFail(err) || len(standing) > 0 && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		diags.AddAttributeWarning(path.Root("pool_check"), diagnose.SummaryPoolUnchecked, unchecked(err, diagnose.Explain(err).Brief))
	}
	for _, m := range missing {
		if m.vanished(standing) {
			diags.AddAttributeError(m.at, diagnose.SummaryPoolMissing, m.detail+"\n\n"+pastPoolCheck)
		} else {
			diags.AddAttributeWarning(m.at, diagnose.SummaryPoolMissing, m.detail)
		}
	}
}

// pastPoolCheck says what goes past the error at plan: it stops the apply that would mend it, and the destroy, which begins
// with a plan.
const pastPoolCheck = "The rule set stands already, so the plan fails until the pool has an account again. If this configuration makes " +
	"the account, and the account does not refer to the rule set, apply the account alone first, with -target. To destroy, use " +
	"-refresh=false. " +
	`To go on without the pool, set pool_check = "warn".`

// demand is one pool that one entry of a rule set needs.
type demand struct {
	entry string // in its normal form
	pool  pool.Target
}

// demands are those of a whole rule set.
type demands map[demand]bool

// standing returns what the rule set of the state demands, if its pools are to be there before an apply: pool_check is
// "error" and was so at the last apply, and this run has refreshed the rule set. A run without a refresh goes by the state, as for
// all resources.
func (r *ruleSetResource) standing(ctx context.Context, state tfsdk.State, poolCheck string) (demands, diag.Diagnostics) {
	if state.Raw.IsNull() || poolCheck != poolCheckError {
		return nil, nil
	}
	var model ruleSetResourceModel
	diags := state.Get(ctx, &model)
	if diags.HasError() || !r.backend.WasRefreshed(model.ID.ValueString()) {
		return nil, diags
	}
	if model.PoolCheck.ValueString() != poolCheckError { // so no apply has found the pools, and what is missing may never have been there
		return nil, diags
	}
	set, faults := model.compile()
	if faults.HasError() { // written by a provider that read rules otherwise
		return nil, diags
	}
	all := demands{}
	entries := set.Entries()
	for i := range entries {
		for _, t := range entries[i].Targets() {
			all[demand{entries[i].Canonical(), t}] = true
		}
	}
	return all, diags
}

// missingPool is an entry that lacks a pool: on one hyperscaler of its plan, or on several.
type missingPool struct {
	at      path.Path
	detail  string
	demands []demand // those that no account meets
}

// vanished reports whether one of the pools is not new in this plan.
func (m missingPool) vanished(standing demands) bool {
	return slices.ContainsFunc(m.demands, func(d demand) bool { return standing[d] })
}

// missing looks for accounts in the pools of all entries without a wildcard, with one list for all. An entry needs a pool
// for each hyperscaler of its plan.
func (r *ruleSetResource) missing(ctx context.Context, set *rules.Set, legacy bool) ([]missingPool, error) {
	p, err := r.backend.Pool()
	if err != nil {
		return nil, err
	}
	at := func(e *rules.Entry) path.Path { return path.Root("rules").AtListIndex(e.Number - 1) }
	if legacy {
		at = func(*rules.Entry) path.Path { return path.Root("legacy") }
	}
	var wanted []pool.Target
	entries := set.Entries()
	for i := range entries {
		wanted = append(wanted, entries[i].Targets()...)
	}
	absent, err := p.Missing(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var missing []missingPool
	for i := range entries {
		m, err := r.lacking(&entries[i], absent, p.Namespace())
		if err != nil {
			return nil, err
		}
		if len(m.demands) > 0 {
			m.at = at(&entries[i])
			missing = append(missing, m)
		}
	}
	return missing, nil
}

// lacking says which pools of an entry are among the absent ones.
func (r *ruleSetResource) lacking(e *rules.Entry, absent []pool.Target, namespace string) (missingPool, error) {
	var m missingPool
	var hyperscalers, selectors []string
	for _, t := range e.Targets() {
		if !slices.Contains(absent, t) {
			continue
		}
		s, err := r.backend.Keys.Selectors(t, "")
		if err != nil {
			return m, err
		}
		m.demands = append(m.demands, demand{e.Canonical(), t})
		hyperscalers, selectors = append(hyperscalers, t.Hyperscaler()), append(selectors, s.Pool)
	}
	on, each := "", ""
	if len(e.Targets()) > 1 {
		on = " on " + strings.Join(hyperscalers, " and on ")
		each = fmt.Sprintf(" Plan %s runs on several hyperscalers, and needs the pool on each of them.", e.Plan)
	}
	m.detail = fmt.Sprintf("There is no account for %s%s in namespace %s: none has the labels %s.%s Add one to the pool, or remove the rule.",
		request.RuleName(e), on, namespace, strings.Join(selectors, ", nor "), each)
	return m, nil
}
