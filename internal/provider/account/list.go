package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

var (
	_ list.ListResource              = (*accountList)(nil)
	_ list.ListResourceWithConfigure = (*accountList)(nil)
)

// accountList lists the accounts of the pool for `terraform query`. It shares its name and its configuration with the
// resource.
type accountList struct{ accountResource }

type accountListModel struct {
	HyperscalerType types.String `tfsdk:"hyperscaler_type"`
}

func (l *accountList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "All accounts of the pool, also those that no configuration has put there, for `terraform query` (Terraform 1.14).",
		Attributes: map[string]schema.Attribute{
			"hyperscaler_type": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only the accounts of this hyperscaler type, e.g. `aws` or `gcp_cf-sa30`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

// List tells the accounts one by one. The whole resource, where it is wanted, is what an import of the account would put into
// the state; it takes a read of the account.
func (l *accountList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var model accountListModel
	if diags := req.Config.Get(ctx, &model); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
		defer cancel()
		p, accounts, err := l.accounts(ctx, model.HyperscalerType.ValueString())
		if err != nil {
			var diags diag.Diagnostics
			diagnose.Report(&diags, l.backend.Attempt("Listing the accounts"), err)
			push(list.ListResult{Diagnostics: diags})
			return
		}
		for i := range accounts {
			if req.Limit > 0 && int64(i) == req.Limit {
				return
			}
			result, there := l.result(ctx, req, p, accounts[i])
			if there && !push(result) {
				return
			}
		}
	}
}

func (l *accountList) accounts(ctx context.Context, hyperscalerType string) (*pool.Pool, []pool.Account, error) {
	p, err := l.backend.Pool()
	if err != nil {
		return nil, nil, err
	}
	accounts, err := p.Accounts(ctx, hyperscalerType)
	return p, accounts, err
}

// result is one account as Terraform wants it; false = it is gone since it was listed.
func (l *accountList) result(ctx context.Context, req list.ListRequest, p *pool.Pool, a pool.Account) (result list.ListResult, there bool) {
	result = req.NewListResult(ctx)
	result.DisplayName = fmt.Sprintf("%s (%s)", a.Name, a.Target())
	m := accountModel{Name: types.StringValue(a.Name)}
	result.Diagnostics.Append(result.Identity.Set(ctx, identityOf(p.Namespace(), m.Name))...)
	if !req.IncludeResource || result.Diagnostics.HasError() {
		return result, true
	}
	s, err := p.Supplied(ctx, a.Name, "")
	if err == nil {
		err = s.Uncounted
	}
	switch {
	case errors.As(err, new(*pool.NotFoundError)):
		return result, false
	case err != nil:
		diagnose.Report(&result.Diagnostics, l.backend.Attempt("Reading account %s", a.Name), err)
		return result, true
	}
	m = m.imported(s)
	if m.RuleSet, m.Timeouts, err = family.WithoutInputs(req.ResourceSchema.Type()); err != nil {
		diagnose.Report(&result.Diagnostics, "Describing an account", err)
		return result, true
	}
	result.Diagnostics.Append(result.Resource.Set(ctx, &m)...)
	return result, true
}
