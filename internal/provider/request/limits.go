package request

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// WarnStrayLimits warns, once in a run, of limits for hyperscalers that neither a plan nor an account has. It is for a
// selection that has just succeeded: there the plans are known, and the accounts are at hand.
func WarnStrayLimits(ctx context.Context, diags *diag.Diagnostics, b *backend.Backend, ruleSet types.Object) {
	if len(b.Settings.Policy.Limits) == 0 {
		return
	}
	src, known := ruleSetFrom(ruleSet)
	if !known || len(b.Settings.StrayLimits(src.Plans, nil)) == 0 {
		return
	}
	p, err := b.Garden.Pool()
	if err != nil {
		return
	}
	all, err := p.Inventory(ctx)
	if err != nil {
		return
	}
	present := make([]string, len(all.Accounts))
	for i, a := range all.Accounts {
		present[i] = a.Target().Hyperscaler()
	}
	if stray := b.Settings.StrayLimits(src.Plans, present); len(stray) > 0 && b.Ledger.First("stray limits") {
		diags.AddWarning(diagnose.SummaryStrayLimit, fmt.Sprintf(
			"multi_account.limits has limits that apply to nothing: %s. Neither does a plan of the rule set run on such a hyperscaler, nor is "+
				"there an account of such a type%s. Correct the name, or remove the limit.", strings.Join(stray, ", "), b.Garden.Where()))
	}
}
