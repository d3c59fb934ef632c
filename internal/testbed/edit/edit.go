// Package edit changes an object of an API server as a person does with kubectl edit, beside the controllers that write to it.
package edit

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// timeout bounds all attempts of an edit.
const timeout = time.Minute

// pauses are those between the attempts: some five seconds in all, longer than a controller goes on writing without a pause.
var pauses = wait.Backoff{Steps: 10, Duration: 10 * time.Millisecond, Factor: 2, Jitter: 0.1}

// Object reads an object by its namespace and name, changes it, and writes it whole. A conflict with another writer, such as a
// gardenlet, is met by reading it again; change is then called again, on the newer object. It returns the object as written.
func Object[T client.Object](t testing.TB, c client.Client, object T, change func(T)) T {
	t.Helper()
	return edited(t, c, object, change, func(ctx context.Context) error { return c.Update(ctx, object) })
}

// Status changes the status of an object, as [Object] does the rest of it.
func Status[T client.Object](t testing.TB, c client.Client, object T, change func(T)) T {
	t.Helper()
	return edited(t, c, object, change, func(ctx context.Context) error { return c.Status().Update(ctx, object) })
}

func edited[T client.Object](t testing.TB, c client.Client, object T, change func(T), write func(context.Context) error) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err := retry.RetryOnConflict(pauses, func() error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		change(object)
		return write(ctx)
	})
	if err != nil {
		t.Fatalf("editing %T %s: %v", object, client.ObjectKeyFromObject(object), err)
	}
	return object
}
