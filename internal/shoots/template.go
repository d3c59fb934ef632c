package shoots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/strict"
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
	newer   []Problem        // the fields that the types do not know
}

// ReadTemplate reads a template, which is YAML or JSON. It is strict, but for fields that Gardener's types do not know: a newer Gardener
// may, and says so itself. See [Template.Newer].
//
// Errors: a [*TemplateError] with all that is wrong.
func ReadTemplate(text string) (Template, error) {
	var t Template
	var problems []Problem
	t.written, problems = strict.Read(text, &t.shoot, strict.Source{Owner: "Gardener", Shape: "it is no object with metadata and spec"})
	if t.written == nil {
		return Template{}, &TemplateError{Problems: problems}
	}
	t.newer, problems = partition(problems, func(p Problem) bool { return p.Unknown && strings.HasPrefix(p.Path, "spec.") })
	problems = append(problems, t.misplaced()...)
	if len(problems) > 0 {
		return Template{}, &TemplateError{Problems: problems}
	}
	return t, nil
}

// Newer lists the fields that Gardener's types, as they are built into this provider, do not know. They are mistyped, or come with a newer
// Gardener: [Shoots.Knows] asks the server.
func (t Template) Newer() []Problem { return t.newer }

// partition splits a list in two.
func partition[T any](all []T, is func(T) bool) (yes, no []T) {
	for _, one := range all {
		if is(one) {
			yes = append(yes, one)
		} else {
			no = append(no, one)
		}
	}
	return yes, no
}

// Workerless reports whether the template has no workers. Gardener gives such a cluster no account.
func (t Template) Workerless() bool { return len(t.shoot.Spec.Provider.Workers) == 0 }

// Bindings returns the fields by which the template names accounts by itself, each with its account; empty = none. They are the business
// of an attribute.
func (t Template) Bindings() (all []string) {
	spec, _ := t.written["spec"].(map[string]any)
	for _, field := range bindingFields {
		if name, ok := spec[field]; ok {
			all = append(all, fmt.Sprintf("%s: %v", field, name))
		}
	}
	return all
}

// misplaced are the parts of an object that are no part of a template.
func (t Template) misplaced() (found []Problem) {
	if v := t.shoot.APIVersion; v != "" && v != apiVersion {
		found = append(found, Problem{Path: "apiVersion", Text: fmt.Sprintf("it is %q, and must be %q or left out", v, apiVersion)})
	}
	if k := t.shoot.Kind; k != "" && k != kind {
		found = append(found, Problem{Path: "kind", Text: fmt.Sprintf("it is %q, and must be %q or left out", k, kind)})
	}
	if _, ok := t.written["status"]; ok {
		found = append(found, remove("status", "only Gardener writes it"))
	}
	metadata, _ := t.written["metadata"].(map[string]any)
	for key, value := range metadata {
		switch key {
		case "labels", "annotations":
			keys, _ := value.(map[string]any)
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				if why := Reserved(k); why != "" {
					found = append(found, remove(fmt.Sprintf("metadata.%s[%q]", key, k), why))
				}
			}
		case "name":
			found = append(found, remove("metadata.name",
				"the Shoot gets its name from the attribute name of hap_shoot, or from the Cluster of a profile"))
		case "namespace":
			found = append(found, remove("metadata.namespace", "the Shoot is made in the namespace of the provider, or of the project of a profile"))
		default:
			found = append(found, remove("metadata."+key, "a template has labels and annotations, and no other metadata"))
		}
	}
	if _, ok := t.written["spec"].(map[string]any); !ok {
		found = append(found, Problem{Path: "spec", Text: "it is missing"})
	}
	return found
}

// remove is a part that a template must not have, and why.
func remove(path, why string) Problem { return Problem{Path: path, Text: "remove it: " + why} }

// Problem is one thing that is wrong with a template.
type Problem = strict.Problem

// TemplateError says what is wrong with a template.
type TemplateError struct{ Problems []Problem }

func (e *TemplateError) Error() string {
	return "the template is not right: " + strict.InLines(e.Problems)
}
