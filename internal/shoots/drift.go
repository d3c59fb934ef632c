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

	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// Change is a field of a template that the live Shoot has otherwise.
type Change struct {
	Path      string // as in "spec.provider.workers[a].maximum"
	Want, Got any    // as JSON has them; nil = the field is not there
}

// String is the change in one line. Values are shown where they are short and cannot be secrets: an annotation, or what a provider
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

// maxShown is the longest value that is shown.
const maxShown = 80

// shown is a value for a message; empty = it is not shown.
func (c Change) shown(value any) string {
	switch value.(type) {
	case nil, map[string]any, []any:
		return ""
	}
	for part := range strings.SplitSeq(c.Path, ".") {
		if part == "annotations" || strings.HasSuffix(strings.ToLower(part), "config") {
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
//
// Fields that this provider's types do not know are compared where the Shoot was read with them: see [Shoots.Whole].
func (w Wanted) Drift(now Shoot) []Change { return w.drift(now.live, now.whole) }

func (w Wanted) drift(live *gardencore.Shoot, whole map[string]any) []Change {
	named, want := w.Template.named(), plain(w.Template.shoot)
	w.Template.eachChanged(named, live, func(c changed) { delete(c.in, c.key) })
	w.addTo(named)
	w.addTo(want)
	found := comparison{whole: whole != nil}
	found.compare("", sides{named, want, plain(*live), whole})
	slices.SortFunc(found.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return found.changes
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
// anew: a version of Kubernetes that the template names no longer would become the latest one, for ever. A version that the template has
// lowered since before is sent, for Gardener to judge. Each version is decided by itself.
func (t Template) following(live *gardencore.Shoot, before Template) map[string]any {
	named := t.named()
	t.eachChanged(named, live, func(c changed) {
		if c.version != nil && lowered(c.version(t.shoot.Spec), c.version(before.shoot.Spec)) {
			return
		}
		c.in[c.key] = c.now
	})
	if kubernetes := child(child(named, "spec"), "kubernetes"); kubernetes["version"] == nil && live.Spec.Kubernetes.Version != "" {
		kubernetes["version"] = live.Spec.Kubernetes.Version
	}
	return named
}

// lowered reports whether a wanted version is below the one that was wanted before. One that only leaves out its last parts is not.
func lowered(now, was string) bool {
	return now != "" && was != "" && !raised(was, now) && !strings.HasPrefix(was, now+".")
}

// versionOf is one version of a Shoot; empty = it has none there.
type versionOf func(gardencore.ShootSpec) string

func kubernetesVersion(s gardencore.ShootSpec) string { return s.Kubernetes.Version }

// imageVersion is that of a machine image, in a worker group.
func imageVersion(group, image any) versionOf {
	return ofGroup(group, func(w gardencore.Worker) *string {
		if w.Machine.Image == nil || w.Machine.Image.Name != image {
			return nil
		}
		return w.Machine.Image.Version
	})
}

// workerVersion is that of Kubernetes in a worker group.
func workerVersion(group any) versionOf {
	return ofGroup(group, func(w gardencore.Worker) *string {
		if w.Kubernetes == nil {
			return nil
		}
		return w.Kubernetes.Version
	})
}

// ofGroup reads a version of the worker group of a name.
func ofGroup(name any, version func(gardencore.Worker) *string) versionOf {
	return func(s gardencore.ShootSpec) string {
		i := slices.IndexFunc(s.Provider.Workers, func(w gardencore.Worker) bool { return w.Name == name })
		if i < 0 {
			return ""
		}
		return text(version(s.Provider.Workers[i]))
	}
}

// changed is a field that a template names and Gardener changes by itself.
type changed struct {
	in      map[string]any
	key     string
	now     any       // what the live Shoot has there
	version versionOf // nil = it is no version
}

// eachChanged shows the fields that the template names and Gardener changes by itself.
func (t Template) eachChanged(named map[string]any, live *gardencore.Shoot, see func(changed)) {
	seeRaised := func(in any, version versionOf) {
		now := version(live.Spec)
		if object, ok := in.(map[string]any); ok && raised(version(t.shoot.Spec), now) {
			see(changed{object, "version", now, version})
		}
	}
	spec, _ := named["spec"].(map[string]any)
	seeRaised(spec["kubernetes"], kubernetesVersion)
	if h, ok := spec["hibernation"].(map[string]any); ok && h["enabled"] != nil && scheduled(t.shoot.Spec.Hibernation, live.Spec.Hibernation) {
		now := live.Spec.Hibernation != nil && live.Spec.Hibernation.Enabled != nil && *live.Spec.Hibernation.Enabled
		see(changed{in: h, key: "enabled", now: now})
	}
	provider, _ := spec["provider"].(map[string]any)
	workers, _ := provider["workers"].([]any)
	for _, w := range workers {
		worker, _ := w.(map[string]any)
		machine, _ := worker["machine"].(map[string]any)
		seeRaised(machine["image"], imageVersion(worker["name"], valueOf(machine["image"], "name")))
		seeRaised(worker["kubernetes"], workerVersion(worker["name"]))
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

// sides are one field on all sides: as the configuration writes it, what of both Gardener's types know, in the form in which those write
// values, and as the server has it.
type sides struct{ named, want, got, last any }

// comparison collects where a configuration and a Shoot differ.
type comparison struct {
	whole   bool // the server's own form is known
	changes []Change
}

func (c *comparison) add(path string, want, got any) {
	c.changes = append(c.changes, Change{Path: path, Want: want, Got: got})
}

// compare walks what was named, and notes where the two differ. A field that the types have on neither side is empty, or they do not know
// it: then it is compared as it was written.
func (c *comparison) compare(path string, of sides) {
	if of.want == nil && of.got == nil && path != "" {
		if c.whole && !says(of.named, of.last) {
			c.add(path, of.named, of.last)
		}
		return
	}
	switch named := of.named.(type) {
	case map[string]any:
		want, _ := of.want.(map[string]any)
		got, _ := of.got.(map[string]any)
		last, _ := of.last.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(named)) {
			c.compare(join(path, key), sides{named[key], want[key], got[key], last[key]})
		}
	case []any:
		c.compareList(path, named, of)
	default:
		if !reflect.DeepEqual(of.want, of.got) {
			c.add(path, of.want, of.got)
		}
	}
}

// says reports whether a value has all that was written. What is empty a server may leave out.
func says(written, value any) bool {
	switch written := written.(type) {
	case map[string]any:
		object, _ := value.(map[string]any)
		for key, inside := range written {
			if !says(inside, object[key]) {
				return false
			}
		}
		return true
	case []any:
		list, _ := value.([]any)
		if len(written) != len(list) {
			return false
		}
		for i := range written {
			if !says(written[i], list[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(written, value) || value == nil && reflect.ValueOf(written).IsZero()
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
func (c *comparison) compareList(path string, named []any, of sides) {
	wanted, _ := of.want.([]any)
	living, _ := of.got.([]any)
	last, _ := of.last.([]any)
	key, merged := mergeKeys[path]
	switch {
	case len(named) == 0:
		return
	case !merged && len(named) != len(living):
		c.add(path, of.want, of.got)
		return
	}
	for i, n := range named {
		if !merged {
			c.compare(fmt.Sprintf("%s[%d]", path, i), sides{n, at(wanted, i), at(living, i), at(last, i)})
			continue
		}
		name := valueOf(n, key)
		same := func(l any) bool { return valueOf(l, key) == name }
		j := slices.IndexFunc(living, same)
		if j < 0 {
			c.add(fmt.Sprintf("%s[%v]", path, name), at(wanted, i), nil)
			continue
		}
		c.compare(fmt.Sprintf("%s[%v]", path, name), sides{n, at(wanted, i), living[j], at(last, slices.IndexFunc(last, same))})
	}
}

func at(list []any, i int) any {
	if i >= 0 && i < len(list) {
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
	value, err := strict.Plain(shoot)
	if err != nil { // a decoded object can be encoded
		return nil
	}
	object, _ := value.(map[string]any)
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
