package functions

import (
	"cmp"
	"errors"
	"slices"
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
	parts, err := a.spelled(requestSpelling)
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

// The operators of a group of traits.
const (
	keyAnyOf = "any_of"
	keyAllOf = "all_of"
	keyOneOf = "one_of"
)

// traitsArgument reads the traits of a request, which may have groups, or of a purpose.
func traitsArgument(a argument, ofRequest bool) ([]adr.Trait, *function.FuncError) {
	elements, err := a.list()
	if err != nil {
		return nil, err
	}
	groups := []string{keyAnyOf, keyAllOf, keyOneOf}
	keys := []string{"trait", "optional", "negated"}
	for _, key := range groups {
		if !ofRequest {
			key = "-" + key
		}
		keys = append(keys, key)
	}
	traits := make([]adr.Trait, len(elements))
	for i, e := range elements {
		parts, err := e.spelled(traitSpelling(keys))
		if err != nil {
			return nil, err
		}
		is := func(group string) bool { return e.has(group) || !parts[group].null() }
		if j := slices.IndexFunc(groups, is); !ofRequest && j >= 0 {
			return nil, e.errorf("%s is allowed in requests alone; a purpose names one trait at a time", groups[j])
		}
		t := &traits[i]
		var wrong [6]*function.FuncError
		t.Name, wrong[0] = parts["trait"].text()
		t.Optional, wrong[1] = parts["optional"].isTrue()
		t.Negated, wrong[2] = parts["negated"].isTrue()
		t.AnyOf, wrong[3] = groupArgument(parts[keyAnyOf], keyAnyOf)
		t.AllOf, wrong[4] = groupArgument(parts[keyAllOf], keyAllOf)
		t.OneOf, wrong[5] = groupArgument(parts[keyOneOf], keyOneOf)
		if err := cmp.Or(wrong[:]...); err != nil {
			return nil, err
		}
	}
	return traits, nil
}

// groupArgument reads the traits of a group: names, or objects with a trait, as the proposal writes them. optional and
// negated belong to the group: if each of them were optional, none would have to be met. In the proposal's own operators, whose example has
// optional inside, it says that no single one of the traits is required, and does not count. It returns nil where the key is left out.
func groupArgument(a argument, operator string) ([]string, *function.FuncError) {
	elements, err := a.list()
	if err != nil || elements == nil {
		return nil, err
	}
	if len(elements) == 0 {
		return nil, a.errorf("a group has one trait at least")
	}
	proposed := operators[a.name[strings.LastIndexByte(a.name, '.')+1:]] != ""
	names := make([]string, len(elements))
	for i, e := range elements {
		name := e
		if _, err := e.fields(); err == nil {
			for _, key := range []string{"optional", "negated"} {
				if e.has(key) && !(proposed && e.overlooked(key)) {
					return nil, e.errorf("%s belongs beside %s, for the whole group, not in one of its traits", key, operator)
				}
			}
			parts, err := e.spelled(spelling{own: []string{"trait", "-optional", "-negated"}, proposed: map[string]string{keyName: "trait"}})
			if err != nil {
				return nil, err
			}
			name = e.part(e.name+".trait", parts["trait"].value)
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

// overlooked reports whether a key of a trait in a group of the proposal does not count: optional does not, and negated that is false.
func (a argument) overlooked(key string) bool {
	values, err := a.fields()
	if err != nil {
		return false
	}
	flag, is := values[key].(basetypes.BoolValue)
	switch {
	case !is || key == "negated" && flag.ValueBool():
		return false
	case key == "optional" && flag.ValueBool():
		a.hints.add("%s.optional does not count: no single trait of the group is required, and one of them is, unless the group itself is "+
			"optional.",
			a.name)
	}
	return true
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

// purposesArgument reads the definitions of purposes: an object by name, or a list of the proposal's objects of the kind Purpose.
func purposesArgument(a argument) (map[string]adr.Purpose, *function.FuncError) {
	read := a.named
	if a.isList() {
		read = a.list
	}
	parts, err := read()
	if err != nil {
		return nil, err
	}
	purposes := make(map[string]adr.Purpose, len(parts))
	for _, part := range parts {
		p, named, err := purposeArgument(part)
		if err != nil {
			return nil, err
		}
		name := part.key(a)
		if a.isList() {
			name = named
		}
		if _, twice := purposes[name]; name == "" || twice {
			return nil, part.errorf("each purpose of a list needs a name of its own, as metadata.name, not %q", name)
		}
		purposes[name] = p
	}
	return purposes, nil
}

// purposeArgument reads the definition of a purpose, and the name that the proposal has in it.
func purposeArgument(a argument) (p adr.Purpose, name string, err *function.FuncError) {
	keys, err := a.spelled(purposeSpelling)
	if err != nil {
		return p, "", err
	}
	var wrong [4]*function.FuncError
	p.Dedicated, wrong[0] = keys["dedicated"].isTrue()
	p.Traits, wrong[1] = traitsArgument(keys["traits"], false)
	p.TenancyCount, wrong[2] = keys["tenancy_count"].count()
	name, wrong[3] = keys[keyName].text()
	return p, name, cmp.Or(wrong[:]...)
}

// count returns a whole number from 1 on; 0 where it is left out.
func (a argument) count() (int, *function.FuncError) {
	if a.null() {
		return 0, nil
	}
	return a.number(1)
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
	traitsDescription = "A trait is `{ trait = \"…\" }`, and optionally `optional` (a preference, not a requirement) and `negated` (it " +
		"must be absent), both `false` by default."
	spellingDescription = "The objects of the proposal are taken as they are, whole or in parts, such as " +
		"`yamldecode(file(\"request.yaml\"))`: a `ClusterRequest`, `Purpose`, `ClusterProvider`, `Cluster` and `ClusterRequestGrant`. " +
		"`warnings` then says what this function " +
		"calls their keys. In its `or`, `optional` inside of the group does not count."
	groupsDescription = "In a request, `any_of = [\"…\", \"…\"]` in place of `trait` is met by one of several, `all_of` by all of them, " +
		"and `one_of` by exactly one; the proposal calls them `or`, `and` and `xor`."
)
