package main

import (
	"fmt"
	"maps"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
)

// losses collects what breaks the configurations or states of the version before.
type losses []string

func (l *losses) add(where, format string, args ...any) {
	*l = append(*l, where+": "+fmt.Sprintf(format, args...))
}

// compare lists what was there before and is not, or not as it was: objects, functions, attributes, and what an attribute accepts.
func compare(before, after *tfjson.ProviderSchema) []string {
	var l losses
	if before.ConfigSchema != nil && after.ConfigSchema != nil {
		l.schema("provider", before.ConfigSchema, after.ConfigSchema)
	}
	kinds := []struct {
		name   string
		of     func(*tfjson.ProviderSchema) map[string]*tfjson.Schema
		states bool
	}{
		{"resource", func(s *tfjson.ProviderSchema) map[string]*tfjson.Schema { return s.ResourceSchemas }, true},
		{"data source", func(s *tfjson.ProviderSchema) map[string]*tfjson.Schema { return s.DataSourceSchemas }, false},
		{"ephemeral resource", func(s *tfjson.ProviderSchema) map[string]*tfjson.Schema { return s.EphemeralResourceSchemas }, false},
		{"list resource", func(s *tfjson.ProviderSchema) map[string]*tfjson.Schema { return s.ListResourceSchemas }, false},
	}
	for _, kind := range kinds {
		each(kind.of(before), kind.of(after), func(name string, was, is *tfjson.Schema) {
			where := kind.name + " " + name
			switch {
			case is == nil:
				l.add(where, "is gone")
				return
			case kind.states && is.Version < was.Version:
				l.add(where, "its version falls from %d to %d: no state of the version before can be read", was.Version, is.Version)
			}
			l.schema(where, was, is)
		})
	}
	each(before.ResourceIdentitySchemas, after.ResourceIdentitySchemas, func(name string, was, is *tfjson.IdentitySchema) {
		if is == nil {
			l.add("identity of resource "+name, "is gone")
			return
		}
		l.identity("identity of resource "+name, was, is)
	})
	each(before.Functions, after.Functions, func(name string, was, is *tfjson.FunctionSignature) {
		if is == nil {
			l.add("function "+name, "is gone")
			return
		}
		l.function("function "+name, was, is)
	})
	return l
}

// each calls a function for each entry of the first map, in the order of the keys, with that of the second; the zero value = there is none.
func each[T any](before, after map[string]T, do func(name string, was, is T)) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		do(name, before[name], after[name])
	}
}

func (l *losses) schema(where string, was, is *tfjson.Schema) {
	if was.Block == nil || is.Block == nil {
		return
	}
	l.block(where, was.Block, is.Block)
}

func (l *losses) block(where string, was, is *tfjson.SchemaBlock) {
	l.attributes(where, was.Attributes, is.Attributes)
	each(was.NestedBlocks, is.NestedBlocks, func(name string, was, is *tfjson.SchemaBlockType) {
		where := where + "." + name
		switch {
		case is == nil:
			l.add(where, "is gone")
			return
		case was.NestingMode != is.NestingMode:
			l.add(where, "is a block of the kind %s, and was one of the kind %s", is.NestingMode, was.NestingMode)
		case is.MinItems > was.MinItems:
			l.add(where, "needs %d blocks, and needed %d", is.MinItems, was.MinItems)
		}
		l.block(where, was.Block, is.Block)
	})
}

func (l *losses) attributes(where string, was, is map[string]*tfjson.SchemaAttribute) {
	each(was, is, func(name string, was, is *tfjson.SchemaAttribute) {
		l.attribute(where+"."+name, was, is)
	})
	each(is, was, func(name string, is, was *tfjson.SchemaAttribute) {
		if was == nil && is.Required {
			l.add(where+"."+name, "is new and required")
		}
	})
}

func (l *losses) attribute(where string, was, is *tfjson.SchemaAttribute) {
	if is == nil {
		l.add(where, "is gone")
		return
	}
	if is.Required && !was.Required {
		l.add(where, "is required, and was not")
	}
	if (was.Required || was.Optional) && !is.Required && !is.Optional {
		l.add(where, "cannot be set any more")
	}
	if was.Computed && !is.Computed && !is.Optional && !is.Required {
		l.add(where, "has no value any more")
	}
	if was.WriteOnly != is.WriteOnly {
		l.add(where, "write-only is %t, and was %t", is.WriteOnly, was.WriteOnly)
	}
	if was.Sensitive && !is.Sensitive {
		l.add(where, "is not sensitive any more")
	}
	wasNested, isNested := was.AttributeNestedType, is.AttributeNestedType
	switch {
	case (wasNested == nil) != (isNested == nil):
		l.add(where, "has another type: nested attributes on one side alone")
	case wasNested == nil && !was.AttributeType.Equals(is.AttributeType):
		l.add(where, "is of the type %s, and was of the type %s", is.AttributeType.FriendlyName(), was.AttributeType.FriendlyName())
	case wasNested != nil:
		if wasNested.NestingMode != isNested.NestingMode {
			l.add(where, "is a %s of objects, and was a %s", isNested.NestingMode, wasNested.NestingMode)
		}
		l.attributes(where, wasNested.Attributes, isNested.Attributes)
	}
}

func (l *losses) identity(where string, was, is *tfjson.IdentitySchema) {
	each(was.Attributes, is.Attributes, func(name string, was, is *tfjson.IdentityAttribute) {
		switch {
		case is == nil:
			l.add(where+"."+name, "is gone")
		case is.RequiredForImport && !was.RequiredForImport:
			l.add(where+"."+name, "is required for an import, and was not")
		}
	})
	each(is.Attributes, was.Attributes, func(name string, is, was *tfjson.IdentityAttribute) {
		if was == nil && is.RequiredForImport {
			l.add(where+"."+name, "is new and required for an import")
		}
	})
}

func (l *losses) function(where string, was, is *tfjson.FunctionSignature) {
	if len(was.Parameters) != len(is.Parameters) {
		l.add(where, "takes %d parameters, and took %d", len(is.Parameters), len(was.Parameters))
		return
	}
	for i, p := range was.Parameters {
		if !p.Type.Equals(is.Parameters[i].Type) {
			l.add(where, "its parameter %d is of the type %s, and was of the type %s", i+1, is.Parameters[i].Type.FriendlyName(),
				p.Type.FriendlyName())
		}
	}
	if !was.ReturnType.Equals(is.ReturnType) {
		l.add(where, "returns %s, and returned %s", is.ReturnType.FriendlyName(), was.ReturnType.FriendlyName())
	}
}
