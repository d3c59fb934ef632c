package diagnose

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// AskedByApply is what comes next where a plan could not ask Gardener for fields of a template.
const AskedByApply = "The apply asks before it writes. Run plan again to have it asked now."

// ReportNewer says what came of asking Gardener for the fields of a template that this provider's types do not know: what Gardener does not
// know either is an error, and a question that was not answered a warning, which says what comes next. It returns whether there is no
// error.
func ReportNewer(diags *diag.Diagnostics, at path.Path, attempt, next string, t shoots.Template, err error) bool {
	switch {
	case err == nil:
	case connection.RefusesShoot(err):
		f := Explain(err)
		diags.AddAttributeError(at, f.Summary, fmt.Sprintf("%s: %s.\n\n%s", attempt, f.Brief, f.Next()))
		return false
	default:
		fields := make([]string, len(t.Newer()))
		for i, p := range t.Newer() {
			p.Text = "this provider knows no such field"
			fields[i] = p.String()
		}
		diags.AddAttributeWarning(at, SummaryNewerFields, fmt.Sprintf("%s: the template has fields that are mistyped, or newer than this "+
			"provider:\n  - %s\n\nGardener could not be asked which: %s. %s", attempt, strings.Join(fields, "\n  - "), words.WithoutStop(err), next))
	}
	return true
}

// CheckShootAccount checks that workers have an account, that a cluster without workers has none, and that the template names no other.
func CheckShootAccount(diags *diag.Diagnostics, templateAt, accountAt path.Path, template shoots.Template, account types.String) {
	wrong := func(at path.Path, what string) { diags.AddAttributeError(at, SummaryShootAccount, what) }
	switch named := template.Bindings(); {
	case len(named) > 0:
		diags.AddAttributeError(templateAt, SummaryTemplateAccount, fmt.Sprintf("The template names an account by itself (%s)%s. The account is "+
			"the business of %s, which a claim fills: take it out of the template.", strings.Join(named, ", "), besides(accountAt, account),
			accountAt))
	case template.Workerless() && tfvalue.Known(account) && !account.IsNull():
		wrong(accountAt, fmt.Sprintf("The template has no workers (spec.provider.workers), and Gardener gives a cluster without workers no "+
			"account. Leave %s out, or add workers.", accountAt))
	case !template.Workerless() && account.IsNull():
		wrong(accountAt, fmt.Sprintf("The template has workers (spec.provider.workers), and their machines need an account. Set %s "+
			"to binding_name of a hap_credentials_binding_claim, or take the workers out.", accountAt))
	}
}

// besides names the account of the attribute after that of the template.
func besides(at path.Path, account types.String) string {
	if account.IsNull() || account.IsUnknown() {
		return ""
	}
	return fmt.Sprintf(", and %s account %s", at, account.ValueString())
}
