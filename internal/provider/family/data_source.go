package family

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// DataSource describes a data source, which reads and never writes. M is its model.
type DataSource[M any] struct {
	Type   string // without the prefix hap_
	Schema func(context.Context) schema.Schema
	// Check checks the configuration before a plan, without the backend; nil = the schema alone does. Some values may be unknown.
	Check func(config M, diags *diag.Diagnostics)
	// Read fills the model, whose inputs are set. It reports to the diagnostics of the call; with an error there the model is not kept.
	Read func(ctx context.Context, call *Call, m *M)
}

// NewDataSource is the data source that a description describes.
func NewDataSource[M any](of DataSource[M]) func() datasource.DataSource {
	return func() datasource.DataSource { return &dataSource[M]{of: of} }
}

// dataSource is a data source: what all of them do alike.
type dataSource[M any] struct {
	of      DataSource[M]
	backend *backend.Backend
}

func (d *dataSource[M]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.of.Type
}

func (d *dataSource[M]) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.of.Schema(ctx)
}

func (d *dataSource[M]) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.backend = Backend(req.ProviderData, &resp.Diagnostics)
}

func (d *dataSource[M]) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	if d.of.Check == nil {
		return
	}
	var config M
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		d.of.Check(config, &resp.Diagnostics)
	}
}

func (d *dataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model M
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	d.of.Read(ctx, &Call{Backend: d.backend, Diags: &resp.Diagnostics}, &model)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}
