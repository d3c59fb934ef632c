package clusterprofile

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// checkTraits refuses traits that contradict those which follow from the template: a request would be granted a cluster without them.
func checkTraits(diags *diag.Diagnostics, template shoots.Template, traits types.Set) {
	content, err := api.Encode(template.Object("", ""))
	if err != nil {
		return
	}
	facts, ok := configs.FactsOf(content)
	if !ok {
		return
	}
	for _, own := range tfvalue.SetTexts(traits) {
		if by := facts.Contradicted(own); by != "" {
			diags.AddAttributeError(path.Root("traits").AtSetValue(types.StringValue(own)), diagnose.SummaryConfigTraits, fmt.Sprintf("The "+
				"clusters of this profile have the trait %s, which follows from shoot_template, so they cannot have %s. Take it out, or change "+
				"the template.",
				by, own))
		}
	}
}

// standingTraits are the traits that a ProviderConfig says, as the state has them.
func standingTraits(state types.Set, live []string) types.Set {
	known := tfvalue.SetTexts(state)
	slices.Sort(known)
	switch {
	case slices.Equal(known, live):
		return state
	case len(live) == 0:
		return types.SetNull(types.StringType)
	}
	return tfvalue.TextSet(live)
}

// traitName checks that a text can name a trait.
type traitName struct{}

// Description says which texts can.
func (traitName) Description(context.Context) string {
	return "must be a text without control characters, and not empty"
}

// MarkdownDescription says which texts can.
func (t traitName) MarkdownDescription(ctx context.Context) string { return t.Description(ctx) }

// ValidateString checks a text.
func (traitName) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if text := req.ConfigValue; !text.IsNull() && !text.IsUnknown() && !adr.IsTrait(text.ValueString()) {
		resp.Diagnostics.AddAttributeError(req.Path, diagnose.SummaryConfigTraits, fmt.Sprintf("%q cannot name a trait: a trait has a name, "+
			"without control characters.", text.ValueString()))
	}
}
