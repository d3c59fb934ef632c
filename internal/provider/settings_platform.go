package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// platformPlace is where the settings of the connection to the platform cluster are.
var platformPlace = kube.Place{
	API: "the platform cluster", Object: "platform", Namespace: "platform.namespace", NamespaceOf: "the requests on the platform cluster",
}

func platformAttributes() map[string]schema.Attribute {
	all := maps.Clone(connectionAttributes(platformPlace.Prefix))
	all["namespace"] = schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "The namespace of requests that name none; else the namespace of the kubeconfig's context. The namespace " +
			"`default` is never assumed.",
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
	all["scheduler"] = schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Which scheduler grants requests: `operator`, the openmcp-operator on the platform cluster, or `builtin`, the " +
			"scheduler in this provider, with purposes, traits and prefixes, for a platform cluster without an operator. It is never guessed. " +
			"Default `operator`.",
		Validators: []validator.String{stringvalidator.OneOf(settings.SchedulerOperator, settings.SchedulerBuiltin)},
	}
	all["scope"] = schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Among which `Clusters` the built-in scheduler looks for one that a request shares: `namespaced`, those in the " +
			"namespace of the request, or `cluster`, those of all namespaces. A `Cluster` with a request of the openmcp-operator is given to no " +
			"other request in either. `cluster` needs the right to list `clusterrequests` in the namespaces of the others that share. The " +
			"operator has its own scope in its configuration. Default `namespaced`.",
		Validators: []validator.String{stringvalidator.OneOf(settings.ScopeNamespaced, settings.ScopeCluster)},
	}
	return all
}

// platformFrom reads the connection to the platform cluster.
func platformFrom(ctx context.Context, object types.Object) (p settings.Platform, diags diag.Diagnostics) {
	var model struct {
		connection
		Namespace *string `tfsdk:"namespace"`
		Scheduler *string `tfsdk:"scheduler"`
		Scope     *string `tfsdk:"scope"`
	}
	p.Given = !object.IsNull()
	p.Unknown, diags = readConnection(ctx, object, platformPlace.Object, &model)
	p.Kubernetes, p.Scheduler = model.settings(platformPlace, model.Namespace), settings.SchedulerOperator
	if model.Scheduler != nil {
		p.Scheduler = *model.Scheduler
	}
	p.Scope = settings.ScopeNamespaced
	if model.Scope != nil {
		p.Scope = *model.Scope
	}
	return p, diags
}
