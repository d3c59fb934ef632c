package clusteraccess

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// How long the operations may take where the configuration does not say: access to a Cluster that is ready takes seconds.
const (
	createTimeout = 5 * time.Minute
	updateTimeout = 5 * time.Minute
	deleteTimeout = 5 * time.Minute
)

// What an apply waits for.
const (
	waitGranted = "granted"
	waitNone    = "none"
)

type accessModel struct {
	Namespace   types.String   `tfsdk:"namespace"`
	Name        types.String   `tfsdk:"name"`
	ClusterRef  types.Object   `tfsdk:"cluster_ref"`
	RequestRef  types.Object   `tfsdk:"request_ref"`
	Token       types.Object   `tfsdk:"token"`
	OIDC        types.Object   `tfsdk:"oidc"`
	Labels      types.Map      `tfsdk:"labels"`
	Annotations types.Map      `tfsdk:"annotations"`
	WaitFor     types.String   `tfsdk:"wait_for"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
	ID          types.String   `tfsdk:"id"`
	UID         types.String   `tfsdk:"uid"`
	computed
}

// computed is what an AccessRequest gets.
type computed struct {
	Phase           types.String `tfsdk:"phase"`
	Granted         types.Bool   `tfsdk:"granted"`
	SecretRef       types.Object `tfsdk:"secret_ref"`
	ExpiresAt       types.String `tfsdk:"expires_at"`
	AccessRequestID types.String `tfsdk:"access_request_id"`
	Shoot           types.Object `tfsdk:"shoot"`
}

// refTypes are the types of a reference to an object.
var refTypes = map[string]attr.Type{"namespace": types.StringType, "name": types.StringType}

var timeoutsMeanings = map[string]string{
	"create": "How long an apply waits until new access is granted. When the time is over the request is kept, and the next apply waits on. " +
		"Default `5m`.",
	"read":   "How long a refresh may take. Default `2m`.",
	"update": "How long an apply waits until changed access is granted, in the same way. Default `5m`.",
	"delete": "How long a destroy waits until the access was taken down. When the time is over that is an error, and the next destroy waits " +
		"on. Default `5m`.",
}

func accessSchema(ctx context.Context) schema.Schema {
	fixed := []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()}
	return schema.Schema{
		MarkdownDescription: "Access to a `Cluster` of openMCP: an `AccessRequest` on the platform cluster, which the openmcp-operator " +
			"(v1.3.0) hands to the cluster provider. With `platform.scheduler = \"builtin\"` this provider does, for what lies in the namespace " +
			"of the AccessRequest. An apply waits until it is granted, and says what can be seen where it is not. The " +
			"kubeconfig itself is never in state or plan: the ephemeral resource " +
			"[`hap_cluster_access`](../ephemeral-resources/cluster_access.md) reads it.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The namespace of the AccessRequest on the platform cluster, and of the Secret with the access. Default: the " +
					"provider's `platform.namespace`. Another one makes another request.",
				Validators: []validator.String{family.LabelName},
				// In this order: the namespace of the provider block is unknown until the state is taken, and would make another request.
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown(), stringplanmodifier.RequiresReplace()},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the AccessRequest. Another one makes another request.",
				Validators: []validator.String{family.ObjectName}, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"cluster_ref": refAttribute("The `Cluster`: `cluster` of a `hap_cluster_request`, or one that another party has requested. Either this "+
				"or `request_ref`. Another one makes another request.",
				objectvalidator.ExactlyOneOf(path.MatchRoot("cluster_ref"), path.MatchRoot("request_ref"))),
			"request_ref": refAttribute("The `ClusterRequest` to whose `Cluster` access is wanted; it has to be granted. The operator looks the " +
				"`Cluster` up once, and keeps it: for a request of the same configuration take `cluster_ref`. Either this or `cluster_ref`. " +
				"Another one makes another request."),
			"token": tokenAttribute(), "oidc": oidcAttribute(),
			"labels": family.Texts("Labels of the AccessRequest. The operator may serve only those with certain labels.",
				family.Unreserved(access.ReservedLabels)),
			"annotations": family.Texts("Annotations of the AccessRequest.", family.Unreserved(access.ReservedAnnotations)),
			"wait_for": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(waitGranted),
				MarkdownDescription: "What an apply waits for: `granted`, or `none`, which returns as soon as the AccessRequest is written. Default " +
					"`granted`.",
				Validators: []validator.String{stringvalidator.OneOf(waitGranted, waitNone)},
			},
			"timeouts": family.Timeouts(ctx, timeoutsMeanings),
			"id":       schema.StringAttribute{Computed: true, MarkdownDescription: "`<namespace>/<name>`.", PlanModifiers: fixed},
			"uid":      schema.StringAttribute{Computed: true, MarkdownDescription: "The UID of the AccessRequest.", PlanModifiers: fixed},
			"phase": computedText("The phase of the AccessRequest, such as `Pending` or `Granted`; null before the operator has seen it. An " +
				"edited one may stay `Granted` for a moment: `granted` is the answer."),
			"granted": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether access is granted as the AccessRequest is now, and " +
				"the Secret with it can be used. An apply that does not see it in time ends with a warning: `postcondition { condition = " +
				"self.granted }` keeps what depends on the access from running then."},
			"secret_ref": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "The Secret with the access on the platform cluster; null where there is none yet.",
				Attributes: map[string]schema.Attribute{
					"namespace": computedText("Its namespace: that of the AccessRequest."), "name": computedText("Its name."),
				},
			},
			"shoot": family.ShootAttribute(),
			"expires_at": computedText("When the token ends (RFC 3339, UTC), as the last refresh has read it; null where the Secret does not say, " +
				"as with OIDC. The cluster provider renews the token before."),
			"access_request_id": computedText("For `access_request_id` of `hap_cluster_access`: the `id` where access is granted, null where it " +
				"is not, and unknown in a plan that makes, changes or awaits it, or that does not know the platform cluster yet."),
		},
	}
}

func computedText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func optionalText(description string, rules ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: description, Validators: append([]validator.String{stringvalidator.LengthAtLeast(1)}, rules...),
	}
}

func requiredText(description string, rules ...validator.String) schema.StringAttribute {
	text := optionalText(description, rules...)
	text.Optional, text.Required = false, true
	return text
}

func textList(description string) schema.ListAttribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: description,
		Validators: []validator.List{listvalidator.NoNullValues()},
	}
}

func objectList(description string, of schema.NestedAttributeObject) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: description, NestedObject: of, Validators: []validator.List{listvalidator.NoNullValues()},
	}
}

func requiredList(description string, of schema.NestedAttributeObject) schema.ListNestedAttribute {
	list := objectList(description, of)
	list.Optional, list.Required, list.Validators = false, true, append(list.Validators, listvalidator.SizeAtLeast(1))
	return list
}

func refAttribute(description string, rules ...validator.Object) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: description, Validators: rules,
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{Optional: true, Validators: []validator.String{family.LabelName},
				MarkdownDescription: "Its namespace. Default: that of the AccessRequest."},
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{family.ObjectName}, MarkdownDescription: "Its name."},
		},
	}
}
