// Package strict reads YAML and JSON into Go types as an API server with strict field validation would: a field that the type does not
// know is a problem, with its path and the nearest field that the type knows.
package strict

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	kjson "sigs.k8s.io/json"
)

// Source says of whom a text is, for the messages.
type Source struct {
	Owner string // whose fields they are: "Gardener"
	Shape string // what is wrong with a text that is no object
	Nulls bool   // a null is a value; otherwise it names nothing, and is left out
}

// Read reads a text, which is YAML or JSON, into a pointer to a struct. It returns what was written and nothing else; nil = the text cannot
// be read at all. Problems are all that is wrong.
func Read(text string, into any, of Source) (written map[string]any, problems []Problem) {
	asJSON, problems := ToJSON(text)
	if len(problems) > 0 {
		return nil, problems
	}
	return of.read(asJSON, into)
}

// ReadIn is Read for a text that is the value of one field of an object, such as a list.
func ReadIn(field, text string, into any, of Source) (written map[string]any, problems []Problem) {
	asJSON, problems := ToJSON(text)
	if len(problems) > 0 {
		return nil, problems
	}
	return of.read(fmt.Appendf(nil, "{%q: %s}", field, asJSON), into)
}

// read reads JSON.
func (of Source) read(asJSON []byte, into any) (written map[string]any, problems []Problem) {
	if err := Decode(asJSON, &written); err != nil || written == nil {
		return nil, []Problem{{Text: of.Shape}}
	}
	if !of.Nulls {
		written = withoutNulls(written)
	}
	asJSON, err := json.Marshal(written)
	if err != nil { // what was decoded can be encoded
		return nil, []Problem{{Text: err.Error()}}
	}
	strict, err := kjson.UnmarshalStrict(asJSON, into)
	if err != nil {
		return nil, []Problem{mistyped(err, of.Owner)}
	}
	for _, e := range strict {
		problems = append(problems, unknownField(e, reflect.TypeOf(into), of.Owner))
	}
	return written, problems
}

// withoutNulls leaves out what a configuration has left open: a null names nothing.
func withoutNulls(object map[string]any) map[string]any {
	kept := make(map[string]any, len(object))
	for key, value := range object {
		if value != nil {
			kept[key] = inside(value)
		}
	}
	return kept
}

func inside(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return withoutNulls(value)
	case []any:
		for i := range value {
			value[i] = inside(value[i])
		}
	}
	return value
}

// Problem is one thing that is wrong with a text.
type Problem struct {
	Path string // of the field, as in "spec.provider.workers[0].machine"; empty = the text as a whole
	Text string // what is wrong
	Near string // a field that may have been meant; empty = none
	// Unknown says that the type knows no such field, which a newer server may.
	Unknown bool
}

// InLines writes problems: one in the same line as the text before it, several in lines of their own.
func InLines(problems []Problem) string {
	if len(problems) == 1 {
		return problems[0].String()
	}
	var text strings.Builder
	for i, p := range problems {
		if i == MaxProblems {
			fmt.Fprintf(&text, "\n  - and %d more problems", len(problems)-i)
			break
		}
		text.WriteString("\n  - " + p.String())
	}
	return text.String()
}

// String is the problem in one line.
func (p Problem) String() string {
	text := shorten(p.Text)
	if p.Path != "" {
		text = shorten(p.Path) + ": " + text
	}
	if p.Near != "" {
		text += fmt.Sprintf(" (did you mean %s?)", p.Near)
	}
	return text
}

// Line describes text that is no YAML, in one line.
func Line(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	return shorten(strings.Join(strings.Fields(strings.TrimPrefix(text, "unmarshal errors:")), " "))
}

// mistyped describes a value that has another type than the field.
func mistyped(err error, owner string) Problem {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return Problem{Text: err.Error()}
	}
	return Problem{Path: wrong.Field, Text: fmt.Sprintf("it is a JSON %s, where %s has a %s", wrong.Value, owner, wrong.Type)}
}
