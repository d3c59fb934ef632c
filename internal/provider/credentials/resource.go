// Package credentials is the ephemeral resource hap_credentials: the content of an account's Secret, for one run.
package credentials

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/ephemeralvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var (
	_ ephemeral.EphemeralResourceWithConfigure        = (*credentialsResource)(nil)
	_ ephemeral.EphemeralResourceWithConfigValidators = (*credentialsResource)(nil)
)

// Family registers the object.
var Family = family.Family{EphemeralResources: []func() ephemeral.EphemeralResource{
	func() ephemeral.EphemeralResource { return &credentialsResource{} },
}}

// credentialsResource is the credentials of an account, for as long as a run lasts.
type credentialsResource struct{ backend *backend.Backend }

type credentialsModel struct {
	BindingName    types.String   `tfsdk:"binding_name"`
	CredentialsRef types.Object   `tfsdk:"credentials_ref"`
	GlobalAccount  types.String   `tfsdk:"global_account"`
	Timeouts       timeouts.Value `tfsdk:"timeouts"`
	ProviderType   types.String   `tfsdk:"provider_type"`
	Data           types.Map      `tfsdk:"data"`
	DataBase64     types.Map      `tfsdk:"data_base64"`
}

func (r *credentialsResource) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_credentials"
}

func (r *credentialsResource) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	text := func(description string, rule validator.String) schema.StringAttribute {
		return schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: []validator.String{rule}}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The credentials of an account, read from its Secret: to configure another provider, or for a write-only " +
			"attribute. They are in neither state nor plan, and no log shows them. Needs OpenTofu 1.11 or Terraform 1.10, and the right to `get` " +
			"the Secret (`examples/rbac/role-credentials.yaml`).",
		Attributes: map[string]schema.Attribute{
			"binding_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The account (the name of its `CredentialsBinding`). Either this or `credentials_ref`.",
				Validators: []validator.String{family.ObjectName},
			},
			"credentials_ref": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "Where the credentials are, as a claim's `credentials_ref` says. The account itself is not read then.",
				Attributes: map[string]schema.Attribute{
					"api_version": text("`v1`.", stringvalidator.LengthAtLeast(1)),
					"kind": text("`Secret`. A `WorkloadIdentity` holds no credentials that could be read: it is an error.",
						stringvalidator.LengthAtLeast(1)),
					"namespace": text("Its namespace.", family.LabelName),
					"name":      text("Its name.", family.ObjectName),
				},
			},
			"global_account": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The Global Account that must hold the account of `binding_name`; it is an error if it does " +
					"not. Set it where `binding_name` is written by hand: the account may have gone to another tenant since. A shared account is " +
					"not compared.",
				Validators: []validator.String{
					tfvalue.LabelValue{What: "Global Account", Summary: diagnose.SummaryInvalidGA},
					stringvalidator.AlsoRequires(path.MatchRoot("binding_name")),
				},
			},
			"timeouts": timeouts.AttributesWithOpts(ctx, timeouts.Opts{OpenDescription: fmt.Sprintf("How long reading may take, such as `30s`. "+
				"Default %#q.", backend.ReadTimeout.String())}),
			"provider_type": schema.StringAttribute{
				Computed: true, MarkdownDescription: "The Gardener provider type of the account, e.g. `aws`; null with `credentials_ref`.",
			},
			"data": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "The values of the Secret by their keys, e.g. `accessKeyID` and `secretAccessKey`. A value that is no UTF-8 " +
					"text is in `data_base64` alone.",
			},
			"data_base64": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "All values of the Secret, to the byte, in Base64.",
			},
		},
	}
}

// ConfigValidators let the account be named in one way.
func (r *credentialsResource) ConfigValidators(context.Context) []ephemeral.ConfigValidator {
	return []ephemeral.ConfigValidator{ephemeralvalidator.ExactlyOneOf(path.MatchRoot("binding_name"), path.MatchRoot("credentials_ref"))}
}

func (r *credentialsResource) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// Open reads the Secret. What it finds goes into the result and nowhere else. While the provider's own settings are
// unknown that is an error: OpenTofu takes an unknown result for a bug.
func (r *credentialsResource) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var model credentialsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Open(ctx, backend.ReadTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, data, err := r.read(ctx, model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, "Reading the credentials of "+model.subject()+r.backend.Garden.Where(), err)
		return
	}
	model.ProviderType = tfvalue.TextOrNull(found.ProviderType)
	model.setData(data)
	resp.Diagnostics.Append(resp.Result.Set(ctx, &model)...)
}

// read finds the Secret of the account and reads it.
func (r *credentialsResource) read(ctx context.Context, model credentialsModel, diags *diag.Diagnostics) (found account.Credentials,
	data map[string][]byte, err error) {
	g, err := r.backend.Garden.API()
	if err != nil {
		return found, nil, err
	}
	if found, err = model.credentials(ctx, diags, g); err != nil || diags.HasError() {
		return found, nil, err
	}
	data, err = g.Secret(ctx, found.Ref)
	return found, data, err
}

// credentials returns where the credentials lie: as the configuration says, or as the account does.
func (m credentialsModel) credentials(ctx context.Context, diags *diag.Diagnostics, accounts pool.Store) (account.Credentials, error) {
	if !m.CredentialsRef.IsNull() {
		var ref struct {
			APIVersion string `tfsdk:"api_version"`
			Kind       string `tfsdk:"kind"`
			Namespace  string `tfsdk:"namespace"`
			Name       string `tfsdk:"name"`
		}
		diags.Append(m.CredentialsRef.As(ctx, &ref, basetypes.ObjectAsOptions{})...)
		return account.Credentials{Ref: account.CredentialsRef(ref)}, nil
	}
	a, err := accounts.Get(ctx, m.BindingName.ValueString())
	if err != nil {
		return account.Credentials{}, err
	}
	if tenant := m.GlobalAccount.ValueString(); tenant != "" && tenant != a.Tenant && !a.Shared {
		return account.Credentials{}, &account.WithheldError{Account: a.Name, Tenant: a.Tenant, Wanted: tenant}
	}
	if a.Credentials == nil {
		return account.Credentials{}, errors.New("the answer does not say where its credentials lie")
	}
	return *a.Credentials, nil
}

// subject names what is read in messages.
func (m credentialsModel) subject() string {
	if m.CredentialsRef.IsNull() {
		return "account " + m.BindingName.ValueString()
	}
	name, _ := m.CredentialsRef.Attributes()["name"].(types.String)
	return "Secret " + name.ValueString()
}

func (m *credentialsModel) setData(data map[string][]byte) {
	texts, all := map[string]attr.Value{}, map[string]attr.Value{}
	for key, value := range data {
		all[key] = types.StringValue(base64.StdEncoding.EncodeToString(value))
		if utf8.Valid(value) {
			texts[key] = types.StringValue(string(value))
		}
	}
	m.Data, m.DataBase64 = types.MapValueMust(types.StringType, texts), types.MapValueMust(types.StringType, all)
}
