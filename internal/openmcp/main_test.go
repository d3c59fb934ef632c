package openmcp_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := testbed.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// operatorTime bounds what the operator is waited for. Its client sends five requests a second of each kind, for all tests together: on a
// busy machine a request has many before it.
const operatorTime = 3 * time.Minute

// shortTime is that of a wait which is in vain: a busy machine sees in it what there is to see.
const shortTime = 15 * time.Second

// needsPlatform skips a test that needs a local platform cluster where none is wanted.
func needsPlatform(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs a local platform cluster: set TF_ACC=1 (make testacc does)")
	}
}
