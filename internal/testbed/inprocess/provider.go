package inprocess

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// factory starts a process of a provider.
type factory = func() (tfprotov6.ProviderServer, error)

// provider is one process of a provider with its schemas. They are the same in each process.
type provider struct {
	tfprotov6.ProviderServer
	*schemas
}

type schemas struct {
	itself          *schema
	resources, data map[string]*schema
	functions       map[string]*tfprotov6.Function
	identities      map[string]cty.Type // of the resources that have one
}

func newSchemas(ctx context.Context, server tfprotov6.ProviderServer) (*schemas, error) {
	resp, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	all := &schemas{resources: map[string]*schema{}, data: map[string]*schema{}, functions: resp.Functions,
		identities: map[string]cty.Type{}}
	if all.itself, err = newSchema(resp.Provider); err != nil {
		return nil, err
	}
	for name, s := range resp.ResourceSchemas {
		if all.resources[name], err = newSchema(s); err != nil {
			return nil, err
		}
	}
	for name, s := range resp.DataSourceSchemas {
		if all.data[name], err = newSchema(s); err != nil {
			return nil, err
		}
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for name, identity := range identities.IdentitySchemas {
		types := map[string]cty.Type{}
		for _, a := range identity.IdentityAttributes {
			if types[a.Name], err = typeOf(a.Type); err != nil {
				return nil, err
			}
		}
		all.identities[name] = cty.Object(types)
	}
	return all, nil
}

// of is the schema of a block; nil = the provider does not know its type.
func (s *schemas) of(b *block) *schema {
	if b.data {
		return s.data[b.typeName]
	}
	return s.resources[b.typeName]
}

// configure evaluates the provider block, and hands it to the process where it is to answer for objects.
func (w *walk) configure(name string, p *provider) {
	body := w.providers[name]
	if body == nil {
		body = &hclsyntax.Body{}
	}
	at := place{address: fmt.Sprintf("provider[%q]", name), body: body}
	config, ok := w.evaluate(at, p.itself)
	if !ok {
		return
	}
	encoded, err := encode(config, p.itself.of)
	if w.failed(at, err) {
		return
	}
	validated, err := p.ValidateProviderConfig(w.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: encoded})
	if err != nil || w.said(at, validated.Diagnostics) {
		w.failed(at, err)
		return
	}
	if w.validating {
		w.usable[name] = true
		return
	}
	configured, err := p.ConfigureProvider(w.ctx, &tfprotov6.ConfigureProviderRequest{Config: encoded})
	if err == nil && !w.said(at, configured.Diagnostics) {
		w.usable[name] = true
	}
	w.failed(at, err)
}

// evaluate reads a body by its schema.
func (w *walk) evaluate(at place, s *schema) (cty.Value, bool) {
	value, diags := hcldec.Decode(at.body, s.spec, w.scope.context())
	for _, d := range diags {
		w.errors = append(w.errors, w.rendered(at, nil, d.Summary, d.Detail))
	}
	return value, !diags.HasErrors()
}

// callable are the functions of a provider, by the names that expressions call them.
func (w *walk) callable(name string, p *provider) error {
	for called, f := range p.functions {
		spec := &function.Spec{Type: func([]cty.Value) (cty.Type, error) { return typeOf(f.Return.Type) }}
		for _, parameter := range f.Parameters {
			of, err := typeOf(parameter.Type)
			if err != nil {
				return err
			}
			spec.Params = append(spec.Params, function.Parameter{Name: parameter.Name, Type: of, AllowNull: parameter.AllowNullValue})
		}
		if f.VariadicParameter != nil {
			of, err := typeOf(f.VariadicParameter.Type)
			if err != nil {
				return err
			}
			spec.VarParam = &function.Parameter{Name: f.VariadicParameter.Name, Type: of, AllowNull: f.VariadicParameter.AllowNullValue}
		}
		spec.Impl = func(arguments []cty.Value, returns cty.Type) (cty.Value, error) {
			if slices.ContainsFunc(arguments, func(argument cty.Value) bool { return !argument.IsWhollyKnown() }) {
				return cty.UnknownVal(returns), nil
			}
			return w.call(p, called, arguments, returns)
		}
		w.functions["provider::"+name+"::"+called] = function.New(spec)
	}
	return nil
}

func (w *walk) call(p *provider, name string, arguments []cty.Value, returns cty.Type) (cty.Value, error) {
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for i, argument := range arguments {
		of := argument.Type()
		parameters := p.functions[name].Parameters
		if i < len(parameters) {
			of, _ = typeOf(parameters[i].Type)
		}
		encoded, err := encode(argument, of)
		if err != nil {
			return cty.NilVal, err
		}
		req.Arguments = append(req.Arguments, encoded)
	}
	resp, err := p.CallFunction(w.ctx, req)
	if err != nil {
		return cty.NilVal, err
	}
	if resp.Error != nil && resp.Error.FunctionArgument != nil {
		return cty.NilVal, function.NewArgErrorf(int(*resp.Error.FunctionArgument), "%s", resp.Error.Text)
	}
	if resp.Error != nil {
		return cty.NilVal, errors.New(resp.Error.Text)
	}
	return decode(resp.Result, returns)
}
