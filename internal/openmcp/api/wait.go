package api

import (
	"context"
	mathrand "math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// AwaitGone waits until this object is gone. What holds it is reported, whenever that has changed, and each state of it is shown.
func (k *Kind[S, T]) AwaitGone(ctx context.Context, of Ref, uid types.UID, tell func(string), see func(*object[S, T])) error {
	reported := ""
	return k.Await(ctx, of, func(live *object[S, T]) (bool, error) {
		if live == nil || live.UID != uid {
			return true, nil
		}
		if held := kube.HeldBy(live.Finalizers); held != reported && live.DeletionTimestamp != nil {
			reported = held
			tell(held)
		}
		see(live)
		return false, nil
	})
}

// Await waits until an object, as the watch of all shows it, is what a caller waits for; nil = it is not there.
func (k *Kind[S, T]) Await(ctx context.Context, of Ref, until func(live *object[S, T]) (bool, error)) error {
	return k.watcher.Await(ctx, of.Namespace, of.Name, until)
}

// Seen shows all objects as the watch knows them; false = it has not seen all yet.
func (k *Kind[S, T]) Seen(see func(*object[S, T])) (whole bool) { return k.watcher.Seen(see) }

// KeptBy says which finalizers keep an object, as part of an error.
func KeptBy(finalizers []string) []string {
	if held := kube.HeldBy(finalizers); held != "" {
		return []string{"It is " + held}
	}
	return nil
}

// Exists reads this object, after a list that may be older than it; nil = it lives.
func (k *Kind[S, T]) Exists(ctx context.Context, of Ref, uid types.UID) error {
	live, err := k.Get(ctx, of)
	if err == nil && live.UID != uid {
		return &GoneError{Kind: k.name, Ref: of, UID: string(uid)}
	}
	if IsGone(err) {
		return &GoneError{Kind: k.name, Ref: of, UID: string(uid)}
	}
	return nil // where the read fails, the watch goes on
}

// OwnTime bounds what is done for a caller whose time is over: the read after a write whose answer was lost, a clean-up, and the search for
// why something was not done.
const OwnTime = 10 * time.Second

// longestPause is the longest pause between two attempts at one write.
const longestPause = 200 * time.Millisecond

// Pause waits for a random while before what was judged is read again, in a [kube.Steady] context for none; false = the context has ended.
func Pause(ctx context.Context) bool {
	longest := longestPause
	if kube.IsSteady(ctx) {
		longest = 1
	}
	return kube.Sleep(ctx, time.Duration(mathrand.Int64N(int64(longest))))
}
