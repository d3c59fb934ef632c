package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// Server is an API server. It is safe for use by many goroutines.
type Server struct {
	// Written is called after each write that has changed an object, under the server's lock; nil = nothing is.
	Written func(ctx context.Context, change Change)

	resources []Resource

	mu      sync.Mutex
	objects map[string]*stored
	version int64 // how many writes there were
	made    int   // how many objects
	past    map[string]past
	at      map[string]int64 // at which write an object got a version
	sum     uint64           // of all that is and was there
	events  []event
	streams map[*stream]bool
	judged  *judged // of all its clones
}

// past is what was done to one name.
type past struct {
	made, written int
	sum           uint64
}

// Change is a write that has changed an object.
type Change struct {
	Before, After *unstructured.Unstructured // nil where there is none. They are not to be changed
}

// stored is an object, and its JSON.
type stored struct {
	*unstructured.Unstructured

	text []byte
}

// New returns a server without objects.
func New(resources ...Resource) *Server {
	return &Server{
		resources: resources, objects: map[string]*stored{}, past: map[string]past{}, at: map[string]int64{}, streams: map[*stream]bool{},
		judged: &judged{},
	}
}

// Clone returns another server with the same objects, without watches and without a Written hook.
func (s *Server) Clone() *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := New(s.resources...)
	c.objects, c.version, c.made, c.events = maps.Clone(s.objects), s.version, s.made, slices.Clone(s.events)
	c.past, c.at, c.sum, c.judged = maps.Clone(s.past), maps.Clone(s.at), s.sum, s.judged
	return c
}

// Sum is the same for two servers that will answer each request alike, but for the versions of lists: in whatever order other names were
// written, an object has the same versions and the same uid.
func (s *Server) Sum() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum
}

var seed = maphash.MakeSeed()

// nextVersion is the version that the next write of an object gives it: a number that no client can read anything from.
func (s *Server) nextVersion(key string) string {
	return strconv.FormatUint(uint64(hashOf(key))<<16|uint64(s.past[key].written+1), 10) //nolint:gosec // it is no negative one
}

// nextUID is the uid of the next object of a name.
func (s *Server) nextUID(key string) types.UID {
	return types.UID(fmt.Sprintf("uid-%08x-%d", hashOf(key), s.past[key].made+1))
}

func hashOf(key string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return h.Sum32()
}

// note counts a write. Text is the object as it is then, nil where it is gone.
func (s *Server) note(key string, made int, text []byte) {
	p := s.past[key]
	s.version++
	s.made += made
	s.at[s.nextVersion(key)] = s.version
	p.written++
	p.made += made
	s.sum ^= p.sum
	p.sum = maphash.Bytes(seed, append(fmt.Appendf(nil, "%s %d %d ", key, p.made, p.written), text...))
	s.sum ^= p.sum
	s.past[key] = p
}

// RoundTrip answers a request. The context of the request ends a watch, and nothing else.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	return s.Answer(req, body), nil
}

// Answer answers a request whose body is read already.
func (s *Server) Answer(req *http.Request, body []byte) *http.Response {
	c, known := s.callOf(req, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !known:
		return response(req, http.StatusNotFound, "text/plain; charset=utf-8", []byte("404 page not found\n"))
	case c.verb == "":
		return s.refusal(req, apierrors.NewMethodNotSupported(c.resource.GroupResource(), strings.ToLower(req.Method)))
	case c.verb == patch && req.Header.Get("Content-Type") != mergePatch:
		return s.refusal(req, unsupported())
	case c.verb == get:
		return s.answerGet(req, c)
	case c.verb == list:
		return s.answerList(req, c)
	}
	return s.answerWrite(req, c)
}

// Refuses reports whether a write would be refused as the objects are now.
func (s *Server) Refuses(req *http.Request, body []byte) bool {
	c, known := s.callOf(req, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	return known && s.judge(c).refusal != nil
}

// Objects are the objects of a resource, in the order of their namespaces and names. They are not to be changed.
func (s *Server) Objects(plural string) (all []*unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.sortedKeys() {
		if strings.HasPrefix(key, plural+"/") {
			all = append(all, s.objects[key].Unstructured)
		}
	}
	return all
}

func (s *Server) answerGet(req *http.Request, c call) *http.Response {
	live := s.objects[c.key()]
	if live == nil {
		return s.refusal(req, apierrors.NewNotFound(c.resource.GroupResource(), c.name))
	}
	return response(req, http.StatusOK, jsonType, live.text)
}

func (s *Server) answerList(req *http.Request, c call) *http.Response {
	query := req.URL.Query()
	selector, err := labels.Parse(query.Get("labelSelector"))
	if err != nil {
		return s.refusal(req, apierrors.NewBadRequest(err.Error()))
	}
	if query.Get("watch") != "" {
		return s.watch(req, c, selector, query.Get("resourceVersion"))
	}
	var items [][]byte
	for _, key := range s.sortedKeys() {
		if o := s.objects[key]; strings.HasPrefix(key, c.prefix()) && selector.Matches(labels.Set(o.GetLabels())) {
			items = append(items, o.text)
		}
	}
	text := fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":%q},"items":[`,
		c.resource.GroupVersion().String(), c.resource.Kind+"List", strconv.FormatInt(max(s.version, 1), 10))
	text = append(append(text, bytes.Join(items, []byte{','})...), ']', '}')
	return response(req, http.StatusOK, jsonType, text)
}

func (s *Server) answerWrite(req *http.Request, c call) *http.Response {
	o := s.judge(c)
	if o.refusal != nil {
		return s.refusal(req, o.refusal)
	}
	shown := o.before
	if o.after != nil {
		shown = o.after
	}
	c.name = shown.GetName()
	text := s.keep(req.Context(), c, o)
	switch {
	case c.verb == create:
		return response(req, http.StatusCreated, jsonType, text)
	case c.verb == remove && o.goes():
		return s.status(req, metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
			Name: c.name, Group: c.resource.Group, Kind: c.resource.Resource, UID: shown.GetUID(),
		}})
	}
	return response(req, http.StatusOK, jsonType, text)
}

// keep stores what a write comes to, and returns the object as it is answered.
func (s *Server) keep(ctx context.Context, c call, o outcome) []byte {
	switch {
	case o.goes():
		s.note(c.key(), 0, nil)
		delete(s.objects, c.key())
		s.tell(ctx, event{kind: deleted, of: c, text: o.tombstone, version: s.version}, Change{Before: o.before})
		return o.text
	case o.same:
		return s.objects[c.key()].text
	}
	kind, made := modified, 0
	if o.before == nil {
		kind, made = added, 1
	}
	s.note(c.key(), made, o.text)
	s.objects[c.key()] = &stored{o.after, o.text}
	s.tell(ctx, event{kind: kind, of: c, text: o.text, version: s.version}, Change{Before: o.before, After: o.after})
	return o.text
}

// tell sends a write to all that follow.
func (s *Server) tell(ctx context.Context, e event, change Change) {
	e.labels = change.labels()
	s.events = append(s.events, e)
	for w := range s.streams {
		w.take(e)
	}
	if s.Written != nil {
		s.Written(ctx, change)
	}
}

func (c Change) labels() labels.Set {
	if c.After != nil {
		return c.After.GetLabels()
	}
	return c.Before.GetLabels()
}

func (s *Server) refusal(req *http.Request, err *apierrors.StatusError) *http.Response {
	return s.status(req, err.ErrStatus)
}

func (s *Server) status(req *http.Request, status metav1.Status) *http.Response {
	status.APIVersion, status.Kind = "v1", "Status"
	text, _ := json.Marshal(status)
	code := int(status.Code)
	if status.Status == metav1.StatusSuccess {
		code = http.StatusOK
	}
	return response(req, code, jsonType, text)
}
