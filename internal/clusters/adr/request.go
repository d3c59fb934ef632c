package adr

import (
	"strings"
	"unicode"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// checkRef returns an error for a reference that does not name one object.
func checkRef(field string, r clusters.Ref) error {
	for _, part := range [...][2]string{{"namespace", r.Namespace}, {"name", r.Name}} {
		switch {
		case part[1] == "":
			return wrong(field, "the key %s is needed", part[0])
		case strings.Contains(part[1], "/"):
			return wrong(field+"."+part[0], "%q has a slash, which no name has", part[1])
		}
	}
	return nil
}

// Request is a ClusterRequest (ADR 015). Empty means not given.
type Request struct {
	Ref clusters.Ref
	// KubernetesVersion is none, a partial or a full version: "", "1.30", "1.30.2".
	KubernetesVersion string
	// Dedicated counts in place of what the purposes say; nil leaves it to them.
	Dedicated *bool
	// Purposes has one name at least. Their order decides where purposes disagree about Negated.
	Purposes []string
	// Traits count before those of the purposes where they disagree about Negated.
	Traits []Trait
	// Prefix is the prefix that the request proposes.
	Prefix string
}

// Trait is a property that a request or a purpose asks for.
type Trait struct {
	// Name is the trait, any text.
	Name string `json:"trait,omitempty"`
	// AnyOf is used in place of Name: one of these traits is enough. Only requests have groups, and none within another.
	AnyOf []string `json:"anyOf,omitempty"`
	// AllOf is used in place of Name: all of these traits together.
	AllOf []string `json:"allOf,omitempty"`
	// OneOf is used in place of Name: exactly one of these traits.
	OneOf []string `json:"oneOf,omitempty"`
	// Optional makes the trait a preference; else it is required.
	Optional bool `json:"optional,omitempty"`
	// Negated asks that the trait is absent; of a group that it is not met.
	Negated bool `json:"negated,omitempty"`
}

// IsTrait reports whether a text can name a trait.
func IsTrait(name string) bool { return checkTrait("", name) == nil }

// checkTrait returns an error for a text that cannot name a trait. Any text can that has no control character [choice].
func checkTrait(field, name string) error {
	switch {
	case name == "":
		return wrong(field, "the trait needs a name")
	case strings.ContainsFunc(name, unicode.IsControl):
		return wrong(field, "the trait %q has a control character; write it without", name)
	}
	return nil
}

// checkTraits returns an error for an element that names no trait, or two. A group is allowed in a request alone.
func checkTraits(field string, traits []Trait, groups bool) error {
	for i, t := range traits {
		at := elementOf(field, i)
		var said []string
		for _, part := range [...]struct {
			name   string
			traits []string
		}{{"any_of", t.AnyOf}, {"all_of", t.AllOf}, {"one_of", t.OneOf}} {
			for j, name := range part.traits {
				if err := checkTrait(elementOf(at+"."+part.name, j), name); err != nil {
					return err
				}
			}
			if len(part.traits) > 0 {
				said = append(said, part.name)
			}
		}
		switch {
		case len(said) > 0 && !groups:
			return wrong(at, "%s is allowed in requests alone; a purpose names one trait at a time", said[0])
		case t.Name != "" && len(said) > 0:
			return wrong(at, "trait and %s exclude each other", said[0])
		case len(said) > 1:
			return wrong(at, "%s exclude each other", words.List(said))
		case len(said) == 0:
			if err := checkTrait(at, t.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns an error for a request without purposes or with traits that name nothing. [Schedule] checks the reference, the
// prefix and the version, which aggregation does not read.
func (r Request) check() error {
	if len(r.Purposes) == 0 {
		return wrong("request.purposes", "a request has one purpose at least")
	}
	for i, name := range r.Purposes {
		if name == "" {
			return wrong(elementOf("request.purposes", i), "the purpose needs a name")
		}
	}
	return checkTraits("request.traits", r.Traits, true)
}
