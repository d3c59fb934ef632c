package kube

import (
	"context"
	"net/http"
)

// bounded ends each request when its context ends, also where the transport below does not listen: client-go runs the
// program that makes tokens (exec) within a request, without its context and under a lock.
type bounded struct {
	next    http.RoundTripper
	program *program // nil = what it writes is not reported
}

// RoundTrip returns the answer, or why the context ended first. The request then goes on unheard until it ends by itself.
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	type answer struct {
		response *http.Response
		err      error
	}
	answers := make(chan answer, 1)
	go func() {
		response, err := b.next.RoundTrip(req) //nolint:bodyclose // the receiver of the answer closes it
		answers <- answer{response, b.program.failed(err)}
	}()
	select {
	case a := <-answers:
		return a.response, a.err
	case <-req.Context().Done():
		go func() {
			if a := <-answers; a.response != nil {
				_ = a.response.Body.Close()
			}
		}()
		return nil, context.Cause(req.Context())
	}
}
