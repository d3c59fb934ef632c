package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// checkPools looks at the pools at apply: by then they have to be there.
func (r *ruleSetResource) checkPools(ctx context.Context, diags *diag.Diagnostics, set *rules.Set, model *ruleSetResourceModel) {
	missing, err := r.missing(ctx, set, model.Rules.IsNull())
	switch warn := model.PoolCheck.ValueString() == poolCheckWarn; {
	case err != nil && warn:
		diags.AddAttributeWarning(path.Root("pool_check"), summaryPoolUnchecked, unchecked(err, briefly(err)))
	case err != nil:
		diags.AddAttributeError(path.Root("pool_check"), explain(err).summary, unchecked(err, strings.TrimRight(err.Error(), ".")))
	default:
		for _, m := range missing {
			if warn {
				diags.AddAttributeWarning(m.at, summaryPoolMissing, m.detail)
			} else {
				diags.AddAttributeError(m.at, summaryPoolMissing, m.detail)
			}
		}
	}
}

// unchecked says why the pools could not be looked at. Many rule sets are written far from any Garden.
func unchecked(err error, cause string) string {
	return strings.Join([]string{
		fmt.Sprintf("Checking that each rule has a pool: %s.", cause), explain(err).next,
		`To check the rules alone, without a Garden, set pool_check = "off".`,
	}, "\n\n")
}

// warnMissing looks at the pools as a courtesy; at plan they may still be to come.
func (r *ruleSetResource) warnMissing(ctx context.Context, diags *diag.Diagnostics, set *rules.Set, model *ruleSetResourceModel) {
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	missing, err := r.missing(ctx, set, model.Rules.IsNull())
	if willFail(err) {
		diags.AddAttributeWarning(path.Root("pool_check"), summaryPoolUnchecked, unchecked(err, briefly(err)))
	}
	for _, m := range missing {
		diags.AddAttributeWarning(m.at, summaryPoolMissing, m.detail)
	}
}

// missingPool is an entry whose pool has no account.
type missingPool struct {
	at     path.Path
	detail string
}

// missing looks for accounts in the pools of all entries without a wildcard, with one list for all.
func (r *ruleSetResource) missing(ctx context.Context, set *rules.Set, legacy bool) ([]missingPool, error) {
	p, err := r.backend.pool()
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
	gone := map[pool.Target]bool{}
	for _, t := range absent {
		gone[t] = true
	}
	var missing []missingPool
	for i := range entries {
		e := &entries[i]
		targets := e.Targets()
		if len(targets) == 0 || slices.ContainsFunc(targets, func(t pool.Target) bool { return !gone[t] }) {
			continue // a plan on several hyperscalers needs a pool on one of them
		}
		selectors := make([]string, len(targets))
		for i, t := range targets {
			s, err := r.backend.keys.Selectors(t, "")
			if err != nil {
				return nil, err
			}
			selectors[i] = s.Pool
		}
		missing = append(missing, missingPool{at(e), fmt.Sprintf(
			"There is no account for %s in namespace %s: none has the labels %s. Add one to the pool, or remove the rule.",
			ruleName(e), p.Namespace(), strings.Join(selectors, ", nor "))})
	}
	return missing, nil
}
