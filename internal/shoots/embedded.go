package shoots

import (
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// Other objects contain a Shoot template, too, with its account in it.

// KubernetesVersion is the version that the template names; empty = none.
func (t Template) KubernetesVersion() string { return t.shoot.Spec.Kubernetes.Version }

// Object is the template as another object contains it, with the account in a field of its spec; an empty account = none.
func (t Template) Object(field, account string) map[string]any {
	object := clone(t.written)
	delete(object, "apiVersion")
	delete(object, "kind")
	withoutBindings(object)
	if account != "" {
		child(object, "spec")[field] = account
	}
	return object
}

// bindingFields are the fields of a spec by which a Shoot names its account.
var bindingFields = []string{fieldCredentialsBinding, fieldSecretBinding}

// withoutBindings takes the accounts out of a template.
func withoutBindings(object map[string]any) {
	if spec, ok := object["spec"].(map[string]any); ok {
		for _, field := range bindingFields {
			delete(spec, field)
		}
	}
}

// Embedded reads a template that another object contains, without its accounts, also as text.
func Embedded(content []byte) (object map[string]any, text string, err error) {
	if err := strict.Decode(content, &object); err != nil || object == nil {
		return nil, "", fmt.Errorf("a Shoot template cannot be read: %w", err)
	}
	withoutBindings(object)
	plain, err := yaml.Marshal(object)
	return object, string(plain), err
}

// ExtensionsError says what is wrong with a list of extensions.
type ExtensionsError struct{ Problems []Problem }

func (e *ExtensionsError) Error() string {
	return "the list of extensions is not right: " + strict.InLines(e.Problems)
}

// ReadExtensions reads a list of Gardener extensions, which is YAML or JSON, as strictly as [ReadTemplate].
//
// Errors: a [*ExtensionsError].
func ReadExtensions(text string) ([]any, error) {
	var list struct {
		Extensions []gardencore.Extension `json:"extensions"`
	}
	written, problems := strict.ReadIn("extensions", text, &list, strict.Source{Owner: "Gardener", Shape: "it is no list"})
	extensions, isList := written["extensions"].([]any)
	if len(problems) == 0 && !isList {
		problems = []Problem{{Text: "it is no list; write [] for none"}}
	}
	for i, e := range list.Extensions {
		if e.Type == "" {
			problems = append(problems, Problem{Path: fmt.Sprintf("extensions[%d].type", i), Text: "it is missing"})
		}
	}
	if len(problems) > 0 {
		return nil, &ExtensionsError{Problems: problems}
	}
	return extensions, nil
}
