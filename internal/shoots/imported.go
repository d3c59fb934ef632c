package shoots

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Template returns a template for a Shoot that was not made from one here, in YAML: what our field manager owns; where it owns
// nothing, the labels, the annotations and the spec without what the server fills in.
func (s Shoot) Template() string {
	whole := plain(*s.live)
	picked := map[string]any{}
	for _, entry := range s.live.ManagedFields {
		var fields map[string]any
		if entry.Manager != fieldManager || entry.Subresource != "" || entry.FieldsV1 == nil ||
			json.Unmarshal(entry.FieldsV1.Raw, &fields) != nil {
			continue
		}
		merge(picked, pick(fields, whole))
	}
	if _, ours := picked["spec"]; !ours {
		picked = withoutDefaults(whole)
	}
	bare := map[string]any{"spec": picked["spec"]}
	if metadata, ok := picked["metadata"].(map[string]any); ok {
		if kept := ofUsers(metadata); len(kept) > 0 {
			bare["metadata"] = kept
		}
	}
	if spec, ok := bare["spec"].(map[string]any); ok { // the account has an attribute of its own
		delete(spec, "credentialsBindingName")
		delete(spec, "secretBindingName")
	}
	text, err := yaml.Marshal(bare)
	if err != nil { // what was decoded can be encoded
		return ""
	}
	return string(text)
}

// pick returns what of a value belongs to a set of fields, as the server writes such sets: f: names a field, k: an element of a
// list by its keys, v: one by its value, and a field without others inside is owned as a whole.
func pick(fields map[string]any, from any) any {
	if len(fields) == 0 {
		return from
	}
	switch from := from.(type) {
	case map[string]any:
		picked := map[string]any{}
		for field, inside := range fields {
			name, named := strings.CutPrefix(field, "f:")
			value, there := from[name]
			if inside, ok := inside.(map[string]any); named && there && ok {
				picked[name] = pick(inside, value)
			}
		}
		return picked
	case []any:
		return pickElements(fields, from)
	}
	return from
}

// pickElements returns the elements of a list that belong to a set of fields, in the order of the list.
func pickElements(fields map[string]any, from []any) (picked []any) {
	for _, element := range from {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			inside, _ := fields[field].(map[string]any)
			switch kind, text, _ := strings.Cut(field, ":"); {
			case kind == "k" && hasKeys(element, text):
				picked = append(picked, pick(inside, element))
			case kind == "v" && isValue(element, text):
				picked = append(picked, element)
			}
		}
	}
	return picked
}

func hasKeys(element any, text string) bool {
	var keys map[string]any
	object, ok := element.(map[string]any)
	if !ok || json.Unmarshal([]byte(text), &keys) != nil {
		return false
	}
	for key, value := range keys {
		if !reflect.DeepEqual(object[key], value) {
			return false
		}
	}
	return true
}

func isValue(element any, text string) bool {
	var value any
	return json.Unmarshal([]byte(text), &value) == nil && reflect.DeepEqual(element, value)
}

// merge adds what a second entry of the same manager owns.
func merge(into map[string]any, more any) {
	object, _ := more.(map[string]any)
	for key, value := range object {
		inside, both := into[key].(map[string]any)
		if _, nested := value.(map[string]any); both && nested {
			merge(inside, value)
			continue
		}
		into[key] = value
	}
}

// ofUsers are the labels and annotations that a template may have: not those that Gardener and this provider keep.
func ofUsers(metadata map[string]any) map[string]any {
	kept := map[string]any{}
	for _, part := range []string{"labels", "annotations"} {
		all, _ := metadata[part].(map[string]any)
		own := maps.Clone(all)
		maps.DeleteFunc(own, func(key string, _ any) bool {
			prefix, _, _ := strings.Cut(key, "/")
			return prefix == "gardener.cloud" || strings.HasSuffix(prefix, ".gardener.cloud") || key == markAnnotation ||
				strings.HasPrefix(key, "gardener.clusters.openmcp.cloud/")
		})
		if len(own) > 0 {
			kept[part] = own
		}
	}
	return kept
}

// The fields that the server fills in, which a template can do without.
var (
	defaultsOfSpec       = []string{"addons", "maintenance", "schedulerName", "seedName", "systemComponents", "controlPlane"}
	defaultsOfKubernetes = []string{
		"kubeAPIServer", "kubeControllerManager", "kubeScheduler", "kubeProxy", "kubelet", "verticalPodAutoscaler",
		"clusterAutoscaler", "etcd",
	}
	defaultsOfWorker   = []string{"cri", "maxSurge", "maxUnavailable", "systemComponents", "updateStrategy"}
	defaultsOfProvider = []string{"workersSettings"}
)

// withoutDefaults is a Shoot without what the server fills in. What a user has set among that is lost with it: it stays in the
// Shoot, because an apply leaves alone what it does not name.
func withoutDefaults(whole map[string]any) map[string]any {
	bare := clone(whole)
	spec := child(bare, "spec")
	drop := func(from map[string]any, names []string) {
		for _, name := range names {
			delete(from, name)
		}
	}
	drop(spec, defaultsOfSpec)
	drop(child(spec, "kubernetes"), defaultsOfKubernetes)
	provider := child(spec, "provider")
	drop(provider, defaultsOfProvider)
	workers, _ := provider["workers"].([]any)
	for _, worker := range workers {
		if worker, ok := worker.(map[string]any); ok {
			drop(worker, defaultsOfWorker)
		}
	}
	return bare
}
