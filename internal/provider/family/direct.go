package family

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
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
	config, hasConfig := s.decode(request.Config)
	prior, hasPrior := s.decode(request.PriorState)
	proposed, hasProposed := prior, hasPrior
	if !sameEncoding(request.ProposedNewState, request.PriorState) {
		proposed, hasProposed = s.decode(request.ProposedNewState)
	}
	identity, hasIdentity := s.decodeIdentity(request.PriorIdentity)
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
	state, hasState := s.decode(request.CurrentState)
	identity, hasIdentity := s.decodeIdentity(request.CurrentIdentity)
	private, hasPrivate := privateOf(request.Private)
	if !s.keeps || !hasState || !hasIdentity || !hasPrivate || state.IsNull() {
		return nil, false
	}
	var diags diag.Diagnostics
	e.backend = b
	known, prior, at := identity, state, stored{&state, &identity, private, &diags}
	e.read(ctx, at)
	e.judge(Reading, known, at)
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
	config, hasConfig := s.decode(request.Config)
	planned, hasPlanned := s.decode(request.PlannedState)
	state, hasPrior := s.decode(request.PriorState)
	identity, hasIdentity := s.decodeIdentity(request.PlannedIdentity)
	private, hasPrivate := privateOf(request.PlannedPrivate)
	if !s.keeps || !hasConfig || !hasPlanned || !hasPrior || !hasIdentity || !hasPrivate || planned.IsNull() && state.IsNull() {
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
		e.judge(Making, tftypes.NewValue(s.identity, nil), at)
	default:
		e.update(ctx, planned, at)
		e.judge(Changing, known, at)
	}
	answer = &tfprotov6.ApplyResourceChangeResponse{
		NewState:    e.encodedAs(s.withoutWriteOnly(state), prior, request.PriorState, &diags),
		NewIdentity: e.encodedIdentity(identity, &diags), Private: e.encodedPrivate(private, &diags),
	}
	answer.Diagnostics = diagnosticsOf(ctx, diags)
	return answer, true
}

// judge refuses an answer without an error in which an object has gone that was just made, has no identity, or another one than before.
func (e *engine[M, P, L]) judge(doing Doing, known tftypes.Value, now stored) {
	switch {
	case now.diags.HasError():
	case now.state.IsNull() && doing != Reading:
		e.codec.report(now.diags, fmt.Errorf("%s it has left no state", doing))
	case now.identity.IsFullyNull():
		e.codec.report(now.diags, fmt.Errorf("%s it has left no identity", doing))
	case !e.of.Moves && !known.IsFullyNull() && !known.Equal(*now.identity):
		e.codec.report(now.diags, fmt.Errorf("%s it has changed the identity %s to %s", doing, known, now.identity))
	}
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
	e.codec.report(diags, err)
	return &tfprotov6.ResourceIdentityData{IdentityData: &encoded}
}

func (e *engine[M, P, L]) encodedPrivate(p private, diags *diag.Diagnostics) []byte {
	notes, err := p.encoded()
	e.codec.report(diags, err)
	return notes
}

// sameEncoding reports whether two objects are encoded alike, and so are equal.
func sameEncoding(a, b *tfprotov6.DynamicValue) bool {
	return a != nil && b != nil && len(a.MsgPack) > 0 && bytes.Equal(a.MsgPack, b.MsgPack)
}
