package garden

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// requestTimeout is the deadline of one request.
	requestTimeout = 30 * time.Second
	// maxReadTries bounds how often a read is sent. With the waits between them that is about half a minute against
	// a server that refuses at once.
	maxReadTries = 8
	firstWait    = 250 * time.Millisecond
	longestWait  = 8 * time.Second
)

// call says what a request was for; errors tell it.
type call struct {
	verb, resource, namespace string
	// account is the object's name where there is one.
	account string
	// pageSize is how many objects of a list come at a time; 0 = as many as pageSize says.
	pageSize int64
}

// retry sends a read until it is answered, its tries are used up, or the context ends. What comes back is one of the
// errors of package pool.
func retry(ctx context.Context, what call, send func(context.Context) error) error {
	wait := firstWait
	unauthorized := false
	var answer error // of the last try that had time to fail by itself
	for try := 1; ; try++ {
		attempt, cancel := context.WithTimeout(ctx, requestTimeout)
		err := send(attempt)
		cancel()
		if err == nil {
			return nil
		}
		if cutOff := ctx.Err() != nil && errors.Is(err, ctx.Err()); cutOff && answer != nil {
			// The caller knows that its time is over; it does not know what stood in the way before.
			return readError(ctx, what, try, answer)
		}
		answer = err
		renew := apierrors.IsUnauthorized(err) && !unauthorized
		unauthorized = unauthorized || renew
		last := (!transient(err) && !renew) || try == maxReadTries
		pause := retryAfter(err) // also after the last try: the caller may have another question
		if !last {
			pause = max(jitter(wait), pause)
			wait = min(2*wait, longestWait)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			last = true
		}
		if last || ctx.Err() != nil {
			return readError(ctx, what, try, err)
		}
	}
}

// jitter spreads waits over half to one and a half, so that many clients do not come back at once.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d) //nolint:gosec // no secret depends on it
}

// retryAfter returns how long the server asked to wait.
func retryAfter(err error) time.Duration {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		return time.Duration(seconds) * time.Second
	}
	return 0
}
