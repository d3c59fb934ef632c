package claim_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// The steps of a claim's life, as a CLI asks for them. A ceiling is how many allocations one claim may take in a step, with a
// tenth to spare. Most of those of a validation and of an upgrade are the framework's.
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
	acceptance.OneByOne(t)
	ceilings := map[string]float64{
		stepValidate: 2400, stepPlan: 2700, stepCreate: 2800, stepUpgrade: 2200, stepRead: 1400, stepReplan: 2150, stepDestroy: 3450,
	}
	for step, allocations := range claimCost(t, 20) {
		if allocations > ceilings[step] {
			t.Errorf("%s: %.0f allocations for each claim, at most %.0f", step, allocations, ceilings[step])
		}
	}
}

// The claims of a run share what they list: a plan asks for the accounts, the bindings of the other kind and the clusters, each once, and
// reads no account by itself.
func TestClaimRequests(t *testing.T) {
	t.Parallel()
	const n = 5
	g := acceptance.NewFakeGarden(n)
	s := acceptance.NewSession(t, g)
	plans, claims := make([]*tfprotov6.PlanResourceChangeResponse, n), make([]acceptance.Standing, n)
	for i := range n {
		s.Plan(i, acceptance.Standing{}, &plans[i])()
	}
	lists := []string{"GET credentialsbindings", "GET secretbindings", "GET shoots"}
	wantAsked(t, g, "the plan of new claims", lists...)
	for i := range n {
		s.Apply(i, plans[i], &claims[i])()
	}
	g.Asked()
	s = acceptance.NewSession(t, g)
	for i := range n {
		s.Read(&claims[i])()
		s.Plan(i, claims[i], &plans[i])()
	}
	wantAsked(t, g, "the plan without changes", lists...)
}

func wantAsked(t *testing.T, g *acceptance.FakeGarden, step string, want ...string) {
	t.Helper()
	if asked := g.Asked(); !slices.Equal(slices.Sorted(slices.Values(asked)), want) {
		t.Errorf("%s asks %q, want %q", step, asked, want)
	}
}

// BenchmarkClaimCost measures all steps of 50 claims, and reports the allocations of each step for one claim. The Garden that
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
	g := acceptance.NewFakeGarden(n + 10)
	claims := make([]acceptance.Standing, n)
	plans := make([]*tfprotov6.PlanResourceChangeResponse, n)
	cost := map[string]float64{}
	s := acceptance.NewSession(t, g) // each program run has a process of its own
	cost[stepValidate] = allocations(n, s.Validate)
	cost[stepPlan] = allocations(n, func(i int) func() { return s.Plan(i, acceptance.Standing{}, &plans[i]) })
	cost[stepCreate] = allocations(n, func(i int) func() { return s.Apply(i, plans[i], &claims[i]) })
	s = acceptance.NewSession(t, g)
	cost[stepUpgrade] = allocations(n, func(i int) func() { return s.Upgrade(claims[i]) })
	cost[stepRead] = allocations(n, func(i int) func() { return s.Read(&claims[i]) })
	cost[stepReplan] = allocations(n, func(i int) func() { return s.Plan(i, claims[i], &plans[i]) })
	for i := range n {
		if got, want := s.Value(plans[i].PlannedState), s.Value(claims[i].State); !got.Equal(want) {
			t.Fatalf("claim %d would change: %s, was %s", i, got, want)
		}
	}
	s = acceptance.NewSession(t, g)
	cost[stepDestroy] = allocations(n, func(i int) func() { return s.Destroy(i, &claims[i]) })
	for i := range n {
		if !s.Value(claims[i].State).IsNull() {
			t.Fatalf("claim %d still exists", i)
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
