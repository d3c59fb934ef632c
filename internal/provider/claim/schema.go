package claim

import (
	"context"
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// defaultClaimName is the name of a claim that is given none.
const defaultClaimName = "default"

// claimName is what a claim's name looks like.
var claimName = regexp.MustCompile(`^[^/\x00-\x1f\x7f]+$`)

// How long the operations may take where the configuration does not say.
const (
	createTimeout = 5 * time.Minute
	updateTimeout = 2 * time.Minute
	deleteTimeout = time.Hour // Gardener deletes a cluster for half an hour
)

type claimModel struct {
	request.Model
	ID              types.String   `tfsdk:"id"`
	Name            types.String   `tfsdk:"name"`
	GlobalAccount   types.String   `tfsdk:"global_account"`
	RuleSet         types.Object   `tfsdk:"rule_set"`
	ClusterName     types.String   `tfsdk:"cluster_name"`
	BindingName     types.String   `tfsdk:"binding_name"`
	WaitForAccount  types.Bool     `tfsdk:"wait_for_account"`
	Owner           types.String   `tfsdk:"owner"`
	Lease           types.String   `tfsdk:"lease"`
	OnDestroy       types.String   `tfsdk:"on_destroy"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
	BindingUID      types.String   `tfsdk:"binding_uid"`
	ProviderType    types.String   `tfsdk:"provider_type"`
	CredentialsRef  types.Object   `tfsdk:"credentials_ref"`
	HyperscalerType types.String   `tfsdk:"hyperscaler_type"`
	Shared          types.Bool     `tfsdk:"shared"`
	EUAccess        types.Bool     `tfsdk:"eu_access"`
	NewlyClaimed    types.Bool     `tfsdk:"newly_claimed"`
	ClaimedAt       types.String   `tfsdk:"claimed_at"`
	ExpiresAt       types.String   `tfsdk:"expires_at"`
	ClusterCount    types.Int64    `tfsdk:"cluster_count"`
	Reserved        types.Int64    `tfsdk:"reserved"`
	Limit           types.Int64    `tfsdk:"limit"`
	Dirty           types.Bool     `tfsdk:"dirty"`
}

// timeoutsMeanings describe the attribute timeouts.
var timeoutsMeanings = map[string]string{
	"create": "How long a claim may take, such as `90s`; as long it waits with `wait_for_account`. Default `5m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long a change may take. Default `2m`.",
	"delete": "How long a release may take, beside `release_grace`; as long it waits for clusters on the account that are being deleted. " +
		"Default `60m`. The value in the state counts.",
}

var credentialsRefTypes = map[string]attr.Type{
	"api_version": types.StringType, "kind": types.StringType, "namespace": types.StringType, "name": types.StringType,
}

func claimSchema(ctx context.Context) schema.Schema {
	keepText := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	keepBool := []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}
	computedText := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description, PlanModifiers: keepText}
	}
	return schema.Schema{
		MarkdownDescription: "An account of the pool, claimed for a Global Account and tracked for as long as the claim lives. Rules map the " +
			"request to a pool; an account that the Global Account holds and that is below its limit is used, the fullest first, else a free one " +
			"is claimed. Once made, a claim stays on its account.",
		Attributes: map[string]schema.Attribute{
			"id": computedText("`<global_account>/<binding_name>/<name>`, the same as for an import."),
			"name": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(defaultClaimName),
				MarkdownDescription: "The claim's own name, unique per Global Account and pool across all configurations. Default `default`. A " +
					"change makes another claim.",
				Validators: []validator.String{stringvalidator.LengthBetween(1, account.MaxClaimName), stringvalidator.RegexMatches(claimName,
					"must not contain a slash or a control character: it is part of the ID")},
			},
			"global_account": schema.StringAttribute{
				Required: true, MarkdownDescription: request.Descriptions["global_account"] + " A change makes another claim.",
				Validators: []validator.String{tfvalue.LabelValue{What: "Global Account", Summary: diagnose.SummaryInvalidGA}},
			},
			"rule_set": schema.SingleNestedAttribute{
				Optional: true, WriteOnly: true,
				MarkdownDescription: "The rules: `hap_rule_set.<name>`, or an object with the same inputs. Needed where a claim is made, and where " +
					"its request changes: the rules say then whether it leads to another pool. Write-only: never in state, so that an edited rule " +
					"touches no claim that exists. Under `ignore_changes` the provider does not see it.",
				Attributes: request.WriteOnlyAttributes(),
			},
			// The request is computed beside so that it may stay empty after an import, see unrecordedRequest.
			"plan":            schema.StringAttribute{Required: true, MarkdownDescription: requestDescription("plan")},
			"platform_region": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: requestDescription("platform_region")},
			"hyperscaler_region": schema.StringAttribute{Optional: true, Computed: true,
				MarkdownDescription: requestDescription("hyperscaler_region")},
			"hyperscaler": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: requestDescription("hyperscaler")},
			"cluster_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The Shoot that the claim is for: it reserves one place on the account until that Shoot exists.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"binding_name": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The account (the name of its `CredentialsBinding`). Set it to get exactly this account or an error. Left out, " +
					"the pool chooses. A change makes another claim, unless the two names are bindings of one cloud account: then the claim goes to " +
					"the new one in place.",
				PlanModifiers: keepText,
				Validators:    []validator.String{family.ObjectName},
			},
			"wait_for_account": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether an apply waits for an account where the pool is exhausted: it looks again, at first " +
					"after five seconds, later each minute, as long as `timeouts.create` allows. A pinned account is not waited for. Default `false`: " +
					"an exhausted pool is an error at once.",
			},
			"owner": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Free text that says who keeps the claim, recorded on the account, e.g. the pipeline. A claim " +
					"of another owner is never taken over. No secrets.",
				Validators: []validator.String{stringvalidator.LengthBetween(1, account.MaxOwner)},
			},
			"lease": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long the claim is meant to live, from `claimed_at` on, such as `720h`; recorded on the account and changed " +
					"in place. At most ten years (`87600h`). Nothing happens by itself when it ends: see `expires_at`. On a shared account, where " +
					"nothing is recorded, it is in the state alone.",
				Validators: []validator.String{tfvalue.Duration{What: "lease", Least: account.MinLease, Most: account.MaxLease,
					Summary: diagnose.SummaryInvalidLease, ForExample: "90m or 720h"}},
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(string(account.MarkDirty)),
				MarkdownDescription: "What becomes of the account when its last claim is destroyed. `mark_dirty` (default): the clean-up job wipes " +
					"it and frees it. `return_to_pool`: it is free at once, without a clean-up; only for an account that this claim took from the pool, " +
					"on which no other claim is, and no refresh of this claim that an apply has saved counted a cluster; the rest is for you to " +
					"know. `keep`: it stays with the Global Account.",
				Validators: []validator.String{stringvalidator.OneOf(string(account.MarkDirty), string(account.ReturnToPool), string(account.Keep))},
			},
			"timeouts":      family.Timeouts(ctx, timeoutsMeanings),
			"binding_uid":   computedText("The UID of the account's object: a new object under the same name is another account."),
			"provider_type": computedText("The Gardener provider type of the account, e.g. `aws`."),
			"credentials_ref": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "Where the credentials are; a claim never reads their content.",
				PlanModifiers: []planmodifier.Object{objectplanmodifier.UseStateForUnknown()},
				Attributes: map[string]schema.Attribute{
					"api_version": schema.StringAttribute{Computed: true, MarkdownDescription: "`v1` for a `Secret`."},
					"kind":        schema.StringAttribute{Computed: true, MarkdownDescription: "`Secret`, `WorkloadIdentity` or `InternalSecret`."},
					"namespace":   schema.StringAttribute{Computed: true, MarkdownDescription: "Its namespace."},
					"name":        schema.StringAttribute{Computed: true, MarkdownDescription: "Its name."},
				},
			},
			"hyperscaler_type": computedText("The pool's hyperscaler type; known at plan."),
			"shared": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the account is shared by all tenants; known at plan. On " +
				"a shared account nothing is ever written.", PlanModifiers: keepBool},
			"eu_access": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the pool is one for EU access; known at plan.",
				PlanModifiers: keepBool},
			"newly_claimed": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether this claim took the account from the pool; " +
				"otherwise the Global Account held it already.", PlanModifiers: keepBool},
			"claimed_at": schema.StringAttribute{
				Computed: true, MarkdownDescription: "When the claim was made (RFC 3339); null while nothing is recorded on the account.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			},
			"expires_at": schema.StringAttribute{Computed: true,
				MarkdownDescription: "When the lease ends (RFC 3339): `claimed_at` and `lease`; null without a lease."},
			"cluster_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "The clusters on the account, as last counted."},
			"reserved": schema.Int64Attribute{Computed: true,
				MarkdownDescription: "The places that claims reserve on the account for clusters which are not there yet."},
			"limit": schema.Int64Attribute{Computed: true,
				MarkdownDescription: "The most clusters that the account may have; null where no limit applies."},
			"dirty": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the account is marked dirty: it takes no new clusters."},
		},
	}
}

func requestDescription(attribute string) string {
	return request.Descriptions[attribute] + " A change replaces the claim only if it leads to another pool."
}
