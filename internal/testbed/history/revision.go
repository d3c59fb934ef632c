package history

import (
	"fmt"
	"strings"
	"time"
)

// Event says what became of an object in a revision.
type Event uint8

// The events of a history.
const (
	// Present: it was there when the history began.
	Present Event = iota
	// Added: it was created.
	Added
	// Modified: it was changed.
	Modified
	// Deleted: it is gone.
	Deleted
)

// Revision is what a history keeps of an object at one version.
type Revision struct {
	Event     Event
	Name, UID string
	Version   uint64
	// Labels and Annotations are those of an account; of a Shoot the tenant alone is kept.
	Labels, Annotations map[string]string
	// Terminating: it has a deletion timestamp.
	Terminating bool
	// Rest is a digest of finalizers, owner references and all that is not metadata.
	Rest uint64
	// Account is the binding that a Shoot names; a SecretBinding has its kind before the name.
	Account string
	// Credentials is what a binding refers to.
	Credentials string
}

// step is a revision as it is kept: what has changed since the one before. Hundreds of thousands fit into memory.
type step struct {
	name, uid, account  string
	credentials         string
	at                  time.Time // when it came; zero = it was there at the start
	version, rest       uint64
	labels, annotations []edit
	event               Event
	terminating         bool
}

// edit is one changed key; nil = absent.
type edit struct {
	key      string
	old, new *string
}

func (e edit) after() string {
	if e.new == nil {
		return ""
	}
	return *e.new
}

func (e edit) String() string {
	return fmt.Sprintf("%s %s -> %s", e.key, shown(e.old), shown(e.new))
}

func shown(value *string) string {
	if value == nil {
		return "(none)"
	}
	return fmt.Sprintf("%q", *value)
}

// object is an object between two steps.
type object struct {
	uid, account        string
	version, rest       uint64
	labels, annotations map[string]string
	terminating         bool
}

// track is the history of one kind of object.
type track struct {
	kind    string
	now     map[string]*object
	steps   []step
	last    uint64
	strings map[string]string
}

func newTrack(kind string) *track {
	return &track{kind: kind, now: map[string]*object{}, strings: map[string]string{}}
}

// add keeps a revision. One that cannot follow those before it means that some are missing.
func (k *track) add(r Revision) error {
	before, exists := k.now[r.Name]
	switch {
	case r.Event == Present && !exists:
	case r.Version <= k.last:
		return fmt.Errorf("%w: %s %s: version %d comes after %d", ErrGap, k.kind, r.Name, r.Version, k.last)
	case exists != (r.Event == Modified || r.Event == Deleted):
		return fmt.Errorf("%w: %s %s is %s at version %d", ErrGap, k.kind, r.Name, r.Event, r.Version)
	case exists && before.uid != r.UID:
		return fmt.Errorf("%w: %s %s has become another one at version %d", ErrGap, k.kind, r.Name, r.Version)
	}
	if before == nil {
		before = &object{}
	}
	s := step{
		event: r.Event, name: k.intern(r.Name), uid: k.intern(r.UID), account: k.intern(r.Account),
		version: r.Version, rest: r.Rest, terminating: r.Terminating, credentials: k.intern(r.Credentials),
	}
	if r.Event != Present {
		s.at = time.Now()
	}
	if r.Event != Deleted { // the last state of what is gone says nothing new
		s.labels = k.edits(before.labels, r.Labels)
		s.annotations = k.edits(before.annotations, r.Annotations)
	}
	k.steps = append(k.steps, s)
	k.last = max(k.last, r.Version)
	apply(k.now, &s)
	return nil
}

// intern lets equal strings be one: few of them differ between revisions.
func (k *track) intern(s string) string {
	if known, ok := k.strings[s]; ok {
		return known
	}
	k.strings[s] = strings.Clone(s)
	return k.strings[s]
}

func (k *track) edits(before, after map[string]string) []edit {
	var edits []edit
	for key, value := range after {
		old, had := before[key]
		if had && old == value {
			continue
		}
		e := edit{key: k.intern(key), new: &value}
		if had {
			e.old = &old
		}
		edits = append(edits, e)
	}
	for key, old := range before {
		if _, has := after[key]; !has {
			edits = append(edits, edit{key: k.intern(key), old: &old})
		}
	}
	return edits
}

// apply brings the objects to where they are after a step.
func apply(objects map[string]*object, s *step) {
	if s.event == Deleted {
		delete(objects, s.name)
		return
	}
	o := objects[s.name]
	if o == nil {
		o = &object{labels: map[string]string{}, annotations: map[string]string{}}
		objects[s.name] = o
	}
	o.uid, o.version, o.rest, o.terminating, o.account = s.uid, s.version, s.rest, s.terminating, s.account
	edited(o.labels, s.labels)
	edited(o.annotations, s.annotations)
}

func edited(values map[string]string, edits []edit) {
	for _, e := range edits {
		if e.new == nil {
			delete(values, e.key)
		} else {
			values[e.key] = *e.new
		}
	}
}

// String names the event.
func (e Event) String() string {
	return [...]string{"present", "added", "modified", "deleted"}[e]
}
