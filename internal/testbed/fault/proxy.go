package fault

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// ProxyOptions of a [Proxy]; the zero value is what most tests want.
type ProxyOptions struct {
	// HTTP1 makes the proxy speak HTTP/1.1 only: a cut connection has another effect there.
	HTTP1 bool
	// Seed is the random seed behind [Rule.Chance].
	Seed uint64
	// PageLimit makes each page of a list at most so long, so that a test of pages needs no thousands of objects; 0 = as
	// long as the client asks for.
	PageLimit int
	// Wrap changes what passes, such as [NewerField]; nil = nothing is changed.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Proxy is in front of a Garden, notes every request and spoils those that its rules name. What is not spoilt reaches the
// client as the Garden sent it, in the encoding that the client asked for, and watches stream.
type Proxy struct {
	url       string
	authority []byte
	scratch   func(name string) (string, error)

	server  *http.Server
	garden  *httputil.ReverseProxy
	closing context.Context // over when the proxy closes: no request outlives it
	close   context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool
	log    []*Exchange
	rules  []*activeRule
	random *rand.Rand
}

// NewProxy starts a proxy before the Garden that ends with the test.
func NewProxy(t testing.TB, g *testbed.Garden, options ProxyOptions) *Proxy {
	t.Helper()
	p, err := MakeProxy(g, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// MakeProxy is NewProxy for programs; the caller closes it.
func MakeProxy(g *testbed.Garden, options ProxyOptions) (*Proxy, error) {
	anonymous := rest.AnonymousClientConfig(g.AdminConfig()) // the token that is passed on says which user asks
	target, err := url.Parse(anonymous.Host)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(anonymous)
	if err != nil {
		return nil, err
	}
	if options.Wrap != nil {
		transport = options.Wrap(transport)
	}
	p := &Proxy{scratch: g.Scratch, random: rand.New(rand.NewPCG(options.Seed, 0))}
	silent := log.New(io.Discard, "", 0) // cut connections are what a proxy is for
	p.garden = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			limitPage(r.Out.URL, options.PageLimit)
		},
		Transport:    transport,
		ErrorLog:     silent,
		ErrorHandler: noAnswer,
	}
	p.server = &http.Server{Handler: p, ErrorLog: silent, ReadHeaderTimeout: gardenTimeout}
	if options.HTTP1 {
		p.server.Protocols = new(http.Protocols)
		p.server.Protocols.SetHTTP1(true)
	}
	if err := p.listen(); err != nil {
		return nil, fmt.Errorf("starting the proxy: %w", err)
	}
	return p, nil
}

// limitPage lowers the length of a page that a request asks for.
func limitPage(u *url.URL, most int) {
	query := u.Query()
	if asked, err := strconv.Atoi(query.Get("limit")); err == nil && most > 0 && asked > most {
		query.Set("limit", strconv.Itoa(most))
		u.RawQuery = query.Encode()
	}
}

// listen begins to serve with a certificate of its own.
func (p *Proxy) listen() error {
	folder, err := p.scratch("proxy")
	if err != nil {
		return err
	}
	files, err := local.WriteServingCerts(folder, "127.0.0.1")
	if err != nil {
		return err
	}
	if p.authority, err = os.ReadFile(files.CA); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.url = "https://" + listener.Addr().String()
	p.closing, p.close = context.WithCancel(context.Background())
	p.running.Go(func() { _ = p.server.ServeTLS(listener, files.Cert, files.Key) })
	return nil
}

// Close cuts all connections and returns once no request is under way any more. It may be called more than once.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.close()
	_ = p.server.Close()
	p.running.Wait()
}

// Through leads a connection through the proxy. The user must be known by a token: the administrator's
// certificate ends at the proxy.
func (p *Proxy) Through(config *rest.Config) {
	config.Host = p.url
	config.CAData = bytes.Clone(p.authority)
}

// Kubeconfig writes a kubeconfig of the user that leads through the proxy, and returns its path. The file goes with the
// Garden.
func (p *Proxy) Kubeconfig(t testing.TB, u *testbed.User) string {
	t.Helper()
	path, err := p.WriteKubeconfig(u)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteKubeconfig is Kubeconfig for programs.
func (p *Proxy) WriteKubeconfig(u *testbed.User) (string, error) {
	config := u.Config()
	p.Through(config)
	return u.WriteKubeconfigOf(config)
}

// Log returns all requests so far, in the order they came, also those still under way.
func (p *Proxy) Log() []Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Exchange, len(p.log))
	for i, x := range p.log {
		all[i] = *x
	}
	return all
}

// Count says how many requests came; an empty verb or resource means any.
func (p *Proxy) Count(verb, resource string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, x := range p.log {
		if matches(verb, x.Verb) && matches(resource, x.Resource) {
			n++
		}
	}
	return n
}

// ServeHTTP forwards a request or spoils it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	exchange := newExchange(r)
	f := &flight{proxy: p, w: w, r: r, writes: exchange.Writes(), exchange: exchange}
	if err := f.readBody(); err != nil {
		panic(http.ErrAbortHandler) // the client went before it had said what it wants
	}
	fault := p.begin(f.exchange)
	defer f.end()
	if fault.serve == nil {
		f.forward()
		return
	}
	fault.serve(f)
}

// begin notes a request and finds out what becomes of it.
func (p *Proxy) begin(x *Exchange) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		panic(http.ErrAbortHandler)
	}
	p.running.Add(1)
	p.log = append(p.log, x)
	x.Number = len(p.log)
	fault := p.judge(*x)
	x.Fault = fault.name
	return fault
}
