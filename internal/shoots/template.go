package shoots

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// The API that Shoots are of.
const (
	apiVersion = "core.gardener.cloud/v1beta1"
	kind       = "Shoot"
)

// Template is what a user wants of a Shoot: labels, annotations and the whole spec, as it was written. What it leaves out is
// left to Gardener: only what it names is ever sent.
type Template struct {
	written map[string]any   // what was written, and nothing else
	shoot   gardencore.Shoot // the same, typed
}

// ReadTemplate reads a template, which is YAML or JSON. It is strict: what Gardener's own types do not know is an error.
//
// Errors: a [*TemplateError] with all that is wrong.
func ReadTemplate(text string) (Template, error) {
	asJSON, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return Template{}, &TemplateError{Problems: []Problem{{Text: unreadable(err)}}}
	}
	var t Template
	if err := json.Unmarshal(asJSON, &t.written); err != nil || t.written == nil {
		return Template{}, &TemplateError{Problems: []Problem{{Text: "it is no object with metadata and spec"}}}
	}
	t.written = withoutNulls(t.written)
	if asJSON, err = json.Marshal(t.written); err != nil { // what was decoded can be encoded
		return Template{}, &TemplateError{Problems: []Problem{{Text: err.Error()}}}
	}
	strict, err := kjson.UnmarshalStrict(asJSON, &t.shoot)
	if err != nil {
		return Template{}, &TemplateError{Problems: []Problem{mistyped(err)}}
	}
	problems := make([]Problem, 0, len(strict))
	for _, e := range strict {
		problems = append(problems, unknownField(e))
	}
	problems = append(problems, t.misplaced()...)
	if len(problems) > 0 {
		return Template{}, &TemplateError{Problems: problems}
	}
	return t, nil
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

// Workerless reports whether the template has no workers. Gardener gives such a cluster no account.
func (t Template) Workerless() bool { return len(t.shoot.Spec.Provider.Workers) == 0 }

// Account returns the account that the template names by itself; empty = none. It is the business of an attribute.
func (t Template) Account() string { return accountOf(t.shoot.Spec) }

// misplaced are the parts of an object that are no part of a template.
func (t Template) misplaced() (found []Problem) {
	if v := t.shoot.APIVersion; v != "" && v != apiVersion {
		found = append(found, Problem{Path: "apiVersion", Text: fmt.Sprintf("it is %q, and must be %q or left out", v, apiVersion)})
	}
	if k := t.shoot.Kind; k != "" && k != kind {
		found = append(found, Problem{Path: "kind", Text: fmt.Sprintf("it is %q, and must be %q or left out", k, kind)})
	}
	if _, ok := t.written["status"]; ok {
		found = append(found, Problem{Path: "status", Text: "only Gardener writes it"})
	}
	metadata, _ := t.written["metadata"].(map[string]any)
	for key, value := range metadata {
		switch key {
		case "labels", "annotations":
			keys, _ := value.(map[string]any)
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				if why := Reserved(k); why != "" {
					found = append(found, Problem{Path: fmt.Sprintf("metadata.%s[%q]", key, k), Text: why})
				}
			}
		case "name":
			found = append(found, Problem{Path: "metadata.name", Text: "the attribute name says it"})
		case "namespace":
			found = append(found, Problem{Path: "metadata.namespace", Text: "the provider's namespace says it"})
		default:
			found = append(found, Problem{Path: "metadata." + key, Text: "a template has labels and annotations, and no other metadata"})
		}
	}
	if _, ok := t.written["spec"].(map[string]any); !ok {
		found = append(found, Problem{Path: "spec", Text: "it is missing"})
	}
	return found
}

// TemplateError says what is wrong with a template.
type TemplateError struct{ Problems []Problem }

// Problem is one thing that is wrong with a template.
type Problem struct {
	Path string // of the field, as in "spec.provider.workers[0].machine"; empty = the template as a whole
	Text string // what is wrong
	Near string // a field that may have been meant; empty = none
}

func (e *TemplateError) Error() string { return "the template is not right: " + inLines(e.Problems) }

// inLines tells problems: one behind what came before, several in lines of their own.
func inLines(problems []Problem) string {
	if len(problems) == 1 {
		return problems[0].String()
	}
	var text strings.Builder
	for _, p := range problems {
		text.WriteString("\n  - " + p.String())
	}
	return text.String()
}

// String is the problem in one line.
func (p Problem) String() string {
	text := p.Text
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if p.Near != "" {
		text += fmt.Sprintf(" (did you mean %s?)", p.Near)
	}
	return text
}

// unreadable tells of text that is no YAML, in one line.
func unreadable(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	return strings.Join(strings.Fields(strings.TrimPrefix(text, "unmarshal errors:")), " ")
}

// mistyped tells of a value that has another type than the field.
func mistyped(err error) Problem {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return Problem{Text: err.Error()}
	}
	return Problem{Path: wrong.Field, Text: fmt.Sprintf("it is a JSON %s, where Gardener has a %s", wrong.Value, wrong.Type)}
}
