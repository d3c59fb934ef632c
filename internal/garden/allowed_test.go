package garden

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// reviews notes what a connection sends, and gives some requests an answer that does not come from the server.
type reviews struct {
	next   http.RoundTripper
	answer func(n int) *http.Response // to the n-th request, counted from 1; nil = the server's

	mu   sync.Mutex
	sent []string
}

// on puts the reviews between a connection and its server.
func (r *reviews) on(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		r.next = next
		return r
	})
}

// RoundTrip notes a request, and answers or forwards it.
func (r *reviews) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.sent = append(r.sent, request.Method+" "+request.URL.Path)
	n := len(r.sent)
	r.mu.Unlock()
	if r.answer != nil {
		if response := r.answer(n); response != nil {
			response.Request = request
			return response, request.Body.Close()
		}
	}
	return r.next.RoundTrip(request)
}

// requests returns what was sent so far.
func (r *reviews) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// says is an answer without a server behind it.
func says(code int, contentType, body string) *http.Response {
	return &http.Response{
		StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

const review = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

// F17: what the Role does not grant is known before anything is written.
func TestAllowed(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tests := map[string]struct {
		role      func(t *testing.T) []byte
		forbidden string // the verb; empty = all is allowed
		sent      int
	}{
		"the documented Role":                   {documentedRole, "", 2},
		"without get":                           {func(t *testing.T) []byte { t.Helper(); return roleWithout(t, bindings, "get") }, "get", 1},
		"without patch":                         {func(t *testing.T) []byte { t.Helper(); return roleWithout(t, bindings, "patch") }, "patch", 2},
		"without list: the list says so itself": {func(t *testing.T) []byte { t.Helper(); return roleWithout(t, bindings, "list") }, "", 2},
		"without Shoots: the count says so":     {func(t *testing.T) []byte { t.Helper(); return roleWithout(t, shoots, "list") }, "", 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := projectIn(t, p.Garden())
			p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
			before := get(t, p.garden(t), "a")
			asked := &reviews{}
			g := connect(t, p.ServiceAccount(t, "asks", test.role(t)).Config(), p.Name, asked.on)
			err := g.Allowed(t.Context())
			equal(t, "requests", asked.requests(), slices.Repeat([]string{review}, test.sent))
			equal(t, "account", get(t, p.garden(t), "a"), before)
			if test.forbidden == "" {
				equal(t, "error", err, nil)
				return
			}
			forbidden := as[*account.ForbiddenError](t, err)
			equal(t, "verb, resource, namespace", []string{forbidden.Verb, forbidden.Resource, forbidden.Namespace},
				[]string{test.forbidden, bindings, p.Name})
			for _, part := range []string{test.forbidden + " " + bindings, p.Name, "access review"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
	t.Run("a Role in another namespace", func(t *testing.T) {
		t.Parallel()
		other := projectIn(t, p.Garden())
		forbidden := as[*account.ForbiddenError](t, connect(t, p.user.Config(), other.Name).Allowed(t.Context()))
		equal(t, "verb, namespace", []string{forbidden.Verb, forbidden.Namespace}, []string{"get", other.Name})
	})
	t.Run("a Role that is given while people wait", func(t *testing.T) {
		t.Parallel()
		p := projectIn(t, p.Garden())
		fails[*account.ForbiddenError](t, connect(t, p.ServiceAccount(t, "waits", roleWithout(t, bindings, "patch")).Config(),
			p.Name).Allowed(t.Context()))
		equal(t, "error", p.garden(t).Allowed(t.Context()), nil)
	})
}

// Where the question is not answered with yes or no, the write itself shows it.
func TestAllowedWhereReviewsCannotBeAsked(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	const status = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
		`"message":"x","reason":"%s","code":%d,"details":{"kind":"selfsubjectaccessreviews"}}`
	for name, test := range map[string]struct {
		answer func(n int) *http.Response
		sent   int
	}{
		"reviews are forbidden": {func(int) *http.Response {
			return says(http.StatusForbidden, "application/json", fmt.Sprintf(status, "Forbidden", http.StatusForbidden))
		}, 2},
		"the server does not know them": {func(int) *http.Response {
			return says(http.StatusNotFound, "application/json", fmt.Sprintf(status, "NotFound", http.StatusNotFound))
		}, 2},
		"a proxy that lets nothing but accounts through": {func(int) *http.Response {
			return says(http.StatusNotFound, "text/html", "<html>no such page</html>")
		}, 2},
		"a proxy that forbids to POST": {func(int) *http.Response { return says(http.StatusMethodNotAllowed, "text/plain", "no") }, 2},
		"a proxy that is broken for a time": {func(n int) *http.Response {
			return first(n, says(http.StatusInternalServerError, "text/plain", "oops"))
		}, 3},
		"a server that is busy":   {func(n int) *http.Response { return first(n, says(http.StatusServiceUnavailable, "text/plain", "busy")) }, 3},
		"a token that is renewed": {func(n int) *http.Response { return first(n, says(http.StatusUnauthorized, "text/plain", "old")) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := &reviews{answer: test.answer}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			equal(t, "error", p.garden(t, asked.on).Allowed(ctx), nil)
			equal(t, "requests", asked.requests(), slices.Repeat([]string{review}, test.sent))
		})
	}
}

// first is an answer to the first request alone.
func first(n int, response *http.Response) *http.Response {
	if n > 1 {
		return nil
	}
	return response
}

// Who cannot ask because nothing answers, or is not known to the server, will not be able to write either.
func TestAllowedWithoutAServer(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	t.Run("it answers 500 every time", func(t *testing.T) {
		t.Parallel()
		asked := &reviews{answer: func(int) *http.Response { return says(http.StatusInternalServerError, "text/plain", "oops") }}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		unreachable := as[*account.UnreachableError](t, p.garden(t, asked.on).Allowed(ctx))
		equal(t, "verb, resource", []string{unreachable.Verb, unreachable.Resource}, []string{"create", "selfsubjectaccessreviews"})
		equal(t, "tries", unreachable.Tries, len(asked.requests()))
		if unreachable.Tries < 2 {
			t.Errorf("tried %d times", unreachable.Tries)
		}
	})
	t.Run("it does not know the user", func(t *testing.T) {
		t.Parallel()
		asked := &reviews{}
		g := p.garden(t, func(config *rest.Config) { config.BearerToken = "eyJhbGciOiJSUzI1NiJ9.e30.AAAA" }, asked.on)
		fails[*account.UnauthorizedError](t, g.Allowed(t.Context()))
		equal(t, "requests", len(asked.requests()), 2) // once more with what may be a new token
	})
	t.Run("the caller gives up", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		asked := &reviews{}
		err := p.garden(t, asked.on).Allowed(ctx)
		if err == nil {
			t.Error("the writes are said to be allowed")
		}
	})
}
