package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// What the guides use of hashicorp/kubernetes is faked: Secrets with write-only data and namespaces, which it really makes behind
// the connection that it is given.
const fakeKubernetesProgram = "terraform-provider-kubernetes"

type fakeKubernetes struct{}

// fakeConnection is the part of a connection that the fakes of hashicorp/kubernetes and hashicorp/helm know. Like the real ones
// they go by the environment where it is empty.
type fakeConnection struct {
	Host                 types.String `tfsdk:"host"`
	ClientCertificate    types.String `tfsdk:"client_certificate"`
	ClientKey            types.String `tfsdk:"client_key"`
	ClusterCACertificate types.String `tfsdk:"cluster_ca_certificate"`
	ConfigPath           types.String `tfsdk:"config_path"`
	Token                types.String `tfsdk:"token"`
}

var fakeConnectionAttributes = map[string]schema.Attribute{
	"host": schema.StringAttribute{Optional: true}, "client_certificate": schema.StringAttribute{Optional: true},
	"client_key": schema.StringAttribute{Optional: true, Sensitive: true}, "token": schema.StringAttribute{Optional: true, Sensitive: true},
	"cluster_ca_certificate": schema.StringAttribute{Optional: true}, "config_path": schema.StringAttribute{Optional: true},
}

func (c fakeConnection) open() testbed.Connection {
	return testbed.Connection{
		ConfigPath: c.ConfigPath.ValueString(), Host: c.Host.ValueString(), Certificate: c.ClientCertificate.ValueString(),
		Key: c.ClientKey.ValueString(), CertificateAuthority: c.ClusterCACertificate.ValueString(), Token: c.Token.ValueString(),
	}
}

func (*fakeKubernetes) Metadata(_ context.Context, _ frameworkprovider.MetadataRequest, resp *frameworkprovider.MetadataResponse) {
	resp.TypeName = "kubernetes"
}

func (*fakeKubernetes) Schema(_ context.Context, _ frameworkprovider.SchemaRequest, resp *frameworkprovider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: fakeConnectionAttributes}
}

func (*fakeKubernetes) Configure(ctx context.Context, req frameworkprovider.ConfigureRequest, resp *frameworkprovider.ConfigureResponse) {
	var connection fakeConnection
	resp.Diagnostics.Append(req.Config.Get(ctx, &connection)...)
	resp.ResourceData = connection.open()
}

func (*fakeKubernetes) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*fakeKubernetes) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &fakeSecret{} }, func() resource.Resource { return &fakeNamespace{} },
	}
}

// fakeConnected is what a fake resource knows of its provider.
type fakeConnected struct{ testbed.Connection }

func (f *fakeConnected) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	f.Connection, _ = req.ProviderData.(testbed.Connection)
}

func cannot(diags *diag.Diagnostics, do string, err error) {
	if err != nil {
		diags.AddError("The fake of another provider cannot "+do, err.Error())
	}
}

var fakeID = resourceschema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}}

// fakeSecret is kubernetes_secret_v1.
type fakeSecret struct{ fakeConnected }

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
	resp.Schema = resourceschema.Schema{
		Attributes: map[string]resourceschema.Attribute{
			"id":               fakeID,
			"data_wo":          resourceschema.MapAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType},
			"data_wo_revision": resourceschema.Int64Attribute{Optional: true},
		},
		Blocks: map[string]resourceschema.Block{"metadata": resourceschema.ListNestedBlock{NestedObject: resourceschema.NestedBlockObject{
			Attributes: map[string]resourceschema.Attribute{
				"name": resourceschema.StringAttribute{Optional: true}, "namespace": resourceschema.StringAttribute{Optional: true},
			},
		}}},
	}
}

func (s *fakeSecret) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config fakeSecretModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	data := map[string]string{}
	resp.Diagnostics.Append(config.Data.ElementsAs(ctx, &data, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := plan.Metadata[0].Name.ValueString()
	ns, err := s.Open(plan.Metadata[0].Namespace.ValueString())
	if err == nil {
		err = ns.PutSecret(ctx, name, data)
	}
	if cannot(&resp.Diagnostics, "make the Secret", err); err != nil {
		return
	}
	plan.ID = types.StringValue(strings.Join([]string{plan.Metadata[0].Namespace.ValueString(), name}, "/"))
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (*fakeSecret) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*fakeSecret) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (s *fakeSecret) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state fakeSecretModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ns, err := s.Open(state.Metadata[0].Namespace.ValueString())
	if err == nil {
		err = ns.RemoveSecret(ctx, state.Metadata[0].Name.ValueString())
	}
	cannot(&resp.Diagnostics, "delete the Secret", err)
}

// fakeNamespace is kubernetes_namespace_v1.
type fakeNamespace struct{ fakeConnected }

type fakeNamespaceModel struct {
	ID       types.String `tfsdk:"id"`
	Metadata []struct {
		Name   types.String `tfsdk:"name"`
		Labels types.Map    `tfsdk:"labels"`
	} `tfsdk:"metadata"`
}

func (*fakeNamespace) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kubernetes_namespace_v1"
}

func (*fakeNamespace) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceschema.Schema{
		Attributes: map[string]resourceschema.Attribute{"id": fakeID},
		Blocks: map[string]resourceschema.Block{"metadata": resourceschema.ListNestedBlock{NestedObject: resourceschema.NestedBlockObject{
			Attributes: map[string]resourceschema.Attribute{
				"name":   resourceschema.StringAttribute{Optional: true},
				"labels": resourceschema.MapAttribute{Optional: true, ElementType: types.StringType},
			},
		}}},
	}
}

func (n *fakeNamespace) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan fakeNamespaceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	labels := map[string]string{}
	resp.Diagnostics.Append(plan.Metadata[0].Labels.ElementsAs(ctx, &labels, false)...)
	plan.ID = plan.Metadata[0].Name
	err := n.MakeNamespace(ctx, plan.ID.ValueString(), labels)
	if cannot(&resp.Diagnostics, "make the namespace", err); err != nil {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read drops a namespace that is gone, as the real one does.
func (n *fakeNamespace) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state fakeNamespaceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	there, err := n.HasNamespace(ctx, state.ID.ValueString())
	if err == nil && !there {
		resp.State.RemoveResource(ctx)
		return
	}
	cannot(&resp.Diagnostics, "read the namespace", err)
}

func (*fakeNamespace) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (n *fakeNamespace) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state fakeNamespaceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	cannot(&resp.Diagnostics, "delete the namespace", n.RemoveNamespace(ctx, state.ID.ValueString()))
}
