package inprocess

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"
)

// importing is an import block, or what a step imports by.
type importing struct {
	to           string
	id, identity hclsyntax.Expression // one of the two
	of           *tfprotov6.ResourceIdentityData
	text         string // an id that is no expression
}

func (c *configuration) addImport(b *hclsyntax.Block) error {
	added := importing{}
	for name, a := range b.Body.Attributes {
		switch name {
		case "to":
			to := c.references(a.Expr)
			if len(to) != 1 {
				return onlyCLI("imports of instances")
			}
			added.to = to[0]
		case "id":
			added.id = a.Expr
		case "identity":
			added.identity = a.Expr
		default:
			return onlyCLI(name + " of import blocks")
		}
	}
	c.imports = append(c.imports, added)
	return nil
}

// takenOver imports an object that the state does not have, where a block says so, and reads it.
func (w *walk) takenOver(at place, p *provider, s *schema, b *block) bool {
	i := slices.IndexFunc(w.imports, func(i importing) bool { return i.to == b.address })
	if i < 0 || w.state[b.address] != nil {
		return true
	}
	by := w.imports[i]
	req := &tfprotov6.ImportResourceStateRequest{TypeName: b.typeName, ID: by.text, Identity: by.of}
	for _, expression := range []hclsyntax.Expression{by.id, by.identity} {
		if expression == nil {
			continue
		}
		value, diags := w.value(expression)
		if diags.HasErrors() {
			return !w.failed(at, diags)
		}
		if expression == by.id {
			req.ID = value.AsString()
			continue
		}
		identity, err := p.identified(b.typeName, value)
		if w.failed(at, err) {
			return false
		}
		req.Identity = identity
	}
	return w.takeOver(at, p, s, req)
}

func (w *walk) takeOver(at place, p *provider, s *schema, req *tfprotov6.ImportResourceStateRequest) bool {
	resp, err := p.ImportResourceState(w.ctx, req)
	if w.failed(at, err) || w.said(at, resp.Diagnostics) {
		return false
	}
	if len(resp.ImportedResources) != 1 {
		return !w.failed(at, fmt.Errorf("%d objects were imported", len(resp.ImportedResources)))
	}
	found := resp.ImportedResources[0]
	value, err := decode(found.State, s.of)
	if w.failed(at, err) {
		return false
	}
	was := &object{typeName: req.TypeName, value: value, private: found.Private, identity: found.Identity}
	if !w.refresh(at, p, s, was) {
		return false
	}
	if w.state[at.address] == nil {
		return !w.failed(at, errors.New("cannot import non-existent remote object"))
	}
	return true
}

// identified is an identity as the provider is given it. What is left out is null.
func (s *schemas) identified(typeName string, value cty.Value) (*tfprotov6.ResourceIdentityData, error) {
	of := s.identities[typeName]
	all := map[string]cty.Value{}
	for name, attribute := range of.AttributeTypes() {
		all[name] = cty.NullVal(attribute)
		if value.Type().HasAttribute(name) {
			all[name] = value.GetAttr(name)
		}
	}
	encoded, err := encode(cty.ObjectVal(all), of)
	return &tfprotov6.ResourceIdentityData{IdentityData: encoded}, err
}

// identity is the identity of an object as JSON has it; nil = it has none.
func (s *schemas) identity(o *object) map[string]any {
	of, known := s.identities[o.typeName]
	if !known || o.identity == nil {
		return nil
	}
	value, err := decode(o.identity.IdentityData, of)
	if err != nil {
		return nil
	}
	values, _ := plain(value).(map[string]any)
	return values
}

// imported is what resource.Test does in a step that imports: the state stays as it was.
func (s *session) imported(step resource.TestStep) error {
	c := s.last
	if step.Config != "" {
		variables, err := variablesOf(step.ConfigVariables)
		if err != nil {
			return err
		}
		if c, err = parse(step.Config, variables); err != nil {
			return errors.New("Error: " + err.Error())
		}
	}
	b := c.find(step.ResourceName)
	if b == nil {
		return fmt.Errorf("the configuration has no %s", step.ResourceName)
	}
	id, err := s.importID(step, b.address)
	if err != nil {
		return err
	}
	with := *c
	with.imports = append(slices.Clone(c.imports), importing{to: b.address, text: id})
	last := &with.imports[len(with.imports)-1]
	if step.ImportStateKind == resource.ImportBlockWithResourceIdentity {
		last.text, last.of = "", s.state[b.address].identity
	}
	w, err := s.newWalk(&with)
	if err != nil {
		return err
	}
	defer w.stop()
	w.state = maps.Clone(s.state)
	delete(w.state, b.address)
	if step.ImportStateKind == resource.ImportCommandWithID {
		if p := w.started(b.provider()); p != nil {
			w.takenOver(place{address: b.address, body: b.body}, p, p.of(b), b)
		}
		if err := w.err(); err != nil || !step.ImportStateVerify {
			return err
		}
		return s.sameAsBefore(step, w.state[b.address])
	}
	planned := w.planned(true, false, s.outputs)
	if err := w.err(); err != nil {
		return err
	}
	if change := planned.of(b.address); change == nil || !change.actions.NoOp() && !step.ExpectNonEmptyPlan {
		return fmt.Errorf("importing %s changes something:\n%s", b.address, planned)
	}
	if now, was := w.identityOf(w.state[b.address]), w.identityOf(s.state[b.address]); last.of != nil && !cmp.Equal(now, was) {
		return fmt.Errorf("importing %s: the identity is %v, was %v", b.address, now, was)
	}
	return nil
}

// importID is the ID by which a step imports: its own, or that of the object in the state.
func (s *session) importID(step resource.TestStep, address string) (string, error) {
	switch {
	case step.ImportStateIdFunc != nil:
		return step.ImportStateIdFunc(s.flat())
	case step.ImportStateId == "" && s.state[address] != nil:
		return s.flat().RootModule().Resources[address].Primary.ID, nil
	}
	return step.ImportStateId, nil
}

func (w *walk) identityOf(o *object) map[string]any {
	return w.processes[(&block{typeName: o.typeName}).provider()].identity(o)
}

// sameAsBefore holds what was imported against the object of the state that it is.
func (s *session) sameAsBefore(step resource.TestStep, is *object) error {
	identifier := "id"
	if step.ImportStateVerifyIdentifierAttribute != "" {
		identifier = step.ImportStateVerifyIdentifierAttribute
	}
	actual := map[string]string{}
	flatten(actual, "", plain(is.value))
	for address, other := range s.flat().RootModule().Resources {
		expected := other.Primary.Attributes
		if strings.HasPrefix(address, "data.") || other.Type != is.typeName || expected[identifier] != actual[identifier] {
			continue
		}
		for _, attributes := range []map[string]string{actual, expected} {
			maps.DeleteFunc(attributes, func(key, value string) bool {
				none := value == "0" && (strings.HasSuffix(key, ".#") || strings.HasSuffix(key, ".%"))
				ignored := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
				return none || key == "timeouts" || ignored("timeouts.") || slices.ContainsFunc(step.ImportStateVerifyIgnore, ignored)
			})
		}
		if diff := cmp.Diff(expected, actual); diff != "" {
			return fmt.Errorf("what was imported differs (- as it was, + imported):\n%s", diff)
		}
		return nil
	}
	return fmt.Errorf("the state has no %s with the %s of what was imported, %q", is.typeName, identifier, actual[identifier])
}
