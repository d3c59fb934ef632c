package family

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// Planner is a resource that can plan without the framework. For each plan the framework walks over the schema some twenty times, and
// copies the map of all its attributes at each step. That takes longer than all else that a plan does (ADR 024).
type Planner interface {
	// PlanDirectly answers as the framework does, where it can: for an object that is made, stays as it is, or is destroyed. ok = false:
	// nothing was done, and the framework has to answer.
	PlanDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.PlanResourceChangeRequest) (
		answer *tfprotov6.PlanResourceChangeResponse, ok bool)
}

// PlanDirectly is of [Planner].
func (e *engine[M, P, L]) PlanDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.PlanResourceChangeRequest) (
	answer *tfprotov6.PlanResourceChangeResponse, ok bool) {
	f := e.form()
	private, readable := privateOf(request.PriorPrivate)
	if !f.plain || !readable {
		return nil, false
	}
	config, hasConfig := f.decode(request.Config)
	proposed, hasProposed := f.decode(request.ProposedNewState)
	prior, hasPrior := f.decode(request.PriorState)
	if !hasConfig || !hasProposed || !hasPrior {
		return nil, false
	}
	planned, ok := f.apply(config, proposed, prior)
	if !ok {
		return nil, false
	}
	text, err := private.noted(request.PriorPrivate, planned.IsNull())
	if err != nil {
		return nil, false
	}
	var diags diag.Diagnostics
	e.backend = b
	replaced := e.plan(ctx, change{config, prior, private}, &planned, &diags)
	state, err := tfprotov6.NewDynamicValue(f.object, planned)
	e.codec.report(&diags, err)
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState: &state, PlannedPrivate: text, PlannedIdentity: cmp.Or(request.PriorIdentity, f.none),
		RequiresReplace: pathsOf(ctx, replaced), Diagnostics: diagnosticsOf(ctx, diags),
	}, true
}

// decode reads a configuration or a state. ok = false: it cannot be read.
func (f form) decode(from *tfprotov6.DynamicValue) (value tftypes.Value, ok bool) {
	if from == nil {
		return value, false
	}
	value, err := from.Unmarshal(f.object)
	return value, err == nil
}

// private is the private state of an object.
type private map[string][]byte

// privateOf reads private state. ok = false: it cannot be read, or the framework would change it.
func privateOf(text []byte) (p private, ok bool) {
	if len(text) == 0 {
		return nil, true
	}
	if json.Unmarshal(text, &p) != nil {
		return nil, false
	}
	for key := range p {
		if strings.HasPrefix(key, ".") { // it is one of the framework's
			return nil, false
		}
	}
	return p, true
}

// noted is private state with the note of [PlanAlone]; text is what it was read of.
func (p private) noted(text []byte, alone bool) ([]byte, error) {
	if string(p[aloneKey]) == "true" == alone {
		return text, nil
	}
	with := private{aloneKey: strconv.AppendBool(nil, alone)}
	for key, value := range p {
		if key != aloneKey {
			with[key] = value
		}
	}
	return json.Marshal(with)
}

// GetKey is as that of the framework.
func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

// pathsOf are paths in the order in which the framework has them, as the protocol has them.
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
			raw, _ := step.Value.ToTerraformValue(ctx) // it came from one
			found = found.WithElementKeyValue(raw)
		}
	}
	return found
}

// diagnosticsOf are diagnostics as the protocol has them.
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
