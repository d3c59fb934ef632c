package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

type accountListModel struct {
	HyperscalerType types.String `tfsdk:"hyperscaler_type"`
}

// listing is the list of the accounts of the pool.
var listing = family.List[accountModel, accountListModel, account.Account]{
	Type: "account", Objects: "the accounts", Resource: accountSchema, Identity: identitySchema,
	Config: schema.Schema{
		MarkdownDescription: "All accounts of the pool, also those that no configuration has put there, for `terraform query` (Terraform 1.14).",
		Attributes: map[string]schema.Attribute{
			"hyperscaler_type": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only the accounts of this hyperscaler type, e.g. `aws` or `gcp_cf-sa30`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	},
	All: func(ctx context.Context, call *family.Call, config accountListModel) ([]account.Account, error) {
		p, err := call.Backend.Garden.Pool()
		if err != nil {
			return nil, err
		}
		return p.Accounts(ctx, config.HyperscalerType.ValueString())
	},
	One: listed,
}

// listed is one account of the list. The whole of it takes a read.
func listed(ctx context.Context, call *family.Call, a account.Account) family.Item[accountModel] {
	r, m := &accountResource{Call: call}, accountModel{Name: types.StringValue(a.Name)}
	r.pool, _ = call.Backend.Garden.Pool() // it was open for the list
	return family.Item[accountModel]{
		Name: fmt.Sprintf("%s (%s)", a.Name, a.Target()), Identity: r.Identity(kept{Model: m}),
		Attempt: call.Backend.Garden.Attempt("Reading account %s", a.Name),
		Whole: func(of attr.Type) (*accountModel, error) {
			s, err := r.pool.Supplied(ctx, a.Name, "")
			if err == nil {
				err = s.Uncounted
			}
			if errors.As(err, new(*account.NotFoundError)) {
				return nil, nil
			}
			if err == nil {
				m = m.imported(s)
				m.RuleSet, m.Timeouts, err = family.WithoutInputs(of)
			}
			return &m, err
		},
	}
}
