package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The steps of a claim's life, as a CLI asks for them. A ceiling is how many allocations one claim may take in a step, with a
// tenth to spare. Most of them are the framework's, and come to three quarters of the processor time.
const (
	stepValidate = "validate"
	stepPlan     = "plan"
	stepCreate   = "create"
	stepUpgrade  = "upgrade"
	stepRead     = "read"
	stepReplan   = "replan"
	stepDestroy  = "destroy"
)

// What a claim costs stays what it is: a decoder that looks at the model anew at each call, a rule set that is compiled for each
// claim, or a plan that is set attribute by attribute shows here.
func TestClaimCost(t *testing.T) { //nolint:paralleltest // what other tests allocate would count
	ceilings := map[string]float64{
		stepValidate: 2400, stepPlan: 14_800, stepCreate: 7200, stepUpgrade: 2200, stepRead: 6000, stepReplan: 16_000, stepDestroy: 7200,
	}
	for step, allocations := range claimCost(t, 20) {
		if allocations > ceilings[step] {
			t.Errorf("%s: %.0f allocations for each claim, at most %.0f", step, allocations, ceilings[step])
		}
	}
}

// BenchmarkClaimCost measures all steps of 50 claims, and tells the allocations of each step for one claim. The Garden that
// answers is in the same process.
func BenchmarkClaimCost(b *testing.B) {
	for b.Loop() {
		for step, allocations := range claimCost(b, 50) {
			b.ReportMetric(allocations, step+"-allocs")
		}
	}
}

// claimCost takes n claims through their life, and returns the allocations of each step for one claim.
func claimCost(t testing.TB, n int) map[string]float64 {
	g := newFakeGarden(n + 10)
	claims := make([]standing, n)
	plans := make([]*tfprotov6.PlanResourceChangeResponse, n)
	cost := map[string]float64{}
	s := newSession(t, g) // each program run has a process of its own
	cost[stepValidate] = allocations(n, s.validate)
	cost[stepPlan] = allocations(n, func(i int) func() { return s.plan(i, standing{}, &plans[i]) })
	cost[stepCreate] = allocations(n, func(i int) func() { return s.apply(i, plans[i], &claims[i]) })
	s = newSession(t, g)
	cost[stepUpgrade] = allocations(n, func(i int) func() { return s.upgrade(claims[i]) })
	cost[stepRead] = allocations(n, func(i int) func() { return s.read(&claims[i]) })
	cost[stepReplan] = allocations(n, func(i int) func() { return s.plan(i, claims[i], &plans[i]) })
	for i := range n {
		if got, want := s.value(plans[i].PlannedState), s.value(claims[i].state); !got.Equal(want) {
			t.Fatalf("claim %d would change: %s, was %s", i, got, want)
		}
	}
	s = newSession(t, g)
	cost[stepDestroy] = allocations(n, func(i int) func() { return s.destroy(i, &claims[i]) })
	for i := range n {
		if !s.value(claims[i].state).IsNull() {
			t.Fatalf("claim %d still stands", i)
		}
	}
	return cost
}

// allocations returns how many allocations each of n calls takes. What is prepared for the calls does not count.
func allocations(n int, prepare func(i int) (call func())) float64 {
	calls := make([]func(), n)
	for i := range calls {
		calls[i] = prepare(i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, call := range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n)
}

// session is what a CLI does with one process of the provider.
type session struct {
	testing.TB
	ctx    context.Context //nolint:containedctx // of the calls to come
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// newSession is a configured provider on a Garden.
func newSession(t testing.TB, g *fakeGarden) *session {
	t.Helper()
	api := httptest.NewServer(g)
	t.Cleanup(api.Close)
	s := &session{TB: t, ctx: t.Context(), server: providerserver.NewProtocol6(New("test")())()}
	var err error
	if s.schema, err = s.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		t.Fatal(err)
	}
	block := object(t, s.schema.Provider.ValueType(), map[string]any{
		"namespace": g.namespace, "release_grace": "0s", "kubernetes": map[string]any{"host": api.URL},
	})
	resp, err := s.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: block})
	s.fine(err, resp.Diagnostics)
	return s
}

// standing is a claim as a state keeps it; the zero value is none.
type standing struct {
	state    *tfprotov6.DynamicValue
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

func (s *session) claimType() tftypes.Type { return s.schema.ResourceSchemas[claimType].ValueType() }

// config is the configuration of the i-th claim: each is for a Global Account of its own.
func (s *session) config(i int) tftypes.Value {
	cluster := fmt.Sprintf("cluster-%d", i)
	rules := []tftypes.Value{
		tftypes.NewValue(tftypes.String, "aws"), tftypes.NewValue(tftypes.String, "gcp"), tftypes.NewValue(tftypes.String, "azure(PR=cf-eu11)"),
	}
	return filled(s, s.claimType(), map[string]any{
		"name": cluster, "global_account": fmt.Sprintf("tenant-%d", i), "plan": "aws", "platform_region": "cf-eu10", "cluster_name": cluster,
		"rule_set": map[string]any{"rules": rules},
	})
}

func (s *session) validate(i int) func() {
	req := &tfprotov6.ValidateResourceConfigRequest{
		TypeName: claimType, Config: s.dynamic(s.config(i)),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	}
	return func() {
		resp, err := s.server.ValidateResourceConfig(s.ctx, req)
		s.fine(err, resp.Diagnostics)
	}
}

func (s *session) plan(i int, was standing, planned **tfprotov6.PlanResourceChangeResponse) func() {
	req := s.planRequest(s.config(i), was)
	return func() {
		var err error
		*planned, err = s.server.PlanResourceChange(s.ctx, req)
		s.fine(err, (*planned).Diagnostics)
	}
}

func (s *session) planRequest(config tftypes.Value, was standing) *tfprotov6.PlanResourceChangeRequest {
	s.Helper()
	return &tfprotov6.PlanResourceChangeRequest{
		TypeName: claimType, PriorState: s.orNull(was.state), PriorPrivate: was.private, PriorIdentity: was.identity,
		ProposedNewState: s.dynamic(s.proposed(config, was)), Config: s.dynamic(config),
	}
}

// proposed is the configuration over the state, as a CLI merges them.
func (s *session) proposed(config tftypes.Value, was standing) tftypes.Value {
	if was.state == nil {
		return config
	}
	merged, configured := s.attributes(s.value(was.state)), s.attributes(config)
	for name, value := range configured {
		if !value.IsNull() && name != "rule_set" {
			merged[name] = value
		}
	}
	return tftypes.NewValue(s.claimType(), merged)
}

// apply makes the i-th claim, or destroys it where that is planned.
func (s *session) apply(i int, planned *tfprotov6.PlanResourceChangeResponse, claim *standing) func() {
	config := s.config(i)
	if s.value(planned.PlannedState).IsNull() {
		config = tftypes.NewValue(s.claimType(), nil)
	}
	req := s.applyRequest(config, planned, *claim)
	return func() {
		resp, err := s.server.ApplyResourceChange(s.ctx, req)
		s.fine(err, resp.Diagnostics)
		*claim = standing{resp.NewState, resp.Private, resp.NewIdentity}
	}
}

func (s *session) applyRequest(
	config tftypes.Value, planned *tfprotov6.PlanResourceChangeResponse, was standing,
) *tfprotov6.ApplyResourceChangeRequest {
	s.Helper()
	return &tfprotov6.ApplyResourceChangeRequest{
		TypeName: claimType, PriorState: s.orNull(was.state), PlannedState: planned.PlannedState, Config: s.dynamic(config),
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	}
}

func (s *session) destroy(i int, claim *standing) func() {
	req := &tfprotov6.PlanResourceChangeRequest{
		TypeName: claimType, PriorState: claim.state, PriorPrivate: claim.private, PriorIdentity: claim.identity,
		ProposedNewState: s.orNull(nil), Config: s.orNull(nil),
	}
	return func() {
		planned, err := s.server.PlanResourceChange(s.ctx, req)
		s.fine(err, planned.Diagnostics)
		s.apply(i, planned, claim)()
	}
}

func (s *session) upgrade(claim standing) func() {
	encoded, err := json.Marshal(s.plain(s.value(claim.state)))
	if err != nil {
		s.Fatal(err)
	}
	req := &tfprotov6.UpgradeResourceStateRequest{TypeName: claimType, RawState: &tfprotov6.RawState{JSON: encoded}}
	return func() {
		resp, err := s.server.UpgradeResourceState(s.ctx, req)
		s.fine(err, resp.Diagnostics)
	}
}

func (s *session) read(claim *standing) func() {
	req := &tfprotov6.ReadResourceRequest{
		TypeName: claimType, CurrentState: claim.state, Private: claim.private, CurrentIdentity: claim.identity,
	}
	return func() {
		resp, err := s.server.ReadResource(s.ctx, req)
		s.fine(err, resp.Diagnostics)
		*claim = standing{resp.NewState, resp.Private, resp.NewIdentity}
	}
}

// fine ends the test where there is anything to say.
func (s *session) fine(err error, diagnostics []*tfprotov6.Diagnostic) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	for _, d := range diagnostics {
		s.Fatalf("%s: %s: %s", d.Severity, d.Summary, d.Detail)
	}
}

func (s *session) attributes(value tftypes.Value) (attributes map[string]tftypes.Value) {
	s.Helper()
	if err := value.Copy().As(&attributes); err != nil {
		s.Fatal(err)
	}
	return attributes
}

func (s *session) dynamic(value tftypes.Value) *tfprotov6.DynamicValue {
	s.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		s.Fatal(err)
	}
	return &encoded
}

// value decodes a claim.
func (s *session) value(encoded *tfprotov6.DynamicValue) tftypes.Value {
	s.Helper()
	value, err := encoded.Unmarshal(s.claimType())
	if err != nil {
		s.Fatal(err)
	}
	return value
}

// orNull is a claim, or the null that stands for none.
func (s *session) orNull(encoded *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	s.Helper()
	if encoded != nil {
		return encoded
	}
	return s.dynamic(tftypes.NewValue(s.claimType(), nil))
}

// plain is a value as the JSON of a state has it.
func (s *session) plain(value tftypes.Value) any {
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
