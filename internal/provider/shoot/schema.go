package shoot

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
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
	"create": "How long an apply waits until the cluster is ready. It is not lost when the time is over: the next apply waits on. Default `60m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long an apply waits after a change. Default `60m`.",
	"delete": "How long a destroy waits until Gardener has taken the cluster down. Default `60m`.",
}

func shootSchema(ctx context.Context) schema.Schema {
	fixed := []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()}
	texts := func(description string) schema.MapAttribute {
		return schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "A cluster on a claimed account: a Gardener `Shoot`, all of it, as its template says. Gardener itself checks it at " +
			"plan. An apply waits until it is ready; a cluster that is slow is never destroyed for it, and no cluster is moved to another account.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the Shoot. With the project's it has at most 21 characters. A change makes another cluster: see `on_immutable_change`.",
				Validators: []validator.String{stringvalidator.LengthBetween(1, 21)},
			},
			"template": schema.StringAttribute{
				Required: true, MarkdownDescription: "`metadata.labels`, `metadata.annotations` and `spec` of a Shoot, in YAML or JSON (`yamlencode`, " +
					"`file`). It is read strictly. What it leaves out is left to Gardener.",
			},
			"credentials_binding_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The account, as a claim tells it: `hap_credentials_binding_claim.x.binding_name`. Left out where the " +
					"template has no workers. It never changes for a live cluster.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"labels":      texts("Further labels."),
			"annotations": texts("Further annotations."),
			"cluster_ref": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The Cluster of the openMCP that a cluster provider ties the Shoot to later.",
				Attributes: map[string]schema.Attribute{
					"namespace": schema.StringAttribute{Required: true, MarkdownDescription: "Its namespace."},
					"name":      schema.StringAttribute{Required: true, MarkdownDescription: "Its name."},
				},
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether a destroy is refused. Default `true`; set it to `false` and apply before a destroy or a replacement.",
			},
			"on_immutable_change": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(immutableError),
				MarkdownDescription: "What happens where a field changes that cannot change in a live cluster, its account among them: `error` (default), " +
					"or `replace`, which destroys the cluster and makes another one.",
				Validators: []validator.String{stringvalidator.OneOf(immutableError, immutableReplace)},
			},
			"wait_for": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(waitReady),
				MarkdownDescription: "What an apply waits for: `ready` (default) or `created`.",
				Validators:          []validator.String{stringvalidator.OneOf(waitReady, waitCreated)},
			},
			"timeouts":           family.Timeouts(ctx, timeoutsMeanings),
			"id":                 schema.StringAttribute{Computed: true, MarkdownDescription: "`<namespace>/<name>`.", PlanModifiers: fixed},
			"uid":                schema.StringAttribute{Computed: true, MarkdownDescription: "The UID of the object.", PlanModifiers: fixed},
			"technical_id":       computedText("The name of the cluster in its seed."),
			"seed":               computedText("The seed that runs the control plane; null until Gardener has chosen one."),
			"kubernetes_version": computedText("The version that the cluster has, which maintenance may raise above the template's."),
			"api_server_urls":    computedMap("The addresses of the cluster's API server, by their names in `status.advertisedAddresses`."),
			"workerless":         computedBool("Whether the cluster has no workers, and so no account."),
			"hibernated":         computedBool("Whether the cluster sleeps."),
			"ready": computedBool("Whether Gardener has done all that the template says, and every condition holds. What depends on the cluster " +
				"needs `postcondition { condition = self.ready }`: an apply that does not see it ready in time ends with a warning."),
			"access_name":    computedText("The name for `hap_shoot_access`: null while the cluster is not ready, and unknown in a plan that waits for it."),
			"conditions":     computedMap("What Gardener watches, by name: `True`, `False`, `Progressing` or `Unknown`."),
			"ca_certificate": computedText("The certificate authority of the cluster's API server, in PEM; null until Gardener has published it."),
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
