package family

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// Planner is a resource that can plan without the framework. For each plan the framework walks over the schema some twenty times, and
// copies the map of all its attributes at each step. That takes longer than all else that a plan does (ADR 024).
type Planner interface {
	// PlanDirectly answers as the framework does, where it can: for an object that is new, stays as it is, or is destroyed. ok = false:
	// nothing was done, and the framework has to answer.
	PlanDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.PlanResourceChangeRequest) (
		answer *tfprotov6.PlanResourceChangeResponse, ok bool)
}

// PlanDirectly implements [Planner].
func (e *engine[M, P, L]) PlanDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.PlanResourceChangeRequest) (
	answer *tfprotov6.PlanResourceChangeResponse, ok bool) {
	s := e.planSchema()
	if !s.whole {
		return nil, false
	}
	config, hasConfig := s.decode(request.Config)
	proposed, hasProposed := s.decode(request.ProposedNewState)
	prior, hasPrior := s.decode(request.PriorState)
	identity, hasIdentity := s.identityOf(request.PriorIdentity)
	private, hasPrivate := privateOf(request.PriorPrivate)
	if !hasConfig || !hasProposed || !hasPrior || !hasIdentity || !hasPrivate {
		return nil, false
	}
	planned, ok := s.plan(config, proposed, prior)
	if !ok {
		return nil, false
	}
	noted, err := private.noted(request.PriorPrivate, planned.IsNull())
	if err != nil {
		return nil, false
	}
	var diags diag.Diagnostics
	e.backend = b
	replaced := e.plan(ctx, change{config, prior, private}, &planned, &diags)
	answer = &tfprotov6.PlanResourceChangeResponse{
		PlannedPrivate: noted, PlannedIdentity: identity, RequiresReplace: pathsOf(ctx, replaced),
	}
	state, err := tfprotov6.NewDynamicValue(s.object, planned)
	if e.codec.report(&diags, err); err == nil {
		answer.PlannedState = &state
	}
	answer.Diagnostics = diagnosticsOf(ctx, diags)
	return answer, true
}

// private is the private state of an object.
type private map[string][]byte

// privateOf reads private state. ok = false: it cannot be read, or is not what the framework writes, or has notes of the framework, whose
// names begin with a dot.
func privateOf(text []byte) (p private, ok bool) {
	if len(text) == 0 {
		return nil, true
	}
	if json.Unmarshal(text, &p) != nil || len(p) == 0 {
		return nil, false
	}
	for key, value := range p {
		if strings.HasPrefix(key, ".") || !utf8.Valid(value) || !json.Valid(value) {
			return nil, false
		}
	}
	return p, true
}

// noted is private state with the note of [PlanAlone]; text is what it was read from.
func (p private) noted(text []byte, alone bool) ([]byte, error) {
	if (string(p[aloneKey]) == "true") == alone {
		return text, nil
	}
	with := maps.Clone(p)
	if with == nil {
		with = private{}
	}
	with[aloneKey] = strconv.AppendBool(nil, alone)
	return json.Marshal(with)
}

// GetKey implements [reader].
func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

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
