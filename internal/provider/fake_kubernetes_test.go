package provider

import (
	"cmp"
	"context"
	"os"
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
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
}

var fakeConnectionAttributes = map[string]schema.Attribute{
	"host": schema.StringAttribute{Optional: true}, "client_certificate": schema.StringAttribute{Optional: true},
	"client_key":             schema.StringAttribute{Optional: true, Sensitive: true},
	"cluster_ca_certificate": schema.StringAttribute{Optional: true}, "config_path": schema.StringAttribute{Optional: true},
}

func (c fakeConnection) config() (*rest.Config, error) {
	if path := cmp.Or(c.ConfigPath.ValueString(), os.Getenv("KUBE_CONFIG_PATH")); path != "" && c.Host.ValueString() == "" {
		return clientcmd.BuildConfigFromFlags("", path)
	}
	tls := rest.TLSClientConfig{
		CAData:   []byte(cmp.Or(c.ClusterCACertificate.ValueString(), os.Getenv("KUBE_CLUSTER_CA_CERT_DATA"))),
		CertData: []byte(c.ClientCertificate.ValueString()), KeyData: []byte(c.ClientKey.ValueString()),
	}
	config := &rest.Config{Host: cmp.Or(c.Host.ValueString(), os.Getenv("KUBE_HOST")), TLSClientConfig: tls}
	if len(tls.CertData) == 0 {
		config.BearerToken = os.Getenv("KUBE_TOKEN")
	}
	return config, nil
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
	resp.ResourceData = connection
}

func (*fakeKubernetes) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*fakeKubernetes) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &fakeSecret{} }, func() resource.Resource { return &fakeNamespace{} },
	}
}

// fakeConnected is what a fake resource knows of its provider.
type fakeConnected struct{ connection fakeConnection }

func (f *fakeConnected) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	f.connection, _ = req.ProviderData.(fakeConnection)
}

// namespace opens a namespace behind the connection.
func (f *fakeConnected) namespace(name string) (*testbed.Namespace, error) {
	config, err := f.connection.config()
	if err != nil {
		return nil, err
	}
	return testbed.OpenNamespace(config, name)
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
	ns, err := s.namespace(plan.Metadata[0].Namespace.ValueString())
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
	ns, err := s.namespace(state.Metadata[0].Namespace.ValueString())
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

func (n *fakeNamespace) client() (client.Client, error) {
	config, err := n.connection.config()
	if err != nil {
		return nil, err
	}
	return client.New(config, client.Options{})
}

func (n *fakeNamespace) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan fakeNamespaceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: plan.Metadata[0].Name.ValueString(), Labels: map[string]string{}}}
	resp.Diagnostics.Append(plan.Metadata[0].Labels.ElementsAs(ctx, &made.Labels, false)...)
	api, err := n.client()
	if err == nil {
		err = api.Create(ctx, made)
	}
	if cannot(&resp.Diagnostics, "make the namespace", err); err != nil {
		return
	}
	plan.ID = types.StringValue(made.Name)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read drops a namespace that is gone, as the real one does.
func (n *fakeNamespace) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state fakeNamespaceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	api, err := n.client()
	if err == nil {
		err = api.Get(ctx, client.ObjectKey{Name: state.ID.ValueString()}, &corev1.Namespace{})
	}
	if apierrors.IsNotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	cannot(&resp.Diagnostics, "read the namespace", err)
}

func (*fakeNamespace) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete deletes the namespace, and lets it go as the namespace controller of a whole cluster does.
func (n *fakeNamespace) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state fakeNamespaceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	gone := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: state.ID.ValueString()}}
	api, err := n.client()
	if err == nil {
		err = api.Delete(ctx, gone)
	}
	if err == nil {
		err = api.Get(ctx, client.ObjectKeyFromObject(gone), gone)
	}
	if err == nil {
		gone.Spec.Finalizers = nil
		err = api.SubResource("finalize").Update(ctx, gone)
	}
	cannot(&resp.Diagnostics, "delete the namespace", client.IgnoreNotFound(err))
}
