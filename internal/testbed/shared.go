package testbed

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// shared is the Garden of this test process.
var shared struct {
	sync.Mutex
	garden *Garden
	err    error
}

// Shared returns the Garden of this test process: the one that [LentVariable] names, else one that it starts at the first
// call. It ends the test if there is none.
func Shared(t testing.TB) *Garden {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.garden == nil && shared.err == nil {
		if path := os.Getenv(LentVariable); path != "" {
			shared.garden, shared.err = borrow(path)
		} else {
			shared.garden, shared.err = Start(context.Background(), Options{})
		}
		if shared.err == nil {
			// On standard output, so that the log of every run says what it ran against.
			fmt.Fprintf(os.Stdout, "testbed: %s\n", shared.garden)
		}
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.garden
}

// Main runs the tests of a package and then stops the shared Garden and the shared PostgreSQL if they were started:
//
//	func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }
func Main(m *testing.M) int {
	// For Terraform and OpenTofu, which terraform-plugin-testing starts; this process has begun already.
	if os.Getenv("GOGC") == "" {
		_ = os.Setenv("GOGC", strconv.Itoa(local.GarbageCollection))
	}
	code := m.Run()
	if err := postgres.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.garden != nil {
		if err := shared.garden.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	return code
}

// New starts a Garden of its own for one test, which ends with the test.
func New(t testing.TB, options Options) *Garden {
	t.Helper()
	garden, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := garden.Stop(); err != nil {
			t.Error(err)
		}
	})
	return garden
}
