package fakes

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
type kubernetes struct{}

// connection is the part of a connection that the fakes of hashicorp/kubernetes and hashicorp/helm know. Like the real ones
// they go by the environment where it is empty.
type connection struct {
	Host                 types.String `tfsdk:"host"`
	ClientCertificate    types.String `tfsdk:"client_certificate"`
	ClientKey            types.String `tfsdk:"client_key"`
	ClusterCACertificate types.String `tfsdk:"cluster_ca_certificate"`
	ConfigPath           types.String `tfsdk:"config_path"`
	Token                types.String `tfsdk:"token"`
}

var connectionAttributes = map[string]schema.Attribute{
	"host": schema.StringAttribute{Optional: true}, "client_certificate": schema.StringAttribute{Optional: true},
	"client_key": schema.StringAttribute{Optional: true, Sensitive: true}, "token": schema.StringAttribute{Optional: true, Sensitive: true},
	"cluster_ca_certificate": schema.StringAttribute{Optional: true}, "config_path": schema.StringAttribute{Optional: true},
}

func (c connection) open() testbed.Connection {
	return testbed.Connection{
		ConfigPath: c.ConfigPath.ValueString(), Host: c.Host.ValueString(), Certificate: c.ClientCertificate.ValueString(),
		Key: c.ClientKey.ValueString(), CertificateAuthority: c.ClusterCACertificate.ValueString(), Token: c.Token.ValueString(),
	}
}

func (*kubernetes) Metadata(_ context.Context, _ frameworkprovider.MetadataRequest, resp *frameworkprovider.MetadataResponse) {
	resp.TypeName = "kubernetes"
}

func (*kubernetes) Schema(_ context.Context, _ frameworkprovider.SchemaRequest, resp *frameworkprovider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: connectionAttributes}
}

func (*kubernetes) Configure(ctx context.Context, req frameworkprovider.ConfigureRequest, resp *frameworkprovider.ConfigureResponse) {
	var c connection
	resp.Diagnostics.Append(req.Config.Get(ctx, &c)...)
	resp.ResourceData = c.open()
}

func (*kubernetes) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*kubernetes) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &secret{} }, func() resource.Resource { return &namespace{} },
	}
}

// connected is what a fake resource knows of its provider.
type connected struct{ testbed.Connection }

func (f *connected) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	f.Connection, _ = req.ProviderData.(testbed.Connection)
}

func cannot(diags *diag.Diagnostics, do string, err error) {
	if err != nil {
		diags.AddError("The fake of another provider cannot "+do, err.Error())
	}
}

var computedID = resourceschema.StringAttribute{
	Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
}

// secret is kubernetes_secret_v1.
type secret struct{ connected }

type secretModel struct {
	ID       types.String `tfsdk:"id"`
	Metadata []struct {
		Name      types.String `tfsdk:"name"`
		Namespace types.String `tfsdk:"namespace"`
	} `tfsdk:"metadata"`
	Data     types.Map   `tfsdk:"data_wo"`
	Revision types.Int64 `tfsdk:"data_wo_revision"`
}

func (*secret) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kubernetes_secret_v1"
}

func (*secret) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceschema.Schema{
		Attributes: map[string]resourceschema.Attribute{
			"id":               computedID,
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

func (s *secret) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config secretModel
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

func (*secret) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*secret) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (s *secret) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state secretModel
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

// namespace is kubernetes_namespace_v1.
type namespace struct{ connected }

type namespaceModel struct {
	ID       types.String `tfsdk:"id"`
	Metadata []struct {
		Name   types.String `tfsdk:"name"`
		Labels types.Map    `tfsdk:"labels"`
	} `tfsdk:"metadata"`
}

func (*namespace) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kubernetes_namespace_v1"
}

func (*namespace) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceschema.Schema{
		Attributes: map[string]resourceschema.Attribute{"id": computedID},
		Blocks: map[string]resourceschema.Block{"metadata": resourceschema.ListNestedBlock{NestedObject: resourceschema.NestedBlockObject{
			Attributes: map[string]resourceschema.Attribute{
				"name":   resourceschema.StringAttribute{Optional: true},
				"labels": resourceschema.MapAttribute{Optional: true, ElementType: types.StringType},
			},
		}}},
	}
}

func (n *namespace) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan namespaceModel
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
func (n *namespace) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state namespaceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	there, err := n.HasNamespace(ctx, state.ID.ValueString())
	if err == nil && !there {
		resp.State.RemoveResource(ctx)
		return
	}
	cannot(&resp.Diagnostics, "read the namespace", err)
}

func (*namespace) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (n *namespace) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state namespaceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	cannot(&resp.Diagnostics, "delete the namespace", n.RemoveNamespace(ctx, state.ID.ValueString()))
}
