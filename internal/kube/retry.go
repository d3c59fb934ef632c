package kube

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// readTimeout is the deadline of one read.
	readTimeout = 30 * time.Second
	// writeTimeout is the deadline of one write. An API server gives itself 34 seconds for a write, and may use them: its admissions wait for
	// requests of their own. It is to give up first, because its answer says that nothing was written.
	writeTimeout = 40 * time.Second
	// MaxTries bounds how often a read is sent. With the waits between them that is about half a minute against a server
	// that refuses at once.
	MaxTries = 8
	// maxRetryAfter is the longest pause that a server can ask for.
	maxRetryAfter = time.Minute
)

// hurryKey is the key of a context whose waits are short.
type hurryKey struct{}

// Hurried returns a context in which the waits between the tries of a request are a thousandth of what they are: for tests of what is said
// after the last try.
func Hurried(ctx context.Context) context.Context { return context.WithValue(ctx, hurryKey{}, true) }

// steadyKey is the key of a context whose waits leave nothing to chance.
type steadyKey struct{}

// Steady returns a context in which the waits between the tries of a request are not spread. It is for the explorer, whose schedules leave
// nothing to chance.
func Steady(ctx context.Context) context.Context { return context.WithValue(ctx, steadyKey{}, true) }

// IsSteady reports whether the waits in a context leave nothing to chance.
func IsSteady(ctx context.Context) bool { return ctx.Value(steadyKey{}) != nil }

// judgedFor is how long a write is sent again by one judgement. With the deadline of a write, and the search for one whose answer was lost,
// it is less than a minute, the default of release_grace: a release that begins after the judgement counts what was made by it.
const judgedFor = 8 * time.Second

// judgedKey is the key of a context that says until when a write may be sent again.
type judgedKey struct{}

// Judged returns a context for a write that goes by what was read just now: [Write] does not send it again once that is old. A write that
// is under way goes on.
func Judged(ctx context.Context) context.Context {
	return context.WithValue(ctx, judgedKey{}, time.Now().Add(judgedFor))
}

// isOldIn reports whether what a write goes by will be old after a pause.
func isOldIn(ctx context.Context, pause time.Duration) bool {
	until, judged := ctx.Value(judgedKey{}).(time.Time)
	return judged && !time.Now().Add(pause).Before(until)
}

// TurnedAway reports whether a write was not processed for a reason that passes, and was not sent again because what it was judged by is
// old: a webhook was down, nothing could be sent, or the server failed in a new way each time.
func TurnedAway(err error) bool {
	failed, is := errors.AsType[*Error](err)
	return is && failed.Old
}

// newBackoff returns the waits between the tries. client-go's own retries are not used: they know neither jitter nor an
// end, and their error does not say the number of tries.
func newBackoff(ctx context.Context) wait.Backoff {
	b := wait.Backoff{Duration: 250 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: MaxTries, Cap: 8 * time.Second}
	if IsSteady(ctx) {
		b.Jitter = 0
	}
	return b
}

// Read sends a read, or a write that the server only checks (a dry run), until it is answered, its tries are used up, or the
// context ends. It waits as long as the server asks to (Retry-After), up to a minute, and at least the backoff; so it does
// before it gives up. After a 401 it sends once more, for a token may be renewed by now. A dry run that the server answers twice with the
// same error of its own is refused by it: no further try is sent.
//
// An error is an *[Error] with the reason Forbidden, OverQuota, Denied, Unauthorized, NotFound, NoAPI, Rejected, Expired, Failed,
// WebhookDown or Unreachable, of a dry run Conflict, Exists or Throttled too. Unreachable has the number of tries and the last answer, also
// where the context ended within a later try.
func Read(ctx context.Context, call Call, send func(context.Context) error) error {
	backoff := newBackoff(ctx)
	renewed := false
	var answer error // of the last try that had time to fail by itself
	for try := 1; ; try++ {
		err := attempt(ctx, call, send)
		if err == nil {
			return nil
		}
		if cutOff := ctx.Err() != nil && errors.Is(err, ctx.Err()); cutOff && answer != nil {
			// The caller knows that its time is over; it does not know which error came before.
			return readError(ctx, call, try, answer)
		}
		same := writes(call) && refusedAgain(answer, err)
		answer = err
		renew := apierrors.IsUnauthorized(err) && !renewed
		renewed = renewed || renew
		transient := Transient(err) || writes(call) && ownLimit(err)
		last := (!transient && !renew) || try == MaxTries || same
		if last {
			Sleep(ctx, retryAfter(err)) // the caller may have something else to ask of the server
			return readError(ctx, call, try, err)
		}
		if !Sleep(ctx, max(backoff.Step(), retryAfter(err))) {
			return readError(ctx, call, try, err)
		}
	}
}

// refusedAgain reports whether a server has answered with the same error of its own as before. One that changes between two tries comes
// from something that the server waits for.
func refusedAgain(before, now error) bool {
	if before == nil || failure(before) != Failed || failure(now) != Failed {
		return false
	}
	was, _ := statusOf(before)
	is, _ := statusOf(now)
	return was.Message == is.Message
}

// Write sends a write once. Only the caller can judge anew, so only the caller may send anew, but for what has certainly done nothing: a
// 401 is followed by a second try, and what was not sent, or met an error of the server before anything was written, by further tries. The
// same error of the server twice is its refusal.
//
// Where the context is over before anything is sent, its cause comes back. Any other error is an *[Error] with the reason
// Conflict, Exists, Throttled, Forbidden, OverQuota, Denied, Unauthorized, NotFound, NoAPI, Rejected, Failed, WebhookDown or NotSent:
// nothing was written. All else is UnknownOutcome.
func Write(ctx context.Context, call Call, send func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	backoff, renewed := newBackoff(ctx), false
	var before error
	for try := 1; ; try++ {
		err := attempt(ctx, call, send)
		if err == nil {
			return nil
		}
		if apierrors.IsUnauthorized(err) && !renewed {
			renewed = true
			continue
		}
		failed := writeError(call, try, err)
		switch failed.Reason {
		case Throttled:
			Sleep(ctx, max(backoff.Step(), retryAfter(err)))
			return failed
		case Failed, WebhookDown:
		case NotSent:
			if !Transient(err) { // no trust, no program: the next try fails as well
				return failed
			}
		default:
			return failed
		}
		pause := backoff.Step()
		if try == MaxTries || refusedAgain(before, err) {
			return failed
		}
		if failed.Old = isOldIn(ctx, pause); failed.Old || !Sleep(ctx, pause) {
			return failed
		}
		before = err
	}
}

// attempt sends a request once, within its deadline. Its error is fit to be shown.
func attempt(ctx context.Context, call Call, send func(context.Context) error) error {
	timeout := readTimeout
	if writes(call) {
		timeout = writeTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, credentials := collecting(ctx)
	return credentials.clean(send(ctx))
}

// Sleep waits before something is sent once more, and reports whether the context outlasts the time. A [Hurried] context waits less.
func Sleep(ctx context.Context, d time.Duration) bool {
	if ctx.Value(hurryKey{}) != nil {
		d /= 1000
	}
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
