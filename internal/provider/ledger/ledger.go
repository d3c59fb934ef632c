// Package ledger has what one plan, or one apply, does with the objects of a configuration, and what one run has said.
package ledger

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Object identifies an object that a plan can be about.
type Object struct {
	Type string // of its resource, such as hap_shoot
	ID   string // its identity among the objects of the type: what a configuration says of it, so that it is known before the object is made
	// UID is that of the object of the state; empty for what is to be made, and for types whose identity is enough.
	UID string
}

// name is the object as a configuration knows it.
func (o Object) name() Object { return Object{Type: o.Type, ID: o.ID} }

// instance is the object as a state knows it: by its UID, where there is one.
func (o Object) instance() Object {
	if o.UID == "" {
		return o.name()
	}
	return Object{Type: o.Type, UID: o.UID}
}

// Clash is what two resources of one plan want with the same object. Terraform does not say at which addresses they are.
type Clash string

// The clashes.
const (
	NoClash    Clash = ""
	ClashTwice Clash = "twice" // both make the object, or one makes what the other keeps
	ClashBoth  Clash = "both"  // the state has the object twice, and both keep it
	// ClashEnded: one makes the object, and the other destroys it, or replaces it by another object. A resource that was renamed without a
	// moved block does that.
	ClashEnded Clash = "ended"
	ClashKept  Clash = "kept" // the state has the object twice: one keeps it, and the other destroys or replaces it
)

// Ledger is what one plan, or one apply, does with objects. Terraform plans them in no order, and a plan sees each pair in one of both
// orders: each call notes what it is for, and searches for the other one. The zero value is ready.
type Ledger struct {
	mu       sync.Mutex
	notes    map[note]bool
	accounts accounts
	profiles profiles
	// unrecorded are claims that a release would not see.
	unrecorded unrecorded
	guards     map[string]string          // the names of the objects that guard what they hold, by their UIDs
	along      map[string]string          // by what this plan ends another object that goes along, by its name
	leaving    map[string]map[string]bool // what this plan takes off an object that has a name, by that name and by UID
	lost       map[Object]string          // why nothing is made in the place of an object that is gone, by its name
	places     map[Object]kept            // what a refresh has noted of the objects of the state, by their names
	waiting    atomic.Int32               // how many objects wait for what the plan does with others
}

// note is one thing that is noted of an object.
type note struct {
	what what
	of   Object
}

// what is noted of an object.
type what string

const (
	configured what = "configured" // by name: the configuration makes it, or keeps it where its type notes that
	planned    what = "planned"    // by name: it is made
	destroyed  what = "destroyed"  // by name: it is destroyed, or replaced by another of another name
	retained   what = "retained"   // by instance: it stays
	stays      what = "stays"      // by name: it stays, and so does its name
	gone       what = "gone"       // by instance: it is destroyed, or replaced by another
	refreshed  what = "refreshed"  // by instance: the state has it
	said       what = "said"       // no object: words
	changing   what = "changing"   // by type alone: an object of it is made, changed or destroyed
)

// add notes something; false = it was noted before.
func (l *Ledger) add(w what, o Object) bool {
	n := note{w, o}
	if l.notes[n] {
		return false
	}
	if l.notes == nil {
		l.notes = map[note]bool{}
	}
	l.notes[n] = true
	return true
}

// has reports whether something is noted.
func (l *Ledger) has(w what, o Object) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.notes[note{w, o}]
}

// Configure notes an object of the configuration; false = another resource has noted it before.
func (l *Ledger) Configure(o Object) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(configured, o.name())
}

// Plan notes an object that is to be made; anew = in the place of one at its own address, which a plan that is forced to replace it has
// noted as one that stays. [ClashTwice], [ClashEnded].
func (l *Ledger) Plan(o Object, anew bool) Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(planned, o.name())
	switch {
	case !l.add(configured, o.name()) || !anew && l.notes[note{stays, o.name()}]:
		return ClashTwice
	case l.notes[note{destroyed, o.name()}]:
		return ClashEnded
	}
	return NoClash
}

// Planned reports whether an object is to be made, as far as this plan is known by now.
func (l *Ledger) Planned(o Object) bool { return l.has(planned, o.name()) }

// Applied notes that an apply has made an object, or found it: what is destroyed from now on is its predecessor of create_before_destroy.
func (l *Ledger) Applied(o Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.notes, note{planned, o.name()})
}

// Retain notes an object of the state that stays: [ClashKept], [ClashBoth], and [ClashTwice] where another resource makes one of its name.
// That one would find this object, by the mark of their configuration, and take it into the state a second time.
func (l *Ledger) Retain(o Object) Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.add(retained, o.instance())
	l.add(stays, o.name())
	switch {
	case l.notes[note{gone, o.instance()}]:
		return ClashKept
	case l.notes[note{planned, o.name()}]:
		return ClashTwice
	case !first && o.UID != "":
		return ClashBoth
	}
	return NoClash
}

// Destroy notes an object of the state that is destroyed; anew = another of the same identity takes its place, which is no clash with what
// makes that one. [ClashKept], [ClashEnded].
func (l *Ledger) Destroy(o Object, anew bool) Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(gone, o.instance())
	if !anew {
		l.add(destroyed, o.name())
	}
	switch {
	case l.notes[note{retained, o.instance()}]:
		return ClashKept
	case !anew && l.notes[note{planned, o.name()}]:
		return ClashEnded
	}
	return NoClash
}

// Destroyed reports whether an object of the state, which has a UID, is destroyed, as far as this plan is known by now. Without a UID it is
// an object of the configuration, and reports whether one of its identity is destroyed, and no other takes its place.
func (l *Ledger) Destroyed(o Object) bool {
	if o.UID == "" {
		return l.has(destroyed, o.name())
	}
	return l.has(gone, o.instance())
}

// Protect notes that an object of the state guards what it holds (deletion_protection): by its UID, or by the name of what it holds.
func (l *Ledger) Protect(uid, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guards == nil {
		l.guards = map[string]string{}
	}
	l.guards[uid] = name
}

// Protected returns the names of those objects that guard something by one of these UIDs or names, sorted.
func (l *Ledger) Protected(uids []string) (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, uid := range uids {
		if name, is := l.guards[uid]; is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TakeAlong notes by what this plan ends an object that has a name, such as a Shoot with its Cluster: "this plan ends Cluster a/b".
func (l *Ledger) TakeAlong(name, by string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.along == nil {
		l.along = map[string]string{}
	}
	l.along[name] = by
}

// Leave notes that this plan takes an object, by its UID, off another one that has a name, and returns how many it takes off that by now.
func (l *Ledger) Leave(name, uid string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving == nil {
		l.leaving = map[string]map[string]bool{}
	}
	if l.leaving[name] == nil {
		l.leaving[name] = map[string]bool{}
	}
	l.leaving[name][uid] = true
	return len(l.leaving[name])
}

// TakenAlong returns by what this plan ends an object that has a name, as far as it is known by now; empty = by nothing.
func (l *Ledger) TakenAlong(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.along[name]
}

// Guards reports whether anything is noted that guards what it holds.
func (l *Ledger) Guards() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.guards) > 0
}

// NoteChange notes that this plan makes, changes or destroys an object of a type.
func (l *Ledger) NoteChange(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(changing, Object{Type: kind})
}

// First notes words, and reports whether they were not noted before: what many objects would say alike, the first says.
func (l *Ledger) First(words ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(said, phrase(words))
}

// Noted reports whether this run has noted words.
func (l *Ledger) Noted(words ...string) bool { return l.has(said, phrase(words)) }

func phrase(words []string) Object { return Object{ID: strings.Join(words, "\x00")} }

// Refreshed notes an object of the state of this run.
func (l *Ledger) Refreshed(o Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(refreshed, o.instance())
}

// kept is what the private state says of an object.
type kept struct {
	of    string // the attribute id of the object
	place any
}

// KeepPlace notes what the private state says of an object that a refresh has read, and its attribute id.
func (l *Ledger) KeepPlace(o Object, id string, place any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places == nil {
		l.places = map[Object]kept{}
	}
	l.places[o.name()] = kept{id, place}
}

// PlaceOf returns the attribute id of the object whose place [Ledger.Place] returns.
func (l *Ledger) PlaceOf(o Object) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.places[o.name()].of
}

// Place returns what was noted of an object by [Ledger.KeepPlace]; nil = no refresh of this run has read it.
func (l *Ledger) Place(o Object) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.places[o.name()].place
}

// InState reports whether the state of this run has an object, as far as a refresh has read it.
func (l *Ledger) InState(o Object) bool { return l.has(refreshed, o.instance()) }

// adoptedWords begin the note of an object that this run has found and taken into the state.
const adoptedWords = "adopted"

// Adopt notes that this run has found the object of a UID and taken it into the state.
func (l *Ledger) Adopt(uid string) { l.First(adoptedWords, uid) }

// Adopted reports whether this run has found the object of a UID and taken it into the state.
func (l *Ledger) Adopted(uid string) bool { return l.Noted(adoptedWords, uid) }
