package inprocess

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// fileName is the name of the configuration in messages.
const fileName = "main.tf"

// block is a resource, or a data source.
type block struct {
	address  string // such as hap_account.one, or data.hap_pool_status.now
	typeName string
	data     bool
	body     *hclsyntax.Body
	// needs are the addresses of what the block refers to, and after what depends_on names.
	needs, after []string
}

// provider is the name of the provider of the block.
func (b *block) provider() string {
	name, _, _ := strings.Cut(b.typeName, "_")
	return name
}

// configuration is the text of one step, parsed.
type configuration struct {
	source    []byte
	providers map[string]*hclsyntax.Body
	blocks    []*block // what a block refers to comes before it
	variables map[string]cty.Value
	locals    map[string]hclsyntax.Expression
	outputs   map[string]hclsyntax.Expression
	imports   []importing
}

// parse reads a configuration. An error is one of the language, or says what only a CLI can do.
func parse(text string, variables map[string]cty.Value) (*configuration, error) {
	file, diags := hclsyntax.ParseConfig([]byte(text), fileName, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	c := &configuration{
		source: []byte(text), providers: map[string]*hclsyntax.Body{}, variables: variables,
		locals: map[string]hclsyntax.Expression{}, outputs: map[string]hclsyntax.Expression{},
	}
	body, _ := file.Body.(*hclsyntax.Body)
	for _, b := range body.Blocks {
		if err := c.add(b); err != nil {
			return nil, err
		}
	}
	for _, i := range c.imports {
		if c.find(i.to) == nil {
			return nil, fmt.Errorf("there is no configuration of %s, which is to be imported", i.to)
		}
	}
	err := c.sort()
	return c, err
}

func (c *configuration) add(b *hclsyntax.Block) error {
	label := strings.Join(b.Labels, ".")
	switch b.Type {
	case "provider":
		c.providers[label] = b.Body
	case "resource", "data":
		return c.addBlock(b)
	case "locals":
		for name, a := range b.Body.Attributes {
			c.locals[name] = a.Expr
		}
	case "output":
		c.outputs[label] = b.Body.Attributes["value"].Expr
	case "variable":
		if _, set := c.variables[label]; !set {
			return fmt.Errorf("variable %s has no value", label)
		}
	case "import":
		return c.addImport(b)
	default:
		return onlyCLI(b.Type + " blocks")
	}
	return nil
}

func (c *configuration) addBlock(b *hclsyntax.Block) error {
	added := &block{address: strings.Join(b.Labels, "."), typeName: b.Labels[0], data: b.Type == "data", body: &hclsyntax.Body{}}
	if added.data {
		added.address = "data." + added.address
	}
	*added.body = *b.Body
	added.body.Attributes = hclsyntax.Attributes{}
	for _, inner := range b.Body.Blocks {
		return onlyCLI(inner.Type + " blocks")
	}
	for name, a := range b.Body.Attributes {
		switch name {
		case "count", "for_each", "provider":
			return onlyCLI(name)
		case "depends_on":
			added.after = c.references(a.Expr)
		default:
			added.body.Attributes[name] = a
			added.needs = append(added.needs, c.references(a.Expr)...)
		}
	}
	c.blocks = append(c.blocks, added)
	return nil
}

// references are the addresses of the blocks that an expression names, also by way of locals.
func (c *configuration) references(expression hclsyntax.Expression) (all []string) {
	for _, traversal := range expression.Variables() {
		names := []string{traversal.RootName()}
		for _, step := range traversal[1:] {
			if attribute, ok := step.(hcl.TraverseAttr); ok {
				names = append(names, attribute.Name)
			}
		}
		switch {
		case names[0] == "local" && len(names) > 1 && c.locals[names[1]] != nil:
			all = append(all, c.references(c.locals[names[1]])...)
		case names[0] == "data" && len(names) > 2:
			all = append(all, strings.Join(names[:3], "."))
		case names[0] != "var" && len(names) > 1:
			all = append(all, strings.Join(names[:2], "."))
		}
	}
	return all
}

// sort puts each block after those that it refers to.
func (c *configuration) sort() error {
	var sorted []*block
	waiting := c.blocks
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(b *block) bool {
			return !slices.ContainsFunc(waiting, func(other *block) bool {
				return other != b && (slices.Contains(b.needs, other.address) || slices.Contains(b.after, other.address) ||
					slices.Contains(c.providerNeeds(b.provider()), other.address))
			})
		})
		if next < 0 {
			return fmt.Errorf("cycle: %s", waiting[0].address)
		}
		sorted = append(sorted, waiting[next])
		waiting = slices.Delete(waiting, next, next+1)
	}
	c.blocks = sorted
	return nil
}

// providerNeeds are the addresses that a provider block refers to.
func (c *configuration) providerNeeds(name string) (all []string) {
	if body := c.providers[name]; body != nil {
		for _, a := range body.Attributes {
			all = append(all, c.references(a.Expr)...)
		}
	}
	return all
}

// find is the block of an address; nil = there is none.
func (c *configuration) find(address string) *block {
	for _, b := range c.blocks {
		if b.address == address {
			return b
		}
	}
	return nil
}

// onlyCLI says that a test needs the CLI.
func onlyCLI(what string) error {
	return fmt.Errorf("a session does not know %s: run this test with resource.Test", what)
}
