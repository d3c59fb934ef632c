package inprocess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Variable is the environment variable that has the tests run with the CLI, where it is set.
const Variable = "HAP_CLI"

// session is a test case on its way.
type session struct {
	testing.TB
	ctx       context.Context //nolint:containedctx // of all calls of the provider
	factories map[string]factory
	schemas   map[string]*schemas
	state     map[string]*object
	outputs   map[string]cty.Value
	last      *configuration // of the last step, which the end goes by
}

// Test goes through the steps of a test case as resource.Test does, without a CLI.
func Test(t *testing.T, c resource.TestCase) {
	t.Helper()
	if os.Getenv(Variable) != "" {
		resource.Test(t, c)
		return
	}
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skip("an acceptance test: set TF_ACC=1 (make testacc does)")
	}
	refuseUnknown(t, "a test case", c, "ProtoV6ProviderFactories", "Steps", "CheckDestroy", "TerraformVersionChecks")
	s := newSession(t, c.ProtoV6ProviderFactories)
	defer s.end(c.CheckDestroy)
	for i, step := range c.Steps {
		refuseUnknown(t, "a step", step, "PreConfig", "Config", "ConfigVariables", "PlanOnly", "Destroy", "ExpectError", "ExpectNonEmptyPlan",
			"Check", "ConfigPlanChecks", "ConfigStateChecks", "Taint", "ResourceName", "ImportState", "ImportStateKind", "ImportStateId",
			"ImportStateIdFunc", "ImportStateVerify", "ImportStateVerifyIgnore", "ImportStateVerifyIdentifierAttribute")
		if step.PreConfig != nil {
			step.PreConfig()
		}
		run := s.step
		if step.ImportState {
			run = s.imported
		}
		err := run(step)
		switch {
		case step.ExpectError == nil && err != nil:
			t.Fatalf("step %d of %d: %v", i+1, len(c.Steps), err)
		case step.ExpectError != nil && err == nil:
			t.Fatalf("step %d of %d: no error, want one like %s", i+1, len(c.Steps), step.ExpectError)
		case step.ExpectError != nil && !step.ExpectError.MatchString(err.Error()):
			t.Fatalf("step %d of %d: the error is not like %s:\n%v", i+1, len(c.Steps), step.ExpectError, err)
		}
	}
}

func newSession(t testing.TB, factories map[string]factory) *session {
	return &session{
		TB: t, ctx: t.Context(), factories: factories,
		schemas: map[string]*schemas{}, state: map[string]*object{}, outputs: map[string]cty.Value{},
	}
}

// Context is that of all calls of the provider.
func (s *session) Context() context.Context { return s.ctx }

// refuseUnknown ends a test that sets a field that a session does not know.
func refuseUnknown(t *testing.T, what string, of any, known ...string) {
	t.Helper()
	value := reflect.ValueOf(of)
	for i := range value.NumField() {
		if name := value.Type().Field(i).Name; !value.Field(i).IsZero() && !slices.Contains(known, name) {
			t.Fatal(onlyCLI(name + " of " + what))
		}
	}
}

// endOfFailed is how long the end of a failed test may take: what it has left stuck would let it wait for an hour, and say nothing until
// then.
const endOfFailed = 30 * time.Second

// end destroys what is left.
func (s *session) end(check resource.TestCheckFunc) {
	s.Helper()
	if s.Failed() {
		ctx, cancel := context.WithTimeout(s.ctx, endOfFailed)
		defer cancel()
		s.ctx = ctx
	}
	before := s.flat()
	if len(s.state) > 0 {
		planned, err := s.plan(true, true)
		if err == nil {
			err = s.apply(planned, true)
		}
		if err != nil {
			s.Errorf("the end: %v", err)
			return
		}
	}
	if check != nil {
		if err := check(before); err != nil {
			s.Errorf("the check of the end: %v", err)
		}
	}
}

// step is what resource.Test does with a configuration: it applies it, and wants the plan after that to be empty.
func (s *session) step(step resource.TestStep) error {
	variables, err := variablesOf(step.ConfigVariables)
	if err != nil {
		return err
	}
	for _, address := range step.Taint {
		s.state[address].tainted = true
	}
	next, err := parse(step.Config, variables)
	if err != nil {
		return errors.New("Error: " + err.Error())
	}
	s.last = next
	if !step.PlanOnly {
		if err := s.applied(step); err != nil {
			return err
		}
	}
	for _, refresh := range []bool{false, true} {
		planned, err := s.plan(refresh, step.Destroy)
		if err != nil {
			return err
		}
		checks := step.ConfigPlanChecks.PostApplyPreRefresh
		if refresh {
			checks = step.ConfigPlanChecks.PostApplyPostRefresh
		}
		if err := checkPlan(s.Context(), planned, checks); err != nil {
			return err
		}
		if !planned.empty() && !step.ExpectNonEmptyPlan {
			return fmt.Errorf("the plan is not empty:\n%s", planned)
		}
		if refresh && planned.empty() && step.ExpectNonEmptyPlan {
			return errors.New("the plan is empty")
		}
	}
	return nil
}

// applied plans and applies, with the checks before and after.
func (s *session) applied(step resource.TestStep) error {
	planned, err := s.plan(true, step.Destroy)
	if err != nil {
		return err
	}
	if err := checkPlan(s.Context(), planned, step.ConfigPlanChecks.PreApply); err != nil {
		return err
	}
	flat := s.flat()
	if err := s.apply(planned, step.Destroy); err != nil {
		return err
	}
	if !step.Destroy {
		flat = s.flat()
	}
	if step.Check != nil {
		if err := step.Check(flat); err != nil {
			return err
		}
	}
	return checkState(s.Context(), s.stateJSON(), step.ConfigStateChecks)
}

// plan validates the configuration, and plans it. What is read again is kept for an apply alone.
func (s *session) plan(refresh, destroy bool) (*plan, error) {
	if !destroy {
		w, err := s.newWalk(s.last)
		if err != nil {
			return nil, err
		}
		defer w.stop()
		w.validate()
		if err := w.err(); err != nil {
			return nil, err
		}
	}
	w, err := s.newWalk(s.last)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	w.state = maps.Clone(s.state)
	planned := w.planned(refresh, destroy, s.outputs)
	planned.state = w.state
	return planned, w.err()
}

// apply does what is planned.
func (s *session) apply(planned *plan, destroy bool) error {
	w, err := s.newWalk(s.last)
	if err != nil {
		return err
	}
	defer w.stop()
	w.state, w.applying = planned.state, true
	outputs := w.applied(planned, destroy)
	s.state = w.state
	s.outputs = outputs
	return w.err()
}

// err are the errors of a walk; nil = there are none.
func (w *walk) err() error {
	if len(w.errors) == 0 {
		return nil
	}
	return errors.New(strings.Join(w.errors, "\n"))
}

func checkPlan(ctx context.Context, planned *plan, checks []plancheck.PlanCheck) error {
	for _, check := range checks {
		var resp plancheck.CheckPlanResponse
		if check.CheckPlan(ctx, plancheck.CheckPlanRequest{Plan: planned.asJSON()}, &resp); resp.Error != nil {
			return fmt.Errorf("%w, in the plan:\n%s", resp.Error, planned)
		}
	}
	return nil
}

func checkState(ctx context.Context, state *tfjson.State, checks []statecheck.StateCheck) error {
	for _, check := range checks {
		var resp statecheck.CheckStateResponse
		if check.CheckState(ctx, statecheck.CheckStateRequest{State: state}, &resp); resp.Error != nil {
			return resp.Error
		}
	}
	return nil
}

// variablesOf are the variables of a step as values of the language.
func variablesOf(all config.Variables) (map[string]cty.Value, error) {
	values := map[string]cty.Value{}
	for name, variable := range all {
		encoded, err := json.Marshal(variable)
		if err != nil {
			return nil, err
		}
		of, err := ctyjson.ImpliedType(encoded)
		if err != nil {
			return nil, err
		}
		if values[name], err = ctyjson.Unmarshal(encoded, of); err != nil {
			return nil, err
		}
	}
	return values, nil
}
