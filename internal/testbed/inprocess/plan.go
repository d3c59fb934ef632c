package inprocess

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// change is what a plan has for one address.
type change struct {
	address, typeName string
	data              bool
	actions           tfjson.Actions
	was, planned      cty.Value
	private           []byte
	identity          *tfprotov6.ResourceIdentityData
}

// Actions of a plan.
var (
	nothing  = tfjson.Actions{tfjson.ActionNoop}
	creation = tfjson.Actions{tfjson.ActionCreate}
	reading  = tfjson.Actions{tfjson.ActionRead}
	update   = tfjson.Actions{tfjson.ActionUpdate}
	removal  = tfjson.Actions{tfjson.ActionDelete}
	anew     = tfjson.Actions{tfjson.ActionDelete, tfjson.ActionCreate}
)

// plan is what an apply is going to do.
type plan struct {
	changes []*change // in the order of the blocks, what is destroyed last
	outputs map[string]cty.Value
	before  map[string]cty.Value // the outputs of the state
	state   map[string]*object   // as it was read again
}

// String has each address with what is going to be done, and the values before and after.
func (p *plan) String() string {
	var text strings.Builder
	for _, c := range p.changes {
		fmt.Fprintf(&text, "%s: %v", c.address, c.actions)
		if !c.actions.NoOp() {
			fmt.Fprintf(&text, "\n  from %v\n  to   %v", plain(c.was), plain(c.planned))
		}
		text.WriteString("\n")
	}
	return text.String()
}

func (p *plan) of(address string) *change {
	for _, c := range p.changes {
		if c.address == address {
			return c
		}
	}
	return nil
}

// empty says that nothing changes.
func (p *plan) empty() bool {
	return !slices.ContainsFunc(p.changes, func(c *change) bool { return !c.actions.NoOp() && !c.actions.Read() }) &&
		maps.EqualFunc(p.outputs, p.before, cty.Value.RawEquals)
}

// planned asks what an apply would do. What is read again goes into the state of the walk.
func (w *walk) planned(refresh, destroy bool, before map[string]cty.Value) *plan {
	planned := &plan{before: before, outputs: map[string]cty.Value{}}
	if destroy {
		w.destroyAll(planned, refresh)
		return planned
	}
	w.each(func(b *block, p *provider, s *schema) bool {
		change, ok := w.plannedBlock(b, p, s, refresh, planned)
		if ok {
			planned.changes = append(planned.changes, change)
			w.values[b.address] = change.planned
		}
		return ok
	})
	for _, address := range slices.Backward(ordered(w.state)) {
		if w.find(address) == nil {
			w.destroyed(planned, address, refresh)
		}
	}
	planned.outputs = w.outputValues()
	return planned
}

// destroyAll plans the end of all objects. As a CLI does, what is read again is so before.
func (w *walk) destroyAll(planned *plan, refresh bool) {
	for address, o := range w.state {
		w.values[address] = o.value
	}
	for _, address := range slices.Backward(ordered(w.state)) {
		w.destroyed(planned, address, refresh)
	}
}

// destroyed plans the end of one object.
func (w *walk) destroyed(planned *plan, address string, refresh bool) {
	was := w.state[address]
	if strings.HasPrefix(address, "data.") {
		delete(w.state, address)
		return
	}
	c := &change{address: address, typeName: was.typeName, actions: removal, was: was.value, private: was.private, identity: was.identity}
	at := place{address: address}
	if b := w.find(address); b != nil {
		at.body = b.body
	}
	if was.typeName == dataType {
		c.planned = cty.NullVal(was.value.Type())
		planned.changes = append(planned.changes, c)
		return
	}
	p := w.started((&block{typeName: was.typeName}).provider())
	if p == nil {
		return
	}
	s := p.resources[was.typeName]
	if refresh && !w.refresh(at, p, s, was) {
		return
	}
	if was = w.state[address]; was == nil {
		return
	}
	null := cty.NullVal(s.of)
	if w.ask(at, p, s, c, askFor{was: was.value, private: was.private, identity: was.identity, config: null, proposed: null}) {
		c.was, c.planned = was.value, null
		planned.changes = append(planned.changes, c)
	}
}

// plannedBlock plans one block of the configuration.
func (w *walk) plannedBlock(b *block, p *provider, s *schema, refresh bool, so *plan) (*change, bool) {
	at := place{address: b.address, body: b.body}
	was := w.state[b.address]
	if p != nil && !b.data && was == nil && !w.takenOver(at, p, s, b) {
		return nil, false
	}
	if was != nil && refresh && p != nil && !b.data && !w.refresh(at, p, s, was) {
		return nil, false
	}
	config, ok := w.evaluate(at, s)
	if !ok || !w.validated(b, p, s, config) {
		return nil, false
	}
	c := &change{address: b.address, typeName: b.typeName, data: b.data}
	if b.data {
		return c, w.planData(b, p, s, config, c, so)
	}
	was = w.state[b.address]
	if b.typeName == dataType {
		planTerraformData(c, was, config)
		return c, true
	}
	return c, w.planResource(at, p, s, config, was, c)
}

func (w *walk) planData(b *block, p *provider, s *schema, config cty.Value, c *change, so *plan) bool {
	pending := slices.ContainsFunc(b.after, func(address string) bool {
		earlier := so.of(address)
		return earlier != nil && !earlier.actions.NoOp()
	})
	c.actions, c.was = nothing, cty.NullVal(s.of)
	if pending || !config.IsWhollyKnown() {
		c.actions, c.planned = reading, s.later(config)
		return true
	}
	var ok bool
	c.planned, ok = w.readData(b, p, s, config)
	return ok
}

// planResource plans what becomes of an object, and once more without it where it is to be made anew.
func (w *walk) planResource(at place, p *provider, s *schema, config cty.Value, was *object, c *change) bool {
	null := cty.NullVal(s.of)
	c.was = null
	first := askFor{was: null, config: config, private: w.gone[at.address]}
	if was != nil {
		c.was = was.value
		if !was.tainted { // Terraform says nothing of a tainted one
			first.was, first.private, first.identity = was.value, was.private, was.identity
		}
	}
	first.proposed = s.proposed(first.was, config)
	if !w.ask(at, p, s, c, first) {
		return false
	}
	switch {
	case was == nil:
		c.actions = creation
	case was.tainted:
		c.actions = anew
	case c.actions.Replace():
		return w.ask(at, p, s, c, askFor{was: null, config: config, proposed: s.proposed(null, config), private: c.private})
	case c.planned.RawEquals(c.was):
		c.actions = nothing
	default:
		c.actions = update
	}
	return true
}

// askFor is what a plan of one object is asked by.
type askFor struct {
	was, config, proposed cty.Value
	private               []byte
	identity              *tfprotov6.ResourceIdentityData
}

// ask plans one object. Where it is to be made anew, that becomes the action of the change.
func (w *walk) ask(at place, p *provider, s *schema, c *change, by askFor) bool {
	req := &tfprotov6.PlanResourceChangeRequest{TypeName: c.typeName, PriorPrivate: by.private, PriorIdentity: by.identity}
	var err error
	for to, value := range map[**tfprotov6.DynamicValue]cty.Value{
		&req.PriorState: by.was, &req.Config: by.config, &req.ProposedNewState: by.proposed,
	} {
		if *to, err = encode(value, s.of); w.failed(at, err) {
			return false
		}
	}
	resp, err := p.PlanResourceChange(w.ctx, req)
	if w.failed(at, err) || w.said(at, resp.Diagnostics) {
		return false
	}
	if c.planned, err = decode(resp.PlannedState, s.of); w.failed(at, err) || w.failed(at, kept(s.attributes, by, c.planned)) {
		return false
	}
	c.private, c.identity = resp.PlannedPrivate, resp.PlannedIdentity
	if slices.ContainsFunc(resp.RequiresReplace, func(path *tftypes.AttributePath) bool { return differs(path, by.was, c.planned) }) {
		c.actions = anew
	}
	return true
}

// kept says where a plan has something else than what is configured.
func kept(attributes []*tfprotov6.SchemaAttribute, by askFor, planned cty.Value) error {
	if by.config.IsNull() || planned.IsNull() {
		return nil
	}
	for _, a := range attributes {
		config, value := by.config.GetAttr(a.Name), planned.GetAttr(a.Name)
		if a.NestedType != nil || a.WriteOnly || config.IsNull() && a.Computed {
			continue
		}
		prior := cty.NullVal(config.Type())
		if !by.was.IsNull() {
			prior = by.was.GetAttr(a.Name)
		}
		if !value.RawEquals(config) && !value.RawEquals(prior) {
			return fmt.Errorf("provider produced invalid plan: %s is configured as %#v, and planned as %#v", a.Name, config, value)
		}
	}
	return nil
}

// differs says whether two values differ at a path.
func differs(path *tftypes.AttributePath, a, b cty.Value) bool {
	for _, step := range path.Steps() {
		if a.IsNull() || b.IsNull() || !a.IsKnown() || !b.IsKnown() {
			break
		}
		name, isAttribute := step.(tftypes.AttributeName)
		if !isAttribute {
			break
		}
		a, b = a.GetAttr(string(name)), b.GetAttr(string(name))
	}
	return !a.RawEquals(b)
}

// outputValues evaluates the outputs.
func (w *walk) outputValues() map[string]cty.Value {
	all := map[string]cty.Value{}
	for name, expression := range w.outputs {
		value, diags := w.value(expression)
		if !diags.HasErrors() {
			all[name] = value
			continue
		}
		for _, d := range diags {
			if len(w.skipped) == 0 { // else it may refer to what has failed
				w.errors = append(w.errors, w.rendered(place{address: "output." + name}, nil, d.Summary, d.Detail))
			}
		}
	}
	return all
}

// ordered are the addresses of a state: what an object refers to comes before it.
func ordered(state map[string]*object) (all []string) {
	var visit func(address string)
	visit = func(address string) {
		if state[address] == nil || slices.Contains(all, address) {
			return
		}
		for _, before := range state[address].dependsOn {
			visit(before)
		}
		all = append(all, address)
	}
	for _, address := range slices.Sorted(maps.Keys(state)) {
		visit(address)
	}
	return all
}
