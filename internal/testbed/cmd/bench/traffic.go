package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// traffic is what goes over a connection.
type traffic struct{ requests, received, wire atomic.Int64 }

func (t *traffic) reset() {
	t.requests.Store(0)
	t.received.Store(0)
	t.wire.Store(0)
}

// connection is that of the task, and is counted.
func (t *traffic) connection(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // as the provider does: the server says itself when it has too much to do
	config.WarningHandler = rest.NoWarnings{}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return countedConn{conn, t}, err
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return countedRequests{next, t} })
	return config, nil
}

type countedConn struct {
	net.Conn
	traffic *traffic
}

// Read counts what comes.
func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.traffic.wire.Add(int64(n))
	return n, err
}

type countedRequests struct {
	next    http.RoundTripper
	traffic *traffic
}

// RoundTrip counts a request, and its answer as it is read.
func (c countedRequests) RoundTrip(r *http.Request) (*http.Response, error) {
	c.traffic.requests.Add(1)
	response, err := c.next.RoundTrip(r)
	if err == nil {
		response.Body = countedBody{response.Body, c.traffic}
	}
	return response, err
}

type countedBody struct {
	io.ReadCloser
	traffic *traffic
}

// Read counts what comes.
func (b countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.traffic.received.Add(int64(n))
	return n, err
}
