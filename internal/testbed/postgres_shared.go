package testbed

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// sharedPostgres is the PostgreSQL server of this test process.
var sharedPostgres struct {
	sync.Mutex
	server *Postgres
	err    error
}

// SharedPostgres returns the PostgreSQL server of this test process and starts it at the first call. It ends the test if
// there is none. [Main] stops it; should the process be killed, its guard does.
func SharedPostgres(t testing.TB) *Postgres {
	t.Helper()
	sharedPostgres.Lock()
	defer sharedPostgres.Unlock()
	if sharedPostgres.server == nil && sharedPostgres.err == nil {
		sharedPostgres.server, sharedPostgres.err = StartPostgres(context.Background(), PostgresOptions{})
		if sharedPostgres.err == nil {
			// On standard output, so that the log of every run says what it ran against.
			fmt.Fprintf(os.Stdout, "testbed: %s\n", sharedPostgres.server)
		}
	}
	if sharedPostgres.err != nil {
		t.Fatal(sharedPostgres.err)
	}
	return sharedPostgres.server
}

func stopSharedPostgres() error {
	sharedPostgres.Lock()
	defer sharedPostgres.Unlock()
	if sharedPostgres.server == nil {
		return nil
	}
	return sharedPostgres.server.Stop()
}
