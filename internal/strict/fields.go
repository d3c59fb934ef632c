package strict

import (
	"reflect"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// unknownField makes a problem out of an error of the strict decoder: unknown field "spec.provider.typ".
func unknownField(err error, in reflect.Type, owner string) Problem {
	verb, quoted, _ := strings.Cut(err.Error(), ` "`)
	path := strings.TrimSuffix(quoted, `"`)
	if verb != "unknown field" || path == "" {
		return Problem{Text: err.Error()}
	}
	return UnknownField(path, in, owner)
}

// UnknownField is the problem that an owner knows no such field, with the nearest that a type has in its place.
func UnknownField(path string, in reflect.Type, owner string) Problem {
	parent, name := splitPath(path)
	return Problem{Path: path, Text: owner + " knows no such field", Near: nearest(name, fieldsAt(in, parent)), Unknown: true}
}

// splitPath splits the last field from its parents.
func splitPath(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

// fieldsAt returns the fields that a type has at a path; none where the path leads to what the type leaves open.
func fieldsAt(in reflect.Type, path string) []string {
	at := element(in)
	if path != "" {
		for name := range strings.SplitSeq(path, ".") {
			name, _, _ = strings.Cut(name, "[")
			next, ok := fieldOf(at, name)
			if !ok {
				return nil
			}
			at = next
		}
	}
	var names []string
	eachField(at, func(name string, _ reflect.Type) { names = append(names, name) })
	return names
}

// fieldOf returns the type of a field, and of its elements where it is a list or a map.
func fieldOf(in reflect.Type, name string) (of reflect.Type, ok bool) {
	if in.Kind() == reflect.Map {
		return element(in.Elem()), true
	}
	eachField(in, func(field string, t reflect.Type) {
		if field == name {
			of, ok = element(t), true
		}
	})
	return of, ok
}

// eachField walks the fields of a struct by their names in JSON, those of embedded structs among them.
func eachField(t reflect.Type, do func(name string, t reflect.Type)) {
	if t.Kind() != reflect.Struct {
		return
	}
	for field := range fieldsOf(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (field.Anonymous || strings.Contains(options, "inline")):
			eachField(element(field.Type), do)
		case name != "":
			do(name, field.Type)
		}
	}
}

// fieldsOf are the fields of a struct as it declares them.
func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// element is the type behind pointers and lists.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// nearest returns the name that was probably meant; empty = none is near.
func nearest(name string, known []string) string {
	best, least := "", len(name)/3+2
	for _, k := range known {
		if d := words.Distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}
