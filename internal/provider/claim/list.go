package claim

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
	_ list.ListResource              = (*claimList)(nil)
	_ list.ListResourceWithConfigure = (*claimList)(nil)
)

// claimList lists the claims of the pool for `terraform query`. It shares its name and its configuration with the
// resource.
type claimList struct{ claimResource }

type claimListModel struct {
	GlobalAccount   types.String `tfsdk:"global_account"`
	HyperscalerType types.String `tfsdk:"hyperscaler_type"`
}

func (l *claimList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The claims that are recorded on the accounts of the pool, those of all configurations, for `terraform query` " +
			"(Terraform 1.14). A claim on a shared account leaves no record and is not among them.",
		Attributes: map[string]schema.Attribute{
			"global_account": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only the claims of this Global Account.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"hyperscaler_type": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only the claims on accounts of this hyperscaler type, e.g. `aws` or `gcp_cf-sa30`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

// List tells the claims one by one. The whole resource, where it is wanted, is what an import of the claim would put
// into the state; it takes a read of the account.
func (l *claimList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var model claimListModel
	if diags := req.Config.Get(ctx, &model); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	filter := pool.ClaimFilter{GlobalAccount: model.GlobalAccount.ValueString(), HyperscalerType: model.HyperscalerType.ValueString()}
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
		defer cancel()
		p, claims, err := l.claims(ctx, filter)
		if err != nil {
			var diags diag.Diagnostics
			diagnose.Report(&diags, l.backend.Attempt("Listing the claims"), err)
			push(list.ListResult{Diagnostics: diags})
			return
		}
		for i, c := range claims {
			if req.Limit > 0 && int64(i) == req.Limit {
				return
			}
			result, stands := l.result(ctx, req, p, c)
			if stands && !push(result) {
				return
			}
		}
	}
}

func (l *claimList) claims(ctx context.Context, filter pool.ClaimFilter) (*pool.Pool, []pool.RecordedClaim, error) {
	p, err := l.backend.Pool()
	if err != nil {
		return nil, nil, err
	}
	claims, err := p.Claims(ctx, filter)
	return p, claims, err
}

// result is one claim as Terraform wants it; false = it has ended since it was listed.
func (l *claimList) result(ctx context.Context, req list.ListRequest, p *pool.Pool, c pool.RecordedClaim) (result list.ListResult,
	stands bool) {
	result = req.NewListResult(ctx)
	m := claimModel{BindingName: types.StringValue(c.Account.Name), Name: types.StringValue(c.Identity.Name)}
	result.DisplayName = fmt.Sprintf("%s/%s/%s (%s)", c.Identity.GlobalAccount, c.Account.Name, c.Identity.Name, c.Identity.Pool)
	h := newHolder(l.backend, p.Namespace(), c.Identity.GlobalAccount, c.Record)
	result.Diagnostics.Append(result.Identity.Set(ctx, m.identity(h))...)
	if !req.IncludeResource || result.Diagnostics.HasError() {
		return result, true
	}
	status, target, err := p.Find(ctx, c.Identity.GlobalAccount, c.Account.Name, c.Identity.Name)
	switch {
	case errors.As(err, new(*pool.NotFoundError)), errors.As(err, new(*pool.TakenError)), err == nil && !status.Recorded:
		return result, false
	case err != nil:
		diagnose.Report(&result.Diagnostics, l.backend.Attempt("Reading account %s of Global Account %s",
			c.Account.Name, c.Identity.GlobalAccount), err)
		return result, true
	}
	m = m.imported(status, target, c.Identity.GlobalAccount)
	if m.RuleSet, m.Timeouts, err = family.WithoutInputs(req.ResourceSchema.Type()); err != nil {
		diagnose.Report(&result.Diagnostics, "Describing a claim", err)
		return result, true
	}
	result.Diagnostics.Append(result.Resource.Set(ctx, &m)...)
	return result, true
}
