package account

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// How long the operations may take where the configuration does not say.
const (
	createTimeout = 2 * time.Minute
	updateTimeout = 2 * time.Minute
	deleteTimeout = 5 * time.Minute
)

type accountModel struct {
	Name            types.String   `tfsdk:"name"`
	ProviderType    types.String   `tfsdk:"provider_type"`
	HyperscalerType types.String   `tfsdk:"hyperscaler_type"`
	CredentialsRef  types.Object   `tfsdk:"credentials_ref"`
	Shared          types.Bool     `tfsdk:"shared"`
	EUAccess        types.Bool     `tfsdk:"eu_access"`
	Internal        types.Bool     `tfsdk:"internal"`
	Quarantine      types.String   `tfsdk:"quarantine"`
	Labels          types.Map      `tfsdk:"labels"`
	Quotas          types.Set      `tfsdk:"quotas"`
	RuleSet         types.Object   `tfsdk:"rule_set"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
	UID             types.String   `tfsdk:"uid"`
	GlobalAccount   types.String   `tfsdk:"global_account"`
	Dirty           types.Bool     `tfsdk:"dirty"`
	Clusters        types.Int64    `tfsdk:"clusters"`
	Class           types.String   `tfsdk:"class"`
}

// The paths of the attributes at which errors are reported.
var (
	namePath        = path.Root("name")
	typePath        = path.Root("hyperscaler_type")
	providerPath    = path.Root("provider_type")
	credentialsPath = path.Root("credentials_ref")
	labelsPath      = path.Root("labels")
	quarantinePath  = path.Root("quarantine")
)

var timeoutsMeanings = map[string]string{
	"create": "How long it may take to put the account into the pool, such as `90s`. Default `2m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long a change may take. Default `2m`.",
	"delete": "How long it may take until the account is gone: Gardener keeps it while Shoots refer to it. Default `5m`.",
}

func accountSchema(ctx context.Context) schema.Schema {
	flag := func(description, counts string) schema.BoolAttribute {
		return schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false), MarkdownDescription: description + " Default `false`: then " +
				"there is no such label. " + counts,
		}
	}
	const byValue = "It counts with the value `true` alone."
	return schema.Schema{
		MarkdownDescription: "An account of the pool, as its owner sees it: the object that Gardener and the broker know (`pool.kind`), with " +
			"the labels that say which pool it is in. It is put into the pool, changed while no Global Account holds it, and taken out when " +
			"nothing is on it. The tenant, the mark `dirty` and the records of claims belong to others and are left alone.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the object, which claims call `binding_name`. A change makes another account.",
				Validators: []validator.String{family.ObjectName},
			},
			"provider_type": schema.StringAttribute{
				Required: true, MarkdownDescription: "The Gardener provider type, e.g. `aws`. A change makes the account anew, and is an error " +
					"while the account is held or used.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"hyperscaler_type": schema.StringAttribute{
				Required: true, MarkdownDescription: "The pool, as rules name it: `<hyperscaler>[_<platform region>][_<hyperscaler region>]`, e.g. " +
					"`aws` or `gcp_cf-sa30`. A change makes the account anew, and is an error while the account is held or used.",
				Validators: []validator.String{tfvalue.LabelValue{What: "Hyperscaler type", Summary: diagnose.SummaryInvalidLabel}},
			},
			"credentials_ref": credentialsAttribute(),
			"quotas":          quotasAttribute(),
			"shared":          flag("Whether the account serves all tenants (label `shared`).", byValue),
			"eu_access": flag("Whether the account is for requests with EU access (label `euAccess`).",
				"For the broker its presence counts, whatever its value: it never finds an account with `euAccess=false`."),
			"internal": flag("Whether the account is kept for internal use (label `internal`): claims pass over it.", byValue),
			"quarantine": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Why the account is taken out of circulation. It gets the label `dirty=quarantine`: no claim and no broker puts " +
					"a cluster on it, and no clean-up job wipes it; claims on it go on. Without the attribute the account is given back. Not on " +
					"an account that is dirty, being released, or shared. No secrets.",
				Validators: []validator.String{stringvalidator.LengthBetween(1, account.MaxReason)},
			},
			"labels": family.Texts("Further labels. Labels that are not named here are left alone."),
			"rule_set": schema.SingleNestedAttribute{
				Optional: true, WriteOnly: true,
				MarkdownDescription: "The rules: `hap_rule_set.<name>`, or an object with the same inputs. A plan warns where no rule leads to the " +
					"pool of the account. Write-only: never in state.",
				Attributes: request.WriteOnlyAttributes(),
			},
			"timeouts": family.Timeouts(ctx, timeoutsMeanings),
			"uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "The UID of the object: a new object under the same name is another account.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"global_account": schema.StringAttribute{Computed: true, MarkdownDescription: "The Global Account that holds the account; null: none."},
			"dirty": schema.BoolAttribute{Computed: true,
				MarkdownDescription: "Whether the account has the label `dirty` with another value than `false`."},
			"clusters": schema.Int64Attribute{Computed: true, MarkdownDescription: "The clusters on the account, as last counted."},
			"class": schema.StringAttribute{Computed: true, MarkdownDescription: "What the account is, whichever Global Account asks: " +
				tfvalue.Quoted(classNames()) + "."},
		},
	}
}

// classNames are the classes of an account that is looked at for no Global Account in particular.
func classNames() []string {
	var names []string
	for _, class := range account.Classes() {
		if class != account.ClassTaken {
			names = append(names, string(class))
		}
	}
	return names
}
