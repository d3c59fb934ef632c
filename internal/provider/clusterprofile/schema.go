package clusterprofile

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// How long the operations may take where the configuration does not say.
const (
	createTimeout = 5 * time.Minute
	updateTimeout = 5 * time.Minute
	deleteTimeout = 5 * time.Minute
)

// gardenerProvider is the usual name of the Gardener cluster provider.
const gardenerProvider = "gardener"

type configModel struct {
	Name                   types.String   `tfsdk:"name"`
	ProviderRef            types.String   `tfsdk:"provider_ref"`
	LandscapeRef           types.String   `tfsdk:"landscape_ref"`
	Project                types.String   `tfsdk:"project"`
	Environment            types.String   `tfsdk:"environment"`
	ShootTemplate          types.String   `tfsdk:"shoot_template"`
	CredentialsBindingName types.String   `tfsdk:"credentials_binding_name"`
	GlobalAccount          types.String   `tfsdk:"global_account"`
	Extensions             types.String   `tfsdk:"enforced_shoot_extensions"`
	Traits                 types.Set      `tfsdk:"traits"`
	Labels                 types.Map      `tfsdk:"labels"`
	Annotations            types.Map      `tfsdk:"annotations"`
	WaitForProfile         types.Bool     `tfsdk:"wait_for_profile"`
	Timeouts               timeouts.Value `tfsdk:"timeouts"`
	ID                     types.String   `tfsdk:"id"`
	UID                    types.String   `tfsdk:"uid"`
	ProfileName            types.String   `tfsdk:"profile_name"`
	Phase                  types.String   `tfsdk:"phase"`
	Conditions             types.Map      `tfsdk:"conditions"`
}

var timeoutsMeanings = map[string]string{
	"create": "How long an apply may take to read the account, to make the configuration, and to wait for the profile. Default `5m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long an apply may take to change it, and to wait for the profile. Default `5m`.",
	"delete": "How long a destroy waits until the cluster provider has let it go. Default `5m`.",
}

func configSchema(ctx context.Context) schema.Schema {
	fixed := []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()}
	named := []validator.String{family.LabelName}
	return schema.Schema{
		MarkdownDescription: "The tie between a claimed account and a profile of openMCP: a `ProviderConfig` of the Gardener cluster provider, " +
			"whose Shoot template names the account. Clusters that are requested with the profile come to the account. The cluster provider " +
			"merges the template into every live Shoot of the profile again and again; so the account of a profile that Clusters use never " +
			"changes here.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the `ProviderConfig`, and the last part of the profile's. Another one makes " +
					"another profile.",
				Validators: named, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"provider_ref": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(gardenerProvider),
				MarkdownDescription: "The name of the `ClusterProvider` that serves it. Another one makes another profile. Default `" +
					gardenerProvider + "`.",
				Validators: named, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"landscape_ref": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the provider's `Landscape`, which says how it reaches the Garden. It does not " +
					"change while Clusters use the profile.", Validators: named,
			},
			"project": schema.StringAttribute{
				Required: true, MarkdownDescription: "The Gardener project of the Shoots: that of the provider block's `namespace`, without " +
					"`garden-`. It does not change while Clusters use the profile.", Validators: named,
			},
			"environment": schema.StringAttribute{
				Required: true, MarkdownDescription: "The environment that the cluster provider runs with (`--environment`), which its object does " +
					"not name: the first part of `profile_name`. A change of it sends nothing.", Validators: named,
			},
			"shoot_template": schema.StringAttribute{
				Required: true, MarkdownDescription: "`metadata.labels`, `metadata.annotations` and `spec` of a Shoot, in YAML or JSON, read as " +
					"strictly as `template` of `hap_shoot`. It names no account. A change goes to every live Shoot of the profile.",
			},
			"credentials_binding_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The account: `binding_name` of a `hap_credentials_binding_claim`. Required where the " +
					"template has workers, and not allowed where it has none. It does not change while Clusters use the profile; otherwise a " +
					"change makes the configuration anew.",
				Validators: []validator.String{family.ObjectName},
			},
			"global_account": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The Global Account that the clusters are for: `global_account` of the claim. Required " +
					"where the account is dedicated: it must hold the account, at plan and just before the object is written, and each later plan " +
					"compares the two.",
				Validators: []validator.String{tfvalue.LabelValue{What: "Global Account", Summary: diagnose.SummaryInvalidGA}},
			},
			"enforced_shoot_extensions": schema.StringAttribute{
				Optional: true, MarkdownDescription: "A list of Gardener extensions that each Shoot of the profile gets, in YAML or JSON: " +
					"`yamlencode([{ type = \"shoot-oidc-service\" }])`. `yamlencode([])` is none; left out, the provider enforces the OIDC extension.",
			},
			"traits": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Traits that the clusters of the profile have beside those " +
					"that follow from the template, such as `[\"example.com/zone/eu\"]`, by which requests of the built-in scheduler distinguish one " +
					"profile from another. One that contradicts the template is an error. They are an annotation of the `ProviderConfig`; no operator " +
					"and no cluster provider reads it.",
				Validators: []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(traitName{})},
			},
			"wait_for_profile": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether an apply waits until the cluster provider has published the profile, so that what " +
					"depends on it finds the profile: a grant of the built-in scheduler is for life. It is an error where the provider does not " +
					"publish it, with the provider's own conditions. Default `true`.",
			},
			"labels":      family.Texts("Labels of the `ProviderConfig`."),
			"annotations": family.Texts("Annotations of the `ProviderConfig`.", family.Unreserved(configs.ReservedAnnotations)),
			"timeouts":    family.Timeouts(ctx, timeoutsMeanings),
			"id":          schema.StringAttribute{Computed: true, MarkdownDescription: "The name.", PlanModifiers: fixed},
			"uid":         schema.StringAttribute{Computed: true, MarkdownDescription: "The UID of the `ProviderConfig`.", PlanModifiers: fixed},
			"profile_name": schema.StringAttribute{Computed: true, MarkdownDescription: "The `ClusterProfile` that the cluster provider " +
				"publishes for it: `<environment>.<provider_ref>.<name>`. Known at plan; for `profile` of the operator's `purposeMappings`."},
			"phase": schema.StringAttribute{Computed: true, MarkdownDescription: "The phase of the `ProviderConfig`; null until the cluster " +
				"provider has processed it."},
			"conditions": schema.MapAttribute{Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Its conditions, with their status: `True`, `False` or `Unknown`."},
		},
	}
}
