package apiserver

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Resource is one resource of a server. All have a status that is a subresource.
type Resource struct {
	schema.GroupVersionResource

	Kind       string
	Namespaced bool
	Immutable  []Field
}

// Field is a field that cannot be changed once it is set, as a rule of a definition says it.
type Field struct {
	Path    []string
	Message string
	// Stays says that it cannot be taken away either, and with what message: that is a rule of the object around it; empty = it can.
	Stays string
}

// OpenMCP are the resources of openMCP as far as the provider writes them, with the rules of their definitions.
func OpenMCP() []Resource {
	of := func(plural, kind string, rules ...Field) Resource {
		group := schema.GroupVersion{Group: "clusters.openmcp.cloud", Version: "v1alpha1"}
		return Resource{GroupVersionResource: group.WithResource(plural), Kind: kind, Namespaced: true, Immutable: rules}
	}
	profiles := of("clusterprofiles", "ClusterProfile")
	profiles.Namespaced = false
	configs := profiles
	configs.Group, configs.Resource, configs.Kind = "gardener.clusters.openmcp.cloud", "providerconfigs", "ProviderConfig"
	return []Resource{
		of("clusterrequests", "ClusterRequest",
			Field{Path: []string{"spec"}, Message: "spec is immutable"},
			Field{Path: []string{"status", "cluster"}, Message: "cluster is immutable", Stays: "cluster may not be removed once set"}),
		of("clusters", "Cluster", Field{Path: []string{"spec", "profile"}, Message: "profile is immutable"}),
		of("accessrequests", "AccessRequest",
			Field{Path: []string{"spec", "clusterRef"}, Message: "clusterRef is immutable", Stays: "clusterRef may not be removed once set"},
			Field{Path: []string{"spec", "requestRef"}, Message: "requestRef is immutable", Stays: "requestRef may not be removed once set"}),
		profiles, configs,
	}
}

// check judges a change by the rules.
func (r *Resource) check(before, after map[string]any) (wrong field.ErrorList) {
	for _, f := range r.Immutable {
		was, set := at(before, f.Path)
		now, still := at(after, f.Path)
		switch {
		case !set:
		case !still && f.Stays != "":
			wrong = append(wrong, field.Invalid(field.NewPath(f.Path[0], f.Path[1:len(f.Path)-1]...), "object", f.Stays))
		case still && !reflect.DeepEqual(was, now):
			wrong = append(wrong, field.Invalid(field.NewPath(f.Path[0], f.Path[1:]...), kindOf(now), f.Message))
		}
	}
	return wrong
}

func at(object map[string]any, path []string) (any, bool) {
	value, found, err := unstructured.NestedFieldNoCopy(object, path...)
	return value, found && err == nil
}

// kindOf is the type of a value as a definition names it.
func kindOf(value any) string {
	if _, is := value.(string); is {
		return "string"
	}
	return "object"
}
