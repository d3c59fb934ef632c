package claim

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

type claimListModel struct {
	GlobalAccount   types.String `tfsdk:"global_account"`
	HyperscalerType types.String `tfsdk:"hyperscaler_type"`
}

// listing is the list of the claims of the pool.
var listing = family.List[claimModel, claimListModel, pool.RecordedClaim]{
	Type: "credentials_binding_claim", Objects: "the claims", Resource: claimSchema, Identity: identitySchema,
	Config: schema.Schema{
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
	},
	All: func(ctx context.Context, call *family.Call, config claimListModel) ([]pool.RecordedClaim, error) {
		p, err := call.Backend.Garden.Pool()
		if err != nil {
			return nil, err
		}
		return p.Claims(ctx, pool.ClaimFilter{
			GlobalAccount: config.GlobalAccount.ValueString(), HyperscalerType: config.HyperscalerType.ValueString(),
		})
	},
	One: recorded,
}

// recorded is one claim of the list. The whole of it takes a read of the account.
func recorded(ctx context.Context, call *family.Call, c pool.RecordedClaim) family.Item[claimModel] {
	r, ga := &claimResource{Call: call}, c.Identity.GlobalAccount
	r.pool, _ = call.Backend.Garden.Pool() // it was open for the list
	m := claimModel{BindingName: types.StringValue(c.Account.Name), Name: types.StringValue(c.Identity.Name)}
	return family.Item[claimModel]{
		Name:     fmt.Sprintf("%s/%s/%s (%s)", ga, c.Account.Name, c.Identity.Name, c.Identity.Pool),
		Identity: r.Identity(kept{Model: m, Place: newHolder(call.Backend, r.pool.Namespace(), ga, c.Record)}),
		Attempt:  call.Backend.Garden.Attempt("Reading account %s of Global Account %s", c.Account.Name, ga),
		Whole: func(of attr.Type) (*claimModel, error) {
			status, target, err := r.pool.Find(ctx, ga, c.Account.Name, c.Identity.Name)
			if errors.As(err, new(*account.NotFoundError)) || errors.As(err, new(*account.TakenError)) || err == nil && !status.Recorded {
				return nil, nil
			}
			if err == nil {
				m = m.imported(status, target, ga)
				m.RuleSet, m.Timeouts, err = family.WithoutInputs(of)
			}
			return &m, err
		},
	}
}
