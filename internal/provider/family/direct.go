package family

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// Direct is a resource that can answer without the framework, as the framework would. The framework walks over the schema many times for
// each answer, and copies the map of all attributes at each step. That takes longer than all else that a plan or a read does (ADR 024).
//
// ok = false: nothing was done, and the framework has to answer.
type Direct interface {
	// PlanDirectly plans an object that is new, stays as it is, or is destroyed.
	PlanDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.PlanResourceChangeRequest) (
		answer *tfprotov6.PlanResourceChangeResponse, ok bool)
	// ReadDirectly reads an object.
	ReadDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.ReadResourceRequest) (
		answer *tfprotov6.ReadResourceResponse, ok bool)
	// ApplyDirectly makes, changes or destroys an object.
	ApplyDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.ApplyResourceChangeRequest) (
		answer *tfprotov6.ApplyResourceChangeResponse, ok bool)
}

// PlanDirectly implements [Direct].
func (e *engine[M, P, L]) PlanDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.PlanResourceChangeRequest) (
	answer *tfprotov6.PlanResourceChangeResponse, ok bool) {
	s := e.direct()
	if !s.plans {
		return nil, false
	}
	config, okConfig := s.decode(request.Config)
	prior, okPrior := s.decode(request.PriorState)
	proposed, okProposed := prior, okPrior
	if !sameEncoding(request.ProposedNewState, request.PriorState) {
		proposed, okProposed = s.decode(request.ProposedNewState)
	}
	identity, okIdentity := s.decodeIdentity(request.PriorIdentity)
	private, okPrivate := privateOf(request.PriorPrivate)
	if !okConfig || !okProposed || !okPrior || !okIdentity || !okPrivate {
		return nil, false
	}
	planned, ok := s.plan(config, proposed, prior)
	if !ok {
		return nil, false
	}
	var diags diag.Diagnostics
	e.backend = b
	handed := maps.Clone(private)
	replaced := e.plan(ctx, change{config, prior, private, handed}, &planned, &diags)
	noted, err := handed.noted(private, request.PriorPrivate, planned.IsNull())
	e.codec.report(&diags, err)
	answer = &tfprotov6.PlanResourceChangeResponse{
		PlannedState: e.encodedAs(planned, prior, request.PriorState, &diags), PlannedPrivate: noted, RequiresReplace: pathsOf(ctx, replaced),
		PlannedIdentity: e.encodedIdentity(identity, &diags),
	}
	answer.Diagnostics = diagnosticsOf(ctx, diags)
	return answer, true
}

// ReadDirectly implements [Direct].
func (e *engine[M, P, L]) ReadDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.ReadResourceRequest) (
	answer *tfprotov6.ReadResourceResponse, ok bool) {
	s := e.direct()
	state, okState := s.decode(request.CurrentState)
	identity, okIdentity := s.decodeIdentity(request.CurrentIdentity)
	private, okPrivate := privateOf(request.Private)
	if !s.applies || !okState || !okIdentity || !okPrivate || state.IsNull() {
		return nil, false
	}
	var diags diag.Diagnostics
	e.backend = b
	known, prior, at := identity, state, stored{&state, &identity, private, &diags}
	e.read(ctx, at)
	e.checkAnswer(Reading, known, at)
	answer = &tfprotov6.ReadResourceResponse{
		NewState:    e.encodedAs(s.withoutWriteOnly(state), prior, request.CurrentState, &diags),
		NewIdentity: e.encodedIdentity(identity, &diags), Private: e.encodedPrivate(private, &diags),
	}
	answer.Diagnostics = diagnosticsOf(ctx, diags)
	return answer, true
}

// ApplyDirectly implements [Direct].
func (e *engine[M, P, L]) ApplyDirectly(ctx context.Context, b *backend.Backend, request *tfprotov6.ApplyResourceChangeRequest) (
	answer *tfprotov6.ApplyResourceChangeResponse, ok bool) {
	s := e.direct()
	config, okConfig := s.decode(request.Config)
	planned, okPlanned := s.decode(request.PlannedState)
	state, okPrior := s.decode(request.PriorState)
	identity, okIdentity := s.decodeIdentity(request.PlannedIdentity)
	private, okPrivate := privateOf(request.PlannedPrivate)
	if !s.applies || !okConfig || !okPlanned || !okPrior || !okIdentity || !okPrivate || planned.IsNull() && state.IsNull() {
		return nil, false
	}
	var diags diag.Diagnostics
	e.backend = b
	known, prior, at := identity, state, stored{&state, &identity, private, &diags}
	switch {
	case planned.IsNull():
		if e.destroy(ctx, at); !diags.HasError() {
			at.remove()
			identity = tftypes.NewValue(s.identity, nil)
			clear(private)
		}
	case state.IsNull():
		clear(private) // notes of a predecessor
		e.create(ctx, planned, config, at)
		e.checkAnswer(Making, tftypes.NewValue(s.identity, nil), at)
	default:
		e.update(ctx, planned, at)
		e.checkAnswer(Changing, known, at)
	}
	answer = &tfprotov6.ApplyResourceChangeResponse{
		NewState:    e.encodedAs(s.withoutWriteOnly(state), prior, request.PriorState, &diags),
		NewIdentity: e.encodedIdentity(identity, &diags), Private: e.encodedPrivate(private, &diags),
	}
	answer.Diagnostics = diagnosticsOf(ctx, diags)
	return answer, true
}

// checkAnswer refuses an answer without an error in which an object that was made or changed is gone, or which has no identity, or another
// one than before. It is a bug of the provider then.
func (e *engine[M, P, L]) checkAnswer(doing Doing, known tftypes.Value, now stored) {
	switch {
	case now.diags.HasError():
	case now.state.IsNull() && doing != Reading:
		e.unexpected(doing, "has left no state, and no error. The object may exist; import it in that case", now.diags)
	case now.identity.IsFullyNull():
		e.unexpected(doing, "has left no identity", now.diags)
	case !e.of.Moves && !known.IsFullyNull() && !known.Equal(*now.identity):
		e.unexpected(doing, fmt.Sprintf("has changed its identity %s to %s", known, now.identity), now.diags)
	}
}

func (e *engine[M, P, L]) unexpected(doing Doing, what string, diags *diag.Diagnostics) {
	diags.AddError(diagnose.SummaryUnexpected, fmt.Sprintf("%s a hap_%s %s. %s", doing, e.of.Type, what, diagnose.ReportIssue))
}

// encodedAs is an object in the encoding of the protocol: that of before, where it is as it was. nil = the error is reported.
func (e *engine[M, P, L]) encodedAs(
	object, before tftypes.Value, encoding *tfprotov6.DynamicValue, diags *diag.Diagnostics,
) *tfprotov6.DynamicValue {
	if equal(object, before) {
		return encoding
	}
	encoded, err := tfprotov6.NewDynamicValue(e.direct().object, object)
	if e.codec.report(diags, err); err != nil {
		return nil
	}
	return &encoded
}

func (e *engine[M, P, L]) encodedIdentity(identity tftypes.Value, diags *diag.Diagnostics) *tfprotov6.ResourceIdentityData {
	encoded, err := tfprotov6.NewDynamicValue(e.direct().identity, identity)
	if e.codec.report(diags, err); err != nil {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &encoded}
}

func (e *engine[M, P, L]) encodedPrivate(p private, diags *diag.Diagnostics) []byte {
	notes, err := p.encoded()
	e.codec.report(diags, err)
	return notes
}

// sameEncoding reports whether two objects are encoded alike, and so are equal.
func sameEncoding(a, b *tfprotov6.DynamicValue) bool {
	return a != nil && b != nil && len(a.JSON)+len(b.JSON) == 0 && bytes.Equal(a.MsgPack, b.MsgPack)
}
