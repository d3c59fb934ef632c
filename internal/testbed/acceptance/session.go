package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Session is what a CLI does with one process of the provider.
type Session struct {
	testing.TB
	Ctx    context.Context //nolint:containedctx // of the calls to come
	Server tfprotov6.ProviderServer
	Schema *tfprotov6.GetProviderSchemaResponse
}

// NewSession is a configured provider on a Garden.
func NewSession(t testing.TB, g *FakeGarden) *Session {
	t.Helper()
	api := httptest.NewServer(g)
	t.Cleanup(api.Close)
	s := &Session{TB: t, Ctx: t.Context(), Server: newServer(os.Getenv)}
	var err error
	if s.Schema, err = s.Server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		t.Fatal(err)
	}
	block := Object(t, s.Schema.Provider.ValueType(), map[string]any{
		"namespace": g.namespace, "release_grace": "0s", "kubernetes": map[string]any{"host": api.URL},
	})
	resp, err := s.Server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: block})
	s.Fine(err, resp.Diagnostics)
	return s
}

// Standing is a claim as a state keeps it; the zero value is none.
type Standing struct {
	State    *tfprotov6.DynamicValue
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
}

// ClaimType is the type of a claim.
func (s *Session) ClaimType() tftypes.Type { return s.Schema.ResourceSchemas[ClaimType].ValueType() }

// config is the configuration of the i-th claim: each is for a Global Account of its own.
func (s *Session) config(i int) tftypes.Value {
	cluster := fmt.Sprintf("cluster-%d", i)
	rules := []tftypes.Value{
		tftypes.NewValue(tftypes.String, "aws"), tftypes.NewValue(tftypes.String, "gcp"), tftypes.NewValue(tftypes.String, "azure(PR=cf-eu11)"),
	}
	return Filled(s, s.ClaimType(), map[string]any{
		"name": cluster, "global_account": fmt.Sprintf("tenant-%d", i), "plan": "aws", "platform_region": "cf-eu10", "cluster_name": cluster,
		"rule_set": map[string]any{"rules": rules},
	})
}

// Validate prepares a call that validates the i-th claim.
func (s *Session) Validate(i int) func() {
	req := &tfprotov6.ValidateResourceConfigRequest{
		TypeName: ClaimType, Config: s.Dynamic(s.config(i)),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	}
	return func() {
		resp, err := s.Server.ValidateResourceConfig(s.Ctx, req)
		s.Fine(err, resp.Diagnostics)
	}
}

// Plan prepares a call that plans the i-th claim.
func (s *Session) Plan(i int, was Standing, planned **tfprotov6.PlanResourceChangeResponse) func() {
	req := s.PlanRequest(s.config(i), was)
	return func() {
		var err error
		*planned, err = s.Server.PlanResourceChange(s.Ctx, req)
		s.Fine(err, (*planned).Diagnostics)
	}
}

// PlanRequest asks for the plan of a claim that exists, as it was.
func (s *Session) PlanRequest(config tftypes.Value, was Standing) *tfprotov6.PlanResourceChangeRequest {
	s.Helper()
	return &tfprotov6.PlanResourceChangeRequest{
		TypeName: ClaimType, PriorState: s.orNull(was.State), PriorPrivate: was.Private, PriorIdentity: was.Identity,
		ProposedNewState: s.Dynamic(s.proposed(config, was)), Config: s.Dynamic(config),
	}
}

// proposed is the configuration over the state, as a CLI merges them.
func (s *Session) proposed(config tftypes.Value, was Standing) tftypes.Value {
	if was.State == nil {
		return config
	}
	merged, configured := s.Attributes(s.Value(was.State)), s.Attributes(config)
	for name, value := range configured {
		if !value.IsNull() && name != "rule_set" {
			merged[name] = value
		}
	}
	return tftypes.NewValue(s.ClaimType(), merged)
}

// Apply makes the i-th claim, or destroys it where that is planned.
func (s *Session) Apply(i int, planned *tfprotov6.PlanResourceChangeResponse, claim *Standing) func() {
	config := s.config(i)
	if s.Value(planned.PlannedState).IsNull() {
		config = tftypes.NewValue(s.ClaimType(), nil)
	}
	req := s.ApplyRequest(config, planned, *claim)
	return func() {
		resp, err := s.Server.ApplyResourceChange(s.Ctx, req)
		s.Fine(err, resp.Diagnostics)
		*claim = Standing{resp.NewState, resp.Private, resp.NewIdentity}
	}
}

// ApplyRequest asks for the apply of what is planned.
func (s *Session) ApplyRequest(
	config tftypes.Value, planned *tfprotov6.PlanResourceChangeResponse, was Standing,
) *tfprotov6.ApplyResourceChangeRequest {
	s.Helper()
	return &tfprotov6.ApplyResourceChangeRequest{
		TypeName: ClaimType, PriorState: s.orNull(was.State), PlannedState: planned.PlannedState, Config: s.Dynamic(config),
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	}
}

// Destroy prepares a call that destroys the i-th claim.
func (s *Session) Destroy(i int, claim *Standing) func() {
	req := &tfprotov6.PlanResourceChangeRequest{
		TypeName: ClaimType, PriorState: claim.State, PriorPrivate: claim.Private, PriorIdentity: claim.Identity,
		ProposedNewState: s.orNull(nil), Config: s.orNull(nil),
	}
	return func() {
		planned, err := s.Server.PlanResourceChange(s.Ctx, req)
		s.Fine(err, planned.Diagnostics)
		s.Apply(i, planned, claim)()
	}
}

// Upgrade prepares a call that reads the state of a claim as one of an older release.
func (s *Session) Upgrade(claim Standing) func() {
	encoded, err := json.Marshal(s.plain(s.Value(claim.State)))
	if err != nil {
		s.Fatal(err)
	}
	req := &tfprotov6.UpgradeResourceStateRequest{TypeName: ClaimType, RawState: &tfprotov6.RawState{JSON: encoded}}
	return func() {
		resp, err := s.Server.UpgradeResourceState(s.Ctx, req)
		s.Fine(err, resp.Diagnostics)
	}
}

// Read prepares a call that refreshes a claim.
func (s *Session) Read(claim *Standing) func() {
	req := &tfprotov6.ReadResourceRequest{
		TypeName: ClaimType, CurrentState: claim.State, Private: claim.Private, CurrentIdentity: claim.Identity,
	}
	return func() {
		resp, err := s.Server.ReadResource(s.Ctx, req)
		s.Fine(err, resp.Diagnostics)
		*claim = Standing{resp.NewState, resp.Private, resp.NewIdentity}
	}
}

// Fine ends the test where there is anything to say.
func (s *Session) Fine(err error, diagnostics []*tfprotov6.Diagnostic) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	for _, d := range diagnostics {
		s.Fatalf("%s: %s: %s", d.Severity, d.Summary, d.Detail)
	}
}

// Attributes are those of an object.
func (s *Session) Attributes(value tftypes.Value) (attributes map[string]tftypes.Value) {
	s.Helper()
	if err := value.Copy().As(&attributes); err != nil {
		s.Fatal(err)
	}
	return attributes
}

// Dynamic is a value as it is sent.
func (s *Session) Dynamic(value tftypes.Value) *tfprotov6.DynamicValue {
	s.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		s.Fatal(err)
	}
	return &encoded
}

// Value decodes a claim.
func (s *Session) Value(encoded *tfprotov6.DynamicValue) tftypes.Value {
	s.Helper()
	value, err := encoded.Unmarshal(s.ClaimType())
	if err != nil {
		s.Fatal(err)
	}
	return value
}

// orNull is a claim, or the null that means none.
func (s *Session) orNull(encoded *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	s.Helper()
	if encoded != nil {
		return encoded
	}
	return s.Dynamic(tftypes.NewValue(s.ClaimType(), nil))
}

// plain is a value as the JSON of a state has it.
func (s *Session) plain(value tftypes.Value) any {
	s.Helper()
	if value.IsNull() {
		return nil
	}
	var (
		attributes map[string]tftypes.Value
		words      string
		number     big.Float
		truth      bool
	)
	switch {
	case value.As(&attributes) == nil:
		all := map[string]any{}
		for name, attribute := range attributes {
			all[name] = s.plain(attribute)
		}
		return all
	case value.As(&words) == nil:
		return words
	case value.As(&number) == nil:
		return json.Number(number.String())
	case value.As(&truth) == nil:
		return truth
	}
	s.Fatalf("a state with %s", value)
	return nil
}
