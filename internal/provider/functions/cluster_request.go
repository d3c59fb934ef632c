package functions

import (
	"cmp"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// clusterRequestArgument reads a ClusterRequest. All its keys may be left out here; what has to be there is judged by
// internal/clusters.
func clusterRequestArgument(a argument) (adr.Request, *function.FuncError) {
	var r adr.Request
	parts, err := a.object("namespace", "name", "purposes", "dedicated", "traits", "kubernetes_version", "prefix")
	if err != nil {
		return r, err
	}
	var wrong [7]*function.FuncError
	r.Ref.Namespace, wrong[0] = parts["namespace"].text()
	r.Ref.Name, wrong[1] = parts["name"].text()
	r.Purposes, wrong[2] = parts["purposes"].orderedTexts()
	r.Dedicated, wrong[3] = parts["dedicated"].flag()
	r.Traits, wrong[4] = traitsArgument(parts["traits"], true)
	r.KubernetesVersion, wrong[5] = parts["kubernetes_version"].version()
	r.Prefix, wrong[6] = parts["prefix"].text()
	return r, cmp.Or(wrong[:]...)
}

// traitsArgument reads the traits of a request, which may have any_of, or of a purpose.
func traitsArgument(a argument, ofRequest bool) ([]adr.Trait, *function.FuncError) {
	elements, err := a.list()
	if err != nil {
		return nil, err
	}
	keys := []string{"trait", "optional", "negated", "any_of"}
	if !ofRequest {
		keys[3] = "-any_of"
	}
	traits := make([]adr.Trait, len(elements))
	for i, e := range elements {
		parts, err := e.object(keys...)
		if err != nil {
			return nil, err
		}
		if !ofRequest && e.has("any_of") {
			return nil, e.errorf("any_of stands in requests alone; a purpose names one trait at a time")
		}
		t := &traits[i]
		var wrong [4]*function.FuncError
		t.Name, wrong[0] = parts["trait"].text()
		t.Optional, wrong[1] = parts["optional"].isTrue()
		t.Negated, wrong[2] = parts["negated"].isTrue()
		t.AnyOf, wrong[3] = anyOfArgument(parts["any_of"])
		if err := cmp.Or(wrong[:]...); err != nil {
			return nil, err
		}
		if t.AnyOf != nil && len(t.AnyOf) == 0 {
			return nil, parts["any_of"].errorf("a group has one trait at least")
		}
	}
	return traits, nil
}

// anyOfArgument reads the traits of which one is enough: names, or objects with a trait, as the proposal writes them. optional and
// negated belong to the group: if each of them were optional, none would have to be met. It returns nil where the key is left out.
func anyOfArgument(a argument) ([]string, *function.FuncError) {
	elements, err := a.list()
	if err != nil || elements == nil {
		return nil, err
	}
	names := make([]string, len(elements))
	for i, e := range elements {
		name := e
		if _, err := e.fields(); err == nil {
			for _, key := range []string{"optional", "negated"} {
				if e.has(key) {
					return nil, e.errorf("%s stands beside any_of, for the whole group, not in one of its traits", key)
				}
			}
			parts, err := e.object("trait", "-optional", "-negated")
			if err != nil {
				return nil, err
			}
			name = argument{e.position, e.name + ".trait", parts["trait"].value}
		}
		if names[i], err = name.text(); err != nil {
			return nil, err
		}
		if names[i] == "" {
			return nil, name.errorf("the trait needs a name")
		}
	}
	return names, nil
}

// has reports whether an object has a key that is not null.
func (a argument) has(key string) bool {
	values, err := a.fields()
	return err == nil && values[key] != nil && !values[key].IsNull()
}

// orderedTexts returns a list of strings whose order counts, which a set does not have.
func (a argument) orderedTexts() ([]string, *function.FuncError) {
	if _, set := a.value.(basetypes.SetValue); set && !a.null() {
		return nil, a.errorf("a list is needed, not a set, which has no order: the first purpose decides where purposes disagree about negated")
	}
	return a.texts()
}

// purposesArgument reads the definitions of purposes by name.
func purposesArgument(a argument) (map[string]adr.Purpose, *function.FuncError) {
	parts, err := a.named()
	if err != nil {
		return nil, err
	}
	purposes := make(map[string]adr.Purpose, len(parts))
	for _, part := range parts {
		keys, err := part.object("dedicated", "traits", "tenancy_count")
		if err != nil {
			return nil, err
		}
		var p adr.Purpose
		var wrong [3]*function.FuncError
		p.Dedicated, wrong[0] = keys["dedicated"].isTrue()
		p.Traits, wrong[1] = traitsArgument(keys["traits"], false)
		p.TenancyCount, wrong[2] = keys["tenancy_count"].count()
		if err := cmp.Or(wrong[:]...); err != nil {
			return nil, err
		}
		purposes[part.key(a)] = p
	}
	return purposes, nil
}

// count returns a whole number that is not negative; 0 where it is left out.
func (a argument) count() (int, *function.FuncError) {
	if a.null() {
		return 0, nil
	}
	return a.number()
}

// isTrue returns a bool; false where it is left out.
func (a argument) isTrue() (bool, *function.FuncError) {
	flag, err := a.flag()
	return flag != nil && *flag, err
}

// version returns a version, which is a text: a number loses the zero at its end.
func (a argument) version() (string, *function.FuncError) {
	if _, number := a.value.(basetypes.NumberValue); number && !a.null() {
		return "", a.errorf(`a string is needed, not a number; write it in quotes: 1.30 as a number is 1.3`)
	}
	return a.text()
}

// clusterError puts an error of internal/clusters at the argument that caused it.
func clusterError(err error) *function.FuncError {
	var unknown *adr.UnknownPurposeError
	if errors.As(err, &unknown) {
		near := rules.DidYouMean(unknown.Unknown[0], unknown.Known)
		return function.NewArgumentFuncError(0, "request.purposes: "+sentence(unknown.Error()+near))
	}
	var input *adr.InputError
	if !errors.As(err, &input) {
		return function.NewFuncError(err.Error() + ". Please report this issue to the provider developers.")
	}
	position := int64(1)
	if strings.HasPrefix(input.Field, "request") {
		position = 0
	}
	return function.NewArgumentFuncError(position, sentence(input.Error()))
}

// choices lists the choices of the engine for a page.
func choices(about ...string) string {
	var b strings.Builder
	b.WriteString("Where the proposal is silent or open, these are choices, and each of them may come out otherwise when the proposal is " +
		"settled:\n")
	for _, c := range adr.Choices(about...) {
		b.WriteString("\n- " + c.Text)
	}
	return b.String()
}

const (
	traitsDescription = "A trait is `{ trait = \"…\" }`, and optionally `optional` (a preference, not a requirement) and `negated` (it must " +
		"be absent), both `false` by default."
	anyOfDescription = "In a request, `any_of = [\"…\", \"…\"]` in place of `trait` is met by one of several."
)
