package shoots

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/util/version"
)

// Change is a field of a template that the live Shoot has otherwise.
type Change struct {
	Path      string // as in "spec.provider.workers[a].maximum"
	Want, Got any    // as JSON has them; nil = the field is not there
}

// String is the change in one line. Values are told where they are short and cannot be secrets: an annotation, or what a provider
// extension is configured with, may be one.
func (c Change) String() string {
	got, want := c.shown(c.Got), c.shown(c.Want)
	switch {
	case c.Got == nil:
		return c.Path + " is not there"
	case got == "" || want == "":
		return c.Path + " is not as the template says"
	}
	return fmt.Sprintf("%s is %s, the template says %s", c.Path, got, want)
}

// maxShown is the longest value that is told.
const maxShown = 80

// shown is a value for a message; empty = it is not told.
func (c Change) shown(value any) string {
	switch value.(type) {
	case nil, map[string]any, []any:
		return ""
	}
	for part := range strings.SplitSeq(c.Path, ".") {
		if part == "annotations" || strings.HasSuffix(part, "Config") {
			return ""
		}
	}
	text := written(value)
	if len(text) > maxShown {
		return ""
	}
	return text
}

// Drift returns the fields that the configuration names and the live Shoot has otherwise, by their paths. Fields that it does not
// name are no drift, nor is what Gardener changes by itself: a version that maintenance has raised, and hibernation that a schedule
// switches.
func (w Wanted) Drift(now Shoot) []Change { return w.drift(now.live) }

func (w Wanted) drift(live *gardencore.Shoot) (found []Change) {
	named, want := w.Template.named(), plain(w.Template.shoot)
	w.Template.eachChanged(named, live, func(in map[string]any, key string, _ any) { delete(in, key) })
	w.addTo(named)
	w.addTo(want)
	compare("", named, want, plain(*live), &found)
	slices.SortFunc(found, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// named is what the template names, to be changed.
func (t Template) named() map[string]any {
	named := clone(t.written)
	delete(named, "apiVersion")
	delete(named, "kind")
	return named
}

// following returns what of the template is to be sent for a Shoot that lives. What Gardener changes by itself is sent as the Shoot
// has it now: sent as the template has it, it would go back; left out, the server would take it away, where it is ours, and choose
// anew. A version that the template has lowered since before is sent, for Gardener to judge. borrowed = something was taken from
// the Shoot.
func (t Template) following(live *gardencore.Shoot, before Template) (named map[string]any, borrowed bool) {
	named = t.named()
	lowered := t.lowered(before)
	t.eachChanged(named, live, func(in map[string]any, key string, now any) {
		if key == "version" && lowered {
			return
		}
		in[key], borrowed = now, true
	})
	return named, borrowed
}

// lowered reports whether the template has a version that is below the one that it had before.
func (t Template) lowered(before Template) bool {
	below := func(now, was string) bool { return now != "" && was != "" && !raised(was, now) }
	now, was := t.shoot.Spec, before.shoot.Spec
	if below(now.Kubernetes.Version, was.Kubernetes.Version) {
		return true
	}
	return slices.ContainsFunc(now.Provider.Workers, func(w gardencore.Worker) bool {
		i := slices.IndexFunc(was.Provider.Workers, func(o gardencore.Worker) bool { return o.Name == w.Name })
		return i >= 0 && below(imageVersion(w), imageVersion(was.Provider.Workers[i]))
	})
}

func imageVersion(w gardencore.Worker) string {
	if w.Machine.Image == nil {
		return ""
	}
	return text(w.Machine.Image.Version)
}

// eachChanged shows the fields that the template names and Gardener changes by itself, with what the live Shoot has there.
func (t Template) eachChanged(named map[string]any, live *gardencore.Shoot, see func(in map[string]any, key string, now any)) {
	spec, _ := named["spec"].(map[string]any)
	if k, ok := spec["kubernetes"].(map[string]any); ok && raised(t.shoot.Spec.Kubernetes.Version, live.Spec.Kubernetes.Version) {
		see(k, "version", live.Spec.Kubernetes.Version)
	}
	if h, ok := spec["hibernation"].(map[string]any); ok && h["enabled"] != nil && scheduled(t.shoot.Spec.Hibernation, live.Spec.Hibernation) {
		see(h, "enabled", live.Spec.Hibernation != nil && live.Spec.Hibernation.Enabled != nil && *live.Spec.Hibernation.Enabled)
	}
	provider, _ := spec["provider"].(map[string]any)
	workers, _ := provider["workers"].([]any)
	for _, w := range workers {
		if worker, ok := w.(map[string]any); ok {
			eachRaised(worker, t.shoot.Spec.Provider.Workers, live.Spec.Provider.Workers, see)
		}
	}
}

// eachRaised shows the versions of a worker group that maintenance has raised.
func eachRaised(named map[string]any, wanted, living []gardencore.Worker, see func(in map[string]any, key string, now any)) {
	is := func(w gardencore.Worker) bool { return w.Name == named["name"] }
	i, j := slices.IndexFunc(wanted, is), slices.IndexFunc(living, is)
	if i < 0 || j < 0 {
		return
	}
	want, live := wanted[i], living[j]
	machine, _ := named["machine"].(map[string]any)
	image, ok := machine["image"].(map[string]any)
	if ok && want.Machine.Image != nil && live.Machine.Image != nil && want.Machine.Image.Name == live.Machine.Image.Name &&
		raised(imageVersion(want), imageVersion(live)) {
		see(image, "version", imageVersion(live))
	}
	if k, ok := named["kubernetes"].(map[string]any); ok && want.Kubernetes != nil && live.Kubernetes != nil &&
		raised(text(want.Kubernetes.Version), text(live.Kubernetes.Version)) {
		see(k, "version", text(live.Kubernetes.Version))
	}
}

// raised reports whether a live version is the wanted one or a later one. A wanted version may leave out its last parts.
func raised(want, live string) bool {
	w, err := version.ParseGeneric(padded(want))
	if err != nil {
		return false
	}
	l, err := version.ParseGeneric(padded(live))
	return err == nil && l.AtLeast(w)
}

// padded gives a version of one part a second one, which the parser needs.
func padded(v string) string {
	if v != "" && !strings.Contains(v, ".") {
		return v + ".0"
	}
	return v
}

// scheduled reports whether schedules switch the hibernation.
func scheduled(want, live *gardencore.Hibernation) bool {
	return want != nil && len(want.Schedules) > 0 || live != nil && len(live.Schedules) > 0
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// compare walks what was named, and notes where the two differ. Both have the form in which Gardener's types write their values.
func compare(path string, named, want, got any, found *[]Change) {
	switch named := named.(type) {
	case map[string]any:
		want, _ := want.(map[string]any)
		got, _ := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(named)) {
			compare(join(path, key), named[key], want[key], got[key], found)
		}
	case []any:
		compareList(path, named, want, got, found)
	default:
		if !reflect.DeepEqual(want, got) {
			*found = append(*found, Change{Path: path, Want: want, Got: got})
		}
	}
}

// mergeKeys are the lists of Gardener's API that the server merges by a key of their elements; others are lists as a whole.
var mergeKeys = map[string]string{
	"spec.provider.workers":                          "name",
	"spec.tolerations":                               "key",
	"spec.dns.providers":                             "type",
	"spec.kubernetes.kubeAPIServer.admissionPlugins": "name",
}

// compareList compares a list as the server merges it: element by element of the same key, or as a whole. A list that was named and
// is empty says nothing.
func compareList(path string, named []any, want, got any, found *[]Change) {
	wanted, _ := want.([]any)
	living, _ := got.([]any)
	key, merged := mergeKeys[path]
	switch {
	case len(named) == 0:
		return
	case !merged && len(named) != len(living):
		*found = append(*found, Change{Path: path, Want: want, Got: got})
		return
	}
	for i, n := range named {
		if !merged {
			compare(fmt.Sprintf("%s[%d]", path, i), n, at(wanted, i), at(living, i), found)
			continue
		}
		name := valueOf(n, key)
		j := slices.IndexFunc(living, func(l any) bool { return valueOf(l, key) == name })
		if j < 0 {
			*found = append(*found, Change{Path: fmt.Sprintf("%s[%v]", path, name), Want: at(wanted, i)})
			continue
		}
		compare(fmt.Sprintf("%s[%v]", path, name), n, at(wanted, i), living[j], found)
	}
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func valueOf(element any, key string) any {
	m, _ := element.(map[string]any)
	return m[key]
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// plain is a Shoot as its types write it: numbers and quantities have one form each.
func plain(shoot gardencore.Shoot) map[string]any {
	text, err := json.Marshal(shoot)
	var object map[string]any
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	if err != nil { // a decoded object can be encoded
		return nil
	}
	return object
}

func written(value any) string {
	if value == nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// clone copies an object deeply.
func clone(object map[string]any) map[string]any {
	copied, _ := cloned(object).(map[string]any)
	return copied
}

func cloned(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for k, v := range value {
			copied[k] = cloned(v)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, v := range value {
			copied[i] = cloned(v)
		}
		return copied
	}
	return value
}
