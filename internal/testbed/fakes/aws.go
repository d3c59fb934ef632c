package fakes

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What an example uses of hashicorp/aws is faked: the account that its credentials lead to.
// aws knows one data source. As the real one it has to know its credentials at plan.
type aws struct{}

func (*aws) Metadata(_ context.Context, _ frameworkprovider.MetadataRequest, resp *frameworkprovider.MetadataResponse) {
	resp.TypeName = "aws"
}

func (*aws) Schema(_ context.Context, _ frameworkprovider.SchemaRequest, resp *frameworkprovider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"region": schema.StringAttribute{Optional: true}, "access_key": schema.StringAttribute{Optional: true},
		"secret_key": schema.StringAttribute{Optional: true},
	}}
}

func (*aws) Configure(ctx context.Context, req frameworkprovider.ConfigureRequest, resp *frameworkprovider.ConfigureResponse) {
	var model struct {
		Region    types.String `tfsdk:"region"`
		AccessKey types.String `tfsdk:"access_key"`
		SecretKey types.String `tfsdk:"secret_key"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	key := model.AccessKey.ValueString()
	if key == "" || model.SecretKey.ValueString() != "secret of "+key {
		resp.Diagnostics.AddError("No valid credential sources found", "The fake of hashicorp/aws has to be given both keys of one Secret.")
	}
	resp.DataSourceData = key
}

func (*aws) Resources(context.Context) []func() resource.Resource { return nil }

func (*aws) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &caller{} }}
}

// caller is aws_caller_identity.
type caller struct{ key string }

func (*caller) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "aws_caller_identity"
}

func (*caller) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = datasourceschema.Schema{Attributes: map[string]datasourceschema.Attribute{
		"account_id": datasourceschema.StringAttribute{Computed: true},
	}}
}

func (d *caller) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.key, _ = req.ProviderData.(string)
}

func (d *caller) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(resp.State.Set(ctx, &struct {
		AccountID string `tfsdk:"account_id"`
	}{"account of " + d.key})...)
}
