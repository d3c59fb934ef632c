package kube

import (
	"cmp"
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// fewReads is how many objects are usually read one by one before all are listed: a namespace may have thousands that are not
	// asked for.
	fewReads = 3
	// listAge is how old a list may be that answers a read.
	listAge = 5 * time.Second
)

// Recent reads objects for a refresh. The first few are read by themselves; where there are more, one list answers all. T is one
// object as the caller sees it. The zero value is ready.
type Recent[T any] struct {
	// Few is how many are read by themselves; 0 = three.
	Few int

	mu    sync.Mutex // also held while the list is read: one reads it, and the others wait for it
	reads int
	at    time.Time // when the list was begun, or when it had failed; zero = there is none
	err   error     // why it failed: those that waited for it do not all try again
	all   map[types.NamespacedName]T
}

// Read returns an object: from one, or from the list that all reads. An object that the list lacks is read by itself, for it may be
// younger than the list.
//
// Errors: those of one and of all.
func (r *Recent[T]) Read(ctx context.Context, name types.NamespacedName,
	one func(context.Context) (T, error), all func(context.Context) (map[types.NamespacedName]T, error),
) (object T, err error) {
	if !r.many() {
		return one(ctx)
	}
	list, err := r.All(ctx, all)
	if err != nil {
		return object, err
	}
	if object, found := list[name]; found {
		return object, nil
	}
	return one(ctx)
}

// All returns all objects, from a list that is not too old. The map is not to be changed.
//
// Errors: those of read.
func (r *Recent[T]) All(
	ctx context.Context, read func(context.Context) (map[types.NamespacedName]T, error),
) (map[types.NamespacedName]T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) <= listAge {
		return r.all, r.err
	}
	begun := time.Now()
	all, err := read(ctx)
	if err != nil {
		if ctx.Err() == nil { // otherwise it is this reader's time that was too short
			r.at, r.err, r.all = time.Now(), err, nil
		}
		return nil, err
	}
	r.at, r.err, r.all = begun, nil, all
	return all, nil
}

// many counts a read, and reports whether it is one of many.
func (r *Recent[T]) many() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	return r.reads > cmp.Or(r.Few, fewReads)
}
