package shoot

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

type shootListModel struct {
	CredentialsBindingName types.String `tfsdk:"credentials_binding_name"`
}

// listing is the list of the clusters of the namespace.
var listing = family.List[shootModel, shootListModel, shoots.Shoot]{
	Type: "shoot", Objects: "the clusters", Resource: shootSchema, Identity: identitySchema,
	Config: schema.Schema{
		MarkdownDescription: "All clusters of the Gardener project, also those that no configuration has made, for `terraform query` " +
			"(Terraform 1.14). A field that this provider does not know is in an import alone.",
		Attributes: map[string]schema.Attribute{
			"credentials_binding_name": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the clusters on this account, e.g. " +
				"`aws-account-7`."},
		},
	},
	All: found, One: listed,
}

// found returns the clusters, on one account where that is wanted.
func found(ctx context.Context, call *family.Call, config shootListModel) (found []shoots.Shoot, err error) {
	all, err := call.Backend.Garden.Shoots()
	if err != nil {
		return nil, err
	}
	every, err := all.All(ctx)
	for i := range every {
		if account := config.CredentialsBindingName; account.IsNull() || every[i].Account == account.ValueString() {
			found = append(found, every[i])
		}
	}
	return found, err
}

// listed is one cluster of the list.
func listed(_ context.Context, _ *family.Call, s shoots.Shoot) family.Item[shootModel] {
	item := family.Item[shootModel]{
		Name: s.Name, Attempt: "Describing a cluster",
		Identity: family.Identity{"namespace": types.StringValue(s.Namespace), "name": types.StringValue(s.Name)},
		Whole: func(of attr.Type) (*shootModel, error) {
			m := shootModel{}.imported(s)
			none, err := family.Null(of, "timeouts")
			m.Timeouts = timeouts.Value{Object: none}
			return &m, err
		},
	}
	if s.Account != "" {
		item.Name = fmt.Sprintf("%s (%s)", s.Name, s.Account)
	}
	return item
}
