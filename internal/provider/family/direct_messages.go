package family

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// pathsOf converts paths for the protocol, sorted and without duplicates, as the framework returns them.
func pathsOf(ctx context.Context, paths path.Paths) (found []*tftypes.AttributePath) {
	sorted := slices.SortedFunc(slices.Values(paths), func(a, b path.Path) int { return cmp.Compare(a.String(), b.String()) })
	for _, at := range slices.CompactFunc(sorted, path.Path.Equal) {
		found = append(found, pathOf(ctx, at))
	}
	return found
}

func pathOf(ctx context.Context, at path.Path) *tftypes.AttributePath {
	found := tftypes.NewAttributePath()
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			found = found.WithAttributeName(string(step))
		case path.PathStepElementKeyInt:
			found = found.WithElementKeyInt(int(step))
		case path.PathStepElementKeyString:
			found = found.WithElementKeyString(string(step))
		case path.PathStepElementKeyValue:
			raw, _ := step.Value.ToTerraformValue(ctx) // cannot fail: it is a value of Terraform
			found = found.WithElementKeyValue(raw)
		}
	}
	return found
}

// diagnosticsOf converts diagnostics for the protocol.
func diagnosticsOf(ctx context.Context, diags diag.Diagnostics) (found []*tfprotov6.Diagnostic) {
	severities := map[diag.Severity]tfprotov6.DiagnosticSeverity{
		diag.SeverityError: tfprotov6.DiagnosticSeverityError, diag.SeverityWarning: tfprotov6.DiagnosticSeverityWarning,
	}
	for _, d := range diags {
		as := &tfprotov6.Diagnostic{Severity: severities[d.Severity()], Summary: d.Summary(), Detail: d.Detail()}
		if located, ok := d.(diag.DiagnosticWithPath); ok {
			as.Attribute = pathOf(ctx, located.Path())
		}
		found = append(found, as)
	}
	return found
}
