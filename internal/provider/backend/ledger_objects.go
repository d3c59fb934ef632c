package backend

import (
	"context"
	"slices"
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
	ClashTwice Clash = "twice" // both make the object, or keep it
	// ClashEnded: one makes the object, and the other destroys it, or replaces it by another object. A resource that was renamed without a
	// moved block does that.
	ClashEnded Clash = "ended"
	ClashKept  Clash = "kept" // the state has the object twice: one keeps it, and the other destroys or replaces it
)

// objects is what one plan, or one apply, does with objects. A plan sees each pair in one of both orders, so each call notes what it is
// for, and searches the other one.
type objects struct {
	declared    set[Object] // by name: what the configuration makes, or keeps where its type notes that
	made, ended set[Object] // by name: what is made; what is destroyed, or replaced by another
	kept, gone  set[Object] // by instance: what stays; what is destroyed or replaced
	adopted     set[string] // by UID: what this run has found and taken into the state
	waiting     patience    // of the objects that wait for the other one of a pair
}

// Declare notes an object of the configuration; false = another resource has declared it before.
func (l *Ledger) Declare(o Object) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects.declared.add(o.name())
}

// Make notes an object that is to be made: [ClashTwice], [ClashEnded].
func (l *Ledger) Make(o Object) Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objects.made.add(o.name())
	switch {
	case !l.objects.declared.add(o.name()):
		return ClashTwice
	case l.objects.ended[o.name()]:
		return ClashEnded
	}
	return NoClash
}

// AwaitMake waits for a moment until this plan was seen to make an object. The caller has noted its end before: where it is made, the clash
// is reported there.
func (l *Ledger) AwaitMake(ctx context.Context, o Object) bool {
	is, _ := l.objects.waiting.until(ctx, func() bool { return l.Makes(o) })
	return is
}

// AwaitEnd waits for a moment until this plan was seen to end an object. The caller has noted before that it makes it: where it is ended,
// the clash is reported there.
func (l *Ledger) AwaitEnd(ctx context.Context, o Object) bool {
	is, _ := l.objects.waiting.until(ctx, func() bool { return l.ends(o) })
	return is
}

// NoteChange notes that this plan makes, changes or destroys an object of a type.
func (l *Ledger) NoteChange(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changing.add(kind)
}

// AwaitChange waits for a moment until this plan was seen to make, change or destroy an object of one of these types. sure = what it
// returns can be relied on; otherwise too many objects wait already.
func (l *Ledger) AwaitChange(ctx context.Context, kinds ...string) (changes, sure bool) {
	return l.objects.waiting.until(ctx, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return slices.ContainsFunc(kinds, func(kind string) bool { return l.changing[kind] })
	})
}

// Makes reports whether an object is to be made, as far as this plan is known by now.
func (l *Ledger) Makes(o Object) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects.made[o.name()]
}

// Made notes that an apply has made an object, or found it: what is destroyed from now on is its predecessor of create_before_destroy.
func (l *Ledger) Made(o Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.objects.made, o.name())
}

// Keep notes an object of the state that stays: [ClashKept].
func (l *Ledger) Keep(o Object) Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objects.kept.add(o.instance())
	if l.objects.gone[o.instance()] {
		return ClashKept
	}
	return NoClash
}

// Replace notes an object of the state in whose place another comes; anew = one of the same identity, which is no clash with
// what makes that one. [ClashKept], [ClashEnded].
func (l *Ledger) Replace(o Object, anew bool) Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects.end(o, anew)
}

// End notes an object of the state that is destroyed, and has no successor at its address: [ClashKept], [ClashEnded].
func (l *Ledger) End(o Object) Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects.end(o, false)
}

func (s *objects) end(o Object, anew bool) Clash {
	s.gone.add(o.instance())
	if !anew {
		s.ended.add(o.name())
	}
	switch {
	case s.kept[o.instance()]:
		return ClashKept
	case !anew && s.made[o.name()]:
		return ClashEnded
	}
	return NoClash
}

// ends reports whether an object is destroyed, or replaced by another, as far as this plan is known by now.
func (l *Ledger) ends(o Object) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects.ended[o.name()]
}

// AdoptObject notes that this run has found the object of a UID and taken it into the state.
func (l *Ledger) AdoptObject(uid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objects.adopted.add(uid)
}

// AdoptedObject reports whether this run has found the object of a UID and taken it into the state.
func (l *Ledger) AdoptedObject(uid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects.adopted[uid]
}
