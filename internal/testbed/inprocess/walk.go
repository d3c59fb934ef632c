package inprocess

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// object is a resource or a data source as the state has it.
type object struct {
	typeName  string
	value     cty.Value
	private   []byte
	identity  *tfprotov6.ResourceIdentityData
	tainted   bool
	dependsOn []string
}

// walk is one command of a CLI: it goes through the configuration with processes of the providers of its own.
type walk struct {
	scope
	ctx       context.Context //nolint:containedctx // of the walk
	state     map[string]*object
	processes map[string]*provider
	// validating says that nothing is configured and nothing is known of other blocks.
	validating bool
	usable     map[string]bool   // the providers that are validated and, mostly, configured
	skipped    map[string]bool   // the blocks that failed, or wait for one that did
	gone       map[string][]byte // the private state of the objects that a refresh has taken out of the state: their successors' plans get it
	errors     []string
}

// newWalk starts the processes.
func (s *session) newWalk(c *configuration) (*walk, error) {
	w := &walk{
		scope: scope{configuration: c, values: map[string]cty.Value{}, functions: map[string]function.Function{}},
		ctx:   s.Context(), state: s.state, processes: map[string]*provider{}, usable: map[string]bool{}, skipped: map[string]bool{},
		gone: map[string][]byte{},
	}
	for name, start := range s.factories {
		server, err := start()
		if err != nil {
			return nil, err
		}
		if s.schemas[name] == nil {
			if s.schemas[name], err = newSchemas(s.Context(), server); err != nil {
				return nil, err
			}
		}
		w.processes[name] = &provider{server, s.schemas[name]}
		if err := w.callable(name, w.processes[name]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// stop ends the processes.
func (w *walk) stop() {
	for _, p := range w.processes {
		_, _ = p.StopProvider(context.WithoutCancel(w.ctx), &tfprotov6.StopProviderRequest{})
	}
}

// each visits the blocks in order. One that fails is left out, with all that refers to it.
func (w *walk) each(visit func(b *block, p *provider, s *schema) bool) {
	for _, b := range w.blocks {
		needs := slices.Concat(b.needs, b.after, w.providerNeeds(b.provider()))
		if slices.ContainsFunc(needs, func(address string) bool { return w.skipped[address] }) || !w.reach(b, visit) {
			w.skipped[b.address] = true
		}
	}
}

func (w *walk) reach(b *block, visit func(b *block, p *provider, s *schema) bool) bool {
	if b.typeName == dataType {
		return visit(b, nil, dataSchema)
	}
	p := w.started(b.provider())
	if p == nil {
		return false
	}
	s := p.of(b)
	if s == nil {
		w.failed(place{address: b.address, body: b.body}, fmt.Errorf("the provider does not know %s", b.address))
		return false
	}
	return visit(b, p, s)
}

// started is a provider that can be asked; nil = it cannot be, and the walk has its errors.
func (w *walk) started(name string) *provider {
	p := w.processes[name]
	if _, asked := w.usable[name]; p != nil && !asked {
		w.usable[name] = false
		w.configure(name, p)
	}
	if p == nil || !w.usable[name] {
		return nil
	}
	return p
}

// validate is the command of that name: of other blocks nothing is known but their types.
func (w *walk) validate() {
	w.validating = true
	for _, b := range w.blocks {
		w.values[b.address] = cty.DynamicVal
	}
	w.each(func(b *block, p *provider, s *schema) bool {
		config, ok := w.evaluate(place{address: b.address, body: b.body}, s)
		return ok && w.validated(b, p, s, config)
	})
}

// validated asks for what is wrong with a configuration.
func (w *walk) validated(b *block, p *provider, s *schema, config cty.Value) bool {
	if p == nil {
		return true
	}
	at := place{address: b.address, body: b.body}
	encoded, err := encode(config, s.of)
	if w.failed(at, err) {
		return false
	}
	if b.data {
		resp, err := p.ValidateDataResourceConfig(w.ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: b.typeName, Config: encoded})
		return !w.failed(at, err) && !w.said(at, resp.Diagnostics)
	}
	resp, err := p.ValidateResourceConfig(w.ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: b.typeName, Config: encoded,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	return !w.failed(at, err) && !w.said(at, resp.Diagnostics)
}

// refresh reads an object again. One that is gone leaves the state.
func (w *walk) refresh(at place, p *provider, s *schema, was *object) bool {
	state, err := s.upgraded(w, p, was)
	if w.failed(at, err) {
		return false
	}
	resp, err := p.ReadResource(w.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: was.typeName, CurrentState: state, Private: was.private, CurrentIdentity: was.identity,
	})
	if w.failed(at, err) || w.said(at, resp.Diagnostics) {
		return false
	}
	value, err := decode(resp.NewState, s.of)
	if w.failed(at, err) {
		return false
	}
	if value.IsNull() {
		w.gone[at.address] = resp.Private
		delete(w.state, at.address)
		return true
	}
	read := *was
	read.value, read.private, read.identity = value, resp.Private, resp.NewIdentity
	w.state[at.address] = &read
	return true
}

// readData reads a data source, or says that it can be read only in an apply.
func (w *walk) readData(b *block, p *provider, s *schema, config cty.Value) (value cty.Value, ok bool) {
	at := place{address: b.address, body: b.body}
	encoded, err := encode(config, s.of)
	if w.failed(at, err) {
		return config, false
	}
	resp, err := p.ReadDataSource(w.ctx, &tfprotov6.ReadDataSourceRequest{TypeName: b.typeName, Config: encoded})
	if w.failed(at, err) || w.said(at, resp.Diagnostics) {
		return config, false
	}
	value, err = decode(resp.State, s.of)
	return value, !w.failed(at, err)
}
