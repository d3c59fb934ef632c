package postgres

import (
	"fmt"
	"os"
	"testing"
)

// TestMain stops the shared server in the end.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}
