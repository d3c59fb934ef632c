package clusterrequest

import (
	"context"
	"maps"
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

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/provider/adrrequest"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// How long the operations may take where the configuration does not say: a cluster provider makes a cluster in a quarter of an hour.
const (
	createTimeout = 45 * time.Minute
	updateTimeout = 45 * time.Minute
	deleteTimeout = 60 * time.Minute
)

// What an apply waits for.
const (
	waitReady   = "cluster_ready"
	waitGranted = "granted"
	waitNone    = "none"
)

// phaseLeaving is the phase of a request of the built-in scheduler that another party deletes, or a run that was cut short.
const phaseLeaving = "Terminating"

// Where a prefix comes from.
const (
	prefixDerived = "derived" // nothing enforces it
	prefixGranted = "granted" // the built-in scheduler keeps all others from it
)

type requestModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Purpose   types.String `tfsdk:"purpose"`
	adrrequest.Model
	Labels      types.Map      `tfsdk:"labels"`
	Annotations types.Map      `tfsdk:"annotations"`
	Protection  types.Bool     `tfsdk:"deletion_protection"`
	WaitFor     types.String   `tfsdk:"wait_for"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
	ID          types.String   `tfsdk:"id"`
	UID         types.String   `tfsdk:"uid"`
	computed
}

// computed is what a request gets.
type computed struct {
	Phase             types.String `tfsdk:"phase"`
	Cluster           types.Object `tfsdk:"cluster"`
	ClusterPhase      types.String `tfsdk:"cluster_phase"`
	Ready             types.Bool   `tfsdk:"ready"`
	Tenancy           types.String `tfsdk:"tenancy"`
	Tenants           types.Int64  `tfsdk:"tenants"`
	Profile           types.String `tfsdk:"profile"`
	ClusterProvider   types.String `tfsdk:"cluster_provider"`
	KubernetesVersion types.String `tfsdk:"kubernetes_version"`
	Endpoints         types.Map    `tfsdk:"endpoints"`
	Shoot             types.Object `tfsdk:"shoot"`
	Prefix            types.String `tfsdk:"prefix"`
	PrefixSource      types.String `tfsdk:"prefix_source"`
}

// clusterTypes are the types of the attribute cluster.
var clusterTypes = map[string]attr.Type{"namespace": types.StringType, "name": types.StringType}

var timeoutsMeanings = map[string]string{
	"create": "How long an apply waits until a new request has what `wait_for` says. A request that is not granted by then, or " +
		"5 minutes after the scheduler has seen it (30 seconds where no `Cluster` has its purpose and no other request was granted with it), " +
		"is withdrawn, with an error; one that cannot be withdrawn is kept, with a warning. A granted one whose cluster is not ready is kept, " +
		"with a warning, and the next apply waits on. Default `45m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long an apply waits on. Default `45m`.",
	"delete": "How long a destroy waits until the request is gone, and with it the `Cluster` whose last request it was. Default `60m`.",
}

func requestSchema(ctx context.Context) schema.Schema {
	fixed := []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()}
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	all := schema.Schema{
		MarkdownDescription: "A cluster that is requested from openMCP: a `ClusterRequest` on the platform cluster, for which the " +
			"openmcp-operator (v1.3.0) finds a `Cluster` or makes one. Where a request stays pending the error says what can be seen of it, " +
			"because the operator says nothing. A cluster that is slow is never lost for it.\n\n" +
			"Where no operator runs yet, `platform.scheduler = \"builtin\"` in the provider block has the provider itself grant requests, with " +
			"purposes, traits and prefixes as the proposal of the Cluster API has them; see the guide " +
			"[Purposes, traits, prefixes](../guides/purposes-traits-prefixes.md). Such a request takes `purposes` in place of `purpose`. A " +
			"request that holds a `Cluster` keeps it: other `purposes`, `dedicated`, `traits` or `kubernetes_version_wanted` are an update in " +
			"place where the `Cluster` serves them, and otherwise make another request; other `purpose_definitions`, other " +
			"`trait_equivalences` and another `prefix_proposal` change nothing of what it has.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The namespace of the request on the platform cluster. Default: the provider's `platform.namespace`. Another " +
					"one makes another request.",
				Validators:    []validator.String{family.LabelName},
				PlanModifiers: []planmodifier.String{family.ReplacedWhereKnown(), stringplanmodifier.UseNonNullStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the request. The name of a new `Cluster` may be derived from it. Another one " +
					"makes another request.",
				Validators:    []validator.String{family.ObjectName},
				PlanModifiers: []planmodifier.String{family.ReplacedWhereKnown()},
			},
			"purpose": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "What the cluster is for: one of the `purposeMappings` of the operator's configuration. " +
					"A request cannot change it: another purpose withdraws the request, with the cluster that goes with it, and makes another. " +
					"With the built-in scheduler it is the first of `purposes`, which the operator uses after a handover.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"labels": family.Texts("Labels of the request. Those that begin with `metadata.open-control-plane.io/` go on to an exclusive "+
				"`Cluster`, also when they change. The operator may serve only requests with certain labels.", family.Unreserved(nil)),
			"annotations": family.Texts("Annotations of the request. Those that begin with `metadata.open-control-plane.io/` go on to an exclusive "+
				"`Cluster`, also when they change. `openmcp.cloud/operation = \"ignore\"` has the operator leave it alone.",
				family.Unreserved(access.ReservedAnnotations)),
			"deletion_protection": family.DeletionProtection("Whether a destroy and a replacement are refused that would end the last hold on a " +
				"`Cluster`: no other request holds it, or all others are withdrawn by the same plan. A request that holds none, or whose `Cluster` " +
				"others hold on to, can be destroyed."),
			"wait_for": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(waitReady),
				MarkdownDescription: "What an apply waits for: `cluster_ready`, `granted` (there is a `Cluster`), or `none`. Default " +
					"`cluster_ready`.",
				Validators: []validator.String{stringvalidator.OneOf(waitReady, waitGranted, waitNone)},
			},
			"timeouts": family.Timeouts(ctx, timeoutsMeanings),
			"id":       schema.StringAttribute{Computed: true, MarkdownDescription: "`<namespace>/<name>`.", PlanModifiers: fixed},
			"uid":      schema.StringAttribute{Computed: true, MarkdownDescription: "The UID of the request.", PlanModifiers: fixed},
			"phase": text("The phase of the request: `Pending`, `Granted` or `Denied`; null before a scheduler has seen it. The operator denies " +
				"none. `Terminating` is a request of the built-in scheduler that another party has deleted: the next apply ends that, and makes it " +
				"anew."),
			"cluster": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "The `Cluster` of the request; null until it is granted.",
				Attributes: map[string]schema.Attribute{
					"namespace": text("Its namespace on the platform cluster."), "name": text("Its name."),
				},
			},
			"cluster_phase": text("The phase of the `Cluster`, such as `Ready` or `Progressing`; null where there is none."),
			"ready": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the `Cluster` can be used. An apply that does not see it " +
				"in time ends with a warning: `postcondition { condition = self.ready }` keeps what depends on the cluster from running then."},
			"tenancy": text("Whether the `Cluster` is for this request alone (`Exclusive`) or for several (`Shared`)."),
			"tenants": schema.Int64Attribute{Computed: true,
				MarkdownDescription: "How many requests hold the `Cluster`, this one among them."},
			"profile":            text("The profile that the `Cluster` is made by."),
			"cluster_provider":   text("The cluster provider of the `Cluster`; null until it has taken it."),
			"kubernetes_version": text("The Kubernetes version of the `Cluster`, as its provider reports it; null until then."),
			"endpoints": schema.MapAttribute{Computed: true, ElementType: types.StringType,
				MarkdownDescription: "The URLs of the cluster's API server by their names, such as `external`."},
			"shoot": family.ShootAttribute(),
			"prefix": text("A prefix for the names of the request's own cluster-scoped objects, so that they do not collide with those of other " +
				"requests on the `Cluster`. The built-in scheduler grants it with the `Cluster`, and it stays after a handover. With the operator " +
				"it is empty where that has made an exclusive one for this request alone, with its purpose alone; else eight characters that are " +
				"derived from namespace and name of the request, and `-`. The operator knows no prefixes, and enforces none."),
			"prefix_source": text("Where the prefix comes from: `granted` by the built-in scheduler, or `derived`; null where it is empty, or " +
				"there is no `Cluster` yet."),
		},
	}
	maps.Copy(all.Attributes, adrrequest.ResourceAttributes())
	return all
}
