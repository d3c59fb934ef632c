// Package family is the border between the provider and the families of its objects: what a family registers, how its objects get the
// backend, and what the resources of all families do alike, by the framework and without it.
package family

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// Family is what one package registers with the provider.
type Family struct {
	Resources          []func() resource.Resource
	DataSources        []func() datasource.DataSource
	EphemeralResources []func() ephemeral.EphemeralResource
	ListResources      []func() list.ListResource
	Functions          []func() function.Function
}

// Backend takes the backend that the provider's Configure has handed on; nil before Configure has run. Anything else is an
// error in the diagnostics.
func Backend(data any, diags *diag.Diagnostics) *backend.Backend {
	b, ok := data.(*backend.Backend)
	if !ok && data != nil {
		diags.AddError(diagnose.SummaryUnexpected, fmt.Sprintf("The provider handed on %T as its data. %s", data, diagnose.ReportIssue))
	}
	return b
}
