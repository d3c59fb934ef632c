package shoots

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// Template returns a template for a Shoot that was not made from one here, in YAML: what our field manager owns; where it owns
// nothing, the labels, the annotations and the spec without what the server fills in.
func (s Shoot) Template() string {
	whole := s.whole
	if whole == nil {
		whole = plain(*s.live)
	}
	applied, picked := s.ours(whole, isApply), s.ours(whole, isPost)
	sent := ofUsers(child(applied, "metadata"), isReserved)
	merge(picked, applied)
	if _, ours := picked["spec"]; !ours {
		picked = withoutDefaults(whole)
	}
	kept := ofUsers(child(picked, "metadata"), isKept) // Gardener's own, which it has put beside what was posted, or others have
	merge(kept, sent)
	bare := map[string]any{"spec": picked["spec"]}
	if len(kept) > 0 {
		bare["metadata"] = kept
	}
	withoutBindings(bare) // the account has an attribute of its own
	text, err := yaml.Marshal(bare)
	if err != nil { // what was decoded can be encoded
		return ""
	}
	return string(text)
}

// ours is what of a Shoot the entries of a kind own.
func (s Shoot) ours(whole map[string]any, are func(metav1.ManagedFieldsEntry) bool) map[string]any {
	picked := map[string]any{}
	for _, entry := range s.live.ManagedFields {
		var fields map[string]any
		if are(entry) && entry.FieldsV1 != nil && json.Unmarshal(entry.FieldsV1.Raw, &fields) == nil {
			merge(picked, pick(fields, whole))
		}
	}
	return picked
}

// OurCluster is the Cluster that the labels of a Shoot name, where our field manager has set them; zero = it has not.
func (s Shoot) OurCluster() Cluster {
	if s.live == nil {
		return Cluster{}
	}
	return ourClusterOf(s.live)
}

func ourClusterOf(live *gardencore.Shoot) Cluster {
	ours := ownedBy(live.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return isApply(e) || isPost(e) })
	for _, label := range []string{clusterNamespaceLabel, clusterNameLabel} {
		if !ours.Has(fieldpath.MakePathOrDie("metadata", "labels", label)) {
			return Cluster{}
		}
	}
	return Cluster{live.Labels[clusterNamespaceLabel], live.Labels[clusterNameLabel]}
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
	if !ok || strict.Decode([]byte(text), &keys) != nil {
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
	return strict.Decode([]byte(text), &value) == nil && reflect.DeepEqual(element, value)
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

// ofUsers are the labels and annotations that a template may have: without those of others.
func ofUsers(metadata map[string]any, ofOthers func(key string) bool) map[string]any {
	kept := map[string]any{}
	for _, part := range []string{"labels", "annotations"} {
		all, _ := metadata[part].(map[string]any)
		own := maps.Clone(all)
		maps.DeleteFunc(own, func(key string, _ any) bool { return ofOthers(key) })
		if len(own) > 0 {
			kept[part] = own
		}
	}
	return kept
}

func isReserved(key string) bool { return Reserved(key) != "" }

// isKept recognises the labels and annotations that Gardener, this provider, a cluster provider and kubectl keep.
func isKept(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	return isReserved(key) || prefix == "gardener.cloud" || strings.HasSuffix(prefix, ".gardener.cloud") ||
		prefix == "gardener.clusters.openmcp.cloud" || prefix == "kubectl.kubernetes.io"
}

// filled are the parts of a spec that the server fills in.
var filled = [][]string{
	{"addons"}, {"maintenance"}, {"schedulerName"}, {"systemComponents"}, {"controlPlane"}, {"purpose"},
	{"kubernetes", "kubeAPIServer"}, {"kubernetes", "kubeControllerManager"}, {"kubernetes", "kubeScheduler"}, {"kubernetes", "kubeProxy"},
	{"kubernetes", "kubelet"}, {"kubernetes", "verticalPodAutoscaler"}, {"kubernetes", "clusterAutoscaler"}, {"kubernetes", "etcd"},
	{"provider", "workersSettings"},
}

// filledOfWorker are the parts of a worker group that the server fills in.
var filledOfWorker = []string{"cri", "maxSurge", "maxUnavailable", "systemComponents", "updateStrategy"}

// withoutDefaults is a Shoot without what the server would fill in the same way, by Gardener's own defaults. What differs from them
// a user has set, or the server has chosen by chance, and it stays.
func withoutDefaults(whole map[string]any) map[string]any {
	whole = clone(whole)
	delete(child(whole, "spec"), "seedName") // the scheduler's
	bare := clone(whole)
	spec := child(bare, "spec")
	for _, path := range filled {
		at := spec
		for _, key := range path[:len(path)-1] {
			at = child(at, key)
		}
		delete(at, path[len(path)-1])
	}
	eachWorker(spec, func(_ int, worker map[string]any) {
		for _, key := range filledOfWorker {
			delete(worker, key)
		}
	})
	defaulted := defaultsOf(bare)
	delete(child(child(defaulted, "spec"), "maintenance"), "timeWindow") // that of the defaults is by chance, and can be the same
	restore(spec, whole["spec"], defaulted["spec"])
	return bare
}

// eachWorker shows the worker groups of a spec.
func eachWorker(spec map[string]any, see func(i int, worker map[string]any)) {
	provider, _ := spec["provider"].(map[string]any)
	workers, _ := provider["workers"].([]any)
	for i, w := range workers {
		if worker, ok := w.(map[string]any); ok {
			see(i, worker)
		}
	}
}

// defaultsOf is an object with Gardener's defaults filled in.
func defaultsOf(object map[string]any) map[string]any {
	var shoot gardencore.Shoot
	text, err := json.Marshal(object)
	if err != nil || json.Unmarshal(text, &shoot) != nil { // it was a Shoot before
		return object
	}
	gardencore.SetObjectDefaults_Shoot(&shoot)
	return plain(shoot)
}

// restore puts back into bare what the whole has otherwise than the defaults would make it.
func restore(bare map[string]any, whole, defaults any) {
	all, _ := whole.(map[string]any)
	filled, _ := defaults.(map[string]any)
	for key, value := range all {
		if reflect.DeepEqual(value, filled[key]) {
			continue
		}
		kept, there := bare[key]
		switch value := value.(type) {
		case map[string]any:
			inner, ok := kept.(map[string]any)
			if !ok {
				inner = map[string]any{}
			}
			restore(inner, value, filled[key])
			if len(inner) > 0 {
				bare[key] = inner
			}
		case []any:
			keptList, _ := kept.([]any)
			defaultList, _ := filled[key].([]any)
			if !there || len(keptList) != len(value) {
				bare[key] = value
				continue
			}
			for i := range value {
				if element, ok := keptList[i].(map[string]any); ok {
					restore(element, value[i], at(defaultList, i))
				}
			}
		default:
			bare[key] = value
		}
	}
}
