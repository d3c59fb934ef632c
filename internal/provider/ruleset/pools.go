package ruleset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// checkPools checks the pools at apply: by then they have to be there.
func (r *ruleSetResource) checkPools(ctx context.Context, diags *diag.Diagnostics, set *rules.Set, model *ruleSetResourceModel) {
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	missing, err := r.missing(ctx, set, model.Rules.IsNull())
	switch warn := model.PoolCheck.ValueString() == poolCheckWarn; {
	case err != nil && warn:
		diags.AddAttributeWarning(path.Root("pool_check"), diagnose.SummaryPoolUnchecked, r.unchecked(err, diagnose.Explain(err).Brief))
	case err != nil:
		diags.AddAttributeError(path.Root("pool_check"), diagnose.Explain(err).Summary, r.unchecked(err, strings.TrimRight(err.Error(), ".")))
	default:
		for _, m := range missing {
			if warn || len(m.demands) == 0 {
				diags.AddAttributeWarning(m.at, diagnose.SummaryPoolMissing, m.detail)
			} else {
				diags.AddAttributeError(m.at, diagnose.SummaryPoolMissing, m.detail)
			}
		}
	}
}

// unchecked says why the pools could not be checked. Many rule sets are written far from any Garden.
func (r *ruleSetResource) unchecked(err error, cause string) string {
	return strings.Join([]string{
		fmt.Sprintf("%s: %s.", r.backend.Garden.Attempt("Checking that each rule has a pool"), cause), diagnose.Explain(err).Next(),
		`To check the rules alone, without a Garden, set pool_check = "off".`,
	}, "\n\n")
}

// planPools checks the pools at plan. What is missing may still be to come in this apply: a warning. A pool that an existing
// entry demands has to be there already: an error. Settings that lead to no pool are an error where the apply would end with one.
func (r *ruleSetResource) planPools(
	ctx context.Context, diags *diag.Diagnostics, set *rules.Set, model *ruleSetResourceModel, standing demands,
) {
	var missing []missingPool
	read := func(ctx context.Context) (err error) {
		missing, err = r.missing(ctx, set, model.Rules.IsNull())
		return err
	}
	var err error
	if len(standing) > 0 { // the plan cannot do without
		reading, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
		defer cancel()
		err = read(reading)
	} else {
		err = r.backend.Previews.Try(ctx, connection.AskedPool, read)
	}
	switch at := path.Root("pool_check"); {
	case connection.Unusable(err) && model.PoolCheck.ValueString() == poolCheckError:
		diags.AddAttributeError(at, diagnose.Explain(err).Summary, r.unchecked(err, strings.TrimRight(err.Error(), ".")))
	case connection.Unlooked(err) && r.backend.Ledger.First(diagnose.SummaryPoolUnchecked, "hap_rule_set"):
		diags.AddAttributeWarning(at, diagnose.SummaryPoolUnchecked, r.unchecked(err, diagnose.Explain(err).Brief))
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
const pastPoolCheck = "The rule set exists already, so the plan fails until the pool has an account again. If this configuration makes " +
	"the account, and the account does not refer to the rule set, apply the account alone first, with -target. To destroy, use " +
	"-refresh=false. " +
	`To go on without the pool, set pool_check = "warn".`

// demand is one pool that one entry of a rule set needs.
type demand struct {
	entry string // in its normal form
	pool  account.Target
}

// demands are those of a whole rule set.
type demands map[demand]bool

// refreshed begins the note of a rule set of the state that this run has read. The same process makes the plan that follows; an apply has
// another one.
const refreshed = "refreshed"

// standing returns what the rule set of the state demands, if its pools are to be there before an apply: pool_check is
// "error" and was so at the last apply, and this run has refreshed the rule set. A run without a refresh goes by the state, as for
// all resources.
func (r *ruleSetResource) standing(ctx context.Context, state tfsdk.State, poolCheck string) (demands, diag.Diagnostics) {
	if state.Raw.IsNull() || poolCheck != poolCheckError {
		return nil, nil
	}
	var model ruleSetResourceModel
	diags := state.Get(ctx, &model)
	if diags.HasError() || !r.backend.Ledger.Noted(refreshed, model.ID.ValueString()) {
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
		for _, t := range set.Targets(&entries[i]) {
			all[demand{entries[i].Canonical(), t}] = true
		}
	}
	return all, diags
}

// missingPool is a pool of an entry that has no account, or several: those on each hyperscaler of its plan.
type missingPool struct {
	at      path.Path
	detail  string
	demands []demand // those that no account meets; none where the entry leads to any of many pools
}

// vanished reports whether one of the pools is not new in this plan.
func (m missingPool) vanished(standing demands) bool {
	return slices.ContainsFunc(m.demands, func(d demand) bool { return standing[d] })
}

// missing finds entries whose pools have no account, with one list for all. An entry without a wildcard needs a pool for each
// hyperscaler of its plan, one with a wildcard at least one pool.
func (r *ruleSetResource) missing(ctx context.Context, set *rules.Set, legacy bool) ([]missingPool, error) {
	p, err := r.backend.Garden.Pool()
	if err != nil {
		return nil, err
	}
	needs := set.Needs()
	wanted := make([]func(account.Target) bool, len(needs), len(needs)+1)
	for i, n := range needs {
		wanted[i] = n.Meets
	}
	places, err := p.Missing(ctx, append(wanted, anyPool))
	if err != nil {
		return nil, err
	}
	none := slices.Contains(places, len(needs))
	absent := make([]rules.Need, 0, len(places))
	for _, place := range places {
		if place < len(needs) {
			absent = append(absent, needs[place])
		}
	}
	var lacking []missingPool
	if legacy {
		lacking = r.lackingLegacy(set, absent, p.Namespace())
	} else {
		lacking = r.lacking(absent, p.Namespace())
	}
	for i := range lacking {
		if none {
			lacking[i].detail += noAccounts
		}
	}
	return lacking, nil
}

// anyPool is met by any account.
func anyPool(account.Target) bool { return true }

// noAccounts is the hint for a namespace that may be the wrong one.
const noAccounts = " The namespace has no account of any pool: if it is not that of the Gardener project, set the provider's namespace " +
	"(HAP_NAMESPACE)."

// lacking reports what entries lack, each at its own place.
func (r *ruleSetResource) lacking(absent []rules.Need, namespace string) (missing []missingPool) {
	for len(absent) > 0 {
		e, n := absent[0].Entry, 1
		for n < len(absent) && absent[n].Entry == e {
			n++
		}
		m := r.missingPools(e, absent[:n], e.Name(), "rule", namespace)
		m.at = path.Root("rules").AtListIndex(e.Number - 1)
		missing, absent = append(missing, m), absent[n:]
	}
	return missing
}

// lackingLegacy reports what legacy properties lack, each pool once, at the property and with the elements that lead to it.
func (r *ruleSetResource) lackingLegacy(set *rules.Set, absent []rules.Need, namespace string) (missing []missingPool) {
	for i, n := range absent {
		if slices.ContainsFunc(absent[:i], func(earlier rules.Need) bool { return earlier.Pool == n.Pool }) {
			continue
		}
		field, origins, demands := "", []string{}, []demand{}
		for _, same := range absent[i:] {
			if same.Pool != n.Pool {
				continue
			}
			at, origin := set.Origin(same.Entry)
			if field == "" {
				field = at
			}
			if !slices.Contains(origins, origin) {
				origins = append(origins, origin)
			}
			if !same.Any {
				demands = append(demands, demand{same.Entry.Canonical(), same.Pool})
			}
		}
		m := r.missingPools(n.Entry, absent[i:i+1], words.First(maxOrigins, origins), "element", namespace)
		m.at, m.demands = path.Empty(), demands
		for _, step := range strings.Split(field, ".") {
			m.at = m.at.AtName(step)
		}
		missing = append(missing, m)
	}
	return missing
}

// maxOrigins is how many elements of legacy properties a message names for one pool.
const maxOrigins = 5

// missingPools says which pools a rule, or an element of a legacy property, lacks.
func (r *ruleSetResource) missingPools(e *rules.Entry, absent []rules.Need, name, kind, namespace string) (m missingPool) {
	if absent[0].Any {
		access := ""
		if e.EUAccess == rules.EUAccessOnRequest {
			access = fmt.Sprintf(", and %s=true beside them for requests with EU access", r.backend.Settings.Keys.EUAccess)
		}
		m.detail = fmt.Sprintf("There is no account for any pool of %s in namespace %s: the labels would be %s, with any region%s. No request "+
			"that it serves gets an account. Add one to a pool, or remove the %s.",
			name, namespace, r.backend.Settings.Keys.Wanted(absent[0].Pool), access, kind)
		return m
	}
	var hyperscalers, labels []string
	for _, n := range absent {
		m.demands = append(m.demands, demand{e.Canonical(), n.Pool})
		if !slices.Contains(hyperscalers, n.Pool.Hyperscaler()) {
			hyperscalers = append(hyperscalers, n.Pool.Hyperscaler())
		}
		labels = append(labels, r.backend.Settings.Keys.Wanted(n.Pool))
	}
	on, each := "", ""
	if e.HyperscalerType != absent[0].Pool.HyperscalerType && kind == "rule" {
		on = " on " + strings.Join(hyperscalers, " and on ")
		each = fmt.Sprintf(" Plan %s runs on several hyperscalers, and needs the pool on each of them.", e.Plan)
	}
	m.detail = fmt.Sprintf("There is no account for %s%s in namespace %s: none has the labels %s.%s Add one to the pool, or remove the %s.",
		name, on, namespace, strings.Join(labels, ", nor "), each, kind)
	return m
}
