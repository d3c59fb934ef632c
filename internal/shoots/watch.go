package shoots

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

const (
	// watchTime is how long one watch lasts before it is begun anew: a connection that has died without a word is found out.
	watchTime = 5 * time.Minute
	// watchPause is how long a watcher pauses after a failure; each further pause is twice as long, up to longestPause.
	watchPause   = time.Second
	longestPause = 30 * time.Second
)

// watcher follows the Shoots of a namespace: with one list and one watch for all that wait, and none where nothing waits.
type watcher struct {
	shoots *Shoots

	mu      sync.Mutex
	waiting map[*waiter]bool
	stop    context.CancelFunc // ends the watch; nil = there is none
	seen    map[string]*gardencore.Shoot
	whole   bool  // seen holds all Shoots that there are: one that is not among them is gone
	failed  error // why the last list or watch ended; nil = it did not fail
	fatal   bool  // another try would end the same way
}

type waiter struct{ news chan struct{} }

// await shows each state of a Shoot to see, nil where there is no Shoot of the name, until see is done or fails. A server that does
// not answer is asked again until the context ends.
//
// Errors: that of see; Forbidden, Unauthorized and Rejected of [kube.Read]; the cause of the context, with the last error of the
// server where there was one.
func (w *watcher) await(ctx context.Context, name string, see func(shoot *gardencore.Shoot) (done bool, err error)) error {
	me := w.join()
	defer w.leave(me)
	for {
		select {
		case <-me.news:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), w.lastError())
		}
		shoot, known, err := w.at(name)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		if done, err := see(shoot); done || err != nil {
			return err
		}
	}
}

// join begins the watch where there is none, and otherwise shows the newcomer what was seen already.
func (w *watcher) join() *waiter {
	w.mu.Lock()
	defer w.mu.Unlock()
	me := &waiter{make(chan struct{}, 1)}
	w.waiting[me] = true
	if w.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		w.stop, w.seen, w.whole, w.failed, w.fatal = stop, map[string]*gardencore.Shoot{}, false, nil, false
		go w.follow(ctx)
	} else {
		me.news <- struct{}{}
	}
	return me
}

// leave ends the watch where nothing waits any more.
func (w *watcher) leave(me *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting, me)
	if len(w.waiting) == 0 {
		w.stop()
		w.stop = nil
	}
}

// at is what was seen of a Shoot last; known is false while nothing was.
func (w *watcher) at(name string) (shoot *gardencore.Shoot, known bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fatal {
		return nil, false, w.failed
	}
	shoot, seen := w.seen[name]
	return shoot, seen || w.whole, nil
}

func (w *watcher) lastError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// tell changes what was seen, and wakes all that wait. What a watch sees that has been ended is dropped.
func (w *watcher) tell(ctx context.Context, change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	change()
	for waiter := range w.waiting {
		select {
		case waiter.news <- struct{}{}:
		default: // it has not looked yet at what came before
		}
	}
}

// follow lists and watches until the context ends.
func (w *watcher) follow(ctx context.Context) {
	pause := watchPause
	for ctx.Err() == nil {
		begun := time.Now()
		err := w.round(ctx)
		if err == nil && time.Since(begun) > longestPause {
			pause = watchPause
			continue
		}
		if err != nil { // otherwise something on the way cuts watches short, and each round lists anew
			w.tell(ctx, func() { w.failed, w.fatal = err, isFatal(err) })
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// round is one list, and the watch that goes on from it. It returns nil where the watch has ended without an error.
func (w *watcher) round(ctx context.Context) error {
	all, version, err := w.shoots.list(ctx)
	if err != nil {
		return err
	}
	w.tell(ctx, func() {
		w.seen, w.whole, w.failed, w.fatal = make(map[string]*gardencore.Shoot, len(all)), true, nil, false
		for i := range all {
			w.seen[all[i].Name] = &all[i]
		}
	})
	ctx, cancel := context.WithTimeout(ctx, watchTime)
	defer cancel()
	events, err := w.shoots.watch(ctx, version)
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
			shoot, ok := event.Object.(*gardencore.Shoot)
			switch {
			case !ok:
				return fmt.Errorf("the watch ended: %v", event.Object)
			case event.Type == watch.Deleted:
				w.tell(ctx, func() { delete(w.seen, shoot.Name) })
			case event.Type != watch.Bookmark:
				w.tell(ctx, func() { w.seen[shoot.Name] = shoot })
			}
		}
	}
}

// watch begins a watch behind a list.
func (s *Shoots) watch(ctx context.Context, version string) (watch.Interface, error) {
	call := s.call("watch", "")
	seconds := int64(watchTime.Seconds())
	options := metav1.ListOptions{Watch: true, ResourceVersion: version, TimeoutSeconds: &seconds}
	begin := func() (watch.Interface, error) {
		return s.core.Request(call).SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned).Watch(ctx)
	}
	events, err := begin()
	if apierrors.IsUnauthorized(err) { // a token may be renewed by now
		events, err = begin()
	}
	if err != nil {
		return nil, kube.ReadError(ctx, call, err)
	}
	return events, nil
}

// isFatal reports whether another try would be refused the same way.
func isFatal(err error) bool {
	failed, ok := errors.AsType[*kube.Error](err)
	return ok && (failed.Reason == kube.Forbidden || failed.Reason == kube.Unauthorized || failed.Reason == kube.Rejected)
}
