package garden

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// traffic counts requests by verb and resource: "get", "patch", "list" (first pages) and "page" (all others), as in
// "list shoots"; and the answers 409.
type traffic struct {
	mu        sync.Mutex
	requests  map[string]int
	total     int
	conflicts int
}

// note counts a request and returns its kind and which one of its kind it is.
func (t *traffic) note(r *http.Request) (kind string, nth int) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // apis, group, version, namespaces, name, resource, object
	kind = strings.ToLower(r.Method)
	if len(path) == 6 && kind == "get" {
		kind = "list"
		if r.URL.Query().Has("continue") {
			kind = "page"
		}
	}
	if len(path) > 5 {
		kind += " " + path[5]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.requests == nil {
		t.requests = map[string]int{}
	}
	t.requests[kind]++
	t.total++
	return kind, t.requests[kind]
}

func (t *traffic) sent(kind string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests[kind]
}

// count makes a connection count its requests here.
func (t *traffic) count(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{t, next} })
}

type counting struct {
	*traffic
	next http.RoundTripper
}

// RoundTrip counts and forwards.
func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.note(r)
	response, err := c.next.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusConflict {
		c.mu.Lock()
		c.conflicts++
		c.mu.Unlock()
	}
	return response, err
}

// proxy stands before the local Garden, counts requests and spoils some.
type proxy struct {
	traffic
	server *httptest.Server
	garden http.Handler
	faults map[string]func(nth int) fault
}

// fault handles a request in place of the Garden, or asks the Garden in its own way.
type fault func(w http.ResponseWriter, r *http.Request, garden http.Handler)

// protocols are those that clients and servers may agree on; cut connections look different in each.
var protocols = map[string]bool{"HTTP/2": true, "HTTP/1.1": false}

func newProxy(t *testing.T, g *testbed.Garden, http2 bool) *proxy {
	t.Helper()
	anonymous := rest.AnonymousClientConfig(g.AdminConfig()) // who asks is said by the token that is passed on
	transport, err := rest.TransportFor(anonymous)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(anonymous.Host)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{faults: map[string]func(int) fault{}}
	p.garden = &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: transport, ErrorLog: log.New(io.Discard, "", 0),
	}
	p.server = httptest.NewUnstartedServer(p)
	p.server.EnableHTTP2 = http2
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(p.server.Close)
	return p
}

// spoil says what becomes of the requests of one kind; nil = nothing. It is called before the first request.
func (p *proxy) spoil(kind string, faults func(nth int) fault) { p.faults[kind] = faults }

// ServeHTTP forwards a request or spoils it.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, nth := p.note(r)
	if faults := p.faults[kind]; faults != nil {
		if f := faults(nth); f != nil {
			f(w, r, p.garden)
			return
		}
	}
	p.garden.ServeHTTP(w, r)
}

// through leads a connection through the proxy.
func (p *proxy) through(config *rest.Config) {
	config.Host = p.server.URL
	config.CAData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
}

// at spoils the request of this number.
func at(number int, f fault) func(int) fault {
	return func(nth int) fault {
		if nth == number {
			return f
		}
		return nil
	}
}

// each spoils all requests.
func each(f fault) func(int) fault { return func(int) fault { return f } }

// answering answers in place of the Garden; header holds names and values by turns.
func answering(code int, body string, header ...string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		answer(w, code, body, header...)
	}
}

// cutBefore cuts the connection before the Garden sees the request.
func cutBefore(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// cutAfter cuts the connection after the Garden has done what was asked.
func cutAfter(_ http.ResponseWriter, r *http.Request, garden http.Handler) {
	done(r, garden)
	panic(http.ErrAbortHandler)
}

// cutWithin cuts the connection in the middle of the Garden's answer.
func cutWithin(w http.ResponseWriter, r *http.Request, garden http.Handler) {
	answer := done(r, garden)
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// badGatewayAfter loses the Garden's answer and gives one of its own.
func badGatewayAfter(w http.ResponseWriter, r *http.Request, garden http.Handler) {
	done(r, garden)
	w.WriteHeader(http.StatusBadGateway)
}

// silence never answers, whether or not the Garden has done what was asked; the client gives up.
func silence(commit bool, giveUp func()) fault {
	return func(_ http.ResponseWriter, r *http.Request, garden http.Handler) {
		if commit {
			done(r, garden)
		}
		_, _ = io.Copy(io.Discard, r.Body) // only then does an HTTP/1 server notice that a client has gone
		giveUp()
		<-r.Context().Done()
	}
}

// done has the Garden do what was asked, even if the client has gone meanwhile.
func done(r *http.Request, garden http.Handler) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	garden.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
	return answer
}
