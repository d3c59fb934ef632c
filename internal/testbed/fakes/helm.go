package fakes

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What an example uses of hashicorp/helm is faked: a release, of which it really makes the Secret in which Helm records it.
type helm struct{}

func (*helm) Metadata(_ context.Context, _ frameworkprovider.MetadataRequest, resp *frameworkprovider.MetadataResponse) {
	resp.TypeName = "helm"
}

func (*helm) Schema(_ context.Context, _ frameworkprovider.SchemaRequest, resp *frameworkprovider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"kubernetes": schema.SingleNestedAttribute{Optional: true, Attributes: connectionAttributes},
	}}
}

func (*helm) Configure(ctx context.Context, req frameworkprovider.ConfigureRequest, resp *frameworkprovider.ConfigureResponse) {
	var model struct {
		Kubernetes connection `tfsdk:"kubernetes"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	resp.ResourceData = model.Kubernetes.open()
}

func (*helm) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*helm) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &release{} }}
}

// release is helm_release.
type release struct{ connected }

type releaseModel struct {
	ID         types.String `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	Namespace  types.String `tfsdk:"namespace"`
	Repository types.String `tfsdk:"repository"`
	Chart      types.String `tfsdk:"chart"`
}

// record is the name of the Secret of the first revision.
func (m releaseModel) record() string {
	return "sh.helm.release.v1." + m.Name.ValueString() + ".v1"
}

func (*release) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "helm_release"
}

func (*release) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceschema.Schema{Attributes: map[string]resourceschema.Attribute{
		"id": computedID, "name": resourceschema.StringAttribute{Required: true}, "namespace": resourceschema.StringAttribute{Optional: true},
		"repository": resourceschema.StringAttribute{Optional: true}, "chart": resourceschema.StringAttribute{Required: true},
	}}
}

func (r *release) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan releaseModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ns, err := r.Open(plan.Namespace.ValueString())
	if err == nil {
		err = ns.PutSecret(ctx, plan.record(), map[string]string{"release": plan.Chart.ValueString()})
	}
	if cannot(&resp.Diagnostics, "install the chart", err); err != nil {
		return
	}
	plan.ID = plan.Name
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (*release) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*release) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *release) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state releaseModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ns, err := r.Open(state.Namespace.ValueString())
	if err == nil {
		err = ns.RemoveSecret(ctx, state.record())
	}
	cannot(&resp.Diagnostics, "uninstall the chart", err)
}
