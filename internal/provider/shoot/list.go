package shoot

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var (
	_ list.ListResource              = (*shootList)(nil)
	_ list.ListResourceWithConfigure = (*shootList)(nil)
)

// shootList lists the clusters of the namespace for `terraform query`. It shares its name and its configuration with the resource.
type shootList struct{ shootResource }

type shootListModel struct {
	CredentialsBindingName types.String `tfsdk:"credentials_binding_name"`
}

func (l *shootList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "All clusters of the Gardener project, also those that no configuration has made, for `terraform query` " +
			"(Terraform 1.14).",
		Attributes: map[string]schema.Attribute{
			"credentials_binding_name": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the clusters on this account, e.g. " +
				"`aws-account-7`."},
		},
	}
}

// List tells the clusters one by one, out of one list.
func (l *shootList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var model shootListModel
	if diags := req.Config.Get(ctx, &model); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
		defer cancel()
		found, err := l.found(ctx, model.CredentialsBindingName)
		if err != nil {
			var diags diag.Diagnostics
			diagnose.Report(&diags, l.backend.Attempt("Listing the clusters"), err)
			push(list.ListResult{Diagnostics: diags})
			return
		}
		for i := range found {
			if req.Limit > 0 && int64(i) == req.Limit || !push(l.result(ctx, req, found[i])) {
				return
			}
		}
	}
}

// found returns the clusters, on one account where that is wanted.
func (l *shootList) found(ctx context.Context, account types.String) (found []shoots.Shoot, err error) {
	all, err := l.backend.Shoots()
	if err != nil {
		return nil, err
	}
	every, err := all.All(ctx)
	for i := range every {
		if account.IsNull() || every[i].Account == account.ValueString() {
			found = append(found, every[i])
		}
	}
	return found, err
}

// result is one cluster as Terraform wants it.
func (l *shootList) result(ctx context.Context, req list.ListRequest, s shoots.Shoot) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = s.Name
	if s.Account != "" {
		result.DisplayName = fmt.Sprintf("%s (%s)", s.Name, s.Account)
	}
	result.Diagnostics.Append(result.Identity.Set(ctx, identityOf(s.Namespace, types.StringValue(s.Name)))...)
	if !req.IncludeResource || result.Diagnostics.HasError() {
		return result
	}
	m := shootModel{}.imported(s)
	none, err := family.Null(req.ResourceSchema.Type(), "timeouts")
	if err != nil {
		diagnose.Report(&result.Diagnostics, "Describing a cluster", err)
		return result
	}
	m.Timeouts = timeouts.Value{Object: none}
	result.Diagnostics.Append(result.Resource.Set(ctx, &m)...)
	return result
}
