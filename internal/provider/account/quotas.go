package account

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var (
	quotasPath = path.Root("quotas")
	quotaTypes = map[string]attr.Type{"namespace": types.StringType, "name": types.StringType}
	quotaType  = types.ObjectType{AttrTypes: quotaTypes}
)

// quotasAttribute has no nested attributes: with them Terraform takes the quotas of an import for ones that the configuration has given up.
func quotasAttribute() schema.SetAttribute {
	return schema.SetAttribute{
		Optional: true, Computed: true, ElementType: quotaType, Validators: []validator.Set{setvalidator.NoNullValues()},
		MarkdownDescription: "The `Quota` objects of Gardener that bound the clusters on the account, each as `{ namespace, name }`. Gardener " +
			"lets a user refer to those alone that the user may `get`. It does not change them on an account that is there: a change makes the " +
			"account anew, and is an error while the account is held or used. Left out, an account has none when it is made, and those of an " +
			"account that is there are left alone; then it cannot be made anew for another reason. `[]` says that there are none. Not for a " +
			"`Secret`.",
	}
}

// checkQuotas checks that each quota is a name in a namespace; unknown values pass.
func (m accountModel) checkQuotas(diags *diag.Diagnostics) {
	for _, element := range m.Quotas.Elements() {
		object, _ := element.(types.Object)
		for part, value := range object.Attributes() {
			text, _ := value.(types.String)
			if !text.IsUnknown() && !kube.IsName(text.ValueString()) {
				diags.AddAttributeError(quotasPath, diagnose.SummaryNoQuotas, fmt.Sprintf("quotas: %s = %q is not the name of an object. Write each "+
					"quota as { namespace = \"<namespace>\", name = \"<name>\" }.", part, text.ValueString()))
			}
		}
	}
}

// quotas are those that the configuration names; nil = it does not say.
func (m accountModel) quotas() []account.QuotaRef {
	if m.Quotas.IsNull() || m.Quotas.IsUnknown() {
		return nil
	}
	quotas := []account.QuotaRef{}
	for _, element := range m.Quotas.Elements() {
		object, _ := element.(types.Object)
		namespace, _ := object.Attributes()["namespace"].(types.String)
		name, _ := object.Attributes()["name"].(types.String)
		quotas = append(quotas, account.QuotaRef{Namespace: namespace.ValueString(), Name: name.ValueString()})
	}
	return quotas
}

// quotasOf is the attribute for the quotas of an account, each once. It is never null: null is in states alone that do not know them.
func quotasOf(c *account.Credentials) types.Set {
	quotas := []attr.Value{}
	if c != nil {
		for i, q := range c.Quotas {
			if !slices.Contains(c.Quotas[:i], q) {
				quotas = append(quotas, types.ObjectValueMust(quotaTypes, map[string]attr.Value{
					"namespace": types.StringValue(q.Namespace), "name": types.StringValue(q.Name),
				}))
			}
		}
	}
	return types.SetValueMust(quotaType, quotas)
}

// planQuotas plans the quotas: where the configuration leaves them out, those that the account has.
func (r *accountResource) planQuotas(diags *diag.Diagnostics, config, state accountModel, made bool) types.Set {
	switch {
	case r.Backend.Settings.Kind == garden.Secret && len(config.Quotas.Elements()) > 0:
		diags.AddAttributeError(quotasPath, diagnose.SummaryNoQuotas, "quotas: an account that is a Secret has none. Gardener keeps the quotas "+
			"in the SecretBinding or CredentialsBinding that refers to the Secret. Remove quotas.")
	case !config.Quotas.IsNull():
		return config.Quotas
	case made:
		return quotasOf(nil)
	}
	return state.Quotas
}

// loses reports whether another set of quotas is planned than an account has. Where the state does not know what it has, any is.
func loses(plan, state types.Set) bool {
	return tfvalue.Known(plan) && !plan.IsNull() && !plan.Equal(state) && (!state.IsNull() || len(plan.Elements()) > 0)
}
