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
	Want, Got string // in JSON; empty = the field is not there
}

// String is the change in one line.
func (c Change) String() string {
	show := func(value string) string {
		if value == "" {
			return "nothing"
		}
		return value
	}
	return fmt.Sprintf("%s is %s, the template says %s", c.Path, show(c.Got), show(c.Want))
}

// Drift returns the fields that the configuration names and the live Shoot has otherwise, by their paths. Fields that it does not
// name are no drift, nor is what Gardener changes by itself: see [Template.For].
func (w Wanted) Drift(now Shoot) []Change { return w.drift(now.live) }

func (w Wanted) drift(live *gardencore.Shoot) (found []Change) {
	named, want := w.Template.For(live), plain(w.Template.shoot)
	w.addTo(named)
	w.addTo(want)
	compare("", named, want, plain(*live), &found)
	slices.SortFunc(found, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// For returns what of the template is to be sent for a Shoot that lives. What Gardener changes by itself is left out where the Shoot
// has it already: a version that maintenance has raised, which must not go back, and hibernation that a schedule switches.
func (t Template) For(live *gardencore.Shoot) map[string]any {
	named := clone(t.written)
	delete(named, "apiVersion")
	delete(named, "kind")
	spec, _ := named["spec"].(map[string]any)
	if k, ok := spec["kubernetes"].(map[string]any); ok && raised(t.shoot.Spec.Kubernetes.Version, live.Spec.Kubernetes.Version) {
		delete(k, "version")
	}
	if h, ok := spec["hibernation"].(map[string]any); ok && scheduled(t.shoot.Spec.Hibernation, live.Spec.Hibernation) {
		delete(h, "enabled")
	}
	provider, _ := spec["provider"].(map[string]any)
	workers, _ := provider["workers"].([]any)
	for _, w := range workers {
		if named, ok := w.(map[string]any); ok {
			leaveRaised(named, t.shoot.Spec.Provider.Workers, live.Spec.Provider.Workers)
		}
	}
	return named
}

// leaveRaised takes the versions out of a worker group that maintenance has raised.
func leaveRaised(named map[string]any, wanted, living []gardencore.Worker) {
	is := func(w gardencore.Worker) bool { return w.Name == named["name"] }
	i, j := slices.IndexFunc(wanted, is), slices.IndexFunc(living, is)
	if i < 0 || j < 0 {
		return
	}
	want, live := wanted[i], living[j]
	machine, _ := named["machine"].(map[string]any)
	image, ok := machine["image"].(map[string]any)
	if ok && want.Machine.Image != nil && live.Machine.Image != nil && want.Machine.Image.Name == live.Machine.Image.Name &&
		raised(text(want.Machine.Image.Version), text(live.Machine.Image.Version)) {
		delete(image, "version")
	}
	if k, ok := named["kubernetes"].(map[string]any); ok && want.Kubernetes != nil && live.Kubernetes != nil &&
		raised(text(want.Kubernetes.Version), text(live.Kubernetes.Version)) {
		delete(k, "version")
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
			*found = append(*found, Change{Path: path, Want: written(want), Got: written(got)})
		}
	}
}

// compareList compares lists of named elements, as of worker groups, name by name, and others as a whole: so the server merges them.
func compareList(path string, named []any, want, got any, found *[]Change) {
	wanted, _ := want.([]any)
	living, _ := got.([]any)
	if path != "spec.provider.workers" {
		if len(named) != len(living) {
			*found = append(*found, Change{Path: path, Want: written(want), Got: written(got)})
			return
		}
		for i := range named {
			compare(fmt.Sprintf("%s[%d]", path, i), named[i], at(wanted, i), at(living, i), found)
		}
		return
	}
	for i, n := range named {
		name := nameOf(n)
		j := slices.IndexFunc(living, func(l any) bool { return nameOf(l) == name })
		if j < 0 {
			*found = append(*found, Change{Path: fmt.Sprintf("%s[%s]", path, name), Want: written(at(wanted, i))})
			continue
		}
		compare(fmt.Sprintf("%s[%s]", path, name), n, at(wanted, i), living[j], found)
	}
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func nameOf(element any) any {
	m, _ := element.(map[string]any)
	return m["name"]
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
