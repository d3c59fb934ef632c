package family

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// objectName is how an object of Kubernetes may be called, NameRule says it.
var objectName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// NameRule says how an object of Kubernetes may be called.
const NameRule = "must be small letters, digits, - and ., with a letter or a digit at both ends"

// The longest names of namespaces, and of objects in them.
const (
	LongestNamespace = 63
	LongestName      = 253
)

// NameRules are the rules for the name of an object of at most so many characters.
func NameRules(most int) []validator.String {
	return []validator.String{stringvalidator.LengthBetween(1, most), stringvalidator.RegexMatches(objectName, NameRule)}
}

// IsName reports whether an object of Kubernetes may be called so.
func IsName(text string) bool { return objectName.MatchString(text) }

// NamedSchema describes the identity of an object in a namespace of the platform cluster, for `import { identity = { } }`.
func NamedSchema(kind string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{OptionalForImport: true,
			Description: "The namespace of the " + kind + " on the platform cluster. Default: the provider's platform.namespace."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the " + kind + "."},
	}}
}
