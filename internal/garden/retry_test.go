package garden

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What becomes of a request is played through here on a clock that jumps, against a transport that answers as a test
// says; the real server and its faults are in the acceptance tests.

// script answers the n-th request, counted from 1, or fails as the connection may.
type script func(nth int, w http.ResponseWriter, r *http.Request) error

// answers plays the server.
type answers struct {
	script script
	count  atomic.Int64
}

// sent is how many requests came.
func (a *answers) sent() int { return int(a.count.Load()) }

// errCutWithin cuts the connection within the answer.
var errCutWithin = fmt.Errorf("within the answer: %w", io.ErrUnexpectedEOF)

// RoundTrip answers one request.
func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	err := a.script(int(a.count.Add(1)), w, r)
	if err != nil && !errors.Is(err, errCutWithin) {
		return nil, err
	}
	response := w.Result()
	response.Request = r
	if err != nil {
		response.Body = io.NopCloser(io.MultiReader(response.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	return response, nil
}

// scripted is a Garden whose server answers by a script.
func scripted(t *testing.T, s script) (*Garden, *answers) {
	t.Helper()
	a := &answers{script: s}
	return connect(t, &rest.Config{Host: "http://garden.invalid", QPS: -1, Transport: a}, "garden"), a
}

// always answers every request alike.
func always(code int, body string, header ...string) script {
	return func(_ int, w http.ResponseWriter, _ *http.Request) error {
		answer(w, code, body, header...)
		return nil
	}
}

// answer writes an answer; header holds names and values by turns.
func answer(w http.ResponseWriter, code int, body string, header ...string) {
	w.Header().Set("Content-Type", "text/plain")
	if strings.HasPrefix(body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// failing fails every request alike.
func failing(err error) script {
	return func(int, http.ResponseWriter, *http.Request) error { return err }
}

// silent never answers.
func silent(_ int, _ http.ResponseWriter, r *http.Request) error {
	<-r.Context().Done()
	return r.Context().Err()
}

// operation is one way to use a Garden, and the right that it needs.
type operation struct {
	verb, resource string
	do             func(context.Context, *Garden) error
}

// reads are all ways to read.
var reads = map[string]operation{
	"List":  {"list", bindings, func(ctx context.Context, g *Garden) error { _, err := g.List(ctx); return err }},
	"Get":   {"get", bindings, func(ctx context.Context, g *Garden) error { _, err := g.Get(ctx, "a"); return err }},
	"Count": {"list", shoots, func(ctx context.Context, g *Garden) error { _, err := g.Count(ctx); return err }},
	"Users": {"list", shoots, func(ctx context.Context, g *Garden) error { _, err := g.Users(ctx, "a"); return err }},
}

// eachRead runs a test for every way to read, on a clock of its own.
func eachRead(t *testing.T, s script, test func(t *testing.T, verb, resource string, read func(context.Context) error, a *answers)) {
	t.Helper()
	for name, r := range reads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, a := scripted(t, s)
				test(t, r.verb, r.resource, func(ctx context.Context) error { return r.do(ctx, g) }, a)
			})
		})
	}
}

// failures are what another try may mend.
var failures = map[string]script{
	"500":                     always(http.StatusInternalServerError, "oops"),
	"502 of a gateway":        always(http.StatusBadGateway, "<html>bad gateway</html>"),
	"503":                     always(http.StatusServiceUnavailable, "starting"),
	"503, Retry-After":        always(http.StatusServiceUnavailable, "starting", "Retry-After", "1"),
	"504":                     always(http.StatusGatewayTimeout, "too slow"),
	"429":                     always(http.StatusTooManyRequests, "too many"),
	"429, Retry-After":        always(http.StatusTooManyRequests, "too many", "Retry-After", "1"),
	"connection refused":      failing(syscall.ECONNREFUSED),
	"connection reset":        failing(syscall.ECONNRESET),
	"cut before the answer":   failing(io.EOF),
	"cut within the answer":   failing(errCutWithin),
	"server goes away":        failing(errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1")),
	"TLS handshake times out": failing(timeoutError{}),
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "net/http: TLS handshake timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// F14: reads are tried again for about half a minute, and the error says how often and what came last.
func TestReadsAreTriedAgain(t *testing.T) {
	t.Parallel()
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachRead(t, failure, func(t *testing.T, verb, resource string, read func(context.Context) error, a *answers) {
				start := time.Now()
				unreachable := as[*account.UnreachableError](t, read(t.Context()))
				equal(t, "requests", a.sent(), kube.MaxTries)
				equal(t, "tries, verb, resource", []any{unreachable.Tries, unreachable.Verb, unreachable.Resource},
					[]any{kube.MaxTries, verb, resource})
				for _, part := range []string{strconv.Itoa(kube.MaxTries) + " tries", verb + " " + resource} {
					if text := unreachable.Error(); !strings.Contains(text, part) {
						t.Errorf("the error says %q", text)
					}
				}
				if took := time.Since(start); took < 10*time.Second || took > time.Minute {
					t.Errorf("gave up after %s", took)
				}
			})
		})
	}
}

// F14: where the caller's time ends while the third try waits for its answer, the error says what came back before.
func TestReadCutOffByTheCallerTellsTheLastAnswer(t *testing.T) {
	t.Parallel()
	thenSilent := func(nth int, w http.ResponseWriter, r *http.Request) error {
		if nth < 3 {
			return failures["503"](nth, w, r)
		}
		return silent(nth, w, r)
	}
	eachRead(t, thenSilent, func(t *testing.T, _, _ string, read func(context.Context) error, a *answers) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		unreachable := as[*account.UnreachableError](t, read(ctx))
		equal(t, "requests and tries", []int{a.sent(), unreachable.Tries}, []int{3, 3})
		if !errors.Is(unreachable, context.DeadlineExceeded) || !strings.Contains(unreachable.Error(), "currently unable to handle") {
			t.Errorf("%q does not say both: that the time was over, and the server's last answer", unreachable)
		}
	})
}

func TestReadsRecover(t *testing.T) {
	t.Parallel()
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fourth := func(nth int, w http.ResponseWriter, r *http.Request) error {
				if nth < 4 {
					return failure(nth, w, r)
				}
				return nothing(w, r)
			}
			eachRead(t, fourth, func(t *testing.T, _, _ string, read func(context.Context) error, a *answers) {
				if err := read(t.Context()); err != nil {
					t.Error(err)
				}
				equal(t, "requests", a.sent(), 4)
			})
		})
	}
}

// nothing answers with an empty list or an account without anything, whatever was asked for.
func nothing(w http.ResponseWriter, r *http.Request) error {
	body := `{"kind":"CredentialsBinding","apiVersion":"security.gardener.cloud/v1alpha1","metadata":{"name":"a"}}`
	switch {
	case strings.HasSuffix(r.URL.Path, shoots):
		body = `{"kind":"ShootList","apiVersion":"core.gardener.cloud/v1beta1","metadata":{},"items":[]}`
	case strings.HasSuffix(r.URL.Path, bindings):
		body = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[]}`
	}
	answer(w, http.StatusOK, body)
	return nil
}

func TestReadsWaitAsLongAsTheServerAsks(t *testing.T) {
	t.Parallel()
	busy := func(nth int, w http.ResponseWriter, r *http.Request) error {
		if nth > 1 {
			return nothing(w, r)
		}
		answer(w, http.StatusTooManyRequests, "too many", "Retry-After", "30")
		return nil
	}
	eachRead(t, busy, func(t *testing.T, _, _ string, read func(context.Context) error, a *answers) {
		start := time.Now()
		if err := read(t.Context()); err != nil {
			t.Error(err)
		}
		equal(t, "requests", a.sent(), 2)
		if waited := time.Since(start); waited < 30*time.Second || waited > 40*time.Second {
			t.Errorf("asked to wait 30 s, waited %s", waited)
		}
	})
}

func TestReadsEndWithTheContext(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]script{
		"the server never answers":         silent,
		"the server is never up":           always(http.StatusServiceUnavailable, "starting"),
		"the server asks to wait too long": always(http.StatusTooManyRequests, "too many", "Retry-After", "3600"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachRead(t, s, func(t *testing.T, _, _ string, read func(context.Context) error, a *answers) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				start := time.Now()
				unreachable := as[*account.UnreachableError](t, read(ctx))
				equal(t, "time", time.Since(start), 5*time.Second)
				equal(t, "tries", unreachable.Tries, a.sent())
				if !errors.Is(unreachable, context.DeadlineExceeded) {
					t.Errorf("%v does not say that the time was over", unreachable)
				}
			})
		})
	}
}

// Even a caller without a deadline is not kept for ever.
func TestReadsEndByThemselves(t *testing.T) {
	t.Parallel()
	eachRead(t, silent, func(t *testing.T, _, _ string, read func(context.Context) error, a *answers) {
		start := time.Now()
		unreachable := as[*account.UnreachableError](t, read(t.Context()))
		equal(t, "tries", []int{unreachable.Tries, a.sent()}, []int{kube.MaxTries, kube.MaxTries})
		if took := time.Since(start); took > 10*time.Minute {
			t.Errorf("gave up after %s", took)
		}
	})
}

// What another try would only repeat is not tried again.
func TestReadsThatAreRefusedOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code    int
		refused func(t *testing.T, err error)
	}{
		"400": {http.StatusBadRequest, fails[*account.RejectedError]},
		"403": {http.StatusForbidden, fails[*account.ForbiddenError]},
		"404": {http.StatusNotFound, fails[*account.NoAPIError]},
		"405": {http.StatusMethodNotAllowed, fails[*account.RejectedError]},
		"406": {http.StatusNotAcceptable, fails[*account.RejectedError]},
		"422": {http.StatusUnprocessableEntity, fails[*account.RejectedError]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachRead(t, always(test.code, "no"), func(t *testing.T, _, _ string, read func(context.Context) error, a *answers) {
				test.refused(t, read(t.Context()))
				equal(t, "requests", a.sent(), 1)
			})
		})
	}
}

// F16: a token that comes from a file or a program may be renewed, once.
func TestReadsAreTriedOnceMoreAfterA401(t *testing.T) {
	t.Parallel()
	t.Run("in vain", func(t *testing.T) {
		t.Parallel()
		eachRead(t, always(http.StatusUnauthorized, "who?"),
			func(t *testing.T, verb, resource string, read func(context.Context) error, a *answers) {
				unauthorized := as[*account.UnauthorizedError](t, read(t.Context()))
				equal(t, "verb, resource", []string{unauthorized.Verb, unauthorized.Resource}, []string{verb, resource})
				equal(t, "requests", a.sent(), 2)
			})
	})
	t.Run("and are answered", func(t *testing.T) {
		t.Parallel()
		renewed := func(nth int, w http.ResponseWriter, r *http.Request) error {
			if nth > 1 {
				return nothing(w, r)
			}
			answer(w, http.StatusUnauthorized, "who?")
			return nil
		}
		eachRead(t, renewed, func(t *testing.T, _, _ string, read func(context.Context) error, a *answers) {
			if err := read(t.Context()); err != nil {
				t.Error(err)
			}
			equal(t, "requests", a.sent(), 2)
		})
	})
}

// A list ends also where the server names the same next page for ever.
func TestServerRepeatsAPage(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"List": "PartialObjectMetadataList", "Count": "ShootList", "Users": "ShootList"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := map[string]any{"kind": kind, "apiVersion": "meta.k8s.io/v1", "metadata": metav1.ListMeta{Continue: "more"}, "items": []any{}}
			if kind == "ShootList" {
				list["apiVersion"] = "core.gardener.cloud/v1beta1"
			}
			body, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			g, a := scripted(t, always(http.StatusOK, string(body)))
			if err := reads[name].do(t.Context(), g); err == nil || !strings.Contains(err.Error(), "repeats") {
				t.Errorf("got %v", err)
			}
			equal(t, "requests", a.sent(), 2)
		})
	}
}
