package shoot

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// How long the operations may take where the configuration does not say: Gardener brings a cluster up in a quarter of an hour.
const (
	createTimeout = 60 * time.Minute
	updateTimeout = 60 * time.Minute
	deleteTimeout = 60 * time.Minute
)

// What an apply waits for.
const (
	waitReady   = "ready"
	waitCreated = "created"
)

// What happens where a field changes that Gardener does not let change in a live cluster.
const (
	immutableError   = "error"
	immutableReplace = "replace"
)

type shootModel struct {
	Name                   types.String   `tfsdk:"name"`
	Template               types.String   `tfsdk:"template"`
	CredentialsBindingName types.String   `tfsdk:"credentials_binding_name"`
	GlobalAccount          types.String   `tfsdk:"global_account"`
	Labels                 types.Map      `tfsdk:"labels"`
	Annotations            types.Map      `tfsdk:"annotations"`
	ClusterRef             types.Object   `tfsdk:"cluster_ref"`
	DeletionProtection     types.Bool     `tfsdk:"deletion_protection"`
	OnImmutableChange      types.String   `tfsdk:"on_immutable_change"`
	WaitFor                types.String   `tfsdk:"wait_for"`
	Timeouts               timeouts.Value `tfsdk:"timeouts"`
	ID                     types.String   `tfsdk:"id"`
	UID                    types.String   `tfsdk:"uid"`
	TechnicalID            types.String   `tfsdk:"technical_id"`
	Seed                   types.String   `tfsdk:"seed"`
	KubernetesVersion      types.String   `tfsdk:"kubernetes_version"`
	APIServerURLs          types.Map      `tfsdk:"api_server_urls"`
	Workerless             types.Bool     `tfsdk:"workerless"`
	Hibernated             types.Bool     `tfsdk:"hibernated"`
	Ready                  types.Bool     `tfsdk:"ready"`
	AccessName             types.String   `tfsdk:"access_name"`
	Conditions             types.Map      `tfsdk:"conditions"`
	CACertificate          types.String   `tfsdk:"ca_certificate"`
}

// clusterRefModel is the attribute cluster_ref.
type clusterRefModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// clusterRefTypes are the types of the attribute cluster_ref.
var clusterRefTypes = map[string]attr.Type{"namespace": types.StringType, "name": types.StringType}

var timeoutsMeanings = map[string]string{
	"create": "How long an apply waits until a new cluster is ready. When the time is over the cluster is kept, and the next apply waits " +
		"on. Default `60m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long an apply waits until a changed cluster is ready, in the same way. Default `60m`.",
	"delete": "How long a destroy waits until Gardener has taken the cluster down. When the time is over that is an error, Gardener goes " +
		"on, and the next destroy waits on. Default `60m`.",
}

func shootSchema(ctx context.Context) schema.Schema {
	fixed := []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()}
	return schema.Schema{
		MarkdownDescription: "A cluster on a claimed account: a Gardener `Shoot` as its template says, with every field that Gardener has. A " +
			"plan has Gardener itself check it, without making it. An apply waits until the cluster is ready. A cluster that is slow is never " +
			"tainted, and a live cluster is never moved to another account.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the Shoot: small letters, digits and `-`. Together with the name of the Gardener " +
					"project it has at most 21 characters. Cannot change: see `on_immutable_change`.",
				Validators: []validator.String{stringvalidator.LengthBetween(1, 21), family.LabelName},
			},
			"template": schema.StringAttribute{
				Required: true, MarkdownDescription: "`metadata.labels`, `metadata.annotations` and `spec` of a Shoot, in YAML or JSON: from " +
					"`yamlencode`, `file` or `templatefile`. It is read strictly: a field that Gardener does not know is an error; where this " +
					"provider does not know it, Gardener itself is asked. What it leaves out is left to Gardener. It names no " +
					"account.",
			},
			"credentials_binding_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The account: `binding_name` of a `hap_credentials_binding_claim`. Required where the " +
					"template has workers, and not allowed where it has none. Another binding of the same cloud account is taken in place. Another " +
					"account cannot be: see `on_immutable_change`.",
				Validators: []validator.String{family.ObjectName},
			},
			"global_account": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The Global Account that the cluster is for: `global_account` of the claim. Required where " +
					"the account is dedicated: it must hold the account, at plan and just before the cluster is made, and each later plan compares " +
					"the two. A change of it sends nothing. Shared accounts are not compared.",
				Validators: []validator.String{tfvalue.LabelValue{What: "Global Account", Summary: diagnose.SummaryInvalidGA}},
			},
			"labels":      family.Texts("Further labels of the Shoot, over those of the template."),
			"annotations": family.Texts("Further annotations of the Shoot, over those of the template."),
			"cluster_ref": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The `Cluster` of an openMCP landscape that this Shoot is: the two labels by which a cluster " +
					"provider finds the Shoot and takes it over later (`gardener.clusters.openmcp.cloud/cluster-namespace` and `…/cluster-name`). A " +
					"`Cluster` has one Shoot: a second one in the namespace of the provider is an error.",
				Attributes: map[string]schema.Attribute{
					"namespace": schema.StringAttribute{Required: true, MarkdownDescription: "Its namespace on the platform cluster.",
						Validators: []validator.String{family.LabelName}},
					"name": schema.StringAttribute{Required: true, MarkdownDescription: "Its name.",
						Validators: []validator.String{family.ObjectName}},
				},
			},
			"deletion_protection": family.DeletionProtection("Whether a destroy and a replacement are refused."),
			"on_immutable_change": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(immutableError),
				MarkdownDescription: "What a plan does where something changes that a live cluster keeps: its name, its account, and the fields " +
					"that Gardener calls immutable. `error` refuses; `replace` destroys the cluster, with all that runs in it, and makes another one. " +
					"Default `error`.",
				Validators: []validator.String{stringvalidator.OneOf(immutableError, immutableReplace)},
			},
			"wait_for": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(waitReady),
				MarkdownDescription: "What an apply waits for: `ready`, or `created`, which returns as soon as the Shoot exists or is changed. " +
					"Default `ready`.",
				Validators: []validator.String{stringvalidator.OneOf(waitReady, waitCreated)},
			},
			"timeouts": family.Timeouts(ctx, timeoutsMeanings),
			"id":       schema.StringAttribute{Computed: true, MarkdownDescription: "`<namespace>/<name>`.", PlanModifiers: fixed},
			"uid":      schema.StringAttribute{Computed: true, MarkdownDescription: "The UID of the Shoot.", PlanModifiers: fixed},
			"technical_id": computedText("The name of the cluster in its seed, such as `shoot--my-project--blue`; null until Gardener has given " +
				"it."),
			"seed": computedText("The seed that runs the control plane; null until Gardener has chosen one."),
			"kubernetes_version": computedText("The Kubernetes version that the Shoot has. Maintenance may raise it above the template's, which " +
				"is no drift."),
			"api_server_urls": computedMap("The URLs of the cluster's API server by the names that Gardener gives them, such as `external`; " +
				"empty until Gardener has published them."),
			"workerless": computedBool("Whether the cluster has no workers, and so no account."),
			"hibernated": computedBool("Whether the cluster is hibernated now."),
			"ready": computedBool("Whether Gardener has done all that the Shoot says now, and all conditions hold; it stays so while Gardener " +
				"reconciles a cluster whose spec has not changed. An apply that does not see " +
				"it in time ends with a warning: `postcondition { condition = self.ready }` keeps what depends on the cluster from running then."),
			"access_name": computedText("For `shoot_name` of `hap_shoot_access`: the name of the Shoot where it is ready, null where it is not, " +
				"and unknown in a plan that makes, changes or awaits it."),
			"conditions": computedMap("The conditions that Gardener watches, such as `APIServerAvailable`, with their status: `True`, `False`, " +
				"`Progressing` or `Unknown`."),
			"ca_certificate": computedText("The certificate authority of the cluster's API server, in PEM; null until the cluster is ready. " +
				"Read anew when it is rotated."),
		},
	}
}

func computedText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

func computedMap(description string) schema.MapAttribute {
	return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}
