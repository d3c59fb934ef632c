package shoot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*shootAccess)(nil)

// shootAccess is a kubeconfig for a cluster, for as long as a run lasts.
type shootAccess struct{ backend *backend.Backend }

type accessModel struct {
	ShootName            types.String   `tfsdk:"shoot_name"`
	Role                 types.String   `tfsdk:"role"`
	Expiration           types.String   `tfsdk:"expiration"`
	Timeouts             timeouts.Value `tfsdk:"timeouts"`
	Kubeconfig           types.String   `tfsdk:"kubeconfig"`
	Host                 types.String   `tfsdk:"host"`
	ClientCertificate    types.String   `tfsdk:"client_certificate"`
	ClientKey            types.String   `tfsdk:"client_key"`
	ClusterCACertificate types.String   `tfsdk:"cluster_ca_certificate"`
	ExpiresAt            types.String   `tfsdk:"expires_at"`
}

// How long a kubeconfig is valid, where the configuration does not say, and at most.
const (
	defaultExpiration = time.Hour
	maxExpiration     = 30 * 24 * time.Hour
)

func (a *shootAccess) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_shoot_access"
}

func (a *shootAccess) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	secret := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A kubeconfig for a cluster, issued by Gardener for a limited time: to configure another provider that works " +
			"inside the cluster. It is in neither state nor plan, and no log shows it. Needs OpenTofu 1.11 or Terraform 1.10, and the right to " +
			"`create` `shoots/adminkubeconfig` or `shoots/viewerkubeconfig` (`examples/rbac/role-clusters.yaml`).",
		Attributes: map[string]schema.Attribute{
			"shoot_name": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The Shoot: `access_name` of a `hap_shoot`, or the name of a cluster that another configuration has made. " +
					"Where it is null, all outputs are null; where it is unknown, the kubeconfig is issued at apply.",
				Validators: []validator.String{family.LabelName},
			},
			"role": schema.StringAttribute{
				Optional: true, MarkdownDescription: "What the kubeconfig allows in the cluster: `admin` everything, `viewer` reading all but " +
					"Secrets. Default `admin`.",
				Validators: []validator.String{stringvalidator.OneOf(string(shoots.Admin), string(shoots.Viewer))},
			},
			"expiration": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "For how long the kubeconfig is asked, as a duration such as `2h`: from `10m` to `720h`. The landscape may " +
					"grant less: `expires_at` says what it granted. Default `1h`.",
				Validators: []validator.String{tfvalue.Duration{What: "expiration", Least: shoots.MinExpiration, Most: maxExpiration,
					Summary: diagnose.SummaryExpiration, ForExample: "2h"}},
			},
			"timeouts": timeouts.AttributesWithOpts(ctx, timeouts.Opts{OpenDescription: fmt.Sprintf("How long Gardener may take to issue it. "+
				"Default %#q.", backend.ReadTimeout.String())}),
			"kubeconfig":             secret("The whole kubeconfig, in YAML."),
			"host":                   secret("The URL of the cluster's API server."),
			"client_certificate":     secret("The client certificate, in PEM."),
			"client_key":             secret("The key of the client certificate, in PEM."),
			"cluster_ca_certificate": secret("The certificate authority of the API server, in PEM."),
			"expires_at": schema.StringAttribute{Computed: true,
				MarkdownDescription: "When the kubeconfig ends (RFC 3339, UTC), as Gardener granted it."},
		},
	}
}

func (a *shootAccess) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	a.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// report reports why there is no kubeconfig. The cluster is no object of this resource: no apply makes one that is not there.
func (a *shootAccess) report(diags *diag.Diagnostics, name string, err error) {
	own, attempt := path.Root("shoot_name"), a.backend.Garden.Attempt("Getting access to cluster %s", name)
	all, unconnected := a.backend.Garden.Shoots()
	if unconnected != nil || !errors.As(err, new(*shoots.GoneError)) {
		diagnose.ReportAt(diags, own, attempt, err)
		return
	}
	diags.AddAttributeError(own, diagnose.SummaryShootNotFound, fmt.Sprintf("%s: there is no Shoot %s in namespace %s.\n\nNothing was "+
		"issued. Check the name, and that the provider block leads to the Gardener project of the cluster. Where the same configuration makes "+
		"the cluster, take access_name of its hap_shoot: it is null until the cluster is ready, and all outputs are null then.",
		attempt, name, all.Namespace()))
}

// Open has Gardener issue a kubeconfig. What comes goes into the result and nowhere else.
func (a *shootAccess) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m accessModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	timeout, diags := m.Timeouts.Open(ctx, backend.ReadTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if m.ShootName.IsNull() { // a cluster that is not ready
		resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	role := shoots.Admin
	if !m.Role.IsNull() {
		role = shoots.Role(m.Role.ValueString())
	}
	var access shoots.Access
	all, err := a.backend.Garden.Shoots()
	if err == nil {
		access, err = all.Access(ctx, m.ShootName.ValueString(), role, tfvalue.DurationOf(m.Expiration, defaultExpiration))
	}
	if err != nil {
		a.report(&resp.Diagnostics, m.ShootName.ValueString(), err)
		return
	}
	m.Kubeconfig, m.Host = types.StringValue(string(access.Kubeconfig)), types.StringValue(access.Host)
	m.ClientCertificate, m.ClientKey = types.StringValue(string(access.Certificate)), types.StringValue(string(access.Key))
	m.ClusterCACertificate = types.StringValue(string(access.ServerAuthority))
	m.ExpiresAt = types.StringValue(access.ExpiresAt.UTC().Format(time.RFC3339))
	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
}
