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

// once is a Garden of this test process, which starts at the first call.
type once struct {
	sync.Mutex
	garden *Garden
	err    error
}

// shared is the Garden of most tests, and strict the one that checks references.
var shared, strict once

// Shared returns the Garden of this test process: the one that [LentVariable] names, else one that it starts at the first
// call. It ends the test if there is none.
func Shared(t testing.TB) *Garden {
	t.Helper()
	return shared.get(t, func() (*Garden, error) {
		if path := os.Getenv(LentVariable); path != "" {
			return borrow(path)
		}
		return Start(context.Background(), Options{})
	})
}

// SharedStrict returns the Garden of this test process whose admission checks references, as in production.
func SharedStrict(t testing.TB) *Garden {
	t.Helper()
	return strict.get(t, func() (*Garden, error) { return Start(context.Background(), Options{ReferenceChecks: true}) })
}

// get returns the Garden, which the first call starts.
func (o *once) get(t testing.TB, start func() (*Garden, error)) *Garden {
	t.Helper()
	o.Lock()
	defer o.Unlock()
	if o.garden == nil && o.err == nil {
		if o.garden, o.err = start(); o.err == nil {
			// On standard output, so that the log of every run says what it ran against.
			fmt.Fprintf(os.Stdout, "testbed: %s\n", o.garden)
		}
	}
	if o.err != nil {
		t.Fatal(o.err)
	}
	return o.garden
}

// stop stops the Garden if it was started.
func (o *once) stop() error {
	o.Lock()
	defer o.Unlock()
	if o.garden == nil {
		return nil
	}
	return o.garden.Stop()
}

// Main runs the tests of a package and then stops the shared Gardens and the shared PostgreSQL if they were started:
//
//	func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }
func Main(m *testing.M) int {
	// For Terraform and OpenTofu, which terraform-plugin-testing starts; this process has begun already.
	if os.Getenv("GOGC") == "" {
		_ = os.Setenv("GOGC", strconv.Itoa(local.GarbageCollection))
	}
	code := m.Run()
	for _, stop := range []func() error{postgres.StopShared, strict.stop, shared.stop} {
		if err := stop(); err != nil {
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
