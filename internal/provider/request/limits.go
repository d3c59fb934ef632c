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
	if len(b.Policy.Limits) == 0 {
		return
	}
	src, known := ruleSetFrom(ruleSet)
	if !known {
		return
	}
	if stray := b.StrayLimits(ctx, src.Plans); len(stray) > 0 {
		diags.AddWarning(diagnose.SummaryStrayLimit, fmt.Sprintf(
			"multi_account.limits has limits that apply to nothing: %s. Neither does a plan of the rule set run on such a hyperscaler, nor is "+
				"there an account of such a type%s. Correct the name, or remove the limit.", strings.Join(stray, ", "), b.Where()))
	}
}
