package fault

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"time"
)

// gardenTimeout bounds what the Garden is asked on behalf of a client that may have gone.
const gardenTimeout = time.Minute

// carryOutTries bounds how often a Garden is asked that has too much to do.
const carryOutTries = 20

// flight is a request on its way through a proxy.
type flight struct {
	proxy    *Proxy
	w        http.ResponseWriter
	r        *http.Request
	writes   bool
	exchange *Exchange // guarded by the proxy's lock from the moment it is in the log
}

// readBody takes in the body of a write. Only when the body is read does a server of HTTP/1 notice that a client goes.
func (f *flight) readBody() error {
	if !f.writes {
		return nil
	}
	body, err := io.ReadAll(f.r.Body)
	if err != nil {
		return err
	}
	f.exchange.fill(body)
	// With GetBody the transport sends a write again that the Garden has not processed, since it was ending the connection.
	f.r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}

// forward does what a proxy without faults does. The answer to a write is read whole before the client gets it, so that
// the log has what the Garden did even if the client has gone; all else streams.
func (f *flight) forward() {
	if f.writes {
		f.deliver(f.ask())
		return
	}
	f.proxy.garden.ServeHTTP(&noting{f.w, f}, f.r)
}

// carriedOut is ask for a fault that promises that the Garden has done what was asked: one that turns a write away because it has too much
// to do is asked again.
func (f *flight) carriedOut() *reply {
	if !f.writes {
		return f.ask()
	}
	for range carryOutTries {
		a := f.ask()
		if a == nil || a.code != http.StatusTooManyRequests && a.code != http.StatusServiceUnavailable {
			return a
		}
		select {
		case <-time.After(time.Second):
		case <-f.proxy.closing.Done():
			return nil
		}
	}
	return nil
}

// ask has the Garden do what was asked, whether or not the client is still there; nil = the Garden did not answer.
func (f *flight) ask() *reply {
	ctx, cancel := context.WithTimeout(f.proxy.closing, gardenTimeout)
	defer cancel()
	a := &reply{header: http.Header{}}
	r := f.r.WithContext(ctx)
	if r.GetBody != nil {
		r.Body, _ = r.GetBody()
	}
	f.proxy.garden.ServeHTTP(a, r)
	if a.code == 0 {
		return nil
	}
	var made string
	if f.writes && a.code < 300 {
		made = metadataOf(a.body.Bytes()).ResourceVersion
	}
	f.note(func(x *Exchange) { x.Code, x.Result = a.code, made })
	return a
}

// deliver gives the client the Garden's answer.
func (f *flight) deliver(a *reply) {
	f.head(a)
	_, _ = f.w.Write(a.body.Bytes())
}

// deliverHalf cuts the connection in the middle of the Garden's answer.
func (f *flight) deliverHalf(a *reply) {
	f.head(a)
	_, _ = f.w.Write(a.body.Bytes()[:a.body.Len()/2])
	_ = http.NewResponseController(f.w).Flush()
	f.cut()
}

func (f *flight) head(a *reply) {
	if a == nil {
		f.cut()
	}
	f.note(func(x *Exchange) { x.Sent = a.code })
	maps.Copy(f.w.Header(), a.header)
	f.w.WriteHeader(a.code)
}

// respond answers in place of the Garden; header holds names and values by turns.
func (f *flight) respond(code int, body []byte, header ...string) {
	a := &reply{code: code, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}}
	if bytes.HasPrefix(body, []byte("{")) {
		a.header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		a.header.Set(header[i], header[i+1])
	}
	_, _ = a.Write(body)
	f.deliver(a)
}

// cut ends the request without an answer: the connection of HTTP/1, the stream of HTTP/2.
func (f *flight) cut() { panic(http.ErrAbortHandler) }

// hang waits until the client gives up.
func (f *flight) hang() {
	f.wait(nil)
	f.cut()
}

// wait reports whether the event came before the client went or the proxy closed.
func (f *flight) wait(event <-chan struct{}) bool {
	select {
	case <-event:
		return f.r.Context().Err() == nil && f.proxy.closing.Err() == nil
	case <-f.r.Context().Done():
	case <-f.proxy.closing.Done():
	}
	return false
}

// pause waits for some time, with the result of wait.
func (f *flight) pause(d time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return f.wait(ctx.Done())
}

// note changes what the log says of the request.
func (f *flight) note(change func(*Exchange)) {
	f.proxy.mu.Lock()
	defer f.proxy.mu.Unlock()
	change(f.exchange)
}

// seen is what the log says of the request so far.
func (f *flight) seen() (x Exchange) {
	f.note(func(now *Exchange) { x = *now })
	return x
}

// end notes that the request is done with.
func (f *flight) end() {
	f.note(func(x *Exchange) { x.Ended = time.Now() })
	f.proxy.running.Done()
}

// reply keeps what the Garden answers.
type reply struct {
	code   int
	header http.Header
	body   bytes.Buffer
}

// Header returns the headers.
func (a *reply) Header() http.Header { return a.header }

// WriteHeader keeps the status; those below 200 only announce another.
func (a *reply) WriteHeader(code int) {
	if a.code == 0 && code >= http.StatusOK {
		a.code = code
	}
}

// Write keeps a part of the body.
func (a *reply) Write(p []byte) (int, error) { return a.body.Write(p) }

// noting passes an answer on and notes its status.
type noting struct {
	http.ResponseWriter
	flight *flight
}

// WriteHeader notes the status before the client can know it.
func (n *noting) WriteHeader(code int) {
	if code >= http.StatusOK {
		n.flight.note(func(x *Exchange) { x.Code, x.Sent = code, code })
	}
	n.ResponseWriter.WriteHeader(code)
}

// Unwrap lets a watch be flushed event by event.
func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// noAnswer passes on that the Garden did not answer: what is kept stays empty, a client is cut off.
func noAnswer(w http.ResponseWriter, _ *http.Request, _ error) {
	if _, kept := w.(*reply); !kept {
		panic(http.ErrAbortHandler)
	}
}
