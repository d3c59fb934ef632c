package hostile

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
)

// Server is an API server that does mischief.
type Server struct {
	*httptest.Server
	api *API
	end context.CancelFunc
	// elsewhere and plain are where redirects lead, with TLS and without. They are started by the first redirect.
	elsewhere, plain func() *httptest.Server

	mu       sync.Mutex
	others   []*httptest.Server // that were started
	mischief *Mischief
	picks    func(*http.Request) bool
	done     int      // how often it was done
	strayed  []string // the requests that came where no request should, with their Authorization
}

// NewServer returns a server of an API, with TLS. Its certificate is that of example.com.
func NewServer(api *API) *Server { return newServer(api, nil) }

// lastAddress is that of the last server which has an address of its own.
var lastAddress atomic.Uint32

// NewRefusingServer returns a server that can be made to refuse connections: no other server gets its address and port then.
func NewRefusingServer(api *API) (*Server, error) {
	n := lastAddress.Add(1)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.77.%d.%d:0", n/250, 1+n%250))
	if err != nil {
		return nil, err
	}
	s := newServer(api, listener)
	s.Config.SetKeepAlivesEnabled(false) // otherwise a connection may be left that the server has taken before
	return s, nil
}

func newServer(api *API, listener net.Listener) *Server {
	s := &Server{api: api}
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	s.Server = unstarted(ctx, s.answer)
	if listener != nil {
		_ = s.Listener.Close()
		s.Listener = listener
	}
	startTLS(s.Server)
	stray := func(w http.ResponseWriter, r *http.Request) {
		s.followed(r)
		http.StripPrefix(astray, s.api).ServeHTTP(w, r)
	}
	s.elsewhere = s.later(ctx, stray, startTLS)
	s.plain = s.later(ctx, stray, (*httptest.Server).Start)
	return s
}

// unstarted is a server whose requests end with the context.
func unstarted(ctx context.Context, handler http.HandlerFunc) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	return server
}

// later is a server that is started where it is asked for.
func (s *Server) later(ctx context.Context, handler http.HandlerFunc, start func(*httptest.Server)) func() *httptest.Server {
	return sync.OnceValue(func() *httptest.Server {
		server := unstarted(ctx, handler)
		start(server)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.others = append(s.others, server)
		return server
	})
}

// End ends the server, with the watches that a client has begun meanwhile: a server waits for its last request.
func (s *Server) End() {
	s.end()
	s.mu.Lock()
	all := append([]*httptest.Server{s.Server}, s.others...)
	s.mu.Unlock()
	for _, server := range all {
		server.CloseClientConnections()
		server.Close()
	}
}

// Do has the server do mischief for the requests that picks picks; nil = for all.
func (s *Server) Do(mischief Mischief, picks func(*http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mischief, s.picks = &mischief, picks
}

// Done returns how often mischief was done.
func (s *Server) Done() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// Strayed returns the requests that followed a redirect.
func (s *Server) Strayed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.strayed
}

// Writes picks the requests that change something.
func Writes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && !strings.HasSuffix(r.URL.Path, "accessreviews")
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	s.followed(r)
	s.mu.Lock()
	mischief := s.mischief
	if mischief != nil && (s.picks == nil || s.picks(r)) {
		s.done++
	} else {
		mischief = nil
	}
	s.mu.Unlock()
	if mischief == nil {
		s.api.ServeHTTP(w, r)
		return
	}
	mischief.serve(s, w, r)
}

// astray begins the path of each redirect. A request without it has followed none: it is for another server, which had this port before.
const astray = "/elsewhere"

// followed notes a request that has followed a redirect.
func (s *Server) followed(r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, astray) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strayed = append(s.strayed, r.Method+" "+r.Host+r.URL.Path+" Authorization: "+r.Header.Get("Authorization"))
}

// Refuse has the server refuse connections from now on; see [NewRefusingServer].
func (s *Server) Refuse() {
	_ = s.Listener.Close()
	s.CloseClientConnections()
}
