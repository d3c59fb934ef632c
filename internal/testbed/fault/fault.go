package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Fault is what a [Proxy] does to a request; the zero Fault forwards it.
type Fault struct {
	name string
	// verbs are those that the fault is for; none = all. Rules pass over, and do not count, other requests.
	verbs []string
	serve func(*flight)
}

// String is the name in [Exchange.Fault].
func (f Fault) String() string { return f.name }

func (f Fault) suits(x Exchange) bool { return len(f.verbs) == 0 || slices.Contains(f.verbs, x.Verb) }

// Delay holds the request for some time before the Garden sees it.
func Delay(d time.Duration) Fault {
	return Fault{name: fmt.Sprintf("Delay(%s)", d), serve: func(f *flight) {
		if !f.pause(d) {
			f.cut()
		}
		f.forward()
	}}
}

// CutBefore cuts the connection; the Garden never sees the request.
func CutBefore() Fault { return Fault{name: "CutBefore", serve: (*flight).cut} }

// CutAfter cuts the connection once the Garden has done what was asked.
func CutAfter() Fault {
	return Fault{name: "CutAfter", serve: func(f *flight) {
		f.carriedOut()
		f.cut()
	}}
}

// CutWithin cuts the connection in the middle of the Garden's answer.
func CutWithin() Fault {
	return Fault{name: "CutWithin", serve: func(f *flight) { f.deliverHalf(f.carriedOut()) }}
}

// CommitLate cuts the connection at once, and the Garden does what was asked some time later: a request that outlives
// its client.
func CommitLate(after time.Duration) Fault {
	return Fault{name: fmt.Sprintf("CommitLate(%s)", after), serve: func(f *flight) {
		f.proxy.running.Go(func() {
			select {
			case <-time.After(after):
				f.carriedOut()
				f.note(func(x *Exchange) { x.Ended = time.Now() })
			case <-f.proxy.closing.Done():
			}
		})
		f.cut()
	}}
}

// HangBefore never answers, and the Garden never sees the request. It ends when the client gives up or the proxy closes.
func HangBefore() Fault { return Fault{name: "HangBefore", serve: (*flight).hang} }

// HangAfter never answers, although the Garden has done what was asked.
func HangAfter() Fault {
	return Fault{name: "HangAfter", serve: func(f *flight) {
		f.carriedOut()
		f.hang()
	}}
}

// Answer answers in place of the Garden, which never sees the request; header holds names and values by turns. A body
// that begins with a brace is JSON.
func Answer(code int, body string, header ...string) Fault {
	return Fault{name: fmt.Sprintf("Answer(%d)", code), serve: func(f *flight) { f.respond(code, []byte(body), header...) }}
}

// LoseAfter has the Garden do what was asked and then answers as a gateway that has lost the Garden, say with 502.
func LoseAfter(code int) Fault {
	return Fault{name: fmt.Sprintf("LoseAfter(%d)", code), serve: func(f *flight) {
		f.carriedOut()
		f.respond(code, []byte(http.StatusText(code)))
	}}
}

// TooManyRequests answers 429, and asks to wait unless the time is 0.
func TooManyRequests(retryAfter time.Duration) Fault {
	return refusal("TooManyRequests", func(Exchange) *apierrors.StatusError {
		return apierrors.NewTooManyRequests("too many requests", wholeSeconds(retryAfter))
	})
}

// Unavailable answers 503, and asks to wait unless the time is 0.
func Unavailable(retryAfter time.Duration) Fault {
	return refusal("Unavailable", func(Exchange) *apierrors.StatusError {
		refused := apierrors.NewServiceUnavailable("the server is starting")
		refused.ErrStatus.Details = apierrors.NewTooManyRequests("", wholeSeconds(retryAfter)).ErrStatus.Details
		return refused
	})
}

// InternalError answers 500.
func InternalError() Fault {
	return refusal("InternalError", func(Exchange) *apierrors.StatusError {
		return apierrors.NewInternalError(errors.New("etcdserver: request timed out"))
	})
}

// Conflict answers 409, as if another client had written the object meanwhile.
func Conflict() Fault {
	return refusal("Conflict", func(x Exchange) *apierrors.StatusError {
		return apierrors.NewConflict(x.groupResource(), x.Name,
			errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	})
}

// Unauthorized answers 401, as to an expired token.
func Unauthorized() Fault {
	return refusal("Unauthorized", func(Exchange) *apierrors.StatusError { return apierrors.NewUnauthorized("Unauthorized") })
}

// Forbidden answers 403.
func Forbidden() Fault {
	return refusal("Forbidden", func(x Exchange) *apierrors.StatusError {
		return apierrors.NewForbidden(x.groupResource(), x.Name, errors.New("the role was taken away"))
	})
}

// ExpireToken answers 410 to the next page of a list, as the server does that has forgotten the version of the first.
// Like the server it offers to go on with an inconsistent list, which no client should take.
func ExpireToken() Fault {
	expire := Fault{name: "ExpireToken", verbs: []string{"page"}}
	expire.serve = func(f *flight) {
		expired := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result.")
		expired.ErrStatus.Continue = f.r.URL.Query().Get("continue")
		f.refuse(expired)
	}
	return expire
}

// Do runs code of a test before the Garden sees the request, and after the Garden has answered but before the client
// knows; nil = nothing.
func Do(before, after func()) Fault {
	return Fault{name: "Do", serve: func(f *flight) {
		if before != nil {
			before()
		}
		if after == nil {
			f.forward()
			return
		}
		a := f.ask()
		after()
		f.deliver(a)
	}}
}

// Overhear runs code of a test with the body of the Garden's answer, before the client has it.
func Overhear(hear func(body []byte)) Fault {
	return Fault{name: "Overhear", serve: func(f *flight) {
		a := f.ask()
		if a != nil {
			hear(bytes.Clone(a.body.Bytes()))
		}
		f.deliver(a)
	}}
}

// refusal answers what the API would, in its own words.
func refusal(name string, status func(Exchange) *apierrors.StatusError) Fault {
	return Fault{name: name, serve: func(f *flight) { f.refuse(status(f.seen())) }}
}

// refuse answers a Status in JSON, which all clients take.
func (f *flight) refuse(refused *apierrors.StatusError) {
	status := refused.Status()
	status.APIVersion, status.Kind = "v1", "Status"
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // cannot happen: it holds texts and numbers
	}
	var header []string
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		header = []string{"Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds))}
	}
	f.respond(int(status.Code), body, header...)
}

func (e Exchange) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: e.Group, Resource: e.Resource}
}

func wholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
