package kube

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// deaf answers late and does not listen to its context.
type deaf struct{ closed chan struct{} }

func (d deaf) RoundTrip(*http.Request) (*http.Response, error) {
	time.Sleep(time.Minute)
	return &http.Response{Body: d}, nil
}

// Read ends an answer at once.
func (deaf) Read([]byte) (int, error) { return 0, errors.New("closed") }

// Close notes that the answer was put away.
func (d deaf) Close() error {
	close(d.closed)
	return nil
}

// A request ends with its context although a program that makes tokens hangs; its late answer is put away.
func TestBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://kube.invalid", nil)
		if err != nil {
			t.Fatal(err)
		}
		next := deaf{make(chan struct{})}
		start := time.Now()
		_, err = bounded{next: next}.RoundTrip(request) //nolint:bodyclose // there is none
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		<-next.closed
	})
}
