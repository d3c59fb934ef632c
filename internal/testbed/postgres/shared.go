package postgres

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the PostgreSQL server of this test process.
var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// Shared returns the PostgreSQL server of this test process and starts it at the first call. It ends the test if
// there is none. The Main of package testbed stops it; should the process be killed, its guard does.
func Shared(t testing.TB) *Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = Start(context.Background(), Options{})
		if shared.err == nil {
			// On standard output, so that the log of every run says what it ran against.
			fmt.Fprintf(os.Stdout, "testbed: %s\n", shared.server)
		}
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// StopShared stops the server of this test process, if one was started. The Main of package testbed calls it.
func StopShared() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return nil
	}
	return shared.server.Stop()
}
