package kube

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// requestTimeout is the deadline of one request.
	requestTimeout = 30 * time.Second
	// MaxTries bounds how often a read is sent. With the waits between them that is about half a minute against a server
	// that refuses at once.
	MaxTries = 8
	// maxRetryAfter is the longest pause that a server can ask for.
	maxRetryAfter = time.Minute
)

// newBackoff returns the waits between the tries. client-go's own retries are not used: they know neither jitter nor an
// end, and their error does not tell the number of tries.
func newBackoff() wait.Backoff {
	return wait.Backoff{Duration: 250 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: MaxTries, Cap: 8 * time.Second}
}

// Read sends a read, or a write that the server only checks (a dry run), until it is answered, its tries are used up, or the
// context ends. It waits as long as the server asks to (Retry-After), up to a minute, and at least the backoff; so it does
// before it gives up. After a 401 it sends once more, for a token may be renewed by now.
//
// An error is an *[Error] with the reason Forbidden, Unauthorized, NotFound, Rejected, Expired or Unreachable, of a dry run
// Conflict or Exists too. Unreachable tells the number of tries and the last answer, also where the context ended within a
// later try.
func Read(ctx context.Context, call Call, send func(context.Context) error) error {
	backoff := newBackoff()
	renewed := false
	var answer error // of the last try that had time to fail by itself
	for try := 1; ; try++ {
		err := attempt(ctx, send)
		if err == nil {
			return nil
		}
		if cutOff := ctx.Err() != nil && errors.Is(err, ctx.Err()); cutOff && answer != nil {
			// The caller knows that its time is over; it does not know what stood in the way before.
			return readError(ctx, call, try, answer)
		}
		answer = err
		renew := apierrors.IsUnauthorized(err) && !renewed
		renewed = renewed || renew
		last := (!Transient(err) && !renew) || try == MaxTries
		if last {
			sleep(ctx, retryAfter(err)) // the caller may have something else to ask of the server
			return readError(ctx, call, try, err)
		}
		if !sleep(ctx, max(backoff.Step(), retryAfter(err))) {
			return readError(ctx, call, try, err)
		}
	}
}

// Write sends a write once. Only the caller can judge anew, so only the caller may send anew; a 401 alone, which means
// that nothing was done, is followed by a second try.
//
// Where the context is over before anything is sent, its cause comes back. Any other error is an *[Error] with the reason
// Conflict, Exists, Throttled, Forbidden, Unauthorized, NotFound or Rejected: nothing was written. All else is UnknownOutcome.
func Write(ctx context.Context, call Call, send func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := attempt(ctx, send)
	if apierrors.IsUnauthorized(err) {
		err = attempt(ctx, send)
	}
	if err == nil {
		return nil
	}
	failed := writeError(call, err)
	if failed.Reason == Throttled {
		backoff := newBackoff()
		sleep(ctx, max(backoff.Step(), retryAfter(err)))
	}
	return failed
}

// attempt sends a request once, within its deadline.
func attempt(ctx context.Context, send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return send(ctx)
}

// sleep reports whether the context outlasts the time.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// retryAfter returns how long the server asked to wait, at most maxRetryAfter.
func retryAfter(err error) time.Duration {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	return 0
}
