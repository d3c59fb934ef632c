package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// watchTime is how long one watch lasts before it is begun anew: a connection that has died without a word is found out.
	watchTime = 5 * time.Minute
	// watchPause is how long a watcher pauses after a failure; each further pause is twice as long, up to longestPause.
	watchPause   = time.Second
	longestPause = 30 * time.Second
	// watchLinger is how long a watch outlasts the last that waited: objects that are made one after the other share it.
	watchLinger = 10 * time.Second
)

// Watcher follows the objects of one resource: with one list and one watch for all that wait, and none where nothing has waited for a
// while. T is a pointer to the type of an object.
type Watcher[T metav1.Object] struct {
	group *Group
	call  Call
	list  func(context.Context) (all []T, version string, err error)

	mu      sync.Mutex
	waiting map[*waiter]bool
	stop    context.CancelFunc // ends the watch; nil = there is none
	idle    *time.Timer        // ends it where nothing waits; nil = it never had to
	seen    map[types.NamespacedName]T
	whole   bool  // seen holds all objects that there are: one that is not among them is gone
	failed  error // why the last list or watch ended; nil = it did not fail
	fatal   bool  // another try would end the same way
	last    error // as failed, also while it is tried again; nil = the watch has seen something since
}

// NewWatcher returns a watcher of the resource, and of the namespace, that the call names. list reads all that there is, and the
// version from which a watch goes on; its errors are those of [Group.List].
func NewWatcher[T metav1.Object](
	group *Group, call Call, list func(context.Context) (all []T, version string, err error),
) *Watcher[T] {
	call.Verb = "watch"
	return &Watcher[T]{group: group, call: call, list: list, waiting: map[*waiter]bool{}}
}

type waiter struct{ news chan struct{} }

// Await shows each state of an object to see, nil where there is none of the name, until see is done or fails. A server that does
// not answer is asked again until the context ends.
//
// Errors: that of see; Forbidden, Unauthorized, NoAPI and Rejected of [Read]; the cause of the context, with the last error of the
// server where there was one.
func (w *Watcher[T]) Await(ctx context.Context, namespace, name string, see func(object T) (done bool, err error)) error {
	of := types.NamespacedName{Namespace: namespace, Name: name}
	me := w.join()
	defer w.leave(me)
	for {
		select {
		case <-me.news:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), w.lastError())
		}
		object, known, err := w.at(of)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		if done, err := see(object); done || err != nil {
			return err
		}
	}
}

// join begins the watch where there is none, and otherwise shows the newcomer what was seen already.
func (w *Watcher[T]) join() *waiter {
	w.mu.Lock()
	defer w.mu.Unlock()
	me := &waiter{make(chan struct{}, 1)}
	w.waiting[me] = true
	if w.idle != nil {
		w.idle.Stop()
	}
	if w.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		w.stop, w.seen, w.whole, w.failed, w.fatal, w.last = stop, map[types.NamespacedName]T{}, false, nil, false, nil
		go w.follow(ctx)
	} else {
		me.news <- struct{}{}
	}
	return me
}

// leave ends the watch where nothing waits for some time; one that has failed at once, so that the next one begins anew.
func (w *Watcher[T]) leave(me *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting, me)
	switch {
	case len(w.waiting) > 0:
	case w.failed != nil:
		w.end()
	default:
		w.idle = time.AfterFunc(watchLinger, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.waiting) == 0 {
				w.end()
			}
		})
	}
}

// end ends the watch, where there is one.
func (w *Watcher[T]) end() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// at is what was seen of an object last; known is false while nothing was.
func (w *Watcher[T]) at(of types.NamespacedName) (object T, known bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fatal {
		return object, false, w.failed
	}
	object, seen := w.seen[of]
	return object, seen || w.whole, nil
}

func (w *Watcher[T]) lastError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// tell changes the state and wakes all that wait. What a watch sees after its end is dropped.
func (w *Watcher[T]) tell(ctx context.Context, change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	change()
	for waiter := range w.waiting {
		select {
		case waiter.news <- struct{}{}:
		default: // it has not read yet what came before
		}
	}
}

// follow lists and watches until the context ends.
func (w *Watcher[T]) follow(ctx context.Context) {
	pause := watchPause
	for ctx.Err() == nil {
		begun := time.Now()
		err := w.round(ctx)
		if err == nil && time.Since(begun) > longestPause {
			pause = watchPause
			continue
		}
		if err != nil { // otherwise something on the way cuts watches short, and each round lists anew
			w.tell(ctx, func() { w.failed, w.fatal, w.last = err, isFatal(err), err })
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// round is one list, and the watch that goes on from it. It returns nil where the watch has ended without an error.
func (w *Watcher[T]) round(ctx context.Context) error {
	all, version, err := w.list(ctx)
	if err != nil {
		return err
	}
	w.tell(ctx, func() {
		w.seen, w.whole, w.failed, w.fatal = make(map[types.NamespacedName]T, len(all)), true, nil, false
		for _, object := range all {
			w.seen[nameOf(object)] = object
		}
	})
	ctx, cancel := context.WithTimeout(ctx, watchTime)
	defer cancel()
	events, err := w.group.watch(ctx, w.call, version)
	if err != nil {
		return err
	}
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-events.ResultChan():
			if !open {
				return nil
			}
			object, ok := event.Object.(T)
			switch {
			case !ok:
				return fmt.Errorf("the watch ended: %w", cleaned(apierrors.FromObject(event.Object), nil))
			case event.Type == watch.Deleted:
				w.tell(ctx, func() { delete(w.seen, nameOf(object)); w.last = nil })
			case event.Type != watch.Bookmark:
				w.tell(ctx, func() { w.seen[nameOf(object)], w.last = object, nil })
			}
		}
	}
}

func nameOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

// watch begins a watch at the version of a list.
func (g *Group) watch(ctx context.Context, call Call, version string) (watch.Interface, error) {
	seconds := int64(watchTime.Seconds())
	options := metav1.ListOptions{Watch: true, ResourceVersion: version, TimeoutSeconds: &seconds}
	ctx, credentials := collecting(ctx)
	begin := func() (watch.Interface, error) {
		return g.Request(call).SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned).Watch(ctx)
	}
	events, err := begin()
	if apierrors.IsUnauthorized(err) { // a token may be renewed by now
		events, err = begin()
	}
	if err != nil {
		return nil, ReadError(ctx, call, credentials.clean(err))
	}
	return events, nil
}

// isFatal reports whether another try would be refused the same way.
func isFatal(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && slices.Contains([]Reason{Forbidden, Unauthorized, NoAPI, Rejected}, failed.Reason)
}

// Seen shows each object that the watch knows, and reports whether it knows all that there are. It knows none where nothing waits.
func (w *Watcher[T]) Seen(show func(object T)) (whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil || !w.whole {
		return false
	}
	for _, object := range w.seen {
		show(object)
	}
	return true
}
