package cluster

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
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
	waitReady   = "ready"
	waitCreated = "created"
)

type clusterModel struct {
	Namespace   types.String   `tfsdk:"namespace"`
	Name        types.String   `tfsdk:"name"`
	Profile     types.String   `tfsdk:"profile"`
	Purposes    types.Set      `tfsdk:"purposes"`
	Tenancy     types.String   `tfsdk:"tenancy"`
	Version     types.String   `tfsdk:"kubernetes_version"`
	ConfigRefs  types.List     `tfsdk:"cluster_config_refs"`
	Labels      types.Map      `tfsdk:"labels"`
	Annotations types.Map      `tfsdk:"annotations"`
	Protection  types.Bool     `tfsdk:"deletion_protection"`
	WaitFor     types.String   `tfsdk:"wait_for"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
	ID          types.String   `tfsdk:"id"`
	UID         types.String   `tfsdk:"uid"`
	computed
}

// computed is what others report of a Cluster.
type computed struct {
	Phase          types.String `tfsdk:"phase"`
	Ready          types.Bool   `tfsdk:"ready"`
	Conditions     types.Map    `tfsdk:"conditions"`
	Endpoints      types.Map    `tfsdk:"endpoints"`
	RunningVersion types.String `tfsdk:"running_version"`
	Shoot          types.Object `tfsdk:"shoot"`
	Requests       types.List   `tfsdk:"requests"`
}

// holderTypes are the types of one of the attribute requests.
var holderTypes = map[string]attr.Type{
	"namespace": types.StringType, "name": types.StringType, "uid": types.StringType, "prefix": types.StringType,
}

var holderType = types.ObjectType{AttrTypes: holderTypes}

var timeoutsMeanings = map[string]string{
	"create": "How long an apply waits until a new `Cluster` is ready. One that is not is kept, with a warning, and the next apply waits " +
		"on. Default `45m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long an apply waits on. Default `45m`.",
	"delete": "How long a destroy waits until the `Cluster` is gone. Default `60m`.",
}

func clusterSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A `Cluster` of openMCP (openmcp-operator v1.3.0) that is made by itself, without a request: the first one of a " +
			"landscape, or one that requests are to share. The cluster provider of its profile makes it. A `Cluster` that is slow is never lost " +
			"for it, and none is deleted or changed under the requests that hold it.",
		Attributes: attributes(ctx),
	}
}

func attributes(ctx context.Context) map[string]schema.Attribute {
	all := outputs()
	replaces := family.ReplacedWhereKnown()
	anew := []planmodifier.String{replaces}
	named := []validator.String{stringvalidator.LengthAtLeast(1)}
	all["namespace"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "The namespace of the `Cluster` on the platform cluster. Default: the provider's `platform.namespace`. Another " +
			"one makes another `Cluster`.",
		Validators:    []validator.String{family.LabelName},
		PlanModifiers: []planmodifier.String{replaces, stringplanmodifier.UseNonNullStateForUnknown()},
	}
	all["name"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "The name of the `Cluster`. The operator calls the one shared `Cluster` of a purpose by the " +
			"name of the purpose: it uses one of that name as it is where that has the purpose, and else overwrites its spec while no request " +
			"holds it. Another name makes another `Cluster`.",
		Validators: []validator.String{family.ObjectName}, PlanModifiers: anew,
	}
	all["profile"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "The `ClusterProfile` that the `Cluster` is made by: `profile_name` of a " +
			"`hap_gardener_provider_config`, or one of `hap_cluster_profiles`. A `Cluster` cannot change it: another one makes another " +
			"`Cluster`, which is refused while requests hold it.",
		Validators: named, PlanModifiers: anew,
	}
	all["purposes"] = schema.SetAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "What the `Cluster` is for: requests of these purposes may be given it. None is taken away while requests hold " +
			"the `Cluster`. Those that others have added stay.",
		Validators: []validator.Set{setvalidator.NoNullValues(), setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(named...)},
	}
	all["tenancy"] = schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(api.Exclusive),
		MarkdownDescription: "Whether the `Cluster` is for one request (`Exclusive`) or for several (`Shared`). It does not become " +
			"`Exclusive` while more than one holds it. Default `Exclusive`.",
		Validators: []validator.String{stringvalidator.OneOf(api.Shared, api.Exclusive)},
	}
	all["kubernetes_version"] = schema.StringAttribute{
		Optional: true, MarkdownDescription: "The Kubernetes version to make the `Cluster` with. Left out, the cluster provider chooses one. " +
			"Gardener's takes that of the profile's Shoot template, whatever is written here: a plan warns where the two differ, and each plan " +
			"where the `Cluster` is ready and runs another one.",
		Validators: named,
	}
	all["cluster_config_refs"] = schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "The names of configuration objects of the cluster provider in the namespace of the `Cluster` " +
			"(`spec.clusterConfigs`).",
		Validators: []validator.List{
			listvalidator.NoNullValues(), listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(family.ObjectName),
		},
	}
	all["labels"] = family.Texts("Labels of the `Cluster`. The operator may offer only Clusters with certain labels.",
		family.Unreserved(clusters.ReservedLabels))
	all["annotations"] = family.Texts("Annotations of the `Cluster`. `openmcp.cloud/operation = \"ignore\"` has controllers leave it alone.",
		family.Unreserved(clusters.ReservedAnnotations))
	all["deletion_protection"] = family.DeletionProtection("Whether a destroy and a replacement are refused: both delete the `Cluster`, " +
		"with all that runs there.")
	all["wait_for"] = schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(waitReady),
		MarkdownDescription: "What an apply waits for: `ready`, or `created` (nothing more than that the `Cluster` is made). Default `ready`.",
		Validators:          []validator.String{stringvalidator.OneOf(waitReady, waitCreated)},
	}
	all["timeouts"] = family.Timeouts(ctx, timeoutsMeanings)
	return all
}

// outputs are the attributes that nothing configures.
func outputs() map[string]schema.Attribute {
	fixed := []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()}
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"id":  schema.StringAttribute{Computed: true, MarkdownDescription: "`<namespace>/<name>`.", PlanModifiers: fixed},
		"uid": schema.StringAttribute{Computed: true, MarkdownDescription: "The UID of the `Cluster`.", PlanModifiers: fixed},
		"phase": text("The phase of the `Cluster`, such as `Ready` or `Progressing`; null until its provider has looked " +
			"at it."),
		"ready": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the `Cluster` can be used. An apply that does not see it " +
			"in time ends with a warning: `postcondition { condition = self.ready }` keeps what depends on the `Cluster` from running then."},
		"conditions": schema.MapAttribute{Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Its conditions, with their status: `True`, `False` or `Unknown`."},
		"endpoints": schema.MapAttribute{Computed: true, ElementType: types.StringType,
			MarkdownDescription: "The URLs of the cluster's API server by their names, such as `external`."},
		"running_version": text("The Kubernetes version that the `Cluster` runs, as its provider reports it; null until then."),
		"shoot":           family.ShootAttribute(),
		"requests": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The requests that hold the `Cluster`, in the order in which they came.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"namespace": text("The namespace of the request; null where the openmcp-operator has granted it, which notes the UID alone."),
				"name":      text("The name of the request; null where the openmcp-operator has granted it, which notes the UID alone."),
				"uid":       text("Its UID."),
				"prefix":    text("The prefix that was granted with it; null where the openmcp-operator has granted it."),
			}},
		},
	}
}
