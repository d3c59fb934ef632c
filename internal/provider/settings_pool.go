package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// labelSchemes are the two ways in which landscapes write the keys of the labels, the default first.
var labelSchemes = []struct {
	name string
	keys func() garden.LabelKeys
}{
	{"camel", garden.DefaultLabelKeys},
	{"kebab", garden.KebabLabelKeys},
}

// labelRoles are the labels of an account by the name of their attribute in label_keys.
var labelRoles = []struct {
	name, meaning string
	key           func(*garden.LabelKeys) *string
}{
	{"hyperscaler_type", "the pool that the account belongs to", func(k *garden.LabelKeys) *string { return &k.HyperscalerType }},
	{"tenant_name", "the Global Account that holds it", func(k *garden.LabelKeys) *string { return &k.TenantName }},
	{"shared", "whether all tenants share it", func(k *garden.LabelKeys) *string { return &k.Shared }},
	{"eu_access", "whether it is kept for EU access", func(k *garden.LabelKeys) *string { return &k.EUAccess }},
	{"dirty", "whether it waits for the clean-up job, or is being released", func(k *garden.LabelKeys) *string { return &k.Dirty }},
	{"internal", "whether it is kept for internal use", func(k *garden.LabelKeys) *string { return &k.Internal }},
}

// maxMinFreeTime is the longest time for which an account can be left alone.
const maxMinFreeTime = 365 * 24 * time.Hour

func poolSettingsAttributes() map[string]schema.Attribute {
	kinds := make([]string, 0, len(garden.Kinds()))
	for _, kind := range garden.Kinds() {
		kinds = append(kinds, string(kind))
	}
	schemes := make([]string, 0, len(labelSchemes))
	for _, s := range labelSchemes {
		schemes = append(schemes, s.name)
	}
	var preferences []string
	for _, p := range account.Preferences() {
		preferences = append(preferences, string(p))
	}
	keys := map[string]schema.Attribute{}
	for _, role := range labelRoles {
		standard, older := labelSchemes[0].keys(), labelSchemes[1].keys()
		preset := fmt.Sprintf("Default %#q", *role.key(&standard))
		if *role.key(&older) != *role.key(&standard) {
			preset += fmt.Sprintf(", in the scheme %#q %#q", labelSchemes[1].name, *role.key(&older))
		}
		keys[role.name] = schema.StringAttribute{Optional: true, MarkdownDescription: "The label that says " + role.meaning + ". " + preset + "."}
	}
	return map[string]schema.Attribute{
		"kind": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "What the accounts are: " + tfvalue.Quoted(kinds) + ". Default `" + kinds[0] + "`; the others are for older " +
				"landscapes. Clusters are counted by what a Shoot names: `spec.credentialsBindingName`, `spec.secretBindingName`, and for Secrets " +
				"either of them and the Secret that the binding refers to. Of a Secret nothing but the metadata is ever fetched. Each kind has a " +
				"Role of its own in `examples/rbac`. Claims go along when the kind becomes `CredentialsBinding`: see the guide [Moving to " +
				"CredentialsBindings](guides/moving-to-credentialsbindings.md).",
			Validators: []validator.String{stringvalidator.OneOf(kinds...)},
		},
		"label_scheme": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "How the keys of the labels are written: " + tfvalue.Quoted(schemes) + ". Default `" + schemes[0] + "`.",
			Validators:          []validator.String{stringvalidator.OneOf(schemes...)},
		},
		"prefer": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Which free account a claim takes: " + tfvalue.Quoted(preferences) + ". `order` goes by a hash of the Global " +
				"Account and the account: Global Accounts do not compete for one account, and two runs that claim for one Global Account meet on the " +
				"same. `longest_free` takes the one that is free for the longest time, as far as that [is known]" +
				"(guides/claims.md#which-free-account), and goes by the hash among equals. Set the same `prefer` and `min_free_time` in " +
				"each configuration of a landscape. Default `" + preferences[0] + "`.",
			Validators: []validator.String{stringvalidator.OneOf(preferences...)},
		},
		"min_free_time": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How long an account that came back from a claim is left alone, as a duration such as `90m` or `24h`, at most " +
				"`8760h`. Claims pass over it until then: it is of the class `cooling`. The time counts from the [last sign]" +
				"(guides/claims.md#which-free-account) of the account being held. The broker does not heed it. Default `0s`: not at all.",
			Validators: []validator.String{tfvalue.Duration{What: "time that an account is left alone", Most: maxMinFreeTime,
				Summary: diagnose.SummaryInvalidTimeout, ForExample: "90m or 24h"}},
		},
		"label_keys": schema.SingleNestedAttribute{
			Optional: true, Attributes: keys,
			MarkdownDescription: "The keys of single labels, where they differ from the scheme. Each is the key of one label: no two may be alike.",
		},
	}
}

// cleanUpPath is where the types are that a clean-up job wipes.
var cleanUpPath = path.Root("clean_up_types")

func cleanUpAttribute() schema.SetAttribute {
	return schema.SetAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "The Gardener provider types whose dirty accounts a clean-up job of the landscape wipes and frees. An account of " +
			"another type that is marked dirty stays so until it is wiped by hand, and so does an account whose credentials are no Secret, of any " +
			"type: a plan warns of each `on_destroy` that would do so. `[]` where there is no such job. A near miss of " +
			tfvalue.Quoted(account.ProviderTypes()) + " is an error. Default " + tfvalue.Quoted(settings.DefaultCleanUpTypes()) + ".",
		Validators: []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
	}
}

// readCleanUp reads clean_up_types into the settings.
func readCleanUp(set types.Set, s *settings.Settings) (diags diag.Diagnostics) {
	switch {
	case !tfvalue.Known(set):
		s.CleanUpUnknown = true
	case set.IsNull():
		s.CleanUpTypes = settings.DefaultCleanUpTypes()
	default:
		s.CleanUpTypes = slices.Sorted(slices.Values(tfvalue.SetTexts(set)))
	}
	known := account.ProviderTypes()
	for _, name := range s.CleanUpTypes {
		if meant := settings.MeantLimit(name, known); meant != "" {
			diags.AddAttributeError(cleanUpPath.AtSetValue(types.StringValue(name)), diagnose.SummaryUnknownType, fmt.Sprintf(
				"clean_up_types: there is no provider type %q. Did you mean %q? The types that are always known are %s. Another one is taken as it "+
					"is written, unless its name is this near to a known one.", name, meant, strings.Join(known, ", ")))
		}
	}
	return diags
}

// readPool reads pool into the settings: the kind of the accounts, the keys of their labels, which free one is taken, and what is not known
// yet.
func readPool(ctx context.Context, object types.Object, s *settings.Settings) (diags diag.Diagnostics) {
	s.Kind, s.Keys = garden.CredentialsBinding, labelSchemes[0].keys()
	if object.IsUnknown() {
		s.KeysUnknown, s.Unknown = true, append(s.Unknown, "pool")
		return nil
	}
	if object.IsNull() {
		return nil
	}
	var model struct {
		Kind        types.String `tfsdk:"kind"`
		LabelScheme types.String `tfsdk:"label_scheme"`
		LabelKeys   types.Object `tfsdk:"label_keys"`
		Prefer      types.String `tfsdk:"prefer"`
		MinFreeTime types.String `tfsdk:"min_free_time"`
	}
	diags.Append(object.As(ctx, &model, basetypes.ObjectAsOptions{})...)
	for name, value := range object.Attributes() {
		if !tfvalue.Known(value) {
			s.Unknown = append(s.Unknown, "pool."+name)
		}
	}
	slices.Sort(s.Unknown)
	s.Policy.Prefer, s.Policy.MinFreeTime = account.Preference(model.Prefer.ValueString()), tfvalue.DurationOf(model.MinFreeTime, 0)
	s.KeysUnknown = !tfvalue.Known(model.LabelScheme, model.LabelKeys)
	if !model.Kind.IsNull() {
		s.Kind = garden.Kind(model.Kind.ValueString())
	}
	for _, scheme := range labelSchemes {
		if scheme.name == model.LabelScheme.ValueString() {
			s.Keys = scheme.keys()
		}
	}
	own := model.LabelKeys.Attributes()
	for _, role := range labelRoles {
		if key, ok := own[role.name].(types.String); ok && !key.IsNull() {
			*role.key(&s.Keys) = key.ValueString()
		}
	}
	diags.Append(checkKeys(s.Keys, own, model.LabelScheme.IsUnknown())...)
	return diags
}

// checkKeys checks the keys that label_keys sets: each must be the key of a label, and of one label alone. What is not
// known yet is not checked; the keys of the scheme are right by themselves.
func checkKeys(keys garden.LabelKeys, own map[string]attr.Value, schemeUnknown bool) (diags diag.Diagnostics) {
	users := map[string]string{} // by key
	for _, role := range labelRoles {
		if own[role.name] == nil || own[role.name].IsNull() {
			if !schemeUnknown {
				users[*role.key(&keys)] = role.name
			}
		}
	}
	for _, role := range labelRoles {
		if own[role.name] == nil || own[role.name].IsNull() || own[role.name].IsUnknown() {
			continue
		}
		key, at := *role.key(&keys), path.Root("pool").AtName("label_keys").AtName(role.name)
		if err := garden.CheckLabelKey(key); err != nil {
			diags.AddAttributeError(at, diagnose.SummaryBadLabelKey,
				fmt.Sprintf("label_keys.%s = %q cannot be the key of a label: %s.", role.name, key, err))
			continue
		}
		if other, taken := users[key]; taken {
			diags.AddAttributeError(at, diagnose.SummaryBadLabelKey, fmt.Sprintf(
				"label_keys.%s = %q is the key of %s already. One label cannot say two things: write each key exactly as the accounts carry "+
					"it.", role.name, key, other))
			continue
		}
		users[key] = role.name
	}
	return diags
}
