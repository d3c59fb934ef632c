package functions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// spelling is an object as the functions take it, and how the proposal of the Cluster API spells the same, so that its examples can be
// handed over as they are.
type spelling struct {
	kind string   // of the object in the proposal; empty = it is a part of one
	own  []string // the keys, see [argument.object]
	// proposed are the paths of the proposal, each with the key that means the same; empty = it is taken, and not read. A path that ends
	// with * means all others beside it.
	proposed map[string]string
}

// hints are what a result says of an object in the proposal's spelling.
type hints struct{ texts []string }

// maxHints bounds how many objects are named.
const maxHints = 20

func (h *hints) add(format string, args ...any) {
	if h != nil && len(h.texts) < maxHints {
		h.texts = append(h.texts, fmt.Sprintf(format, args...))
	}
}

// spelled returns the parts of an object, by the keys that the functions know, whichever spelling it has.
func (a argument) spelled(s spelling) (map[string]argument, *function.FuncError) {
	if a.null() {
		return nil, a.errorf("an object is needed, not null")
	}
	parts, read := map[string]argument{}, []string{}
	if err := a.walk("", s, parts, &read); err != nil {
		return nil, err
	}
	if len(read) > 0 {
		a.hints.add("%s is spelled as in the proposal of the Cluster API. The keys of this function are %s.", a.name, words.List(read))
	}
	return parts, nil
}

// walk reads an object that the proposal has at a path, which ends with a dot; empty = the whole.
func (a argument) walk(prefix string, s spelling, parts map[string]argument, read *[]string) *function.FuncError {
	values, err := a.fields()
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path, part := prefix+key, a.part(a.name+"."+key, values[key])
		own, known := s.proposed[path]
		_, inside := s.proposed[prefix+"*"]
		switch {
		case slices.Contains(s.own, "-"+path):
			continue
		case slices.Contains(s.own, path): // an own key is no path of several
			own = key
		case path == "kind" && s.kind != "":
			if err := part.isKind(s.kind); err != nil {
				return err
			}
			continue
		case known && own == "", !known && inside && !s.nests(path):
			continue
		case known:
			*read = append(*read, fmt.Sprintf("%s for %s", own, path))
		case s.nests(path):
			if !part.null() {
				if err := part.walk(path+".", s, parts, read); err != nil {
					return err
				}
			}
			continue
		default:
			names := slices.DeleteFunc(slices.Clone(s.own), func(k string) bool { return strings.HasPrefix(k, "-") })
			return a.errorf("there is no key %q.%s The keys are %s", key, rules.DidYouMean(key, names), strings.Join(names, ", "))
		}
		if err := part.put(own, parts); err != nil {
			return err
		}
	}
	return nil
}

// put is one of the parts under a key, unless another spelling of the key is there.
func (a argument) put(key string, parts map[string]argument) *function.FuncError {
	other := parts[key]
	switch {
	case other.null():
		parts[key] = a
	case !a.null():
		return a.errorf("it means the same as %s; leave one of the two out", other.name)
	}
	return nil
}

// nests reports whether the proposal has something inside of a path.
func (s spelling) nests(path string) bool {
	for proposed := range s.proposed {
		if strings.HasPrefix(proposed, path+".") {
			return true
		}
	}
	return false
}

// isKind checks the key kind of an object of the proposal.
func (a argument) isKind(kind string) *function.FuncError {
	is, err := a.text()
	if err == nil && is != "" && is != kind {
		return a.errorf("a %s is needed, not a %s", kind, is)
	}
	return err
}

// part is a part of an argument.
func (a argument) part(name string, value attr.Value) argument {
	return argument{position: a.position, name: name, value: value, hints: a.hints}
}

// telling is an argument whose hints are collected.
func (a argument) telling(to *hints) argument {
	a.hints = to
	return a
}

// isList reports whether a value is a list of any kind.
func (a argument) isList() bool {
	switch a.value.(type) {
	case basetypes.ListValue, basetypes.SetValue, basetypes.TupleValue:
		return true
	}
	return false
}

// isOfKind reports whether an object is one of this kind of the proposal.
func (a argument) isOfKind(kind string) bool {
	values, err := a.fields()
	if err != nil {
		return false
	}
	is, _ := values["kind"].(basetypes.StringValue)
	return is.ValueString() == kind
}

// The objects of the proposal.
var (
	requestSpelling = spelling{
		kind: "ClusterRequest", own: []string{"namespace", "name", "purposes", "dedicated", "traits", "kubernetes_version", "prefix"},
		proposed: map[string]string{
			"apiVersion": "", "status": "", "metadata.*": "", "metadata.namespace": "namespace", "metadata.name": "name",
			"kubernetes.version": "kubernetes_version", "spec.kubernetes.version": "kubernetes_version", "spec.purposes": "purposes",
			"spec.dedicated": "dedicated", "spec.traits": "traits", "spec.prefix": "prefix",
		},
	}
	purposeSpelling = spelling{
		kind: "Purpose", own: []string{"dedicated", "traits", "tenancy_count"},
		proposed: map[string]string{
			"apiVersion": "", "status": "", "metadata.*": "", "metadata.name": keyName, "spec.dedicated": "dedicated", "spec.traits": "traits",
		},
	}
	providerSpelling = spelling{
		kind: "ClusterProvider",
		proposed: map[string]string{
			"apiVersion": "", "spec": "", "metadata.*": "", "metadata.name": keyName, "status.*": "", "status.profiles": "profiles",
		},
	}
	profileSpelling = spelling{
		own:      []string{keyName, "provider", "traits", "versions"},
		proposed: map[string]string{"providerConfigRef": "", "supportedVersions": "versions", "supportedTraits": "traits"},
	}
	clusterSpelling = spelling{
		kind: "Cluster", own: []string{"namespace", keyName, "profile", "version", "purposes", "dedicated", "grants"},
		proposed: map[string]string{
			"apiVersion": "", "status": "", "metadata.*": "", "metadata.namespace": "namespace", "metadata.name": keyName,
			"spec.clusterProviderRef.name": "", "spec.clusterProviderRef.profile": "profile", "spec.clusterConfigRef": "",
			"spec.kubernetes.version": "version", "spec.purposes": "purposes",
		},
	}
	grantSpelling = spelling{
		kind: "ClusterRequestGrant",
		proposed: map[string]string{
			"apiVersion": "", "status": "", "metadata.*": "", "metadata.namespace": "namespace", "metadata.name": keyName,
			"spec.clusterRef.namespace": "cluster_namespace", "spec.clusterRef.name": "cluster_name", "spec.prefix": "prefix",
		},
	}
)

// keyName is the key of a name.
const keyName = "name"

// operators are the keys of groups of traits by what the proposal calls them.
var operators = map[string]string{"or": keyAnyOf, "and": keyAllOf, "xor": keyOneOf}

// traitSpelling is a trait with these keys.
func traitSpelling(own []string) spelling {
	s := spelling{own: own, proposed: map[string]string{keyName: "trait"}}
	maps.Copy(s.proposed, operators)
	return s
}
