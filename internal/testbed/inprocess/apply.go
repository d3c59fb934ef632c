package inprocess

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// applied does what is planned: first what is destroyed to be made anew, then what the configuration has, and then what is out of it.
func (w *walk) applied(so *plan, destroying bool) map[string]cty.Value {
	for address, o := range w.state {
		if destroying || so.of(address) == nil || so.of(address).actions.NoOp() {
			w.values[address] = o.value
		}
	}
	for _, c := range slices.Backward(so.changes) {
		if c.actions.Replace() {
			w.end(c)
		}
	}
	if !destroying {
		w.each(func(b *block, p *provider, s *schema) bool {
			c := so.of(b.address)
			if c == nil {
				return false
			}
			return w.made(b, p, s, c)
		})
	}
	for _, c := range so.changes {
		if c.actions.Delete() {
			w.end(c)
		}
	}
	if destroying {
		return map[string]cty.Value{}
	}
	return w.outputValues()
}

// end destroys an object.
func (w *walk) end(c *change) {
	at := place{address: c.address}
	if b := w.find(c.address); b != nil {
		at.body = b.body
	}
	if blocked := w.stillNeeds(c.address); blocked {
		return
	}
	if c.typeName == dataType {
		delete(w.state, c.address)
		return
	}
	p := w.started((&block{typeName: c.typeName}).provider())
	if p == nil {
		w.skipped[c.address] = true
		return
	}
	s := p.resources[c.typeName]
	null := cty.NullVal(s.of)
	if !w.apply(at, p, s, c, null, null) {
		w.skipped[c.address] = true
	}
}

// stillNeeds says that an object that could not be destroyed refers to this one.
func (w *walk) stillNeeds(address string) bool {
	for other, o := range w.state {
		if w.skipped[other] && slices.Contains(o.dependsOn, address) {
			w.skipped[address] = true
			return true
		}
	}
	return false
}

// made brings a block of the configuration to what is planned. As a CLI it plans once more, with what is known by now.
func (w *walk) made(b *block, p *provider, s *schema, c *change) bool {
	if w.skipped[b.address] {
		return false
	}
	at := place{address: b.address, body: b.body}
	if c.actions.NoOp() && !b.data {
		w.values[b.address] = c.planned
		return true
	}
	config, ok := w.evaluate(at, s)
	if !ok {
		return false
	}
	switch {
	case b.data && c.actions.Read():
		if c.planned, ok = w.readData(b, p, s, config); !ok {
			return false
		}
		fallthrough
	case b.data:
		w.values[b.address] = c.planned
		w.state[b.address] = &object{typeName: b.typeName, value: c.planned}
		return true
	case b.typeName == dataType:
		o := applyTerraformData(c, config)
		o.dependsOn = w.dependencies(b)
		w.state[b.address], w.values[b.address] = o, o.value
		return true
	}
	again := &change{address: c.address, typeName: c.typeName}
	if !w.planResource(at, p, s, config, w.state[b.address], again) {
		return false
	}
	if c.actions.Replace() { // it is gone by now
		again.actions = anew
	}
	if c.actions.Update() && again.actions.NoOp() {
		w.values[b.address] = again.planned
		return true
	}
	if !slices.Equal(again.actions, c.actions) {
		return !w.failed(at, fmt.Errorf("provider produced inconsistent final plan: %v was planned, and now %v", c.actions, again.actions))
	}
	if w.failed(at, agrees("plan", "final plan", c.planned, again.planned)) {
		return false
	}
	done := w.apply(at, p, s, again, config, again.planned)
	if o := w.state[b.address]; o != nil {
		o.dependsOn = w.dependencies(b)
		w.values[b.address] = o.value
	}
	return done
}

// dependencies are the resources that a block refers to.
func (w *walk) dependencies(b *block) (all []string) {
	for _, address := range slices.Concat(b.needs, b.after, w.providerNeeds(b.provider())) {
		if of := w.find(address); of != nil && of.data {
			all = append(all, w.dependencies(of)...)
		} else if of != nil {
			all = append(all, address)
		}
	}
	return all
}

// apply makes, changes or destroys one object, and keeps what became of it.
func (w *walk) apply(at place, p *provider, s *schema, c *change, config, planned cty.Value) bool {
	was := cty.NullVal(s.of)
	if o := w.state[c.address]; o != nil {
		was = o.value
	}
	req := &tfprotov6.ApplyResourceChangeRequest{TypeName: c.typeName, PlannedPrivate: c.private, PlannedIdentity: c.identity}
	var err error
	for to, value := range map[**tfprotov6.DynamicValue]cty.Value{
		&req.PriorState: was, &req.Config: config, &req.PlannedState: planned,
	} {
		if *to, err = encode(value, s.of); w.failed(at, err) {
			return false
		}
	}
	resp, err := p.ApplyResourceChange(w.ctx, req)
	if w.failed(at, err) {
		return false
	}
	failed := w.said(at, resp.Diagnostics)
	value, err := decode(resp.NewState, s.of)
	if w.failed(at, err) {
		return false
	}
	if value.IsNull() {
		delete(w.state, c.address)
		return !failed
	}
	o := &object{typeName: c.typeName, value: value, private: resp.Private, identity: resp.NewIdentity, tainted: failed && was.IsNull()}
	if before := w.state[c.address]; before != nil {
		o.dependsOn = before.dependsOn
	}
	w.state[c.address] = o
	return !failed && !w.failed(at, agrees("plan", "result", planned, value))
}

// agrees says where what was planned, and known, has become something else.
func agrees(one, other string, planned, value cty.Value) error {
	switch {
	case !planned.IsKnown():
		return nil
	case planned.IsNull() || !value.IsKnown() || value.IsNull() || !planned.Type().IsObjectType():
		if planned.IsWhollyKnown() && !planned.RawEquals(value) {
			return fmt.Errorf("provider produced inconsistent result: the %s has %#v, and the %s %#v", one, planned, other, value)
		}
		return nil
	}
	for name := range planned.Type().AttributeTypes() {
		if err := agrees(one+"."+name, other, planned.GetAttr(name), value.GetAttr(name)); err != nil {
			return err
		}
	}
	return nil
}

// upgraded has the provider read what a state file would have.
func (s *schema) upgraded(w *walk, p *provider, was *object) (*tfprotov6.DynamicValue, error) {
	encoded, err := ctyjson.Marshal(was.value, s.of)
	if err != nil {
		return nil, err
	}
	resp, err := p.UpgradeResourceState(w.ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: was.typeName, Version: s.version, RawState: &tfprotov6.RawState{JSON: encoded},
	})
	if err != nil {
		return nil, err
	}
	for _, d := range resp.Diagnostics {
		return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
	}
	return resp.UpgradedState, nil
}
