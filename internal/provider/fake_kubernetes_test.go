package provider

import (
	"context"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// What the guide uses of hashicorp/kubernetes is faked: Secrets with write-only data, which it really makes.
const fakeKubernetesProgram = "terraform-provider-kubernetes"

type fakeKubernetes struct{}

func (*fakeKubernetes) Metadata(_ context.Context, _ frameworkprovider.MetadataRequest, resp *frameworkprovider.MetadataResponse) {
	resp.TypeName = "kubernetes"
}

func (*fakeKubernetes) Schema(context.Context, frameworkprovider.SchemaRequest, *frameworkprovider.SchemaResponse) {
}

func (*fakeKubernetes) Configure(context.Context, frameworkprovider.ConfigureRequest, *frameworkprovider.ConfigureResponse) {
}

func (*fakeKubernetes) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*fakeKubernetes) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &fakeSecret{} }}
}

// fakeSecret is kubernetes_secret_v1.
type fakeSecret struct{}

type fakeSecretModel struct {
	ID       types.String `tfsdk:"id"`
	Metadata []struct {
		Name      types.String `tfsdk:"name"`
		Namespace types.String `tfsdk:"namespace"`
	} `tfsdk:"metadata"`
	Data     types.Map   `tfsdk:"data_wo"`
	Revision types.Int64 `tfsdk:"data_wo_revision"`
}

func (*fakeSecret) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kubernetes_secret_v1"
}

func (*fakeSecret) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":               schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"data_wo":          schema.MapAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType},
			"data_wo_revision": schema.Int64Attribute{Optional: true},
		},
		Blocks: map[string]schema.Block{"metadata": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
			Attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{Optional: true}, "namespace": schema.StringAttribute{Optional: true},
			},
		}}},
	}
}

// namespace opens the namespace of the Secret with the connection of the environment.
func (m fakeSecretModel) namespace() (*testbed.Namespace, error) {
	return testbed.OpenNamespaceWith(os.Getenv("KUBE_HOST"), os.Getenv("KUBE_TOKEN"), os.Getenv("KUBE_CLUSTER_CA_CERT_DATA"),
		m.Metadata[0].Namespace.ValueString())
}

func (*fakeSecret) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config fakeSecretModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	data := map[string]string{}
	resp.Diagnostics.Append(config.Data.ElementsAs(ctx, &data, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := plan.Metadata[0].Name.ValueString()
	ns, err := plan.namespace()
	if err == nil {
		err = ns.PutSecret(ctx, name, data)
	}
	if err != nil {
		resp.Diagnostics.AddError("The fake of hashicorp/kubernetes cannot make the Secret", err.Error())
		return
	}
	plan.ID = types.StringValue(strings.Join([]string{plan.Metadata[0].Namespace.ValueString(), name}, "/"))
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (*fakeSecret) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*fakeSecret) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (*fakeSecret) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state fakeSecretModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ns, err := state.namespace()
	if err == nil {
		err = ns.RemoveSecret(ctx, state.Metadata[0].Name.ValueString())
	}
	if err != nil {
		resp.Diagnostics.AddError("The fake of hashicorp/kubernetes cannot delete the Secret", err.Error())
	}
}
