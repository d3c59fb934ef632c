package apiserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
)

// The types of the events of a watch.
const (
	added    = "ADDED"
	modified = "MODIFIED"
	deleted  = "DELETED"
)

// event is a write as a watch sends it.
type event struct {
	kind    string
	of      call
	labels  labels.Set
	text    []byte
	version int64
}

// stream is one watch: the body of its answer.
type stream struct {
	server   *Server
	ctx      context.Context //nolint:containedctx // that of its request, which ends it
	of       call
	selector labels.Selector

	lines chan []byte // waits for the reader
	rest  []byte
	ended context.CancelFunc
}

// maxEvents is how many events wait for a reader at most. One that falls behind further ends, as those of a server do.
const maxEvents = 1000

// watch answers with all events after a version.
func (s *Server) watch(req *http.Request, c call, selector labels.Selector, from string) *http.Response {
	version, known := s.at[from] // that of an object, or of a list
	if !known {
		var err error
		if version, err = strconv.ParseInt(from, 10, 64); err != nil {
			return s.refusal(req, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version %q", from)))
		}
	}
	ctx, cancel := context.WithCancel(req.Context())
	w := &stream{server: s, ctx: ctx, of: c, selector: selector, lines: make(chan []byte, maxEvents), ended: cancel}
	s.streams[w] = true
	for _, e := range s.events {
		if e.version > version {
			w.take(e)
		}
	}
	answer := response(req, http.StatusOK, jsonType, nil)
	answer.Body, answer.ContentLength = w, -1
	return answer
}

// take keeps an event that the watch is of. An object whose labels do not fit any more causes no event: no client here watches by labels.
func (w *stream) take(e event) {
	if e.of.resource != w.of.resource || !strings.HasPrefix(e.of.key(), w.of.prefix()) || !w.selector.Matches(e.labels) {
		return
	}
	select {
	case w.lines <- fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", e.kind, e.text):
	default:
		w.ended()
	}
}

// Read waits for the next event.
func (w *stream) Read(p []byte) (int, error) {
	if len(w.rest) == 0 {
		select {
		case w.rest = <-w.lines:
		case <-w.ctx.Done():
			return 0, io.EOF
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

// Close ends the watch.
func (w *stream) Close() error {
	w.ended()
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	delete(w.server.streams, w)
	return nil
}
