package clusteraccess

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*clusterAccess)(nil)

// clusterAccess is the access that an AccessRequest was granted, for as long as a run lasts.
type clusterAccess struct{ backend *backend.Backend }

type clusterAccessModel struct {
	AccessRequestID      types.String   `tfsdk:"access_request_id"`
	Timeouts             timeouts.Value `tfsdk:"timeouts"`
	Kubeconfig           types.String   `tfsdk:"kubeconfig"`
	Host                 types.String   `tfsdk:"host"`
	Token                types.String   `tfsdk:"token"`
	ClusterCACertificate types.String   `tfsdk:"cluster_ca_certificate"`
	ExpiresAt            types.String   `tfsdk:"expires_at"`
}

func (a *clusterAccess) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster_access"
}

func (a *clusterAccess) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	secret := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The access to a `Cluster` of openMCP that an AccessRequest was granted: to configure another provider that works " +
			"inside the cluster. It is in neither state nor plan, and no log shows it. Needs OpenTofu 1.11 or Terraform 1.10, and the right to " +
			"`get` `secrets` on the platform cluster (`examples/rbac/platform.yaml`).",
		Attributes: map[string]schema.Attribute{
			"access_request_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The AccessRequest: `access_request_id` of a `hap_access_request`, or `<namespace>/<name>` of one that another " +
					"configuration has made. Where it is null, all outputs are null; where it is unknown, the access is read at apply.",
			},
			"timeouts": timeouts.AttributesWithOpts(ctx, timeouts.Opts{OpenDescription: fmt.Sprintf("How long to wait until the AccessRequest "+
				"is granted as it is now. Default %#q.", backend.ReadTimeout.String())}),
			"kubeconfig":             secret("The whole kubeconfig, in YAML."),
			"host":                   secret("The URL of the cluster's API server."),
			"token":                  secret("The token; null where the access is by OIDC."),
			"cluster_ca_certificate": secret("The certificate authority of the API server, in PEM."),
			"expires_at": schema.StringAttribute{Computed: true,
				MarkdownDescription: "When the token ends (RFC 3339, UTC); null where the Secret does not say."},
		},
	}
}

func (a *clusterAccess) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	a.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// Open reads the access. What comes goes into the result and nowhere else.
func (a *clusterAccess) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m clusterAccessModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	timeout, diags := m.Timeouts.Open(ctx, backend.ReadTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if m.AccessRequestID.IsNull() { // nothing is granted
		resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	of, whole := parsed(m.AccessRequestID.ValueString())
	if !whole || !kube.IsLabelName(of.Namespace) || !kube.IsName(of.Name) {
		resp.Diagnostics.AddAttributeError(idPath, diagnose.SummaryInvalidAccess, fmt.Sprintf("%q is no access. Take access_request_id of a "+
			"hap_access_request, or write <namespace>/<name> of an AccessRequest, for example team-a/deploy.", m.AccessRequestID.ValueString()))
		return
	}
	credentials, err := a.read(ctx, of)
	if err != nil {
		var own diag.Diagnostics
		diagnose.Report(&own, a.backend.Platform.Attempt("Reading access %s", of), err)
		for _, d := range own {
			resp.Diagnostics.AddAttributeError(idPath, d.Summary(), d.Detail())
		}
		return
	}
	m.Kubeconfig, m.Host = types.StringValue(string(credentials.Kubeconfig)), types.StringValue(credentials.Host)
	m.Token, m.ClusterCACertificate = tfvalue.TextOrNull(credentials.Token), tfvalue.TextOrNull(string(credentials.ServerAuthority))
	m.ExpiresAt = textOfTime(credentials.ExpiresAt)
	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
}

var idPath = path.Root("access_request_id")

// read reads what an AccessRequest was granted, as it is now. One that is not there is not waited for.
func (a *clusterAccess) read(ctx context.Context, of api.Ref) (credentials access.Credentials, err error) {
	platform, err := a.backend.Platform.API()
	if err != nil {
		return credentials, err
	}
	request, err := platform.Objects.Accesses.Get(ctx, of)
	if err == nil && !access.IsGranted(request) {
		request, err = platform.Access.Await(ctx, request, journal.TellRequest(ctx, of.String()))
	}
	if err == nil {
		err = platform.Access.CheckCluster(ctx, request, platform.Objects.Requests.Get)
	}
	if err != nil {
		return credentials, err
	}
	credentials, err = platform.Access.Read(ctx, request)
	journal.LogRequest(ctx, "access read", of.String(), err)
	return credentials, err
}

// parsed takes an ID apart; whole = it has a namespace.
func parsed(id string) (of api.Ref, whole bool) {
	namespace, name, whole := strings.Cut(id, "/")
	return api.Ref{Namespace: namespace, Name: name}, whole
}
